package workspace

import (
	"context"
	"errors"
	"sync"
	"time"
)

// WithClock begins an operation: what is answered to calls made under the returned context tells the time to a later Now
// under it, which then asks for nothing. The machine's own clock is never read.
func WithClock(ctx context.Context) context.Context {
	return context.WithValue(ctx, clockKey{}, &clock{})
}

type clockKey struct{}

// clock is the newest instant of the workspace's that an operation has seen.
type clock struct {
	mu     sync.Mutex
	newest time.Time
}

func clockOf(ctx context.Context) *clock {
	c, _ := ctx.Value(clockKey{}).(*clock)
	return c
}

func (c *clock) note(at time.Time) {
	if c == nil || at.IsZero() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.newest) {
		c.newest = at
	}
}

func (c *clock) seen() time.Time {
	if c == nil {
		return time.Time{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest
}

// Now is the workspace's clock, with a resolution of one second, rounded down: the Date of the newest answer of this
// operation (see WithClock), else that of an answer to a call that needs no permission and starts nothing.
func (c *Client) Now(ctx context.Context) (time.Time, error) {
	if at := clockOf(ctx).seen(); !at.IsZero() {
		return at, nil
	}
	r := get("read the workspace's clock", "", "/.well-known/databricks-config", nil)
	answer, err := c.call(ctx, r)
	var a *Answer
	switch {
	case err == nil && !answer.date.IsZero():
		return answer.date, nil
	case errors.As(err, &a) && !a.date.IsZero() && a.Status < 500 && !errors.Is(err, ErrUnauthenticated):
		return a.date, nil // a workspace without this path still has a clock
	case err != nil:
		return time.Time{}, err
	}
	return time.Time{}, c.failure(r, errors.New("the answer has no Date"))
}

// Machine is time as this machine has it: how long somebody waits is measured by it, never what happened when.
type Machine struct{}

// Now is the machine's clock.
func (Machine) Now() time.Time { return time.Now() }

// Sleep waits in real time; it returns early with the error of a context that ends.
func (Machine) Sleep(ctx context.Context, d time.Duration) error { return Sleep(ctx, d) }

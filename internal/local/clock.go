package local

import (
	"sync"
	"time"
)

// clock is the virtual clock, in whole milliseconds of UTC. No instant is given out twice.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock(start time.Time) *clock { return &clock{now: start.UTC().Truncate(time.Millisecond)} }

// Now reads the clock without moving it.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Tick moves the clock by a millisecond and returns the new instant.
func (c *clock) Tick() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

// Raise moves the clock to t unless it is there or past it already.
func (c *clock) Raise(t time.Time) {
	t = t.UTC().Truncate(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
}

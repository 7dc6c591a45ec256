package workspace

import (
	"context"
	"errors"
	"time"
)

// Now asks the workspace for its clock: the Date of its answer to a call that needs no permission and starts nothing. It
// has a resolution of one second, rounded down.
func (c *Client) Now(ctx context.Context) (time.Time, error) {
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

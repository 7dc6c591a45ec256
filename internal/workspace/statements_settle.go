package workspace

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// lastWait is how long the answer to a statement is waited for when its context has ended: only the answer tells which
// statement to cancel. The workspace itself answers within the 10 s of wait_timeout.
const lastWait = 15 * time.Second

// settle polls until the statement has ended well; everything else is an error. Whatever ends the polling early cancels
// the statement.
func (c *Client) settle(ctx context.Context, sql string, a statementAnswer) (statementAnswer, error) {
	id := a.ID
	for n := 0; ; n++ {
		switch a.Status.State {
		case "SUCCEEDED":
			return a, nil
		case "PENDING", "RUNNING":
		default:
			return a, c.ended(sql, a)
		}
		err := c.sleep(ctx, min(firstPoll<<min(n, 8), longestPoll))
		if err == nil {
			a = statementAnswer{}
			err = c.read(ctx, get("run statement", abridge(sql), statementPath+url.PathEscape(id), nil), &a)
		}
		if err != nil {
			return a, c.abandon(ctx, sql, id, err)
		}
	}
}

// ended is the error for a statement that is over without success.
func (c *Client) ended(sql string, a statementAnswer) error {
	e := c.statementError(a)
	out := &Error{Op: "run statement", Subject: abridge(sql), Err: e}
	switch {
	case e.State != "FAILED":
		out.Hint = "Somebody cancelled it, or a limit of the warehouse did (STATEMENT_TIMEOUT). What it was to tell is not known; run the command again."
	case errors.Is(e, ErrDenied):
		out.Hint = "Grant what it names to the identity that runs this, or run it as another one."
	}
	return out
}

// abandon cancels a statement whose end will not be waited for, and words why. Where it may go on all the same, the error
// says so.
func (c *Client) abandon(ctx context.Context, sql, id string, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = cause
	}
	cancelled := c.cancelStatement(ctx, id)
	if errors.Is(err, ErrNotFound) {
		// Not the table, nor the job: branching on the sentinel would blame those.
		return &Error{Op: "run statement", Subject: abridge(sql), Err: fmt.Errorf("%w: the workspace does not know statement %s any more: %v", ErrUnavailable, id, err), Hint: "Run the command again."} //nolint:errorlint // nothing that the user named is not found
	}
	hint, text := HintOf(err), "it was cancelled"
	if cancelled != nil {
		text = fmt.Sprintf("statement %s could not be cancelled and may go on: %v", id, cancelled)
	}
	var e *Error
	if errors.As(err, &e) {
		err = e.Err // named once
	}
	err = fmt.Errorf("%w (%s)", err, text)
	if !onlyReads(sql) {
		err = &uncertain{err}
	}
	return &Error{Op: "run statement", Subject: abridge(sql), Err: err, Hint: hint}
}

// cancelStatement is sent although ctx has ended: nobody else would end the statement. It may come too late.
func (c *Client) cancelStatement(ctx context.Context, id string) error {
	const patience = 10 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	_, err := c.call(ctx, post("cancel statement", id, statementPath+url.PathEscape(id)+"/cancel", map[string]any{}).again())
	return err
}

// notStarted words the refusal of a statement: a missing object is the warehouse then.
func (c *Client) notStarted(err error) error {
	var a *Answer
	if !errors.As(err, &a) {
		return err
	}
	out := &Error{Op: "run a statement on warehouse", Subject: c.warehouse, Err: err}
	switch {
	case errors.Is(a, ErrNotFound), a.Status == http.StatusBadRequest && strings.Contains(a.Message, "not a valid endpoint id"):
		out.Err = fmt.Errorf("%w: %s (HTTP %d %s)", ErrNoWarehouse, a.Message, a.Status, a.Code)
		out.Hint = "Set warehouse_id, or DATABRICKS_WAREHOUSE_ID, to the id of a SQL warehouse of " + c.host + "; this one is not there, or was deleted."
	case errors.Is(a, ErrDenied):
		out.Err = a
		out.Hint = "Grant CAN USE on the warehouse to the identity that runs this, or name another with warehouse_id."
	default:
		return err
	}
	return out
}

// waiting is ctx for a request whose answer is still wanted for a while after ctx has ended.
func waiting(ctx context.Context) (context.Context, func()) {
	out, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		time.AfterFunc(lastWait, func() { end(context.Cause(ctx)) })
	})
	return out, func() {
		unhook()
		end(nil)
	}
}

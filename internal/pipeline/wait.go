package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// WaitOptions bound a wait.
type WaitOptions struct {
	// Timeout ends the wait, not the run. 0: none.
	Timeout time.Duration
	// Patience is how long the workspace may give no usable answer. 0: 10 minutes.
	Patience time.Duration
	// Expected is how long a run of this job usually takes, for the cadence of questions. 0: unknown.
	Expected time.Duration
	// UntilRunning ends the wait as soon as the run has begun to work.
	UntilRunning bool
}

// GaveUpError says that a wait ended before the run did. The run is still active, as far as anybody knows.
type GaveUpError struct {
	RunID int64
	// Waited is how long; Err why, when it was not the timeout.
	Waited time.Duration
	Err    error
}

func (e *GaveUpError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("run %d: no usable answer; the run may still be active: %v", e.RunID, e.Err)
	}
	return fmt.Sprintf("run %d is still active after %s", e.RunID, e.Waited.Round(time.Second))
}

func (e *GaveUpError) Unwrap() error { return e.Err }

const defaultPatience = 10 * time.Minute

// Wait follows a run to its end, whatever the states on the way are called. It never cancels the run and never starts
// one. A wait that ends early is a *GaveUpError, with the run as it was seen last. progress, when not nil, is told the
// run whenever its state changes.
func Wait(ctx context.Context, w Runs, t Waiter, runID int64, o WaitOptions, progress func(run.Run)) (run.Run, error) {
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	began := t.Now()
	answered := began
	last := run.Run{ID: runID}
	shown := ""
	for {
		r, err := w.Run(ctx, runID)
		now := t.Now()
		switch {
		case err == nil:
			last, answered = r, now
			if key := r.State() + "/" + r.Result; key != shown && progress != nil {
				shown = key
				progress(r)
			}
			if r.Outcome().Final() {
				return explained(ctx, w, r), nil
			}
			if o.UntilRunning && r.State() == "RUNNING" {
				return r, nil
			}
		case !passing(err):
			return last, fmt.Errorf("wait for run %d: %w", runID, err)
		case now.Sub(answered) >= o.Patience:
			return last, &GaveUpError{RunID: runID, Waited: now.Sub(began), Err: err}
		}
		pause := run.Poll(now.Sub(began), o.Expected)
		if o.Timeout > 0 {
			left := o.Timeout - now.Sub(began)
			if left <= 0 {
				return last, &GaveUpError{RunID: runID, Waited: now.Sub(began), Err: err}
			}
			pause = min(pause, left)
		}
		if err := t.Sleep(ctx, pause); err != nil {
			return last, fmt.Errorf("wait for run %d: %w", runID, err)
		}
	}
}

// passing reports whether a later question may be answered although this one was not.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return errors.Is(err, workspace.ErrUnavailable) || errors.Is(err, workspace.ErrThrottled)
}

// explained adds the errors of the tasks that failed. They are fetched task by task, for the run as a whole has no
// output; that one cannot be read changes nothing in the outcome.
func explained(ctx context.Context, w Runs, r run.Run) run.Run {
	failed := map[int64]bool{}
	for _, t := range r.Failures() {
		failed[t.RunID] = t.RunID != 0
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if !failed[t.RunID] || t.Trace != "" {
			continue
		}
		o, err := w.RunOutput(ctx, t.RunID)
		if err != nil {
			continue
		}
		if o.Error != "" {
			t.Message = o.Error
		}
		t.Trace = o.Trace
	}
	return r
}

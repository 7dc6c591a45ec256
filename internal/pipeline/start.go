package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Startable is what starting a run needs.
type Startable interface {
	Jobs
	Runs
	Runner
	Clock
}

// StartRequest says what to start, and how long to look whether it runs.
type StartRequest struct {
	// Job is a name or an id.
	Job        string
	Parameters map[string]string
	Only       []string
	// Token is the idempotency token. Empty: a fresh one, which is what one logical run needs.
	Token string
	// Timeout bounds the wait until the run works. 0: it is not waited for.
	Timeout time.Duration
}

// StartResult is the run that is there afterwards.
type StartResult struct {
	// Run has at least its id and its job's.
	Run     run.Run
	JobName string
	// Existing says that the token belonged to an earlier run, which is the one described.
	Existing bool
	// ByTrigger says that the job's own trigger had started the run in the same moment.
	ByTrigger bool
	// Paused says that the job's trigger is paused, and stays so.
	Paused bool
	// GaveUp is set when the run did not work within the timeout; it goes on.
	GaveUp *GaveUpError
}

// Start starts a run once and looks at most until it works: never for its end, which an endless run does not have. A
// lost answer never starts a second run: the same token is sent again. No active run is cancelled.
//
// A continuous job restarts by itself, and the service refuses a start in the same moment (409): then the run that is
// active is the answer, unless the start was to have parameters or tasks of its own.
//
// An error comes with the run's id in the result once there is one; the run goes on then.
func Start(ctx context.Context, w Startable, t Waiter, r StartRequest, progress func(run.Run)) (StartResult, error) {
	j, err := w.FindJob(ctx, r.Job)
	if err != nil {
		return StartResult{}, err
	}
	status, trigger, _ := jobspec.Pause(j.Settings)
	out := StartResult{JobName: jobspec.Name(j.Settings), Paused: status == jobspec.Paused}
	if r.Token == "" {
		r.Token = newToken()
	}
	before, err := w.Now(ctx)
	if err != nil {
		return out, err
	}
	id, err := w.RunNow(ctx, workspace.RunNow{JobID: j.ID, Token: r.Token, Parameters: r.Parameters, Only: r.Only})
	if errors.Is(err, workspace.ErrConflict) && trigger == "continuous" && !out.Paused && len(r.Parameters)+len(r.Only) == 0 {
		id, err = activeRun(ctx, w, j.ID, err)
		out.ByTrigger = true
	}
	if err != nil {
		return out, err
	}
	out.Run = run.Run{ID: id, JobID: j.ID, JobName: out.JobName}
	if r.Timeout == 0 {
		seen, err := w.Run(ctx, id)
		if err != nil {
			return out, err
		}
		out.Run = seen
	} else {
		seen, err := Wait(ctx, w, t, id, WaitOptions{Timeout: r.Timeout, UntilRunning: true}, progress)
		if seen.ID != 0 {
			out.Run = seen
		}
		if err != nil && !errors.As(err, &out.GaveUp) {
			return out, err
		}
	}
	out.Existing = !out.ByTrigger && started(out.Run, before)
	return out, nil
}

// activeRun is the newest active run of a job; the refusal, when there is none.
func activeRun(ctx context.Context, w Runs, jobID int64, refusal error) (int64, error) {
	for r, err := range w.Runs(ctx, workspace.RunFilter{JobID: jobID, Active: true}) {
		if err != nil {
			return 0, errors.Join(refusal, err)
		}
		return r.ID, nil
	}
	return 0, refusal
}

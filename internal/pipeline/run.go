package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// RunRequest says what to run and how far to follow it.
type RunRequest struct {
	// Job is a name or an id.
	Job        string
	Parameters map[string]string
	Only       []string
	// Token is the idempotency token. Empty: a fresh one, which is what one logical run needs.
	Token string
	// NoWait returns as soon as the run exists; NoVerify when it has ended.
	NoWait, NoVerify bool
	Wait             WaitOptions
	Strict           bool
	// Progress, when set, is told what a verification does next.
	Progress func(what string)
}

// RunResult is what became of a run.
type RunResult struct {
	Run run.Run
	// Existing says that the token belonged to an earlier run, which is the one described.
	Existing bool
	// Verification is nil when the run did not succeed, or none was asked for. VerifyErr says why one that was asked
	// for could not be made.
	Verification *reconcile.Verification
	VerifyErr    error
	ExitCode     run.ExitCode
}

// Run starts a job once, waits for its end and verifies, by the job's own contract, what it loaded. A lost answer never
// starts a second run: the same token is sent again. Only a run that succeeded is verified. progress, when not nil, is
// told the run whenever its state changes.
//
// An error comes with the run's id in the result once there is one; the run goes on then.
func Run(ctx context.Context, w Runnable, t Waiter, r RunRequest, progress func(run.Run)) (RunResult, error) {
	j, err := w.FindJob(ctx, r.Job)
	if err != nil {
		return RunResult{}, err
	}
	verified := subject{jobID: j.ID}
	if !r.NoVerify {
		if verified.contract, err = contractOf(j); err != nil {
			return RunResult{}, err
		}
	}
	if r.Token == "" {
		r.Token = newToken()
	}
	before, err := w.Now(ctx)
	if err != nil {
		return RunResult{}, err
	}
	id, err := w.RunNow(ctx, workspace.RunNow{JobID: j.ID, Token: r.Token, Parameters: r.Parameters, Only: r.Only})
	if err != nil {
		return RunResult{}, err
	}
	out := RunResult{Run: run.Run{ID: id, JobID: j.ID}, ExitCode: run.GaveUp}
	if r.NoWait {
		if out.Run, err = w.Run(ctx, id); err != nil {
			return RunResult{Run: run.Run{ID: id, JobID: j.ID}}, err
		}
		out.Existing = started(out.Run, before)
		out.ExitCode = run.Pass
		if out.Run.Outcome().Final() {
			out.ExitCode = out.Run.Outcome().ExitCode()
		}
		return out, nil
	}
	out.Run, err = Wait(ctx, w, t, id, r.Wait, progress)
	if err != nil {
		return out, err
	}
	out.Existing = started(out.Run, before)
	out.ExitCode = out.Run.Outcome().ExitCode()
	if r.NoVerify || out.Run.Outcome() != run.Succeeded {
		return out, nil
	}
	out.verify(ctx, w, r)
	return out, nil
}

// started reports whether the run began before an instant that the workspace's clock gave to the second.
func started(r run.Run, before time.Time) bool {
	return !r.Started.IsZero() && r.Started.Before(before)
}

func (out *RunResult) verify(ctx context.Context, w Verifiable, r RunRequest) {
	v, err := Verify(ctx, w, VerifyRequest{Job: fmt.Sprint(out.Run.JobID), RunID: out.Run.ID, Strict: r.Strict, Progress: r.Progress})
	if err != nil {
		out.VerifyErr = err
		out.ExitCode = run.CouldNotRun
		if errors.Is(err, ErrConfiguration) {
			out.ExitCode = run.Usage
		}
		return
	}
	out.Verification = &v
	out.ExitCode = run.Verified(v)
}

func newToken() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails: it ends the process instead
	return "watertight-" + hex.EncodeToString(b)
}

package pipeline

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// subject is what a verification is about.
type subject struct {
	contract contract.Contract
	jobID    int64
	// run is the run to verify; its ID is 0 for a contract alone.
	run run.Run
	// previous is the start of the successful run before it, previousEnd its end; zero when there is none.
	previous, previousEnd time.Time
	// active is the start of the first run that began after it and goes on; zero when there is none.
	active time.Time
	// doubt says why there is nothing to verify.
	doubt reconcile.Reason
}

func subjectOf(ctx context.Context, w Verifiable, r VerifyRequest) (subject, error) {
	if r.Job == "" {
		return subject{contract: r.Contract}, problems(r.Contract)
	}
	j, err := w.FindJob(ctx, r.Job)
	if err != nil {
		return subject{}, err
	}
	c, err := contractOf(j)
	if err != nil {
		return subject{}, err
	}
	s := subject{contract: c, jobID: j.ID}
	err = s.findRun(ctx, w, r.RunID)
	if s.active.Before(s.run.Ended) {
		s.active = time.Time{} // it overlaps the run, whose own rows must not be left out
	}
	return s, err
}

// problems is the first thing wrong in a contract.
func problems(c contract.Contract) error {
	if all := c.Validate(); len(all) > 0 {
		p := all[0]
		return &ConfigurationError{Subject: p.Field, Reason: fmt.Sprintf("%q: %s", p.Value, p.Reason), Hint: p.Hint}
	}
	return nil
}

// contractOf reads the contract from a job's tags. A job without one, or with a broken one, is an ErrConfiguration.
func contractOf(j workspace.Job) (contract.Contract, error) {
	c, found, err := contract.FromTags(jobspec.Tags(j.Settings))
	switch {
	case err != nil:
		return c, &ConfigurationError{Subject: jobText(j), Reason: "its contract cannot be read", Err: err,
			Hint: "Apply the watertight_loader_job that declares it again, or correct the tag."}
	case !found:
		return c, noContract(j)
	}
	return c, problems(c)
}

// noContract tells a job that Watertight made for something else from one that nobody declared as a loader.
func noContract(j workspace.Job) error {
	kind, table := contract.KindOf(jobspec.Tags(j.Settings))
	if kind != contract.KindNone {
		return &ConfigurationError{Subject: jobText(j), Reason: fmt.Sprintf("it is the %s job of %s and not a loader, so it has no contract", kind, table),
			Hint: "Name the loader job. A run of this one is started in the workspace, or with databricks jobs run-now."}
	}
	return &ConfigurationError{Subject: jobText(j), Reason: "it has no contract: it has none of the tags watertight_source, watertight_target and watertight_key",
		Hint: "Declare it as a watertight_loader_job. Without a contract, watertight verify takes --source, --target, --key, --event-time and --settle-delay instead of a job."}
}

func jobText(j workspace.Job) string {
	return fmt.Sprintf("job %q (%d)", jobspec.Name(j.Settings), j.ID)
}

// findRun finds the run to verify and those around it.
func (s *subject) findRun(ctx context.Context, w Runs, id int64) error {
	if id != 0 {
		r, err := w.Run(ctx, id)
		if err != nil {
			return err
		}
		if r.JobID != s.jobID {
			return &ConfigurationError{Subject: "run " + strconv.FormatInt(id, 10), Reason: fmt.Sprintf("it is a run of job %d, not of job %d", r.JobID, s.jobID),
				Hint: "Name the job the run belongs to, or leave the run out."}
		}
		s.run = r
		if o := r.Outcome(); o != run.Succeeded {
			s.doubt = reconcile.Reason{Code: reconcile.CodeNoRun, Text: fmt.Sprintf("run %d did not succeed (%s), so there is nothing it must have loaded", id, o)}
			return nil
		}
	}
	for r, err := range w.Runs(ctx, workspace.RunFilter{JobID: s.jobID}) {
		if err != nil {
			return err
		}
		switch o := r.Outcome(); {
		case s.run.ID == 0 && o == run.Active, s.run.ID != 0 && o == run.Active && r.Started.After(s.run.Started):
			s.active = r.Started
		case o != run.Succeeded:
		case s.run.ID == 0:
			s.run = r
		case r.ID != s.run.ID && r.Started.Before(s.run.Started):
			s.previous, s.previousEnd = r.Started, r.Ended
			return nil
		}
	}
	if s.run.ID == 0 {
		s.doubt = reconcile.Reason{Code: reconcile.CodeNoRun, Text: "the job has no successful run yet, so there is nothing it must have loaded"}
	}
	return nil
}

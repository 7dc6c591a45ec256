package pipeline

import (
	"context"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// JobStatus is the state of one loader.
type JobStatus struct {
	JobID          int64
	Name           string
	Source, Target string
	// At is the workspace's clock.
	At time.Time
	// Trigger names what starts the job: schedule, periodic, continuous or another kind; Expression and ZoneID are its
	// schedule's. NextRun is zero when nothing is known to start it.
	Trigger, Expression, ZoneID string
	NextRun                     time.Time
	Paused                      bool
	// Coverage is what a check says. CoverageErr says why there is none.
	Coverage    coverage.Verdict
	CoverageErr error
	// Deadline is when the first row that the last successful run could not read yet is lost; zero when unknown. Left
	// is the time until then, negative when it has passed.
	Deadline time.Time
	Left     time.Duration
	// LastRun and LastSuccess are nil when there was none; Active is the run that goes on.
	LastRun, LastSuccess, Active *run.Run
}

// Status tells the state of one loader, or of every job with a contract when nameOrID is empty. A loader whose coverage
// cannot be told is listed all the same.
func Status(ctx context.Context, w Checkable, nameOrID string) ([]JobStatus, error) {
	now, err := w.Now(ctx)
	if err != nil {
		return nil, err
	}
	jobs, err := loaders(ctx, w, nameOrID)
	if err != nil {
		return nil, err
	}
	maintained, maintainedErr := maintainers(ctx, w)
	all := make([]JobStatus, 0, len(jobs))
	for _, j := range jobs {
		s := JobStatus{JobID: j.ID, Name: jobspec.Name(j.Settings), At: now}
		s.readTrigger(j.Settings, now)
		if err := s.readRuns(ctx, w); err != nil {
			return nil, err
		}
		s.CoverageErr = maintainedErr
		c, err := contractOf(j)
		if err == nil && s.CoverageErr == nil {
			var r CheckResult
			r, err = check(ctx, w, j, c, maintained[j.ID], CheckOptions{At: now})
			s.Coverage, s.Deadline = r.Verdict, r.Deadline
		}
		s.Source, s.Target = c.Source, c.Target
		if err != nil {
			s.CoverageErr = err
		}
		if !s.Deadline.IsZero() {
			s.Left = s.Deadline.Sub(now)
		}
		all = append(all, s)
	}
	return all, nil
}

// loaders is the job that is named, or every job whose tags hold a contract, also a broken one.
func loaders(ctx context.Context, w Jobs, nameOrID string) ([]workspace.Job, error) {
	if nameOrID != "" {
		j, err := w.FindJob(ctx, nameOrID)
		return []workspace.Job{j}, err
	}
	var all []workspace.Job
	for j, err := range w.Jobs(ctx) {
		if err != nil {
			return nil, err
		}
		if _, found, err := contract.FromTags(jobspec.Tags(j.Settings)); found || err != nil {
			all = append(all, j)
		}
	}
	return all, nil
}

func (s *JobStatus) readTrigger(settings jobspec.Settings, now time.Time) {
	status, _, _ := jobspec.Pause(settings)
	s.Paused = status == jobspec.Paused
	t, err := jobspec.Trigger(settings)
	s.Trigger, s.Expression, s.ZoneID = t.Kind, t.Expression, t.ZoneID
	if err != nil || t.Cron == nil || s.Paused {
		return
	}
	if next, ok := t.Cron.Next(now); ok {
		s.NextRun = next.UTC()
	}
}

// readRuns looks back until the last success, and no further.
func (s *JobStatus) readRuns(ctx context.Context, w Runs) error {
	for r, err := range w.Runs(ctx, workspace.RunFilter{JobID: s.JobID}) {
		if err != nil {
			return err
		}
		switch o := r.Outcome(); {
		case o == run.Active:
			s.Active = &r
			continue
		case s.LastRun == nil:
			s.LastRun = &r
		}
		if r.Outcome() == run.Succeeded {
			s.LastSuccess = &r
			break
		}
	}
	return nil
}

// PauseResult is what a change of the pause status did.
type PauseResult struct {
	JobID  int64
	Name   string
	Paused bool
	// Changed is false when it was so already; nothing was written then.
	Changed bool
	// Deadline is when the first unloaded row is lost; zero when unknown.
	Deadline time.Time
}

// Pausable is what pausing needs.
type Pausable interface {
	Checkable
	JobWriter
}

// SetPause pauses or resumes whatever starts the job, and leaves every other setting as it is. It writes the trigger
// alone, as it is now but for its pause status, and nothing when that is right already.
func SetPause(ctx context.Context, w Pausable, nameOrID string, paused bool) (PauseResult, error) {
	j, err := w.FindJob(ctx, nameOrID)
	if err != nil {
		return PauseResult{}, err
	}
	r := PauseResult{JobID: j.ID, Name: jobspec.Name(j.Settings), Paused: paused}
	wanted := jobspec.Unpaused
	if paused {
		wanted = jobspec.Paused
	}
	status, trigger, ok := jobspec.Pause(j.Settings)
	if !ok {
		return r, &ConfigurationError{Subject: jobText(j), Reason: "nothing starts it by itself, so there is nothing to pause", Hint: "Give it a schedule first.", Err: jobspec.ErrNoTrigger}
	}
	if status != wanted {
		settings, err := jobspec.SetPause(j.Settings, wanted)
		if err != nil {
			return r, err
		}
		if err := w.UpdateJob(ctx, j.ID, map[string]any{trigger: settings[trigger]}); err != nil {
			return r, err
		}
		r.Changed = true
	}
	// The deadline is said where it can be told; the pause stands whether or not.
	if c, err := contractOf(j); err == nil {
		if now, err := w.Now(ctx); err == nil {
			if found, err := check(ctx, w, j, c, nil, CheckOptions{At: now}); err == nil {
				r.Deadline = found.Deadline
			}
		}
	}
	return r, nil
}

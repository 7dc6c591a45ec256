package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// CheckOptions changes what a check of a job assumes. The zero value takes everything as it is declared.
type CheckOptions struct {
	// At is the instant to begin at. Zero: the workspace's now.
	At time.Time
	// Pause is the length of a pause at no known time, to be borne besides.
	Pause time.Duration
	// MinimumHeadroom, when not nil, stands in for the one that is declared.
	MinimumHeadroom *time.Duration
}

// CheckResult is the coverage of one job.
type CheckResult struct {
	JobID    int64
	JobName  string
	Contract contract.Contract
	Source   contract.Retention
	// Maintenance is the one that leaves the least headroom; nil when no job says that it maintains the target.
	// MaintenanceJobID and MaintenanceJobName are its job.
	Maintenance        *contract.Maintenance
	MaintenanceJobID   int64
	MaintenanceJobName string
	Input              coverage.Input
	Verdict            coverage.Verdict
	// LastRead is the start of the last successful run, and Deadline the instant at which the first row that it could
	// not read yet leaves the limit. Both are zero when there was none.
	LastRead, Deadline time.Time
}

// ExitCode follows from the verdict: a violation is a loss to come, what cannot be told is inconclusive.
func (r CheckResult) ExitCode() run.ExitCode { return run.Covered(r.Verdict) }

type maintainer struct {
	contract.Maintenance
	job workspace.Job
}

// Check compares how long a row stays readable with how long it can wait to be read: the job's contract from its tags,
// the retention from the source's properties, and the maintenance from the tags of the jobs that name this loader. It
// reads only, and needs no warehouse.
func Check(ctx context.Context, w Checkable, nameOrID string, o CheckOptions) (CheckResult, error) {
	j, err := w.FindJob(ctx, nameOrID)
	if err != nil {
		return CheckResult{}, err
	}
	c, err := contractOf(j)
	if err != nil {
		return CheckResult{}, err
	}
	if o.At.IsZero() {
		if o.At, err = w.Now(ctx); err != nil {
			return CheckResult{}, err
		}
	}
	all, err := maintainers(ctx, w)
	if err != nil {
		return CheckResult{}, err
	}
	return check(ctx, w, j, c, all[j.ID], o)
}

// maintainers finds, by loader, the jobs that say they maintain a target.
func maintainers(ctx context.Context, w Jobs) (map[int64][]maintainer, error) {
	all := map[int64][]maintainer{}
	for j, err := range w.Jobs(ctx) {
		if err != nil {
			return nil, err
		}
		m, found, err := contract.MaintenanceFromTags(jobspec.Tags(j.Settings))
		if err != nil {
			return nil, &ConfigurationError{Subject: jobText(j), Reason: "its maintenance cannot be read", Err: err,
				Hint: "Apply the watertight_optimize_job that declares it again, or correct the tag."}
		}
		if found {
			all[m.LoaderID] = append(all[m.LoaderID], maintainer{m, j})
		}
	}
	return all, nil
}

func check(ctx context.Context, w Checkable, j workspace.Job, c contract.Contract, maintained []maintainer, o CheckOptions) (CheckResult, error) {
	r := CheckResult{JobID: j.ID, JobName: jobspec.Name(j.Settings), Contract: c}
	source, err := w.Table(ctx, c.Source)
	if err != nil {
		return r, err
	}
	if r.Source, err = contract.RetentionFromProperties(c.Source, source.Properties); err != nil {
		return r, &ConfigurationError{Subject: "table " + c.Source, Reason: "its properties cannot be read", Err: err, Hint: "Correct the property."}
	}
	if len(maintained) == 0 {
		maintained = []maintainer{{}}
	}
	for i, m := range maintained {
		one := r
		if m.job.ID != 0 {
			one.Maintenance, one.MaintenanceJobID, one.MaintenanceJobName = &maintained[i].Maintenance, m.job.ID, jobspec.Name(m.job.Settings)
		}
		if err := one.judge(j.Settings, o); err != nil {
			return r, err
		}
		if i == 0 || worse(one.Verdict, r.Verdict) {
			r = one
		}
	}
	return r, r.findDeadline(ctx, w)
}

func (r *CheckResult) judge(settings jobspec.Settings, o CheckOptions) error {
	in, err := CoverageOf(settings, r.Contract, r.Source, r.Maintenance, o.At)
	if err == nil {
		in.Pause = o.Pause
		if o.MinimumHeadroom != nil {
			in.MinimumHeadroom = *o.MinimumHeadroom
		}
		r.Input = in
		r.Verdict, err = coverage.Check(in)
	}
	if err != nil {
		return &ConfigurationError{Subject: fmt.Sprintf("job %q (%d)", r.JobName, r.JobID), Reason: "its coverage cannot be checked", Err: err,
			Hint: "Correct the job's trigger, or what is declared of it."}
	}
	return nil
}

// worse orders verdicts by their answers, and equal answers by headroom.
func worse(a, b coverage.Verdict) bool {
	rank := map[coverage.Answer]int{coverage.Holds: 0, coverage.Unknown: 1, coverage.Violated: 2}
	if rank[a.Answer] != rank[b.Answer] {
		return rank[a.Answer] > rank[b.Answer]
	}
	return a.Headroom < b.Headroom
}

// findDeadline looks for the last successful run. What had not settled at its start is what waits the longest now.
func (r *CheckResult) findDeadline(ctx context.Context, w Runs) error {
	for one, err := range w.Runs(ctx, workspace.RunFilter{JobID: r.JobID, Completed: true}) {
		if err != nil {
			return err
		}
		if one.Outcome() == run.Succeeded {
			r.LastRead = one.Started.UTC()
			break
		}
	}
	if !r.LastRead.IsZero() && r.Verdict.Limit > 0 {
		r.Deadline = r.LastRead.Add(r.Verdict.Limit - r.Contract.SettleDelay)
	}
	return nil
}

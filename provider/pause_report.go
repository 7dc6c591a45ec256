package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// lookAtLoader reads the linked loader, to see whether it is paused now. It is one call. Nil: it is not, or it does not
// exist yet.
func (r *optimizeJob) lookAtLoader(ctx context.Context, m optimizeJobModel, l linked, diags *diag.Diagnostics) *workspace.Job {
	if r.isDeferred() || l.loader.ID.IsNull() || l.loader.ID.IsUnknown() {
		return nil
	}
	id := parseJobID(l.loader.ID, diags)
	if diags.HasError() {
		return nil
	}
	job, err := r.session.client.Job(ctx, id)
	switch {
	case isMissing(err):
		diags.AddAttributeWarning(path.Root("loader"), "The linked loader is missing", fmt.Sprintf(
			"There is no job %d in the workspace %s: nothing loads %s now. If the loader is a resource of this configuration, plan it together with this one.", id, r.session.client.Host(), m.Table.ValueString()))
		return nil
	case err != nil:
		diags.AddAttributeWarning(path.Root("loader"), "Whether the loader is paused could not be seen", explain(err))
		return nil
	}
	if status, _, ok := jobspec.Pause(job.Settings); !ok || status != jobspec.Paused {
		return nil
	}
	return &job
}

// checkFoundPause: a link that says nothing of a pause is of a job that this configuration does not resume, so what is
// found is what will be.
func (l linked) checkFoundPause(job workspace.Job) checked {
	const asks = "whether the loader is paused now"
	if !l.loader.PauseStatus.IsNull() {
		return answered(asks)
	}
	return answered(asks, finding{path.Root("loader"), "The loader is paused", fmt.Sprintf(
		"The loader %s (job %d) is paused in the workspace, and pause_status is not set in the link: nothing in this configuration resumes it, and rows of %s expire unread.\n\nResume it (watertight resume %d), or link the resource that declares it.",
		l.loader.Name.ValueString(), job.ID, l.loader.Source.ValueString(), job.ID)})
}

// reportPause warns of a linked loader that is paused now, whatever the plan makes of it: what is linked to it, when its
// rows begin to expire, and what has expired already.
func (r *optimizeJob) reportPause(ctx context.Context, m optimizeJobModel, l linked, job workspace.Job, j judgement, diags *diag.Diagnostics) {
	text := fmt.Sprintf("The loader %s (job %d) is paused in the workspace, and the job %s, which optimizes %s, is linked to it. %s\n\n",
		l.loader.Name.ValueString(), job.ID, m.Name.ValueString(), m.Table.ValueString(), afterApply(l.loader, job))
	s, err := l.standstill(ctx, r.session.client, job, j)
	if err != nil {
		text += "Until when nothing is lost could not be found out: " + explain(err)
	} else {
		text += s.text() + l.recoverable(s)
	}
	diags.AddAttributeWarning(path.Root("loader"), "The loader is paused now", text)
}

// afterApply says what becomes of the pause. Whose doing it is, is for the loader's own resource to say, which knows what
// was applied.
func afterApply(loader loaderLink, job workspace.Job) string {
	switch {
	case loader.PauseStatus.ValueString() == jobspec.Paused:
		return "This plan keeps it paused."
	case loader.PauseStatus.IsNull():
		return "Nothing in this configuration resumes it: watertight resume does, or the tool that declares the job."
	}
	if jobspec.Tags(job.Settings)[contract.TagOwner] == "" {
		return "If the loader is a resource of this configuration, applying this plan resumes it; otherwise watertight resume does, or the tool that declares the job."
	}
	return "Applying this plan resumes it."
}

// standstill is what can be known of a linked loader that is paused; what the link says goes before the job's tags.
func (l linked) standstill(ctx context.Context, client *workspace.Client, job workspace.Job, j judgement) (standstill, error) {
	s := standstill{job: job, why: "how long a row of the source stays readable is not known", contract: contract.Contract{
		Source: l.loader.Source.ValueString(), Target: l.loader.Target.ValueString(), SettleDelay: duration(l.loader.SettleDelay),
		SettleClock: coverage.Clock(l.loader.SettleClock.ValueString()), Reads: coverage.Reads(l.loader.Reads.ValueString())}}
	if j.verdict != nil {
		s.limit, s.limitName = j.verdict.Limit, j.verdict.LimitName
	}
	var err error
	if s.read, err = lastRead(ctx, client, job.ID); err != nil {
		return s, err
	}
	if s.now, err = client.Now(ctx); err != nil {
		return s, err
	}
	if l.schedule == nil || s.read.IsZero() {
		return s, nil
	}
	starts, err := sequence(l.schedule.Expression.ValueString(), l.schedule.ZoneID.ValueString())
	if err != nil {
		return s, err
	}
	if next, ok := starts.Next(s.read); ok && next.Before(s.now) {
		s.missed = next
	}
	return s, nil
}

// recoverable says until when what has expired can be read back; nothing while nothing has.
func (l linked) recoverable(s standstill) string {
	if s.read.IsZero() || s.limit <= 0 || s.contract.Reads == coverage.ReadsEventHubs || s.contract.Reads == coverage.ReadsKafka {
		return ""
	}
	deadline := s.read.Add(s.limit - s.contract.SettleDelay)
	if s.now.Before(deadline) {
		return ""
	}
	length := time.Duration(-1)
	for _, k := range l.kepts() {
		if k.declared.IsUnknown() {
			return ""
		}
		if length < 0 || k.length() < length {
			length = k.length()
		}
	}
	return fmt.Sprintf("\n\nThrough time travel a row can be read back for %s after it left the table: the first of them until %s or a little later.", interval.Text(length), instant(deadline.Add(length)))
}

// lastRead is the start of the newest run that surely read the source.
func lastRead(ctx context.Context, client *workspace.Client, id int64) (time.Time, error) {
	const enough = 100
	seen := 0
	for r, err := range client.Runs(ctx, workspace.RunFilter{JobID: id, Completed: true}) {
		if err != nil {
			return time.Time{}, err
		}
		if r.Outcome() == run.Succeeded {
			return r.Started, nil
		}
		if seen++; seen == enough {
			break
		}
	}
	return time.Time{}, nil
}

func instant(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

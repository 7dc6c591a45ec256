package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// pause is what can be known of a loader that was found paused.
type pause struct {
	job workspace.Job
	// read is the start of the last run that succeeded; zero when there is none among the runs that are kept.
	read time.Time
	// missed is the first start that did not happen since; zero where starts have no known instants.
	missed time.Time
	now    time.Time
}

// reportPause warns of a loader that is paused now, whatever the plan makes of it: when its rows begin to expire, and
// which job is linked to it.
func (r *optimizeJob) reportPause(ctx context.Context, m optimizeJobModel, j judgement, diags *diag.Diagnostics) {
	var link loaderLink
	fields(ctx, m.Loader, &link, diags)
	if r.isDeferred() || !j.known || link.ID.IsNull() || link.ID.IsUnknown() || diags.HasError() {
		return
	}
	p, paused, err := r.findPause(ctx, m, diags)
	if err != nil {
		diags.AddAttributeWarning(path.Root("loader"), "Whether the loader is paused could not be seen", explain(err))
		return
	}
	if paused {
		diags.AddAttributeWarning(path.Root("loader"), "The loader is paused now", m.describePause(ctx, p, j.verdict, diags))
	}
}

func (r *optimizeJob) findPause(ctx context.Context, m optimizeJobModel, diags *diag.Diagnostics) (pause, bool, error) {
	client, l := r.session.client, m.read(ctx, diags)
	id := parseJobID(l.loader.ID, diags)
	job, err := client.Job(ctx, id)
	if isMissing(err) {
		return pause{}, false, nil
	}
	if err != nil {
		return pause{}, false, err
	}
	if status, _, ok := jobspec.Pause(job.Settings); !ok || status != "PAUSED" {
		return pause{}, false, nil
	}
	p := pause{job: job}
	if p.now, err = client.Now(ctx); err != nil {
		return p, true, err
	}
	if p.read, err = lastRead(ctx, client, id); err != nil {
		return p, true, err
	}
	if l.schedule != nil && !p.read.IsZero() {
		starts, err := sequence(l.schedule.Expression.ValueString(), l.schedule.ZoneID.ValueString())
		if err != nil {
			return p, true, err
		}
		if next, ok := starts.Next(p.read); ok && next.Before(p.now) {
			p.missed = next
		}
	}
	return p, true, nil
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

func (m optimizeJobModel) describePause(ctx context.Context, p pause, v coverage.Verdict, diags *diag.Diagnostics) string {
	l := m.read(ctx, diags)
	var b strings.Builder
	fmt.Fprintf(&b, "Somebody or something paused the loader %s (job %d) in the workspace", l.loader.Name.ValueString(), p.job.ID)
	if l.loader.PauseStatus.ValueString() == "PAUSED" {
		b.WriteString(", and the configuration keeps it paused.")
	} else {
		b.WriteString("; applying this plan resumes it.")
	}
	fmt.Fprintf(&b, " The job %s, which optimizes %s, is linked to it.\n\n", m.Name.ValueString(), m.Table.ValueString())
	if p.read.IsZero() {
		fmt.Fprintf(&b, "No run of it that succeeded is on record, so no deadline can be told: every row of %s may be unread.", l.loader.Source.ValueString())
		return b.String()
	}
	fmt.Fprintf(&b, "Its last run that read %s started at %s.", l.loader.Source.ValueString(), instant(p.read))
	if !p.missed.IsZero() {
		fmt.Fprintf(&b, " The start at %s did not happen: it has been paused since then or earlier.", instant(p.missed))
	}
	settle := duration(l.loader.SettleDelay)
	deadline := p.read.Add(v.Limit - settle)
	fmt.Fprintf(&b, "\n\nDeadline: the first unread row expires at %s (last read − settle delay %s + %s %s).", instant(deadline), interval.Text(settle), v.LimitName, interval.Text(v.Limit))
	if l.loader.SettleClock.ValueString() == string(coverage.SettleNewestEvent) {
		b.WriteString(" Earlier, if no event had arrived shortly before that read.")
	}
	if left := deadline.Sub(p.now).Truncate(time.Second); left > 0 {
		fmt.Fprintf(&b, " That is in %s.", interval.Text(left))
	} else {
		fmt.Fprintf(&b, " That was %s ago: rows have been expiring unread since. Name them with: watertight run %s", interval.Text(-left), l.loader.Name.ValueString())
	}
	return b.String()
}

func instant(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Where the private state keeps what was applied last and is not in the state: the pause status, so that a pause of the
// configuration's own is never taken for somebody else's, and the provider's warehouse, so that a change of it is not.
const (
	appliedKey   = "pause_status"
	warehouseKey = "warehouse_id"
)

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

func keepApplied(ctx context.Context, private privateWriter, m loaderJobModel, warehouse string) diag.Diagnostics {
	diags := private.SetKey(ctx, importedKey, []byte("null"))
	diags.Append(private.SetKey(ctx, appliedKey, []byte(`"`+m.PauseStatus.ValueString()+`"`))...)
	text, err := json.Marshal(warehouse)
	if err == nil {
		diags.Append(private.SetKey(ctx, warehouseKey, text)...)
	}
	return diags
}

// appliedWarehouse is the warehouse of the provider when the job was written last.
func appliedWarehouse(ctx context.Context, private privateReader, now string, diags *diag.Diagnostics) string {
	kept, d := private.GetKey(ctx, warehouseKey)
	diags.Append(d...)
	if len(kept) > 0 && json.Unmarshal(kept, &now) != nil {
		diags.AddError("The state of the loader job cannot be read", "This is a defect of the provider: its private part is not what it wrote. Take the resource out of the state (terraform state rm) and import it again.")
	}
	return now
}

// appliedPause is the pause status that was applied last. A state of an earlier version has only what it says itself;
// empty: nothing was applied, as after an import.
func appliedPause(ctx context.Context, private privateReader, prior loaderJobModel, diags *diag.Diagnostics) string {
	kept, d := private.GetKey(ctx, appliedKey)
	diags.Append(d...)
	if len(kept) > 0 {
		return strings.Trim(string(kept), `"`)
	}
	return prior.PauseStatus.ValueString()
}

// standstill is what can be known of a loader that is paused: how far it read, and what has expired since.
type standstill struct {
	job      workspace.Job
	contract contract.Contract
	now      time.Time
	// read is the start of the last run that succeeded; zero when none is on record.
	read time.Time
	// missed is the first start after it that did not happen; zero where starts have no known instants.
	missed time.Time
	// limit is how long a row waits for its reader, by the name limitName; zero when it is not known, for the reason why.
	limit     time.Duration
	limitName string
	why       string
}

// reportPaused warns of a loader that is paused now: since when, until when nothing is lost, and what is lost already.
// Only then is anything asked besides the job.
func (r *loaderJob) reportPaused(ctx context.Context, m loaderJobModel, applied string, job workspace.Job, diags *diag.Diagnostics) {
	if status, _, ok := jobspec.Pause(job.Settings); !ok || status != jobspec.Paused {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (job %d) is paused", m.Name.ValueString(), job.ID)
	switch applied {
	case jobspec.Paused:
		b.WriteString(", as its configuration says.")
	case jobspec.Unpaused:
		b.WriteString(", and no configuration did that: it was paused outside Terraform. The API does not say by whom. Applying a plan with pause_status = \"UNPAUSED\", the default, resumes it.")
	default:
		b.WriteString(".")
	}
	b.WriteString("\n\n")
	s, err := findStandstill(ctx, r.session.client, job, m.toContract(ctx, diags))
	if err != nil {
		b.WriteString("Until when nothing is lost could not be found out: " + sentence(err.Error()))
	} else {
		b.WriteString(s.text())
	}
	diags.AddAttributeWarning(path.Root("pause_status"), "The loader job is paused: rows wait to expire", b.String())
}

// findStandstill asks for the last run that read, for the source's properties, and for the workspace's clock.
func findStandstill(ctx context.Context, client *workspace.Client, job workspace.Job, c contract.Contract) (standstill, error) {
	ctx = workspace.WithClock(ctx)
	s := standstill{job: job, contract: c}
	var err error
	if s.read, err = lastRead(ctx, client, job.ID); err != nil {
		return s, err
	}
	source, err := client.Table(ctx, c.Source)
	var retention contract.Retention
	if err == nil {
		retention, err = contract.RetentionFromProperties(c.Source, source.Properties)
	}
	if err != nil {
		s.why = err.Error()
	}
	if s.now, err = client.Now(ctx); err != nil {
		return s, err
	}
	if s.why == "" {
		s.readLimit(retention)
	}
	loader, err := jobspec.Loader(job.Settings)
	if err == nil && loader.Trigger.Cron != nil && !s.read.IsZero() {
		if next, ok := loader.Trigger.Cron.Next(s.read); ok && next.Before(s.now) {
			s.missed = next
		}
	}
	return s, nil
}

func (s *standstill) readLimit(retention contract.Retention) {
	in, err := pipeline.CoverageOf(s.job.Settings, s.contract, retention, nil, s.now)
	if err != nil {
		s.why = err.Error()
		return
	}
	v, err := coverage.Check(in)
	switch {
	case err != nil:
		s.why = err.Error()
	case v.Limit <= 0:
		s.why = fmt.Sprintf("%s has no property %s: declare its window with watertight_retention", s.contract.Source, contract.PropertyRollingWindow)
	}
	s.limit, s.limitName = v.Limit, v.LimitName
}

// text tells it in the order in which somebody who was called at night asks.
func (s standstill) text() string {
	var b strings.Builder
	source, settle := s.contract.Source, s.contract.SettleDelay
	if s.read.IsZero() {
		return fmt.Sprintf("No run of it that succeeded is on record, so no deadline can be told: every row of %s may be unread.", source)
	}
	fmt.Fprintf(&b, "Its last run that read %s started at %s.", source, instant(s.read))
	if !s.missed.IsZero() {
		fmt.Fprintf(&b, " The start at %s did not happen: it has been paused since then or earlier.", instant(s.missed))
	}
	if s.limit <= 0 {
		fmt.Fprintf(&b, "\n\nNo deadline can be told: %s", sentence(s.why))
		return b.String()
	}
	deadline := s.read.Add(s.limit - settle)
	fmt.Fprintf(&b, "\n\nDeadline: the first unread row expires at %s (last read − settle delay %s + %s %s).", instant(deadline), interval.Text(settle), s.limitName, interval.Text(s.limit))
	if s.contract.SettleClock == coverage.SettleNewestEvent {
		b.WriteString(" Earlier, if no event had arrived shortly before that read.")
	}
	if left := deadline.Sub(s.now).Truncate(time.Second); left > 0 {
		fmt.Fprintf(&b, " That is in %s. Nothing has been lost by the pause so far.", interval.Text(left))
		return b.String()
	}
	fmt.Fprintf(&b, "\n\nAlready lost: the deadline was %s ago, and rows with event times from %s to %s have expired unread. Name them, and see what can still be brought back, with: watertight verify %s",
		interval.Text(s.now.Sub(deadline).Truncate(time.Second)), instant(s.read.Add(-settle)), instant(s.now.Add(-s.limit)), jobspec.Name(s.job.Settings))
	return b.String()
}

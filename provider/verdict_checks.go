package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

// judge compares what is planned, and makes no call. The five checks: headroom, loader not paused, source tables agree,
// target matches, time travel reaches far enough. Each waits only for the values it is made of.
func (m optimizeJobModel) judge(ctx context.Context, at time.Time, diags *diag.Diagnostics) judgement {
	l := m.read(ctx, diags)
	if diags.HasError() {
		return judgement{checks: []checked{deferredCheck("anything")}}
	}
	var j judgement
	headroom := m.checkHeadroom(l, at, &j, diags)
	j.checks = append(j.checks, headroom, m.checkPause(l), m.checkSource(l), m.checkTarget(l), m.checkTimeTravel(l, at, j.verdict))
	j.notes = m.windowNotes(l, at)
	return j
}

func deferredCheck(asks string) checked {
	return checked{asks: asks, answer: coverage.Unknown, deferred: true}
}

// answered is a check whose values are known.
func answered(asks string, findings ...finding) checked {
	c := checked{asks: asks, answer: coverage.Holds, findings: findings}
	if len(findings) > 0 {
		c.answer = coverage.Violated
	}
	return c
}

// part is an attribute of a link; unknown when the link itself is.
func part(link types.Object, name string) attr.Value {
	if link.IsUnknown() {
		return types.StringUnknown()
	}
	if v, ok := link.Attributes()[name]; ok {
		return v
	}
	return types.StringNull()
}

func parts(link types.Object, names ...string) []attr.Value {
	var out []attr.Value
	for _, n := range names {
		out = append(out, part(link, n))
	}
	return out
}

// checkHeadroom compares the limit with the longest wait. A minimum that is not known yet can only make it worse.
func (m optimizeJobModel) checkHeadroom(l linked, at time.Time, j *judgement, diags *diag.Diagnostics) checked {
	const asks = "whether there is headroom"
	if at.IsZero() || !isKnown(m.waits()...) || !isKnown(m.limits(l)...) {
		return deferredCheck(asks)
	}
	in, err := m.toInput(l, at)
	if err != nil {
		diags.AddError("Coverage cannot be judged", sentence(err.Error()))
		return deferredCheck(asks)
	}
	in.Loader.Paused = false // a check of its own
	verdict, err := coverage.Check(in)
	if err != nil {
		diags.AddError("Coverage cannot be judged", sentence(err.Error()))
		return deferredCheck(asks)
	}
	verdict = withSilence(in, verdict)
	switch {
	case verdict.Answer == coverage.Violated:
		j.verdict = &verdict
		return answered(asks, m.coverageFinding(l, verdict))
	case m.MinimumHeadroom.IsUnknown():
		return deferredCheck(asks)
	case verdict.Answer == coverage.Unknown:
		j.verdict = &verdict
		return checked{asks: asks, answer: coverage.Unknown,
			findings: []finding{{path.Root("loader"), "Whether rows would be lost cannot be told", explainVerdict(verdict)}}}
	}
	j.verdict = &verdict
	return answered(asks)
}

// waits are the values of which the longest wait is made.
func (m optimizeJobModel) waits() []attr.Value {
	return append(parts(m.Loader, "settle_delay", "settle_clock", "reads", "schedule", "starts", "max_duration", "longest_gap", "longest_silence"),
		m.Window, m.LoaderDuringWindow)
}

// limits are the values of which the limit is made: it depends on how the loader reads.
func (m optimizeJobModel) limits(l linked) []attr.Value {
	switch coverage.Reads(l.loader.Reads.ValueString()) {
	case coverage.ReadsDeltaStream:
		return parts(m.Retention, "deleted_file_retention", "log_retention")
	case coverage.ReadsChangeFeed:
		return parts(m.Retention, "deleted_file_retention")
	case coverage.ReadsEventHubs, coverage.ReadsKafka:
		return parts(m.Loader, "broker_retention")
	}
	return parts(m.Retention, "rolling_window")
}

func (m optimizeJobModel) coverageFinding(l linked, v coverage.Verdict) finding {
	f := finding{at: path.Root("loader"), summary: lossSummary}
	for _, r := range v.Reasons {
		switch r.Code {
		case coverage.CodeSilence:
			f.summary = silenceSummary
		case coverage.CodeNegative:
			f.summary = lossSummary // with or without a silence
			if m.pauses() {
				f.at = path.Root("window")
			}
		case coverage.CodeMinimum:
			f.at, f.summary = path.Root("minimum_headroom"), "Less headroom than minimum_headroom"
		case coverage.CodeConcurrentRuns:
			f.summary = "Two runs of the loader would read the same position"
		}
	}
	f.detail = fmt.Sprintf("Headroom of the loader %s, from %s to %s: %s.\n\n%s", l.loader.Name.ValueString(), l.loader.Source.ValueString(), l.loader.Target.ValueString(), headroomText(v), explainVerdict(v))
	return f
}

// checkPause looks at the planned pause; one that is found in the workspace is reported apart, since a plan may end it.
func (m optimizeJobModel) checkPause(l linked) checked {
	const asks = "whether the loader is paused"
	if !isKnown(part(m.Loader, "pause_status")) {
		return deferredCheck(asks)
	}
	if l.loader.PauseStatus.ValueString() != "PAUSED" {
		return answered(asks)
	}
	return answered(asks, finding{path.Root("loader"), "The loader is paused", fmt.Sprintf(
		"pause_status of the loader %s is \"PAUSED\": nothing reads %s until it is resumed, and its rows expire unread, whatever the window is.\n\nSet pause_status = \"UNPAUSED\" on the loader, or leave it out.",
		l.loader.Name.ValueString(), l.loader.Source.ValueString())})
}

func (m optimizeJobModel) checkSource(l linked) checked {
	const asks = "whether the retention is that of the loader's source"
	if !isKnown(part(m.Retention, "table"), part(m.Loader, "source")) {
		return deferredCheck(asks)
	}
	return answered(asks, l.sourceFindings()...)
}

// sourceFindings: the retention must be that of the table the loader reads.
func (l linked) sourceFindings() []finding {
	a, b := l.retention.Table.ValueString(), l.loader.Source.ValueString()
	if strings.EqualFold(a, b) {
		return nil
	}
	return []finding{{path.Root("retention"), "The retention is of another table", fmt.Sprintf(
		"The loader %s reads %s, and the linked retention is of %s: how long its rows stay says nothing about the loader's. Link the watertight_retention of %s.", l.loader.Name.ValueString(), b, a, b)}}
}

func (m optimizeJobModel) checkTarget(l linked) checked {
	const asks = "whether the table is the loader's target"
	if !isKnown(m.Table, part(m.Loader, "target")) {
		return deferredCheck(asks)
	}
	a, b := m.Table.ValueString(), l.loader.Target.ValueString()
	if strings.EqualFold(a, b) {
		return answered(asks)
	}
	return answered(asks, finding{path.Root("table"), "The table is not the loader's target", fmt.Sprintf(
		"table is %s, and the loader %s writes %s. Optimize the target of the linked loader, or link the loader of this table.", a, l.loader.Name.ValueString(), b)})
}

func (m optimizeJobModel) pauses() bool { return m.LoaderDuringWindow.ValueString() == "paused" }

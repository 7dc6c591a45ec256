package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// finding is one violated check of a plan, at the attribute that a reader would change.
type finding struct {
	at              path.Path
	summary, detail string
}

// judgement is what the five checks of the linked resources say: headroom, loader not paused, tables agree, target
// matches, time travel outlasts the pause.
type judgement struct {
	// known is false while a value that decides is not: nothing may be concluded, in either direction.
	known    bool
	answer   coverage.Answer
	verdict  coverage.Verdict
	findings []finding
}

// judge compares what is planned. It makes no call.
func (m optimizeJobModel) judge(ctx context.Context, at time.Time, diags *diag.Diagnostics) judgement {
	if !isKnown(m.deciding()...) {
		return judgement{answer: coverage.Unknown}
	}
	l := m.read(ctx, diags)
	if diags.HasError() {
		return judgement{answer: coverage.Unknown}
	}
	in, err := m.toInput(l, at)
	if err != nil {
		diags.AddError("Coverage cannot be judged", sentence(err.Error()))
		return judgement{answer: coverage.Unknown}
	}
	verdict, err := coverage.Check(in)
	if err != nil {
		diags.AddError("Coverage cannot be judged", sentence(err.Error()))
		return judgement{answer: coverage.Unknown}
	}
	j := judgement{known: true, answer: verdict.Answer, verdict: verdict}
	j.findings = slices.Concat(l.sourceFindings(), m.targetFindings(l), l.timeTravelFindings(in))
	if len(j.findings) > 0 {
		j.answer = coverage.Violated
	}
	if verdict.Answer == coverage.Violated {
		j.findings = append(j.findings, m.coverageFinding(l, verdict))
	}
	return j
}

// deciding are the values a verdict is made of. The loader's id and name are not among them.
func (m optimizeJobModel) deciding() []attr.Value {
	values := []attr.Value{m.Table, m.Window, m.LoaderDuringWindow, m.MinimumHeadroom, m.Retention}
	if m.Loader.IsUnknown() {
		return append(values, m.Loader)
	}
	for name, v := range m.Loader.Attributes() {
		if name != "id" && name != "name" {
			values = append(values, v)
		}
	}
	return values
}

// sourceFindings: the retention must be that of the table the loader reads.
func (l linked) sourceFindings() []finding {
	var out []finding
	if a, b := l.retention.Table.ValueString(), l.loader.Source.ValueString(); !strings.EqualFold(a, b) {
		out = append(out, finding{path.Root("retention"), "The retention is of another table", fmt.Sprintf(
			"The loader %s reads %s, and the linked retention is of %s: how long its rows stay says nothing about the loader's. Link the watertight_retention of %s.", l.loader.Name.ValueString(), b, a, b)})
	}
	return out
}

func (m optimizeJobModel) targetFindings(l linked) []finding {
	var out []finding
	if a, b := m.Table.ValueString(), l.loader.Target.ValueString(); !strings.EqualFold(a, b) {
		out = append(out, finding{path.Root("table"), "The table is not the loader's target", fmt.Sprintf(
			"table is %s, and the loader %s writes %s. Optimize the target of the linked loader, or link the loader of this table.", a, l.loader.Name.ValueString(), b)})
	}
	return out
}

// timeTravelFindings: a pause longer than time travel leaves nothing to recover from when the loader does not come back.
func (l linked) timeTravelFindings(in coverage.Input) []finding {
	paused, shorten := in.Pause, "pause"
	if in.Window != nil && in.Window.LoaderPaused && in.Window.Duration > paused {
		paused, shorten = in.Window.Duration, "window"
	}
	kept := min(in.LogRetention, in.DeletedFileRetention)
	if kept >= paused {
		return nil
	}
	return []finding{{path.Root("retention"), "Time travel is shorter than the pause", fmt.Sprintf(
		"The loader is paused for %s, and an expired row of %s can be read back for %s only (the shorter of deleted_file_retention %s and log_retention %s). Make both %q or longer, or the %s shorter.",
		interval.Text(paused), l.retention.Table.ValueString(), interval.Text(kept), interval.Text(in.DeletedFileRetention), interval.Text(in.LogRetention), interval.Short(paused), shorten)}}
}

func (m optimizeJobModel) coverageFinding(l linked, v coverage.Verdict) finding {
	f := finding{at: path.Root("loader"), summary: "Rows would expire before they are loaded"}
	for _, r := range v.Reasons {
		switch r.Code {
		case coverage.CodeNegative:
			if m.LoaderDuringWindow.ValueString() == "paused" {
				f.at = path.Root("window")
			}
		case coverage.CodeMinimum:
			f.at, f.summary = path.Root("minimum_headroom"), "Less headroom than minimum_headroom"
		case coverage.CodeLoaderPaused:
			f.summary = "The loader is paused"
		case coverage.CodeConcurrentRuns:
			f.summary = "Two runs of the loader would read the same position"
		}
	}
	f.detail = fmt.Sprintf("Headroom of the loader %s, from %s to %s: %s.\n\n%s", l.loader.Name.ValueString(), l.loader.Source.ValueString(), l.loader.Target.ValueString(), headroomText(v), explainVerdict(v))
	return f
}

func headroomText(v coverage.Verdict) string {
	if v.NeverReadsAgain {
		return "none, for it never reads again"
	}
	return interval.Text(v.Headroom)
}

// explainVerdict writes the arithmetic, the worst case and the smallest changes.
func explainVerdict(v coverage.Verdict) string {
	var b strings.Builder
	for _, r := range v.Reasons {
		fmt.Fprintf(&b, "%s\n", sentence(r.Text))
	}
	section(&b, "The worst case:", len(v.Timeline), func(i int) string {
		return v.Timeline[i].At.UTC().Format(time.RFC3339) + "  " + v.Timeline[i].What
	})
	section(&b, "Any one of these would satisfy the check:", len(v.Changes), func(i int) string { return v.Changes[i].Text })
	section(&b, "Assumed:", len(v.Assumptions), func(i int) string { return v.Assumptions[i] })
	return strings.TrimRight(b.String(), "\n")
}

func section(b *strings.Builder, title string, n int, line func(int) string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for i := range n {
		fmt.Fprintf(b, "  - %s\n", line(i))
	}
}

// report turns a judgement into diagnostics: errors, or warnings where the configuration lowers them. What cannot be
// told although every value is known will not be told at apply either, and is refused here.
func (j judgement) report(onViolation types.String, diags *diag.Diagnostics) {
	findings := j.findings
	if j.known && j.answer == coverage.Unknown {
		findings = append(findings, finding{path.Root("loader"), "Whether rows would be lost cannot be told", explainVerdict(j.verdict)})
	}
	for _, f := range findings {
		if onViolation.ValueString() == "warn" {
			diags.AddAttributeWarning(f.at, f.summary, f.detail)
		} else {
			diags.AddAttributeError(f.at, f.summary, f.detail+"\n\nTo go on regardless: on_violation = \"warn\".")
		}
	}
}

// word is the answer as an attribute has it.
func (j judgement) word() string {
	if j.answer == coverage.Unknown {
		return "unknown"
	}
	return string(j.answer)
}

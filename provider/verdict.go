package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// finding is what a check found, at the attribute that a reader would change.
type finding struct {
	at              path.Path
	summary, detail string
}

// checked is one check with its answer.
type checked struct {
	// asks is what the check asks, for a message: "whether the retention is that of the loader's source".
	asks   string
	answer coverage.Answer
	// deferred: it cannot be told yet, since a value is known only after apply. An answer that is unknown although every
	// value is known is not deferred: it stays so.
	deferred bool
	findings []finding
}

// judgement is what the checks of the linked resources say.
type judgement struct {
	checks []checked
	// verdict is that of coverage; nil while its inputs are not known.
	verdict *coverage.Verdict
	// notes are reported as warnings whatever the answer.
	notes []finding
	// exists: there is something to destroy, and the plan may be the one that Terraform makes before a destroy.
	exists bool
}

// destroyHint goes to what refuses a plan. Terraform plans the configuration as usual before it plans a destroy, to
// refresh; nothing in the protocol tells that plan from any other, so it is refused like any other.
const destroyHint = "\n\nThe plan that precedes terraform destroy is refused like any other: to destroy all the same, terraform destroy -refresh=false."

// answer is the worst of all: a violation stands whatever is unknown.
func (j judgement) answer() coverage.Answer {
	answer := coverage.Holds
	for _, c := range j.checks {
		switch {
		case c.answer == coverage.Violated:
			return coverage.Violated
		case c.answer == coverage.Unknown:
			answer = coverage.Unknown
		}
	}
	return answer
}

// open are the questions that wait for a value.
func (j judgement) open() []string {
	var out []string
	for _, c := range j.checks {
		if c.deferred {
			out = append(out, c.asks)
		}
	}
	return out
}

// report turns a judgement into diagnostics: errors, or warnings where the configuration lowers them. What cannot be
// told although every value is known will not be told at apply either, and is refused here.
func (j judgement) report(onViolation types.String, diags *diag.Diagnostics) {
	regardless := "\n\nTo go on regardless: on_violation = \"warn\"."
	if j.exists {
		regardless += destroyHint
	}
	for _, c := range j.checks {
		for _, f := range c.findings {
			if onViolation.ValueString() == "warn" {
				diags.AddAttributeWarning(f.at, f.summary, f.detail)
			} else {
				diags.AddAttributeError(f.at, f.summary, f.detail+regardless)
			}
		}
	}
	for _, f := range j.notes {
		diags.AddAttributeWarning(f.at, f.summary, f.detail)
	}
}

// refuseOpen stands before the first write: what could not be told at plan must be told now.
func (j judgement) refuseOpen(diags *diag.Diagnostics) {
	if open := j.open(); len(open) > 0 {
		diags.AddAttributeError(path.Root("loader"), "Whether rows would be lost cannot be told",
			"A value that decides is still not known, so it cannot be told "+strings.Join(open, ", ")+". Nothing was written.\n\nApply what that value comes from first: terraform apply -target=<its resource>.")
	}
}

// wordOf is an answer as an attribute has it.
func wordOf(answer coverage.Answer) string {
	if answer == coverage.Unknown {
		return "unknown"
	}
	return string(answer)
}

// withSilence counts a silence of the source into the headroom, where the settle clock stands still in it: what is left is
// what a reader tests, and a loader that loses rows must not show hours to spare. The silence is told first.
func withSilence(in coverage.Input, v coverage.Verdict) coverage.Verdict {
	if in.SettleClock != coverage.SettleNewestEvent || in.LongestSilence == 0 || v.NeverReadsAgain || v.LongestWait == 0 || v.Limit == 0 {
		return v
	}
	v.Headroom -= in.LongestSilence
	v.Reasons = slices.Clone(v.Reasons)
	if i := slices.IndexFunc(v.Reasons, isSilence); i >= 0 {
		silence := v.Reasons[i]
		v.Reasons = slices.Insert(slices.Delete(v.Reasons, i, i+1), 0, silence)
	}
	return v
}

func isSilence(r coverage.Reason) bool { return r.Code == coverage.CodeSilence }

const lossSummary, silenceSummary = "Rows would expire before they are loaded", "Rows from before a silence would expire before they are loaded"

func headroomText(v coverage.Verdict) string {
	if v.NeverReadsAgain {
		return "none, for it never reads again"
	}
	return strings.Replace(interval.Text(v.Headroom), "-", "−", 1)
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
	section(&b, "Any one of these would satisfy the check:", len(v.Changes), func(i int) string { return changeText(v.Changes[i]) })
	section(&b, "Assumed:", len(v.Assumptions), func(i int) string { return v.Assumptions[i] })
	return strings.TrimRight(b.String(), "\n")
}

// changeText names the attribute with what it is and what it would be.
func changeText(c coverage.Change) string {
	if c.Input == "" || c.To == "" {
		return c.Text
	}
	return fmt.Sprintf("%s (%s: %q → %q)", c.Text, c.Input, c.From, c.To)
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

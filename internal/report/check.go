package report

import (
	"io"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// Check prints a coverage verdict.
type Check struct {
	coverage.Verdict
	// SettleDelay takes part in the arithmetic that is shown.
	SettleDelay time.Duration
	// Deadline is when the first unloaded row is lost; zero when unknown.
	Deadline time.Time
}

type pair struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

type moment struct {
	At   *string `json:"at"`
	What string  `json:"what"`
}

func answer(a coverage.Answer) string {
	if a == coverage.Unknown {
		return "unknown"
	}
	return string(a)
}

// reckoned reports whether the arithmetic means something: there is a next read, a limit, and a bound of a run. Without
// such a bound a violation is certain all the same.
func reckoned(v coverage.Verdict) (wait, headroom bool) {
	if v.Answer == coverage.Unknown && slices.ContainsFunc(v.Reasons, func(r coverage.Reason) bool { return r.Code == coverage.CodeDurationUnbound }) {
		return false, false
	}
	wait = !v.NeverReadsAgain && v.LongestWait > 0
	return wait, wait && v.Limit > 0
}

// JSON writes the document of design.md §7.
func (c Check) JSON(w io.Writer) error {
	wait, headroom := reckoned(c.Verdict)
	return write(w, func(d *document) {
		d.field("verdict", answer(c.Answer))
		d.field("headroom_seconds", known(c.Headroom, headroom))
		d.field("longest_wait_seconds", known(c.LongestWait, wait))
		d.field("limit_seconds", known(c.Limit, c.Limit > 0))
		d.field("worst", pair{instant(c.Worst.From), instant(c.Worst.To)})
		d.field("live_fires", c.LiveFires)
		d.field("failed_runs_tolerated", c.FailedRunsTolerated)
		d.field("deadline", instant(c.Deadline))
		list(d, "reasons", each(c.Reasons), func(r coverage.Reason) any { return reason{r.Code, r.Text} })
		list(d, "timeline", each(c.Timeline), func(m coverage.Moment) any { return moment{instant(m.At), m.What} })
		list(d, "assumptions", each(c.Assumptions), func(a string) any { return a })
		list(d, "changes", each(c.Changes), func(a coverage.Change) any {
			return change{a.Input, a.From, a.To, a.Text}
		})
	})
}

type change struct {
	Input string `json:"input"`
	From  string `json:"from"`
	To    string `json:"to"`
	Text  string `json:"text"`
}

// Text writes the answer, the arithmetic and the worst case.
func (c Check) Text(w io.Writer) error {
	l := &lines{w: w}
	wait, headroom := reckoned(c.Verdict)
	l.line("coverage: %s", c.Answer)
	for _, r := range c.Reasons {
		l.line("  %s", r.Text)
	}
	if headroom && !reckonedInWords(c.Verdict) {
		l.line("  headroom %s = %s %s − (settle delay %s + longest wait %s)", interval.Text(c.Headroom), limitName(c.LimitName), interval.Text(c.Limit), interval.Text(c.SettleDelay), interval.Text(c.LongestWait))
	}
	if headroom {
		l.line("  bears %s in a row", count(int64(c.FailedRunsTolerated), "failed run", "failed runs"))
	} else if wait {
		l.line("  longest wait %s", interval.Text(c.LongestWait))
	}
	if !c.Deadline.IsZero() {
		l.line("  the first unloaded row is lost at %s unless the loader reads before", at(c.Deadline))
	}
	for i, m := range c.Timeline {
		if i == 0 {
			l.line("  worst case:")
		}
		l.line("    %s  %s", at(m.At), m.What)
	}
	for _, a := range c.Assumptions {
		l.line("  assumed: %s", a)
	}
	for _, a := range c.Changes {
		l.line("  would do: %s", a.Text)
	}
	return l.err
}

// reckonedInWords reports whether a reason gives the arithmetic already.
func reckonedInWords(v coverage.Verdict) bool {
	for _, r := range v.Reasons {
		switch r.Code {
		case coverage.CodeHeadroom, coverage.CodeNegative, coverage.CodeMinimum:
			return true
		}
	}
	return false
}

func limitName(name string) string {
	if name == "" {
		return "limit"
	}
	return name
}

// Schedule prints the next starts of a schedule.
type Schedule struct {
	Next []time.Time
	// Gap is the longest gap; HasGap is false when there is none.
	Gap    schedule.Gap
	HasGap bool
}

type gap struct {
	Seconds int64   `json:"seconds"`
	From    *string `json:"from"`
	To      *string `json:"to"`
}

// JSON writes the document of design.md §7.
func (s Schedule) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		list(d, "next", each(s.Next), func(t time.Time) any { return instant(t) })
		if !s.HasGap {
			d.field("longest_gap", nil)
			return
		}
		d.field("longest_gap", gap{seconds(s.Gap.Length), instant(s.Gap.From), instant(s.Gap.To)})
	})
}

// Text writes one start a line.
func (s Schedule) Text(w io.Writer) error {
	l := &lines{w: w}
	for _, t := range s.Next {
		l.line("%s", at(t))
	}
	if len(s.Next) == 0 {
		l.line("no start")
	}
	if s.HasGap {
		l.line("longest gap %s, from %s to %s", interval.Text(s.Gap.Length), at(s.Gap.From), at(s.Gap.To))
	}
	return l.err
}

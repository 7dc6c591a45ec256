package report

import (
	"fmt"
	"io"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Audit prints what an audit found.
type Audit struct{ reconcile.Audit }

type auditCounts struct {
	Rows        int64 `json:"rows"`
	Keys        int64 `json:"keys"`
	Gaps        int64 `json:"gaps"`
	Missing     int64 `json:"missing"`
	Undecidable int64 `json:"undecidable"`
	Duplicates  int64 `json:"duplicates"`
	Accepted    int64 `json:"accepted"`
	NullKeys    int64 `json:"null_keys"`
}

type through struct {
	Partition any    `json:"partition"`
	From      int64  `json:"from"`
	Through   *int64 `json:"through"`
	Recalled  int64  `json:"recalled"`
}

// lists is the audit as far as a verification has it too.
func (a Audit) lists() Verification {
	return Verification{reconcile.Verification{Missing: a.Missing, Duplicates: a.Duplicates, Accepted: a.Accepted, IntegralPartition: a.IntegralPartition}}
}

// JSON writes schema, verdict, exit_code, target, source, counts, verified_through, missing, duplicates, accepted and
// reasons.
func (a Audit) JSON(w io.Writer) error {
	v := a.lists()
	return write(w, func(d *document) {
		d.field("verdict", string(a.Verdict))
		d.field("exit_code", int(run.Audited(a.Audit)))
		d.field("target", tableOf(a.Target))
		d.field("source", tableOf(a.Source))
		c := a.Counts
		d.field("counts", auditCounts{c.Rows, c.Keys, c.Gaps, c.Missing, c.Undecidable, c.Duplicates, c.Accepted, c.NullKeys})
		list(d, "verified_through", each(a.Through), func(t reconcile.Through) any {
			out := through{Partition: v.partition(t.Partition), From: t.From, Recalled: t.Recalled}
			if !t.None {
				out.Through = &t.To
			}
			return out
		})
		v.lists(d)
		list(d, "reasons", each(a.Reasons), func(r reconcile.Reason) any { return reason{r.Code, r.Text} })
	})
}

// Text writes the verdict, its reasons, how far each partition is complete, and every range.
func (a Audit) Text(w io.Writer) error {
	l := &lines{w: w}
	l.line("%s", a.headline())
	for _, r := range a.Reasons {
		l.line("  %s", r.Text)
	}
	if !a.Target.Committed.IsZero() {
		l.line("  target %s", pinned(a.Target))
	}
	if len(a.Through) > 0 {
		rows := [][]string{{"partition", "from", "complete through", "not read again"}}
		for _, t := range a.Through {
			to := "-"
			if !t.None {
				to = fmt.Sprint(t.To)
			}
			rows = append(rows, []string{t.Partition, fmt.Sprint(t.From), to, digits(t.Recalled)})
		}
		l.table(rows)
	}
	a.lists().rangeLines(l)
	return l.err
}

func (a Audit) headline() string {
	c := a.Counts
	if c.Rows == 0 {
		return string(a.Verdict)
	}
	text := fmt.Sprintf("%s: %s, %s", a.Verdict, count(c.Rows, "row", "rows"), count(c.Gaps, "gap", "gaps"))
	for _, n := range []struct {
		n    int64
		what string
	}{{c.Missing, "missing"}, {c.Undecidable, "undecidable"}, {c.Accepted, "accepted"}} {
		if n.n > 0 {
			text += fmt.Sprintf(", %s %s", digits(n.n), n.what)
		}
	}
	if c.Duplicates > 0 {
		text += ", " + count(c.Duplicates, "duplicate", "duplicates")
	}
	return text
}

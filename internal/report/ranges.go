package report

import (
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// ranges writes missing ranges. Neighbours that share why they are missing and where they can be had share the text of it.
type ranges struct {
	l *lines
	// names are the columns of the key, where keys are columns.
	names   []string
	pending *reconcile.Range
	grouped bool
}

func (g *ranges) add(r reconcile.Range) {
	if g.pending != nil && g.pending.State == r.State && aside(*g.pending) == aside(r) && aside(r) != "" {
		if !g.grouped {
			g.l.line("  %s%s", r.State, aside(r))
		}
		g.l.line("      %s", g.place(*g.pending))
		g.grouped = true
	} else {
		g.flush()
	}
	g.pending = &r
}

func (g *ranges) flush() {
	switch {
	case g.pending == nil:
	case g.grouped:
		g.l.line("      %s", g.place(*g.pending))
	default:
		g.l.line("  %s: %s%s", g.pending.State, g.place(*g.pending), aside(*g.pending))
	}
	g.pending, g.grouped = nil, false
}

// aside is what is said of a range beside where it is: its cause, its proof, and where it can be had.
func aside(r reconcile.Range) string {
	text := ""
	switch {
	case r.Cause != "":
		text += "; " + r.Cause + ": " + r.Proof
	case r.Proof != "":
		text += "; " + r.Proof
	}
	if r.RecoverFrom != "" {
		text += "; recoverable from " + r.RecoverFrom
		if !r.RecoverableUntil.IsZero() {
			text += " until " + at(r.RecoverableUntil)
		}
	}
	if !r.GoneSince.IsZero() {
		text += "; gone since " + at(r.GoneSince)
	}
	return text
}

func (g *ranges) place(r reconcile.Range) string {
	if r.Key != nil {
		return keyed{g.names, r.Key}.text() + ", event time " + cutoff(r.Earliest)
	}
	return placeText(r)
}

func placeText(r reconcile.Range) string {
	text := fmt.Sprintf("partition %s, sequence %s (%s)", r.Partition, span(r.From, r.To), count(r.Rows, "row", "rows"))
	if !r.Earliest.IsZero() {
		text += fmt.Sprintf(", event time %s to %s", at(r.Earliest), at(r.Latest))
	}
	return text
}

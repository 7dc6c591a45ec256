package report

import "github.com/watertight-data/terraform-provider-watertight/internal/reconcile"

type accepted struct {
	Partition  any     `json:"partition"`
	From       int64   `json:"from"`
	To         int64   `json:"to"`
	Rows       int64   `json:"rows"`
	State      string  `json:"state"`
	Cause      string  `json:"cause"`
	Was        string  `json:"was"`
	Reason     string  `json:"reason"`
	AcceptedAt *string `json:"accepted_at"`
	AcceptedBy *string `json:"accepted_by"`
}

func acceptedRange(r reconcile.Range, partition any) accepted {
	a := r.Acceptance
	return accepted{partition, r.From, r.To, r.Rows, string(r.State), r.Cause, string(r.Was), a.Reason, instant(a.At), text(a.By)}
}

// accepted writes a line for each accepted range.
func (l *lines) accepted(all reconcile.List[reconcile.Range]) {
	for r, err := range elements(all) {
		if err != nil && l.err == nil {
			l.err = err
		}
		if l.err != nil {
			return
		}
		who := ""
		if r.Acceptance.By != "" {
			who = " by " + r.Acceptance.By
		}
		l.line("  accepted: partition %s, sequence %s (%s, %s): %s (since %s%s)", r.Partition, span(r.From, r.To), count(r.Rows, "row", "rows"), r.Was, r.Acceptance.Reason, at(r.Acceptance.At), who)
	}
}

package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

// Accepted is a range that need not be in the target.
type Accepted struct {
	Partition string
	From, To  int64
	Reason    string
}

// accepting is what a verification knows of accepted ranges.
type accepting struct {
	acceptances reconcile.Acceptances
	made        []reconcile.Acceptance
	// accepted are the ranges that are missing, or doubled, and accepted.
	accepted *spool[reconcile.Range]
}

// acceptedBy precedes the name of whoever accepted a range.
const acceptedBy = "accepted by "

// accept records ranges that were accepted with the request.
func (v *verifier) accept(ctx context.Context) error {
	if len(v.request.Accept) == 0 {
		return nil
	}
	if c := v.subject.contract; len(c.Key.Columns) > 0 {
		return &ConfigurationError{Subject: "accepted range", Reason: fmt.Sprintf("the key %s has no sequence, so there are no ranges of it", c.Key.String()), Hint: "Leave --accept-range out."}
	}
	who, err := only(reconcile.Decoded(query(ctx, v.w, "SELECT current_user() AS who"), reconcile.ReadText))
	if err != nil {
		return err
	}
	proof := ""
	if who != nil && *who != "" {
		proof = acceptedBy + *who
	}
	var all []evidence.Finding
	for _, a := range v.request.Accept {
		partition, ok := v.canonical(a.Partition)
		switch {
		case !ok:
			return &ConfigurationError{Subject: fmt.Sprintf("accepted range %s:%d-%d", a.Partition, a.From, a.To), Reason: fmt.Sprintf("%q is no partition of %s", a.Partition, v.out.Target.Table), Hint: v.partitionHint()}
		case strings.TrimSpace(a.Reason) == "":
			return &ConfigurationError{Subject: fmt.Sprintf("accepted range %s:%d-%d", a.Partition, a.From, a.To), Reason: "it has no reason", Hint: "Say why it is accepted."}
		}
		f := evidence.Finding{Name: findingName(stateAccepted, partition, a.From, a.To), RunID: v.subject.run.ID, TargetVersion: -1, RecordedAt: v.now, Partition: partition,
			Low: a.From, High: a.To, Rows: int64(recovery.Range{From: a.From, To: a.To}.Keys()), State: stateAccepted, Cause: reconcile.CauseAccepted, Proof: proof, Confirmed: true, Reason: a.Reason}
		all = append(all, f)
		v.made = append(v.made, acceptanceOf(f))
	}
	return v.kept.keepFindings(ctx, sure(slices.Values(all)))
}

// canonical is a partition as statements write it; false for a text where partitions are numbers.
func (v *verifier) canonical(partition string) (string, bool) {
	if v.statements.Columns.Textual {
		return partition, true
	}
	n, err := strconv.ParseInt(partition, 10, 64)
	if v.statements.Columns.Partition == "" && n != 0 {
		return "", false
	}
	return strconv.FormatInt(n, 10), err == nil
}

func (v *verifier) partitionHint() string {
	if v.statements.Columns.Partition == "" {
		return "The key has no partition; write 0:FROM-TO."
	}
	return "Partitions are whole numbers there; write it as 3:100-250."
}

func acceptanceOf(f evidence.Finding) reconcile.Acceptance {
	by, _ := strings.CutPrefix(f.Proof, acceptedBy)
	return reconcile.Acceptance{Span: reconcile.Span{Partition: f.Partition, From: f.Low, To: f.High}, Reason: f.Reason, At: f.RecordedAt, By: by}
}

// setAccepted takes the accepted ranges that are on record, those of the request among them.
func (v *verifier) setAccepted(findings []evidence.Finding) {
	if len(v.subject.contract.Key.Columns) > 0 {
		return
	}
	all := slices.Clone(v.made)
	for _, f := range findings {
		partition, ok := v.canonical(f.Partition)
		if !ok || f.Reason == "" || f.Low > f.High {
			v.noted = append(v.noted, reconcile.Reason{Code: reconcile.CodeAccepted, Text: fmt.Sprintf("the accepted range %s:%d-%d on record is not used: it names no partition of the target, or no reason", f.Partition, f.Low, f.High)})
			continue
		}
		f.Partition = partition
		again := func(a reconcile.Acceptance) bool {
			return a.Span == reconcile.Span{Partition: partition, From: f.Low, To: f.High}
		}
		if !slices.ContainsFunc(v.made, again) {
			all = append(all, acceptanceOf(f))
		}
	}
	v.acceptances = reconcile.NewAcceptances(all)
	v.statements.Accepted = v.acceptances.Spans()
}

// setApart lists the accepted parts of a range with what is accepted, and hands the others on.
func (v *verifier) setApart(r reconcile.Range, on func(reconcile.Range) error) error {
	if len(v.statements.Accepted) == 0 {
		return on(r)
	}
	days := r.Days
	for span, a := range v.acceptances.Cut(reconcile.Span{Partition: r.Partition, From: r.From, To: r.To}) {
		part := r
		if span.From != r.From || span.To != r.To {
			part = r.Part(span)
		}
		// However it is cut, the sum is the same: the statements have set accepted rows apart, where days are known.
		part.Days, days = days, nil
		if a == nil {
			if err := on(part); err != nil {
				return err
			}
			continue
		}
		part = part.Accept(*a)
		v.tally.Add(part)
		part.Days = nil
		if err := v.accepted.add(part); err != nil {
			return err
		}
	}
	return nil
}

// acceptedRepeats lists the accepted keys of the target that occur more than once.
func (v *verifier) acceptedRepeats(ctx context.Context, spans []reconcile.Span) error {
	if len(v.statements.Accepted) == 0 || !v.acceptances.Touches(spans) {
		return nil
	}
	for d, err := range reconcile.Decoded(query(ctx, v.w, v.statements.AcceptedDuplicates()), reconcile.ReadDuplicate) {
		if err != nil {
			return err
		}
		r := reconcile.Range{Partition: d.Partition, From: d.From, To: d.To, Rows: d.Surplus, State: stateDuplicate}
		for _, a := range v.acceptances.Cut(reconcile.Span{Partition: d.Partition, From: d.From, To: d.To}) {
			if a != nil {
				r = r.Accept(*a)
				break
			}
		}
		v.tally.Add(r)
		if err := v.accepted.add(r); err != nil {
			return err
		}
	}
	return nil
}

// noteAccepted says what acceptances did, and which of those made now had nothing to do.
func (v *verifier) noteAccepted() error {
	if v.screen == nil {
		return nil
	}
	if n := v.tally.Counts.Accepted; n > 0 {
		v.tally.Note(reconcile.CodeAccepted, "%d rows or sequence numbers are missing or doubled, and accepted; they are in no other count", n)
	}
	idle := slices.Clone(v.made)
	for r, err := range v.accepted.All() {
		if err != nil {
			return err
		}
		idle = slices.DeleteFunc(idle, func(a reconcile.Acceptance) bool {
			return a.Partition == r.Partition && a.From <= r.To && r.From <= a.To
		})
	}
	for _, a := range idle {
		v.tally.Note(reconcile.CodeAccepted, "nothing of the accepted range %s:%d-%d was found to be missing; it stays accepted", a.Partition, a.From, a.To)
	}
	return nil
}

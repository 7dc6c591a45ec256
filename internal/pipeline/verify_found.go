package pipeline

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// earlier are ranges that earlier verifications found missing, having read their rows. By partition and sequence.
type earlier []evidence.Finding

// foundEarlier are the findings that prove that rows were there. One that was itself undecided proves nothing.
func (v *verifier) foundEarlier() earlier {
	var all earlier
	for _, f := range v.unresolved {
		_, again := v.restarted[f.Partition]
		if f.State != string(reconcile.Undecidable) && f.Rows == f.High-f.Low+1 && !again && !f.RecordedAt.Before(v.targetTable.Created) { // else it was missing from an earlier table of the target's name
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b evidence.Finding) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), b.RecordedAt.Compare(a.RecordedAt))
	})
	return all
}

// at is the newest finding that holds a key, and how far what is said of the key holds.
func (e earlier) at(partition string, sequence, limit int64) (f evidence.Finding, known bool, to int64) {
	to = limit
	end, _ := slices.BinarySearchFunc(e, sequence, func(f evidence.Finding, s int64) int {
		return cmp.Or(cmp.Compare(f.Partition, partition), cmp.Compare(f.Low, s), -1)
	})
	for i := end - 1; i >= 0 && e[i].Partition == partition; i-- {
		if e[i].High >= sequence && (!known || e[i].RecordedAt.After(f.RecordedAt)) {
			f, known = e[i], true
		}
	}
	if known {
		to = min(to, f.High)
	}
	if end < len(e) && e[end].Partition == partition && e[end].Low <= to {
		to = e[end].Low - 1
	}
	return f, known, to
}

// pieces cuts a stretch of keys where findings begin and end.
func (e earlier) pieces(partition string, from, to int64) iter.Seq2[reconcile.Span, *evidence.Finding] {
	return func(yield func(reconcile.Span, *evidence.Finding) bool) {
		for at := from; ; {
			f, known, end := e.at(partition, at, to)
			span := reconcile.Span{Partition: partition, From: at, To: end}
			if known && !yield(span, &f) || !known && !yield(span, nil) || end >= to {
				return
			}
			at = end + 1
		}
	}
}

// recall says of what cannot be found out any more what was found when it could: that it was there, or why it is missing.
// unsearched says that versions of the source were not looked into.
func (e earlier) recall(r reconcile.Range, now time.Time, unsearched bool) iter.Seq[reconcile.Range] {
	gap := r.State == reconcile.Undecidable || r.Cause == reconcile.CauseUpstreamGap
	return func(yield func(reconcile.Range) bool) {
		if !gap && r.State != reconcile.Lost && r.Cause != reconcile.CauseUndecidable || r.Rows != r.To-r.From+1 || len(e) == 0 {
			yield(r)
			return
		}
		days := r.Days
		for s, f := range e.pieces(r.Partition, r.From, r.To) {
			part := r
			part.From, part.To, part.Rows, part.Days = s.From, s.To, s.To-s.From+1, days
			days = nil
			switch {
			case f == nil:
			case gap:
				part = goneOf(s, *f, now)
				if part.State == reconcile.Lost && f.RecoverableUntil.After(now) && (r.Unread > 0 || unsearched) { // it would be found again
					part.State, part.RecoverFrom, part.RecoverableUntil, part.Unread = reconcile.Expired, placeOf(f.Proof), f.RecoverableUntil, r.Unread
				}
				part = part.OnItsDay()
			default:
				if part.Cause == reconcile.CauseUndecidable && decides(*f) {
					part.Cause, part.Proof = f.Cause, recalledProof(*f)
				}
				switch {
				case part.State != reconcile.Lost:
				case unsearched && part.RecoverFrom == "" && f.RecoverableUntil.After(now):
					part.State, part.RecoverFrom, part.RecoverableUntil = reconcile.Expired, placeOf(f.Proof), f.RecoverableUntil
				default:
					part.GoneSince = goneBy(*f, now)
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}

// decides tells that the cause of a finding is for good: what was late then may have become anything since.
func decides(f evidence.Finding) bool {
	return f.State != string(reconcile.Late) && f.Cause != "" && f.Cause != reconcile.CauseUndecidable
}

// goneOf are rows of a finding that no version shows any more.
func goneOf(s reconcile.Span, f evidence.Finding, now time.Time) reconcile.Range {
	r := reconcile.Range{Partition: s.Partition, From: s.From, To: s.To, Rows: s.To - s.From + 1, State: reconcile.Lost, Cause: reconcile.CauseUndecidable,
		Earliest: f.Earliest, Latest: f.Latest, Proof: f.Proof}
	if decides(f) {
		r.Cause = f.Cause
	}
	if f.State == string(reconcile.Doomed) && (f.Cause == reconcile.CauseSilence || f.Cause == reconcile.CauseSourceShrank) {
		r.State = reconcile.Doomed // it left before it was due
	}
	if f.State != string(reconcile.Lost) && !strings.HasPrefix(f.Proof, foundToBe) {
		r.Proof = foundToBe + fmt.Sprintf("%s by the verification of %s: %s", f.State, f.RecordedAt.UTC().Format(time.RFC3339), cmp.Or(f.Proof, "it read the rows"))
	}
	r.GoneSince = goneBy(f, now)
	return r
}

// placeOf is the version that a proof names last, as what was read; empty where it names none.
func placeOf(proof string) string {
	for _, table := range []string{"source", "target"} {
		if i := strings.LastIndex(proof, "in "+table+" version "); i >= 0 {
			rest := proof[i+len("in "+table+" version "):]
			if digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]; digits != "" {
				return table + " VERSION AS OF " + digits
			}
		}
	}
	return ""
}

// goneBy is since when the rows of a finding can be read nowhere; zero when that is not known, or not yet.
func goneBy(f evidence.Finding, now time.Time) time.Time {
	if f.RecoverableUntil.After(now) {
		return time.Time{}
	}
	return f.RecoverableUntil
}

const foundToBe = "found to be "

const asFound = "as found by the verification of "

// recalledProof says once where a proof comes from, however often it is recalled.
func recalledProof(f evidence.Finding) string {
	if strings.HasPrefix(f.Proof, asFound) {
		return f.Proof
	}
	return asFound + f.RecordedAt.UTC().Format(time.RFC3339) + ": " + f.Proof
}

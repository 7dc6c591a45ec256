package reconcile

import (
	"fmt"
	"maps"
	"slices"
)

// AuditCounts are rows and sequences of the target. Missing ones are proved to be: listed by a manifest, found earlier, or
// still in the source.
type AuditCounts struct {
	// Rows of the target; Keys are those of them with a key, each once.
	Rows, Keys int64
	// Gaps are runs of sequences that the target lacks between two that it has.
	Gaps int64
	// Missing and Undecidable are sequences in gaps and prefixes; what is Accepted is in no other count. Duplicates are
	// surplus rows.
	Missing, Undecidable, Duplicates, Accepted int64
	// NullKeys are rows that have no key.
	NullKeys int64
}

// Through is how far a partition of the target holds every sequence exactly once, from its lowest on.
type Through struct {
	Partition string
	From, To  int64
	// None says that not even the lowest stretch does.
	None bool
	// Recalled sequences were not read, since an earlier verification did.
	Recalled int64
}

// Audit is the result of looking at the target alone. It must be closed.
type Audit struct {
	Verdict           Verdict
	Strict, Warning   bool
	Target, Source    Pinned
	Counts            AuditCounts
	Through           []Through
	Missing           List[Range]
	Duplicates        List[Duplicate]
	Accepted          List[Range]
	Reasons           []Reason
	IntegralPartition bool
	Job               int64

	close func() error
}

// OnClose adds what Close has to do.
func (a *Audit) OnClose(f func() error) { a.close = f }

// Close gives back what the lists hold. It can be called on any Audit, also twice.
func (a *Audit) Close() error {
	if a.close == nil {
		return nil
	}
	f := a.close
	a.close = nil
	return f()
}

// The codes of reasons that only an audit has.
const (
	CodeEmptyTarget = "empty_target"   // nothing to audit
	CodeNoProof     = "gaps_unproven"  // sequences are not shown to be contiguous, so gaps prove nothing
	CodeAbsent      = "absent"         // partitions of the source without a row in the target
	CodePrefix      = "partition_late" // partitions that came later than the target, and not with their first sequence
)

// AuditTally collects what an audit found.
type AuditTally struct {
	Screen *Screen
	Tally  *Tally
	Gaps   int64
	// Surplus counts surplus rows that are accepted.
	Surplus int64
}

// Judge writes counts, verdict and reasons. A proved loss is FAIL, whatever else is in doubt; any doubt without one is
// INCONCLUSIVE; PASS is what remains.
func (t AuditTally) Judge(a *Audit) {
	c := t.Tally.Counts
	a.Counts = AuditCounts{Gaps: t.Gaps, Missing: c.Missing + c.Doomed, Undecidable: c.Undecidable, Duplicates: c.Duplicates, Accepted: c.Accepted}
	if t.Screen != nil {
		a.Counts.Rows, a.Counts.NullKeys = t.Screen.TargetRows, t.Screen.TargetNullKeys
		a.Counts.Keys = a.Counts.Rows - a.Counts.NullKeys - c.Duplicates - t.Surplus
	}
	losses, doubts := t.losses(), slices.Concat(t.implied(), t.Tally.Doubts)
	a.Reasons = slices.Concat(losses, doubts, t.Tally.Notes)
	if c.Duplicates > 0 {
		a.Warning = true
		a.Reasons = append(a.Reasons, Reason{CodeDuplicates, fmt.Sprintf("%s of the target repeat a key that is there already", rowsText(c.Duplicates))})
	}
	switch {
	case len(losses) > 0:
		a.Verdict = Fail
	case len(doubts) > 0:
		a.Verdict = Inconclusive
	default:
		a.Verdict = Pass
	}
}

func (t AuditTally) losses() []Reason {
	c := t.Tally.Counts
	var reasons []Reason
	if c.Missing > 0 {
		reasons = append(reasons, Reason{CodeMissing, fmt.Sprintf("%s of the source, as it is or was, not in the target: %d still in the source, %d gone from it", rowsText(c.Missing), c.Late+c.Skipped, c.Missing-c.Late-c.Skipped)})
	}
	if c.Doomed > 0 {
		reasons = append(reasons, Reason{CodeDoomed, fmt.Sprintf("%s under the target's highest sequences were not due when they were last seen: no run will read them", rowsText(c.Doomed))})
	}
	return reasons
}

func (t AuditTally) implied() []Reason {
	var d []Reason
	if t.Screen != nil && t.Screen.TargetRows == 0 {
		d = append(d, Reason{CodeEmptyTarget, "the target has no row, so there is nothing to audit"})
	}
	if t.Screen != nil && t.Screen.TargetNullKeys > 0 {
		d = append(d, Reason{CodeNullKeys, fmt.Sprintf("%s of the target have a null key, in no gap and no duplicate", rowsText(t.Screen.TargetNullKeys))})
	}
	if n := t.Tally.Counts.Undecidable; n > 0 {
		d = append(d, Reason{CodeUndecidable, fmt.Sprintf("%d sequence numbers are not in the target, and whether they ever were in the source is not known: an upstream gap, or a loss. Manifests kept since before them would have told; watertight verify looks for them in older versions of the source, and --accept-range takes out what is known to be none", n)})
	}
	if n := t.Tally.UpstreamGaps; n > 0 {
		t.Tally.Note(CodeUpstreamGap, "%d sequence numbers that the target lacks were never in the source, as manifests show", n)
	}
	return d
}

// Throughs tells of each partition of the target how far it is complete, and how much of that was recalled.
// Broken are the lowest sequences that are absent or doubled, where that is known of every partition; nil: whole blocks tell.
func (s *Screen) Throughs(t Trusted, broken map[string]int64) []Through {
	first := map[string]Span{}
	for _, w := range s.stretches {
		if e := s.Extents[w.Partition]; w.From == e.TargetLow {
			first[w.Partition] = w
		}
	}
	if broken != nil {
		first = map[string]Span{}
		for p, e := range s.Extents {
			to := e.TargetHigh
			if b, ok := broken[p]; ok {
				to = b - 1
			}
			if e.InTarget && to >= e.TargetLow {
				first[p] = Span{p, e.TargetLow, to}
			}
		}
	}
	recalled := map[string]int64{}
	for _, w := range t.spans {
		recalled[w.Partition] += w.To - w.From + 1
	}
	var out []Through
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		e := s.Extents[p]
		if !e.InTarget {
			continue
		}
		w, ok := first[p]
		out = append(out, Through{Partition: p, From: e.TargetLow, To: w.To, None: !ok, Recalled: recalled[p]})
	}
	return out
}

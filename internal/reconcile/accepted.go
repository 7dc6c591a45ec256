package reconcile

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// Acceptance is a range that somebody declared to be no loss.
type Acceptance struct {
	Span
	Reason string
	// At is since when; By is whoever did, empty where that was not kept.
	At time.Time
	By string
}

// Acceptances are the ranges that need not be in the target.
type Acceptances struct{ all []Acceptance } // without overlap, by partition and sequence

// NewAcceptances takes ranges that may overlap: what several name is of the one that begins first, or was made first.
func NewAcceptances(all []Acceptance) Acceptances {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Acceptance) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From), a.At.Compare(b.At))
	})
	var out []Acceptance
	for _, a := range all {
		if n := len(out) - 1; n >= 0 && out[n].Partition == a.Partition && a.From <= out[n].To {
			if out[n].To >= a.To {
				continue
			}
			a.From = out[n].To + 1
		}
		out = append(out, a)
	}
	return Acceptances{out}
}

// Spans are the sequences of all of them.
func (a Acceptances) Spans() []Span {
	var spans []Span
	for _, one := range a.all {
		spans = append(spans, one.Span)
	}
	return spans
}

// Cut divides a run of sequences into parts that one acceptance names, and parts that none does.
func (a Acceptances) Cut(s Span) iter.Seq2[Span, *Acceptance] {
	return func(yield func(Span, *Acceptance) bool) {
		i, _ := slices.BinarySearchFunc(a.all, s, func(x Acceptance, s Span) int {
			return cmp.Or(cmp.Compare(x.Partition, s.Partition), cmp.Compare(x.To, s.From))
		})
		at := s.From
		for ; i < len(a.all) && a.all[i].Partition == s.Partition && a.all[i].From <= s.To; i++ {
			one := &a.all[i]
			if at < one.From && !yield(Span{s.Partition, at, one.From - 1}, nil) {
				return
			}
			to := min(one.To, s.To)
			if !yield(Span{s.Partition, max(at, one.From), to}, one) || to == s.To {
				return
			}
			at = to + 1
		}
		yield(Span{s.Partition, at, s.To}, nil)
	}
}

// Accept makes of a part of a range what an acceptance makes of it.
func (r Range) Accept(a Acceptance) Range {
	r.Was, r.State, r.Cause = r.State, Accepted, CauseAccepted
	r.Acceptance = a
	r.Proof = "accepted: " + a.Reason
	r.RecoverFrom, r.RecoverableUntil, r.Suspect = "", time.Time{}, false
	return r
}

// Part is the rows of a range within a span of it. Their days are not known.
func (r Range) Part(s Span) Range {
	r.From, r.To, r.Rows, r.Days = s.From, s.To, KeysOf(s), nil
	return r
}

// KeysOf counts the sequences of a span; a count beyond 63 bits is the highest there is.
func KeysOf(s Span) int64 {
	if n := distance(Span{To: s.From}, Span{From: s.To}); n < math.MaxInt64 {
		return int64(n) + 1
	}
	return math.MaxInt64
}

// plus adds counts; one beyond 63 bits is the highest there is.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// acceptedMark follows the kind of an island whose keys are accepted.
const acceptedMark = "/accepted"

// marked sets the accepted rows of a relation apart by their kind. It returns a further relation for the statement, and
// the name of the one to read.
func (s Statements) marked(relation, kind string) (with, name string) {
	if len(s.Accepted) == 0 {
		return "", relation
	}
	return fmt.Sprintf(",\na AS (SELECT p, seq, u, CASE WHEN %s THEN concat(CAST(%s AS STRING), '%s') ELSE CAST(%s AS STRING) END AS %s FROM %s)", s.inside(s.Accepted), kind, acceptedMark, kind, kind, relation), "a"
}

// unaccepted is a further condition that leaves accepted keys out.
func (s Statements) unaccepted() string {
	if len(s.Accepted) == 0 {
		return ""
	}
	return " AND NOT " + s.inside(s.Accepted)
}

// inside is true for the keys inside the spans, of which there is at least one, and for no others.
func (s Statements) inside(spans []Span) string {
	var b strings.Builder
	for i := 0; i < len(spans); {
		if i > 0 {
			b.WriteString(" OR ")
		}
		fmt.Fprintf(&b, "(p = %s AND (", s.Columns.Literal(spans[i].Partition))
		for j := i; i < len(spans) && spans[i].Partition == spans[j].Partition; i++ {
			if i > j {
				b.WriteString(" OR ")
			}
			fmt.Fprintf(&b, "seq BETWEEN %d AND %d", spans[i].From, spans[i].To)
		}
		b.WriteString("))")
	}
	return "(" + b.String() + ")"
}

// AcceptedDuplicates lists the accepted keys of the target that occur more than once, as Duplicates does with all others.
func (s Statements) AcceptedDuplicates() string {
	return s.duplicates(s.keys(s.Target, s.Target.Version), " AND "+s.inside(s.Accepted))
}

// markOf takes the mark off a kind.
func markOf(kind string) (string, bool) { return strings.CutSuffix(kind, acceptedMark) }

// addAccepted takes accepted keys out of the counts. Late and skipped ones were counted as due and loaded by the screen,
// which saw them in the source.
func (t *Tally) addAccepted(r Range) {
	t.Counts.Accepted = plus(t.Counts.Accepted, r.Rows)
	if r.Was != Late && r.Was != Skipped {
		return
	}
	t.Counts.Due -= r.Rows
	t.Counts.Loaded -= r.Rows
	for name, n := range r.Days {
		d := t.day(name)
		d.Due -= n
		d.Loaded -= n
		if *d == (Day{Day: name}) {
			delete(t.named, name)
		}
	}
}

// Touches reports whether any of the spans has an accepted key, perhaps.
func (a Acceptances) Touches(spans []Span) bool {
	return slices.ContainsFunc(spans, func(s Span) bool {
		for _, one := range a.Cut(s) {
			if one != nil {
				return true
			}
		}
		return false
	})
}

package reconcile

import (
	"cmp"
	"slices"
)

// Span is the sequences From … To of one partition, both included.
type Span struct {
	Partition string
	From, To  int64
}

// mostSpans is how many spans a statement's condition names one by one. Beyond it neighbours are joined: the statement
// then looks at more rows and answers the same.
const mostSpans = 64

// union sorts spans and joins those that overlap or share an end. An end of a joined span is an end of one it was made
// of, which keeps "both ends are keys that exist" true.
func union(spans []Span) []Span {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var out []Span
	for _, s := range spans {
		if n := len(out); n > 0 && out[n-1].Partition == s.Partition && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// coarsen joins the closest neighbours of each partition until at most n spans are left, or one for each partition.
func coarsen(spans []Span, n int) []Span {
	spans = union(spans)
	if len(spans) <= n {
		return spans
	}
	var gaps []uint64
	for i := 1; i < len(spans); i++ {
		if spans[i].Partition == spans[i-1].Partition {
			gaps = append(gaps, distance(spans[i-1], spans[i]))
		}
	}
	slices.Sort(gaps)
	surplus := min(len(spans)-n, len(gaps))
	if surplus == 0 {
		return spans
	}
	widest := gaps[surplus-1]
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if last.Partition == s.Partition && distance(*last, s) <= widest {
			last.To = s.To
			continue
		}
		out = append(out, s)
	}
	return out
}

// distance does not overflow, however far apart two sequences are.
func distance(a, b Span) uint64 { return uint64(b.From) - uint64(a.To) }

// spanSet collects spans in bounded memory: it coarsens what it holds when that grows.
type spanSet struct{ spans []Span }

const spansHeld = 1 << 14

func (s *spanSet) add(partition string, from, to int64) {
	if n := len(s.spans); n > 0 && s.spans[n-1].Partition == partition && s.spans[n-1].From <= from && from <= s.spans[n-1].To {
		s.spans[n-1].To = max(s.spans[n-1].To, to)
		return
	}
	s.spans = append(s.spans, Span{partition, from, to})
	if len(s.spans) >= spansHeld {
		s.spans = slices.Clone(coarsen(s.spans, spansHeld/2))
	}
}

// Spans collects spans in bounded memory.
type Spans struct{ set spanSet }

// Add adds a span.
func (s *Spans) Add(partition string, from, to int64) { s.set.add(partition, from, to) }

// All covers what was added, in as few spans as a statement names one by one, or one for each partition.
func (s *Spans) All() []Span { return coarsen(s.set.spans, mostSpans) }

package reconcile

import (
	"cmp"
	"iter"
	"slices"
)

// Trusted are stretches of the target that an earlier verification found to hold every sequence exactly once, and that
// nothing has taken rows from since. They are not scanned again.
type Trusted struct{ spans []Span }

// mostTrusted is how many stretches a statement leaves out; the longest are chosen.
const mostTrusted = 256

// NewTrusted takes stretches and keeps the whole blocks in them: a block is scanned as one or not at all.
func NewTrusted(stretches []Span, block int64) Trusted {
	if block <= 0 {
		block = DefaultBlock
	}
	var spans []Span
	for _, s := range union(stretches) {
		// Negative sequences are never trusted: DIV puts those around zero into one block twice as long.
		first, last := max(0, floorDiv(s.From, block)), floorDiv(s.To, block)
		if s.From > first*block {
			first++
		}
		if s.To-last*block < block-1 {
			last--
		}
		if first <= last {
			spans = append(spans, Span{s.Partition, first * block, last*block + block - 1})
		}
	}
	if len(spans) > mostTrusted {
		slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(b.To-b.From, a.To-a.From) })
		spans = spans[:mostTrusted]
	}
	return Trusted{union(spans)}
}

// IsEmpty tells that everything is to be scanned.
func (t Trusted) IsEmpty() bool { return len(t.spans) == 0 }

// Total counts the target's rows, which Delta answers from statistics.
func (s Statements) Total() string {
	return "SELECT count(*) AS n FROM " + s.Target.at(s.Target.Version)
}

// With puts the trusted stretches between the blocks that were scanned, in their order.
func (t Trusted) With(scanned iter.Seq2[TargetBlock, error]) iter.Seq2[TargetBlock, error] {
	if t.IsEmpty() {
		return scanned
	}
	return func(yield func(TargetBlock, error) bool) {
		left := t.spans
		give := func() bool {
			s := left[0]
			left = left[1:]
			return yield(TargetBlock{Partition: &s.Partition, Block: &s.From, Rows: s.To - s.From + 1, Low: s.From, High: s.To, trusted: true}, nil)
		}
		for b, err := range scanned {
			for err == nil && b.Partition != nil && b.Block != nil && len(left) > 0 && (left[0].Partition < *b.Partition || left[0].Partition == *b.Partition && left[0].From < b.Low) {
				if !give() {
					return
				}
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
		for len(left) > 0 {
			if !give() {
				return
			}
		}
	}
}

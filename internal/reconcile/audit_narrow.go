package reconcile

import (
	"cmp"
	"iter"
	"slices"
)

// narrowing is how many parts a block that is not whole is cut into, so that what is ordered key by key is a part of it.
const narrowing = 64

// Narrower is the length of the parts, and the spans that have to be read anew for them; false where there are none, or
// blocks are short already.
func (s *Screen) Narrower() (block int64, spans []Span, ok bool) {
	block = s.mixes.block / narrowing
	return block, s.TargetRepeats(), block > 1 && len(s.uneven.spans) > 0
}

// Narrow reads the parts of blocks that are not whole. What the screen says of them is of the parts after that.
func (s *Screen) Narrow(block int64, parts iter.Seq2[TargetBlock, error]) error {
	whole := Trusted{union(s.stretches)}
	narrow := NewScreen(s.cutoff, block)
	for b, err := range whole.With(whole.without(parts)) {
		if err != nil {
			return err
		}
		if b.Partition != nil && b.Block != nil {
			narrow.addTarget(b)
		}
	}
	for p, e := range narrow.Extents {
		narrow.endRun(p, e)
	}
	slices.SortFunc(narrow.stretches, func(a, b Span) int { return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From)) })
	s.segments, s.uneven, s.stretches = narrow.segments, narrow.uneven, narrow.stretches
	return nil
}

// without drops the blocks that lie inside of what is trusted: a statement may read more than it was asked for.
func (t Trusted) without(blocks iter.Seq2[TargetBlock, error]) iter.Seq2[TargetBlock, error] {
	return func(yield func(TargetBlock, error) bool) {
		for b, err := range blocks {
			if err == nil && b.Partition != nil && t.holds(*b.Partition, b.Low) {
				continue
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (t Trusted) holds(partition string, sequence int64) bool {
	i, _ := slices.BinarySearchFunc(t.spans, sequence, func(s Span, sequence int64) int {
		return cmp.Or(cmp.Compare(s.Partition, partition), cmp.Compare(s.To, sequence))
	})
	return i < len(t.spans) && t.spans[i].Partition == partition && t.spans[i].From <= sequence
}

// SurplusBeside is how many rows of the target repeat a key, if the gaps between its keys have so many sequences, counted
// as 64 bits do.
func (s *Screen) SurplusBeside(gaps uint64) uint64 {
	keys := uint64(0)
	for _, e := range s.Extents {
		if e.InTarget {
			keys += distance(Span{To: e.TargetLow}, Span{From: e.TargetHigh}) + 1
		}
	}
	return uint64(s.TargetRows-s.TargetNullKeys) - (keys - gaps)
}

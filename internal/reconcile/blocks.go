package reconcile

import (
	"iter"
	"maps"
)

// Blocks reads both tables' blocks of the unsettled partitions in step, and settles what they can settle. It keeps
// nothing of a block that is settled.
func (s *Screen) Blocks(source iter.Seq2[SourceBlock, error], target iter.Seq2[TargetBlock, error]) error {
	nextSource, stopSource := iter.Pull2(source)
	defer stopSource()
	nextTarget, stopTarget := iter.Pull2(target)
	defer stopTarget()
	last := map[string]int64{}
	a, err, okA := nextSource()
	if err != nil {
		return err
	}
	b, err, okB := nextTarget()
	for okA && err == nil {
		order := -1
		if okB {
			order = compareBlocks(a, b)
		}
		if order > 0 {
			b, err, okB = nextTarget()
			continue
		}
		var t TargetBlock
		if order == 0 {
			t = b
		}
		s.addHoles(a, last)
		s.addSource(a, t)
		a, err, okA = nextSource()
	}
	for okB && err == nil { // only at its end it shows whether all of it came
		_, err, okB = nextTarget()
	}
	if err != nil {
		return err
	}
	s.addSourceSegments()
	return nil
}

// compareBlocks orders blocks as the statements do: by the bytes of the partition's text, then by number.
func compareBlocks(a SourceBlock, b TargetBlock) int {
	switch {
	case b.Partition == nil || b.Block == nil:
		return 1
	case *a.Partition < *b.Partition || *a.Partition == *b.Partition && *a.Block < *b.Block:
		return -1
	case *a.Partition > *b.Partition || *a.Block > *b.Block:
		return 1
	}
	return 0
}

// addHoles notes where the source itself has a hole, or a key twice.
func (s *Screen) addHoles(b SourceBlock, last map[string]int64) {
	if high, ok := last[*b.Partition]; ok && distance(Span{To: high}, Span{From: b.Low}) > 1 {
		s.sourceHoles.add(*b.Partition, high, b.Low)
	}
	last[*b.Partition] = b.High
	if !s.mixes.whole(b.Rows, b.Low, b.High, b.Mix) {
		s.sourceHoles.add(*b.Partition, b.Low, b.High)
		s.surplus.add(*b.Partition, b.Low, b.High)
	}
}

// addSource settles a block that lies on one side of the cutoff and of midnight inside a whole block of the target.
func (s *Screen) addSource(b SourceBlock, t TargetBlock) {
	if b.Timed == 0 {
		return
	}
	oneDay := dayOf(b.Earliest) == dayOf(b.Latest)
	oneSide := s.cutoff.due(b.Earliest) == s.cutoff.due(b.Latest)
	if oneDay && oneSide && b.Timed == b.Rows && s.covers(t, b.Low, b.High) && s.mixes.whole(b.Rows, b.Low, b.High, b.Mix) {
		if s.cutoff.due(b.Latest) && !s.Everything {
			s.Due[dayOf(b.Latest)] += b.Rows
		}
		return
	}
	s.unsettled.add(*b.Partition, b.Low, b.High)
	if s.Everything {
		return
	}
	s.pending[blockID{*b.Partition, *b.Block}] = t
	if len(s.pending) > mostPending {
		// From here on the narrow statement reads all of these partitions, and counts every due row itself.
		s.Everything, s.pending, s.Due = true, nil, maps.Clone(s.base)
	}
}

// covers reports whether a block of the target surely holds every sequence from low to high.
func (s *Screen) covers(t TargetBlock, low, high int64) bool {
	return t.Low <= low && high <= t.High && s.mixes.Whole(t)
}

// addSourceSegments adds the holes that only the source can show: those outside of the target's range.
func (s *Screen) addSourceSegments() {
	for _, h := range s.sourceHoles.spans {
		if e := s.Extents[h.Partition]; !e.InTarget || h.From < e.TargetLow || h.To > e.TargetHigh {
			s.addSegment(h.Partition, h.From, h.To)
		}
	}
}

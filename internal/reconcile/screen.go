package reconcile

import (
	"iter"
	"maps"
	"slices"
)

// Extent is what both tables show of a partition.
type Extent struct {
	InSource, InTarget    bool
	SourceLow, SourceHigh int64
	TargetLow, TargetHigh int64
	sourceKeys            int64
}

// contains reports whether the partition's known range, over both tables, holds a sequence.
func (e Extent) contains(seq int64) bool {
	return e.InTarget && e.TargetLow <= seq && seq <= e.TargetHigh || e.InSource && e.SourceLow <= seq && seq <= e.SourceHigh
}

type blockID struct {
	partition string
	block     int64
}

// Screen is what the two scans alone can tell, and what is left to ask.
type Screen struct {
	SourceRows, TargetRows int64
	// NullKeys and NullTimes count rows of the source that can never be compared; TargetNullKeys those of the target.
	NullKeys, NullTimes, TargetNullKeys int64
	// Extents are by partition.
	Extents map[string]*Extent
	// Due counts due keys by day, of the blocks that are settled.
	Due map[int64]int64
	// InFlight counts keys by day that are neither due nor under the watermark.
	InFlight map[int64]int64
	// Everything says that so many blocks were left open that the whole source is to be split.
	Everything bool

	cutoff  Cutoff
	mixes   *Mixes
	pending map[blockID]TargetBlock

	unsettled, surplus, open, uneven, segments, sourceHoles spanSet
}

// mostPending is how many blocks are kept in mind to be split one by one.
const mostPending = 1 << 16

// Compare reads both scans once, in step, and settles what they can settle. It keeps nothing of a block that is settled.
func Compare(source iter.Seq2[SourceBlock, error], target iter.Seq2[TargetBlock, error], cutoff Cutoff, block int64) (*Screen, error) {
	if block <= 0 {
		block = DefaultBlock
	}
	s := &Screen{Extents: map[string]*Extent{}, Due: map[int64]int64{}, InFlight: map[int64]int64{}, cutoff: cutoff,
		mixes: NewMixes(block), pending: map[blockID]TargetBlock{}}
	nextSource, stopSource := iter.Pull2(source)
	defer stopSource()
	nextTarget, stopTarget := iter.Pull2(target)
	defer stopTarget()
	a, okA, err := s.readSource(nextSource)
	if err != nil {
		return nil, err
	}
	b, okB, err := s.readTarget(nextTarget)
	for okA || okB {
		if err != nil {
			return nil, err
		}
		switch order := compareBlocks(a, okA, b, okB); {
		case order < 0:
			s.addSource(a, TargetBlock{})
			a, okA, err = s.readSource(nextSource)
		case order > 0:
			s.addTarget(b)
			b, okB, err = s.readTarget(nextTarget)
		default:
			s.addTarget(b)
			s.addSource(a, b)
			if a, okA, err = s.readSource(nextSource); err == nil {
				b, okB, err = s.readTarget(nextTarget)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	s.finish()
	return s, nil
}

// compareBlocks orders blocks as the statements do: by the bytes of the partition's text, then by number.
func compareBlocks(a SourceBlock, okA bool, b TargetBlock, okB bool) int {
	switch {
	case !okB, okA && (*a.Partition < *b.Partition || *a.Partition == *b.Partition && *a.Block < *b.Block):
		return -1
	case !okA, *a.Partition > *b.Partition || *a.Block > *b.Block:
		return 1
	}
	return 0
}

func (s *Screen) readSource(next func() (SourceBlock, error, bool)) (SourceBlock, bool, error) {
	for {
		b, err, ok := next()
		if err != nil || !ok {
			return b, false, err
		}
		s.SourceRows += b.Rows
		if b.Partition != nil && b.Block != nil {
			return b, true, nil
		}
		s.NullKeys += b.Rows
	}
}

func (s *Screen) readTarget(next func() (TargetBlock, error, bool)) (TargetBlock, bool, error) {
	for {
		b, err, ok := next()
		if err != nil || !ok {
			return b, false, err
		}
		s.TargetRows += b.Rows
		if b.Partition != nil && b.Block != nil {
			return b, true, nil
		}
		s.TargetNullKeys += b.Rows
	}
}

func (s *Screen) extent(partition string) *Extent {
	e, ok := s.Extents[partition]
	if !ok {
		e = &Extent{}
		s.Extents[partition] = e
	}
	return e
}

func (s *Screen) addTarget(b TargetBlock) {
	e := s.extent(*b.Partition)
	if !e.InTarget {
		e.InTarget, e.TargetLow, e.TargetHigh = true, b.Low, b.Low
	}
	if distance(Span{To: e.TargetHigh}, Span{From: b.Low}) > 1 {
		s.segments.add(*b.Partition, e.TargetHigh, b.Low)
	}
	e.TargetHigh = b.High
	if !s.mixes.Whole(b) {
		s.segments.add(*b.Partition, b.Low, b.High)
		s.uneven.add(*b.Partition, b.Low, b.High)
	}
}

// addSource settles a block that lies on one side of the cutoff and of midnight inside a whole block of the target.
func (s *Screen) addSource(b SourceBlock, t TargetBlock) {
	e := s.extent(*b.Partition)
	if !e.InSource {
		e.InSource, e.SourceLow, e.SourceHigh = true, b.Low, b.Low
	}
	if distance(Span{To: e.SourceHigh}, Span{From: b.Low}) > 1 {
		s.sourceHoles.add(*b.Partition, e.SourceHigh, b.Low)
	}
	e.SourceHigh = b.High
	e.sourceKeys += b.Rows
	s.NullTimes += b.Rows - b.Timed
	even := b.Rows == b.High-b.Low+1
	if !even {
		s.sourceHoles.add(*b.Partition, b.Low, b.High)
		s.surplus.add(*b.Partition, b.Low, b.High)
	}
	if b.Timed == 0 {
		return
	}
	oneDay := dayOf(b.Earliest) == dayOf(b.Latest)
	oneSide := s.cutoff.due(b.Earliest) == s.cutoff.due(b.Latest)
	if even && oneDay && oneSide && b.Timed == b.Rows && s.covers(t, b.Low, b.High) {
		if s.cutoff.due(b.Latest) {
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
		// From here on the narrow statement reads the whole source, which counts every due row itself.
		s.Everything, s.pending, s.Due = true, nil, map[int64]int64{}
	}
}

// covers reports whether a block of the target surely holds every sequence from low to high.
func (s *Screen) covers(t TargetBlock, low, high int64) bool {
	return t.Block != nil && t.Low <= low && high <= t.High && s.mixes.Whole(t)
}

// finish adds the places where only the source can show a gap: outside of the target's range.
func (s *Screen) finish() {
	for _, h := range s.sourceHoles.spans {
		if e := s.Extents[h.Partition]; !e.InTarget || h.From < e.TargetLow || h.To > e.TargetHigh {
			s.segments.add(h.Partition, h.From, h.To)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		e := s.Extents[p]
		switch {
		case !e.InSource || !e.InTarget:
		case e.SourceLow > e.TargetHigh && distance(Span{To: e.TargetHigh}, Span{From: e.SourceLow}) > 1:
			s.segments.add(p, e.TargetHigh, e.SourceLow)
		case e.TargetLow > e.SourceHigh && distance(Span{To: e.SourceHigh}, Span{From: e.TargetLow}) > 1:
			s.segments.add(p, e.SourceHigh, e.TargetLow)
		}
	}
}

// Unsettled are the spans of the source that Split has to look at.
func (s *Screen) Unsettled() []Span {
	if s.Everything {
		return nil
	}
	return coarsen(s.unsettled.spans, mostSpans)
}

// NeedsSplit tells whether anything is left for Split.
func (s *Screen) NeedsSplit() bool { return len(s.unsettled.spans) > 0 }

// SourceRepeats are spans in which the source may hold a key twice.
func (s *Screen) SourceRepeats() []Span { return coarsen(s.surplus.spans, mostSpans) }

// TargetRepeats are spans in which the target may hold a key twice.
func (s *Screen) TargetRepeats() []Span { return coarsen(s.uneven.spans, mostSpans) }

// Segments are spans in which sequences may be absent from both tables. Both ends of each are keys that exist.
func (s *Screen) Segments() []Span { return coarsen(s.segments.spans, mostSpans) }

// Open are the spans of the source in which keys may be absent from the target, once Split was read.
func (s *Screen) Open() []Span { return coarsen(s.open.spans, mostSpans) }

// Marks are the watermarks of the partitions that the source holds.
func (s *Screen) Marks() []Mark {
	var marks []Mark
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		if e := s.Extents[p]; e.InSource && e.InTarget {
			marks = append(marks, Mark{p, e.TargetHigh})
		}
	}
	return marks
}

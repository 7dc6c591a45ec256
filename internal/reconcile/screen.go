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

	rows, mix  int64
	groups     []SlotGroup
	due, later reach
	// run is the stretch of whole blocks of the target that is being read.
	runLow, runHigh int64
	running         bool
	// even says that the source holds every sequence of its range once; untimed, that rows have no event time. Next is the lowest of them that no finished stretch
	// holds, until passed.
	even, passed, untimed bool
	next                  int64
}

// reach is the range of the due rows of a partition, or of the others, and whether the target surely holds all of it.
type reach struct {
	some, covered bool
	low, high     int64
}

func (r *reach) add(low, high int64) {
	if !r.some {
		r.some, r.low, r.high = true, low, high
		return
	}
	r.low, r.high = min(r.low, low), max(r.high, high)
}

// endRun compares a finished stretch of the target with what the source needs.
func (s *Screen) endRun(partition string, e *Extent) {
	if !e.running {
		return
	}
	if len(s.stretches) < mostStretches {
		s.stretches = append(s.stretches, Span{partition, e.runLow, e.runHigh})
	}
	e.running = false
	s.passRun(partition, e)
	for _, r := range []*reach{&e.due, &e.later} {
		r.covered = r.covered || r.some && e.runLow <= r.low && r.high <= e.runHigh
	}
}

// Screen is what the scans alone can tell, and what is left to ask.
type Screen struct {
	SourceRows, TargetRows int64
	// NullKeys and NullTimes count rows of the source that can never be compared; TargetNullKeys those of the target.
	NullKeys, NullTimes, TargetNullKeys int64
	// Extents are by partition.
	Extents map[string]*Extent
	// Due counts due keys by day, of what is settled.
	Due map[int64]int64
	// InFlight counts keys by day that are neither due nor under the watermark.
	InFlight map[int64]int64
	// Probes are keys that show whether sequences began anew.
	Probes []Probe
	// Everything says that so many blocks were left open that all unsettled partitions are to be split.
	Everything bool

	cutoff Cutoff
	mixes  *Mixes
	// base holds what Due was before blocks were read, to go back to when there are too many.
	base    map[int64]int64
	pending map[blockID]TargetBlock

	// stretches are those of the target that hold each sequence exactly once.
	stretches []Span
	// counted are uneven blocks, in order; together they hold as many rows too many as surplusRows says, once all keys that
	// are missing were noted.
	counted     []unevenBlock
	surplusRows int64
	noted       bool

	partitions, unsettled, surplus, open, uneven, segments, hollow, sourceHoles spanSet
}

// mostStretches bounds what is remembered of the target: leaving one out costs a scan, and no answer.
const mostStretches = 1 << 14

// Stretches are those of the target that hold each sequence exactly once.
func (s *Screen) Stretches() []Span { return s.stretches }

type blockID struct {
	partition string
	block     int64
}

// mostPending is how many blocks are kept in mind to be split one by one.
const mostPending = 1 << 16

// NewScreen begins a comparison with blocks of a length; 0: DefaultBlock.
func NewScreen(cutoff Cutoff, block int64) *Screen {
	if block <= 0 {
		block = DefaultBlock
	}
	return &Screen{Extents: map[string]*Extent{}, Due: map[int64]int64{}, InFlight: map[int64]int64{}, cutoff: cutoff,
		mixes: NewMixes(block), pending: map[blockID]TargetBlock{}}
}

func (s *Screen) extent(partition string) *Extent {
	e, ok := s.Extents[partition]
	if !ok {
		e = &Extent{}
		s.Extents[partition] = e
	}
	return e
}

// Source reads the source's first scan.
func (s *Screen) Source(groups iter.Seq2[SlotGroup, error]) error {
	for g, err := range groups {
		if err != nil {
			return err
		}
		s.SourceRows += g.Rows
		if g.Partition == nil {
			s.NullKeys += g.Rows
			continue
		}
		s.NullKeys += g.Rows - g.Keyed
		if g.Keyed == 0 {
			continue
		}
		e := s.extent(*g.Partition)
		if !e.InSource {
			e.InSource, e.SourceLow, e.SourceHigh = true, g.Low, g.High
		}
		e.SourceLow, e.SourceHigh = min(e.SourceLow, g.Low), max(e.SourceHigh, g.High)
		e.rows += g.Keyed
		e.mix ^= g.Mix
		e.groups = append(e.groups, g)
		e.untimed = e.untimed || !g.Timed
		switch {
		case !g.Timed:
			s.NullTimes += g.Keyed
		case g.Due:
			e.due.add(g.Low, g.High)
		default:
			e.later.add(g.Low, g.High)
		}
	}
	for _, e := range s.Extents {
		e.next, e.even = e.SourceLow, e.isEven()
	}
	return nil
}

// Target reads the target's scan, then settles every partition that the two scans can settle.
func (s *Screen) Target(blocks iter.Seq2[TargetBlock, error]) error {
	for b, err := range blocks {
		if err != nil {
			return err
		}
		s.TargetRows += b.Rows
		if b.Partition == nil || b.Block == nil {
			s.TargetNullKeys += b.Rows
			continue
		}
		s.addTarget(b)
	}
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		e := s.Extents[p]
		s.endRun(p, e)
		if e.InSource && !s.settle(p, e) {
			s.partitions.add(p, e.SourceLow, e.SourceHigh)
		}
		s.probes(p, e)
		e.groups = nil
		s.addOutside(p, e)
	}
	s.base = maps.Clone(s.Due)
	return nil
}

func (s *Screen) addTarget(b TargetBlock) {
	e := s.extent(*b.Partition)
	if !e.InTarget {
		e.InTarget, e.TargetLow, e.TargetHigh = true, b.Low, b.Low
	}
	jump := distance(Span{To: e.TargetHigh}, Span{From: b.Low}) > 1
	if jump {
		s.addSegment(*b.Partition, e.TargetHigh, b.Low)
	}
	e.TargetHigh = b.High
	whole := s.mixes.Whole(b)
	if !whole {
		s.addSegment(*b.Partition, b.Low, b.High)
		s.addUneven(b, e)
	}
	if jump || !whole {
		s.endRun(*b.Partition, e)
	}
	if whole {
		if !e.running {
			e.running, e.runLow = true, b.Low
		}
		e.runHigh = b.High
	}
}

// settle counts a partition whose source holds each of its sequences once, so that rows can be counted for keys, and whose
// rows that are not due the target surely holds or surely lacks. Where the target may lack due ones, it is opened.
func (s *Screen) settle(p string, e *Extent) bool {
	above := e.later.some && (!e.InTarget || e.later.low > e.TargetHigh)
	if !e.even || e.later.some && !e.later.covered && !above {
		return false
	}
	if e.due.some && !e.due.covered {
		s.openRest(p, e, above)
	}
	for _, g := range e.groups {
		switch {
		case g.Timed && g.Due:
			s.Due[g.Day] += g.Keyed
		case g.Timed && above:
			s.InFlight[g.Day] += g.Keyed
		}
	}
	return true
}

// addOutside adds the gap between the two tables' ranges, where there is one.
func (s *Screen) addOutside(p string, e *Extent) {
	switch {
	case !e.InSource || !e.InTarget:
	case e.SourceLow > e.TargetHigh && distance(Span{To: e.TargetHigh}, Span{From: e.SourceLow}) > 1:
		s.addSegment(p, e.TargetHigh, e.SourceLow)
	case e.TargetLow > e.SourceHigh && distance(Span{To: e.SourceHigh}, Span{From: e.TargetLow}) > 1:
		s.addSegment(p, e.SourceHigh, e.TargetLow)
	}
}

// Unsettled are the spans, one a partition, that have to be compared block by block.
func (s *Screen) Unsettled() []Span { return union(s.partitions.spans) }

// NeedsSplit tells whether anything is left for Split.
func (s *Screen) NeedsSplit() bool { return len(s.unsettled.spans) > 0 }

// SplitSpans are the spans of the source that Split has to look at.
func (s *Screen) SplitSpans() []Span {
	if s.Everything {
		return s.Unsettled()
	}
	return coarsen(s.unsettled.spans, mostSpans)
}

// SourceRepeats are spans in which the source may hold a key twice.
func (s *Screen) SourceRepeats() []Span { return coarsen(s.surplus.spans, mostSpans) }

// TargetRepeats are spans in which the target may hold a key twice, once all missing keys were noted.
func (s *Screen) TargetRepeats() []Span {
	all := s.uneven
	if s.surplusRows != 0 || !s.noted {
		all.spans = slices.Clone(all.spans)
		for _, b := range s.counted {
			all.add(b.partition, b.low, b.high)
		}
	}
	return coarsen(all.spans, mostSpans)
}

// Segments are spans in which sequences may be absent from the target, Hollow those in which they may be absent from both
// tables. Both ends of each are keys that exist.
func (s *Screen) Segments() []Span { return coarsen(s.segments.spans, mostSpans) }

// Hollow is said at Segments.
func (s *Screen) Hollow() []Span { return coarsen(s.hollow.spans, mostSpans) }

func (s *Screen) addSegment(p string, from, to int64) {
	s.segments.add(p, from, to)
	if !s.Extents[p].fills(from, to) {
		s.hollow.add(p, from, to)
	}
}

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

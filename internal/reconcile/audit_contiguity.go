package reconcile

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// Contiguity is what the source shows of its sequences: whether each follows the one before it. Only a stretch that has
// settled says so, from the oldest row on: above it rows may still come, and below it rows that were stamped late outlive
// their neighbours.
type Contiguity struct {
	mixes *Mixes
	parts map[string]*shown
	// Problem says why the source shows nothing.
	Problem string
}

// shown is what it shows of one partition.
type shown struct {
	from, to, earliest int64
	timed, settled     bool
	last               int64
	some               bool
	suspects           spanSet
	hole               *Gap
	holes              int64
}

// NewContiguity begins with blocks of a length; 0: DefaultBlock.
func NewContiguity(block int64) *Contiguity {
	if block <= 0 {
		block = DefaultBlock
	}
	return &Contiguity{mixes: NewMixes(block), parts: map[string]*shown{}}
}

// Source reads the rows of SourceStretches.
func (c *Contiguity) Source(rows iter.Seq2[Stretch, error]) error {
	for b, err := range rows {
		if err != nil {
			return err
		}
		s, ok := c.parts[b.Partition]
		if !ok {
			s = &shown{}
			c.parts[b.Partition] = s
		}
		if s.some && distance(Span{To: s.last}, Span{From: b.Low}) > 1 {
			s.suspects.add(b.Partition, s.last, b.Low)
		}
		if !c.mixes.whole(b.Rows, b.Low, b.High, b.Mix) {
			s.suspects.add(b.Partition, b.Low, b.High)
		}
		s.some, s.last = true, b.High
		if b.Settled != nil && (!s.settled || *b.Settled > s.to) {
			s.settled, s.to = true, *b.Settled
		}
		if b.Earliest != nil && b.Oldest != nil && (!s.timed || *b.Earliest < s.earliest) {
			s.timed, s.earliest, s.from = true, *b.Earliest, *b.Oldest
		}
	}
	return nil
}

// Suspects are the spans of the stretches in which a sequence may be absent. Both ends of each are keys that exist.
func (c *Contiguity) Suspects() []Span {
	var spans []Span
	for _, p := range slices.Sorted(maps.Keys(c.parts)) {
		if s := c.parts[p]; s.shows() {
			for _, suspect := range s.suspects.spans {
				if suspect.From <= s.to && suspect.To >= s.from {
					spans = append(spans, suspect)
				}
			}
		}
	}
	return coarsen(spans, mostSpans)
}

// shows reports whether there is a stretch of more than one key.
func (s *shown) shows() bool { return s.timed && s.settled && s.from < s.to }

// Hole takes a gap of the source.
func (c *Contiguity) Hole(g Gap) {
	s, ok := c.parts[g.Partition]
	if !ok || !s.shows() || g.From > s.to || g.To < s.from {
		return
	}
	if s.holes++; s.hole == nil {
		s.hole = &g
	}
}

// Believed reports whether gaps of a partition mean that something is absent that could have been there. A partition that
// shows nothing itself is like the others, if all of them are contiguous.
func (c *Contiguity) Believed(partition string) bool {
	if c.Problem != "" {
		return false
	}
	if s, ok := c.parts[partition]; ok && s.shows() {
		return s.hole == nil
	}
	proved := false
	for _, s := range c.parts {
		if s.hole != nil {
			return false
		}
		proved = proved || s.shows()
	}
	return proved
}

// mostNamed is how many partitions a reason names.
const mostNamed = 5

// Doubts are the reasons for which gaps of partitions are not believed.
func (c *Contiguity) Doubts(partitions []string) []Reason {
	const off = "so gaps prove nothing: they are counted, and only what is known from elsewhere to have been in the source is called missing"
	if c.Problem != "" {
		return []Reason{{CodeNoProof, "that sequences are contiguous cannot be shown: " + c.Problem + "; " + off}}
	}
	var holes []string
	unshown := 0
	for _, p := range slices.Sorted(maps.Keys(c.parts)) {
		if s := c.parts[p]; s.hole != nil {
			text := fmt.Sprintf("partition %s has %d (the first is %d to %d)", p, s.holes, s.hole.From, s.hole.To)
			holes = append(holes, text)
		}
	}
	for _, p := range partitions {
		if s, ok := c.parts[p]; (!ok || s.hole == nil) && !c.Believed(p) {
			unshown++
		}
	}
	var reasons []Reason
	if len(holes) > 0 {
		more := ""
		if len(holes) > mostNamed {
			more, holes = fmt.Sprintf(" and %d more", len(holes)-mostNamed), holes[:mostNamed]
		}
		reasons = append(reasons, Reason{CodeNotContiguous, "the source itself has gaps, although what lies above them has settled: " + strings.Join(holes, ", ") + more + ", " + off})
	}
	if unshown > 0 {
		reasons = append(reasons, Reason{CodeNoProof, fmt.Sprintf("no settled stretch of the source shows that the sequences of %d partitions are contiguous, %s", unshown, off)})
	}
	return reasons
}

// Lowest are the lowest keys of the target's partitions.
func (s *Screen) Lowest() []Probe {
	var probes []Probe
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		if e := s.Extents[p]; e.InTarget {
			probes = append(probes, Probe{Span: Span{p, e.TargetLow, e.TargetLow}})
		}
	}
	return probes
}

// Latecomers are what lies below partitions of the target whose lowest row's event came longer than rows stay after the
// earliest of these events. A partition of the beginning may start anywhere: what was before it was nobody's to load.
func (s *Screen) Latecomers(lowest []KeyTime, stay time.Duration) []Gap {
	if len(lowest) == 0 {
		return nil
	}
	earliest, first := lowest[0].Micros, int64(1)
	for _, k := range lowest {
		earliest = min(earliest, k.Micros)
		if k.Seq <= 0 {
			first = 0
		}
	}
	var out []Gap
	for _, k := range lowest {
		if k.Seq > first && k.Micros-earliest > stay.Microseconds() {
			out = append(out, Gap{Span: Span{k.Partition, first, k.Seq - 1}, Below: true})
		}
	}
	return out
}

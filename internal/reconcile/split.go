package reconcile

import "iter"

// Group is one group of the narrow statement over what the scans left open.
type Group struct {
	Partition string
	Block     int64
	Due       bool
	Day       int64
	// Rows counts the group; Above those of them above the watermark.
	Rows, Above int64
	Low, High   int64
}

// Surplus counts rows of the source that repeat a key.
type Surplus struct {
	Due, Above bool
	Day, Rows  int64
}

// Split counts what is due and in flight in the unsettled blocks, and finds which of them must be opened.
func (s *Screen) Split(groups iter.Seq2[Group, error]) error {
	for g, err := range groups {
		if err != nil {
			return err
		}
		t, pending := s.pending[blockID{g.Partition, g.Block}]
		if !pending && !s.Everything {
			continue // a neighbour that was read along with it, and is settled
		}
		if g.Due {
			s.Due[g.Day] += g.Rows
		} else {
			s.InFlight[g.Day] += g.Above
			if g.Above == g.Rows {
				continue
			}
		}
		if !s.covers(t, g.Low, g.High) {
			s.open.add(g.Partition, g.Low, g.High)
		}
	}
	return nil
}

// Subtract takes repeated rows out of the counts, so that each key counts once.
func (s *Screen) Subtract(repeats iter.Seq2[Surplus, error]) error {
	for r, err := range repeats {
		switch {
		case err != nil:
			return err
		case r.Due:
			s.Due[r.Day] -= r.Rows
		case r.Above:
			s.InFlight[r.Day] -= r.Rows
		}
	}
	return nil
}

// Wide reports whether too many sequences of the source's own range are in neither table for the rest to be read as
// contiguous: more than one in ten.
func (s *Screen) Wide(holes uint64) bool {
	var keys uint64
	for _, e := range s.Extents {
		keys += uint64(e.rows)
	}
	return holes > 0 && holes > (keys+holes)/10
}

// Holes is how many sequences of a gap lie inside the range of the source's partition.
func (s *Screen) Holes(partition string, from, to int64) uint64 {
	e, ok := s.Extents[partition]
	if !ok || !e.InSource || to < e.SourceLow || from > e.SourceHigh {
		return 0
	}
	return distance(Span{To: max(from, e.SourceLow)}, Span{From: min(to, e.SourceHigh)}) + 1
}

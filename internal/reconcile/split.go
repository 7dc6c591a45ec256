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

// fewestGaps is how many gaps it takes to call sequences not contiguous.
const fewestGaps = 32

// Wide reports whether so many gaps lie between the keys that sequences cannot be read as contiguous: one to ten keys, in
// the source's own range or altogether. Gaps are counted, not the sequences in them: rows that were lost in one piece
// leave one gap, however many they were.
func (s *Screen) Wide(inSource, all uint64) bool {
	var source uint64
	for _, e := range s.Extents {
		source += uint64(e.rows)
	}
	return inSource >= fewestGaps && inSource > source/10 || all >= fewestGaps && all > (source+uint64(s.TargetRows))/10
}

// InSource reports whether a gap lies inside the range of the source's partition.
func (s *Screen) InSource(g Gap) bool {
	e, ok := s.Extents[g.Partition]
	return ok && e.InSource && g.From > e.SourceLow && g.To < e.SourceHigh
}

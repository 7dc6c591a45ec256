package reconcile

import (
	"cmp"
	"slices"
)

// mostMixed is how many sequences are mixed to compare with a source; one that is longer is looked at block by block.
const mostMixed = 1 << 28

// isEven reports whether the rows read are those of a source that holds each sequence of its range once, all with an event
// time. A sequence that is missing cannot hide behind another that is there twice, nor several behind as many.
func (e *Extent) isEven() bool {
	return !e.untimed && e.rows > 0 && e.rows <= mostMixed && uint64(e.rows) == uint64(e.SourceHigh)-uint64(e.SourceLow)+1 && e.mix == wideMix(e.SourceLow, e.SourceHigh)
}

// wideMask and wideMixer spread a sequence's lowest 26 bits over 62 before the XOR: the largest product fits in a BIGINT.
const (
	wideMask  = 1<<26 - 1
	wideMixer = 61_709_368_523
)

// wideMix is the mixed XOR of all sequences from low to high, as SourceSlots adds it up.
func wideMix(low, high int64) (mix int64) {
	for s := low; ; {
		last := min(high, s|wideMask) // up to here each product is the one before and the mixer
		for product, left := (s&wideMask)*wideMixer, last-s; left >= 0; left-- {
			mix ^= product
			product += wideMixer
		}
		if last >= high {
			return mix
		}
		s = last + 1
	}
}

// fills reports whether the source holds every sequence from low to high, so that no gap can be there.
func (e *Extent) fills(low, high int64) bool {
	return e.even && e.SourceLow <= low && high <= e.SourceHigh
}

// passRun opens what lies between the stretch of the target that has just ended and the one before it.
func (s *Screen) passRun(p string, e *Extent) {
	if !e.even || e.passed || e.runHigh < e.next {
		return
	}
	if low, high := e.next, min(e.runLow-1, e.SourceHigh); low <= high {
		s.open.add(p, low, high)
	}
	if e.passed = e.runHigh >= e.SourceHigh; !e.passed {
		e.next = e.runHigh + 1
	}
}

// openRest opens what lies behind the last stretch of the target, up to the last row of the source that matters: of rows
// above the target's end only those that are due do.
func (s *Screen) openRest(p string, e *Extent, above bool) {
	high := e.SourceHigh
	if above {
		high = e.due.high
	}
	if !e.passed && e.next <= high {
		s.open.add(p, e.next, high)
	}
}

// mostUneven is how many blocks of the target are counted key by key without asking for their duplicates.
const mostUneven = 1 << 16

// unevenBlock is a block of the target, within the source's range, that does not hold each sequence once. The source holds
// every sequence there, so that the keys of the block are those that are not found to be missing.
type unevenBlock struct {
	partition string
	low, high int64
}

// addUneven notes a block in which the target may hold keys twice.
func (s *Screen) addUneven(b TargetBlock, e *Extent) {
	if !e.fills(b.Low, b.High) || len(s.counted) >= mostUneven {
		s.uneven.add(*b.Partition, b.Low, b.High)
		return
	}
	s.counted = append(s.counted, unevenBlock{*b.Partition, b.Low, b.High})
	s.surplusRows += b.Rows - (b.High - b.Low + 1)
}

// AllAbsent says that all keys that are missing in Open's spans were noted.
func (s *Screen) AllAbsent() { s.noted = true }

// Absent notes keys of the source that the target was found to lack in Open's spans, each once.
func (s *Screen) Absent(partition string, from, to int64) {
	i, _ := slices.BinarySearchFunc(s.counted, from, func(b unevenBlock, from int64) int {
		if c := cmp.Compare(b.partition, partition); c != 0 {
			return c
		}
		return cmp.Compare(b.high, from)
	})
	for ; i < len(s.counted) && s.counted[i].partition == partition && s.counted[i].low <= to; i++ {
		s.surplusRows += min(to, s.counted[i].high) - max(from, s.counted[i].low) + 1
	}
}

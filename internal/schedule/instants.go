package schedule

import (
	"math/bits"
	"time"
)

// Instants is a set of whole seconds in a span of time, one bit a second: 400
// days are 4.3 MB, and a search for a gap looks at 64 seconds at a time. So
// every question about fires costs the same few milliseconds, whether they
// come each second or once a year.
type Instants struct {
	from  int64 // the second of bit 0
	size  int64 // seconds in the span
	words []uint64
}

// Collect gathers the fires of a sequence in [from, to).
func Collect(s Sequence, from, to time.Time) *Instants {
	begin, end := secondsFrom(from), secondsFrom(to)
	size := max(0, end-begin)
	set := &Instants{from: begin, size: size, words: make([]uint64, (size+63)/64)}
	if z, ok := s.(*zoned); ok {
		z.collect(set)
		return set
	}
	for t, ok := s.Next(time.Unix(begin-1, 0)); ok && t.Unix() < end; t, ok = s.Next(t) {
		set.Add(t.Unix())
	}
	return set
}

// collect goes through the zone's periods. In each, the wall times that a
// later period shows again are left to the later one.
func (z *zoned) collect(set *Instants) {
	end := set.from + set.size
	for at := set.from; at < end; {
		p := periodAt(at, z.zone)
		from, to := at+p.offset, min(p.to, end)+p.offset
		for next := p; next.to < end+widest && next.to < p.to+widest; {
			next = periodAt(next.to, z.zone)
			to = min(to, next.from+next.offset)
		}
		z.collectWalls(set, from, to, p.offset)
		at = p.to
	}
}

func (z *zoned) collectWalls(set *Instants, from, to, offset int64) {
	var (
		days    uint32
		y, m, d int
	)
	for date := floorDiv(from, day); date*day < to; date++ {
		if d++; days == 0 || d > daysIn(y, m) {
			y, m, d = civil(date)
			days = 0
			if z.cron.inYear(y) {
				days = z.cron.days(y, m)
			}
			days |= 1 // bit 0 marks the month as looked up
		}
		if days&(1<<d) == 0 {
			continue
		}
		start := date * day
		set.paste(z, int(max(0, from-start)), int(min(day, to-start)), start-offset-set.from)
	}
}

// paste adds the seconds [low, high) of a day of fires that begins at a
// position of the set.
func (set *Instants) paste(z *zoned, low, high int, at int64) {
	if low >= high {
		return
	}
	shift := uint(((at % 64) + 64) % 64)
	base := int((at - int64(shift)) / 64)
	for _, filled := range z.filled {
		w := int(filled)
		if w < low/64 {
			continue
		}
		if w > (high-1)/64 {
			break
		}
		word := z.times[w]
		if w == low/64 {
			word &= ^uint64(0) << (low % 64)
		}
		if w == high/64 {
			word &= 1<<(high%64) - 1
		}
		if shifted := word << shift; shifted != 0 {
			set.words[base+w] |= shifted
		}
		if shifted := word >> (64 - shift); shifted != 0 {
			set.words[base+w+1] |= shifted
		}
	}
}

// Add puts a second into the set; outside the span it does nothing.
func (set *Instants) Add(at int64) {
	if i := at - set.from; i >= 0 && i < set.size {
		set.words[i/64] |= 1 << (i % 64)
	}
}

// Has says whether a second is in the set.
func (set *Instants) Has(at int64) bool {
	i := at - set.from
	return i >= 0 && i < set.size && set.words[i/64]&(1<<(i%64)) != 0
}

// Remove takes out the seconds [from, to).
func (set *Instants) Remove(from, to int64) {
	low, high := max(0, from-set.from), min(set.size, to-set.from)
	for low < high {
		w := low / 64
		end := min(high, (w+1)*64)
		mask := ^uint64(0) << (low % 64)
		if end%64 != 0 {
			mask &= 1<<(end%64) - 1
		}
		set.words[w] &^= mask
		low = end
	}
}

// Count is the number of seconds in the set that lie in [from, to).
func (set *Instants) Count(from, to int64) int {
	low, high := max(0, from-set.from), min(set.size, to-set.from)
	n := 0
	for low < high {
		w := low / 64
		end := min(high, (w+1)*64)
		word := set.words[w] & (^uint64(0) << (low % 64))
		if end%64 != 0 {
			word &= 1<<(end%64) - 1
		}
		n += bits.OnesCount64(word)
		low = end
	}
	return n
}

// Next is the first second of the set at or after the given one.
func (set *Instants) Next(at int64) (int64, bool) { return set.next(at) }

func (set *Instants) next(at int64) (int64, bool) {
	i := max(0, at-set.from)
	if i >= set.size {
		return 0, false
	}
	w := i / 64
	word := set.words[w] & (^uint64(0) << (i % 64))
	for word == 0 {
		if w++; w == int64(len(set.words)) {
			return 0, false
		}
		word = set.words[w]
	}
	return set.from + w*64 + int64(bits.TrailingZeros64(word)), true
}

// Last is the last second of the set before the given one.
func (set *Instants) Last(before int64) (int64, bool) {
	i := min(set.size, before-set.from) - 1
	if i < 0 {
		return 0, false
	}
	w := i / 64
	word := set.words[w] & (^uint64(0) >> (63 - i%64))
	for word == 0 {
		if w--; w < 0 {
			return 0, false
		}
		word = set.words[w]
	}
	return set.from + w*64 + 63 - int64(bits.LeadingZeros64(word)), true
}

func (set *Instants) last() int64 {
	at, _ := set.Last(set.from + set.size)
	return at
}

// longestGap is the earliest of the longest gaps inside the set that are
// longer than best.
func (set *Instants) longestGap(best int64) (from, to int64, ok bool) {
	previous := int64(-1)
	for w, word := range set.words {
		if word == 0 {
			continue
		}
		base := int64(w) * 64
		low, high := base+int64(bits.TrailingZeros64(word)), base+63-int64(bits.LeadingZeros64(word))
		if previous >= 0 && low-previous > best {
			best, from, to, ok = low-previous, set.from+previous, set.from+low, true
		}
		// Inside a word gaps are looked at only when a longer one can be there.
		if best < 63 && hasGap(word, low-base, high-base, best) {
			for word &= word - 1; word != 0; word &= word - 1 {
				next := base + int64(bits.TrailingZeros64(word))
				if next-low > best {
					best, from, to, ok = next-low, set.from+low, set.from+next, true
				}
				low = next
			}
		}
		previous = high
	}
	return from, to, ok
}

// hasGap says whether two neighbours of the set bits of a word, which lie in
// [low, high], are more than best apart: whether best zeros in a row are there.
func hasGap(word uint64, low, high, best int64) bool {
	zeros := ^word & (^uint64(0) << low) & (^uint64(0) >> (63 - high))
	for run := int64(1); zeros != 0 && run < best; {
		step := min(run, best-run)
		zeros &= zeros >> step
		run += step
	}
	return best == 0 || zeros != 0
}

// Words are the bits themselves, 64 seconds each, to be read only.
func (set *Instants) Words() []uint64 { return set.words }

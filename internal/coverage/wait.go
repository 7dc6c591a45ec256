package coverage

import (
	"math"
	"math/bits"
)

// rules are how one run follows another, in seconds.
type rules struct {
	duration int64 // the longest a run may last
	pause    int64 // the length of a pause at no known time
	queue    bool
	late     bool // the pause begins at the first fire after the run's end
}

// worst is the pair of consecutive reads that lie furthest apart.
type worst struct {
	from, to int64
	pausedAt int64 // the fire that the pause at no known time meets
	never    bool  // no fire at all, or a last one after which none comes
}

// dayWords is a day in words of 64 seconds.
const dayWords = 24 * 60 * 60 / 64

// pass goes over all live fires once.
type pass struct {
	live  *live
	rules rules
	// reach is, for each word, the last word that was looked at for its fires.
	reach []int32
	// same is, for each lag, the first word known to differ from the one a lag
	// before it, or the first not compared yet.
	same [3]int
	run  cursor
	read cursor
}

// longest finds the earliest of the live fires after which the next read comes
// latest. A fire whose surroundings are the same, second by second, as those
// of a fire a day or a week earlier cannot be later than that one, and is not
// looked at again; all others are.
func (l *live) longest(r rules) worst {
	p := pass{live: l, rules: r, reach: l.reach}
	w := worst{never: true}
	best := int64(-1)
	for _, filled := range l.filled {
		i := int(filled)
		if p.repeats(i) {
			continue
		}
		var far int64
		word := l.set.Words()[i]
		for ; word != 0; word &= word - 1 {
			from := l.from + int64(i)*64 + int64(bits.TrailingZeros64(word))
			paused, to, ok := p.after(from)
			if !ok {
				return worst{from: from, never: true}
			}
			if to-from > best {
				best, w = to-from, worst{from: from, to: to, pausedAt: paused}
			}
			far = max(far, to)
		}
		p.reach[i] = int32(min(math.MaxInt32, (far-l.from)/64))
	}
	return w
}

// after is the fire after a run that starts at a fire, and the start of the
// next run if a pause begins at that fire.
func (p *pass) after(from int64) (fire, read int64, ok bool) {
	ready := from + p.rules.duration
	first := from + 1
	if p.rules.late {
		first = max(first, ready)
	}
	if fire, ok = p.run.next(p.live, first); !ok {
		return 0, 0, false
	}
	if !p.rules.queue {
		read, ok = p.read.next(p.live, max(fire+p.rules.pause, ready))
		return fire, read, ok
	}
	read, ok = p.read.next(p.live, fire+p.rules.pause)
	return fire, max(read, ready), ok
}

func (p *pass) repeats(i int) bool {
	words := p.live.set.Words()
	// The pattern of fires mostly repeats after a day, two days or a week.
	for k, lag := range [...]int{dayWords, 2 * dayWords, 7 * dayWords} {
		if i < lag || words[i-lag] != words[i] {
			continue
		}
		reach := int(p.reach[i-lag]) + lag
		if reach >= len(words) {
			continue
		}
		same := max(p.same[k], i)
		for same <= reach && words[same] == words[same-lag] {
			same++
		}
		p.same[k] = same
		if same > reach {
			p.reach[i] = int32(reach)
			return true
		}
	}
	return false
}

// cursor remembers the last answer: questions come in rising order.
type cursor struct{ asked, found int64 }

func (c *cursor) next(l *live, at int64) (int64, bool) {
	if at >= c.asked && at <= c.found {
		return c.found, true
	}
	found, ok := l.next(at)
	if ok {
		c.asked, c.found = at, found
	}
	return found, ok
}

package coverage

import (
	"math/bits"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// horizon is how far fires are looked at: both daylight saving changes, all
// month ends, a year's end and, in most years, what a leap day moves.
const horizon = 400 * 24 * 60 * 60

// live are the fires that start a run: those of the loader that lie in no
// pause, and the ends of pauses after which it is run.
type live struct {
	loader   schedule.Sequence
	window   *Window // nil when the loader runs through it
	from, to int64
	set      *schedule.Instants
	fires    int     // how many there are in the set
	filled   []int32 // the words of the set that hold any
	reach    []int32 // scratch of a pass, as long as the words
	// beyond remembers the last answer after the horizon: no live fire lies
	// in [beyondFrom, beyondTo).
	beyondFrom, beyondTo int64
	beyondOK             bool
	// tail are the live fires of the stretch after the horizon looked at last.
	tail             *schedule.Instants
	tailFrom, tailTo int64
}

func newLive(loader schedule.Sequence, window *Window, at time.Time) *live {
	l := &live{loader: loader, from: at.Unix()}
	if at.Nanosecond() > 0 {
		l.from++
	}
	l.to = l.from + horizon
	if window != nil && window.LoaderPaused {
		l.window = window
	}
	l.set = l.collect(l.from, l.to)
	words := l.set.Words()
	l.reach = make([]int32, len(words))
	l.filled = make([]int32, 0, len(words))
	for i, word := range words {
		if word != 0 {
			l.filled = append(l.filled, int32(i))
			l.fires += bits.OnesCount64(word)
		}
	}
	return l
}

// collect gathers the live fires in [from, to).
func (l *live) collect(from, to int64) *schedule.Instants {
	set := schedule.Collect(l.loader, time.Unix(from, 0), time.Unix(to, 0))
	if l.window == nil {
		return set
	}
	for _, p := range l.pauses(from, to) {
		set.Remove(p.from, p.to)
		if l.window.CatchUp {
			set.Add(p.to)
		}
	}
	return set
}

// pause is a span [from, to) in which the loader starts nothing.
type pause struct{ from, to int64 }

// pauses are those that touch [from, to), overlapping ones merged.
func (l *live) pauses(from, to int64) []pause {
	duration := int64(l.window.Duration / time.Second)
	starts := schedule.Collect(l.window.Cron, time.Unix(from-duration, 0), time.Unix(to, 0))
	var all []pause
	at, ok := starts.Next(from - duration)
	for ok {
		p := pause{from: at, to: at + duration}
		for {
			last, _ := starts.Last(p.to + 1)
			if last+duration <= p.to {
				break
			}
			p.to = last + duration
		}
		all = append(all, p)
		at, ok = starts.Next(p.to + 1)
	}
	return all
}

// next is the first live fire at or after an instant.
func (l *live) next(at int64) (int64, bool) {
	if at < l.to {
		if next, ok := l.set.Next(at); ok {
			return next, true
		}
		at = l.to
	}
	if at >= l.beyondFrom && at <= l.beyondTo && l.beyondFrom > 0 {
		return l.beyondTo, l.beyondOK
	}
	l.beyondFrom = at
	l.beyondTo, l.beyondOK = l.search(at)
	return l.beyondTo, l.beyondOK
}

// Quartz finds no fire more than 100 years ahead.
const farthest = 100 * 366 * 24 * 60 * 60

// search looks for a live fire after the horizon.
func (l *live) search(at int64) (int64, bool) {
	const span = 32 * 24 * 60 * 60
	limit := at + farthest
	if l.tail != nil && at >= l.tailFrom {
		if found, ok := l.tail.Next(at); ok {
			return found, true
		}
		at = max(at, l.tailTo)
	}
	for at < limit {
		next, ok := l.loader.Next(time.Unix(at-1, 0))
		begin := next.Unix()
		if l.window != nil && l.window.CatchUp {
			duration := l.window.Duration
			opened, opens := l.window.Cron.Next(time.Unix(at-1, 0).Add(-duration))
			if end := opened.Add(duration).Unix(); opens && (!ok || end < begin) {
				begin, ok = end, true
			}
		}
		if !ok {
			return limit, false
		}
		if l.window == nil {
			return begin, true
		}
		begin = max(begin, at)
		l.tail, l.tailFrom, l.tailTo = l.collect(begin, begin+span), begin, begin+span
		if found, ok := l.tail.Next(begin); ok {
			return found, true
		}
		at = begin + span
	}
	return limit, false
}

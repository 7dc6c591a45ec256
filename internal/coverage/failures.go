package coverage

import (
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// tolerated is how many runs in a row may fail before rows are lost. It is
// exact for a schedule; with a pause at no known time, with runs that queue
// behind each other, and for triggers without instants each wait but the
// paused one is taken to be the longest, so the true number may be higher,
// never lower.
func tolerated(in Input, v Verdict, w wait) int {
	left := v.Limit - in.SettleDelay - in.Loader.MaxDuration
	if w.never || !w.bounded || v.Limit == 0 || v.Headroom < 0 {
		return 0
	}
	if w.live == nil {
		return repeatedWaits(left-(w.length-in.Loader.MaxDuration), w.step)
	}
	r := rulesOf(in)
	step := w.length - in.Loader.MaxDuration
	if in.Pause > 0 {
		r.pause = 0
		calm := w.live.longest(r)
		step = time.Duration(calm.to-calm.from) * time.Second
		return repeatedWaits(left-(w.length-in.Loader.MaxDuration), step)
	}
	c := newChain(w.live, r, min(left, horizon*time.Second))
	if r.queue && r.duration > c.closest() {
		return repeatedWaits(left-step, step)
	}
	return max(0, c.steps()-1)
}

// repeatedWaits is how many steps fit into what is left. Without a step
// nothing is promised: a continuous loader backs off between failed runs.
func repeatedWaits(left, step time.Duration) int {
	if step <= 0 || left < 0 {
		return 0
	}
	return int(left / step)
}

// chain is runs that follow one another: from each fire to the next that
// starts a run.
type chain struct {
	times    []int64 // live fires, or a part of them
	starts   int     // those that lie in the 400 days
	deadline []int64 // for each start, the last instant a read may start at
	next     []int32 // -1: none in the times
}

// mostTimes bounds the work: of a denser schedule only one fire in some
// seconds is used, which can but lower the answer.
const mostTimes = 1 << 17

func newChain(l *live, r rules, budget time.Duration) chain {
	left := int64(budget / time.Second)
	end := l.to + left + 1
	sets := []*schedule.Instants{l.set, l.collect(l.to, end)}
	n := l.fires + sets[1].Count(l.to, end)
	width := int64(1)
	if n > mostTimes {
		width = (end - l.from + mostTimes - 1) / mostTimes
	}
	n = min(n, mostTimes+len(sets))
	c := chain{times: make([]int64, 0, n), deadline: make([]int64, 0, n)}
	for i, set := range sets {
		for at, ok := set.Next(l.from); ok; at, ok = set.Next(at + 1) {
			first := at
			// Of each stretch its last fire is kept: a run that starts at any
			// fire of the stretch has its deadline from the first.
			if width > 1 {
				at, _ = set.Last(at - (at-l.from)%width + width)
			}
			c.times = append(c.times, at)
			if i == 0 {
				c.deadline = append(c.deadline, first+left)
			}
		}
	}
	c.starts = len(c.deadline)
	c.next = make([]int32, len(c.times))
	k := 0
	for i, at := range c.times {
		for k < len(c.times) && c.times[k] < max(at+1, at+r.duration) {
			k++
		}
		c.next[i] = int32(k)
		if k == len(c.times) {
			c.next[i] = -1
		}
	}
	return c
}

// closest is the least time between two of the times.
func (c chain) closest() int64 {
	least := int64(horizon)
	for i := 1; i < len(c.times); i++ {
		least = min(least, c.times[i]-c.times[i-1])
	}
	return least
}

// steps is the largest number of runs that start in time after every start. It
// is found by doubling: first how far 1, 2, 4, … runs lead, then the sum of the
// powers that all starts bear.
func (c chain) steps() int {
	if c.starts == 0 {
		return 0
	}
	powers := [][]int32{c.next}
	for c.bears(nil, powers[len(powers)-1]) {
		last := powers[len(powers)-1]
		powers = append(powers, compose(last, last))
	}
	var at []int32
	total := 0
	for k := len(powers) - 2; k >= 0; k-- {
		if c.bears(at, powers[k]) {
			at = compose(powers[k], at)
			total += 1 << k
		}
	}
	return total
}

// bears says whether every start, moved on first by at and then by jump,
// arrives before its deadline. A nil move stays.
func (c chain) bears(at, jump []int32) bool {
	for i := range c.starts {
		to := int32(i)
		if at != nil {
			to = at[i]
		}
		if to = jump[to]; to < 0 || c.times[to] > c.deadline[i] {
			return false
		}
	}
	return true
}

// compose is first, then second; a nil first stays.
func compose(second, first []int32) []int32 {
	out := make([]int32, len(second))
	for i := range out {
		to := int32(i)
		if first != nil {
			to = first[i]
		}
		if to >= 0 {
			to = second[to]
		}
		out[i] = to
	}
	return out
}

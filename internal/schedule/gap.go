package schedule

import "time"

// Gap is the time between two consecutive fires.
type Gap struct {
	Length   time.Duration
	From, To time.Time
}

// LongestGap is the longest gap that begins in [from, to), the earliest when
// several are equal. It may end after to. It is false when no gap begins
// there: there is no fire, or one after which none comes.
func LongestGap(s Sequence, from, to time.Time) (Gap, bool) {
	const span = 64 * day
	var (
		best int64
		gap  Gap
		last int64
		some bool
	)
	begin, end := secondsFrom(from), secondsFrom(to)
	for at := begin; at < end; at += span {
		fires := Collect(s, time.Unix(at, 0), time.Unix(min(at+span, end), 0))
		first, ok := fires.next(at)
		if !ok {
			continue
		}
		if some && first-last > best {
			best, gap = first-last, gapOf(last, first, from.Location())
		}
		if a, b, ok := fires.longestGap(best); ok {
			best, gap = b-a, gapOf(a, b, from.Location())
		}
		last, some = fires.last(), true
	}
	if some {
		if next, ok := s.Next(time.Unix(last, 0)); ok && next.Unix()-last > best {
			gap = gapOf(last, next.Unix(), from.Location())
		}
	}
	return gap, gap.Length > 0
}

func gapOf(a, b int64, zone *time.Location) Gap {
	return Gap{
		Length: time.Duration(b-a) * time.Second,
		From:   time.Unix(a, 0).In(zone),
		To:     time.Unix(b, 0).In(zone),
	}
}

// secondsFrom is the first whole second at or after an instant.
func secondsFrom(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

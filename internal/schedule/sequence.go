package schedule

import (
	"math/bits"
	"time"
)

// Sequence is the fires of one trigger.
type Sequence interface {
	// Next is the first fire strictly after an instant, or false when none
	// comes any more. It costs microseconds and has no side effect.
	Next(after time.Time) (time.Time, bool)
}

// In is the expression's fires in a time zone. Instants are whole seconds and
// carry the zone.
//
// Next is what Quartz's getTimeAfter answers: a start inside the first pass of
// a repeated hour is read as the same wall time in the second, and no fire
// more than 100 years ahead is found.
func (c *Cron) In(zone *time.Location) Sequence {
	z := &zoned{cron: c, zone: zone, times: c.timesOfDay()}
	for i, word := range z.times {
		if word != 0 {
			z.filled = append(z.filled, int32(i))
		}
	}
	return z
}

// NextN are the next n fires after an instant, fewer when there are no more.
func NextN(s Sequence, after time.Time, n int) []time.Time {
	var fires []time.Time
	for len(fires) < n {
		next, ok := s.Next(after)
		if !ok {
			break
		}
		fires = append(fires, next)
		after = next
	}
	return fires
}

const (
	day     = 24 * 60 * 60
	dayBits = day / 64 // words of a day
	// Quartz fills years up to 100 after the current one.
	yearsAhead = 100
)

// zoned is a cron expression in a zone.
type zoned struct {
	cron  *Cron
	zone  *time.Location
	times *[dayBits]uint64 // the seconds of a day on which it fires
	// filled are the words of times that hold any.
	filled []int32
}

func (c *Cron) timesOfDay() *[dayBits]uint64 {
	var times [dayBits]uint64
	for h := range 24 {
		for m := range 60 {
			if c.hourBits&(1<<h) == 0 || c.minuteBits&(1<<m) == 0 {
				continue
			}
			at := h*3600 + m*60
			times[at/64] |= c.secondBits << (at % 64)
			if at%64 > 4 {
				times[at/64+1] |= c.secondBits >> (64 - at%64)
			}
		}
	}
	return &times
}

func (z *zoned) Next(after time.Time) (time.Time, bool) {
	start := after.Unix() + 1
	wall := start + periodAt(start, z.zone).offset
	limit := civilYear(wall) + yearsAhead
	for {
		next, ok := z.nextWall(wall, limit)
		if !ok {
			return time.Time{}, false
		}
		at, resume, ok := lastInstant(next, z.zone)
		if ok {
			return time.Unix(at, 0).In(z.zone), true
		}
		wall = resume
	}
}

// nextWall is the first wall time at or after the given one that fits, as
// seconds since 1970 on that wall clock, in years up to limit.
func (z *zoned) nextWall(wall int64, limit int) (int64, bool) {
	date := floorDiv(wall, day)
	second := int(wall - date*day)
	y, m, d := civil(date)
	for ; y <= limit; y, m, d, second = y+1, 1, 1, 0 {
		for ; z.cron.inYear(y) && m <= 12; m, d, second = m+1, 1, 0 {
			days := z.cron.days(y, m)
			for days >>= d; days != 0; days >>= 1 {
				if days&1 != 0 {
					if at := z.nextTime(second); at < day {
						return dayNumber(y, m, d)*day + int64(at), true
					}
				}
				d, second = d+1, 0
			}
		}
	}
	return 0, false
}

// nextTime is the first second of the day, at or after the given one, on which
// it fires; day when there is none.
func (z *zoned) nextTime(second int) int {
	w := second / 64
	word := z.times[w] >> (second % 64) << (second % 64)
	for word == 0 {
		if w++; w == dayBits {
			return day
		}
		word = z.times[w]
	}
	return w*64 + bits.TrailingZeros64(word)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func civil(date int64) (y, m, d int) {
	t := time.Unix(date*day, 0).UTC()
	return t.Year(), int(t.Month()), t.Day()
}

func civilYear(wall int64) int { return time.Unix(wall, 0).UTC().Year() }

func dayNumber(y, m, d int) int64 {
	return floorDiv(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix(), day)
}

package schedule

import (
	"math"
	"time"
)

// period is a span of instants [from, to) in which a zone keeps one offset.
type period struct {
	from, to int64
	offset   int64 // wall clock = instant + offset
}

// The ends of a zone's first and last period.
const (
	always = math.MinInt64 / 4
	never  = math.MaxInt64 / 4
)

// periodAt is the period an instant lies in. Go cuts periods at the turn of a
// year and wherever a zone changes its name alone; they are joined here.
func periodAt(at int64, zone *time.Location) period {
	p := boundsAt(at, zone)
	for p.to < never {
		next := boundsAt(p.to, zone)
		if next.offset != p.offset {
			break
		}
		p.to = next.to
	}
	for p.from > always {
		previous := boundsAt(p.from-1, zone)
		if previous.offset != p.offset {
			break
		}
		p.from = previous.from
	}
	return p
}

// boundsAt is a span around an instant in which the offset is the same.
func boundsAt(at int64, zone *time.Location) period {
	t := time.Unix(at, 0).In(zone)
	_, offset := t.Zone()
	start, end := t.ZoneBounds()
	p := period{from: always, to: never, offset: int64(offset)}
	if !start.IsZero() {
		p.from = start.Unix()
	}
	if !end.IsZero() {
		p.to = end.Unix()
	}
	if p.to <= at {
		// Beyond a zone's listed transitions Go (1.26, time.tzset) lets each
		// year end after 365 days, so the last day of a leap year lies outside
		// the bounds it is given.
		p.to = time.Date(t.UTC().Year()+1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	}
	return p
}

// widest is more than any two offsets of one zone lie apart: a day was skipped
// or repeated where the date line moved.
const widest = 26 * 60 * 60

// lastInstant is the last instant at which the zone's clocks show a wall time.
// When they never show it, resume is the first wall time after the jump.
func lastInstant(wall int64, zone *time.Location) (at, resume int64, ok bool) {
	p := periodAt(wall+widest, zone)
	resume = wall + 1
	for {
		at = wall - p.offset
		if at >= p.from && at < p.to {
			return at, 0, true
		}
		// Periods are looked at from the last to the first. One that shows the
		// wall time would lie behind those that begin after it on the wall clock.
		if at < p.from {
			resume = p.from + p.offset
		}
		if p.to+p.offset <= wall && wall-p.to-p.offset > widest || p.from == always {
			return 0, max(resume, wall+1), false
		}
		p = periodAt(p.from-1, zone)
	}
}

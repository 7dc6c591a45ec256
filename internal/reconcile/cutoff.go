package reconcile

import "time"

// Cutoff is the event time up to which a run could have read.
type Cutoff struct {
	// Micros are since 1970.
	Micros int64
	// Strict says that a row exactly on it is not due.
	Strict bool
}

// SkewGuard is taken off a cutoff that was made from a wall clock: the service that starts runs and the machine that
// reads the source need not agree on the time. A row inside the guard that is not in the target is in flight. A cutoff
// made from the newest event needs none, for both sides of its comparison come from one table.
const SkewGuard = time.Minute

// NewCutoff takes the settle delay and the guard off the loader's now.
func NewCutoff(now time.Time, delay, guard time.Duration, strict bool) Cutoff {
	return Cutoff{Micros: now.Add(-delay - guard).UnixMicro(), Strict: strict}
}

// NoCutoff is the cutoff of a loader that found no event to measure age from: nothing is due.
func NoCutoff() Cutoff {
	return Cutoff{Micros: time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), Strict: true}
}

// Time is the cutoff as an instant.
func (c Cutoff) Time() time.Time { return time.UnixMicro(c.Micros).UTC() }

// Edge is the event time, in microseconds, below which rows were due.
func (c Cutoff) Edge() int64 {
	if c.Strict {
		return c.Micros
	}
	return c.Micros + 1
}

// due reports whether a row with this event time was due.
func (c Cutoff) due(micros int64) bool {
	return micros < c.Micros || !c.Strict && micros == c.Micros
}

// operator compares an event time with the cutoff, in SQL.
func (c Cutoff) operator() string {
	if c.Strict {
		return "<"
	}
	return "<="
}

const microsPerDay = 24 * 60 * 60 * 1_000_000

// dayOf counts the days since 1970, in UTC; it truncates toward zero as SQL's DIV does only after 1970, so it floors.
func dayOf(micros int64) int64 {
	d := micros / microsPerDay
	if micros%microsPerDay < 0 {
		d--
	}
	return d
}

func dayName(day int64) string {
	return time.Unix(day*microsPerDay/1_000_000, 0).UTC().Format("2006-01-02")
}

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

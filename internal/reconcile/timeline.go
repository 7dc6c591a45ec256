package reconcile

import (
	"slices"
	"time"
)

// Timeline is a table's history reduced to what causes need of it: which version was when, and which commits took rows
// away or changed them. It holds the newest 100,000 commits at most, and of the latter 1,000.
type Timeline struct {
	moments  []moment // newest first
	removals []Commit // newest first
	// since is the version down to which removals are complete.
	since int64
}

type moment struct {
	version, micros int64
	unsure          bool // it may have been an hour earlier
}

const (
	mostMoments  = 100_000
	mostRemovals = 1000
)

// Add takes the next older commit. It reports whether more are of use: not beyond a hole in the log.
func (t *Timeline) Add(c Commit) bool {
	if n := len(t.moments); n > 0 && t.moments[n-1].version != c.Version+1 || n == mostMoments {
		return false
	}
	t.moments = append(t.moments, moment{c.Version, c.At.UnixMicro(), !c.Or.IsZero()})
	if len(t.removals) < mostRemovals {
		t.since = c.Version
		if c.Removes() && c.Version > 0 {
			t.removals = append(t.removals, c)
		}
	}
	return c.Version > 0
}

// At is the version that a table had at an instant.
func (t *Timeline) At(at time.Time) (version int64, known bool) {
	i, _ := slices.BinarySearchFunc(t.moments, at.UnixMicro(), func(m moment, micros int64) int {
		if m.micros > micros {
			return -1
		}
		return 1
	})
	if i == len(t.moments) || t.moments[i].unsure || i > 0 && t.moments[i-1].unsure {
		return 0, false
	}
	return t.moments[i].version, true
}

// Committed is when a version was made; zero where it is not known.
func (t *Timeline) Committed(version int64) time.Time {
	if len(t.moments) == 0 {
		return time.Time{}
	}
	// Versions have no holes, so they count down from the newest.
	if i := t.moments[0].version - version; i >= 0 && i < int64(len(t.moments)) {
		return instant(t.moments[i].micros)
	}
	return time.Time{}
}

// Begins is when the oldest commit was made that is known; zero when it is the table's first.
func (t *Timeline) Begins() time.Time {
	if n := len(t.moments); n > 0 && t.moments[n-1].version > 0 {
		return instant(t.moments[n-1].micros)
	}
	return time.Time{}
}

// Rewritten reports whether rows may have changed between two versions of the table, and kept their keys.
func (t *Timeline) Rewritten(from, to int64) bool {
	if from == to {
		return false // known or not
	}
	if from < t.since {
		return true
	}
	return slices.ContainsFunc(t.removals, func(c Commit) bool { return from < c.Version && c.Version <= to && c.Rewrites() })
}

// Removals are the commits up to a version that may have taken rows away or changed them, newest first, and the version
// down to which there are no others.
func (t *Timeline) Removals(upTo int64) (commits []Commit, since int64) {
	i := slices.IndexFunc(t.removals, func(c Commit) bool { return c.Version <= upTo })
	if i < 0 {
		return nil, t.since
	}
	return t.removals[i:], t.since
}

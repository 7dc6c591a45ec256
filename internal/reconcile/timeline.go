package reconcile

import (
	"slices"
	"time"
)

// Timeline is a table's history reduced to what causes need of it, newest first. It holds the newest 100,000 commits at
// most, and says where it ends.
type Timeline struct {
	moments  []moment
	commits  []Commit // that remove or rewrite rows, the newest 1,000
	complete bool     // nothing is older
	cut      int64    // no commit below this version is among commits
}

type moment struct{ version, micros int64 }

const (
	mostMoments = 100_000
	mostRemoval = 1000
)

func (t *Timeline) add(c Commit) {
	if len(t.moments) >= mostMoments {
		return
	}
	t.moments = append(t.moments, moment{c.Version, c.At.UnixMicro()})
	t.complete = c.Version == 0
	if len(t.commits) < mostRemoval {
		t.cut = c.Version
		if c.Removes() {
			t.commits = append(t.commits, c)
		}
	}
}

// Add takes the next older commit. It reports whether more are of use: not beyond a hole in the log.
func (t *Timeline) Add(c Commit) bool {
	if n := len(t.moments); n > 0 && t.moments[n-1].version != c.Version+1 {
		return false
	}
	t.add(c)
	return !t.complete && len(t.moments) < mostMoments
}

// At is the version that a table had at an instant.
func (t *Timeline) At(at time.Time) (version int64, known bool) {
	micros := at.UnixMicro()
	i, _ := slices.BinarySearchFunc(t.moments, micros, func(m moment, micros int64) int { // newest first
		if m.micros > micros {
			return -1
		}
		return 1
	})
	if i == len(t.moments) {
		return 0, false
	}
	return t.moments[i].version, true
}

// Rewritten reports whether rows may have changed between two versions of the table, and kept their keys.
func (t *Timeline) Rewritten(from, to int64) bool {
	if from < t.cut {
		return true // nothing is known of what came between
	}
	return slices.ContainsFunc(t.commits, func(c Commit) bool { return from < c.Version && c.Version <= to && c.Rewrites() })
}

// Removals are the commits up to a version that may have removed rows, newest first, and the version below which there
// may be others.
func (t *Timeline) Removals(upTo int64) (commits []Commit, since int64) {
	for _, c := range t.commits {
		if c.Version <= upTo && c.Version > 0 {
			commits = append(commits, c)
		}
	}
	if t.complete && t.cut == 0 {
		return commits, 0
	}
	return commits, t.cut
}

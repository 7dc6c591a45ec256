package truth

import (
	"cmp"
	"slices"
	"time"
)

// World is what there was at a check, for those who judge causes without a workspace.
type World struct {
	Source, Target []Version
	// SourceVersion and TargetVersion are those that are compared, Verified the number of the run.
	SourceVersion, TargetVersion, Verified int
	Runs                                   []Played
	// Foreign are the versions of the target that no run made.
	Foreign []int
	// Came are the keys that runs brought to the target.
	Came map[Key]bool
	// Readable tells whether a version of the source can be read.
	Readable func(version int) bool
}

// Version is a version of a table: its keys with their earliest event times, and the newest of all event times.
type Version struct {
	At, Newest time.Time

	Rows map[Key]time.Time
	// Removes says that the history shows it as one that may take rows away, Rewrites that it changed some.
	Removes, Rewrites bool
}

// Played is a run that has ended.
type Played struct {
	Number        int
	Started, Done time.Time // Done is its last commit, or its end
	Failed        bool
	Commits       []int
	// Reach is the lowest and the highest sequence that it wrote, by partition.
	Reach map[string][2]int64
}

// World gives everything that the expectation is worked out from.
func (e Expected) World() World {
	v := e.view
	w := World{SourceVersion: v.source, TargetVersion: v.target, Verified: v.run.Number, Readable: v.readable, Source: versions(v.g.source, v.g.source.version()), Target: versions(v.g.target, v.target)}
	v.anyCame("", nil)
	v.loads()
	w.Came = v.came
	made := map[int]bool{}
	for _, r := range v.ended {
		p := Played{Number: r.Number, Started: r.Started, Done: r.end, Failed: r.Failed, Reach: map[string][2]int64{}}
		for _, c := range r.commits {
			if c <= v.target {
				made[c], p.Done = true, v.g.target.commits[c].at
				p.Commits = append(p.Commits, c)
			}
		}
		for _, n := range append(slices.Clone(v.g.names), "") {
			if low, high, some := v.own(n, r); some {
				p.Reach[n] = [2]int64{low, high}
			}
		}
		w.Runs = append(w.Runs, p)
	}
	slices.SortFunc(w.Runs, func(a, b Played) int { return cmp.Compare(a.Number, b.Number) })
	for n := 1; n <= v.target; n++ {
		if !made[n] {
			w.Foreign = append(w.Foreign, n)
		}
	}
	return w
}

func versions(t *table, to int) []Version {
	var all []Version
	for n := range to + 1 {
		v := Version{At: t.commits[n].at, Removes: t.commits[n].removes, Rows: map[Key]time.Time{}}
		for r := range t.holds(n) {
			if r.u.After(v.Newest) {
				v.Newest = r.u
			}
			if u, there := v.Rows[r.Key]; !r.keyless && !r.u.IsZero() && (!there || r.u.Before(u)) {
				v.Rows[r.Key] = r.u
			}
		}
		if n > 0 && v.Removes {
			for k, u := range v.Rows {
				old, there := all[n-1].Rows[k]
				v.Rewrites = v.Rewrites || !there || !old.Equal(u)
			}
		}
		all = append(all, v)
	}
	return all
}

package truth

import (
	"cmp"
	"slices"
	"time"
)

// Check is a moment at which a run is verified.
type Check struct {
	// Run is the run that is named; nil where the last successful one is meant.
	Run *Run
	// Again says that the same must come out a second time.
	Again bool

	g              *generator
	now            time.Time
	source, target int // newest versions
	ended          []*Run
	active         []*Run
}

// check puts a check in, at a moment when no version of the source is just becoming unreadable.
func (g *generator) check() {
	for g.ambiguous() {
		g.now = g.now.Add(3 * time.Second)
	}
	c := &Check{g: g, now: g.now, source: g.source.version(), target: g.target.version(), Again: g.chance(8)}
	for _, r := range g.runs {
		if r.ended {
			c.ended = append(c.ended, r)
		} else {
			c.active = append(c.active, r)
		}
	}
	if g.chance(5) && len(g.runs) > 0 {
		c.Run = g.runs[g.r.IntN(len(g.runs))]
	}
	g.step(Step{Check: c, Note: "verify"})
}

func (g *generator) ambiguous() bool {
	if g.Retention == 0 {
		return false
	}
	edge := g.now.Add(-g.Retention)
	return slices.ContainsFunc(g.source.commits, func(c commit) bool { return c.at.Sub(edge).Abs() < 2*time.Second })
}

// subject is the run that is verified, the successful one before it, and the first after it that goes on.
func (c *Check) subject() (run, previous, active *Run) {
	newest := slices.SortedFunc(slices.Values(c.ended), func(a, b *Run) int { return cmp.Compare(b.Number, a.Number) })
	newest = slices.DeleteFunc(newest, func(r *Run) bool { return r.Failed })
	run = c.Run
	if run == nil && len(newest) > 0 {
		run = newest[0]
	}
	if run == nil || !slices.Contains(newest, run) {
		return nil, nil, nil
	}
	for _, r := range newest {
		if r.Number < run.Number && previous == nil {
			previous = r
		}
	}
	for _, r := range c.active {
		if r.Number > run.Number && active == nil {
			active = r
		}
	}
	if active != nil && active.Started.Before(run.end) {
		active = nil // the two overlap
	}
	return run, previous, active
}

// Versions are those of the source that there are at the check.
func (c *Check) Versions() int { return c.source + 1 }

// readable tells which versions of the source the workspace lets be read, but for what VACUUM took away.
func (c *Check) readable(version int) bool {
	retention := c.g.Retention
	if retention == 0 {
		retention = 7 * 24 * time.Hour
	}
	return version == c.source || !c.g.source.commits[version].at.Before(c.now.Add(-retention))
}

// Ended tells whether a run ends before the pipeline does.
func (r *Run) Ended() bool { return r.ended }

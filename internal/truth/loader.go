package truth

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// load starts a run, if the loader is neither paused nor busy.
func (g *generator) load() {
	if g.paused || g.busy() && !g.some(Overlap, 2) {
		return
	}
	read, write, end := 2*time.Second, 4*time.Second, 6*time.Second
	if g.some(LongRuns, 2) || g.some(Overlap, 3) {
		read = time.Duration(g.r.Int64N(int64(g.tick)))
		write = read + time.Duration(g.r.Int64N(int64(g.tick)))
		end = write + 2*time.Second
	}
	r := g.begin()
	g.later(read, func() { g.read(r) })
	g.later(write, func() { g.write(r) })
	g.later(end, func() { g.end(r) })
	if g.some(Overlap, 3) {
		g.later(time.Second, g.load)
	}
}

func (g *generator) busy() bool {
	return slices.ContainsFunc(g.runs, func(r *Run) bool { return !r.ended })
}

// begin starts a run, which does nothing by itself.
func (g *generator) begin() *Run {
	r := &Run{Number: len(g.runs) + 1, Started: g.instant()}
	g.runs = append(g.runs, r)
	g.step(Step{Begin: r})
	return r
}

func (g *generator) end(r *Run) {
	r.ended, r.end = true, g.instant()
	g.step(Step{End: r})
}

// read picks the rows of a run: settled, and above the position of their partition.
func (g *generator) read(r *Run) {
	r.readAt, r.before = g.now, maps.Clone(g.position)
	now := g.now
	if g.Newest {
		now = time.Time{}
		for s := range g.source.holds(g.source.version()) {
			if s.u.After(now) {
				now = s.u
			}
		}
	}
	r.last = maps.Clone(g.position)
	if now.IsZero() {
		return
	}
	r.cutoff = now.Add(-g.Delay)
	read := map[string]int{}
	for _, s := range g.unread(r) {
		if g.some(Capped, 1) && read[s.Partition] >= 3 {
			continue
		}
		read[s.Partition]++
		r.picked = append(r.picked, *s)
		if last, ok := r.last[s.Partition]; !ok || s.Seq > last {
			r.last[s.Partition] = s.Seq
		}
	}
	if g.Has(StopsIdle) {
		for p := range r.before {
			g.stopped[p] = g.stopped[p] || read[p] == 0
		}
	}
}

// unread are the rows that a run would read, by partition and sequence.
func (g *generator) unread(r *Run) []*row {
	latest := map[string]int64{}
	if g.Has(StartsLatest) {
		for s := range g.source.holds(g.source.version()) {
			if _, known := r.before[s.Partition]; !known && !s.keyless && s.u.Before(r.cutoff) {
				if high, ok := latest[s.Partition]; !ok || s.Seq > high {
					latest[s.Partition] = s.Seq
				}
			}
		}
		maps.Copy(r.last, latest)
	}
	rows := g.source.matching(func(s *row) bool {
		last, known := r.last[s.Partition]
		due := s.u.Before(r.cutoff) || !g.Strict && s.u.Equal(r.cutoff)
		return !s.keyless && !s.u.IsZero() && !g.stopped[s.Partition] && due && (!known || s.Seq > last)
	})
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Seq, b.Seq)) })
	return rows
}

// write saves what a run read, and its position, or one of the two.
func (g *generator) write(r *Run) {
	rows := r.picked
	if g.some(Isolated, 2) && len(rows) > 1 {
		at := g.r.IntN(len(rows))
		k := rows[at].Key
		rows = slices.DeleteFunc(slices.Clone(rows), func(s row) bool { return s.Key == k })
		r.dropped = append(r.dropped, k)
	}
	switch {
	case g.some(FailedRuns, 4):
		if r.Failed = true; g.chance(2) {
			g.insertTarget(r, rows)
		}
		return
	case g.some(BatchLost, 4):
	case g.some(ReadTwice, 4):
		g.insertTarget(r, rows)
		return
	case g.some(WrittenTwice, 4):
		g.insertTarget(r, rows)
		g.tickTo(g.now)
		g.insertTarget(r, rows)
	default:
		g.insertTarget(r, rows)
	}
	r.saved = true
	for p, last := range r.last {
		if old, ok := g.position[p]; !ok || last > old {
			g.position[p] = last
		}
	}
}

func (g *generator) insertTarget(r *Run, rows []row) {
	if len(rows) == 0 {
		return
	}
	g.sql("INSERT INTO %s VALUES %s", g.Target, g.values(rows))
	g.target.insert(g.instant(), rows...)
	r.wrote, r.commits = true, append(r.commits, g.target.version())
}

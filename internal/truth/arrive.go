package truth

import (
	"fmt"
	"time"
)

// arrive commits what a tick brings.
func (g *generator) arrive() {
	var rows []row
	quiet := g.chance(4)
	for p := range g.names {
		if quiet || g.silent || g.idle[p] {
			continue
		}
		for range g.r.IntN(g.perPartition + 1) {
			if r, ok := g.event(p); ok {
				rows = append(rows, r)
			}
		}
	}
	for len(g.held) > 0 && g.chance(4) {
		rows, g.held = append(rows, g.held[0]), g.held[1:]
	}
	if g.some(NullKeys, 8) {
		rows = append(rows, row{keyless: true, Key: Key{Seq: 5}, u: g.now.Add(-time.Minute)})
	}
	for _, r := range rows {
		if g.some(SourceRepeats, 30) {
			if g.chance(3) && !r.u.IsZero() {
				r.u = r.u.Add(time.Second)
			}
			rows = append(rows, r)
		}
	}
	g.insertSource(rows)
	if g.some(ChangedInPlace, 4) {
		g.tickTo(g.now)
		g.change()
	}
}

// event makes the next event of a partition, unless it is held back.
func (g *generator) event(p int) (row, bool) {
	if g.some(UpstreamGaps, 25) {
		g.next[p] += 1 + int64(g.r.IntN(3))
	}
	r := row{Key: Key{g.names[p], g.next[p]}, u: g.now.Add(-time.Duration(g.r.Int64N(int64(time.Minute)))).Truncate(g.grain)}
	g.next[p]++
	switch {
	case g.some(Stragglers, 20):
		r.u = r.u.Add(-time.Duration(g.r.Int64N(int64(g.Window + g.Window/4)))).Truncate(g.grain)
	case g.some(Bumped, 20):
		r.u = r.u.Add(time.Duration(g.r.Int64N(int64(90 * time.Minute)))).Truncate(g.grain)
	case g.some(NullTimes, 60):
		r.u = time.Time{}
	}
	if g.some(LateVisible, 15) {
		g.held = append(g.held, r)
		return row{}, false
	}
	return r, true
}

func (g *generator) insertSource(rows []row) {
	if len(rows) == 0 {
		return
	}
	g.sql("INSERT INTO %s VALUES %s", g.Source, g.values(rows))
	g.source.insert(g.instant(), rows...)
}

// change moves the event time of a few rows of the source.
func (g *generator) change() {
	all := g.source.matching(func(r *row) bool { return !r.keyless && !r.u.IsZero() })
	if len(all) == 0 {
		return
	}
	keys := []Key{all[g.r.IntN(len(all))].Key}
	to := g.now.Add(-time.Duration(g.r.Int64N(int64(time.Hour)))).Truncate(g.grain)
	hit := g.source.matching(func(r *row) bool { return !r.keyless && r.Key == keys[0] })
	g.sql("UPDATE %s SET u = %s WHERE %s", g.Source, g.timestamp(to), g.keys(keys))
	g.source.remove(g.instant(), hit)
	for _, r := range hit {
		n := *r
		n.u = to
		g.source.put(g.source.version(), n)
	}
}

func (g *generator) addPartition() {
	if g.Kind == "" || len(g.names) >= 8 {
		return
	}
	g.names = append(g.names, map[string]string{"INT": "70", "STRING": "new"}[g.Kind])
	g.next = append(g.next, int64(g.r.IntN(3)))
	g.idle = append(g.idle, false)
}

// expire takes away what has left the window, in one of the ways in which people do it.
func (g *generator) expire() {
	edge := g.now.Add(-g.Window)
	if g.berlin { // a day of the calendar, which now and then has 23 hours or 25
		edge = edge.Add(berlinOffset(g.now) - berlinOffset(edge))
	}
	if g.purge && g.chance(3) {
		edge = g.now.Add(-time.Duration(g.r.Int64N(int64(g.Window))))
	}
	edge = edge.Truncate(time.Second)
	gone := g.source.matching(func(r *row) bool { return !r.u.IsZero() && r.u.Before(edge) })
	way := g.r.IntN(10)
	switch {
	case way == 0: // commits also when nothing goes
		g.sql("INSERT OVERWRITE %s SELECT * FROM %[1]s WHERE u IS NULL OR u >= %s", g.Source, g.timestamp(edge))
		g.overwrite(gone)
		return
	case len(gone) == 0 && way > 5:
		return // to save time
	case way == 1 && g.Kind != "":
		g.sql("MERGE INTO %s AS t USING (SELECT DISTINCT p, seq, u FROM %[1]s WHERE u < %s) AS s ON t.p <=> s.p AND t.seq = s.seq AND t.u = s.u WHEN MATCHED THEN DELETE", g.Source, g.timestamp(edge))
	default:
		g.sql("DELETE FROM %s WHERE u < %s", g.Source, g.timestamp(edge))
	}
	if len(gone) > 0 {
		g.source.remove(g.instant(), gone)
	}
	g.note(fmt.Sprintf("%d rows expire", len(gone)))
}

// overwrite ends every row: those that stay begin anew.
func (g *generator) overwrite(gone []*row) {
	left := map[*row]bool{}
	for _, r := range gone {
		left[r] = true
	}
	all := g.source.matching(func(*row) bool { return true })
	g.source.remove(g.instant(), all)
	for _, r := range all {
		if !left[r] {
			g.source.put(g.source.version(), *r)
		}
	}
}

func (g *generator) note(text string) {
	g.Steps[len(g.Steps)-1].Note = g.Steps[len(g.Steps)-1].SQL + " -- " + text
}

package truth

import (
	"time"
)

// meddle is what others do to the tables.
func (g *generator) meddle() {
	if g.some(TargetDeletes, 10) {
		g.tickTo(g.now)
		g.deleteTarget()
	}
	if g.some(TargetRepeats, 10) {
		g.tickTo(g.now)
		if rows := g.stretch(); len(rows) > 0 {
			g.sql("INSERT INTO %s VALUES %s", g.Target, g.values(rows))
			g.target.insert(g.instant(), rows...)
		}
	}
	if g.some(TargetRestore, 15) {
		g.tickTo(g.now)
		g.restoreTarget()
	}
	if g.some(Repairs, 6) {
		g.tickTo(g.now)
		g.repair()
	}
	if g.some(Optimize, 5) {
		g.tickTo(g.now)
		g.sql("OPTIMIZE %s", g.Target)
	}
	if g.some(Vacuum, 20) {
		g.vacuum()
	}
}

// stretch is a run of neighbours in the target.
func (g *generator) stretch() []row {
	all := g.target.matching(func(r *row) bool { return !r.keyless })
	if len(all) == 0 {
		return nil
	}
	first := all[g.r.IntN(len(all))]
	length := int64(g.r.IntN(6))
	var out []row
	for _, r := range all {
		if r.Partition == first.Partition && first.Seq <= r.Seq && r.Seq <= first.Seq+length {
			out = append(out, *r)
		}
	}
	return out
}

func (g *generator) deleteTarget() {
	rows := g.stretch()
	if len(rows) == 0 {
		return
	}
	gone := map[Key]bool{}
	var keys []Key
	for _, r := range rows {
		gone[r.Key] = true
		keys = append(keys, r.Key)
	}
	where := g.keys(keys)
	is := func(r *row) bool { return gone[r.Key] }
	if g.chance(5) { // from there to the end
		first := rows[0].Key
		is = func(r *row) bool { return r.Partition == first.Partition && r.Seq >= first.Seq }
		where = g.from(first)
	}
	g.sql("DELETE FROM %s WHERE %s", g.Target, where)
	g.target.remove(g.instant(), g.target.matching(is))
}

func (g *generator) restoreTarget() {
	if g.chance(4) {
		if all := g.target.matching(func(*row) bool { return true }); len(all) > 0 {
			g.sql("TRUNCATE TABLE %s", g.Target)
			g.target.remove(g.instant(), all)
		}
		return
	}
	// Versions are told by time, for OPTIMIZE makes some that this package does not count.
	v := g.target.version() - g.r.IntN(4)
	if v < 0 {
		return
	}
	g.sql("RESTORE TABLE %s TO TIMESTAMP AS OF '%s'", g.Target, g.target.commits[v].at.Format("2006-01-02T15:04:05.000Z07:00"))
	g.target.restore(g.instant(), v)
}

// repair puts back some of what was ever in the source, is settled, and is not in the target.
func (g *generator) repair() {
	there := map[Key]bool{}
	for r := range g.target.holds(g.target.version()) {
		there[r.Key] = true
	}
	var rows []row
	for _, r := range g.source.rows {
		if r.keyless || r.u.IsZero() || there[r.Key] || r.u.After(g.now.Add(-g.Delay-time.Hour)) || g.chance(3) {
			continue
		}
		there[r.Key] = true
		rows = append(rows, *r)
	}
	if len(rows) > 0 {
		g.sql("INSERT INTO %s VALUES %s", g.Target, g.values(rows))
		g.target.insert(g.instant(), rows...)
	}
}

// vacuum takes away the files of versions that the history goes on to list: the property is lowered for it, and raised
// again.
func (g *generator) vacuum() {
	keep := time.Duration(30+g.r.IntN(120)) * time.Minute
	set := func(d time.Duration) {
		g.tickTo(g.now)
		g.sql("ALTER TABLE %s SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval %d minutes', 'delta.logRetentionDuration' = 'interval 30 days')", g.Source, d/time.Minute)
		g.source.commit(g.instant(), false)
	}
	before := g.Retention
	if before == 0 {
		before = 7 * 24 * time.Hour
	}
	set(keep)
	g.tickTo(g.now)
	g.sql("VACUUM %s", g.Source)
	g.source.commit(g.instant(), false)
	g.source.commit(g.instant(), false)
	set(before)
}

package pipeline_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// value is a value of a key: as SQL, and as it is reported.
type value struct{ sql, text string }

// pools are the values of each type, chosen so that they are taken for each other by whoever joins, trims, folds or rounds.
func pools() map[string][]value {
	texts := func(all ...string) (out []value) {
		for _, s := range all {
			out = append(out, value{"'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'", s})
		}
		return out
	}
	plain := func(format string, all ...string) (out []value) {
		for _, s := range all {
			out = append(out, value{fmt.Sprintf(format, s), s})
		}
		return out
	}
	return map[string][]value{
		"STRING":        texts("", " ", "a", "A", "a ", " a", "b|c", "a|b", "c", "1", "11", "a,b", "é", "e\u0301", "日本", "'", `\`, "NULL", "null", "\n", `"`, "<&>", "\u00a0", "0", "😀"),
		"BIGINT":        plain("CAST(%s AS BIGINT)", "-9223372036854775808", "-1", "0", "1", "11", "9223372036854775807", "4294967296"),
		"INT":           plain("CAST(%s AS INT)", "-1", "0", "1", "11", "2147483647"),
		"DECIMAL(12,3)": plain("CAST(%s AS DECIMAL(12,3))", "0.001", "-0.001", "1.000", "1.001", "999999999.999"),
		"DECIMAL(30,1)": plain("CAST('%s' AS DECIMAL(30,1))", "0.1", "-0.1", "12345678901234567890123456789.1", "12345678901234567890123456789.2"),
		"BOOLEAN":       plain("%s", "true", "false"),
		"DATE":          plain("DATE'%s'", "1969-12-31", "1970-01-01", "2026-03-01", "0001-01-01"),
		"TIMESTAMP":     plain("TIMESTAMP'%s'", "1969-12-31T23:59:59.999999Z", "2026-03-01T00:00:00.000000Z", "2026-03-01T00:00:00.000001Z", "2025-10-26T00:30:00.000000Z", "2025-10-26T01:30:00.000000Z"),
		"TIMESTAMP_NTZ": plain("TIMESTAMP_NTZ'%s'", "2026-03-01 00:00:00", "2026-03-01 00:00:00.000001", "2026-03-29 02:30:00"),
		"BINARY":        plain("X'%s'", "", "00", "0000", "61", "FF"),
	}
}

// keyedRow is a row of a table: its key and its event time.
type keyedRow struct {
	key []value
	at  time.Time // zero: null
}

func (r keyedRow) sql() string {
	at := "CAST(NULL AS TIMESTAMP)"
	if !r.at.IsZero() {
		at = "TIMESTAMP'" + r.at.Format("2006-01-02T15:04:05.000000Z") + "'"
	}
	var parts []string
	for _, v := range r.key {
		parts = append(parts, v.sql)
	}
	return "(" + strings.Join(append(parts, at), ", ") + ")"
}

const null = "NULL"

func (r keyedRow) id() string {
	var parts []string
	for _, v := range r.key {
		if v.sql == null {
			parts = append(parts, null)
		} else {
			parts = append(parts, fmt.Sprintf("%q", v.text))
		}
	}
	return strings.Join(parts, ",")
}

func (r keyedRow) whole() bool {
	return !slices.ContainsFunc(r.key, func(v value) bool { return v.sql == null })
}

// keyedPlay is one random pipeline and what is true of it.
type keyedPlay struct {
	*rand.Rand
	b              *bed
	source, target string
	types          []string
	pools          map[string][]value
	rows, loaded   []keyedRow
	// versions are those of the source that lost rows, the oldest first.
	versions [][]keyedRow
	// taken are keys that were deleted from the target.
	taken map[string]bool
	// newest says that the settle delay is measured from the newest event.
	newest bool
	readAt time.Time
}

func (p *keyedPlay) pick() keyedRow {
	var r keyedRow
	for _, t := range p.types {
		if p.IntN(12) == 0 {
			r.key = append(r.key, value{sql: null})
			continue
		}
		r.key = append(r.key, p.pools[t][p.IntN(len(p.pools[t]))])
	}
	return r
}

func (p *keyedPlay) insert(table string, rows []keyedRow) {
	var parts []string
	for _, r := range rows {
		parts = append(parts, r.sql())
	}
	if len(parts) > 0 {
		p.b.exec("INSERT INTO %s VALUES %s", table, strings.ReplaceAll(strings.Join(parts, ", "), "%", "%%"))
	}
}

// arrive adds rows to the source: most due, some not, some without a time, some of keys that are there already.
func (p *keyedPlay) arrive(keys []keyedRow) {
	var all []keyedRow
	for _, r := range keys {
		for n := range 1 + p.IntN(8)/7 {
			if n > 0 && p.IntN(2) == 0 {
				all = append(all, r)
				continue
			}
			r.at = start.Add(-time.Duration(1+p.IntN(40*3600)) * time.Second)
			switch p.IntN(30) {
			case 0:
				r.at = start.Add(2*time.Hour + time.Duration(p.IntN(3600))*time.Second)
			case 1:
				r.at = time.Time{}
			}
			all = append(all, r)
		}
	}
	p.insert(p.source, all)
	p.rows = append(slices.Clone(p.rows), all...)
}

// leave removes what is older than some instant, or what is not due yet.
func (p *keyedPlay) leave() {
	limit, sign := start.Add(-time.Duration(p.IntN(60))*time.Hour), "<"
	if p.IntN(6) == 0 {
		limit, sign = start.Add(time.Hour), ">"
	}
	var left []keyedRow
	for _, r := range p.rows {
		if r.at.IsZero() || r.at.Before(limit) != (sign == "<") {
			left = append(left, r)
		}
	}
	if len(left) == len(p.rows) {
		return
	}
	p.versions = append(p.versions, p.rows)
	p.b.exec("DELETE FROM %s WHERE u %s TIMESTAMP'%s'", p.source, sign, limit.Format(time.RFC3339))
	p.rows = left
}

// load fills the target: with most of what was ever in the source, some of it twice, and with what never was. At times
// each lost row is made up for by one of a key that never was, of the same time; at times the source is copied row by row.
func (p *keyedPlay) load(loss int) {
	seen, lost := map[string]bool{}, map[string]bool{}
	all := slices.Concat(append(slices.Clone(p.versions), p.rows)...)
	foreign, faithful := p.IntN(2) == 0, p.IntN(4) == 0
	if faithful {
		all, p.loaded = p.rows, nil
	}
	for _, r := range all {
		switch id := r.id(); {
		case lost[id], seen[id] && !faithful, r.at.After(start):
			continue
		case p.IntN(100) < loss:
			lost[id] = true
			if other := p.pick(); foreign && !p.knows(other) {
				other.at = r.at
				p.loaded = append(p.loaded, other)
			}
			continue
		default:
			seen[id] = true
		}
		if !faithful && p.IntN(10) == 0 {
			r.at = []time.Time{{}, r.at.Add(time.Microsecond), start.Add(-1000 * time.Hour)}[p.IntN(3)]
		}
		p.loaded = append(p.loaded, r)
		for !faithful && p.IntN(100) < loss {
			p.loaded = append(p.loaded, r)
		}
	}
	p.insert(p.target, p.loaded)
}

// take deletes rows of the target. The load before that one is then the only one that a verification knows, and what left
// the source before it was the business of another.
func (p *keyedPlay) take() {
	limit := start.Add(-time.Duration(p.IntN(40)) * time.Hour)
	var left []keyedRow
	p.taken = map[string]bool{}
	for _, r := range p.loaded {
		if r.at.IsZero() || !r.at.Before(limit) {
			left = append(left, r)
		} else {
			p.taken[r.id()] = true
		}
	}
	if len(left) < len(p.loaded) {
		p.b.exec("DELETE FROM %s WHERE u < TIMESTAMP'%s'", p.target, limit.Format(time.RFC3339))
		p.loaded, p.versions = left, nil
	}
}

// knows tells that the source ever had a key.
func (p *keyedPlay) knows(r keyedRow) bool {
	same := func(o keyedRow) bool { return o.id() == r.id() }
	return slices.ContainsFunc(p.rows, same) || slices.ContainsFunc(p.versions, func(v []keyedRow) bool { return slices.ContainsFunc(v, same) })
}

// truth is what a verification must find.
func (p *keyedPlay) truth() (verdict reconcile.Verdict, listed []string, c reconcile.Counts, days map[string]reconcile.Day) {
	days = map[string]reconcile.Day{}
	count := func(at time.Time, due, loaded, missing, inFlight int64) {
		name := at.Format("2006-01-02")
		d := days[name]
		days[name] = reconcile.Day{Day: name, Due: d.Due + due, Loaded: d.Loaded + loaded, Missing: d.Missing + missing, InFlight: d.InFlight + inFlight}
	}
	cutoff := p.readAt.Add(-31 * time.Minute) // the settle delay, and the guard against skew
	if p.newest {
		cutoff = time.Time{}
		for _, r := range p.rows {
			if at := r.at.Add(-30 * time.Minute); !r.at.IsZero() && at.After(cutoff) {
				cutoff = at
			}
		}
	}
	in := map[string]int{}
	doubt := false
	for _, r := range p.loaded {
		in[r.id()]++
		doubt = doubt || !r.whole()
	}
	due, later := map[string]keyedRow{}, map[string]time.Time{}
	for _, r := range p.rows {
		doubt = doubt || !r.whole() || r.at.IsZero()
		switch {
		case r.at.IsZero():
		case r.at.Before(cutoff):
			if was, ok := due[r.id()]; !ok || r.at.Before(was.at) {
				due[r.id()] = r
			}
		case r.whole():
			if was, ok := later[r.id()]; !ok || r.at.Before(was) {
				later[r.id()] = r.at
			}
		}
	}
	for id, r := range due {
		delete(later, id)
		switch {
		case in[id] == 0 && p.taken[id]:
			c.Skipped++
			count(r.at, 1, 0, 1, 0)
			listed = append(listed, "skipped "+id)
		case in[id] == 0:
			c.Late++
			count(r.at, 1, 0, 1, 0)
			listed = append(listed, "late "+id)
		case r.whole():
			c.Loaded++
			count(r.at, 1, 1, 0, 0)
		}
	}
	held := map[string]bool{}
	for _, r := range p.rows {
		held[r.id()] = true
	}
	for _, version := range slices.Backward(p.versions) {
		earliest := map[string]time.Time{}
		for _, r := range version {
			if at, ok := earliest[r.id()]; !r.at.IsZero() && (!ok || r.at.Before(at)) {
				earliest[r.id()] = r.at
			}
		}
		for id, at := range earliest {
			if in[id] > 0 || held[id] {
				continue
			}
			held[id] = true
			if at.Before(cutoff) {
				c.Expired++
				count(at, 1, 0, 1, 0)
				listed = append(listed, "expired "+id)
			} else {
				c.Doomed++
				listed = append(listed, "doomed "+id)
			}
		}
	}
	counted := map[string]bool{}
	for _, r := range p.loaded {
		if n := in[r.id()]; n > 1 && r.whole() && !counted[r.id()] {
			counted[r.id()] = true
			c.Duplicates += int64(n - 1)
			listed = append(listed, fmt.Sprintf("duplicate %s %d", r.id(), n-1))
		}
	}
	for _, at := range later {
		count(at, 0, 0, 0, 1)
	}
	c.InFlight, c.Missing = int64(len(later)), c.Late+c.Skipped+c.Expired
	c.Due = c.Loaded + c.Missing
	verdict = reconcile.Pass
	switch {
	case c.Missing+c.Doomed > 0:
		verdict = reconcile.Fail
	case doubt || c.Due == 0:
		verdict = reconcile.Inconclusive
	}
	slices.Sort(listed)
	return verdict, listed, c, days
}

// play makes the pipeline's tables and history.
func (p *keyedPlay) play(n int) {
	p.pools = pools()
	kinds := make([]string, 0, len(p.pools))
	for k := range p.pools {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	var ddl []string
	for i := range 1 + p.IntN(3) {
		kind := kinds[p.IntN(len(kinds))]
		if p.IntN(3) == 0 {
			kind = "STRING"
		}
		p.types = append(p.types, kind)
		ddl = append(ddl, fmt.Sprintf("c%d %s", i, kind))
	}
	p.source, p.target = fmt.Sprintf("main.events.s%d", n), fmt.Sprintf("main.events.t%d", n)
	for _, t := range []string{p.source, p.target} {
		p.b.exec("CREATE TABLE %s (%s, u TIMESTAMP)", t, strings.Join(ddl, ", "))
	}
	clean := p.IntN(3) == 0
	keys := map[string]keyedRow{}
	for range 5 + p.IntN(40) {
		if r := p.pick(); r.whole() || !clean {
			keys[r.id()] = r
		}
	}
	ids := make([]string, 0, len(keys))
	for id := range keys {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for len(ids) > 0 {
		some := min(1+p.IntN(20), len(ids))
		var batch []keyedRow
		for _, id := range ids[:some] {
			batch = append(batch, keys[id])
		}
		ids = ids[some:]
		p.arrive(batch)
		if p.IntN(2) == 0 {
			p.leave()
		}
	}
	loss := []int{0, 5, 40}[p.IntN(3)]
	p.load(loss)
	if p.IntN(3) == 0 {
		p.take()
	}
}

// Random pipelines whose truth is known key by key: the verdict, the counts and every listed key are the truth, whatever the
// keys are made of.
func TestVerifyKeysOfRandomPipelines(t *testing.T) {
	t.Parallel()
	number := flag.Lookup("pipelines").Value.(flag.Getter).Get().(int) / 5
	seed := flag.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	const groups = 4
	for g := range groups {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.exec("CREATE SCHEMA main.events")
			for n := g; n < number; n += groups {
				p := &keyedPlay{Rand: rand.New(rand.NewPCG(seed, uint64(n))), b: b}
				p.play(n)
				b.advance(time.Second)
				at, err := b.client.Now(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				p.readAt = at
				names := make([]string, len(p.types))
				for i := range names {
					names[i] = fmt.Sprintf("c%d", i)
				}
				c := keyedPromise(names...)
				c.Source, c.Target = p.source, p.target
				if p.newest = p.IntN(4) == 0; p.newest {
					c.SettleClock = coverage.SettleNewestEvent
				}
				v := b.verify(pipeline.VerifyRequest{Contract: c, ReadAt: at, Block: []int64{0, 1, 4}[p.IntN(3)]})
				verdict, want, counts, days := p.truth()
				got := strings.Split(keysListed(t, v), "\n")
				slices.Sort(got)
				for _, d := range v.ByDay {
					if days[d.Day] != d {
						t.Errorf("pipeline %d: %+v, want %+v", n, d, days[d.Day])
					}
					delete(days, d.Day)
				}
				if len(days) > 0 {
					t.Errorf("pipeline %d: days are left out: %v", n, days)
				}
				if v.Verdict != verdict || strings.Join(got, "\n") != strings.Join(want, "\n") || v.Counts != counts {
					t.Fatalf("pipeline %d %v: %s %+v\n%s\nwant %s %+v\n%s\n%v", n, p.types, v.Verdict, v.Counts, strings.Join(got, "\n"), verdict, counts, strings.Join(want, "\n"), v.Reasons)
				}
			}
		})
	}
}

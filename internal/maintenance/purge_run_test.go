//go:build cgo

package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/duck"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
)

// bench is an engine whose clock stands still in a session whose days may have 23 hours.
type bench struct {
	t    *testing.T
	e    engine.Engine
	zone string
	now  time.Time
}

func newBench(t *testing.T, zone string, now time.Time) *bench {
	t.Helper()
	e, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	b := &bench{t, e, zone, now}
	b.rows("CREATE SCHEMA IF NOT EXISTS main.e")
	return b
}

func (b *bench) rows(sql string) []string {
	b.t.Helper()
	r, err := b.e.Run(b.t.Context(), engine.Statement{Text: sql, Zone: b.zone, Now: b.now})
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	defer r.Close()
	var out []string
	for r.Next() {
		var cells []string
		for _, v := range r.Row() {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, *v)
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	if err := r.Err(); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	slices.Sort(out)
	return out
}

// The window is exact to the microsecond, strict, and as long on the day on which a clock goes forward.
func TestPurgeIsExact(t *testing.T) {
	t.Parallel()
	// Berlin's clocks went forward at 2026-03-29 01:00 UTC: the 24 hours before now are a day and an hour there.
	now := time.Date(2026, 3, 29, 13, 0, 0, 0, time.UTC)
	b := newBench(t, "Europe/Berlin", now)
	for _, c := range []struct {
		kind, layout string
		window       time.Duration
		gone, stays  []time.Time
	}{
		{"timestamp", "TIMESTAMP'2006-01-02T15:04:05.000000Z'", 24 * time.Hour,
			[]time.Time{now.Add(-24*time.Hour - time.Microsecond), now.AddDate(-50, 0, 0)}, []time.Time{now.Add(-24 * time.Hour), now.Add(-23 * time.Hour), now.Add(time.Hour)}},
		{"timestamp", "TIMESTAMP'2006-01-02T15:04:05.000000Z'", 90 * time.Minute, []time.Time{now.Add(-91 * time.Minute)}, []time.Time{now.Add(-90 * time.Minute)}},
		{"timestamp", "TIMESTAMP'2006-01-02T15:04:05.000000Z'", 61 * time.Second, []time.Time{now.Add(-62 * time.Second)}, []time.Time{now.Add(-61 * time.Second)}},
		{"timestamp_ntz", "TIMESTAMP_NTZ'2006-01-02 15:04:05.000000'", 24 * time.Hour, []time.Time{now.Add(-24*time.Hour - time.Microsecond)}, []time.Time{now.Add(-24 * time.Hour), now.Add(-23*time.Hour - 30*time.Minute)}},
		// 24 h before now is the 28th: its last instant has not passed the window.
		{"date", "DATE'2006-01-02'", 24 * time.Hour, []time.Time{now.AddDate(0, 0, -2)}, []time.Time{now.AddDate(0, 0, -1), now}},
	} {
		t.Run(fmt.Sprintf("%s %s", c.kind, c.window), func(t *testing.T) {
			b.t = t
			b.rows("CREATE OR REPLACE TABLE main.e.s (id STRING, at " + c.kind + ")")
			b.rows("CREATE OR REPLACE TABLE main.e.t (id STRING)")
			insert := func(id string, at string) {
				b.rows(fmt.Sprintf("INSERT INTO main.e.s VALUES ('%s', %s)", id, at))
				b.rows(fmt.Sprintf("INSERT INTO main.e.t VALUES ('%s')", id))
			}
			want := []string{"null"}
			insert("null", "NULL")
			for i, at := range c.gone {
				insert(fmt.Sprintf("gone%d", i), at.Format(c.layout))
			}
			for i, at := range c.stays {
				insert(fmt.Sprintf("stays%d", i), at.Format(c.layout))
				want = append(want, fmt.Sprintf("stays%d", i))
			}
			statement, err := maintenance.Purge{EventTimeType: c.kind, Purge: contract.Purge{Source: "main.e.s", Target: "main.e.t",
				Key: contract.Key{Columns: []string{"id"}}, EventTime: "at", Window: c.window}}.Statement()
			if err != nil {
				t.Fatal(err)
			}
			n := len(c.gone)
			if d := cmp.Diff([]string{fmt.Sprintf("%d 0 %[1]d 0", n)}, b.rows(statement)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(want, b.rows("SELECT id FROM main.e.s")); d != "" {
				t.Error(d)
			}
		})
	}
}

// Rows of any shape, against a brute force: repeated keys on both sides, nulls in keys and in times, keys that are only in
// the target.
func TestPurgeAgainstBruteForce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	b := newBench(t, "", now)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 4))
		for _, name := range []string{"s", "t"} {
			b.rows("CREATE OR REPLACE TABLE main.e." + name + " (p INT, q BIGINT, at TIMESTAMP, n INT)")
		}
		number := func(below int) string {
			if rng.IntN(8) == 0 {
				return "NULL"
			}
			return fmt.Sprint(rng.IntN(below))
		}
		type row struct{ p, q, at, n string }
		loaded := map[string]bool{}
		var source []row
		for i := range 80 {
			r := row{number(3), number(12), "NULL", fmt.Sprint(i)}
			if rng.IntN(8) > 0 {
				r.at = now.Add(-time.Duration(rng.IntN(48)) * time.Hour).Format("2006-01-02 15:04:05")
			}
			source = append(source, r)
		}
		var values []string
		for _, r := range source {
			at := r.at
			if at != "NULL" {
				at = "TIMESTAMP'" + at + "'"
			}
			values = append(values, fmt.Sprintf("(%s, %s, %s, %s)", r.p, r.q, at, r.n))
		}
		b.rows("INSERT INTO main.e.s VALUES " + strings.Join(values, ", "))
		values = nil
		for i := range 30 {
			p, q := number(3), number(16)
			values = append(values, fmt.Sprintf("(%s, %s, TIMESTAMP'2026-03-02 11:59:59', %d)", p, q, i))
			if p != "NULL" && q != "NULL" {
				loaded[p+" "+q] = true
			}
		}
		b.rows("INSERT INTO main.e.t VALUES " + strings.Join(values, ", "))
		var want []string
		for _, r := range source {
			old := r.at != "NULL" && r.at < now.Add(-24*time.Hour).Format("2006-01-02 15:04:05")
			if !old || !loaded[r.p+" "+r.q] {
				want = append(want, r.n)
			}
		}
		slices.Sort(want)
		statement, err := maintenance.Purge{EventTimeType: "timestamp", Purge: contract.Purge{Source: "main.e.s", Target: "main.e.t",
			Key: contract.Key{Partition: "p", Sequence: "q"}, EventTime: "at", Window: 24 * time.Hour}}.Statement()
		if err != nil {
			t.Fatal(err)
		}
		for pass, n := range []int{len(source) - len(want), 0} {
			if d := cmp.Diff([]string{fmt.Sprintf("%d 0 %[1]d 0", n)}, b.rows(statement)); d != "" {
				t.Errorf("seed %d, pass %d: %s", seed, pass+1, d)
			}
		}
		if d := cmp.Diff(want, b.rows("SELECT n FROM main.e.s")); d != "" || len(want) == len(source) {
			t.Errorf("seed %d: %d of %d rows stay: %s", seed, len(want), len(source), d)
		}
		// A run that deletes nothing makes no commit.
		if n := len(b.rows("DESCRIBE HISTORY main.e.s")); n != 3*int(seed+1) {
			t.Errorf("seed %d: %d commits, want create, insert and one merge of each seed", seed, n)
		}
	}
}

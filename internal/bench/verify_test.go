//go:build cgo

package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// midnight is when the verifications below begin: the rows of the day before are in the source.
func midnight() time.Time { return time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC) }

// stage is a workspace with a client that times its statements.
type stage struct {
	*workspace.Client
	w     *local.Workspace
	b     testing.TB
	spent map[string]time.Duration
}

func openStage(b testing.TB) *stage {
	b.Helper()
	w, err := local.Open(b.Context(), local.Options{Start: midnight(), Empty: true, Log: b.Output()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := w.Close(); err != nil {
			b.Error(err)
		}
	})
	c, err := workspace.New(workspace.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", WarehouseID: w.WarehouseID(), RateLimit: 100000})
	if err != nil {
		b.Fatal(err)
	}
	s := &stage{Client: c, w: w, b: b, spent: map[string]time.Duration{}}
	makeTables(b, w)
	return s
}

func makeTables(b testing.TB, w *local.Workspace) {
	b.Helper()
	execute(b, w, "CREATE SCHEMA IF NOT EXISTS main.events; CREATE SCHEMA IF NOT EXISTS main.ops")
	execute(b, w, "CREATE TABLE main.events.src (p INT, seq BIGINT, u TIMESTAMP, payload STRING)")
	execute(b, w, "CREATE TABLE main.events.tgt (p INT, seq BIGINT, u TIMESTAMP, payload STRING)")
}

func (s *stage) Query(ctx context.Context, sql string, p ...workspace.Parameter) (*workspace.Rows, error) {
	began := processorTime()
	rows, err := s.Client.Query(ctx, sql, p...)
	name := strings.Join(strings.Fields(sql), " ")
	s.spent[name[:min(len(name), 90)]] += processorTime() - began
	return rows, err
}

// exec runs statements, separated by semicolons.
func (s *stage) exec(format string, args ...any) {
	s.b.Helper()
	execute(s.b, s.w, format, args...)
}

func execute(b testing.TB, w *local.Workspace, format string, args ...any) {
	b.Helper()
	for sql := range strings.SplitSeq(fmt.Sprintf(format, args...), "; ") {
		rows, err := w.Exec(b.Context(), sql)
		if err != nil {
			b.Fatalf("%s: %v", sql, err)
		}
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// events are the rows from … to of 8 partitions, of which all rows up to the end fill the day before midnight.
func events(from, to, end int) string {
	return fmt.Sprintf("SELECT CAST(id %% 8 AS INT), id DIV 8, timestamp_micros(%d - (%d - id) * (86400000000 DIV %d)), 'm' FROM range(%d, %d)", midnight().UnixMicro(), end, end, from, to)
}

// fill makes both tables hold the same rows.
func fill(b testing.TB, w *local.Workspace, rows int) {
	b.Helper()
	execute(b, w, "INSERT INTO main.events.src %s; INSERT INTO main.events.tgt SELECT * FROM main.events.src", events(0, rows, rows))
}

func promise() contract.Contract {
	return contract.Contract{Source: "main.events.src", Target: "main.events.tgt", Key: contract.Key{Partition: "p", Sequence: "seq"}, EventTime: "u",
		SettleDelay: 30 * time.Minute, SettleClock: coverage.SettleNewestEvent, Strict: true, Reads: coverage.ReadsSnapshot}
}

// plain is what anybody would write: the counts of each block of tables.
func (s *stage) plain(tables ...string) {
	s.b.Helper()
	for _, table := range tables {
		rows, err := s.Client.Query(s.b.Context(), "SELECT p, seq DIV 65536, count(*) FROM "+table+" GROUP BY p, seq DIV 65536")
		if err != nil {
			s.b.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			s.b.Fatal(err)
		}
	}
}

func (s *stage) verify(c contract.Contract, want reconcile.Verdict, missing int64) {
	s.b.Helper()
	v, err := pipeline.Verify(s.b.Context(), s, pipeline.VerifyRequest{Contract: c, ReadAt: s.w.Now()})
	if err != nil {
		s.b.Fatal(err)
	}
	if v.Verdict != want || v.Counts.Due == 0 || v.Counts.Missing != missing {
		s.b.Fatalf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	if err := v.Close(); err != nil {
		s.b.Fatal(err)
	}
}

// slowest logs where the processor's time went.
func (s *stage) slowest(turns int) {
	var names []string
	for name := range s.spent {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return int(s.spent[b] - s.spent[a]) })
	for _, name := range names[:min(len(names), 12)] {
		s.b.Logf("%7.3f s %s", s.spent[name].Seconds()/float64(turns), name)
	}
	clear(s.spent)
}

// cost is the processor time and the time on the wall of something; both sides run in this process.
type cost struct{ cpu, wall float64 }

func measure(f func()) cost {
	cpu, wall := processorTime(), time.Now()
	f()
	return cost{(processorTime() - cpu).Seconds(), time.Since(wall).Seconds()}
}

// median is of paired ratios: others who use the machine disturb both of a pair.
func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

const turns = 5

// against verifies and counts in turns, and reports the medians of the ratios.
func against(b *testing.B, s *stage, want reconcile.Verdict, missing int64) {
	b.Helper()
	for b.Loop() {
		var cpu, wall []float64
		var last cost
		for range turns {
			plain := measure(func() { s.plain("main.events.src", "main.events.tgt") })
			last = measure(func() { s.verify(promise(), want, missing) })
			cpu, wall = append(cpu, last.cpu/plain.cpu), append(wall, last.wall/plain.wall)
		}
		b.ReportMetric(median(cpu), "cpu-ratio")
		b.ReportMetric(median(wall), "ratio")
		b.ReportMetric(last.wall, "verify-s")
		s.slowest(turns)
	}
}

// BenchmarkVerify compares the verification of 20 M rows against the same 20 M with two plain grouped counts, in turns.
// The bound is 1.5 times.
func BenchmarkVerify(b *testing.B) {
	s := openStage(b)
	fill(b, s.w, 20_000_000)
	s.advance(time.Second)
	against(b, s, reconcile.Pass, 0)
}

// BenchmarkVerifyMissing is the same with 1,000 rows missing in 50 blocks. The bound is 2 times.
func BenchmarkVerifyMissing(b *testing.B) {
	s := openStage(b)
	// 50 stretches of 65,536 sequences, of 20 rows each.
	s.exec("INSERT INTO main.events.src %s; INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE NOT ((seq DIV 65536) %% 6 = p %% 6 AND seq %% 65536 BETWEEN 1000 AND 1019 AND seq < 37 * 65536)", events(0, 20_000_000, 20_000_000))
	s.advance(time.Second)
	against(b, s, reconcile.Fail, 1000)
}

// BenchmarkVerifyLedger verifies 400,000 new rows in a target of 5 M and in one of 50 M, of which the rest was verified
// before: what it costs follows the new rows.
func BenchmarkVerifyLedger(b *testing.B) {
	const window, added = 2_000_000, 400_000
	for b.Loop() {
		var of []cost
		for _, rows := range []int{5_000_000, 50_000_000} {
			s := openStage(b)
			c := promise()
			c.Evidence = "main.ops"
			end := rows + (turns+1)*added
			s.exec("INSERT INTO main.events.tgt %s; INSERT INTO main.events.src %s", events(0, rows, end), events(rows-window, rows, end))
			s.advance(time.Minute)
			first := measure(func() { s.verify(c, reconcile.Pass, 0) })
			clear(s.spent)
			var all []cost
			for turn := range turns {
				from := rows + turn*added
				for _, table := range []string{"src", "tgt"} {
					s.exec("INSERT INTO main.events.%s %s", table, events(from, from+added, end))
				}
				s.advance(time.Minute)
				all = append(all, measure(func() { s.verify(c, reconcile.Pass, 0) }))
			}
			slices.SortFunc(all, func(x, y cost) int { return int((x.cpu - y.cpu) * 1e6) })
			of = append(of, all[turns/2])
			b.Logf("%d M rows: %.2f s of the processor at first, then %.3f s for %d new rows (%.3f s on the wall)", rows/1_000_000, first.cpu, all[turns/2].cpu, added, all[turns/2].wall)
			s.slowest(turns)
		}
		b.ReportMetric(of[0].cpu, "5M-cpu-s")
		b.ReportMetric(of[1].cpu, "50M-cpu-s")
		b.ReportMetric(of[1].cpu/of[0].cpu, "cpu-ratio")
		b.ReportMetric(of[1].wall/of[0].wall, "ratio")
	}
}

func (s *stage) advance(d time.Duration) {
	s.b.Helper()
	if err := s.w.Advance(s.b.Context(), d); err != nil {
		s.b.Fatal(err)
	}
}

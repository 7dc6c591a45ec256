//go:build cgo

package duck

import (
	"fmt"
	"testing"
	"time"
)

const benchRows = 10_000_000

// BenchmarkGroupedScan measures the scan of a verification through the engine and on a plain DuckDB table of the same
// rows, in one run: ns/op of the engine, and the ratios at the latest version and at one before a later insert.
func BenchmarkGroupedScan(b *testing.B) {
	s := newSession(b, b.TempDir())
	s.rows("CREATE TABLE t (p INT, s BIGINT, u TIMESTAMP, payload STRING)")
	s.rows(fmt.Sprintf("INSERT INTO t SELECT CAST(id %% 8 AS INT), id DIV 8, timestamp_micros(1772000000000000 + id * 1000), concat('m-', id) FROM range(%d)", benchRows))
	s.rows("INSERT INTO t VALUES (9, 1, TIMESTAMP'2026-01-01', 'late')")
	ctx := b.Context()
	c, err := s.e.db.acquire(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer s.e.db.release(c)
	if _, err := c.exec(ctx, "CREATE TABLE data.plain AS SELECT c1 AS p, c2 AS s, c3 AS u, c4 AS payload FROM data.d1; CHECKPOINT"); err != nil {
		b.Fatal(err)
	}
	plain := func() {
		if _, err := c.exec(ctx, "SELECT p, s // 65536 AS b, count(*) AS n, min(s), max(s) FROM data.plain GROUP BY p, s // 65536"); err != nil {
			b.Fatal(err)
		}
	}
	through := func(of string) func() {
		return func() {
			s.rows("SELECT p, s DIV 65536 AS b, count(*) AS n, min(s), max(s) FROM t " + of + " GROUP BY p, s DIV 65536")
		}
	}
	took := func(f func()) float64 {
		from := time.Now()
		f()
		return float64(time.Since(from))
	}
	latest, earlier := through(""), through("VERSION AS OF 1")
	plain()
	latest()
	var base, now, before float64
	for b.Loop() {
		base += took(plain)
		now += took(latest)
		before += took(earlier)
	}
	b.ReportMetric(base/float64(b.N)/1e6, "plain-ms/op")
	b.ReportMetric(now/base, "latest/plain")
	b.ReportMetric(before/base, "earlier/plain")
}

// BenchmarkStream measures how fast rows come out of the engine.
func BenchmarkStream(b *testing.B) {
	s := newSession(b, "")
	for b.Loop() {
		r, err := s.open(b.Context(), "SELECT id, id % 7 AS m, CAST(id AS STRING) AS t FROM range(1000000)")
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for r.Next() {
			n++
		}
		if err := r.Close(); err != nil || n != 1_000_000 {
			b.Fatal(n, err)
		}
	}
}

//go:build cgo

package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// equalTables makes a source and a target of the same rows in 8 partitions, over one day.
func equalTables(b testing.TB, rows int) *workspace.Client {
	b.Helper()
	w, err := local.Open(b.Context(), local.Options{Start: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC), Empty: true, Log: b.Output()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := w.Close(); err != nil {
			b.Error(err)
		}
	})
	fill(b, w, rows)
	c, err := workspace.New(workspace.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", WarehouseID: w.WarehouseID(), RateLimit: 100000})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// fill makes the two tables.
func fill(b testing.TB, w *local.Workspace, rows int) {
	b.Helper()
	for _, sql := range []string{
		"CREATE SCHEMA IF NOT EXISTS main.events",
		"CREATE TABLE main.events.src (p INT, seq BIGINT, u TIMESTAMP, payload STRING)",
		"CREATE TABLE main.events.tgt (p INT, seq BIGINT, u TIMESTAMP, payload STRING)",
		fmt.Sprintf("INSERT INTO main.events.src SELECT CAST(id %% 8 AS INT), id DIV 8, timestamp_micros(1780272000000000 + id * (86400000000 DIV %d)), 'm' FROM range(%d)", rows, rows),
		"INSERT INTO main.events.tgt SELECT p, seq, u, payload FROM main.events.src",
	} {
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

func promise() contract.Contract {
	return contract.Contract{Source: "main.events.src", Target: "main.events.tgt", Key: contract.Key{Partition: "p", Sequence: "seq"}, EventTime: "u",
		SettleDelay: 30 * time.Minute, SettleClock: coverage.SettleNewestEvent, Strict: true, Reads: coverage.ReadsSnapshot}
}

// plain is what anybody would write: the count of each block of a table.
func plain(ctx context.Context, c *workspace.Client, table string) error {
	rows, err := c.Query(ctx, "SELECT p, seq DIV 65536, count(*) FROM "+table+" GROUP BY p, seq DIV 65536")
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return rows.Err()
}

// BenchmarkVerify compares the verification of 10 M rows against the same 10 M with two plain grouped counts, in turns.
// The bound is 1.5 times.
func BenchmarkVerify(b *testing.B) {
	c := equalTables(b, 10_000_000)
	ctx := b.Context()
	var plainTime, verifyTime time.Duration
	for b.Loop() {
		began := time.Now()
		for _, table := range []string{"main.events.src", "main.events.tgt"} {
			if err := plain(ctx, c, table); err != nil {
				b.Fatal(err)
			}
		}
		plainTime += time.Since(began)
		began = time.Now()
		v, err := pipeline.Verify(ctx, c, pipeline.VerifyRequest{Contract: promise(), ReadAt: time.Date(2026, 6, 2, 0, 0, 1, 0, time.UTC)})
		verifyTime += time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		if v.Verdict != reconcile.Pass || v.Counts.Due == 0 {
			b.Fatalf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
		}
		if err := v.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(plainTime.Seconds()/float64(b.N), "plain-s/op")
	b.ReportMetric(verifyTime.Seconds()/float64(b.N), "verify-s/op")
	b.ReportMetric(verifyTime.Seconds()/plainTime.Seconds(), "ratio")
}

//go:build cgo

package bench

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// BenchmarkAudit compares an audit of a whole target of 20 M rows, of which 1,000 are missing in 50 blocks, with one plain
// grouped count of it, in turns. The source holds the newest twentieth. facts/verification.md §1 has 0.65 s for the blocks,
// and 1.7 to 2 s with LEAD in 46 of 765 blocks.
func BenchmarkAudit(b *testing.B) {
	c := openStage(b)
	ctx := b.Context()
	for _, sql := range []string{
		"INSERT INTO main.events.tgt SELECT * FROM (SELECT CAST(id % 8 AS INT) AS p, id DIV 8 AS seq, timestamp_micros(1780272000000000 + id * (86400000000 DIV 20000000)), 'm' FROM range(20000000)) AS r WHERE NOT (p < 5 AND seq % 65536 BETWEEN 1000 AND 1019 AND seq DIV 65536 < 10)",
		"INSERT INTO main.events.src SELECT CAST(id % 8 AS INT), id DIV 8, timestamp_micros(1780272000000000 + id * (86400000000 DIV 20000000)), 'm' FROM range(8 * 2375000, 20000000)",
	} {
		if err := c.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	var plainTime, auditTime time.Duration
	for b.Loop() {
		began := time.Now()
		c.plain("main.events.tgt")
		plainTime += time.Since(began)
		began = time.Now()
		a, err := pipeline.Audit(ctx, c, pipeline.AuditRequest{Contract: promise()})
		auditTime += time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		if a.Verdict != reconcile.Inconclusive || a.Counts.Gaps != 50 || a.Counts.Undecidable != 1000 {
			b.Fatalf("%s %+v %v", a.Verdict, a.Counts, a.Reasons)
		}
		if err := a.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(plainTime.Seconds()/float64(b.N), "plain-s/op")
	b.ReportMetric(auditTime.Seconds()/float64(b.N), "audit-s/op")
	b.ReportMetric(auditTime.Seconds()/plainTime.Seconds(), "ratio")
}

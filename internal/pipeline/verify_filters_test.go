package pipeline_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// A filter on the target that can exclude a match makes a false loss (facts/verification.md §4.2). The loader of this
// target writes event times of five hours later, and dates of its own, by which the table is partitioned: its rows are
// found by their keys alone, by what the ledger leaves to scan as by the stretches that are opened.
func TestFiltersCutNoMatch(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA main.events")
	b.exec("CREATE SCHEMA main.ops")
	b.exec("CREATE TABLE main.events.src (p INT, seq BIGINT, u TIMESTAMP, day DATE) PARTITIONED BY (day)")
	b.exec("CREATE TABLE main.events.tgt (p INT, seq BIGINT, u TIMESTAMP, day DATE) PARTITIONED BY (day)")
	c := promise(coverage.SettleNewestEvent)
	c.Evidence = "main.ops"
	load := `INSERT INTO main.events.tgt SELECT s.p, s.seq, s.u + INTERVAL 5 HOURS, DATE'1999-12-31'
FROM main.events.src AS s LEFT JOIN (SELECT p, max(seq) AS last FROM main.events.tgt GROUP BY p) AS t ON t.p = s.p
WHERE s.seq > coalesce(t.last, -1) AND s.u < (SELECT max(u) FROM main.events.src) - INTERVAL 30 MINUTES`
	job := b.job(c, load)
	produce := func(from, to int) {
		b.exec("INSERT INTO main.events.src SELECT p, seq, u, CAST(u AS DATE) FROM (SELECT CAST(id %% 3 AS INT) AS p, id DIV 3 AS seq, timestampadd(MINUTE, CAST(id DIV 3 AS INT), TIMESTAMP'2026-03-01T06:00:00Z') AS u FROM range(%d, %d)) AS r", 3*from, 3*to)
		b.advance(time.Minute)
		b.load(job)
	}
	r := pipeline.VerifyRequest{Job: "load", Block: 64}
	produce(0, 1000)
	if v := b.verify(r); v.Verdict != reconcile.Pass || v.Counts.Due != 2907 {
		t.Fatalf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	produce(1000, 1100)
	b.ResetRequests()
	if v := b.verify(r); v.Verdict != reconcile.Pass || v.Counts.Due != 3207 || b.statements("ANTI JOIN (SELECT * FROM VALUES") != 1 {
		t.Errorf("with a ledger: %s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	// The source shrinks to what is younger, and the target lacks rows in all partitions: below the source's range, in it,
	// above it. Spans are opened, and only what was deleted is missing.
	b.exec("DELETE FROM main.events.src WHERE seq < 300")
	b.advance(time.Minute)
	produce(1100, 1200)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (400, 401, 777) OR p = 2 AND seq BETWEEN 1000 AND 1004 OR p = 0 AND seq = 641")
	want := map[key]reconcile.State{{"0", 641}: reconcile.Skipped, {"1", 400}: reconcile.Skipped, {"1", 401}: reconcile.Skipped, {"1", 777}: reconcile.Skipped}
	for s := int64(1000); s <= 1004; s++ {
		want[key{"2", s}] = reconcile.Skipped
	}
	for _, full := range []bool{false, true} {
		r.Full = full
		if v := b.verify(r); show(listed(t, v)) != show(want) || v.Counts.Missing != 9 {
			t.Errorf("full %t: %s %+v\n%s\n%v", full, v.Verdict, v.Counts, show(listed(t, v)), v.Reasons)
		}
	}
	// A block with as many rows too many as it lacks.
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 1 AND seq IN (402, 403, 776)")
	if v := b.verify(r); v.Counts.Missing != 9 || v.Counts.Duplicates != 3 || show(listed(t, v)) != show(want) {
		t.Errorf("with duplicates: %s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

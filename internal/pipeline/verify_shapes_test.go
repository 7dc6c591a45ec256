package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// shaped is a workspace whose loader ran over rows that a query makes.
func shaped(t *testing.T, query string) (*bed, int64) {
	t.Helper()
	b := open(t)
	b.tables("INT", "")
	job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	b.exec("INSERT INTO main.events.src %s", query)
	b.load(job)
	return b, job
}

// Every other key is missing: so many blocks are open that they are not kept one by one, and long lists go to a file.
// The counts are exact all the same, and the list can be read twice.
func TestVerifyManyOpenBlocks(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT 0, id, timestampadd(SECOND, CAST(id AS INT), TIMESTAMP'2026-02-20T00:00:00Z') FROM range(200000)")
	b.exec("DELETE FROM main.events.tgt WHERE seq %% 2 = 1")
	v := b.verify(pipeline.VerifyRequest{Block: 2})
	// 1800 rows of the last 30 minutes are not due: 199999 − 1800 = 198199 is the first of them.
	const due = 198_199
	if v.Verdict != reconcile.Fail || v.Counts.Due != due || v.Counts.Missing != due/2 || v.Counts.InFlight != 200_000-due || v.Missing.Len() != due/2 {
		t.Errorf("%s %+v %d ranges %v", v.Verdict, v.Counts, v.Missing.Len(), v.Reasons)
	}
	for range 2 {
		next := int64(1)
		for r, err := range v.Missing.All() {
			if err != nil {
				t.Fatal(err)
			}
			if r.From != next || r.To != next || r.Rows != 1 {
				t.Fatalf("range %+v, want %d", r, next)
			}
			next += 2
		}
		if next != due {
			t.Errorf("the list ends before %d", next)
		}
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range v.Missing.All() {
		if err == nil {
			t.Error("a closed list gives elements")
		}
	}
}

// Sequences that are not contiguous: gaps prove nothing, and are not listed. Rows that left the source are found all the
// same, by reading its versions whole.
func TestVerifySparseSequences(t *testing.T) {
	t.Parallel()
	for _, lose := range []bool{false, true} {
		t.Run(fmt.Sprint("lose ", lose), func(t *testing.T) {
			t.Parallel()
			b, job := shaped(t, "SELECT CAST(id % 2 AS INT), id * 7, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(1000)")
			b.advance(time.Hour)
			b.exec("INSERT INTO main.events.src SELECT CAST(id %% 2 AS INT), id * 7, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(1000, 1500)")
			if !lose {
				b.load(job)
			}
			b.exec("DELETE FROM main.events.src WHERE u < TIMESTAMP'2026-03-01T20:00:00Z'") // 1200 minutes
			b.exec("INSERT INTO main.events.src SELECT CAST(id %% 2 AS INT), id * 7, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(1500, 1600)")
			v := b.verify(pipeline.VerifyRequest{RunID: b.load(job), Block: 64})
			want := map[key]reconcile.State{}
			for id := int64(969); lose && id < 1200; id++ { // 999 − 30 minutes is the first that was not due at the first run
				want[key{fmt.Sprint(id % 2), id * 7}] = reconcile.Expired
			}
			if got := show(listed(t, v)); got != show(want) {
				t.Errorf("listed %d, want %d\n%s", len(listed(t, v)), len(want), got)
			}
			verdict := reconcile.Pass
			if lose {
				verdict = reconcile.Fail
			}
			if v.Verdict != verdict || !has(v, reconcile.CodeNotContiguous, "not contiguous") {
				t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
			}
		})
	}
}

// Many days and many blocks: days add up, midnight and the cutoff cut blocks.
func TestVerifyManyDays(t *testing.T) {
	t.Parallel()
	for _, minutes := range []int{1, 7} { // 14 days need no slot each; 2 do
		t.Run(fmt.Sprint(minutes), func(t *testing.T) {
			t.Parallel()
			b, _ := shaped(t, fmt.Sprintf("SELECT CAST(id %% 2 AS INT), id DIV 2, timestampadd(MINUTE, CAST(id * %d AS INT), TIMESTAMP'2026-02-01T00:00:00Z') FROM range(2880)", minutes))
			v := b.verify(pipeline.VerifyRequest{Block: 32})
			days := 2 * minutes
			if v.Verdict != reconcile.Pass || len(v.ByDay) != days {
				t.Fatalf("%s %d days %+v", v.Verdict, len(v.ByDay), v.Counts)
			}
			perDay := int64(1440 / minutes)
			for i, d := range v.ByDay[:days-1] {
				at := time.Date(2026, 2, 1+i, 0, 0, 0, 0, time.UTC)
				first, last := ceil(at, minutes), ceil(at.Add(24*time.Hour), minutes)
				if d.Day != at.Format("2006-01-02") || d.Due != last-first || d.Loaded != d.Due || d.InFlight != 0 || d.Due < perDay {
					t.Errorf("%+v, want %d", d, last-first)
				}
			}
		})
	}
}

// ceil is the number of the first row at or after an instant.
func ceil(at time.Time, minutes int) int64 {
	m := int64(at.Sub(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)) / time.Minute)
	return (m + int64(minutes) - 1) / int64(minutes)
}

// A source that a view, an overwrite or a restore replaced lost rows as much as by a delete.
func TestVerifyOverwrittenSource(t *testing.T) {
	t.Parallel()
	b, job := shaped(t, "SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(1000)")
	b.advance(time.Hour)
	b.exec("INSERT OVERWRITE main.events.src SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(990, 1300)")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	want := map[key]reconcile.State{}
	for id := int64(969); id < 990; id++ {
		want[key{"0", id}] = reconcile.Expired
	}
	if got := show(listed(t, v)); got != show(want) || v.Verdict != reconcile.Fail {
		t.Errorf("%s %s", v.Verdict, got)
	}
	for r := range v.Missing.All() {
		if !strings.HasSuffix(r.Proof, "; in source version 1 until commit 2 (WRITE at "+v.Source.Committed.Format(time.RFC3339)+")") || r.Cause != reconcile.CauseSilence || r.RecoverFrom != "source VERSION AS OF 1" {
			t.Errorf("%+v", r)
		}
	}
}

// A row that left from between others that were never loaded: only the source's own hole shows it.
func TestVerifyHoleAboveTheTarget(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", "")
	job := b.job(promise(coverage.SettleNewestEvent), "SELECT 1")
	b.exec("INSERT INTO main.events.src SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(100)")
	b.exec("DELETE FROM main.events.src WHERE seq = 50")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job), Block: 16})
	if got := listed(t, v)[key{"0", 50}]; got != reconcile.Expired || v.Counts.Late != 68 || v.Counts.Due != 69 {
		t.Errorf("sequence 50 is %q; %+v", got, v.Counts)
	}
}

// A source that holds one key twice and lacks another has as many rows as sequences, and fewer keys.
func TestVerifySourceRepeatsAndLacks(t *testing.T) {
	t.Parallel()
	b, job := shaped(t, "SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(1000)")
	b.exec("DELETE FROM main.events.src WHERE seq = 10")
	b.exec("INSERT INTO main.events.src SELECT * FROM main.events.src WHERE seq = 20")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	if v.Verdict != reconcile.Pass || v.Counts.Due != 968 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

// Rows came and went since the previous run, and the versions that held them cannot be read any more: nothing in the
// target shows it, so nothing may be claimed.
func TestVerifyNothingClaimedBeyondReach(t *testing.T) {
	t.Parallel()
	b, job := shaped(t, "SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(360)")
	b.exec("INSERT INTO main.events.src SELECT 1, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(10)")
	b.exec("DELETE FROM main.events.src WHERE p = 1")
	b.advance(8 * 24 * time.Hour)
	b.exec("INSERT INTO main.events.src SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(360, 720)")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	if v.Verdict != reconcile.Inconclusive || !has(v, reconcile.CodeUnreadable, "can be read back to") {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	if v = b.verify(pipeline.VerifyRequest{RunID: b.load(job)}); v.Verdict != reconcile.Pass {
		t.Errorf("the run after it has nothing to do with that: %s %v", v.Verdict, v.Reasons)
	}
}

// Sequences at both ends of BIGINT, missing and doubled, are listed as they are.
func TestVerifyExtremeSequences(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT 0, seq, TIMESTAMP'2026-03-01T00:00:00Z' FROM VALUES (-9223372036854775807 - 1), (-9223372036854775807), (-5), (9223372036854775806), (9223372036854775807) AS v(seq)")
	b.exec("INSERT INTO main.events.src VALUES (0, 0, TIMESTAMP'2026-03-01T06:00:00Z')")
	b.exec("INSERT INTO main.events.tgt VALUES (0, -5, TIMESTAMP'2026-03-01T00:00:00Z'), (0, 9223372036854775807, TIMESTAMP'2026-03-01T00:00:00Z'), (0, 9223372036854775807, TIMESTAMP'2026-03-01T00:00:00Z'), " +
		"(1, -9223372036854775807 - 1, TIMESTAMP'2026-03-01T00:00:00Z'), (1, -9223372036854775807 - 1, TIMESTAMP'2026-03-01T00:00:00Z')")
	v := b.verify(pipeline.VerifyRequest{ReadAt: b.Now()})
	want := map[key]reconcile.State{{"0", -9223372036854775808}: reconcile.Skipped, {"0", -9223372036854775807}: reconcile.Skipped, {"0", 9223372036854775806}: reconcile.Skipped, {"0", 0}: reconcile.Doomed}
	got := map[key]reconcile.State{}
	for r, err := range v.Missing.All() {
		if err != nil {
			t.Fatal(err)
		}
		for s := r.From; ; s++ {
			got[key{r.Partition, s}] = r.State
			if s == r.To {
				break
			}
		}
	}
	if d := cmp.Diff(show(want), show(got)); d != "" || v.Counts.Duplicates != 2 {
		t.Errorf("(-want +got)\n%s%+v %v", d, v.Counts, v.Reasons)
	}
}

// A row of the year 294247, which somebody's wrong unit made, must not keep the others from being compared; days before 1970
// and before the year 1 count as others do.
func TestVerifyExtremeEventTimes(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT 0, seq, u FROM VALUES (1, TIMESTAMP'-0044-03-15T23:59:59.999999Z'), (2, TIMESTAMP'-0044-03-16T00:00:00Z'), (3, TIMESTAMP'1969-12-31T23:59:59.999999Z'), (4, TIMESTAMP'1970-01-01T00:00:00Z'), (5, timestamp_micros(9223372036854775806)) AS v(seq, u)")
	v := b.verify(pipeline.VerifyRequest{Block: 2})
	var days []string
	for _, d := range v.ByDay {
		days = append(days, fmt.Sprintf("%s %d", d.Day, d.Due))
	}
	if got := strings.Join(days, ", "); v.Counts.Due != 4 || v.Counts.Missing != 0 || got != "-0044-03-15 1, -0044-03-16 1, 1969-12-31 1, 1970-01-01 1, 294247-01-10 0" {
		t.Errorf("%s %+v %s %v", v.Verdict, v.Counts, got, v.Reasons)
	}
	b.exec("DELETE FROM main.events.tgt WHERE seq IN (2, 3)")
	if v = b.verify(pipeline.VerifyRequest{Block: 2}); v.Counts.Skipped != 2 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

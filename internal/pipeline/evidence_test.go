package pipeline_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// remembering is loaded with a contract that names a schema for evidence, blocks of 64, and a first verification.
func remembering(t *testing.T) (*bed, int64, pipeline.VerifyRequest) {
	t.Helper()
	b := open(t)
	b.tables("INT", "")
	b.exec("CREATE SCHEMA main.ops")
	c := promise(coverage.SettleNewestEvent)
	c.Evidence = "main.ops"
	job := b.job(c, loaderSQL(coverage.SettleNewestEvent))
	b.produce(0, 1000)
	b.advance(time.Minute)
	b.load(job)
	r := pipeline.VerifyRequest{Job: "load", Block: 64}
	if v := b.verify(r); v.Verdict != reconcile.Pass {
		t.Fatalf("%s %v", v.Verdict, v.Reasons)
	}
	return b, job, r
}

// produce adds rows from … to of three partitions, one a minute.
func (b *bed) produce(from, to int) {
	b.t.Helper()
	b.exec("INSERT INTO main.events.src SELECT CAST(id %% 3 AS INT), id DIV 3, timestampadd(MINUTE, CAST(id DIV 3 AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(%d, %d)", 3*from, 3*to)
}

// loadOnly runs the loader with a further condition.
func (b *bed) loadOnly(job int64, condition string) int64 {
	b.t.Helper()
	set := func(sql string) {
		if err := b.client.ImportFile(b.t.Context(), loaderFile, []byte(sql), true); err != nil {
			b.t.Fatal(err)
		}
	}
	whole := loaderSQL(coverage.SettleNewestEvent)
	set(whole + " AND " + condition)
	id := b.load(job)
	set(whole)
	return id
}

func (b *bed) kept(table string) string {
	b.t.Helper()
	return b.exec("SELECT count(*) FROM main.ops.watertight_%s", table)[0][0]
}

// statements are those sent since, that hold a text.
func (b *bed) statements(text string) int {
	n := 0
	for _, q := range b.Requests() {
		if q.Method == http.MethodPost && strings.HasPrefix(q.Route, "/api/2.0/sql/statements") && strings.Contains(q.Body, text) {
			n++
		}
	}
	return n
}

// The target's stretches that were verified are not scanned again; what is new is.
func TestLedgerSavesScans(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	for table, want := range map[string]string{"runs": "1", "ledger": "3", "manifests": "6", "findings": "0"} {
		if got := b.kept(table); got != want {
			t.Errorf("%s: %s records, want %s", table, got, want)
		}
	}
	b.produce(1000, 1100)
	b.load(job)
	b.ResetRequests()
	v := b.verify(r)
	if v.Verdict != reconcile.Pass || v.Counts.Due != 3207 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	if n := b.statements("(0, 0, 959)"); n != 1 {
		t.Errorf("%d statements leave out what was verified", n)
	}
	b.ResetRequests()
	r.Full = true
	if v := b.verify(r); v.Verdict != reconcile.Pass || b.statements("ANTI JOIN (SELECT * FROM VALUES") != 0 {
		t.Errorf("--full: %s, %d statements", v.Verdict, b.statements("ANTI JOIN (SELECT * FROM VALUES"))
	}
}

// Case R of facts/verification.md: rows deleted from what was verified are missed, whatever the ledger says; so are rows
// that were added twice where there were rows already.
func TestLedgerIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil   string
		missing int64
		surplus int64
	}{
		"a row deleted":                  {"DELETE FROM main.events.tgt WHERE p = 1 AND seq = 70", 1, 0},
		"a row added twice":              {"INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq = 70", 0, 1},
		"deleted, then another doubled":  {"DELETE FROM main.events.tgt WHERE p = 1 AND seq = 70; INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq = 71", 1, 1},
		"OPTIMIZE takes nothing from it": {"OPTIMIZE main.events.tgt", 0, 0},
		"restored to before the load":    {"RESTORE TABLE main.events.tgt TO VERSION AS OF 0; INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE seq < 969 AND NOT (p = 2 AND seq = 3)", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, r := remembering(t)
			for _, sql := range strings.Split(c.spoil, "; ") {
				b.exec("%s", sql)
			}
			v := b.verify(r)
			if v.Counts.Missing != c.missing || v.Counts.Duplicates != c.surplus {
				t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
			}
		})
	}
}

// A target that was dropped and made again is another table: its versions are counted anew.
func TestLedgerOfAnotherTable(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.exec("DROP TABLE main.events.tgt")
	b.exec("CREATE TABLE main.events.tgt (p INT, seq BIGINT, u TIMESTAMP)")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p < 2 AND seq < 900")
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq = 5")
	if v := b.verify(r); v.Verdict != reconcile.Fail || v.Counts.Missing != 1 {
		t.Errorf("%s %+v", v.Verdict, v.Counts)
	}
}

// Confirm before alarm: rows that the next run may still load are a suspect once, and a loss when the target lacks them
// again.
func TestLateRowsAreSuspectsFirst(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.produce(1000, 1100)
	b.loadOnly(job, "s.p <> 1") // leaves 969 to 1068 of partition 1
	v := b.verify(r)
	if v.Verdict != reconcile.Inconclusive || run.Verified(v) != run.Warning || !has(v, reconcile.CodeSuspect, "100 rows") {
		t.Errorf("first: %s, exit %d, %v", v.Verdict, run.Verified(v), v.Reasons)
	}
	strict := r
	strict.Strict = true
	if v := b.verify(strict); run.Verified(v) != run.Loss {
		t.Errorf("strict: exit %d", run.Verified(v))
	}
	if v := b.verify(r); v.Verdict != reconcile.Inconclusive {
		t.Errorf("the same version again confirms nothing: %s", v.Verdict)
	}
	b.advance(2 * time.Second)
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 2 AND seq = 1090")
	if v := b.verify(r); v.Verdict != reconcile.Fail || v.Counts.Late != 100 {
		t.Errorf("at a later version: %s %v", v.Verdict, v.Reasons)
	}
	b.load(job)
	if v := b.verify(r); v.Counts.Late != 0 {
		t.Errorf("after the loader: %+v", v.Counts)
	}
}

// The evidence may be a file: what one verification saw, the next knows. A line that cannot be read is no evidence of
// nothing.
func TestEvidenceInAFile(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	path := filepath.Join(t.TempDir(), "evidence.jsonl")
	r := pipeline.VerifyRequest{Job: "load", Block: 64, EvidencePath: path}
	if v := b.verify(r); v.Verdict != reconcile.Pass {
		t.Fatalf("%s %v", v.Verdict, v.Reasons)
	}
	b.produce(1000, 1010)
	b.load(job)
	b.ResetRequests()
	if v := b.verify(r); v.Verdict != reconcile.Pass || b.statements("(0, 0, 959)") != 1 {
		t.Errorf("%s, %d statements leave out what was verified", v.Verdict, b.statements("(0, 0, 959)"))
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"schema":1,"table":"watertight_runs","sc` + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Verify(t.Context(), b.client, r); err == nil || !strings.Contains(err.Error(), "evidence.jsonl, line ") {
		t.Errorf("a broken line: %v", err)
	}
}

// A verdict does not hang on the evidence: without a schema, or with tables of a newer shape, it is given and the reason
// said.
func TestVerdictWithoutEvidence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, sql, text string }{
		"no such schema": {"main.nowhere", "SELECT 1", "there is no schema main.nowhere"},
		"a newer shape":  {"main.ops", "INSERT INTO main.ops.watertight_runs (schema_version, scope) VALUES (2, 'x')", "newer shape"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, _ := remembering(t)
			b.exec("%s", c.sql)
			p := promise(coverage.SettleNewestEvent)
			p.Evidence = c.schema
			v := b.verify(pipeline.VerifyRequest{Contract: p, Block: 64, ReadAt: b.Now()})
			if v.Verdict != reconcile.Pass || !has(v, reconcile.CodeNoEvidence, c.text) {
				t.Errorf("%s %v", v.Verdict, v.Reasons)
			}
		})
	}
}

// Two verifiers at once lose nothing of each other's records; another loader's are none of theirs.
func TestTwoVerifiersAtOnce(t *testing.T) {
	t.Parallel()
	b, _, r := remembering(t)
	r.Full = true // nothing changed, so that the first would be repeated
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if v, err := pipeline.Verify(t.Context(), b.client, r); err != nil || v.Verdict != reconcile.Pass || v.Warning {
				t.Errorf("%v %s %v", err, v.Verdict, v.Reasons)
			}
		})
	}
	all.Wait()
	if got := b.kept("runs"); got != "5" {
		t.Errorf("%s runs are kept, want 5", got)
	}
	other := promise(coverage.SettleNewestEvent)
	other.Evidence, other.SettleDelay = "main.ops", 45*time.Minute
	b.ResetRequests()
	b.verify(pipeline.VerifyRequest{Contract: other, Block: 64, ReadAt: b.Now()})
	if n := b.statements("(0, 0, 959)"); n != 0 {
		t.Errorf("another settle delay trusts the ledger in %d statements", n)
	}
}

// A finding is kept, and what became of it is said beside it: by a later verification that finds its rows in the target,
// or by the recovery that brought them back.
func TestFindingsAreResolved(t *testing.T) {
	t.Parallel()
	b, _, r := remembering(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (7, 8) OR p = 2 AND seq = 9")
	if v := b.verify(r); v.Verdict != reconcile.Fail {
		t.Fatalf("%s", v.Verdict)
	}
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq IN (7, 8)")
	b.advance(2 * time.Second)
	b.verify(r)
	b.advance(2 * time.Second)
	if got := b.recover(pipeline.RecoverRequest{VerifyRequest: r, Apply: true}); !got.IsWhole() {
		t.Fatalf("%+v", got)
	}
	const newest = "SELECT low, recovered_by FROM (SELECT *, row_number() OVER (PARTITION BY finding ORDER BY recorded_at DESC, recovered_by IS NULL) AS nth FROM main.ops.watertight_findings) AS f WHERE nth = 1 ORDER BY low"
	rows := b.exec("%s", newest)
	if len(rows) != 2 || !strings.HasPrefix(rows[0][1], "in the target at version") || !strings.HasPrefix(rows[1][1], "watertight recover") {
		t.Errorf("%v", rows)
	}
	if first := b.exec("SELECT count(*) FROM main.ops.watertight_findings WHERE recovered_by IS NULL AND state = 'skipped'")[0][0]; first < "2" {
		t.Errorf("%s records of what was missing", first)
	}
}

// Accepting needs something to remember it by.
func TestAcceptNeedsEvidence(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	_, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", Accept: []pipeline.Accepted{{Partition: "0", From: 1, To: 2, Reason: "x"}}})
	if err == nil || !strings.Contains(err.Error(), "no evidence to remember it by") {
		t.Errorf("got %v", err)
	}
}

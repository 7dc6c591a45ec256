package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// facts/verification.md §1, the trap: LEAD over dirty blocks bridges the clean ones between them. Every other block of 64
// lacks a row, which is more stretches than a statement names, and every seventh is missing as a whole.
func TestAuditBridgesNoCleanBlock(t *testing.T) {
	t.Parallel()
	b := wide(t, "seq DIV 64 % 2 = 1 AND seq % 64 = p + 5 OR seq DIV 64 % 7 = 3", "")
	var lists []string
	counts := reconcile.AuditCounts{}
	for p := range int64(3) {
		from := int64(-1)
		for seq := range int64(5000) {
			absent := seq/64%2 == 1 && seq%64 == p+5 || seq/64%7 == 3
			if absent && from < 0 {
				from = seq
			}
			if !absent && from >= 0 {
				for _, part := range [][2]int64{{from, min(seq-1, 3559)}, {max(from, 3560), seq - 1}} {
					if n := part[1] - part[0] + 1; n > 0 && part[0] < 3560 {
						lists = append(lists, fmt.Sprintf("%d:%d-%d %d undecidable", p, part[0], part[1], n))
						counts.Undecidable += n
					} else if n > 0 {
						lists = append(lists, fmt.Sprintf("%d:%d-%d %d skipped", p, part[0], part[1], n))
						counts.Missing += n
					}
				}
				from = -1
				counts.Gaps++
			}
			if !absent {
				counts.Rows++
				counts.Keys++
			}
		}
	}
	slices.Sort(lists)
	for _, block := range []int64{64, 128, 1024, 65536} { // the longer ones are read again in parts
		b.audits(auditCase{verdict: reconcile.Fail, exit: run.Loss, counts: counts, lists: lists}, pipeline.AuditRequest{Block: block})
	}
}

// What the ledger says is not read again, as long as nothing was removed; what lies above is, and --full reads everything.
func TestAuditAboveTheLedger(t *testing.T) {
	t.Parallel()
	b := wide(t, "p = 1 AND seq >= 4500", "")
	r := pipeline.AuditRequest{EvidencePath: filepath.Join(t.TempDir(), "kept")}
	whole := auditCase{verdict: reconcile.Pass, counts: reconcile.AuditCounts{Rows: 14500, Keys: 14500}}
	a := b.audits(whole, r)
	want := []reconcile.Through{{Partition: "0", From: 0, To: 4999}, {Partition: "1", From: 0, To: 4499}, {Partition: "2", From: 0, To: 4999}}
	if !slices.Equal(a.Through, want) {
		t.Errorf("%+v", a.Through)
	}
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq > 4600")
	b.ResetRequests()
	more := auditCase{verdict: reconcile.Fail, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 14899, Keys: 14899, Gaps: 1, Missing: 101}, lists: []string{"1:4500-4600 101 skipped"}}
	a = b.audits(more, r)
	if n := b.statements("(1, 0, 4479)"); n != 1 {
		t.Errorf("%d statements leave out what was verified", n)
	}
	want = []reconcile.Through{{Partition: "0", From: 0, To: 4999, Recalled: 4992}, {Partition: "1", From: 0, To: 4499, Recalled: 4480}, {Partition: "2", From: 0, To: 4999, Recalled: 4992}}
	if !slices.Equal(a.Through, want) {
		t.Errorf("%+v", a.Through)
	}
	b.ResetRequests()
	full := r
	full.Full = true
	if a = b.audits(more, full); b.statements("seq IS NULL OR NOT") != 0 || a.Through[0].Recalled != 0 {
		t.Errorf("--full leaves out %+v", a.Through)
	}
	// A deletion below is found whatever the ledger says; so is a row that was added twice there.
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 2 AND seq = 11")
	more.counts.Rows, more.counts.Duplicates = 14900, 1
	more.lists = []string{"1:4500-4600 101 skipped", "2:11-11 1 too many duplicate_two_runs"}
	b.audits(more, r)
	b.exec("DELETE FROM main.events.tgt WHERE p = 2 AND seq IN (11, 12)")
	more.counts = reconcile.AuditCounts{Rows: 14897, Keys: 14897, Gaps: 2, Missing: 103}
	more.lists = []string{"1:4500-4600 101 skipped", "2:11-12 2 expired"}
	b.audits(more, r)
	var found int
	for _, f := range b.lines(r.EvidencePath, `"watertight_findings"`) {
		if strings.Contains(f, `"missing/2/11/12"`) || strings.Contains(f, `"duplicate/2/11/11"`) {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 findings are on record", found)
	}
}

// lines are those of a file that hold a text.
func (b *bed) lines(path, text string) []string {
	b.t.Helper()
	data, err := readFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(data, "\n"), func(l string) bool { return !strings.Contains(l, text) })
}

// Manifests decide: what one lists was there and is lost; what none lists, though they were kept right before and right
// after, never was. That holds where the source has gaps of its own too, and for what lies under a partition.
func TestAuditByManifests(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", " TBLPROPERTIES ('watertight.rolling_window' = '2 hours')")
	c := promise("wall")
	r := pipeline.AuditRequest{Contract: c, EvidencePath: filepath.Join(t.TempDir(), "kept")}
	const minutes = "timestampadd(MINUTE, CAST(seq AS INT), TIMESTAMP'2026-03-02T06:00:00Z')"
	rows := func(from, to int, where string) string {
		return fmt.Sprintf("SELECT p, seq, %s FROM (SELECT CAST(id %% 2 AS INT) AS p, id DIV 2 AS seq FROM range(%d, %d)) AS r WHERE %s", minutes, 2*from, 2*to, where)
	}
	// A quarter of an hour brings fifteen rows of each partition; 100 … 104 of partition 0 never come.
	for quarter := range 16 {
		b.advance(15 * time.Minute)
		b.exec("INSERT INTO main.events.src %s", rows(15*quarter, 15*quarter+15, "NOT (p = 0 AND seq BETWEEN 100 AND 104)"))
		b.exec("DELETE FROM main.events.src WHERE u < current_timestamp() - INTERVAL 2 HOURS")
		if _, _, err := pipeline.KeepManifest(t.Context(), b.client, c, r.EvidencePath); err != nil {
			t.Fatal(err)
		}
	}
	// The target lacks those, 20 … 29 of partition 0, and the first ten of partition 1.
	b.exec("INSERT INTO main.events.tgt %s", rows(0, 210, "NOT (p = 0 AND (seq BETWEEN 100 AND 104 OR seq BETWEEN 20 AND 29) OR p = 1 AND seq < 10)"))
	want := auditCase{verdict: reconcile.Fail, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 395, Keys: 395, Gaps: 2, Missing: 20}, code: reconcile.CodeUpstreamGap,
		lists: []string{"0:20-29 10 lost", "1:0-9 10 lost"}}
	b.audits(want, r)
	r.Accept = []pipeline.Accepted{{Partition: "0", From: 0, To: 24, Reason: "a test"}, {Partition: "1", From: 0, To: 9, Reason: "a test"}, {Partition: "0", From: 27, To: 103, Reason: "a test"}}
	want.counts.Missing, want.counts.Accepted = 2, 22
	want.lists = []string{"0:100-103 4 accepted undecidable", "0:20-24 5 accepted lost", "0:25-26 2 lost", "0:27-29 3 accepted lost", "1:0-9 10 accepted lost"}
	b.audits(want, r)
	r.Accept = []pipeline.Accepted{{Partition: "0", From: 25, To: 26, Reason: "a test"}}
	want.verdict, want.exit = reconcile.Pass, run.Pass
	want.counts.Missing, want.counts.Accepted = 0, 24
	want.lists = []string{"0:100-103 4 accepted undecidable", "0:20-29 10 accepted lost", "1:0-9 10 accepted lost"}
	b.audits(want, r)
}

func readFile(path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}

// What verify found in a version is expired to an audit, too, for as long as that can be read, and lost only after. What was
// missing from an earlier table of the target's name is nobody's loss any more.
func TestAuditOfWhatWasFound(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 2 hours')")
	b.produce(1000, 1100)
	b.exec("DELETE FROM main.events.src WHERE seq < 1010")
	b.advance(time.Minute)
	b.produce(1100, 1200)
	b.load(job)
	found := all(t, b.verify(r).Missing)
	until := map[string]time.Time{}
	for range 2 {
		rows := int64(0)
		for _, g := range all(t, b.audit(pipeline.AuditRequest{}).Missing) {
			i := slices.IndexFunc(found, func(f reconcile.Range) bool { return f.Partition == g.Partition && f.From <= g.From && g.To <= f.To })
			if rows += g.Rows; i < 0 || g.State != reconcile.Expired || found[i].State != g.State || !g.RecoverableUntil.Equal(found[i].RecoverableUntil) || g.RecoverFrom != found[i].RecoverFrom || g.RecoverFrom == "" {
				t.Errorf("%+v, found as %+v", g, found)
			}
			until[g.Partition] = g.RecoverableUntil
		}
		if rows != 3*41 {
			t.Errorf("%d rows, found as %+v", rows, found)
		}
	}
	b.advance(3 * time.Hour)
	a := b.audit(pipeline.AuditRequest{})
	for _, g := range all(t, a.Missing) {
		if g.State != reconcile.Lost || !g.RecoverableUntil.IsZero() || g.RecoverFrom != "" || !g.GoneSince.Equal(until[g.Partition]) {
			t.Errorf("%+v", g)
		}
	}
	if a.Counts.Missing != 3*41 {
		t.Errorf("%+v %v", a.Counts, a.Reasons)
	}
	b.exec("CREATE TABLE main.events.kept AS SELECT * FROM main.events.tgt")
	b.exec("DROP TABLE main.events.tgt")
	b.exec("CREATE TABLE main.events.tgt AS SELECT * FROM main.events.kept")
	if a = b.audit(pipeline.AuditRequest{}); a.Counts.Gaps != 3 || len(all(t, a.Missing)) == 0 {
		t.Errorf("%+v", a.Counts)
	}
	if a.Counts.Missing > 3*31 { // what manifests list of the source, which is the same
		t.Errorf("%s %+v", a.Verdict, a.Counts)
	}
}

package pipeline_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// only is the one missing key of a verification.
func onlyKey(t *testing.T, v reconcile.Verification) reconcile.Range {
	t.Helper()
	for r, err := range v.Missing.All() {
		if err != nil || v.Missing.Len() != 1 {
			t.Fatal(err, v.Missing.Len())
		}
		return r
	}
	t.Fatalf("nothing is missing: %s %v", v.Verdict, v.Reasons)
	return reconcile.Range{}
}

// loadBut runs the loader with a further condition.
func (b *bed) loadBut(job int64, condition string) {
	b.t.Helper()
	whole, err := b.client.ReadFile(b.t.Context(), loaderFile)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, sql := range []string{string(whole) + " AND " + condition, string(whole)} {
		if err := b.client.ImportFile(b.t.Context(), loaderFile, []byte(sql), true); err != nil {
			b.t.Fatal(err)
		}
		if sql != string(whole) {
			b.load(job)
		}
	}
}

// A row that came due and left between two runs is found in an older version, with the version, the deadline and the proof.
func TestVerifyKeyExpiredUnread(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src VALUES ('gone', TIMESTAMP'2026-03-02T06:01:00Z'), ('later', TIMESTAMP'2026-03-02T09:00:00Z')")
	b.advance(2 * time.Hour)
	b.exec("DELETE FROM main.events.src WHERE a = 'gone'")
	b.advance(time.Minute)
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Fail, `expired "gone"`)
	r := onlyKey(t, v)
	if r.Cause != reconcile.CauseExpiredUnread || !strings.Contains(r.Proof, "in source version 2 until commit 3 (DELETE") || r.RecoverFrom != "source VERSION AS OF 2" || r.RecoverableUntil.IsZero() {
		t.Errorf("%+v", r)
	}
	if v.Counts.Due != 2 || v.Counts.Expired != 1 || v.Counts.InFlight != 1 {
		t.Errorf("%+v", v.Counts)
	}
}

// What a run may have gone past is not called expired unread: it was due at the run before.
func TestVerifyKeyGoneButWasDueBefore(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %[1]s), ('passed', %[1]s)", early)
	b.loadBut(job, "s.a <> 'passed'")
	b.advance(time.Hour)
	b.exec("DELETE FROM main.events.src WHERE a = 'passed'")
	b.advance(time.Minute)
	b.load(job)
	r := onlyKey(t, b.verify(pipeline.VerifyRequest{}))
	if r.State != reconcile.Expired || r.Cause != reconcile.CauseUndecidable || !strings.Contains(r.Proof, "a sequence in the key would have told") {
		t.Errorf("%+v", r)
	}
}

// What was deleted in the target had been read: it is skipped, by the commit that took it.
func TestVerifyKeyDeletedInTarget(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %[1]s), ('taken', %[1]s), ('taken and gone', %[1]s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.tgt WHERE a LIKE 'taken%%'")
	b.exec("DELETE FROM main.events.src WHERE a = 'taken and gone'")
	b.advance(time.Minute)
	if err := b.client.ImportFile(t.Context(), loaderFile, []byte("INSERT INTO main.events.tgt SELECT 'other', u FROM main.events.src WHERE a = 'kept'"), true); err != nil {
		t.Fatal(err)
	}
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Fail, `skipped "taken"`, `expired "taken and gone"`)
	for r := range v.Missing.All() {
		if r.Cause != reconcile.CauseDeleted || !strings.Contains(r.Proof, "in target version 1 until commit 2 (DELETE") {
			t.Errorf("%+v", r)
		}
	}
	if v.Counts.Skipped != 1 || v.Counts.Expired != 1 || v.Counts.Due != 3 || !has(v, reconcile.CodeNoSequences, "may have taken keys from the target") {
		t.Errorf("%+v %v", v.Counts, v.Reasons)
	}
}

// A source that promised to hold rows for longer, and a row that left before it was due.
func TestVerifyKeySourceShrank(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src VALUES ('young', TIMESTAMP'2026-03-02T06:55:00Z')")
	b.advance(time.Hour)
	b.exec("DELETE FROM main.events.src WHERE a = 'young'")
	b.advance(time.Minute)
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{})
	r := onlyKey(t, v)
	if v.Verdict != reconcile.Fail || r.State != reconcile.Doomed || r.Cause != reconcile.CauseSourceShrank || !strings.Contains(r.Proof, "before 2026-03-03T06:55:00Z") || v.Counts.Due != 1 {
		t.Errorf("%s %+v %+v", v.Verdict, r, v.Counts)
	}
}

// A run that wrote nothing has read nothing past anything.
func TestVerifyKeyUnread(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src VALUES ('due', %s)", early)
	b.advance(time.Minute)
	if err := b.client.ImportFile(t.Context(), loaderFile, []byte("SELECT 1"), true); err != nil {
		t.Fatal(err)
	}
	b.load(job)
	r := onlyKey(t, b.verify(pipeline.VerifyRequest{}))
	if r.State != reconcile.Late || r.Cause != reconcile.CauseUnread || !strings.Contains(r.Proof, "wrote nothing") {
		t.Errorf("%+v", r)
	}
}

// With evidence a late key is a suspect first and confirmed at a later version; the finding is kept when the key is there again;
// and what left the source since the last verification is looked for, however many runs lie in between.
func TestVerifyKeysWithEvidence(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING, b INT", "a", "b")
	b.exec("CREATE SCHEMA main.ops")
	c := keyedPromise("a", "b")
	c.Evidence = "main.ops"
	tags := map[string]any{}
	for k, v := range c.Tags() {
		tags[k] = v
	}
	if err := b.client.UpdateJob(t.Context(), job, map[string]any{"tags": tags}); err != nil {
		t.Fatal(err)
	}
	b.exec("INSERT INTO main.events.src VALUES ('x', 1, %[1]s), ('y', NULL, %[1]s), ('z', 3, %[1]s)", early)
	b.advance(time.Minute)
	b.loadBut(job, "s.a = 'z'")
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Inconclusive, `late "x","1"`, `late "y",NULL`)
	if !has(v, reconcile.CodeSuspect, "2 rows") || !has(v, reconcile.CodeNoSequences, "none is kept") || b.kept("manifests") != "0" || b.kept("ledger") != "0" || b.kept("runs") != "1" {
		t.Errorf("%v %s manifests %s entries %s runs", v.Reasons, b.kept("manifests"), b.kept("ledger"), b.kept("runs"))
	}
	b.exec("INSERT INTO main.events.tgt VALUES ('other', 9, %s)", early)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Fail, `late "x","1"`, `late "y",NULL`)
	b.advance(time.Minute)
	b.load(job)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Inconclusive) // the null is one row, and apart
	if got := b.exec("SELECT finding, recovered_by FROM main.ops.watertight_findings WHERE recovered_by IS NOT NULL ORDER BY finding"); len(got) != 2 || got[0][0] != `missing/{"a":"x","b":"1"}` ||
		got[1][0] != `missing/{"a":"y","b":null}` || !strings.HasPrefix(got[0][1], "in the target at version") {
		t.Errorf("%v", got)
	}
	b.exec("INSERT INTO main.events.src VALUES ('gone', 4, %s)", early)
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.src WHERE a = 'gone' OR b IS NULL")
	b.exec("DELETE FROM main.events.tgt WHERE b IS NULL")
	for range 3 {
		b.advance(time.Minute)
		b.load(job)
	}
	v = b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Fail, `expired "gone","4"`, `expired "y",NULL`)
}

// A PASS is repeated without a scan while nothing changes, and not when something did.
func TestVerifyKeysUnchanged(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	r := pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.advance(time.Minute)
	b.load(job)
	wantKeys(t, b.verify(r), reconcile.Pass)
	v := b.verify(r)
	wantKeys(t, v, reconcile.Pass)
	if !has(v, reconcile.CodeUnchanged, "repeated") {
		t.Errorf("%v", v.Reasons)
	}
	if text, err := os.ReadFile(r.EvidencePath); err != nil || !strings.Contains(string(text), `"due":1`) {
		t.Errorf("%v %s", err, text)
	}
	b.exec("DELETE FROM main.events.tgt WHERE a = 'x'")
	if v := b.verify(r); v.Verdict == reconcile.Pass || v.Counts.Missing != 1 {
		t.Errorf("%s %+v", v.Verdict, v.Counts)
	}
}

// What needs a sequence is refused by its name.
func TestKeysWithoutSequenceRefused(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.load(job)
	r := pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	watching := pipeline.Watch(t.Context(), b.client, &clock{}, pipeline.WatchRequest{Job: "load", EvidencePath: r.EvidencePath, Times: 1}, func(pipeline.Look) {})
	_, auditing := pipeline.Audit(t.Context(), b.client, pipeline.AuditRequest{Job: "load"})
	r.Accept = []pipeline.Accepted{{Partition: "x", Reason: "because"}}
	_, accepting := pipeline.Verify(t.Context(), b.client, r)
	for what, err := range map[string]error{"watch": watching, "audit": auditing, "accept": accepting} {
		if !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), `"columns:a"`) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A purge knows a row by its columns, fields of structs among them; what is null in a key stays.
func TestPurgeByKeyColumns(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "s STRUCT<a: STRING>, b INT", "s.a", "b")
	b.exec(window)
	const old = "TIMESTAMP'2026-03-01T01:00:00Z'"
	b.exec("INSERT INTO main.events.src SELECT named_struct('a', a), b, u FROM VALUES ('1', 11, %[1]s), ('11', 1, %[1]s), ('x', NULL, %[1]s), ('young', 1, %[2]s) AS v(a, b, u)", old, early)
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE b = 1 AND u < %s", early)
	p := b.purge(pipeline.PurgeRequest{})
	if p.Old != 3 || p.Loaded != 1 || p.Deleted != 1 || p.Unread() != 2 {
		t.Errorf("%+v", p)
	}
	if got := b.exec("SELECT s.a FROM main.events.src ORDER BY s.a"); len(got) != 3 || got[0][0] != "11" || got[1][0] != "x" || got[2][0] != "young" {
		t.Errorf("%v are left", got)
	}
}

// Keys that left the source come back by time travel, once, nulls and fields of structs among them; what the source still has
// is left to the loader; and what is newer than that waits, for a loader may go by the time.
func TestRecoverKeys(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "s STRUCT<a: STRING>, b INT, d DECIMAL(5,2)", "s.a", "b")
	rows := func(values string) string {
		return "SELECT named_struct('a', a), b, d, u FROM VALUES " + values + " AS v(a, b, d, u)"
	}
	b.exec("INSERT INTO main.events.src %s", rows("('kept', 1, 1.5, "+early+")"))
	b.load(job)
	b.advance(time.Minute)
	const u = "TIMESTAMP'2026-03-02T04:00:00Z'"
	b.exec("INSERT INTO main.events.src %s", rows(fmt.Sprintf("('it''s', 1, 2.5, %[1]s), ('it''s', 1, 2.5, %[1]s), ('b|c', NULL, 3.5, %[1]s), ('new', 7, 4.5, TIMESTAMP'2026-03-02T05:00:00Z'), ('late', 2, 5.5, TIMESTAMP'2026-03-02T04:30:00Z')", u)))
	b.advance(2 * time.Hour)
	b.exec("DELETE FROM main.events.src WHERE s.a IN ('it\\'s', 'b|c', 'new')")
	b.advance(time.Minute)
	b.loadBut(job, "s.s.a <> 'late'")
	got := b.recover(pipeline.RecoverRequest{})
	want := map[string]pipeline.Outcome{`"it's","1"`: pipeline.CanRecover, `"b|c",NULL`: pipeline.CanRecover, `"new","7"`: pipeline.HeldBack, `"late","2"`: pipeline.ForLoader}
	check := func(got pipeline.Recovery) {
		t.Helper()
		ranges := all(t, got.Ranges)
		for _, r := range ranges {
			if r.Outcome != want[keyText(r.Key)] {
				t.Errorf("%s: %s, want %s: %+v", keyText(r.Key), r.Outcome, want[keyText(r.Key)], r.Options)
			}
		}
		if len(ranges) != len(want) {
			t.Errorf("%d, want %d", len(ranges), len(want))
		}
	}
	check(got)
	if got.Wanted != 2 || got.Found != 2 || got.Later != 2 || got.Steps.Len() != 1 || b.count("b = 1") != "1" {
		t.Errorf("%+v", got)
	}
	want[`"it's","1"`], want[`"b|c",NULL`] = pipeline.Recovered, pipeline.Recovered
	got = b.recover(pipeline.RecoverRequest{Apply: true})
	check(got)
	if got.Returned != 2 || got.IsWhole() || b.count("s.a = 'it\\'s' AND b = 1 AND d = 2.5 AND u = "+u) != "1" || b.count("s.a = 'b|c' AND b IS NULL") != "1" {
		t.Errorf("%+v %v", got, b.exec("SELECT * FROM main.events.tgt"))
	}
	statement := all(t, got.Steps)[0].Statement
	b.exec("%s", statement)
	if b.count("d = 2.5 OR d = 3.5") != "2" {
		t.Error("a second time it adds rows:", statement)
	}
	delete(want, `"it's","1"`)
	delete(want, `"b|c",NULL`)
	delete(want, `"late","2"`)
	want[`"new","7"`] = pipeline.Recovered
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.tgt SELECT s.* FROM main.events.src AS s WHERE s.s.a = 'late'")
	got = b.recover(pipeline.RecoverRequest{Apply: true})
	check(got)
	if !got.IsWhole() || got.Returned != 1 {
		t.Errorf("%+v", got)
	}
}

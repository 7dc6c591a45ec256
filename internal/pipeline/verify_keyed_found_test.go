package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// twoGone has two keys that left the source unread, as a verification found, and a further load since.
func twoGone(t *testing.T) (b *bed, job int64, r pipeline.VerifyRequest, first reconcile.Verification) {
	t.Helper()
	b, job = keyedBed(t, "a STRING", "a")
	r = pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src VALUES ('n1', %[1]s), ('n2', %[1]s)", early)
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.src WHERE a LIKE 'n%%'")
	b.advance(time.Minute)
	b.load(job)
	first = b.verify(r)
	wantKeys(t, first, reconcile.Fail, `expired "n1"`, `expired "n2"`)
	another(b, job, "z")
	return b, job, r, first
}

// another is a row that is loaded.
func another(b *bed, job int64, key string) {
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src VALUES ('%s', %s)", key, early)
	b.advance(time.Minute)
	b.load(job)
}

// What a verification found missing is missing until it is in the target, although neither table shows it any more: with the
// version, the deadline and the proof that were found, and lost when that version can be read no more.
func TestVerifyKeysFoundBefore(t *testing.T) {
	t.Parallel()
	b, job, r, first := twoGone(t)
	found := all(t, first.Missing)[0]
	var proof string
	for range 2 {
		v := b.verify(r)
		wantKeys(t, v, reconcile.Fail, `expired "n1"`, `expired "n2"`)
		if v.Counts.Due != 4 || v.Counts.Expired != 2 {
			t.Errorf("%+v", v.Counts)
		}
		got := all(t, v.Missing)[0]
		if got.Cause != found.Cause || !strings.Contains(got.Proof, found.Proof) || got.RecoverFrom != "source VERSION AS OF 2" || !got.RecoverableUntil.Equal(found.RecoverableUntil) || !got.Earliest.Equal(found.Earliest) {
			t.Errorf("%+v, first found as %+v", got, found)
		}
		if proof != "" && proof != got.Proof {
			t.Errorf("the proof grew: %s", got.Proof)
		}
		proof = got.Proof
	}
	b.exec("INSERT INTO main.events.tgt VALUES ('n1', %s)", early)
	wantKeys(t, b.verify(r), reconcile.Fail, `expired "n2"`)
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 9 days')")
	b.advance(10 * 24 * time.Hour)
	another(b, job, "y")
	v := b.verify(r)
	wantKeys(t, v, reconcile.Fail, `lost "n2"`)
	if got := all(t, v.Missing)[0]; got.GoneSince.IsZero() || !got.RecoverableUntil.IsZero() || got.Proof != proof {
		t.Errorf("%+v", got)
	}
	b.exec("INSERT INTO main.events.tgt VALUES ('n2', %s)", early)
	wantKeys(t, b.verify(r), reconcile.Pass)
}

// They come back from the version that was found.
func TestRecoverKeysFoundBefore(t *testing.T) {
	t.Parallel()
	b, _, r, _ := twoGone(t)
	got := b.recover(pipeline.RecoverRequest{VerifyRequest: r, Apply: true})
	if got.Returned != 2 || !got.IsWhole() || b.count("a LIKE 'n%'") != "2" {
		t.Errorf("%+v", got)
	}
	wantKeys(t, b.verify(r), reconcile.Pass)
}

// A key that the source has again is judged by that: in flight it is nobody's loss.
func TestVerifyKeysFoundAndInTheSourceAgain(t *testing.T) {
	t.Parallel()
	b, job, r, _ := twoGone(t)
	b.exec("INSERT INTO main.events.src SELECT 'n1', current_timestamp()")
	b.exec("INSERT INTO main.events.src SELECT 'n2', current_timestamp()")
	b.advance(time.Minute)
	b.load(job)
	v := b.verify(r)
	wantKeys(t, v, reconcile.Pass)
	if v.Counts.InFlight != 2 {
		t.Errorf("%+v", v.Counts)
	}
	if again := b.verify(r); has(again, reconcile.CodeUnchanged, "") {
		t.Error("a verdict is repeated while findings are open")
	}
}

// An earlier run cannot answer for what a verification of a later one found, and a target that was made since for nothing that
// was missing before.
func TestVerifyKeysFoundElsewhere(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	r := pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.advance(time.Minute)
	run := b.load(job)
	b.exec("INSERT INTO main.events.src VALUES ('n', %s)", early)
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.src WHERE a = 'n'")
	b.advance(time.Minute)
	b.load(job)
	wantKeys(t, b.verify(r), reconcile.Fail, `expired "n"`)
	older := r
	older.RunID, older.Full = run, true
	v := b.verify(older)
	wantKeys(t, v, reconcile.Inconclusive)
	if !has(v, reconcile.CodeNoSequences, "1 keys were found missing by verifications that read the source later") {
		t.Errorf("%v", v.Reasons)
	}
	b.exec("DROP TABLE main.events.tgt")
	b.advance(time.Minute)
	b.exec("CREATE TABLE main.events.tgt (a STRING, u TIMESTAMP)")
	b.advance(time.Minute)
	b.load(job)
	b.advance(time.Minute)
	another(b, job, "y")
	wantKeys(t, b.verify(r), reconcile.Pass)
}

// What left before it was due stays what it was found to be, and is not counted among what is due.
func TestVerifyKeysFoundDoomed(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	r := pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.src SELECT 'young', current_timestamp()")
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.src WHERE a = 'young'")
	b.advance(time.Minute)
	b.load(job)
	wantKeys(t, b.verify(r), reconcile.Fail, `doomed "young"`)
	another(b, job, "y")
	v := b.verify(r)
	wantKeys(t, v, reconcile.Fail, `doomed "young"`)
	if v.Counts.Due != 2 || v.Counts.Doomed != 1 || all(t, v.Missing)[0].RecoverFrom != "source VERSION AS OF 2" {
		t.Errorf("%+v", v.Counts)
	}
}

// A finding whose key cannot be read is not taken for resolved.
func TestVerifyKeysFoundUnreadable(t *testing.T) {
	t.Parallel()
	b, _, r, _ := twoGone(t)
	text, err := os.ReadFile(r.EvidencePath)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text), `{\"a\":`, `{\"b\":`))
	if err := os.WriteFile(r.EvidencePath, text, 0o600); err != nil {
		t.Fatal(err)
	}
	v := b.verify(r)
	wantKeys(t, v, reconcile.Inconclusive)
	if !has(v, reconcile.CodeUnreadable, "2 findings") {
		t.Errorf("%v", v.Reasons)
	}
}

// More findings than a verification looks after are not taken for resolved: the next one looks after the others.
func TestVerifyKeysFoundTooMany(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	r := pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	b.exec("INSERT INTO main.events.src VALUES ('x', %s)", early)
	b.load(job)
	another(b, job, "y")
	wantKeys(t, b.verify(r), reconcile.Pass)
	f, err := os.OpenFile(r.EvidencePath, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 2, 6, 1, 0, 0, time.UTC)
	for i := range 5001 {
		key := fmt.Sprintf(`{"a":"k%d"}`, i)
		line, err := evidence.Line("main.events.src > main.events.tgt (columns:a)", evidence.Finding{Name: "missing/" + key, Partition: key, Rows: 1, State: "expired", RecordedAt: at, Earliest: at, Latest: at, Confirmed: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b.exec("INSERT INTO main.events.tgt SELECT concat('k', CAST(id AS STRING)), %s FROM range(0, 5001)", early)
	v := b.verify(r)
	wantKeys(t, v, reconcile.Inconclusive)
	if !has(v, reconcile.CodeBound, "1 earlier findings") {
		t.Errorf("%v", v.Reasons)
	}
	wantKeys(t, b.verify(r), reconcile.Pass)
}

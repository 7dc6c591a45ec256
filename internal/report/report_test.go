package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

var update = flag.Bool("update", false, "write the goldens")

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func lossy() reconcile.Verification {
	return reconcile.Verification{
		Verdict: reconcile.Fail, Cutoff: noon.Add(-30*time.Minute + 123456*time.Microsecond),
		Source: reconcile.Pinned{Table: "main.events.stream_messages", Version: 812, Committed: noon},
		Target: reconcile.Pinned{Table: "main.events.messages", Version: 9007199254740993, Committed: noon.Add(time.Minute)},
		Counts: reconcile.Counts{Due: 1234567, Loaded: 1234550, Missing: 17, InFlight: 40, Late: 1, Doomed: 2, Skipped: 3, Expired: 13, Duplicates: 5, Accepted: 5},
		ByDay: []reconcile.Day{{Day: "2026-05-31", Due: 1000000, Loaded: 999987, Missing: 13},
			{Day: "2026-06-01", Due: 234567, Loaded: 234563, Missing: 4, InFlight: 40}},
		Missing: reconcile.Slice[reconcile.Range]{
			{Partition: "3", From: 9007199254740993, To: 9007199254740995, Rows: 3, State: reconcile.Skipped, Earliest: noon.Add(-2 * time.Hour), Latest: noon.Add(-time.Hour),
				RecoverableUntil: noon.Add(7 * 24 * time.Hour), RecoverFrom: "source VERSION AS OF 812"},
			{Partition: "4", From: 7, To: 7, Rows: 1, State: reconcile.Undecidable},
			{Partition: "5", From: 100, To: 112, Rows: 13, State: reconcile.Expired, Earliest: noon.Add(-25 * time.Hour), Latest: noon.Add(-24 * time.Hour),
				Proof: "in source version 700 until commit 701 (DELETE at 2026-06-01T11:00:00Z)", RecoverableUntil: noon.Add(6 * 24 * time.Hour), RecoverFrom: "source VERSION AS OF 700"},
		},
		Written:    []reconcile.Written{{Version: 9007199254740992, Committed: noon, Before: 1230000, After: 1234555}, {Version: 9007199254740993, Committed: noon.Add(time.Minute), Before: 1234555, After: 1234550}},
		Duplicates: reconcile.Slice[reconcile.Duplicate]{{Partition: "0", From: 1, To: 5, Keys: 5, Surplus: 5}},
		Accepted: reconcile.Slice[reconcile.Range]{{Partition: "6", From: 1, To: 4, Rows: 4, State: reconcile.Accepted, Cause: reconcile.CauseAccepted, Was: reconcile.Lost,
			Acceptance: reconcile.Acceptance{Reason: "compacted away", At: noon.Add(-time.Hour), By: "ops@example.com"}},
			{Partition: "6", From: 9, To: 9, Rows: 1, State: reconcile.Accepted, Cause: reconcile.CauseAccepted, Was: "duplicate", Acceptance: reconcile.Acceptance{Reason: "known", At: noon}}},
		Reasons:           []reconcile.Reason{{Code: reconcile.CodeMissing, Text: "17 of 1234567 rows due are not in the target"}},
		IntegralPartition: true, Warning: true,
	}
}

func audit() reconcile.Audit {
	v := lossy()
	return reconcile.Audit{
		Verdict: reconcile.Fail, Strict: true, Warning: true, Target: v.Target, Source: v.Source,
		Counts:  reconcile.AuditCounts{Rows: 1234567, Keys: 1234560, Gaps: 3, Missing: 16, Undecidable: 1, Duplicates: 5, Accepted: 5, NullKeys: 2},
		Through: []reconcile.Through{{Partition: "3", From: 1, To: 9007199254740992, Recalled: 65536}, {Partition: "4", From: 8, None: true}},
		Missing: v.Missing, Duplicates: v.Duplicates, Accepted: v.Accepted,
		Reasons: []reconcile.Reason{{Code: reconcile.CodeMissing, Text: "16 rows that were in the source are not in the target"}}, IntegralPartition: true,
	}
}

func documents() map[string]report.Document {
	failed := run.Run{ID: 9, JobID: 5, LifeCycle: "INTERNAL_ERROR", Result: "FAILED", Message: "Task load failed", Started: noon, Ended: noon.Add(90 * time.Second), URL: "https://host/#job/5/run/9",
		Tasks: []run.Task{{Key: "load", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table <t> & so on", Trace: "at line 7", URL: "https://host/#job/5/run/10"},
			{Key: "after", LifeCycle: "TERMINATED", Result: "UPSTREAM_FAILED"}}}
	good := run.Run{ID: 10, JobID: 5, LifeCycle: "TERMINATED", Result: "SUCCESS", Started: noon, Ended: noon.Add(time.Minute), Tasks: []run.Task{{Key: "load", LifeCycle: "TERMINATED", Result: "SUCCESS"}}}
	lost := lossy()
	texts := lossy()
	texts.IntegralPartition = false
	texts.Missing = reconcile.Slice[reconcile.Range]{{Partition: `a "b"`, From: 1, To: 1, Rows: 1, State: reconcile.Late}}
	keys := lossy()
	keys.KeyNames, keys.Written, keys.Accepted = []string{"tenant", "id", "at"}, nil, nil
	key := func(values ...string) (out []reconcile.KeyValue) {
		for _, v := range values {
			out = append(out, reconcile.KeyValue{Text: v, Null: v == "NULL"})
		}
		return out
	}
	keys.Missing = reconcile.Slice[reconcile.Range]{
		{Key: key(`b|"c" `, "<1>", "2026-06-01T10:00:00.000001Z"), Rows: 1, State: reconcile.Late, Cause: reconcile.CauseUnread, Proof: "run 9 wrote nothing to the target", Earliest: noon.Add(-2*time.Hour + time.Microsecond), RecoverFrom: "source VERSION AS OF 812", RecoverableUntil: noon},
		{Key: key("b", "NULL", "2026-06-01T10:00:00.000000Z"), Rows: 1, State: reconcile.Late, Cause: reconcile.CauseUnread, Proof: "run 9 wrote nothing to the target", Earliest: noon.Add(-2 * time.Hour), RecoverFrom: "source VERSION AS OF 812", RecoverableUntil: noon},
		{Key: key("", "7", "2026-05-31T10:00:00.000000Z"), Rows: 1, State: reconcile.Expired, Cause: reconcile.CauseUndecidable, Proof: "in source version 700", Earliest: noon.Add(-26 * time.Hour)},
	}
	keys.Duplicates = reconcile.Slice[reconcile.Duplicate]{{Key: key("x", "1", "2026-06-01T10:00:00.000000Z"), Keys: 1, Surplus: 2}}
	nothing := reconcile.Verification{Verdict: reconcile.Inconclusive, Source: reconcile.Pinned{Table: "main.events.v"}, Target: reconcile.Pinned{Table: "main.events.t"},
		Reasons: []reconcile.Reason{{Code: reconcile.CodeNoVersions, Text: "main.events.v is a view and has no versions"}}}
	holds := coverage.Verdict{Answer: coverage.Holds, Headroom: 22*time.Hour + 40*time.Minute, LongestWait: 50 * time.Minute, Limit: 24 * time.Hour, LimitName: "rolling window", LiveFires: 38400,
		FailedRunsTolerated: 44, Worst: coverage.Pair{From: noon, To: noon.Add(30 * time.Minute)}, Timeline: []coverage.Moment{{At: noon, What: "a run starts"}},
		Assumptions: []string{"events do not stop for longer than 23 h 30 min"}}
	never := coverage.Verdict{Answer: coverage.Violated, NeverReadsAgain: true, Reasons: []coverage.Reason{{Code: coverage.CodeNeverReads, Text: "no run starts again"}}}
	return map[string]report.Document{
		"audit":                report.Audit{Audit: audit()},
		"audit_nothing":        report.Audit{Audit: reconcile.Audit{Verdict: reconcile.Inconclusive, Target: reconcile.Pinned{Table: "main.events.v"}, Reasons: []reconcile.Reason{{Code: reconcile.CodeNoVersions, Text: "main.events.v is a view and has no versions"}}}},
		"verification":         report.Verification{Verification: lossy()},
		"verification_texts":   report.Verification{Verification: texts},
		"verification_keys":    report.Verification{Verification: keys},
		"verification_nothing": report.Verification{Verification: nothing},
		"run_failed":           report.Run{Run: failed, ExitCode: run.RunFailed},
		"run_loss":             report.Run{Run: good, ExitCode: run.Loss, Verification: &lost},
		"run_unverified":       report.Run{Run: good, ExitCode: run.CouldNotRun, Existing: true, Problem: "permission denied"},
		"run_active":           report.Run{Run: run.Run{ID: 11, JobID: 5, LifeCycle: "QUEUED", QueueReason: "one is running"}, ExitCode: run.GaveUp},
		"check_holds":          report.Check{Verdict: holds, SettleDelay: 30 * time.Minute, Deadline: noon.Add(24 * time.Hour)},
		"check_never":          report.Check{Verdict: never},
		"schedule":             report.Schedule{Next: []time.Time{noon, noon.Add(15 * time.Minute)}, Gap: schedule.Gap{Length: 75 * time.Minute, From: noon, To: noon.Add(75 * time.Minute)}, HasGap: true},
		"schedule_none":        report.Schedule{},
		"status":               report.Status{At: noon, Loaders: []report.Loader{{JobID: 5, Name: "load_messages", Source: "a.b.c", Target: "a.b.d", Trigger: "schedule", Expression: "0 0/15 * * * ?", ZoneID: "UTC", Paused: true, Coverage: holds, Deadline: noon.Add(90 * time.Minute), Left: 90 * time.Minute, LastRun: &failed, LastSuccess: &good}, {JobID: 6, Name: "odd", Trigger: "manual", Problem: "a tag is broken"}}},
		"status_none":          report.Status{At: noon},
		"pause":                report.Pause{JobID: 5, Name: "load_messages", Paused: true, Changed: true, Deadline: noon.Add(time.Hour)},
		"resume_unchanged":     report.Pause{JobID: 5, Name: "load_messages"},
	}
}

// Goldens, and beside them what holds of every document: it is one JSON object, schema 1 comes first, names are
// snake_case, and no number lost a digit.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, d := range documents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text, doc bytes.Buffer
			if err := errors.Join(d.Text(&text), report.JSON(&doc, d)); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", text.Bytes())
			golden(t, name+".json", doc.Bytes())
			if !strings.HasPrefix(doc.String(), "{\n  \"schema\": 1,\n") || !strings.HasSuffix(doc.String(), "\n}\n") {
				t.Errorf("not a document:\n%s", doc.String())
			}
			var v any
			decoder := json.NewDecoder(&doc)
			decoder.UseNumber()
			if err := decoder.Decode(&v); err != nil || decoder.More() {
				t.Fatalf("not one JSON document: %v", err)
			}
			names(t, v)
		})
	}
}

func names(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if k != strings.ToLower(k) || strings.ContainsAny(k, " -") {
				t.Errorf("name %q", k)
			}
			names(t, e)
		}
	case []any:
		for _, e := range v {
			names(t, e)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-golden +now):\n%s", name, d)
	}
}

// A list that breaks off in the middle leaves no document that could be taken for a whole one.
func TestBrokenList(t *testing.T) {
	t.Parallel()
	v := lossy()
	v.Missing = broken{}
	var b bytes.Buffer
	if err := (report.Verification{Verification: v}).JSON(&b); err == nil || json.Valid(b.Bytes()) {
		t.Errorf("error %v, document:\n%s", err, b.String())
	}
	b.Reset()
	if err := (report.Verification{Verification: v}).Text(&b); err == nil {
		t.Errorf("text without an error:\n%s", b.String())
	}
}

type broken struct{}

func (broken) Len() int64 { return 2 }

func (broken) All() iter.Seq2[reconcile.Range, error] {
	return func(yield func(reconcile.Range, error) bool) {
		if yield(reconcile.Range{Partition: "1"}, nil) {
			yield(reconcile.Range{}, errors.New("the file is gone"))
		}
	}
}

// Neighbours that share why they are missing share the text of it; states and causes are never mixed.
func TestRangesShareTheirText(t *testing.T) {
	r := func(state reconcile.State, cause string, from int64) reconcile.Range {
		return reconcile.Range{Partition: "0", From: from, To: from, Rows: 1, State: state, Cause: cause, Proof: "proof"}
	}
	v := report.Verification{Verification: reconcile.Verification{Verdict: reconcile.Fail, Missing: reconcile.Slice[reconcile.Range]{
		r(reconcile.Expired, "a", 1), r(reconcile.Expired, "a", 3), r(reconcile.Expired, "b", 5), r(reconcile.Lost, "b", 7), r(reconcile.Lost, "b", 9),
		{Partition: "0", From: 11, To: 11, Rows: 1, State: reconcile.Late}, {Partition: "0", From: 13, To: 13, Rows: 1, State: reconcile.Late}}}}
	var b bytes.Buffer
	if err := v.Text(&b); err != nil {
		t.Fatal(err)
	}
	want := `FAIL
  expired; a: proof
      partition 0, sequence 1 (1 row)
      partition 0, sequence 3 (1 row)
  expired: partition 0, sequence 5 (1 row); b: proof
  lost; b: proof
      partition 0, sequence 7 (1 row)
      partition 0, sequence 9 (1 row)
  late: partition 0, sequence 11 (1 row)
  late: partition 0, sequence 13 (1 row)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

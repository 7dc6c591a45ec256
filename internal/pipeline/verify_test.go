package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// loaded is a workspace whose loader has run once: three partitions of 1000 rows, a row a minute, the last hour of
// which cannot have settled everywhere.
func loaded(t *testing.T, change ...func(*local.Options)) (*bed, int64) {
	t.Helper()
	b := open(t, change...)
	b.tables("INT", "")
	job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	b.exec("INSERT INTO main.events.src SELECT CAST(id %% 3 AS INT), id DIV 3, timestampadd(MINUTE, CAST(id DIV 3 AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(3000)")
	b.advance(time.Minute)
	b.load(job)
	return b, job
}

func (b *bed) verify(r pipeline.VerifyRequest) reconcile.Verification {
	b.t.Helper()
	if r.Job == "" && r.Contract.Source == "" {
		r.Job = "load"
	}
	v, err := pipeline.Verify(b.t.Context(), b.client, r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := v.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return v
}

func has(v reconcile.Verification, code, text string) bool {
	for _, r := range v.Reasons {
		if r.Code == code && strings.Contains(r.Text, text) {
			return true
		}
	}
	return false
}

func TestVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		spoil   func(b *bed)
		verdict reconcile.Verdict
		exit    run.ExitCode
		counts  reconcile.Counts
		code    string // of a reason
		text    string
	}{
		{name: "as it should be", verdict: reconcile.Pass, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93}},
		{name: "rows deleted from the target", spoil: func(b *bed) {
			b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq BETWEEN 100 AND 109 OR p = 2 AND seq = 7")
		},
			verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Loaded: 2896, Missing: 11, Skipped: 11, InFlight: 93}, code: reconcile.CodeMissing, text: "11 of 2907"},
		{name: "the end of a partition missing", spoil: func(b *bed) { b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq > 960") },
			verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Loaded: 2899, Missing: 8, Skipped: 8, InFlight: 93}},
		{name: "a partition missing altogether", spoil: func(b *bed) { b.exec("DELETE FROM main.events.tgt WHERE p = 1") },
			verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Loaded: 1938, Missing: 969, Skipped: 969, InFlight: 93}},
		{name: "doomed: a later row was loaded by hand", spoil: func(b *bed) {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 0 AND seq = 980")
		},
			verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Loaded: 2907, Doomed: 11, InFlight: 81}, code: reconcile.CodeDoomed},
		{name: "S08 dlt-hub/dlt#4052 duplicates and losses cancel out", spoil: func(b *bed) {
			b.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq IN (1, 5, 6)")
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 0 AND seq IN (2, 3, 7)")
		}, verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Loaded: 2904, Missing: 3, Skipped: 3, InFlight: 93, Duplicates: 3}},
		{name: "S08 airbnb/chronon#1111 a retry appends the same rows again", spoil: func(b *bed) {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt")
		}, verdict: reconcile.Pass, exit: 3, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93, Duplicates: 2907}, code: reconcile.CodeDuplicates, text: "2907 rows"},
		{name: "duplicates alone warn", spoil: func(b *bed) {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 0 AND seq < 4")
		},
			verdict: reconcile.Pass, exit: 3, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93, Duplicates: 4}, code: reconcile.CodeDuplicates},
		{name: "a null key in the target", spoil: func(b *bed) { b.exec("INSERT INTO main.events.tgt VALUES (0, NULL, TIMESTAMP'2026-03-01T06:00:00Z')") },
			verdict: reconcile.Inconclusive, exit: 4, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93}, code: reconcile.CodeNullKeys, text: "1 row of the target"},
		{name: "the target overwritten with nothing", spoil: func(b *bed) { b.exec("TRUNCATE TABLE main.events.tgt") },
			verdict: reconcile.Fail, exit: 1, counts: reconcile.Counts{Due: 2907, Missing: 2907, Skipped: 2907, InFlight: 93}},
		{name: "the source emptied after the run", spoil: func(b *bed) { b.exec("DELETE FROM main.events.src") },
			verdict: reconcile.Pass, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93}},
		{name: "OPTIMIZE changes nothing", spoil: func(b *bed) { b.exec("OPTIMIZE main.events.tgt") },
			verdict: reconcile.Pass, counts: reconcile.Counts{Due: 2907, Loaded: 2907, InFlight: 93}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, _ := loaded(t)
			if tt.spoil != nil {
				tt.spoil(b)
			}
			v := b.verify(pipeline.VerifyRequest{})
			if v.Verdict != tt.verdict || v.Counts != tt.counts || run.Verified(v) != tt.exit {
				t.Errorf("%s, exit %d, %+v; want %s, %d, %+v; %v", v.Verdict, run.Verified(v), v.Counts, tt.verdict, tt.exit, tt.counts, v.Reasons)
			}
			if tt.code != "" && !has(v, tt.code, tt.text) {
				t.Errorf("no reason %s with %q: %v", tt.code, tt.text, v.Reasons)
			}
		})
	}
}

// What cannot be compared is INCONCLUSIVE, never PASS.
func TestVerifyFailsClosed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		setup func(b *bed, job int64) pipeline.VerifyRequest
		code  string
		text  string
	}{
		{"S05 bytebase/bytebase#20190 a truncated result", func(b *bed, _ int64) pipeline.VerifyRequest {
			b.AddFault(local.Fault{Route: "/api/2.0/sql/statements", Method: "POST", MarkTruncated: true})
			return pipeline.VerifyRequest{}
		}, reconcile.CodeTruncated, "truncated"},
		{"no run yet", func(b *bed, _ int64) pipeline.VerifyRequest {
			b.job(promise(coverage.SettleNewestEvent), "SELECT 1", func(s map[string]any) { s["name"] = "new" })
			return pipeline.VerifyRequest{Job: "new"}
		}, reconcile.CodeNoRun, "no successful run"},
		{"an empty source", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE seq > 968")
			b.exec("DELETE FROM main.events.src")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeNoWatermark, "no event time"},
		{"null event times", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("INSERT INTO main.events.src VALUES (0, 5000, NULL)")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeNullTimes, "1 row of the source"},
		{"a null sequence", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("INSERT INTO main.events.src VALUES (0, NULL, TIMESTAMP'2026-03-01T07:00:00Z')")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeNullKeys, "1 row of the source"},
		{"nothing due", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("DELETE FROM main.events.src WHERE u < TIMESTAMP'2026-03-01T22:09:00Z'")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeNothingDue, "no row was due"},
		{"a source read before its history", func(b *bed, _ int64) pipeline.VerifyRequest {
			return pipeline.VerifyRequest{ReadAt: start.Add(-time.Hour)}
		}, reconcile.CodeUnreadable, "does not reach back"},
		{"a pinned version whose time is over", func(b *bed, _ int64) pipeline.VerifyRequest {
			b.exec("INSERT INTO main.events.src VALUES (0, 1000, TIMESTAMP'2026-03-02T06:00:00Z')")
			b.advance(8 * 24 * time.Hour)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeUnreadable, "DELTA_"},
		{"a source made anew: what the old one held unread is unknown", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("CREATE TABLE main.events.copy AS SELECT * FROM main.events.src WHERE seq > 700")
			b.exec("DROP TABLE main.events.src")
			b.exec("CREATE TABLE main.events.src AS SELECT * FROM main.events.copy")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeRemade, "main.events.src was made anew"},
		{"a target made anew: what the old one held is unknown", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("DROP TABLE main.events.tgt")
			b.exec("CREATE TABLE main.events.tgt AS SELECT * FROM main.events.src WHERE seq < 969")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeRemade, "main.events.tgt was made anew"},
		{"sequences that began anew", func(b *bed, job int64) pipeline.VerifyRequest {
			b.exec("INSERT INTO main.events.src VALUES (9, 1, TIMESTAMP'2026-03-02T05:00:00Z')")
			b.load(job) // everything else is loaded now
			b.exec("DELETE FROM main.events.src WHERE p < 9")
			b.exec("INSERT INTO main.events.src SELECT CAST(id %% 3 AS INT), id DIV 3, timestampadd(MINUTE, CAST(id DIV 3 AS INT), TIMESTAMP'2026-03-03T06:00:00Z') FROM range(300)")
			b.load(job)
			return pipeline.VerifyRequest{}
		}, reconcile.CodeKeyEpoch, "begun anew"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, job := loaded(t)
			v := b.verify(tt.setup(b, job))
			if v.Verdict != reconcile.Inconclusive || run.Verified(v) != run.Inconclusive || !has(v, tt.code, tt.text) {
				t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
			}
		})
	}
}

// A view has no versions, so its rows at the loader's read time cannot be read.
func TestVerifyView(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("CREATE VIEW main.events.recent AS SELECT * FROM main.events.src")
	c := promise(coverage.SettleNewestEvent)
	c.Source = "main.events.recent"
	v := b.verify(pipeline.VerifyRequest{Contract: c})
	if v.Verdict != reconcile.Inconclusive || !has(v, reconcile.CodeNoVersions, "main.events.recent is a view and has no versions") {
		t.Errorf("%s %v", v.Verdict, v.Reasons)
	}
}

// Questions that make no sense are refused with place, value and remedy, before any statement is run.
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	c := promise(coverage.SettleNewestEvent)
	change := func(f func(*contract.Contract)) pipeline.VerifyRequest {
		c := c
		f(&c)
		return pipeline.VerifyRequest{Contract: c}
	}
	tests := []struct {
		name  string
		r     pipeline.VerifyRequest
		is    error
		words []string
	}{
		{"a job without a contract", pipeline.VerifyRequest{Job: "plain"}, pipeline.ErrConfiguration, []string{`job "plain"`, "no contract"}},
		{"an optimize job", pipeline.VerifyRequest{Job: "optimize"}, pipeline.ErrConfiguration, []string{`job "optimize"`, "it is the optimize job of main.events.messages and not a loader"}},
		{"a broken contract", pipeline.VerifyRequest{Job: "broken"}, pipeline.ErrConfiguration, []string{`job "broken"`, "watertight_settle_delay", "1 month"}},
		{"no such job", pipeline.VerifyRequest{Job: "nobody"}, workspace.ErrNotFound, []string{"nobody"}},
		{"two of one name", pipeline.VerifyRequest{Job: "twin"}, workspace.ErrAmbiguous, []string{"twin"}},
		{"a run of another job", pipeline.VerifyRequest{Job: "plain2", RunID: 1}, nil, nil},
		{"no such table", change(func(c *contract.Contract) { c.Source = "main.events.nothing" }), workspace.ErrNotFound, []string{"main.events.nothing"}},
		{"no such column", change(func(c *contract.Contract) { c.Key.Sequence = "number" }), pipeline.ErrConfiguration, []string{"main.events.src", "no column number"}},
		{"a text for an event time", change(func(c *contract.Contract) { c.EventTime = "p" }), pipeline.ErrConfiguration, []string{"column p is int", "TIMESTAMP"}},
		{"a time for a sequence", change(func(c *contract.Contract) { c.Key.Sequence = "u" }), pipeline.ErrConfiguration, []string{"column u is timestamp"}},
		{"a key of columns that are not there", change(func(c *contract.Contract) { c.Key = contract.Key{Columns: []string{"p", "number"}} }), pipeline.ErrConfiguration, []string{"main.events.src", "no column number"}},
		{"a negative delay", change(func(c *contract.Contract) { c.SettleDelay = -time.Minute }), pipeline.ErrConfiguration, []string{"settle_delay", "-1m"}},
	}
	b, _ := loaded(t)
	untagged := func(name string, tags map[string]any) {
		b.job(c, "SELECT 1", func(s map[string]any) { s["name"], s["tags"] = name, tags })
	}
	untagged("plain", map[string]any{"team": "events"})
	untagged("optimize", map[string]any{"watertight_table": "main.events.messages", "watertight_loader": "1"})
	untagged("twin", map[string]any{})
	untagged("twin", map[string]any{})
	broken := map[string]any{}
	for k, v := range c.Tags() {
		broken[k] = v
	}
	broken["watertight_settle_delay"] = "1 month"
	untagged("broken", broken)
	for _, tt := range tests {
		if tt.is == nil {
			continue
		}
		b.ResetRequests()
		_, err := pipeline.Verify(t.Context(), b.client, tt.r)
		if !errors.Is(err, tt.is) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, w := range tt.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", tt.name, err, w)
			}
		}
		if n := b.Count("POST", "/api/2.0/sql/statements"); n != 0 {
			t.Errorf("%s: %d statements were run", tt.name, n)
		}
	}
}

// S06 delta-io/delta#5864, #712: the history's count is a hint that decides nothing, and others' commits are named.
func TestVerifyHistoryIsAHint(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t, func(o *local.Options) { o.Behaviour.MetricsOff = 72 })
	b.advance(time.Minute)
	b.exec("INSERT INTO main.events.tgt VALUES (9, 1, TIMESTAMP'2026-03-01T06:00:00Z')")
	v := b.verify(pipeline.VerifyRequest{})
	if v.Verdict != reconcile.Pass || !has(v, reconcile.CodeMetrics, "version 1 of the target added 2979 rows; counted at versions 0 and 1 it added 2907") {
		t.Errorf("%s %v", v.Verdict, v.Reasons)
	}
	if !has(v, reconcile.CodeOtherCommits, "version 2 (WRITE)") || v.Target.Version != 2 {
		t.Errorf("the other commit is not named: %v", v.Reasons)
	}
}

// S07 delta-io/delta#312, #1345: rows before and after each of the run's own commits, without a scan of rows.
func TestVerifyCountsLoads(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("INSERT INTO main.events.tgt VALUES (9, 1, TIMESTAMP'2026-03-01T06:00:00Z')")
	b.advance(time.Hour)
	b.exec("INSERT INTO main.events.src SELECT 0, 1000 + id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T22:40:00Z') FROM range(60)")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	// The newest event is of 23:39; what is of 22:09 to 23:08 is due now: 31 minutes of three partitions, and 29 of one.
	if len(v.Written) != 1 || v.Written[0].Version != 3 || v.Written[0].Before != 2908 || v.Written[0].After != 2908+31*3+29 || !v.Written[0].Committed.Equal(v.Target.Committed) {
		t.Errorf("%+v", v.Written)
	}
	if v = b.verify(pipeline.VerifyRequest{RunID: b.load(job)}); len(v.Written) != 0 {
		t.Errorf("a run that wrote nothing: %+v", v.Written)
	}
}

// A contract alone: the loader read after the write before the last.
func TestVerifyWithoutJob(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	first := b.Now()
	b.advance(time.Hour)
	b.exec("INSERT INTO main.events.src SELECT 0, 1000 + id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T22:40:00Z') FROM range(60)")
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{Contract: promise(coverage.SettleNewestEvent)})
	if v.Verdict != reconcile.Pass || v.ReadAt.After(first) || v.Counts.Due != 2907 || v.Run != 0 {
		t.Errorf("%s read at %s, %+v, %v", v.Verdict, v.ReadAt, v.Counts, v.Reasons)
	}
	if !has(v, reconcile.CodeReadAt, "read at "+v.ReadAt.Format(time.RFC3339)) {
		t.Errorf("it is not said where the read time comes from: %v", v.Reasons)
	}
	v = b.verify(pipeline.VerifyRequest{Contract: promise(coverage.SettleNewestEvent), ReadAt: b.Now()})
	if v.Verdict != reconcile.Pass || v.Counts.Due <= 2907 || has(v, reconcile.CodeReadAt, "") {
		t.Errorf("at a given instant: %s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

// A repair counts: rows that were missing and were put back are there.
func TestVerifyAfterRepair(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE seq = 500")
	if v := b.verify(pipeline.VerifyRequest{}); v.Verdict != reconcile.Fail || v.Counts.Skipped != 3 {
		t.Fatalf("%s %+v", v.Verdict, v.Counts)
	}
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE seq = 500")
	if v := b.verify(pipeline.VerifyRequest{}); v.Verdict != reconcile.Pass || v.Counts.Due != 2907 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

// Partitions can be texts, also with quotes in them, and sequences INT.
func TestVerifyTexts(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA IF NOT EXISTS main.events")
	for _, name := range []string{"src", "tgt"} {
		b.exec("CREATE TABLE main.events.%s (p STRING, seq INT, u TIMESTAMP)", name)
	}
	job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	for _, p := range []string{`it\'s`, `back\\slash`, "ä", "z", "Z", " "} {
		b.exec("INSERT INTO main.events.src SELECT '%s', CAST(id + 65000 AS INT), timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(1000)", p)
	}
	b.load(job)
	if v := b.verify(pipeline.VerifyRequest{}); v.Verdict != reconcile.Pass || v.Counts.Due != 6*969 {
		t.Fatalf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	b.exec(`DELETE FROM main.events.tgt WHERE seq = 65100 OR p = 'it\'s' AND seq > 65950`)
	v := b.verify(pipeline.VerifyRequest{})
	got := fmt.Sprint(listed(t, v))
	want := map[key]reconcile.State{}
	for _, p := range []string{"it's", `back\slash`, "ä", "z", "Z", " "} {
		want[key{p, 65100}] = reconcile.Skipped
	}
	for s := int64(65951); s <= 65968; s++ {
		want[key{"it's", s}] = reconcile.Skipped
	}
	if got != fmt.Sprint(want) {
		t.Errorf("got %s\nwant %v", got, want)
	}
}

package pipeline_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// scans are the statements sent since that read a row of either table.
func (b *bed) scans() int {
	n := 0
	for _, q := range b.Requests() {
		if q.Method == http.MethodPost && strings.HasPrefix(q.Route, "/api/2.0/sql/statements") && strings.Contains(q.Body, "VERSION AS OF") {
			n++
		}
	}
	return n
}

// LinkedIn answers most of its rules from metadata (facts/verification.md §2.12): a verdict that nothing can have changed is
// repeated, and every number of it.
func TestNothingChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  string
		request func(*bed, *pipeline.VerifyRequest)
		repeats bool
	}{
		"nothing at all":                       {repeats: true},
		"OPTIMIZE":                             {change: "OPTIMIZE main.events.tgt", repeats: true},
		"VACUUM":                               {change: "VACUUM main.events.tgt", repeats: true},
		"a property":                           {change: "ALTER TABLE main.events.tgt SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 40 days')", repeats: true},
		"the source, after the run":            {change: "INSERT INTO main.events.src VALUES (0, 5000, TIMESTAMP'2026-03-02T06:00:00Z')", repeats: true},
		"OPTIMIZE, but --full":                 {change: "OPTIMIZE main.events.tgt", request: func(_ *bed, r *pipeline.VerifyRequest) { r.Full = true }},
		"a row deleted":                        {change: "DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7"},
		"a row deleted, then OPTIMIZE":         {change: "DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7; OPTIMIZE main.events.tgt"},
		"a row inserted":                       {change: "INSERT INTO main.events.tgt VALUES (0, 5000, TIMESTAMP'2026-03-02T06:00:00Z')"},
		"a column added":                       {change: "ALTER TABLE main.events.tgt ADD COLUMNS (note STRING)"},
		"restored to the same rows":            {change: "DELETE FROM main.events.tgt WHERE p = 1; RESTORE TABLE main.events.tgt TO VERSION AS OF 1"},
		"another settle delay in the contract": {request: otherDelay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, r := remembering(t)
			first := b.verify(pipeline.VerifyRequest{Job: "load", Block: 64, Full: true})
			for sql := range strings.SplitSeq(c.change, "; ") {
				if sql != "" {
					b.exec("%s", sql)
				}
			}
			if c.request != nil {
				c.request(b, &r)
			}
			b.ResetRequests()
			v := b.verify(r)
			if got := has(v, reconcile.CodeUnchanged, "nothing changed since the verification of 2026-03-02T06:01"); got != c.repeats {
				t.Errorf("repeated: %t, want %t: %v", got, c.repeats, v.Reasons)
			}
			if !c.repeats {
				if b.scans() < 3 {
					t.Errorf("%d scans", b.scans())
				}
				return
			}
			// What the source holds now is looked at once, if it is new: it may be gone tomorrow.
			if n := b.scans(); n != strings.Count(c.change, "main.events.src") {
				t.Errorf("%d statements read a table", n)
			}
			if v.Verdict != reconcile.Pass || v.Counts != first.Counts || !v.Cutoff.Equal(first.Cutoff) {
				t.Errorf("%s %+v %s, want %+v %s", v.Verdict, v.Counts, v.Cutoff, first.Counts, first.Cutoff)
			}
			if diff := cmp.Diff(first.ByDay, v.ByDay) + cmp.Diff(first.Written, v.Written); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// otherDelay changes what the job promises.
func otherDelay(b *bed, _ *pipeline.VerifyRequest) {
	b.t.Helper()
	c := promise(coverage.SettleNewestEvent)
	c.Evidence, c.SettleDelay = "main.ops", 45*time.Minute
	tags := map[string]any{}
	for k, v := range c.Tags() {
		tags[k] = v
	}
	j, err := b.client.FindJob(b.t.Context(), "load")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.client.UpdateJob(b.t.Context(), j.ID, map[string]any{"tags": tags}); err != nil {
		b.t.Fatal(err)
	}
}

// Only a PASS is repeated: what failed, or could not be decided, is looked at again, and so is a PASS that a later look at
// the same versions put in doubt.
func TestOnlyPassIsRepeated(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"FAIL":         "DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7",
		"INCONCLUSIVE": "INSERT INTO main.events.tgt VALUES (0, NULL, TIMESTAMP'2026-03-01T06:00:00Z')",
		"a warning":    "INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 1 AND seq = 7",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, r := remembering(t)
			b.exec("%s", spoil)
			first := b.verify(r)
			b.ResetRequests()
			second := b.verify(r)
			if second.Verdict != first.Verdict || second.Counts != first.Counts || has(second, reconcile.CodeUnchanged, "") || b.scans() < 3 {
				t.Errorf("%s %+v, then %s %+v with %d scans", first.Verdict, first.Counts, second.Verdict, second.Counts, b.scans())
			}
		})
	}
	t.Run("a newer record says otherwise", func(t *testing.T) {
		t.Parallel()
		b, _, r := remembering(t)
		b.exec("INSERT INTO main.ops.watertight_runs SELECT * FROM main.ops.watertight_runs")
		b.exec("UPDATE main.ops.watertight_runs SET verdict = 'FAIL'")
		b.exec("INSERT INTO main.ops.watertight_runs SELECT * FROM main.ops.watertight_runs VERSION AS OF 1")
		if v := b.verify(r); has(v, reconcile.CodeUnchanged, "") {
			t.Error("of two records of one moment the one that passed counts")
		}
	})
}

// The evidence in a file serves as well.
func TestNothingChangedByAFile(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	r := pipeline.VerifyRequest{Job: "load", Block: 64, EvidencePath: filepath.Join(t.TempDir(), "evidence.jsonl")}
	first := b.verify(r)
	b.ResetRequests()
	if v := b.verify(r); !has(v, reconcile.CodeUnchanged, "") || v.Counts != first.Counts || b.scans() != 0 {
		t.Errorf("%s %+v %v, %d scans", v.Verdict, v.Counts, v.Reasons, b.scans())
	}
}

// Tables that an earlier version of watertight made lack columns. They are added where that is allowed, and done without
// where it is not.
func TestEvidenceOfAnEarlierShape(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"columns are added": false, "no right to alter": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _, r := remembering(t)
			b.exec("DROP TABLE main.ops.watertight_runs")
			b.exec("CREATE TABLE main.ops.watertight_runs (schema_version INT, scope STRING, job_id BIGINT, run_id BIGINT, verified_at TIMESTAMP, read_at TIMESTAMP, cutoff TIMESTAMP, source_version BIGINT, target_version BIGINT, watermarks STRING, added BIGINT, verdict STRING, due BIGINT, missing BIGINT)")
			if refused {
				// The statements that are sent: the shape's, the column's.
				b.AddFault(local.Fault{Route: "/api/2.0/sql/statements", Method: http.MethodPost, Call: 2, Status: http.StatusOK, ContentType: "application/json",
					Body: `{"statement_id":"01","status":{"state":"FAILED","sql_state":"42501","error":{"error_code":"BAD_REQUEST","message":"[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have MODIFY."}}}`})
			}
			for i := range 2 {
				v := b.verify(r)
				if v.Verdict != reconcile.Pass || v.Warning || has(v, reconcile.CodeNoEvidence, "") {
					t.Fatalf("%s %v", v.Verdict, v.Reasons)
				}
				if got := has(v, reconcile.CodeUnchanged, ""); got != (i == 1 && !refused) {
					t.Errorf("verification %d is repeated: %t", i, got)
				}
				if refused && i == 0 {
					b.ClearFaults()
				}
				if got := b.kept("runs"); got != "1" && !(refused && i == 1 && got == "2") {
					t.Errorf("%s records", got)
				}
			}
		})
	}
}

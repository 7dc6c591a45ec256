//go:build cgo

package pipeline_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Without any event time, or any row, or any sequence, there is no watermark and nothing to compare. Fault: cut takes no
// newest event for the epoch, or implied() says nothing of zero due rows.
func TestNullWatermarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, code string }{
		"no rows":               {"", reconcile.CodeNoWatermark},
		"no event times":        {"SELECT 0, id, CAST(NULL AS TIMESTAMP) FROM range(100)", reconcile.CodeNoWatermark},
		"no sequences":          {"SELECT 0, CAST(NULL AS BIGINT), TIMESTAMP'2026-03-01T00:00:00Z' FROM range(100)", reconcile.CodeNullKeys},
		"no partitions":         {"SELECT CAST(NULL AS INT), id, TIMESTAMP'2026-03-01T00:00:00Z' FROM range(100)", reconcile.CodeNullKeys},
		"one time, no sequence": {"SELECT 0, CASE WHEN id > 0 THEN id END, CASE WHEN id = 0 THEN TIMESTAMP'2026-03-01T00:00:00Z' END FROM range(100)", reconcile.CodeNullKeys},
	} {
		for _, clock := range []coverage.Clock{coverage.SettleNewestEvent, coverage.SettleWall} {
			t.Run(name+" "+string(clock), func(t *testing.T) {
				t.Parallel()
				b := open(t)
				b.tables("INT", "")
				job := b.job(promise(clock), "SELECT 1")
				if c.source != "" {
					b.exec("INSERT INTO main.events.src %s", c.source)
				}
				b.load(job)
				path := filepath.Join(t.TempDir(), "evidence.jsonl")
				for range 2 { // the second has the first one's evidence
					v := b.verify(pipeline.VerifyRequest{EvidencePath: path})
					if v.Verdict != reconcile.Inconclusive || run.Verified(v) != run.Inconclusive || v.Counts.Due != 0 {
						t.Errorf("%s exit %d %+v %v", v.Verdict, run.Verified(v), v.Counts, v.Reasons)
					}
					if clock == coverage.SettleNewestEvent && !has(v, c.code, "") {
						t.Errorf("it does not say %s: %v", c.code, v.Reasons)
					}
				}
				if got := b.ask(byRecover, ""); got.code != run.Inconclusive {
					t.Errorf("recover: %+v", got)
				}
				if got := b.ask(byPurge, ""); got.code != run.Pass || !strings.HasPrefix(got.text, "deleted 0 of") {
					t.Errorf("purge: %+v", got)
				}
				if got := b.ask(byWatch, path); got.code != run.Pass {
					t.Errorf("watch: %+v", got)
				}
			})
		}
	}
}

// Event times far in the past and far in the future are instants like any other: what is due is compared, and a row of the
// future is not due by the wall clock for as long as it takes. That is said, since it will not be read before it expires.
func TestTimesFarAway(t *testing.T) {
	t.Parallel()
	const rows = "SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(1000)"
	for name, c := range map[string]struct {
		clock   coverage.Clock
		far     string
		verdict reconcile.Verdict
		due     int64
		says    string
	}{
		"the first year, by the wall":        {coverage.SettleWall, "TIMESTAMP'0001-01-01T00:00:00Z'", reconcile.Pass, 1002, ""},
		"the first year, by the newest":      {coverage.SettleNewestEvent, "TIMESTAMP'0001-01-01T00:00:00Z'", reconcile.Pass, 971, ""},
		"before the epoch":                   {coverage.SettleWall, "TIMESTAMP'1969-12-31T23:59:59.999999Z'", reconcile.Pass, 1002, ""},
		"the last year, by the wall":         {coverage.SettleWall, "TIMESTAMP'9999-12-31T23:59:59.999999Z'", reconcile.Pass, 1000, "9999-12-31"},
		"the last year, by the newest event": {coverage.SettleNewestEvent, "TIMESTAMP'9999-12-31T23:59:59.999999Z'", reconcile.Pass, 1000, "9999-12-31"},
		"tomorrow, by the newest event":      {coverage.SettleNewestEvent, "TIMESTAMP'2026-03-03T06:00:00Z'", reconcile.Pass, 1000, "2026-03-03"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.tables("INT", "")
			job := b.job(promise(c.clock), loaderSQL(c.clock))
			b.exec("INSERT INTO main.events.src %s", rows)
			b.exec("INSERT INTO main.events.src VALUES (1, 5, %s), (2, 5, %[1]s)", c.far)
			b.advance(time.Hour)
			id := b.load(job)
			path := filepath.Join(t.TempDir(), "evidence.jsonl")
			v := b.verify(pipeline.VerifyRequest{RunID: id, Block: 64, EvidencePath: path})
			if v.Verdict != c.verdict || v.Counts.Due != c.due || v.Counts.Due+v.Counts.InFlight != 1002 {
				t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
			}
			if c.says != "" && !has(v, reconcile.CodeFuture, c.says) || c.says == "" && has(v, reconcile.CodeFuture, "") {
				t.Errorf("of the future it says %v, want %q", v.Reasons, c.says)
			}
			b.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq = 7")
			v = b.verify(pipeline.VerifyRequest{RunID: id, Block: 64, EvidencePath: path})
			b.expect(v, reconcile.Fail, map[key]reconcile.State{{"0", 7}: reconcile.Skipped})
			if got := b.ask(byWatch, path); got.code != run.Pass {
				t.Errorf("watch: %+v", got)
			}
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p > 0")
			future := strings.Contains(c.far, "'9999") || strings.Contains(c.far, "03-03")
			b.ask(byPurge, "")
			if left := b.exec("SELECT count(*) FROM main.events.src WHERE p > 0")[0][0]; (left == "2") != future {
				t.Errorf("%s rows of %s are left", left, c.far)
			}
		})
	}
}

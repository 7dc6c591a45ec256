//go:build cgo

package pipeline_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Any one statement of a verification without sequences fails, is cancelled, is cut short or loses a row: nothing passes. Fault:
// takeKeys ends at an error without giving it on.
func TestVerifyKeysBadStatements(t *testing.T) {
	t.Parallel()
	seen := &counted{}
	b := open(t, change(t, seen.run))
	b.exec("CREATE SCHEMA main.events")
	for _, table := range []string{"src", "tgt"} {
		b.exec("CREATE TABLE main.events.%s (a STRING, u TIMESTAMP)", table)
	}
	job := b.job(keyedPromise("a"), "INSERT INTO main.events.tgt SELECT s.* FROM main.events.src AS s LEFT ANTI JOIN main.events.tgt AS t ON s.a <=> t.a WHERE s.u < current_timestamp() - INTERVAL 30 MINUTES")
	b.exec("INSERT INTO main.events.src VALUES ('x', %[1]s), ('old', %[1]s), ('old', %[1]s), ('later', TIMESTAMP'2026-03-02T05:59:00Z')", early)
	b.load(job)
	b.advance(time.Minute)
	b.exec("DELETE FROM main.events.src WHERE a = 'old'")
	b.exec("DELETE FROM main.events.tgt WHERE a = 'nothing'")
	b.advance(time.Minute)
	b.load(job)
	b.exec("UPDATE main.events.tgt SET u = timestampadd(HOUR, -1, u) WHERE a = 'x'") // its slice differs
	b.exec("DELETE FROM main.events.tgt WHERE a = 'old'")
	b.exec("INSERT INTO main.events.tgt VALUES ('old', %[1]s), ('y', %[1]s), ('y', %[1]s)", early)
	seen.reset()
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Pass, `duplicate "y" 1`)
	texts := slices.Clone(seen.text)
	for _, form := range []string{"WHERE copies > 1", "bit_xor", "LEFT ANTI JOIN t ON s.", "LEFT ANTI JOIN t ON o.", "SELECT day, count(*)", "INNER JOIN f", "HAVING count(*) > 1", "AS held FROM m LEFT JOIN"} {
		if !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, form) }) {
			t.Errorf("%s is not asked", form)
		}
	}
	for n, text := range texts {
		for name, fault := range map[string]local.Fault{
			"failed":       {Status: 200, Body: ended("FAILED", "INTERNAL_ERROR")},
			"file is gone": {Status: 200, Body: ended("FAILED", "FAILED_READ_FILE.FILE_NOT_EXIST")},
			"cancelled":    {Status: 200, Body: ended("CANCELED", "")},
			"truncated":    {MarkTruncated: true},
			"loses a row":  {LoseRow: true},
		} {
			// Histories are read as far as they are needed; counts around the run's commits and versions of the target from before a
			// deletion decide no verdict.
			isHint := strings.Contains(text, "AS rows_before") || strings.Contains(text, "AS held FROM m LEFT JOIN") && (name == "file is gone" || name == "truncated" || name == "loses a row")
			if isHint || name == "loses a row" && strings.HasPrefix(text, "DESCRIBE HISTORY") {
				continue
			}
			fault.Route, fault.Method, fault.Call = statementRoute, "POST", n+1
			b.AddFault(fault)
			v, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load"})
			b.ClearFaults()
			if err == nil && v.Verdict == reconcile.Pass {
				t.Errorf("statement %d %s: PASS\n%s", n+1, name, text)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

package pipeline_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func (b *bed) audit(r pipeline.AuditRequest) reconcile.Audit {
	b.t.Helper()
	if r.Job == "" && r.Contract.Source == "" {
		r.Job = "load"
	}
	if r.Block == 0 {
		r.Block = 64
	}
	a, err := pipeline.Audit(b.t.Context(), b.client, r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := a.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return a
}

// audited is what an audit lists, a line for each run of sequences that are said to be the same.
func audited(t testing.TB, a reconcile.Audit) string {
	t.Helper()
	type line struct {
		reconcile.Span
		rows int64
		what string
	}
	var all []line
	add := func(err error, partition string, from, to, rows int64, what string) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line{reconcile.Span{Partition: partition, From: from, To: to}, rows, what})
	}
	for r, err := range a.Missing.All() {
		add(err, r.Partition, r.From, r.To, r.Rows, string(r.State))
	}
	for d, err := range a.Duplicates.All() {
		add(err, d.Partition, d.From, d.To, d.Surplus, "too many "+d.Cause)
	}
	for r, err := range a.Accepted.All() {
		add(err, r.Partition, r.From, r.To, r.Rows, "accepted "+string(r.Was))
	}
	slices.SortFunc(all, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.what, b.what), cmp.Compare(a.From, b.From))
	})
	var lines []string
	for i := 0; i < len(all); i++ {
		l := all[i]
		for ; i+1 < len(all) && all[i+1].Partition == l.Partition && all[i+1].what == l.what && all[i+1].From == l.To+1; i++ {
			l.To, l.rows = all[i+1].To, l.rows+all[i+1].rows
		}
		lines = append(lines, fmt.Sprintf("%s:%d-%d %d %s", l.Partition, l.From, l.To, l.rows, l.what))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func auditHas(a reconcile.Audit, code string) bool {
	return slices.ContainsFunc(a.Reasons, func(r reconcile.Reason) bool { return r.Code == code })
}

// wide is a target of 3 partitions of 5000 rows, a row a minute, of which the source holds the newest 1440 minutes; without
// the rows for which absent and gone hold.
func wide(t *testing.T, absent, gone string) *bed {
	t.Helper()
	b := open(t)
	b.tables("INT", " TBLPROPERTIES ('watertight.rolling_window' = '24 hours')")
	b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	const rows = "SELECT p, seq, timestampadd(MINUTE, CAST(seq AS INT) - 5000, TIMESTAMP'2026-03-02T06:00:00Z') FROM (SELECT CAST(id %% 3 AS INT) AS p, id DIV 3 AS seq FROM range(15000)) AS r"
	b.exec("INSERT INTO main.events.tgt "+rows+" WHERE NOT (%s)", cmp.Or(absent, "FALSE"))
	b.exec("INSERT INTO main.events.src "+rows+" WHERE seq >= 3560 AND NOT (%s)", cmp.Or(gone, "FALSE"))
	b.advance(time.Minute)
	return b
}

type auditCase struct {
	name string
	// absent are the rows that the target never had, gone those that the source never had; spoil is what happens then.
	absent, gone string
	spoil        []string
	strict       bool
	verdict      reconcile.Verdict
	exit         run.ExitCode
	counts       reconcile.AuditCounts
	lists        []string
	code         string
}

// What an audit says of a target, by hand. Of the source's 3560 … 4999 the last that settled is 4968.
func auditCases() []auditCase {
	whole := reconcile.AuditCounts{Rows: 15000, Keys: 15000}
	return []auditCase{
		{name: "as it should be", verdict: reconcile.Pass, counts: whole},
		{name: "old gaps of which nobody knows, some of whole blocks", absent: "p = 0 AND seq BETWEEN 100 AND 149 OR p = 1 AND seq IN (64, 127) OR p = 2 AND seq BETWEEN 640 AND 1279",
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 14308, Keys: 14308, Gaps: 4, Undecidable: 692}, code: reconcile.CodeUndecidable,
			lists: []string{"0:100-149 50 undecidable", "1:127-127 1 undecidable", "1:64-64 1 undecidable", "2:640-1279 640 undecidable"}},
		{name: "deleted from the target", spoil: []string{"DELETE FROM main.events.tgt WHERE p = 0 AND seq BETWEEN 100 AND 149 OR p = 1 AND seq = 64"},
			verdict: reconcile.Fail, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 14949, Keys: 14949, Gaps: 2, Missing: 51}, code: reconcile.CodeMissing,
			lists: []string{"0:100-149 50 expired", "1:64-64 1 expired"}},
		{name: "still in the source, settled or not", absent: "p = 1 AND seq BETWEEN 3550 AND 3569 OR p = 2 AND seq = 4990",
			verdict: reconcile.Fail, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 14979, Keys: 14979, Gaps: 2, Missing: 11, Undecidable: 10}, code: reconcile.CodeDoomed,
			lists: []string{"1:3550-3559 10 undecidable", "1:3560-3569 10 skipped", "2:4990-4990 1 doomed"}},
		{name: "duplicates of another run", spoil: []string{"INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 2 AND seq BETWEEN 60 AND 69"},
			verdict: reconcile.Pass, exit: run.Warning, counts: reconcile.AuditCounts{Rows: 15010, Keys: 15000, Duplicates: 10}, code: reconcile.CodeDuplicates,
			lists: []string{"2:60-69 10 too many duplicate_two_runs"}},
		{name: "duplicates, strictly", spoil: []string{"INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 2 AND seq = 7"}, strict: true,
			verdict: reconcile.Pass, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 15001, Keys: 15000, Duplicates: 1}, lists: []string{"2:7-7 1 too many duplicate_two_runs"}},
		{name: "as many lost as doubled, which a count does not show", absent: "p = 0 AND seq IN (70, 75)", spoil: []string{"INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 0 AND seq IN (71, 74)"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 15000, Keys: 14998, Gaps: 2, Undecidable: 2, Duplicates: 2},
			lists: []string{"0:70-70 1 undecidable", "0:71-71 1 too many duplicate_two_runs", "0:74-74 1 too many duplicate_two_runs", "0:75-75 1 undecidable"}},
		{name: "null keys", spoil: []string{"INSERT INTO main.events.tgt VALUES (NULL, 1, current_timestamp()), (1, NULL, current_timestamp())"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 15002, Keys: 15000, NullKeys: 2}, code: reconcile.CodeNullKeys},
		{name: "nothing", absent: "TRUE", verdict: reconcile.Inconclusive, exit: run.Inconclusive, code: reconcile.CodeEmptyTarget},
		{name: "the source has a gap of its own, in one partition", gone: "p = 0 AND seq = 4500", absent: "p = 0 AND seq IN (5, 4500) OR p = 1 AND seq = 5",
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 14997, Keys: 14997, Gaps: 3, Undecidable: 1}, code: reconcile.CodeNotContiguous, lists: []string{"1:5-5 1 undecidable"}},
		{name: "the source has a gap of its own, and the target none", gone: "p = 0 AND seq = 4500", verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: whole, code: reconcile.CodeNotContiguous},
		{name: "a gap of the source that has not settled", gone: "p = 0 AND seq = 4980", verdict: reconcile.Pass, counts: whole},
		{name: "a row that left the source before its neighbours", spoil: []string{"DELETE FROM main.events.src WHERE p = 0 AND seq = 4500"}, verdict: reconcile.Pass, counts: whole},
		{name: "a row that outlives its neighbours", spoil: []string{"INSERT INTO main.events.src VALUES (0, 17, TIMESTAMP'2026-03-02T05:00:00Z')", "UPDATE main.events.tgt SET u = TIMESTAMP'2026-03-02T05:00:00Z' WHERE p = 0 AND seq = 17"}, verdict: reconcile.Pass, counts: whole},
		{name: "a gap of the source among its oldest rows, of one event time", gone: "p = 0 AND seq = 3570", absent: "p = 0 AND seq IN (5, 3570)",
			spoil:   []string{"DELETE FROM main.events.src WHERE p = 0 AND seq < 4000", "INSERT INTO main.events.src SELECT 0, 3999 - id, TIMESTAMP'2026-03-01T06:00:00Z' FROM range(440) WHERE id <> 429"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 14998, Keys: 14998, Gaps: 2}, code: reconcile.CodeNotContiguous},
		{name: "no source", absent: "p = 0 AND seq IN (1, 3)", spoil: []string{"DROP TABLE main.events.src"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 14998, Keys: 14998, Gaps: 2}, code: reconcile.CodeNoProof},
		{name: "a source without rows", absent: "p = 0 AND seq IN (1, 3)", gone: "TRUE",
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 14998, Keys: 14998, Gaps: 2}, code: reconcile.CodeNoProof},
		{name: "a source that is a view", spoil: []string{"DROP TABLE main.events.src", "CREATE VIEW main.events.src AS SELECT * FROM main.events.tgt"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: whole, code: reconcile.CodeNoProof},
		{name: "a target that is a view", spoil: []string{"DROP TABLE main.events.tgt", "CREATE VIEW main.events.tgt AS SELECT * FROM main.events.src"},
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, code: reconcile.CodeNoVersions},
		{name: "a partition begun late", absent: "p = 2 AND seq < 4000",
			verdict: reconcile.Fail, exit: run.Loss, counts: reconcile.AuditCounts{Rows: 11000, Keys: 11000, Missing: 440, Undecidable: 3560}, code: reconcile.CodePrefix,
			lists: []string{"2:0-3559 3560 undecidable", "2:3560-3999 440 skipped"}},
		{name: "a partition begun late, long ago", absent: "p = 2 AND seq < 1500",
			verdict: reconcile.Inconclusive, exit: run.Inconclusive, counts: reconcile.AuditCounts{Rows: 13500, Keys: 13500, Undecidable: 1500}, lists: []string{"2:0-1499 1500 undecidable"}},
		{name: "all began with the source's window", absent: "p = 0 AND seq < 7 OR p = 1 AND seq < 500 OR p = 2 AND seq < 1400", verdict: reconcile.Pass,
			counts: reconcile.AuditCounts{Rows: 13093, Keys: 13093}},
		{name: "a partition that the target does not have", absent: "p = 2", verdict: reconcile.Pass, counts: reconcile.AuditCounts{Rows: 10000, Keys: 10000}, code: reconcile.CodeAbsent},
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	for _, c := range auditCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := wide(t, c.absent, c.gone)
			for _, sql := range c.spoil {
				b.exec("%s", sql)
			}
			b.audits(c, pipeline.AuditRequest{Strict: c.strict})
		})
	}
}

func (b *bed) audits(c auditCase, r pipeline.AuditRequest) reconcile.Audit {
	b.t.Helper()
	a := b.audit(r)
	if a.Verdict != c.verdict || run.Audited(a) != c.exit {
		b.t.Errorf("%s, exit %d: %v", a.Verdict, run.Audited(a), a.Reasons)
	}
	if d := gocmp.Diff(c.counts, a.Counts); d != "" {
		b.t.Error(d)
	}
	if d := gocmp.Diff(strings.Join(c.lists, "\n"), audited(b.t, a)); d != "" {
		b.t.Error(d)
	}
	if c.code != "" && !auditHas(a, c.code) {
		b.t.Errorf("%s is not said: %v", c.code, a.Reasons)
	}
	return a
}

// vitessio/vitess#14777: an answer cut short, in any one statement, is no answer. Neither is one that fails: what is read of
// the source alone then proves nothing, and what is read of the target nothing at all.
func TestAuditCutShort(t *testing.T) {
	t.Parallel()
	b := wide(t, "p = 0 AND seq IN (1, 3, 4600)", "")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 1 AND seq = 70")
	b.ResetRequests()
	whole := b.audit(pipeline.AuditRequest{})
	said, n := audited(t, whole), b.Count("POST", "/api/2.0/sql/statements")
	if whole.Verdict != reconcile.Fail || n < 8 {
		t.Fatalf("%s after %d statements: %v", whole.Verdict, n, whole.Reasons)
	}
	for i := range n {
		b.AddFault(local.Fault{Route: "/api/2.0/sql/statements", Method: "POST", Call: i + 1, MarkTruncated: true})
		a := b.audit(pipeline.AuditRequest{})
		told := auditHas(a, reconcile.CodeTruncated) || auditHas(a, reconcile.CodeNoProof) || audited(t, a) == said
		if a.Verdict == reconcile.Pass || !told && !strings.Contains(audited(t, a), "undecidable") {
			t.Errorf("statement %d of %d cut short: %s %+v %v\n%s", i+1, n, a.Verdict, a.Counts, a.Reasons, audited(t, a))
		}
		b.ClearFaults()
	}
}

// A run that goes on may have written a part: the target is read as it was before it.
func TestAuditBesideARun(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("INSERT INTO main.events.src SELECT 0, id, TIMESTAMP'2026-03-02T05:00:00Z' FROM range(1000, 1100)")
	b.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}, {LifeCycle: "RUNNING"}}})
	if _, err := b.client.RunNow(t.Context(), workspace.RunNow{JobID: job, Token: "goes on"}); err != nil {
		t.Fatal(err)
	}
	b.advance(time.Second)
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 0 AND seq > 1050")
	a := b.audits(auditCase{verdict: reconcile.Pass, counts: reconcile.AuditCounts{Rows: 2907, Keys: 2907}, code: reconcile.CodeActiveRun}, pipeline.AuditRequest{})
	if a.Target.Version != 1 {
		t.Errorf("version %d", a.Target.Version)
	}
}

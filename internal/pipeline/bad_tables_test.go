//go:build cgo

package pipeline_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Tables without versions of their own cannot be read as they were: nothing is claimed of them, nothing kept, nothing
// deleted. Fault: unfit finds nothing.
func TestBadKinds(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	for _, c := range []struct {
		kind local.Relation
		says string
	}{
		{local.Relation{Type: "VIEW"}, "is a view and has no versions"},
		{local.Relation{Type: "MATERIALIZED_VIEW"}, "is a materialized view and has no versions"},
		{local.Relation{Type: "METRIC_VIEW"}, "is a metric view and has no versions"},
		{local.Relation{Type: "FOREIGN", Format: "POSTGRESQL_FORMAT"}, "is a foreign table (POSTGRESQL_FORMAT) and has no versions"},
		{local.Relation{Type: "EXTERNAL", Format: "CSV"}, "is a table of format CSV and has no versions"},
		{local.Relation{Type: "EXTERNAL", Format: "PARQUET"}, "is a table of format PARQUET and has no versions"},
		{local.Relation{Type: "MANAGED", Format: "ICEBERG"}, "is a table of format ICEBERG and has no versions"},
	} {
		for _, table := range []string{"main.events.src", "main.events.tgt"} {
			b.shownAs(table, c.kind)
			b.ResetRequests()
			want := expected{byVerify: run.Inconclusive, byRecover: run.Inconclusive, byWatch: run.Usage, byPurge: run.Usage}
			if table == "main.events.tgt" { // without the source an audit goes on
				want[byAudit] = run.Inconclusive
			}
			b.refused(want, table, c.says)
			if n := b.Count("POST", statementRoute); n != 0 {
				t.Errorf("%s: %d statements for what they cannot tell", c.says, n)
			}
		}
	}
	// A streaming table is a Delta table: time travel works on it, and on no materialized view (Databricks, pipeline
	// limitations). So are foreign and shared tables that say so.
	for _, kind := range []local.Relation{{Type: "STREAMING_TABLE"}, {Type: "FOREIGN", Format: "DELTA"}, {Type: "EXTERNAL", Format: "DELTASHARING"}} {
		b.shownAs("main.events.src", kind)
		if got := b.ask(byVerify, ""); got.code != run.Pass {
			t.Errorf("%+v: %+v", kind, got)
		}
	}
}

const statementRoute = "/api/2.0/sql/statements"

// A table that is not there, and a temporary one, which is only there for its session.
func TestBadNames(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("ALTER TABLE main.events.tgt RENAME TO main.events.away")
	for _, command := range []string{byVerify, byRecover, byWatch, byPurge, byAudit} {
		got := b.ask(command, filepath.Join(t.TempDir(), "evidence"))
		if got.code != run.Usage || !strings.Contains(got.text, "main.events.tgt: not found") || !strings.Contains(got.text, "temporary table or view") {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

// Columns that cannot be compared. Fault of each: columnsOf, checkEventTime or fitForPurge lets it through.
func TestBadColumns(t *testing.T) {
	t.Parallel()
	const good, row = "p INT, seq BIGINT, u TIMESTAMP", "CAST(0 AS INT), id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z')"
	all := expected{byVerify: run.Usage, byRecover: run.Usage, byWatch: run.Usage, byPurge: run.Usage, byAudit: run.Usage}
	notPurge := expected{byVerify: run.Usage, byRecover: run.Usage, byWatch: run.Usage, byAudit: run.Usage}
	for name, c := range map[string]struct {
		source, target, sourceRow, targetRow string
		want                                 expected
		says                                 []string
	}{
		"key missing in the source": {"p INT, s BIGINT, u TIMESTAMP", good, row, row, all, []string{"main.events.src", "no column seq", "p, s, u"}},
		"key missing in the target": {good, "p INT, s BIGINT, u TIMESTAMP", row, row, all, []string{"main.events.tgt", "no column seq", "p, s, u"}},
		"key in another column":     {"p INT, k STRUCT<seq: BIGINT>, u TIMESTAMP", good, "CAST(0 AS INT), named_struct('seq', id), TIMESTAMP'2026-03-01T06:00:00Z'", row, all, []string{"main.events.src", "no column seq", "p, k, u"}},
		"partitions of two types":   {good, "p STRING, seq BIGINT, u TIMESTAMP", row, "'0', id, TIMESTAMP'2026-03-01T06:00:00Z'", all, []string{"p", "main.events.tgt", "Give"}},
		"a sequence that is a text": {"p INT, seq STRING, u TIMESTAMP", good, "CAST(0 AS INT), CAST(id AS STRING), TIMESTAMP'2026-03-01T06:00:00Z'", row, all, []string{"main.events.src", "seq", "string"}},
		"a sequence with decimals":  {"p INT, seq DOUBLE, u TIMESTAMP", good, "CAST(0 AS INT), CAST(id AS DOUBLE), TIMESTAMP'2026-03-01T06:00:00Z'", row, all, []string{"main.events.src", "seq", "double"}},
		"an event time without zone": {"p INT, seq BIGINT, u TIMESTAMP_NTZ", good, "CAST(0 AS INT), id, TIMESTAMP_NTZ'2026-03-01T06:00:00'", row, notPurge,
			[]string{"main.events.src", "u is timestamp_ntz, which has no time zone", "write a TIMESTAMP column beside it"}},
		"an event time that is a day":    {"p INT, seq BIGINT, u DATE", good, "CAST(0 AS INT), id, DATE'2026-03-01'", row, notPurge, []string{"main.events.src", "u is date", "Name a TIMESTAMP column"}},
		"an event time that is a text":   {"p INT, seq BIGINT, u STRING", good, "CAST(0 AS INT), id, '2026-03-01T06:00:00'", row, all, []string{"u", "string"}},
		"an event time that is a number": {"p INT, seq BIGINT, u BIGINT", good, "CAST(0 AS INT), id, 1772344800000", row, notPurge, []string{"main.events.src", "u is bigint", "timestamp_millis(u)"}},
		"the target's event time":        {good, "p INT, seq BIGINT, u STRING", row, "CAST(0 AS INT), id, '2026-03-01T06:00:00'", notPurge, []string{"main.events.tgt", "u is string"}},
		"no event time":                  {"p INT, seq BIGINT", good, "CAST(0 AS INT), id", row, all, []string{"main.events.src", "no column u"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := spoiled(t, c.source, c.target, c.sourceRow, c.targetRow)
			b.refused(c.want, c.says...)
		})
	}
	t.Run("names in other case are the same", func(t *testing.T) {
		t.Parallel()
		b := spoiled(t, "P INT, SEQ INT, U TIMESTAMP", "p BIGINT, Seq BIGINT, u TIMESTAMP", row, row)
		if got := b.ask(byVerify, ""); got.code != run.Pass {
			t.Errorf("%+v", got)
		}
	})
}

// A table compared with itself has everything. Fault: notTheSame finds nothing. A purge of it would leave nothing.
func TestSourceIsTheTarget(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	c := promise(coverage.SettleNewestEvent)
	c.Target = "MAIN.Events.SRC"
	if _, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Contract: c}); !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), "is the source itself") {
		t.Errorf("got %v", err)
	}
	source, err := b.client.Table(t.Context(), "main.events.src")
	if err != nil {
		t.Fatal(err)
	}
	b.shownAs("main.events.tgt", local.Relation{ID: source.ID})
	b.refused(expected{byVerify: run.Usage, byRecover: run.Usage, byWatch: run.Usage, byPurge: run.Usage, byAudit: run.Usage}, "main.events.tgt is the source main.events.src itself")
}

// A name with a dot in it.
func TestNestedKey(t *testing.T) {
	t.Parallel()
	b := spoiled(t, "p INT, seq BIGINT, u TIMESTAMP, k STRUCT<seq: BIGINT>", "p INT, seq BIGINT, u TIMESTAMP, k STRUCT<seq: BIGINT>",
		"CAST(0 AS INT), id, TIMESTAMP'2026-03-01T06:00:00Z', named_struct('seq', id)", "CAST(0 AS INT), id, TIMESTAMP'2026-03-01T06:00:00Z', named_struct('seq', id)")
	c := promise(coverage.SettleNewestEvent)
	c.Key = contract.Key{Partition: "p", Sequence: "k.seq"}
	_, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Contract: c})
	if !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(saidOf(err).text, "a field inside of it is no column") {
		t.Errorf("got %v", saidOf(err).text)
	}
}

// A target that is a clone has its rows by one commit, and a history of its own; what the clone did not bring is missing.
// CLONE over a table that is there replaces its rows. Fault: Removes is false for any CLONE.
func TestClones(t *testing.T) {
	t.Parallel()
	b := open(t, change(t, asClones))
	b.tables("INT", "")
	c := promise(coverage.SettleNewestEvent)
	b.exec("INSERT INTO main.events.src SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(1000)")
	b.exec("CREATE OR REPLACE TABLE main.events.tgt AS SELECT * FROM main.events.src WHERE seq < 969")
	job := b.job(c, loaderSQL(coverage.SettleNewestEvent))
	path := filepath.Join(t.TempDir(), "evidence")
	r := pipeline.VerifyRequest{Block: 64, EvidencePath: path}
	r.RunID = b.load(job)
	if v := b.verify(r); v.Verdict != reconcile.Pass || v.Counts.Due != 969 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	b.exec("CREATE OR REPLACE TABLE main.events.tgt AS SELECT * FROM main.events.src WHERE seq < 969 AND seq NOT IN (7, 300)")
	r.RunID = 0
	b.expect(b.verify(r), reconcile.Fail, map[key]reconcile.State{{"0", 7}: reconcile.Skipped, {"0", 300}: reconcile.Skipped})
	b.shownAs("main.events.tgt", local.Relation{Type: "MANAGED_SHALLOW_CLONE"})
	b.refused(expected{byPurge: run.Usage}, "main.events.tgt", "shallow clone", "DEEP CLONE")
	b.expect(b.verify(r), reconcile.Fail, map[key]reconcile.State{{"0", 7}: reconcile.Skipped, {"0", 300}: reconcile.Skipped})
}

// A source that was cloned over what it held lost rows as much as by a delete.
func TestSourceClonedOver(t *testing.T) {
	t.Parallel()
	b := open(t, change(t, asClones))
	b.tables("INT", "")
	job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	const rows = "SELECT CAST(0 AS INT) AS p, id AS seq, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z') AS u FROM range(%d, %d)"
	b.exec("INSERT INTO main.events.src "+rows, 0, 1000)
	b.load(job)
	b.exec("CREATE OR REPLACE TABLE main.events.src AS "+rows, 990, 1300)
	want := map[key]reconcile.State{}
	for s := int64(969); s < 990; s++ {
		want[key{"0", s}] = reconcile.Expired
	}
	b.expect(b.verify(pipeline.VerifyRequest{RunID: b.load(job)}), reconcile.Fail, want)
}

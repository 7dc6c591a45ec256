package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func all(t *testing.T, rows *workspace.Rows) [][]string {
	t.Helper()
	var out [][]string
	for rows.Next() {
		var row []string
		for _, v := range rows.Row() {
			if v == nil {
				row = append(row, "NULL")
			} else {
				row = append(row, "="+*v)
			}
		}
		out = append(out, row)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Error(err)
	}
	return out
}

func TestQuery(t *testing.T) {
	t.Parallel()
	_, c := both(t)
	rows, err := c.Query(t.Context(), "SELECT CAST(NULL AS STRING) AS a, '' AS b, CAST(9007199254740993 AS BIGINT) AS c, CAST(:p AS DECIMAL(20,0)) AS d, :q AS e",
		workspace.Bind("p", "DECIMAL(20,0)", "18446744073709551615"), workspace.Parameter{Name: "q", Type: "STRING"})
	if err != nil {
		t.Fatal(err)
	}
	want := []workspace.Column{{Name: "a", Type: "string"}, {Name: "b", Type: "string"}, {Name: "c", Type: "bigint"}, {Name: "d", Type: "decimal(20,0)"}, {Name: "e", Type: "string"}}
	if d := cmp.Diff(want, rows.Columns()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]string{{"NULL", "=", "=9007199254740993", "=18446744073709551615", "NULL"}}, all(t, rows)); d != "" {
		t.Error(d)
	}
	if rows.Next() || rows.Close() != nil {
		t.Error("a closed result goes on")
	}
}

func TestQueryStreamsChunks(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	const many = 5_000 // three chunks of the local workspace, of 2 MiB each
	sql := fmt.Sprintf("SELECT id, repeat('x', 1000) AS t FROM range(%d) ORDER BY id", many)
	rows, err := c.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if got := *rows.Row()[0]; got != fmt.Sprint(n) {
			t.Fatalf("row %d is %s", n, got)
		}
		n++
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || n != many {
		t.Errorf("%d rows, %v", n, err)
	}
	if chunks := w.Count("GET", "/api/2.0/sql/statements/{id}/result/chunks/{chunk}"); chunks != 2 {
		t.Errorf("%d chunks were read after the first", chunks)
	}
	w.AddFault(local.Fault{Route: "/api/2.0/sql/statements/{id}/result/chunks/{chunk}", Call: 2, Times: 1000, Status: 400, Body: `{"error_code":"X","message":"gone"}`})
	rows, err = c.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if rows.Err() == nil {
		t.Error("a chunk that is missing ended the rows as if there were no more")
	}
}

// A result above 25 MiB is not given inline; external links carry it.
func TestQueryOfALargeResult(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	const many = 28_000
	rows, err := c.Query(t.Context(), fmt.Sprintf("SELECT id, repeat('x', 1000) AS t FROM range(%d) ORDER BY id", many))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if got := *rows.Row()[0]; got != fmt.Sprint(n) {
			t.Fatalf("row %d is %s", n, got)
		}
		n++
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || n != many {
		t.Errorf("%d rows, %v", n, err)
	}
	if posts := w.Count("POST", "/api/2.0/sql/statements"); posts != 2 {
		t.Errorf("%d statements were sent", posts)
	}
}

// S05 bytebase/bytebase#20190: a result that is cut short is an error, never "all rows".
func TestTruncatedResult(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	w.AddFault(local.Fault{Route: "/api/2.0/sql/statements", MarkTruncated: true})
	if _, err := c.Query(t.Context(), "SELECT id FROM range(3)"); !errors.Is(err, workspace.ErrTruncated) {
		t.Errorf("got %v", err)
	}
}

// A chunk that comes with fewer rows than the manifest promised must not pass for all rows.
func TestMissingRows(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	w.AddFault(local.Fault{Route: "/api/2.0/sql/statements/{id}/result/chunks/{chunk}", Call: 1, Status: 200, Body: `{"chunk_index":1,"row_count":1,"data_array":[["1","x"]]}`})
	rows, err := c.Query(t.Context(), "SELECT id, repeat('x', 1000) AS t FROM range(5000) ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if n == 0 || n >= 5000 || !errors.Is(rows.Err(), workspace.ErrTruncated) {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

// S01 databricks/terraform-provider-databricks#5366: a cold warehouse takes longer than one wait.
func TestColdWarehouse(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := &naps{}
	c := client(t, w, func(c *workspace.Config) { c.Sleep = n.sleep })
	w.SetBehaviour(local.Behaviour{ColdPolls: 12})
	rows, err := c.Query(t.Context(), "SELECT 1 AS one")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]string{{"=1"}}, all(t, rows)); d != "" {
		t.Error(d)
	}
	if posts := w.Count("POST", "/api/2.0/sql/statements"); posts != 1 {
		t.Errorf("submitted %d times", posts)
	}
	if body := lastBody(t, w, "/api/2.0/sql/statements/"); body["on_wait_timeout"] != "CONTINUE" || body["wait_timeout"] != "10s" {
		t.Errorf("sent %v", body)
	}
	for i, d := range n.taken {
		if d > 5*time.Second || i > 0 && d < n.taken[i-1] {
			t.Errorf("polls are spaced %v", n.taken)
			break
		}
	}
}

// S01: whoever gives up takes the statement back.
func TestStatementIsCancelledWithItsContext(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.SetBehaviour(local.Behaviour{ColdPolls: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	polls := 0
	c := client(t, w, func(c *workspace.Config) {
		c.Sleep = func(ctx context.Context, _ time.Duration) error {
			if polls++; polls == 3 {
				cancel()
			}
			return ctx.Err()
		}
	})
	_, err := c.Query(ctx, "SELECT 1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := w.Count("POST", "/api/2.0/sql/statements/{id}/cancel"); n != 1 {
		t.Errorf("cancelled %d times", n)
	}
}

func TestFailedStatement(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	_, err := c.Query(t.Context(), "SELECT * FROM main.default.nobody")
	var failed *workspace.StatementError
	if !errors.As(err, &failed) || failed.Class != "TABLE_OR_VIEW_NOT_FOUND" || failed.SQLState != "42P01" || failed.Message == "" {
		t.Fatalf("%#v, %v", failed, err)
	}
	if !errors.Is(err, workspace.ErrNotFound) || errors.Is(err, workspace.ErrDenied) || errors.Is(err, workspace.ErrConflict) {
		t.Errorf("a missing table: %v", err)
	}
	if err := c.Exec(t.Context(), "SELEC 1"); !errors.As(err, &failed) || failed.Class != "PARSE_SYNTAX_ERROR" {
		t.Errorf("%#v, %v", failed, err)
	}
	if posts := w.Count("POST", "/api/2.0/sql/statements"); posts != 2 {
		t.Errorf("%d statements were sent", posts)
	}
}

// R07: what may have written is not sent again; what only reads is.
func TestRepeatedStatements(t *testing.T) {
	t.Parallel()
	for sql, repeated := range map[string]bool{
		"SELECT 1": true, "with x AS (SELECT 1 AS a) SELECT * FROM x": true, "VALUES (1)": true,
		"CREATE TABLE main.default.t (a INT)": false, "/* SELECT */ DROP TABLE x": false, "-- SELECT\nDELETE FROM t": false,
		"WITH x AS (SELECT 1 AS a) INSERT INTO main.default.t SELECT a FROM x": false,
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			w, c := both(t)
			w.AddFault(local.Fault{Route: "/api/2.0/sql/statements", Call: 1, ActThenStatus: true, Status: 504})
			err := c.Exec(t.Context(), sql)
			if repeated == errors.Is(err, workspace.ErrUncertain) || repeated && err != nil {
				t.Errorf("got %v", err)
			}
			if posts := w.Count("POST", "/api/2.0/sql/statements"); posts == 2 != repeated {
				t.Errorf("sent %d times", posts)
			}
		})
	}
}

func TestNoWarehouse(t *testing.T) {
	w := open(t)
	bare(t)
	c := client(t, w, func(c *workspace.Config) { c.WarehouseID = "" })
	_, err := c.Query(t.Context(), "SELECT 1")
	if !errors.Is(err, workspace.ErrNoWarehouse) || !strings.Contains(workspace.HintOf(err), "DATABRICKS_WAREHOUSE_ID") || w.Count("", "") != 0 {
		t.Errorf("%v after %d requests", err, w.Count("", ""))
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	_, c := both(t)
	ctx := t.Context()
	for _, sql := range []string{"CREATE SCHEMA IF NOT EXISTS main.s", "CREATE TABLE main.s.t (a BIGINT NOT NULL, b TIMESTAMP)",
		"ALTER TABLE main.s.t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 7 days', 'delta.logRetentionDuration' = 'interval 30 days', 'watertight.rolling_window' = '24h')",
		"CREATE VIEW main.s.v AS SELECT a FROM main.s.t"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	table, err := c.Table(ctx, "main.s.t")
	if err != nil {
		t.Fatal(err)
	}
	if table.FullName != "main.s.t" || table.Type != "MANAGED" || table.Format != "DELTA" || table.ID == "" || table.IsView() {
		t.Errorf("%+v", table)
	}
	if table.Properties["watertight.rolling_window"] != "24h" || table.Properties["delta.logRetentionDuration"] != "interval 30 days" {
		t.Errorf("%v", table.Properties)
	}
	want := []workspace.Column{{Name: "a", Type: "bigint"}, {Name: "b", Type: "timestamp", Nullable: true}}
	if d := cmp.Diff(want, table.Columns); d != "" {
		t.Error(d)
	}
	if table.IsClustered() || !table.IsUnclustered() || len(table.PartitionColumns) != 0 {
		t.Errorf("a plain table: %+v", table)
	}
	if v, err := c.Table(ctx, "main.s.v"); err != nil || !v.IsView() {
		t.Errorf("%+v, %v", v, err)
	}
	for _, name := range []string{"main.s.nobody", "main.nobody.t", "nobody.s.t"} {
		if _, err := c.Table(ctx, name); !errors.Is(err, workspace.ErrNotFound) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The layout is read from Unity Catalog alone: columns[].partition_index, and the properties clusteringColumns, a JSON list
// of paths, and clusterByAuto.
func TestTableLayout(t *testing.T) {
	t.Parallel()
	_, c := both(t)
	ctx := t.Context()
	if err := c.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS main.s"); err != nil {
		t.Fatal(err)
	}
	for name, layout := range map[string]string{"parted": "PARTITIONED BY (b, a)", "clustered": "CLUSTER BY (b, a)", "auto": "CLUSTER BY AUTO"} {
		if err := c.Exec(ctx, "CREATE TABLE IF NOT EXISTS main.s."+name+" (a BIGINT, b STRING, c TIMESTAMP) "+layout); err != nil {
			t.Fatal(err)
		}
	}
	parted, err := c.Table(ctx, "main.s.parted")
	if d := cmp.Diff([]string{"b", "a"}, parted.PartitionColumns); d != "" || err != nil || parted.IsClustered() {
		t.Errorf("%v, %+v %s", err, parted, d)
	}
	clustered, err := c.Table(ctx, "main.s.clustered")
	if d := cmp.Diff([]string{"b", "a"}, clustered.ClusteringColumns); d != "" || err != nil || !clustered.IsClustered() || clustered.IsUnclustered() || len(clustered.PartitionColumns) != 0 {
		t.Errorf("%v, %+v %s", err, clustered, d)
	}
	if auto, err := c.Table(ctx, "main.s.auto"); err != nil || !auto.ClusterAuto || !auto.IsClustered() || auto.IsUnclustered() {
		t.Errorf("%v, %+v", err, auto)
	}
}

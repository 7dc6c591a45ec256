package dialect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// noTables resolves every table to three columns and knows no changes.
type noTables struct{}

func (noTables) Relation(context.Context, Source) (Relation, error) {
	return Relation{SQL: "x", Columns: []engine.Column{{Name: "p", Type: "int"}, {Name: "s", Type: "bigint"}, {Name: "u", Type: "timestamp"}}}, nil
}

func (noTables) Changes(context.Context, Changes) (Relation, error) {
	return Relation{}, errors.New("none")
}

func name(parts ...string) Name { return Name{Parts: parts} }
func pointer[T any](v T) *T     { return &v }
func ignored() []cmp.Option {
	return []cmp.Option{cmpopts.IgnoreFields(Name{}, "Pos"), cmpopts.IgnoreUnexported(Query{}), cmpopts.IgnoreTypes(Span{}), cmpopts.IgnoreInterfaces(struct{ Expr }{}),
		cmpopts.IgnoreInterfaces(struct{ FromItem }{}), cmpopts.IgnoreFields(Query{}, "With", "Body", "Order", "Limit", "Offset")}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sql  string
		want Statement
	}{
		{"DESCRIBE HISTORY `main`.events.t LIMIT 5", &DescribeHistory{Name: name("main", "events", "t"), Limit: pointer(int64(5))}},
		{"desc detail t;", &DescribeDetail{Name: name("t")}},
		{"DESCRIBE TABLE EXTENDED t", &DescribeTable{Name: name("t"), Extended: true}},
		{"DESCRIBE t", &DescribeTable{Name: name("t")}},
		{"DESCRIBE history", &DescribeTable{Name: name("history")}},
		{"SHOW TBLPROPERTIES t ('a.b')", &ShowProperties{Name: name("t"), Key: pointer("a.b")}},
		{"SHOW TBLPROPERTIES t (delta.x)", &ShowProperties{Name: name("t"), Key: pointer("delta.x")}},
		{"SHOW TABLES IN main.events LIKE 'm*'", &ShowTables{In: name("main", "events"), Like: pointer("m*")}},
		{"SHOW SCHEMAS", &ShowSchemas{}},
		{"SHOW COLUMNS IN t FROM s", &ShowColumns{Name: name("s", "t")}},
		{"SHOW CREATE TABLE t", &ShowCreateTable{Name: name("t")}},
		{"ALTER TABLE t SET TBLPROPERTIES ('a' = '1', delta.b = true, c = -2)", &AlterTable{Name: name("t"),
			Action: SetProperties{[]Property{{"a", "1"}, {"delta.b", "true"}, {"c", "-2"}}}}},
		{"ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', 'b')", &AlterTable{Name: name("t"), Action: UnsetProperties{Keys: []string{"a", "b"}, IfExists: true}}},
		{"ALTER TABLE t DELETE ROWS 30 DAYS AFTER u", &AlterTable{Name: name("t"), Action: DeleteRows{RowDeletion{30, "u"}}}},
		{"ALTER TABLE t DROP ROW DELETION", &AlterTable{Name: name("t"), Action: DropRowDeletion{}}},
		{"ALTER TABLE t ADD COLUMNS (a INT COMMENT 'x', b DECIMAL(20))", &AlterTable{Name: name("t"),
			Action: AddColumns{[]ColumnDef{{Name: "a", Type: "int", Comment: pointer("x")}, {Name: "b", Type: "decimal(20,0)"}}}}},
		{"ALTER TABLE t RENAME TO s.r", &AlterTable{Name: name("t"), Action: RenameTable{name("s", "r")}}},
		{"ALTER TABLE t RENAME COLUMN a TO b", &AlterTable{Name: name("t"), Action: RenameColumn{"a", "b"}}},
		{"ALTER TABLE t ALTER COLUMN a COMMENT 'c'", &AlterTable{Name: name("t"), Action: AlterColumn{Column: "a", Comment: pointer("c")}}},
		{"ALTER TABLE t SET TAGS ('a' = 'b')", &AlterTable{Name: name("t"), Action: SetTags{Tags: []Property{{"a", "b"}}}}},
		{"ALTER TABLE t CLUSTER BY AUTO", &AlterTable{Name: name("t"), Action: ClusterBy{Auto: true}}},
		{"ALTER TABLE t CLUSTER BY NONE", &AlterTable{Name: name("t"), Action: ClusterBy{}}},
		{"ALTER TABLE t OWNER TO `a b`", &AlterTable{Name: name("t"), Action: SetOwner{"a b"}}},
		{"OPTIMIZE t FULL", &Optimize{Name: name("t"), Full: true}},
		{"OPTIMIZE t ZORDER BY (a, b)", &Optimize{Name: name("t"), ZOrderBy: []string{"a", "b"}}},
		{"VACUUM t LITE RETAIN 168 HOURS DRY RUN", &Vacuum{Name: name("t"), Mode: "LITE", RetainHours: pointer(168.0), DryRun: true}},
		{"VACUUM t RETAIN -1 HOURS", &Vacuum{Name: name("t"), RetainHours: pointer(-1.0)}},
		{"ANALYZE TABLE t COMPUTE DELTA STATISTICS", &Analyze{Name: name("t"), Delta: true}},
		{"ANALYZE TABLE t COMPUTE STATISTICS FOR COLUMNS a, b", &Analyze{Name: name("t"), Columns: []string{"a", "b"}}},
		{"RESTORE TABLE t TO VERSION AS OF 3", &Restore{Name: name("t"), Version: AsOf{Version: pointer(int64(3))}}},
		{"TRUNCATE TABLE t", &Truncate{name("t")}},
		{"REORG TABLE t APPLY (PURGE)", &Reorg{Name: name("t")}},
		{"USE CATALOG main", &Use{Name: name("main"), Catalog: true}},
		{"USE SCHEMA main.events", &Use{Name: name("main", "events")}},
		{"USE events", &Use{Name: name("events")}},
		{"SET TIME ZONE 'Europe/Berlin'", &SetTimeZone{Zone: "Europe/Berlin"}},
		{"SET spark.sql.ansi.enabled = true", &SetConfig{Key: "spark.sql.ansi.enabled", Value: pointer("true")}},
		{"CREATE SCHEMA IF NOT EXISTS main.events COMMENT 'x'", &CreateSchema{Name: name("main", "events"), IfNotExists: true, Comment: pointer("x")}},
		{"DROP SCHEMA a CASCADE", &DropSchema{Name: name("a"), Cascade: true}},
		{"DROP TABLE IF EXISTS t", &DropTable{Name: name("t"), IfExists: true}},
		{"CREATE OR REPLACE TABLE t (a INT NOT NULL DEFAULT 1 + 1, b BIGINT GENERATED ALWAYS AS (a DIV 2)) USING DELTA PARTITIONED BY (a) " +
			"TBLPROPERTIES ('k' = 'v') COMMENT 'it''s' DELETE ROWS 1 DAYS AFTER u",
			&CreateTable{Name: name("t"), OrReplace: true, Provider: "delta", PartitionBy: []string{"a"}, Properties: []Property{{"k", "v"}},
				Comment: pointer("it's"), RowDeletion: &RowDeletion{1, "u"}, Columns: []ColumnDef{{Name: "a", Type: "int", NotNull: true, Default: "1 + 1"},
					{Name: "b", Type: "bigint", Generated: "a DIV 2"}}}},
		{"CREATE TABLE t CLUSTER BY (a) AS SELECT 1 AS a", &CreateTable{Name: name("t"), ClusterBy: []string{"a"}, As: &Query{}}},
		{"CREATE VIEW v (x) AS SELECT 1 -- one", &CreateView{Name: name("v"), Columns: []ColumnDef{{Name: "x"}}, Query: &Query{}, Text: "SELECT 1"}},
	} {
		t.Run(c.sql, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(c.sql, Session{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, ignored()...); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInsertForms(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]Insert{
		"INSERT INTO t SELECT 1":                             {},
		"INSERT INTO TABLE t (a, b) VALUES (1, 2)":           {Columns: []string{"a", "b"}},
		"INSERT OVERWRITE t SELECT * FROM t":                 {Overwrite: true},
		"INSERT INTO t BY NAME SELECT 1 AS a":                {ByName: true},
		"INSERT INTO t REPLACE WHERE p = 1 VALUES (1)":       {},
		"WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c": {},
		"INSERT INTO t (SELECT 1)":                           {},
		"INSERT INTO t WITH c AS (SELECT 1) SELECT * FROM c": {},
		"INSERT INTO t FROM s SELECT *":                      {},
		"INSERT INTO IDENTIFIER('t') TABLE s":                {},
	} {
		got, err := Parse(sql, Session{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		i := got.(*Insert)
		if i.Table.String() != "`t`" || i.Overwrite != want.Overwrite || i.ByName != want.ByName || !cmp.Equal(i.Columns, want.Columns) ||
			i.Query == nil || (i.ReplaceWhere != nil) != strings.Contains(sql, "REPLACE WHERE") {
			t.Errorf("%s: got %+v", sql, i)
		}
	}
}

func TestMergeForms(t *testing.T) {
	t.Parallel()
	st, err := Parse(`MERGE INTO a.b.t AS x USING (SELECT 1 AS p, 2L AS s) y ON x.p = y.p
		WHEN MATCHED AND y.s > 1 THEN UPDATE SET *
		WHEN MATCHED THEN UPDATE SET x.s = y.s + 1, p = 2
		WHEN MATCHED THEN DELETE
		WHEN NOT MATCHED AND y.p > 0 THEN INSERT (p, s) VALUES (y.p, y.s)
		WHEN NOT MATCHED BY TARGET THEN INSERT *
		WHEN NOT MATCHED BY SOURCE THEN UPDATE SET s = 0
		WHEN NOT MATCHED BY SOURCE AND x.s = 1 THEN DELETE`, Session{})
	if err != nil {
		t.Fatal(err)
	}
	m := st.(*Merge)
	type short struct {
		Kind            MergeKind
		Action          MergeAction
		Star, Condition bool
		Set, Values     int
	}
	var got []short
	for _, c := range m.Clauses {
		got = append(got, short{c.Kind, c.Action, c.Star, c.Condition != nil, len(c.Set), len(c.Values)})
	}
	want := []short{{Matched, MergeUpdate, true, true, 0, 0}, {Matched, MergeUpdate, false, false, 2, 0}, {Matched, MergeDelete, false, false, 0, 0},
		{NotMatched, MergeInsert, false, true, 0, 2}, {NotMatched, MergeInsert, true, false, 0, 0},
		{NotMatchedBySource, MergeUpdate, false, false, 1, 0}, {NotMatchedBySource, MergeDelete, false, true, 0, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Alias != "x" || m.Target.String() != "`a`.`b`.`t`" {
		t.Errorf("target %s as %s", m.Target, m.Alias)
	}
}

// TestRefusals holds that what is not known is refused by its name or as Spark refuses it, never passed on.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sql, class, named string }{
		{"SELECT xxhash64(CAST(s AS DOUBLE)) FROM t", Unsupported, "xxhash64"},
		{"SELECT hash(s) FROM t", Unsupported, "hash"},
		{"SELECT approx_count_distinct(s) FROM t", Unsupported, "approx_count_distinct"},
		{"SELECT read_csv('/etc/passwd')", Unsupported, "read_csv"},
		{"SELECT * FROM read_csv('/etc/passwd')", Unsupported, "read_csv"},
		{"SELECT getenv('HOME')", Unsupported, "getenv"},
		{"SELECT transform(a, x -> x + 1) FROM t", Unsupported, "lambda"},
		{"SELECT * FROM t TABLESAMPLE (10 PERCENT)", Unsupported, "TABLESAMPLE"},
		{"SELECT p FROM t GROUP BY ROLLUP (p)", Unsupported, "ROLLUP"},
		{"WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r", Unsupported, "RECURSIVE"},
		{"SELECT * FROM t NATURAL JOIN t b", Unsupported, "NATURAL"},
		{"CREATE TABLE t (a INT) USING parquet", Unsupported, "parquet"},
		{"CREATE TABLE t (a VARCHAR(10))", Unsupported, "varchar"},
		{"CREATE FUNCTION f() RETURNS INT RETURN 1", Unsupported, "FUNCTION"},
		{"GRANT SELECT ON t TO x", Unsupported, "GRANT"},
		{"COPY INTO t FROM 'x'", Unsupported, "COPY"},
		{"ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)", Unsupported, "CONSTRAINT"},
		{"SELECT avg(CAST(s AS DECIMAL(10,2))) FROM t", Unsupported, "avg"},
		{"INSERT INTO t PARTITION (p = 1) SELECT 1", Unsupported, "PARTITION"},
		{"SELECT explode(array(1)) + 1", "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS", "explode"},
		{"SELECT to_date('x', 'yyyy') FROM t", Unsupported, "to_date"},
		{"SELECT posexplode(array(1))", Unsupported, "posexplode"},
		{"SELECT ?", Unsupported, "?"},
		{"CREATE TABLE y DEEP CLONE x", "PARSE_SYNTAX_ERROR", "DEEP"},
		{"SELECT count(*) FROM t@v1", "PARSE_SYNTAX_ERROR", "@"},
		{"SELECT 1 FROM t VERSION AS OF :v", "PARSE_SYNTAX_ERROR", ":v"},
		{"SELEC 1", "PARSE_SYNTAX_ERROR", "SELEC"},
		{"SELECT 1; SELECT 2", "PARSE_SYNTAX_ERROR", ";"},
		{"", "PARSE_EMPTY_STATEMENT", "empty"},
		{"SELECT nosuch FROM t", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "`nosuch`"},
		{"SELECT nosuch", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "`nosuch`"},
		{"SELECT p FROM t a, t b", "AMBIGUOUS_REFERENCE", "`p`"},
		{"SELECT :x", "UNBOUND_SQL_PARAMETER", "x"},
		{"SELECT u + 1 FROM t", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "TIMESTAMP"},
		{"SELECT 1 UNION SELECT 1, 2", "NUM_COLUMNS_MISMATCH", "UNION"},
		{"SELECT p FROM t ORDER BY 2", "ORDER_BY_POS_OUT_OF_RANGE", "2"},
		{"SELECT sum(sum(s)) FROM t", "NESTED_AGGREGATE_FUNCTION", "aggregate"},
		{"SELECT row_number() FROM t", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", "row_number"},
		{"SELECT 300Y", "INVALID_NUMERIC_LITERAL_RANGE", "300"},
		{"SELECT DATE'2026-02-30'", "INVALID_TYPED_LITERAL", "2026-02-30"},
		{"SELECT TIMESTAMP'noon'", "INVALID_TYPED_LITERAL", "noon"},
		{"SET TIME ZONE 'Mars/Base'", "INVALID_CONF_VALUE.TIME_ZONE", "Mars/Base"},
		{"SELECT " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300), Unsupported, "nested"},
	} {
		t.Run(c.sql[:min(len(c.sql), 60)], func(t *testing.T) {
			t.Parallel()
			st, err := Parse(c.sql, Session{})
			if q, ok := st.(*Query); ok && err == nil {
				r, rerr := NewRewriter(Session{}, noTables{})
				if rerr != nil {
					t.Fatal(rerr)
				}
				_, err = r.Query(t.Context(), q)
			}
			var e *engine.Error
			if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Message, c.named) {
				t.Errorf("got %v, want %s naming %q", err, c.class, c.named)
			}
		})
	}
}

//go:build cgo

package duck

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

const hour = time.Hour

func TestTimeTravelUntilRetentionSaysNo(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT)") // 06:00:01
	s.rows("INSERT INTO t VALUES (1)")
	s.now = s.now.Add(24 * hour)
	s.rows("INSERT INTO t VALUES (2)")
	for sql, want := range map[string]string{
		"SELECT count(*) FROM t VERSION AS OF 0":                       "0",
		"SELECT count(*) FROM t VERSION AS OF 1":                       "1",
		"SELECT count(*) FROM t TIMESTAMP AS OF '2026-03-02 06:00:02'": "1",
		"SELECT count(*) FROM t TIMESTAMP AS OF '2026-03-02 23:00:00'": "1",
		"SELECT count(*) FROM t TIMESTAMP AS OF '2026-03-03 06:00:03'": "2",
	} {
		if got := s.text(sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	_, err := s.try("SELECT * FROM t VERSION AS OF 7")
	if err == nil || !strings.Contains(err.Error(), "[0, 2]") {
		t.Errorf("want the range of versions, got %v", err)
	}
	for sql, class := range map[string]string{
		"SELECT * FROM t VERSION AS OF 7":                          "DELTA_VERSION_NOT_FOUND",
		"SELECT * FROM t TIMESTAMP AS OF '2026-03-03 06:00:04'":    "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
		"SELECT * FROM t TIMESTAMP AS OF '2026-03-02 06:00:00'":    "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
		"RESTORE TABLE t TO TIMESTAMP AS OF '2026-03-01 00:00:00'": "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
		"SELECT * FROM table_changes('t', 0)":                      "DELTA_MISSING_CHANGE_DATA",
		"SELECT * FROM t TIMESTAMP AS OF CAST(NULL AS TIMESTAMP)":  "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT",
		"CREATE VIEW v AS SELECT * FROM t VERSION AS OF 9":         "DELTA_VERSION_NOT_FOUND",
		"INSERT INTO t SELECT * FROM t VERSION AS OF 9":            "DELTA_VERSION_NOT_FOUND",
		"SELECT * FROM t VERSION AS OF 1 JOIN t VERSION AS OF 9 b": "DELTA_VERSION_NOT_FOUND",
	} {
		if got := s.refused(sql); got != class {
			t.Errorf("%s: %s, want %s", sql, got, class)
		}
	}
	// A week after version 1 its commit is older than the default of 7 days; nothing was vacuumed.
	s.now = start.Add(7*24*hour + 10*time.Second)
	const beyond = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"
	if got := s.refused("SELECT * FROM t VERSION AS OF 1"); got != beyond {
		t.Errorf("got %s, want %s", got, beyond)
	}
	s.now = start.Add(30 * 24 * hour)
	if got := s.text("SELECT count(*) FROM t VERSION AS OF 2"); got != "2" {
		t.Errorf("the latest version is always readable, got %s", got)
	}
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '31 days', 'delta.logRetentionDuration' = '31 days')")
	if got := s.text("SELECT a FROM t VERSION AS OF 1"); got != "1" {
		t.Errorf("a raised retention makes the version readable again, got %s", got)
	}
}

func TestVacuumAfterOptimizeEndsOldVersions(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '25 hours')")
	s.rows("INSERT INTO t VALUES (1)")
	s.rows("INSERT INTO t VALUES (2)")
	s.now = s.now.Add(hour)
	s.rows("OPTIMIZE t") // version 3 replaces both files
	s.now = s.now.Add(24*hour + 30*time.Minute)
	s.rows("VACUUM t") // the OPTIMIZE is younger than 25 h
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '7 days')")
	if got := s.text("SELECT a FROM t VERSION AS OF 2 ORDER BY a"); got != "1; 2" {
		t.Errorf("version 2 reads %q", got)
	}
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '25 hours')")
	s.now = s.now.Add(hour)
	if got, want := len(s.rows("VACUUM t DRY RUN")), 2; got != want {
		t.Errorf("a dry run lists %d files, want %d", got, want)
	}
	s.rows("VACUUM t")
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '7 days')")
	for sql, want := range map[string]string{
		"SELECT a FROM t ORDER BY a":                  "1; 2",
		"SELECT a FROM t VERSION AS OF 3 ORDER BY a":  "1; 2",
		"SELECT count(*) FROM t VERSION AS OF 2":      "2",
		"SELECT count(*) AS n FROM t VERSION AS OF 1": "1",
		"SELECT count(*) FROM t VERSION AS OF 0":      "0",
		"SELECT a FROM t VERSION AS OF 0":             "",
	} {
		if got := s.text(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	for _, sql := range []string{"SELECT a FROM t VERSION AS OF 2", "SELECT count(a) FROM t VERSION AS OF 1", "SELECT count(*) FROM t VERSION AS OF 2 WHERE a > 0",
		"SELECT count(*) FROM t VERSION AS OF 2 GROUP BY a", "RESTORE TABLE t TO VERSION AS OF 2"} {
		if got := s.refused(sql); got != "FAILED_READ_FILE.FILE_NOT_EXIST" {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// Facts, section 1: RETAIN is ignored unless 0, and 0 is too short while the property asks for more.
func TestVacuumRetain(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT)")
	if got := s.refused("VACUUM t RETAIN 0 HOURS"); got != "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT" {
		t.Error(got)
	}
	for _, sql := range []string{"VACUUM t RETAIN -1 HOURS", "VACUUM t RETAIN 1 HOURS", "VACUUM t LITE RETAIN 500 HOURS"} {
		s.rows(sql)
	}
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '0 hours')")
	s.rows("VACUUM t RETAIN 0 HOURS")
}

func TestStatementsThatChangeNothingMakeNoCommit(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT)")
	s.rows("INSERT INTO t VALUES (1)")
	for _, sql := range []string{"DELETE FROM t WHERE a = 9", "UPDATE t SET a = 2 WHERE a = 9", "OPTIMIZE t", "INSERT INTO t SELECT a FROM t WHERE a = 9",
		"MERGE INTO t USING (SELECT 1 AS a) n ON t.a = n.a WHEN NOT MATCHED THEN INSERT *", "ANALYZE TABLE t COMPUTE STATISTICS", "VACUUM t DRY RUN",
		"MERGE INTO t USING (SELECT 1 AS a) n ON t.a = n.a WHEN MATCHED AND n.a > 5 THEN DELETE"} {
		s.rows(sql)
		if got := s.version(); got != 1 {
			t.Fatalf("%s made version %d", sql, got)
		}
	}
}

func TestPartitionedFilesAreCountedPerPartition(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (p STRING, a INT) PARTITIONED BY (p)")
	s.rows("INSERT INTO t VALUES ('x', 1), ('y', 2), (NULL, 3), ('x', 4)")
	files := func() string {
		return s.text("DESCRIBE DETAIL t")
	}
	numFiles := func() string {
		r, err := s.open(t.Context(), "DESCRIBE DETAIL t")
		if err != nil {
			t.Fatal(err)
		}
		r.Next()
		return *r.Row()[9]
	}
	if got := numFiles(); got != "3" {
		t.Fatalf("%s files after the insert, want 3: %s", got, files())
	}
	s.rows("INSERT INTO t VALUES ('x', 5)")
	s.rows("DELETE FROM t WHERE p = 'y'")
	if got := numFiles(); got != "3" {
		t.Errorf("%s files, want 3", got)
	}
	s.rows("OPTIMIZE t WHERE p = 'x'")
	if got := numFiles(); got != "2" {
		t.Errorf("%s files after OPTIMIZE, want 2", got)
	}
	s.rows("UPDATE t SET p = 'z' WHERE a = 1")
	if got := numFiles(); got != "3" {
		t.Errorf("%s files after moving a row to a new partition, want 3", got)
	}
	if got, want := s.text("SELECT p, count(*) FROM t GROUP BY p ORDER BY p NULLS FIRST"), "NULL 1; x 2; z 1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMergeForms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ merge, answer, rows string }{
		"all clauses": {`MERGE INTO t USING n ON t.k = n.k WHEN MATCHED AND n.v = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = n.v
			WHEN NOT MATCHED AND n.v > 5 THEN INSERT (k, v) VALUES (n.k, n.v * 10) WHEN NOT MATCHED THEN INSERT *
			WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -1`, "5 2 1 2", "2 22; 3 -1; 5 5; 6 60"},
		"update star":     {"MERGE INTO t USING n ON t.k = n.k WHEN MATCHED THEN UPDATE SET *", "2 2 0 0", "1 0; 2 22; 3 30"},
		"insert only":     {"MERGE INTO t USING n ON t.k = n.k WHEN NOT MATCHED THEN INSERT (k) VALUES (n.k)", "2 0 0 2", "1 10; 2 20; 3 30; 5 NULL; 6 NULL"},
		"delete":          {"MERGE INTO t USING n ON t.k = n.k WHEN MATCHED THEN DELETE", "2 0 2 0", "3 30"},
		"by source":       {"MERGE INTO t USING n ON t.k = n.k WHEN NOT MATCHED BY SOURCE AND t.v > 5 THEN DELETE", "1 0 1 0", "1 10; 2 20"},
		"on false":        {"MERGE INTO t USING n ON false WHEN NOT MATCHED THEN INSERT *", "4 0 0 4", "1 0; 1 10; 2 20; 2 22; 3 30; 5 5; 6 6"},
		"delete it twice": {"MERGE INTO t USING (SELECT 1 AS k UNION ALL SELECT 1) n ON t.k = n.k WHEN MATCHED THEN DELETE", "1 0 1 0", "2 20; 3 30"},
		"subquery source": {"MERGE INTO t AS x USING (SELECT k, max(v) AS v FROM n GROUP BY k) AS y ON x.k = y.k WHEN MATCHED AND y.v > x.v THEN UPDATE SET x.v = y.v", "1 1 0 0", "1 10; 2 22; 3 30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, "")
			s.rows("CREATE TABLE t (k INT, v INT)")
			s.rows("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
			s.rows("CREATE TABLE n (k INT, v INT)")
			s.rows("INSERT INTO n VALUES (1, 0), (2, 22), (5, 5), (6, 6)")
			if got := s.text(c.merge); got != c.answer {
				t.Errorf("answer %q, want %q", got, c.answer)
			}
			if got := s.text("SELECT k, v FROM t ORDER BY k, v"); got != c.rows {
				t.Errorf("rows %q, want %q", got, c.rows)
			}
		})
	}
}

// The loader of the incident: rows above the position, settled by 30 minutes, then the position.
func TestIncidentLoader(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	seed, err := os.ReadFile("../seed.sql")
	if err != nil {
		t.Fatal(err)
	}
	loader, err := os.ReadFile("../load_messages.sql")
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) {
		t.Helper()
		for _, sql := range strings.Split(strings.TrimSpace(script), ";\n") {
			s.rows(strings.TrimSuffix(sql, ";"))
		}
	}
	run(string(seed))
	s.rows(`INSERT INTO main.events.stream_messages VALUES (0, 1, TIMESTAMP'2026-03-01 00:00:00', 'a'), (0, 2, TIMESTAMP'2026-03-01 00:10:00', 'b'),
		(1, 7, TIMESTAMP'2026-03-01 00:29:59', 'c'), (1, 8, TIMESTAMP'2026-03-01 00:30:00', 'd'), (0, 3, TIMESTAMP'2026-03-01 01:00:00', 'e')`)
	run(string(loader))
	run(string(loader))
	if got, want := s.text("SELECT technical_partition, technical_sequenceNumber FROM main.events.messages ORDER BY 1, 2"), "0 1; 0 2; 1 7"; got != want {
		t.Errorf("loaded %q, want %q", got, want)
	}
	if got, want := s.text("SELECT * FROM main.events.last_seq_nums_per_partition ORDER BY 1"), "0 2; 1 7"; got != want {
		t.Errorf("position %q, want %q", got, want)
	}
}

func TestHistoryNamesUserAndJob(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT)")
	r, err := s.e.Run(t.Context(), engine.Statement{Text: "INSERT INTO t VALUES (1)", Now: start.Add(hour), User: "anna@example.com",
		Job: &engine.Job{ID: 11, RunID: 22, TaskRunID: 33, Name: `the "loader"`}})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	row := s.rows("DESCRIBE HISTORY t LIMIT 1")[0]
	for _, part := range []string{"1 2026-03-02 07:00:00 NULL anna@example.com WRITE ", `{"jobId": "11", "jobName": "the \"loader\"", "jobRunId": "22", "runId": "33", "jobOwnerId": null, "triggerType": null}`, `"numOutputRows": "1"`} {
		if !strings.Contains(row, part) {
			t.Errorf("no %s in %s", part, row)
		}
	}
}

func TestReplacedTableKeepsItsHistory(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT, b STRING)")
	s.rows("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
	s.rows("DELETE FROM t WHERE a = 1")
	s.rows("CREATE OR REPLACE TABLE t AS SELECT 7L AS c, a FROM t")
	s.rows("INSERT INTO t VALUES (8, 8)")
	for sql, want := range map[string]string{
		"SELECT * FROM t ORDER BY c":                 "7 2; 8 8",
		"SELECT * FROM t VERSION AS OF 1 ORDER BY a": "1 x; 2 y",
		"SELECT * FROM t VERSION AS OF 2":            "2 y",
		"SELECT * FROM t VERSION AS OF 3":            "7 2",
	} {
		if got := s.text(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	s.rows("RESTORE TABLE t TO VERSION AS OF 1")
	s.rows("INSERT INTO t VALUES (3, 'z')")
	if got, want := s.text("SELECT a, b FROM t ORDER BY a"), "1 x; 2 y; 3 z"; got != want {
		t.Errorf("restored %q, want %q", got, want)
	}
	if got, want := s.text("SELECT * FROM t VERSION AS OF 4 ORDER BY c"), "7 2; 8 8"; got != want {
		t.Errorf("version 4 %q, want %q", got, want)
	}
}

func TestAutoTTL(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT, u TIMESTAMP) DELETE ROWS 3 DAYS AFTER u")
	table, err := s.e.Table(t.Context(), engine.Name{Catalog: "MAIN", Schema: "Default", Table: "T"})
	if err != nil {
		t.Fatal(err)
	}
	if table.Properties["autottl.expireInDays"] != "3" || table.Properties["autottl.timestampColumn"] != "u" {
		t.Errorf("properties %v", table.Properties)
	}
	s.rows("ALTER TABLE t DELETE ROWS 30 DAYS AFTER u")
	if got, want := s.text("SHOW TBLPROPERTIES t ('autottl.expireInDays')"), "autottl.expireInDays 30"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := s.refused("ALTER TABLE t DELETE ROWS 1 DAYS AFTER a"); got != "INVALID_AUTO_TTL_COLUMN" {
		t.Error(got)
	}
	s.rows("ALTER TABLE t DROP ROW DELETION")
	if got := s.text("SHOW TBLPROPERTIES t"); strings.Contains(got, "autottl") {
		t.Errorf("still there: %s", got)
	}
}

func TestSchemaChanges(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT, b STRING)")
	s.rows("INSERT INTO t VALUES (1, 'x')")
	if got := s.refused("ALTER TABLE t RENAME COLUMN b TO c"); got != "DELTA_UNSUPPORTED_RENAME_COLUMN" {
		t.Error(got)
	}
	if got := s.refused("ALTER TABLE t DROP COLUMN b"); got != "DELTA_UNSUPPORTED_DROP_COLUMN" {
		t.Error(got)
	}
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
	s.rows("ALTER TABLE t ADD COLUMNS (d DATE COMMENT 'when')")
	s.rows("INSERT INTO t VALUES (2, 'y', DATE'2026-01-01')")
	s.rows("ALTER TABLE t RENAME COLUMN b TO c")
	s.rows("ALTER TABLE t DROP COLUMN a")
	s.rows("ALTER TABLE t ADD COLUMN a BIGINT")
	s.rows("UPDATE t SET a = 5 WHERE c = 'y'")
	for sql, want := range map[string]string{
		"SELECT * FROM t ORDER BY c":                 "x NULL NULL; y 2026-01-01 5",
		"SELECT * FROM t VERSION AS OF 1":            "1 x",
		"SELECT * FROM t VERSION AS OF 4 ORDER BY a": "1 x NULL; 2 y 2026-01-01",
		"DESCRIBE TABLE t":                           "c string NULL; d date when; a bigint NULL",
	} {
		if got := s.text(sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	s.rows("ALTER TABLE t RENAME TO main.default.t2")
	if got := s.refused("SELECT * FROM t"); got != "TABLE_OR_VIEW_NOT_FOUND" {
		t.Error(got)
	}
	if got := s.text("SELECT count(*) FROM t2"); got != "2" {
		t.Error(got)
	}
}

// An old log is forgotten when a commit writes a checkpoint; the earliest version rises and can still be read.
func TestLogRetention(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.logRetentionDuration' = '48 hours', 'delta.deletedFileRetentionDuration' = '48 hours')")
	for i := range 24 {
		s.rows(fmt.Sprintf("INSERT INTO t VALUES (%d)", i))
	}
	if got := len(s.rows("DESCRIBE HISTORY t")); got != 25 {
		t.Fatalf("%d commits, want 25", got)
	}
	s.now = s.now.Add(4 * 24 * hour)
	for i := range 6 {
		s.rows(fmt.Sprintf("INSERT INTO t VALUES (%d)", 100+i))
	}
	// Version 30 is a checkpoint; the last one older than two days is version 20.
	history := s.rows("DESCRIBE HISTORY t")
	if last := history[len(history)-1]; len(history) != 11 || !strings.HasPrefix(last, "20 ") {
		t.Errorf("%d commits, the earliest is %s", len(history), last)
	}
	_, err := s.try("SELECT * FROM t VERSION AS OF 19")
	if err == nil || !strings.Contains(err.Error(), "[20, 30]") {
		t.Errorf("want the range [20, 30], got %v", err)
	}
	if got := s.text("SELECT count(*) FROM t VERSION AS OF 25"); got != "25" {
		t.Errorf("version 25 has %s rows, want 25", got)
	}
}

func TestCreateAndDropSchemas(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE SCHEMA main.events")
	s.rows("CREATE SCHEMA IF NOT EXISTS main.events")
	s.rows("CREATE TABLE main.events.t (a INT)")
	for sql, class := range map[string]string{
		"CREATE SCHEMA main.events":            "SCHEMA_ALREADY_EXISTS",
		"CREATE SCHEMA nosuch.events":          "CATALOG_NOT_FOUND",
		"CREATE TABLE nosuch.x.t (a INT)":      "CATALOG_NOT_FOUND",
		"DROP SCHEMA main.events":              "SCHEMA_NOT_EMPTY",
		"DROP SCHEMA main.nosuch":              "SCHEMA_NOT_FOUND",
		"SHOW TABLES IN main.nosuch":           "SCHEMA_NOT_FOUND",
		"CREATE TABLE main.events.T (a INT)":   "TABLE_OR_VIEW_ALREADY_EXISTS",
		"USE main.nosuch":                      "SCHEMA_NOT_FOUND",
		"USE CATALOG nosuch":                   "CATALOG_NOT_FOUND",
		"SET spark.sql.shuffle.partitions = 2": "CONFIG_NOT_AVAILABLE",
		"SET ansi_mode = false":                "UNSUPPORTED_BY_EMBEDDED_ENGINE",
		"CREATE TEMPORARY VIEW v AS SELECT 1":  "UNSUPPORTED_BY_EMBEDDED_ENGINE",
		"DROP VIEW main.events.t":              "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE",
	} {
		if got := s.refused(sql); got != class {
			t.Errorf("%s: %s, want %s", sql, got, class)
		}
	}
	s.rows("DROP SCHEMA main.events CASCADE")
	s.rows("CREATE SCHEMA main.events")
	if diff := cmp.Diff([]string(nil), s.rows("SHOW TABLES IN main.events")); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultsAndGeneratedColumns(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	if got := s.refused("CREATE TABLE t (a INT DEFAULT 5)"); got != "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED" {
		t.Error(got)
	}
	s.rows("CREATE TABLE t (k INT, a INT DEFAULT 5, g BIGINT GENERATED ALWAYS AS (k * 2)) TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')")
	s.rows("INSERT INTO t (k) VALUES (1)")
	s.rows("INSERT INTO t (k, g) VALUES (2, 4)")
	s.rows("MERGE INTO t USING (SELECT 1 AS k UNION ALL SELECT 9) n ON t.k = n.k WHEN MATCHED THEN UPDATE SET k = 3 WHEN NOT MATCHED THEN INSERT (k, a) VALUES (n.k, 0)")
	if got := s.refused("INSERT INTO t (k, g) VALUES (3, 7)"); got != "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES" {
		t.Error(got)
	}
	s.rows("UPDATE t SET k = k + 1 WHERE k = 2")
	if got, want := s.text("SELECT * FROM t ORDER BY k, a"), "3 5 6; 3 5 6; 9 0 18"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A deletion vector leaves the file where it is, so VACUUM does not end the version before.
func TestDeletionVectorKeepsItsFile(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.deletedFileRetentionDuration' = '0 hours')")
	s.rows("INSERT INTO t VALUES (1), (2)")
	s.rows("DELETE FROM t WHERE a = 1")
	s.rows("VACUUM t")
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '7 days')")
	if got := s.text("SELECT a FROM t VERSION AS OF 1 ORDER BY a"); got != "1; 2" {
		t.Errorf("version 1 reads %q", got)
	}
	s.rows("REORG TABLE t APPLY (PURGE)")
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '0 hours')")
	s.rows("VACUUM t")
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '7 days')")
	if got := s.refused("SELECT a FROM t VERSION AS OF 1"); got != "FAILED_READ_FILE.FILE_NOT_EXIST" {
		t.Error(got)
	}
	if got := s.text("SELECT a FROM t"); got != "2" {
		t.Errorf("the table reads %q", got)
	}
}

// A RESTORE brings a removed file back into use: the versions that read it stay readable through a VACUUM.
func TestRestoredFileSurvivesVacuum(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT)")
	s.rows("INSERT INTO t VALUES (1)")           // 1
	s.rows("DELETE FROM t")                      // 2
	s.rows("INSERT INTO t VALUES (2)")           // 3
	s.rows("RESTORE TABLE t TO VERSION AS OF 1") // 4
	s.now = s.now.Add(8 * 24 * hour)
	s.rows("DELETE FROM t") // 5
	s.rows("VACUUM t")      // deletes the file of 3, not that of 1, which went only now
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '30 days')")
	if got := s.text("SELECT a FROM t VERSION AS OF 1"); got != "1" {
		t.Errorf("version 1 reads %q", got)
	}
	if got := s.refused("SELECT a FROM t VERSION AS OF 3"); got != "FAILED_READ_FILE.FILE_NOT_EXIST" {
		t.Error(got)
	}
}

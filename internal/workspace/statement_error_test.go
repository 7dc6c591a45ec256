package workspace

import "testing"

// The forms in which Databricks puts the class into the message: facts of Spark's SparkThrowable and of older runtimes.
func TestSplitClass(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		"[TABLE_OR_VIEW_NOT_FOUND] The table `a` cannot be found. SQLSTATE: 42P01; line 1 pos 14":               {"TABLE_OR_VIEW_NOT_FOUND", "[TABLE_OR_VIEW_NOT_FOUND] The table `a` cannot be found. SQLSTATE: 42P01; line 1 pos 14"},
		"org.apache.spark.sql.AnalysisException: [PARSE_SYNTAX_ERROR] Syntax error":                             {"PARSE_SYNTAX_ERROR", "[PARSE_SYNTAX_ERROR] Syntax error"},
		"com.databricks.sql.transaction.tahoe.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND.WITH_HINT] x": {"DELTA_CONCURRENT_APPEND.WITH_HINT", "[DELTA_CONCURRENT_APPEND.WITH_HINT] x"},
		"Inline byte limit exceeded.":         {"", "Inline byte limit exceeded."},
		"something about [A_CLASS] in a text": {"", "something about [A_CLASS] in a text"},
		"[not a class] x":                     {"", "[not a class] x"},
		"":                                    {"", ""},
	} {
		if class, rest := splitClass(message); class != want[0] || rest != want[1] {
			t.Errorf("%q: %q, %q", message, class, rest)
		}
	}
}

func TestOnlyReads(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT 1": true, " \n select 1": true, "DESCRIBE HISTORY t": true, "SHOW TBLPROPERTIES t": true, "WITH a AS (SELECT 1) SELECT 1": true, "(SELECT 1)": true,
		"INSERT INTO t VALUES (1)": false, "OPTIMIZE t": false, "WITH a AS (SELECT 1) INSERT INTO t SELECT 1": false, "": false, "-- SELECT\nDELETE FROM t": false,
		"/* SELECT */ VACUUM t": false, "MERGE INTO t USING s ON 1": false, "CALL p()": false, "SELECTED": false,
	} {
		if got := onlyReads(sql); got != want {
			t.Errorf("%q: %v", sql, got)
		}
	}
}

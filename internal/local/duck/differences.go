package duck

import (
	"fmt"
	"strings"
)

// Difference is a recorded answer of Spark with Delta that this engine does not give, and why.
type Difference struct {
	// ID is the vector's.
	ID string
	// Statement is the kind of statement, for people.
	Statement string
	// Instead says what the engine does; Why is the reason.
	Instead, Why string
}

// Differences lists every recorded answer that the embedded engine does not give. The conformance test holds it exact.
func Differences() []Difference {
	const databricks = "Databricks accepts it; open-source Spark with Delta does not."
	return []Difference{
		{"analyze", "ANALYZE TABLE … COMPUTE STATISTICS", "succeeds and answers with nothing", databricks},
		{"analyze.columns", "ANALYZE TABLE … COMPUTE STATISTICS FOR ALL COLUMNS", "succeeds and answers with nothing", databricks},
		{"ttl.alter", "ALTER TABLE … DELETE ROWS n DAYS AFTER c", "sets autottl.expireInDays and autottl.timestampColumn", databricks},
		{"ttl.drop", "ALTER TABLE … DROP ROW DELETION", "removes autottl.expireInDays and autottl.timestampColumn", databricks},
		{"dbx.tags", "ALTER TABLE … SET TAGS", "keeps the tags", databricks},
		{"dbx.showCreate", "SHOW CREATE TABLE", "prints the statement", databricks},
		{"dbx.systemTables", "a name in three parts in a catalog that is not there", "TABLE_OR_VIEW_NOT_FOUND", "Databricks has names in three parts; open-source Spark refuses every catalog but spark_catalog."},
		{"names.threePart.unknownCatalog", "a name in three parts in the catalog main", "reads main.schema.table, or TABLE_OR_VIEW_NOT_FOUND", "Databricks has names in three parts; open-source Spark refuses every catalog but spark_catalog."},
		{"history.overwrite", "the number of files an INSERT without a COALESCE hint writes", "one file per partition value and statement", "Spark writes as many files as it has tasks, which depends on its cores and its input; the engine's files are a model."},
	}
}

const pageHead = `# The embedded engine

The local workspace runs Databricks SQL on DuckDB with Delta's behaviour on top: versions, history, time travel, retention,
OPTIMIZE, VACUUM, table properties, the change feed. What it cannot do it refuses with
` + "`UNSUPPORTED_BY_EMBEDDED_ENGINE`" + ` and the name of the thing; it never guesses.

Its truth is a set of statements recorded from Apache Spark 4.2.0 with Delta Lake 4.4.0. All of them give the recorded answer
but these:

| statement | recorded as | what the engine does | why |
|---|---|---|---|
`

const pageTail = `
Worth knowing:

- Catalogs ` + "`main` and `spark_catalog`" + ` are there from the start, each with the schema ` + "`default`" + `.
- Data files are a model: one file per partition value and statement. Their numbers and sizes in a history or in DESCRIBE DETAIL
  say what OPTIMIZE and VACUUM would do, not what a cluster would write. Rows are DuckDB's.
- ` + "`VACUUM … RETAIN n`" + ` is ignored unless n is 0, as in Delta 4.1 and later.
- An old log is forgotten when a commit writes a checkpoint (every tenth, or delta.checkpointInterval).
- A statement has no session: temporary views are refused, USE and SET TIME ZONE answer with nothing and the caller keeps them.
- MERGE finds two source rows for one target row only among pairs that a WHEN MATCHED clause takes.
`

// Page is the documentation of the differences, in Markdown.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, d := range Differences() {
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", d.Statement, d.ID, d.Instead, d.Why)
	}
	b.WriteString(pageTail)
	return b.String()
}

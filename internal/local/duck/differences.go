package duck

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

// Package maintenance builds what keeps a table in shape: the OPTIMIZE, VACUUM and ANALYZE statements, the SQL file that
// holds them, and the settings of the job that runs the file in its window.
//
// Vocabulary: a plan is what is to be done to one table; a job is a plan with a name, a window and a warehouse; the
// window begins when the job's schedule fires and lasts a declared time, after which Databricks ends the run.
//
// It sends nothing. Whether the loader can bear the window is for coverage.
package maintenance

// Plan is what is to be done to one table.
type Plan struct {
	// Table is a complete table name.
	Table    string
	Optimize Optimize
	// Vacuum is nil for none.
	Vacuum *Vacuum
	// Analyze computes statistics at the end.
	Analyze bool
}

// Optimize is one OPTIMIZE statement.
type Optimize struct {
	// Where limits it by a predicate on partition columns, taken as it is. Empty: the whole table.
	Where string
	// ZOrderBy names columns; not for tables with clustering.
	ZOrderBy []string
	// Full rewrites all files of a table with liquid clustering.
	Full bool
}

// Vacuum is one VACUUM statement.
type Vacuum struct {
	// RetainHours is nil for the table's own retention. Newer Delta ignores it: what holds is the property.
	RetainHours *int
	// Lite finds the files in the log, Full by listing them all; neither: as Delta decides.
	Lite, Full bool
}

// Package duck is the embedded SQL engine of a local workspace: DuckDB with Delta's behaviour on top. A table has
// versions, a history, properties with Delta's rules, files that OPTIMIZE compacts and VACUUM removes.
//
// Vocabulary: a statement is one Databricks SQL statement and one DuckDB transaction; a commit is a version of a table;
// a file is a model of a Delta data file (DuckDB keeps the rows), enough to say what a commit added and removed, what
// OPTIMIZE compacts and which versions a VACUUM has made unreadable; a lineage is what stays when a file is rewritten.
//
// Storage: per table one DuckDB table of the live rows (d<n>) and one of the removed rows (x<n>). A row knows the version
// that added it and, once removed, the version that removed it. A read of the latest version scans the live rows without a
// filter. The catalog, commits and files are documents in three more DuckDB tables, kept in memory too while open.
//
// The package does not know REST, runs or feeds, and no clock: Statement.Now is the only one.
package duck

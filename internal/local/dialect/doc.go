// Package dialect reads Databricks SQL: text in, a parsed command or DuckDB SQL out. It is pure: no database, no
// clock, no I/O.
//
// Vocabulary: a statement is one parsed command or query; a source is a table a query reads, at a version; a
// relation is the DuckDB SQL that stands for it, with Spark's column types; a target is the table a command writes.
//
// A query is parsed whole and typed as Spark types it, then printed as DuckDB SQL. What the package does not know
// is refused by its name (UNSUPPORTED_BY_EMBEDDED_ENGINE); nothing is passed through on a guess.
//
// Representation in DuckDB: string VARCHAR, binary BLOB, timestamp and timestamp_ntz both TIMESTAMP, where a
// timestamp holds UTC; array T[], map MAP(K, V), struct STRUCT(…). No SQL printed here depends on the connection's
// time zone. The macros of Macros must exist on the connection.
package dialect

package dialect

import (
	"context"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Session surrounds a statement. Empty Catalog, Schema and Zone are main, default and UTC.
type Session struct {
	Catalog, Schema, Zone, User string
	// Now is the statement's virtual clock.
	Now        time.Time
	Parameters []engine.Parameter
}

// Source is a table a query reads.
type Source struct {
	Name Name
	// Version is the number of VERSION AS OF; TimestampSQL is a DuckDB expression for TIMESTAMP AS OF, a TIMESTAMP in
	// UTC or NULL, to be evaluated once. Neither: the current version.
	Version      *int64
	TimestampSQL string
	Alias        string
	// CountOnly says that the query is `SELECT count(*) FROM source` and nothing more: Delta answers it from
	// statistics, reading no file.
	CountOnly bool
}

// Changes is a call of table_changes. End nil reads to the latest version. TimestampSQL forms are as in Source.
type Changes struct {
	Name                               Name
	Start, End                         *int64
	StartTimestampSQL, EndTimestampSQL string
}

// Relation is DuckDB SQL that can stand after FROM, without alias: a table name or a parenthesised query. Its columns
// carry the names used in the SQL and Spark's types.
type Relation struct {
	SQL     string
	Columns []engine.Column
}

// Resolver finds the tables and views that a query names. Its errors end the rewriting as they are.
type Resolver interface {
	Relation(ctx context.Context, s Source) (Relation, error)
	Changes(ctx context.Context, c Changes) (Relation, error)
}

// Compiled is a query in DuckDB SQL. Columns are the result's, named and typed as Spark does; the SQL returns them
// in this order, already in the DuckDB type of the package comment, under names made unique.
type Compiled struct {
	SQL     string
	Columns []engine.Column
}

// TargetColumn is a column of a table that is written. Default and Generated are Spark SQL text or "".
type TargetColumn struct {
	engine.Column
	Default, Generated string
}

// Target is the table that a command writes. Alias is the SQL alias that printed expressions use for its current
// row ("" is t); in a MERGE the source row is s. As is the alias that the statement itself gives the table, as in
// DELETE FROM x AS a: Predicate needs it, Update and Merge know their own.
type Target struct {
	Name    engine.Name
	Alias   string
	As      string
	Columns []TargetColumn
}

// UpdateSQL is an UPDATE in pieces: Where over the target's row ("" is all), Values one per target column.
type UpdateSQL struct {
	Where  string
	Values []string
}

// MergeSQL is a MERGE in pieces. Source is a parenthesised query or table to be aliased s; On is over t and s.
type MergeSQL struct {
	Source  Relation
	On      string
	Clauses []MergeClauseSQL
}

// MergeClauseSQL is one WHEN: Condition over t and s ("" is none), Values one per target column, none for a delete.
type MergeClauseSQL struct {
	Kind      MergeKind
	Action    MergeAction
	Condition string
	Values    []string
}

// Rewriter prints parsed statements as DuckDB SQL in one session. It is for one statement and not safe for concurrent use.
//
//	Query(ctx, *Query) (Compiled, error)
//	Predicate(ctx, Target, Expr) (string, error)         // WHERE of DELETE, OPTIMIZE, REPLACE WHERE
//	Insert(ctx, *Insert, Target) (Compiled, error)       // a query that yields exactly the target's columns, in order, cast
//	Update(ctx, *Update, Target) (UpdateSQL, error)
//	Merge(ctx, *Merge, Target) (MergeSQL, error)
//	Generated(ctx, Target) ([]string, error)             // per column: DuckDB SQL of its generation expression over t, or ""
//	Timestamp(ctx, Expr) (string, error)                 // RESTORE … TO TIMESTAMP AS OF
type Rewriter struct {
	session  Session
	zone     *time.Location
	resolver Resolver
	aliases  int
}

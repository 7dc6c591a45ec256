// Package engine is what a local workspace asks of the SQL engine that holds its tables: Databricks SQL in,
// rows as SQL text out, Delta's behaviour and Delta's error classes. It knows no engine.
//
// Vocabulary: a statement is one Databricks SQL statement; now is the workspace's virtual clock at its start, the
// only clock an engine may use; a commit is a version of a table.
package engine

import (
	"context"
	"errors"
	"time"
)

// Engine runs statements. It is safe for concurrent use; statements that commit to one table are serialised.
type Engine interface {
	// Run executes one statement. The result streams and must be closed. A statement that fails is an *Error
	// and has committed nothing. Ending ctx cancels the statement.
	Run(ctx context.Context, s Statement) (Result, error)
	// Table describes a table or view without reading its rows. A missing one is ErrNotFound.
	Table(ctx context.Context, name Name) (Table, error)
	// Tables lists the tables and views of a schema by name.
	Tables(ctx context.Context, catalog, schema string) ([]Table, error)
	// Schemas lists the schemas of a catalog by name.
	Schemas(ctx context.Context, catalog string) ([]string, error)
	// Kind names the engine for messages: "duckdb", "spark".
	Kind() string
	// Close releases the engine and flushes its files.
	Close() error
}

// ErrNotFound is returned for a table, schema or catalog that is not there.
var ErrNotFound = errors.New("not found")

// Statement is one SQL statement and what surrounds it.
type Statement struct {
	Text       string
	Parameters []Parameter
	// Catalog and Schema complete names of fewer than three parts. Empty: main, default.
	Catalog, Schema string
	// Zone is the session time zone. Empty: UTC.
	Zone string
	// Now is the virtual clock. Commits carry it, moved forward to stay above the table's last commit.
	Now time.Time
	// User runs the statement; Job is the job run it belongs to, if any. Both appear in DESCRIBE HISTORY.
	User string
	Job  *Job
}

// Parameter binds the marker :Name. A nil Value is NULL; an empty Type is STRING.
type Parameter struct {
	Name, Type string
	Value      *string
}

// Job is the job run that commits, as DESCRIBE HISTORY names it.
type Job struct {
	ID, RunID, TaskRunID int64
	Name                 string
}

// Result streams the rows of a statement.
type Result interface {
	// Columns names the columns and their Databricks types. Empty for a statement that answers with no rows.
	Columns() []Column
	// Next moves to the next row; false at the end or on an error.
	Next() bool
	// Row is the current row as SQL text, nil for NULL, valid until the next call of Next.
	Row() []*string
	// Err is the error that ended the rows early, or nil.
	Err() error
	Close() error
}

// Column is a result or table column. Type is Spark's spelling in lower case: bigint, decimal(20,0), array<int>.
type Column struct {
	Name, Type string
	Nullable   bool
}

// Name is a complete table name.
type Name struct{ Catalog, Schema, Table string }

// String joins the three parts with dots, unquoted.
func (n Name) String() string { return n.Catalog + "." + n.Schema + "." + n.Table }

// Table describes a table or view as Unity Catalog does.
type Table struct {
	Name Name
	// ID changes when the table is dropped and created again.
	ID string
	// Type is MANAGED, EXTERNAL or VIEW; Format is DELTA for tables.
	Type, Format      string
	Columns           []Column
	PartitionColumns  []string
	ClusteringColumns []string
	// ClusterAuto leaves the choice of clustering columns to the platform.
	ClusterAuto      bool
	Properties       map[string]string
	Comment          string
	Version          int64
	Created, Updated time.Time
	// Altered is when more than rows changed last, and AlteredBy who did it; zero where the engine does not know.
	Altered              time.Time
	AlteredBy, CreatedBy string
	Owner                string
	ViewDefinition       string
}

// Error is a failed statement as Spark and Delta report it.
type Error struct {
	// Class is the error class with its subclass, as DELTA_VERSION_NOT_FOUND; SQLState its five characters.
	Class, SQLState, Message string
}

// Error gives the text that a Databricks client sees: the class in brackets, then the message.
func (e *Error) Error() string {
	s := "[" + e.Class + "] " + e.Message
	if e.SQLState != "" {
		s += " SQLSTATE: " + e.SQLState
	}
	return s
}

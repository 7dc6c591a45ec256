package dialect

import "github.com/watertight-data/terraform-provider-watertight/internal/local/engine"

// Statement is one parsed Databricks SQL statement: a command of this file, or *Query.
type Statement interface{ statement() }

// Name is a table, view or schema name as written, its parts unquoted.
type Name struct {
	Parts []string
	Pos   Pos
}

// Expr is a parsed expression. Only a Rewriter looks inside; Text gives it as it was written.
type Expr interface {
	expr()
	span() Span
}

// Property is one pair of TBLPROPERTIES or TAGS, in the order written.
type Property struct{ Key, Value string }

// ColumnDef is a column of CREATE TABLE or ADD COLUMNS.
type ColumnDef struct {
	Name string
	// Type is Spark's spelling in lower case: bigint, decimal(20,0).
	Type    string
	NotNull bool
	// Default and Generated are Spark SQL text, "" when absent.
	Default, Generated string
	// Identity marks GENERATED … AS IDENTITY.
	Identity bool
	Comment  *string
}

// RowDeletion is DELETE ROWS Days DAYS AFTER Column (Auto-TTL).
type RowDeletion struct {
	Days   int64
	Column string
}

// CreateTable is CREATE [OR REPLACE] TABLE, with columns or AS query.
type CreateTable struct {
	Name                   Name
	OrReplace, IfNotExists bool
	// Replace is REPLACE TABLE without CREATE: the table must exist.
	Replace     bool
	Columns     []ColumnDef
	Provider    string
	PartitionBy []string
	ClusterBy   []string
	ClusterAuto bool
	Properties  []Property
	Comment     *string
	Location    *string
	RowDeletion *RowDeletion
	As          *Query
}

// CreateView is CREATE [OR REPLACE] VIEW. Text is the query as written.
type CreateView struct {
	Name                              Name
	OrReplace, IfNotExists, Temporary bool
	Columns                           []ColumnDef
	Comment                           *string
	Properties                        []Property
	Query                             *Query
	Text                              string
}

// CreateSchema is CREATE SCHEMA or CREATE DATABASE.
type CreateSchema struct {
	Name        Name
	IfNotExists bool
	Comment     *string
}

// CreateCatalog is CREATE CATALOG.
type CreateCatalog struct {
	Name        string
	IfNotExists bool
}

// DropTable is DROP TABLE.
type DropTable struct {
	Name     Name
	IfExists bool
}

// DropView is DROP VIEW.
type DropView struct {
	Name     Name
	IfExists bool
}

// DropSchema is DROP SCHEMA or DROP DATABASE.
type DropSchema struct {
	Name              Name
	IfExists, Cascade bool
}

// DescribeHistory is DESCRIBE HISTORY t [LIMIT n].
type DescribeHistory struct {
	Name  Name
	Limit *int64
}

// DescribeDetail is DESCRIBE DETAIL t.
type DescribeDetail struct{ Name Name }

// DescribeTable is DESCRIBE [TABLE] [EXTENDED] t.
type DescribeTable struct {
	Name     Name
	Extended bool
}

// DescribeSchema is DESCRIBE SCHEMA [EXTENDED] s.
type DescribeSchema struct {
	Name     Name
	Extended bool
}

// ShowProperties is SHOW TBLPROPERTIES t [('key')].
type ShowProperties struct {
	Name Name
	Key  *string
}

// ShowTables is SHOW TABLES [IN schema] [LIKE 'pattern'], or SHOW VIEWS.
type ShowTables struct {
	In    Name
	Like  *string
	Views bool
}

// ShowSchemas is SHOW SCHEMAS [IN catalog] [LIKE 'pattern'].
type ShowSchemas struct {
	In   Name
	Like *string
}

// ShowCatalogs is SHOW CATALOGS.
type ShowCatalogs struct{ Like *string }

// ShowColumns is SHOW COLUMNS IN t.
type ShowColumns struct{ Name Name }

// ShowCreateTable is SHOW CREATE TABLE t.
type ShowCreateTable struct{ Name Name }

// Optimize is OPTIMIZE t [FULL] [WHERE p] [ZORDER BY (…)].
type Optimize struct {
	Name     Name
	Full     bool
	Where    Expr
	ZOrderBy []string
}

// Vacuum is VACUUM t. Mode is "", "FULL" or "LITE".
type Vacuum struct {
	Name        Name
	Mode        string
	RetainHours *float64
	DryRun      bool
}

// Analyze is ANALYZE TABLE t COMPUTE [DELTA] STATISTICS.
type Analyze struct {
	Name                      Name
	Delta, NoScan, AllColumns bool
	Columns                   []string
}

// Restore is RESTORE [TABLE] t TO VERSION|TIMESTAMP AS OF.
type Restore struct {
	Name    Name
	Version AsOf
}

// Truncate is TRUNCATE TABLE t.
type Truncate struct{ Name Name }

// Reorg is REORG TABLE t [WHERE p] APPLY (PURGE).
type Reorg struct {
	Name  Name
	Where Expr
}

// Insert is INSERT INTO or OVERWRITE. ReplaceWhere is the predicate of REPLACE WHERE.
type Insert struct {
	Table        Name
	Overwrite    bool
	Columns      []string
	ByName       bool
	ReplaceWhere Expr
	Query        *Query
}

// Assignment is one `column = value` of UPDATE or MERGE.
type Assignment struct {
	Column *ColumnRef
	Value  Expr
}

// Update is UPDATE t SET … [WHERE p].
type Update struct {
	Table Name
	Alias string
	Set   []Assignment
	Where Expr
}

// Delete is DELETE FROM t [WHERE p].
type Delete struct {
	Table Name
	Alias string
	Where Expr
}

// Merge is MERGE INTO target USING source ON condition WHEN ….
type Merge struct {
	Target  Name
	Alias   string
	Source  FromItem
	On      Expr
	Clauses []MergeClause
	// SchemaEvolution is MERGE WITH SCHEMA EVOLUTION.
	SchemaEvolution bool
}

// MergeKind is which rows a MERGE clause takes.
type MergeKind int

// The kinds of MERGE clauses.
const (
	Matched MergeKind = iota
	NotMatched
	NotMatchedBySource
)

// MergeAction is what a MERGE clause does to its rows.
type MergeAction int

// The actions of MERGE clauses.
const (
	MergeUpdate MergeAction = iota
	MergeDelete
	MergeInsert
)

// MergeClause is one WHEN. Star is UPDATE SET * or INSERT *; else Set, or Columns with Values for an insert.
type MergeClause struct {
	Kind      MergeKind
	Action    MergeAction
	Condition Expr
	Star      bool
	Set       []Assignment
	Columns   []string
	Values    []Expr
}

// Use is USE [SCHEMA|DATABASE] a[.b], or with Catalog USE CATALOG a.
type Use struct {
	Name    Name
	Catalog bool
}

// SetTimeZone is SET TIME ZONE 'zone' | LOCAL. Local has Zone "".
type SetTimeZone struct{ Zone string }

// SetConfig is SET key = value. Both empty is SET alone; Value nil reads the key.
type SetConfig struct {
	Key   string
	Value *string
}

// AsOf is VERSION or TIMESTAMP AS OF. Exactly one of Version and Timestamp is set.
type AsOf struct {
	Version   *int64
	Timestamp Expr
}

func (*CreateTable) statement()     {}
func (*CreateView) statement()      {}
func (*CreateSchema) statement()    {}
func (*CreateCatalog) statement()   {}
func (*DropTable) statement()       {}
func (*DropView) statement()        {}
func (*DropSchema) statement()      {}
func (*AlterTable) statement()      {}
func (*DescribeHistory) statement() {}
func (*DescribeDetail) statement()  {}
func (*DescribeTable) statement()   {}
func (*DescribeSchema) statement()  {}
func (*ShowProperties) statement()  {}
func (*ShowTables) statement()      {}
func (*ShowSchemas) statement()     {}
func (*ShowCatalogs) statement()    {}
func (*ShowColumns) statement()     {}
func (*ShowCreateTable) statement() {}
func (*Optimize) statement()        {}
func (*Vacuum) statement()          {}
func (*Analyze) statement()         {}
func (*Restore) statement()         {}
func (*Truncate) statement()        {}
func (*Reorg) statement()           {}
func (*Insert) statement()          {}
func (*Update) statement()          {}
func (*Delete) statement()          {}
func (*Merge) statement()           {}
func (*Use) statement()             {}
func (*SetTimeZone) statement()     {}
func (*SetConfig) statement()       {}
func (*Query) statement()           {}

// Complete fills the missing parts of a table name from the session. More than three parts is refused as Spark does.
func (n Name) Complete(catalog, schema string) (engine.Name, error) {
	switch p := n.Parts; len(p) {
	case 1:
		return engine.Name{Catalog: catalog, Schema: schema, Table: p[0]}, nil
	case 2:
		return engine.Name{Catalog: catalog, Schema: p[0], Table: p[1]}, nil
	case 3:
		return engine.Name{Catalog: p[0], Schema: p[1], Table: p[2]}, nil
	}
	return engine.Name{}, NewError("REQUIRES_SINGLE_PART_NAMESPACE",
		"spark_catalog requires a single-part namespace, but got "+quoteParts(n.Parts[:max(0, len(n.Parts)-1)])+".")
}

// String quotes the parts with backticks, as Spark's messages do.
func (n Name) String() string { return quoteParts(n.Parts) }

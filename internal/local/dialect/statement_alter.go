package dialect

// AlterTable is ALTER TABLE or, with View, ALTER VIEW. Action is one of the actions below.
type AlterTable struct {
	Name   Name
	View   bool
	Action AlterAction
}

// AlterAction is what an ALTER does.
type AlterAction interface{ action() }

// Actions of ALTER TABLE.
type (
	// SetProperties is SET TBLPROPERTIES (…).
	SetProperties struct{ Properties []Property }
	// UnsetProperties is UNSET TBLPROPERTIES [IF EXISTS] (…).
	UnsetProperties struct {
		Keys     []string
		IfExists bool
	}
	// AddColumns is ADD COLUMN[S].
	AddColumns struct{ Columns []ColumnDef }
	// DropColumns is DROP COLUMN[S].
	DropColumns struct {
		Columns  []string
		IfExists bool
	}
	// RenameTable is RENAME TO.
	RenameTable struct{ To Name }
	// RenameColumn is RENAME COLUMN a TO b.
	RenameColumn struct{ From, To string }
	// AlterColumn is ALTER COLUMN c with exactly one change set.
	AlterColumn struct {
		Column                               string
		Comment                              *string
		Type                                 string
		SetNotNull, DropNotNull, DropDefault bool
		// Default is Spark SQL text.
		Default string
	}
	// SetTags is SET TAGS (…), of the table or of Column.
	SetTags struct {
		Column string
		Tags   []Property
	}
	// UnsetTags is UNSET TAGS (…).
	UnsetTags struct {
		Column string
		Keys   []string
	}
	// DeleteRows is DELETE ROWS n DAYS AFTER c.
	DeleteRows struct{ RowDeletion }
	// DropRowDeletion is DROP ROW DELETION.
	DropRowDeletion struct{}
	// ClusterBy is CLUSTER BY (…) | AUTO | NONE. No columns and not Auto is NONE.
	ClusterBy struct {
		Columns []string
		Auto    bool
	}
	// SetOwner is [SET] OWNER TO.
	SetOwner struct{ Owner string }
)

func (SetProperties) action()   {}
func (UnsetProperties) action() {}
func (AddColumns) action()      {}
func (DropColumns) action()     {}
func (RenameTable) action()     {}
func (RenameColumn) action()    {}
func (AlterColumn) action()     {}
func (SetTags) action()         {}
func (UnsetTags) action()       {}
func (DeleteRows) action()      {}
func (DropRowDeletion) action() {}
func (ClusterBy) action()       {}
func (SetOwner) action()        {}

//go:build cgo

package duck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// table is a table or a view. Like the catalog, a published one never changes.
type table struct {
	// Number is its key in the catalog's tables in DuckDB.
	Number           int64
	Name             engine.Name
	ID               string
	Owner            string
	Created, Updated time.Time
	// Altered is the last commit that changed more than rows; zero in state written before it was kept.
	Altered              time.Time `json:",omitzero"`
	CreatedBy, AlteredBy string    `json:",omitempty"`

	View *view              `json:",omitempty"`
	Tags []dialect.Property `json:",omitempty"`

	// Next numbers files and lineages.
	Next int64
	// Restores gives, for a version that RESTORE made, the version it brought back.
	Restores map[int64]int64 `json:",omitempty"`
	// Closed are the stores that a replacement of the table has left, by the version that did.
	Closed map[int64]int64 `json:",omitempty"`

	commits []*commit
	files   []*file
	// packed says which lineage OPTIMIZE has packed a lineage into, at the latest version. It is replaced, never changed.
	packed map[int64]int64
}

// view is a view's query as written, with the session that completes its names.
type view struct {
	Text            string
	Catalog, Schema string
	Zone            string
	Columns         []column
	Comment         *string
	Properties      map[string]string
}

// metadata is what a Delta table's metadata action holds.
type metadata struct {
	// Store is the number of the physical tables that hold the rows.
	Store       int64
	Columns     []column
	PartitionBy []string          `json:",omitempty"`
	ClusterBy   []string          `json:",omitempty"`
	ClusterAuto bool              `json:",omitempty"`
	Properties  map[string]string `json:",omitempty"`
	Comment     *string           `json:",omitempty"`
	NextColumn  int
}

// column is a column of a table. Physical names the DuckDB column, which stays when the column is renamed.
type column struct {
	Name, Type         string
	Physical           string
	NotNull            bool    `json:",omitempty"`
	Default, Generated string  `json:",omitempty"`
	Comment            *string `json:",omitempty"`
}

// commit is a version of a table.
type commit struct {
	Version     int64
	Time        time.Time
	User        string      `json:",omitempty"`
	Job         *engine.Job `json:",omitempty"`
	Operation   string
	Parameters  map[string]string `json:",omitempty"`
	Metrics     map[string]string `json:",omitempty"`
	ReadVersion *int64            `json:",omitempty"`
	Isolation   string
	BlindAppend bool `json:",omitempty"`
	// Meta is set when the commit changed the metadata.
	Meta *metadata `json:",omitempty"`
	// Adds and Removes say that rows came or went; an OPTIMIZE does neither.
	Adds, Removes bool `json:",omitempty"`
	// ChangeFeed says that the commit's row changes can be read.
	ChangeFeed bool `json:",omitempty"`

	// meta is the metadata in force, Meta's or an earlier commit's.
	meta *metadata
}

// live marks a file that no commit has removed.
const live = -1

// file models a Delta data file.
type file struct {
	Number, Lineage int64
	Partition       string `json:",omitempty"`
	Added, Removed  int64
	Rows, Bytes     int64
	// Path numbers the physical file; a deletion vector makes a new file of the model and keeps the path.
	Path int64 `json:",omitempty"`
	// Deleted counts the rows that a deletion vector hides.
	Deleted int64 `json:",omitempty"`
	// Into is the lineage that took the rows when OPTIMIZE removed the file.
	Into     int64 `json:",omitempty"`
	Vacuumed bool  `json:",omitempty"`
}

func (f *file) liveAt(version int64) bool {
	return f.Added <= version && (f.Removed == live || f.Removed > version)
}

func (t *table) latest() *commit { return t.commits[len(t.commits)-1] }

func (t *table) earliest() *commit { return t.commits[0] }

func (t *table) version() int64 { return t.latest().Version }

// at is the commit of a version that is kept.
func (t *table) at(version int64) *commit {
	i := version - t.earliest().Version
	if i < 0 || i >= int64(len(t.commits)) {
		return nil
	}
	return t.commits[i]
}

func (t *table) meta() *metadata { return t.latest().meta }

// metaAt is the metadata in force at a version that is kept.
func (t *table) metaAt(version int64) *metadata { return t.at(version).meta }

// touched says whether a commit after a version added or removed rows.
func (t *table) touched(version int64) (adds, removes bool) {
	for i := len(t.commits) - 1; i >= 0 && t.commits[i].Version > version; i-- {
		adds = adds || t.commits[i].Adds
		removes = removes || t.commits[i].Removes
	}
	return adds, removes
}

func (t *table) liveFiles(version int64) []*file {
	var out []*file
	for _, f := range t.files {
		if f.liveAt(version) {
			out = append(out, f)
		}
	}
	return out
}

// lineage is the lineage whose file holds the rows of a lineage now.
func (t *table) lineage(l int64) int64 {
	for {
		into, ok := t.packed[l]
		if !ok {
			return l
		}
		l = into
	}
}

func (m *metadata) clone() *metadata {
	c := *m
	c.Columns = slices.Clone(m.Columns)
	c.PartitionBy, c.ClusterBy = slices.Clone(m.PartitionBy), slices.Clone(m.ClusterBy)
	c.Properties = make(map[string]string, len(m.Properties))
	for k, v := range m.Properties {
		c.Properties[k] = v
	}
	return &c
}

// column finds a column by name, in any case.
func (m *metadata) column(name string) *column {
	for i := range m.Columns {
		if strings.EqualFold(m.Columns[i].Name, name) {
			return &m.Columns[i]
		}
	}
	return nil
}

func (m *metadata) partitioned(name string) bool {
	return slices.ContainsFunc(m.PartitionBy, func(p string) bool { return strings.EqualFold(p, name) })
}

func (m *metadata) rowsTable() string    { return fmt.Sprintf("data.d%d", m.Store) }
func (m *metadata) removedTable() string { return fmt.Sprintf("data.x%d", m.Store) }

// addColumn gives a new column its physical name.
func (m *metadata) addColumn(c column) {
	m.NextColumn++
	c.Physical = fmt.Sprintf("c%d", m.NextColumn)
	m.Columns = append(m.Columns, c)
}

// physical lists the DuckDB columns in the table's order.
func (m *metadata) physical() []string {
	out := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = c.Physical
	}
	return out
}

// stored lists every DuckDB column of the store, those that other versions of the schema use too.
func (m *metadata) stored() string {
	out := make([]string, m.NextColumn)
	for i := range out {
		out[i] = fmt.Sprintf("c%d", i+1)
	}
	return strings.Join(out, ", ")
}

// into begins an INSERT of live rows: the table's columns, the version, the lineage, and how the rows came.
func (m *metadata) into() string {
	return fmt.Sprintf("INSERT INTO %s (%s, added, file, came) ", m.rowsTable(), strings.Join(m.physical(), ", "))
}

// selected lists the columns under their own names.
func (m *metadata) selected() string {
	out := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = c.Physical + " AS " + quoteName(c.Name)
	}
	return strings.Join(out, ", ")
}

func (m *metadata) engineColumns() []engine.Column {
	out := make([]engine.Column, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = engine.Column{Name: c.Name, Type: c.Type, Nullable: !c.NotNull}
	}
	return out
}

// target is the table as the rewriter writes to it.
func (t *table) target() dialect.Target {
	m := t.meta()
	out := dialect.Target{Name: t.Name, Alias: "t"}
	for i, c := range m.engineColumns() {
		out.Columns = append(out.Columns, dialect.TargetColumn{Column: c, Default: m.Columns[i].Default, Generated: m.Columns[i].Generated})
	}
	return out
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// quoteText is a DuckDB string literal.
func quoteText(s string) string {
	if strings.ContainsRune(s, 0) {
		parts := strings.Split(s, "\x00")
		for i := range parts {
			parts[i] = quoteText(parts[i])
		}
		return "(" + strings.Join(parts, " || chr(0) || ") + ")"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

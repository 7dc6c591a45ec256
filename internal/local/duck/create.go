//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// nameFor completes the name of something to be made; its schema must exist.
func (w *work) nameFor(n dialect.Name) (engine.Name, error) {
	name, err := n.Complete(w.session.Catalog, w.session.Schema)
	if err != nil {
		return name, err
	}
	if _, ok := w.catalog.catalogs[fold(name.Catalog)]; !ok {
		return name, errNoCatalog(name.Catalog)
	}
	if w.catalog.schemas[schemaKey(name.Catalog, name.Schema)] == nil {
		return name, errNoSchema(name.Catalog, name.Schema)
	}
	name = w.catalog.canonical(name)
	name.Table = strings.ToLower(name.Table)
	return name, nil
}

func errNoCatalog(name string) *engine.Error {
	return newError("CATALOG_NOT_FOUND", "The catalog %s not found. Consider to set the SQL config \"spark.sql.catalog.%s\" to a catalog plugin.", quoteSpark(name), name)
}

// createTable runs CREATE TABLE in its forms.
func (w *work) createTable(ctx context.Context, st *dialect.CreateTable) (*answer, error) {
	name, err := w.nameFor(st.Name)
	if err != nil {
		return nil, err
	}
	if st.Location != nil {
		return nil, refuse("CREATE TABLE … LOCATION")
	}
	old := w.catalog.tables[tableKey(name)]
	switch {
	case old != nil && old.View != nil && (st.OrReplace || st.Replace):
		return nil, errNotView(name, "CREATE OR REPLACE TABLE")
	case old != nil && st.IfNotExists:
		return nil, nil
	case old != nil && !st.OrReplace && !st.Replace:
		return nil, errTableExists(name)
	case old == nil && st.Replace:
		return nil, errNoTable(st.Name)
	}
	m, query, err := w.definition(ctx, st)
	if err != nil {
		return nil, err
	}
	// The rows are computed before a table they may come from is replaced.
	if query != "" {
		if err := w.scratch(ctx, "wt_new", query); err != nil {
			return nil, err
		}
	}
	t, err := w.place(ctx, name, old, m)
	if err != nil {
		return nil, err
	}
	return nil, w.firstCommit(ctx, t, st, m, old != nil)
}

// definition is the metadata of the table to be made, and the query of its rows if it has one.
func (w *work) definition(ctx context.Context, st *dialect.CreateTable) (*metadata, string, error) {
	properties, err := checkProperties(st.Properties)
	if err != nil {
		return nil, "", err
	}
	m := &metadata{Properties: properties, Comment: st.Comment, ClusterAuto: st.ClusterAuto}
	query := ""
	if st.As != nil {
		if len(st.Columns) > 0 {
			return nil, "", dialect.NewError("PARSE_SYNTAX_ERROR", "Schema may not be specified in a Create Table As Select (CTAS) statement.")
		}
		compiled, err := w.compile(ctx, st.As)
		if err != nil {
			return nil, "", err
		}
		query = compiled.SQL
		for _, c := range compiled.Columns {
			if err := m.define(column{Name: c.Name, Type: c.Type}); err != nil {
				return nil, "", err
			}
		}
	}
	for _, c := range st.Columns {
		if c.Identity {
			return nil, "", refuse("an identity column")
		}
		if err := m.define(column{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Default: c.Default, Generated: c.Generated, Comment: c.Comment}); err != nil {
			return nil, "", err
		}
	}
	if err := m.checkDefaults(); err != nil {
		return nil, "", err
	}
	return m, query, w.layoutOf(m, st)
}

// layoutOf sets partitioning, clustering and row deletion.
func (w *work) layoutOf(m *metadata, st *dialect.CreateTable) error {
	named := func(names []string) ([]string, error) {
		var out []string
		for _, n := range names {
			c := m.column(n)
			if c == nil {
				return nil, newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", n, strings.Join(m.names(), ", "))
			}
			out = append(out, c.Name)
		}
		return out, nil
	}
	var err error
	if m.PartitionBy, err = named(st.PartitionBy); err != nil {
		return err
	}
	if m.ClusterBy, err = named(st.ClusterBy); err != nil {
		return err
	}
	if len(m.PartitionBy) > 0 && (len(m.ClusterBy) > 0 || m.ClusterAuto) {
		return newError("DELTA_CLUSTERING_CREATE_WITH_PARTITIONING", "CLUSTER BY and PARTITIONED BY cannot be used together.")
	}
	if st.RowDeletion != nil {
		return m.deleteRows(*st.RowDeletion)
	}
	return nil
}

func (m *metadata) names() []string {
	out := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = c.Name
	}
	return out
}

const invalidCharacters = " ,;{}()\n\t="

// define adds a column, as far as Delta takes its name.
func (m *metadata) define(c column) error {
	if m.column(c.Name) != nil {
		return newError("COLUMN_ALREADY_EXISTS", "The column `%s` already exists. Choose another name or rename the existing column.", strings.ToLower(c.Name))
	}
	if strings.ContainsAny(c.Name, invalidCharacters) && !m.mapsColumns() {
		return newError("DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES", "Found invalid character(s) among ' ,;{}()\\n\\t=' in the column names of your schema. Invalid column names: %s.", c.Name)
	}
	if c.Type == "void" {
		return newError("DELTA_UNSUPPORTED_DATA_TYPES", "Found columns using unsupported data types: [%s: VoidType].", c.Name)
	}
	if strings.HasPrefix(c.Type, "interval") {
		return newError("DELTA_UNSUPPORTED_DATA_TYPES", "Found columns using unsupported data types: [%s: %s].", c.Name, c.Type)
	}
	m.addColumn(c)
	return nil
}

// place makes the physical tables. A replaced table keeps its history and leaves its old rows in their store.
func (w *work) place(ctx context.Context, name engine.Name, old *table, m *metadata) (*table, error) {
	m.Store = w.catalog.next
	w.catalog.next++
	if err := w.makeStore(ctx, m); err != nil {
		return nil, err
	}
	if old == nil {
		t := &table{Number: m.Store, Name: name, ID: uuid.NewString(), Owner: w.statement.User}
		w.catalog.tables[tableKey(name)] = t
		return t, nil
	}
	t := w.change(old)
	if t.Closed == nil {
		t.Closed = map[int64]int64{}
	}
	t.Closed[old.meta().Store] = t.version() + 1
	return t, nil
}

func (w *work) makeStore(ctx context.Context, m *metadata) error {
	var columns []string
	for _, c := range m.Columns {
		d, err := duckType(c.Type)
		if err != nil {
			return err
		}
		columns = append(columns, c.Physical+" "+d)
	}
	columns = append(columns, "added BIGINT", "file BIGINT", "came TINYINT")
	list := strings.Join(columns, ", ")
	_, err := w.conn.exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s); CREATE TABLE %s (%[2]s, removed BIGINT, went TINYINT)", m.rowsTable(), list, m.removedTable()))
	return err
}

// duckType is the DuckDB type of a Spark type.
func duckType(spark string) (string, error) {
	t, err := dialect.ParseType(spark)
	if err != nil {
		return "", err
	}
	return t.Duck(), nil
}

// firstCommit commits the made or replaced table and the rows of wt_new.
func (w *work) firstCommit(ctx context.Context, t *table, st *dialect.CreateTable, m *metadata, replaced bool) error {
	operation := "CREATE TABLE"
	switch {
	case st.OrReplace:
		operation = "CREATE OR REPLACE TABLE"
	case st.Replace:
		operation = "REPLACE TABLE"
	}
	if st.As != nil {
		operation += " AS SELECT"
	}
	c := w.draft(t, operation)
	c.Meta, c.BlindAppend = m, !replaced
	c.Parameters["isManaged"] = "true"
	c.Parameters["description"] = orEmpty(m.Comment)
	c.Parameters["partitionBy"] = partitionJSON(m)
	c.Parameters["properties"] = "{}"
	if own := m.ownProperties(); len(own) > 0 {
		c.Parameters["properties"] = compactJSON(own)
	}
	if len(m.ClusterBy) > 0 {
		c.Parameters["clusterBy"] = compactJSON(m.ClusterBy)
	}
	var e effect
	if replaced {
		t.removeAll(&e, c.Version)
		c.Removes = len(e.removed) > 0
	}
	if st.As == nil {
		t.add(c)
		return nil
	}
	// The rows are written under the new metadata, before the commit is there to give it.
	t.join(&commit{Version: c.Version, Meta: m})
	rows, err := w.appendRows(ctx, t, &e, c.Version, "SELECT * FROM temp.wt_new", cameInserted)
	t.commits = t.commits[:len(t.commits)-1]
	if err != nil {
		return err
	}
	c.Adds = rows > 0
	c.writeMetrics(&e, rows)
	t.add(c)
	return nil
}

// createView runs CREATE VIEW.
func (w *work) createView(ctx context.Context, st *dialect.CreateView) (*answer, error) {
	if st.Temporary {
		return nil, refuse("CREATE TEMPORARY VIEW (a statement has no session)")
	}
	name, err := w.nameFor(st.Name)
	if err != nil {
		return nil, err
	}
	old := w.catalog.tables[tableKey(name)]
	switch {
	case old != nil && st.IfNotExists:
		return nil, nil
	case old != nil && !st.OrReplace:
		return nil, errTableExists(name)
	case old != nil && old.View == nil:
		return nil, newError("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", "The table %s does not support CREATE OR REPLACE VIEW.", quoteSparkName(name))
	}
	compiled, err := w.compile(ctx, st.Query)
	if err != nil {
		return nil, err
	}
	v := &view{Text: st.Text, Catalog: w.session.Catalog, Schema: w.session.Schema, Zone: w.session.Zone, Comment: st.Comment, Properties: map[string]string{}}
	for _, p := range st.Properties {
		v.Properties[p.Key] = p.Value
	}
	if len(st.Columns) > 0 && len(st.Columns) != len(compiled.Columns) {
		return nil, newError("CREATE_VIEW_COLUMN_ARITY_MISMATCH", "Cannot create view %s: %d names for %d columns.", quoteSparkName(name), len(st.Columns), len(compiled.Columns))
	}
	seen := &metadata{}
	for i, c := range compiled.Columns {
		k := column{Name: c.Name, Type: c.Type}
		if len(st.Columns) > 0 {
			k.Name, k.Comment = st.Columns[i].Name, st.Columns[i].Comment
		}
		if seen.column(k.Name) != nil {
			return nil, newError("COLUMN_ALREADY_EXISTS", "The column `%s` already exists. Choose another name or rename the existing column.", strings.ToLower(k.Name))
		}
		seen.Columns = append(seen.Columns, k)
	}
	v.Columns = seen.Columns
	t := &table{Number: w.catalog.next, Name: name, ID: uuid.NewString(), Owner: w.statement.User, View: v, Created: w.now, Updated: w.now}
	w.catalog.next++
	if old != nil {
		t.Created = old.Created
	}
	w.catalog.tables[tableKey(name)] = t
	return nil, nil
}

//go:build cgo

package duck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// alter runs ALTER TABLE and ALTER VIEW.
func (w *work) alter(ctx context.Context, st *dialect.AlterTable) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		return nil, err
	}
	if rename, ok := st.Action.(dialect.RenameTable); ok && (t.View != nil) == st.View {
		return nil, w.rename(t, rename.To)
	}
	switch {
	case t.View != nil && !st.View:
		return nil, newError("EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "'ALTER TABLE' expects a table but %s is a view. Please use ALTER VIEW instead.", quoteSparkName(t.Name))
	case t.View == nil && st.View:
		return nil, newError("EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE", "'ALTER VIEW' expects a view but %s is a table. Please use ALTER TABLE instead.", quoteSparkName(t.Name))
	case t.View != nil:
		return nil, w.alterView(t, st.Action)
	}
	switch a := st.Action.(type) {
	case dialect.SetOwner:
		t = w.change(t)
		t.Owner = a.Owner
		return nil, nil
	case dialect.SetTags:
		return nil, w.setTags(t, a)
	case dialect.UnsetTags:
		return nil, w.unsetTags(t, a)
	}
	t = w.change(t)
	c := w.draft(t, "")
	c.BlindAppend = true
	c.Meta = t.meta().clone()
	if err := w.alterMeta(ctx, t, c, st.Action); err != nil {
		return nil, err
	}
	t.add(c)
	return nil, nil
}

// alterMeta changes the metadata that the commit carries, and names the commit.
func (w *work) alterMeta(ctx context.Context, t *table, c *commit, action dialect.AlterAction) error {
	m := c.Meta
	switch a := action.(type) {
	case dialect.SetProperties:
		return c.setProperties(a)
	case dialect.UnsetProperties:
		return c.unsetProperties(a)
	case dialect.AddColumns:
		return w.addColumns(ctx, c, a)
	case dialect.DropColumns:
		return c.dropColumns(a)
	case dialect.RenameColumn:
		return c.renameColumn(a)
	case dialect.AlterColumn:
		return w.alterColumn(ctx, t, c, a)
	case dialect.DeleteRows:
		c.Operation = "SET TBLPROPERTIES"
		if err := m.deleteRows(a.RowDeletion); err != nil {
			return err
		}
		c.Parameters["properties"] = compactJSON(map[string]string{expireInDays: m.Properties[expireInDays], timestampColumn: m.Properties[timestampColumn]})
		return nil
	case dialect.DropRowDeletion:
		c.Operation = "UNSET TBLPROPERTIES"
		delete(m.Properties, expireInDays)
		delete(m.Properties, timestampColumn)
		c.Parameters["properties"], c.Parameters["ifExists"] = compactJSON([]string{expireInDays, timestampColumn}), "true"
		return nil
	case dialect.ClusterBy:
		return c.clusterBy(a)
	}
	return refuse("ALTER TABLE with %T", action)
}

func (c *commit) setProperties(a dialect.SetProperties) error {
	given, err := checkProperties(a.Properties)
	if err != nil {
		return err
	}
	c.Operation = "SET TBLPROPERTIES"
	maps.Copy(c.Meta.Properties, given)
	c.Parameters["properties"] = compactJSON(given)
	return nil
}

// unsetProperties forgives absent keys, as Delta does.
func (c *commit) unsetProperties(a dialect.UnsetProperties) error {
	c.Operation = "UNSET TBLPROPERTIES"
	var keys []string
	for _, k := range a.Keys {
		known, err := canonicalKey(k)
		if err != nil {
			known = k
		}
		keys = append(keys, known)
		delete(c.Meta.Properties, known)
	}
	c.Parameters["properties"], c.Parameters["ifExists"] = compactJSON(keys), "true"
	return nil
}

// deleteRows sets Auto-TTL as Databricks shows it.
func (m *metadata) deleteRows(d dialect.RowDeletion) error {
	c := m.column(d.Column)
	if c == nil {
		return newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", d.Column, strings.Join(m.names(), ", "))
	}
	if !slices.Contains([]string{"date", "timestamp", "timestamp_ntz"}, c.Type) {
		return newError("INVALID_AUTO_TTL_COLUMN", "DELETE ROWS … AFTER needs a DATE, TIMESTAMP or TIMESTAMP_NTZ column: `%s` is %s.", c.Name, c.Type)
	}
	if m.Properties == nil {
		m.Properties = map[string]string{}
	}
	m.Properties[expireInDays], m.Properties[timestampColumn] = cellText(d.Days), c.Name
	return nil
}

// addStoreColumn adds a DuckDB column to the live and the removed rows.
func (w *work) addStoreColumn(ctx context.Context, m *metadata, c column) error {
	d, err := duckType(c.Type)
	if err != nil {
		return err
	}
	_, err = w.conn.exec(ctx, fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s; ALTER TABLE %s ADD COLUMN %[2]s %[3]s", m.rowsTable(), c.Physical, d, m.removedTable()))
	return err
}

func (w *work) addColumns(ctx context.Context, c *commit, a dialect.AddColumns) error {
	c.Operation = "ADD COLUMNS"
	var shown []map[string]any
	for _, d := range a.Columns {
		if d.NotNull {
			return newError("DELTA_ADD_COLUMN_NOT_NULL", "NOT NULL is not supported in ALTER TABLE ADD COLUMNS: the table has rows without the column `%s`.", d.Name)
		}
		if d.Generated != "" || d.Default != "" {
			return newError("WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED", "Failed to execute the command because DEFAULT values are not supported when adding new columns to previously existing Delta tables; please add the column without a default value first, then run a second ALTER TABLE ALTER COLUMN SET DEFAULT command to apply for future inserted rows instead.")
		}
		k := column{Name: d.Name, Type: d.Type, Comment: d.Comment}
		if err := c.Meta.define(k); err != nil {
			return err
		}
		if err := w.addStoreColumn(ctx, c.Meta, c.Meta.Columns[len(c.Meta.Columns)-1]); err != nil {
			return err
		}
		shown = append(shown, map[string]any{"column": map[string]any{"name": d.Name, "type": d.Type, "nullable": true, "metadata": map[string]any{}}})
	}
	c.Parameters["columns"] = compactJSON(shown)
	return nil
}

func (c *commit) dropColumns(a dialect.DropColumns) error {
	c.Operation = "DROP COLUMNS"
	m := c.Meta
	if !m.mapsColumns() {
		return newError("DELTA_UNSUPPORTED_DROP_COLUMN", "DROP COLUMN is not supported for your Delta table. Enable column mapping: ALTER TABLE … SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name').")
	}
	for _, name := range a.Columns {
		k := m.column(name)
		switch {
		case k == nil && a.IfExists:
			continue
		case k == nil:
			return newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", name, strings.Join(m.names(), ", "))
		case m.partitioned(name):
			return newError("DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN", "Dropping partition columns (%s) is not allowed.", name)
		}
		m.Columns = slices.DeleteFunc(m.Columns, func(o column) bool { return strings.EqualFold(o.Name, name) })
	}
	c.Parameters["columns"] = compactJSON(a.Columns)
	return nil
}

func (c *commit) renameColumn(a dialect.RenameColumn) error {
	c.Operation = "RENAME COLUMN"
	m := c.Meta
	if !m.mapsColumns() {
		return newError("DELTA_UNSUPPORTED_RENAME_COLUMN", "Column rename is not supported for your Delta table. Enable column mapping: ALTER TABLE … SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name').")
	}
	k := m.column(a.From)
	if k == nil {
		return newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", a.From, strings.Join(m.names(), ", "))
	}
	if strings.EqualFold(m.Properties[timestampColumn], a.From) {
		return newError("INVALID_AUTO_TTL_COLUMN", "The column `%s` is used by DELETE ROWS … AFTER and cannot be renamed.", a.From)
	}
	if other := m.column(a.To); other != nil && other != k {
		return newError("COLUMN_ALREADY_EXISTS", "The column `%s` already exists. Choose another name or rename the existing column.", strings.ToLower(a.To))
	}
	for _, list := range [][]string{m.PartitionBy, m.ClusterBy} {
		for i := range list {
			if strings.EqualFold(list[i], a.From) {
				list[i] = a.To
			}
		}
	}
	c.Parameters["oldColumnPath"], c.Parameters["newColumnPath"] = k.Name, a.To
	k.Name = a.To
	return nil
}

func (c *commit) clusterBy(a dialect.ClusterBy) error {
	c.Operation = "CLUSTER BY"
	m := c.Meta
	if len(m.PartitionBy) > 0 {
		return newError("DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED", "ALTER TABLE CLUSTER BY is not supported for a partitioned table.")
	}
	old := m.ClusterBy
	m.ClusterBy, m.ClusterAuto = nil, a.Auto
	for _, name := range a.Columns {
		k := m.column(name)
		if k == nil {
			return newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", name, strings.Join(m.names(), ", "))
		}
		m.ClusterBy = append(m.ClusterBy, k.Name)
	}
	c.Parameters["oldClusteringColumns"] = strings.Join(old, ",")
	c.Parameters["newClusteringColumns"] = strings.Join(m.ClusterBy, ",")
	return nil
}

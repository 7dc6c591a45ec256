//go:build cgo

package duck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// alterColumn runs ALTER COLUMN.
func (w *work) alterColumn(ctx context.Context, t *table, c *commit, a dialect.AlterColumn) error {
	c.Operation = "CHANGE COLUMN"
	m := c.Meta
	k := m.column(a.Column)
	if k == nil {
		return newError("DELTA_COLUMN_NOT_FOUND", "Unable to find the column `%s` given [%s].", a.Column, strings.Join(m.names(), ", "))
	}
	switch {
	case a.Comment != nil:
		k.Comment = a.Comment
	case a.SetNotNull:
		n, err := w.conn.number(ctx, fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", m.rowsTable(), k.Physical))
		if err != nil {
			return err
		}
		if n > 0 {
			return newError("DELTA_NEW_NOT_NULL_VIOLATION", "%d rows in %s violate the new NOT NULL constraint on %s.", n, t.Name, k.Name)
		}
		k.NotNull = true
	case a.DropNotNull:
		k.NotNull = false
	case a.Default != "":
		k.Default = a.Default
		if err := m.checkDefaults(); err != nil {
			return err
		}
	case a.DropDefault:
		k.Default = ""
	case a.Type != "":
		if err := w.changeType(ctx, m, k, a.Type); err != nil {
			return err
		}
	}
	c.Parameters["column"] = compactJSON(map[string]any{"name": k.Name, "type": k.Type, "nullable": !k.NotNull, "metadata": map[string]any{}})
	return nil
}

// wider says which types a column of a type may become.
func wider() map[string][]string {
	return map[string][]string{
		"tinyint":  {"smallint", "int", "bigint", "double"},
		"smallint": {"int", "bigint", "double"},
		"int":      {"bigint", "double"},
		"float":    {"double"},
		"date":     {"timestamp_ntz"},
	}
}

func (w *work) changeType(ctx context.Context, m *metadata, k *column, typ string) error {
	if k.Type == typ {
		return nil
	}
	if !slices.Contains(wider()[k.Type], typ) || !m.is("delta.enableTypeWidening") {
		return newError("DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP", "ALTER TABLE CHANGE COLUMN is not supported for changing column `%s` from %s to %s. Widening needs 'delta.enableTypeWidening' = 'true'.", k.Name, strings.ToUpper(k.Type), strings.ToUpper(typ))
	}
	d, err := duckType(typ)
	if err != nil {
		return err
	}
	// The old column stays for the versions before.
	old := *k
	m.NextColumn++
	k.Physical, k.Type = fmt.Sprintf("c%d", m.NextColumn), typ
	if err := w.addStoreColumn(ctx, m, *k); err != nil {
		return err
	}
	for _, table := range []string{m.rowsTable(), m.removedTable()} {
		if _, err := w.conn.exec(ctx, fmt.Sprintf("UPDATE %s SET %s = CAST(%s AS %s)", table, k.Physical, old.Physical, d)); err != nil {
			return err
		}
	}
	return nil
}

// rename moves a table or view to another name.
func (w *work) rename(t *table, to dialect.Name) error {
	name, err := w.nameFor(to)
	if err != nil {
		return err
	}
	if w.catalog.tables[tableKey(name)] != nil {
		return errTableExists(name)
	}
	c := w.change(t)
	delete(w.catalog.tables, tableKey(t.Name))
	c.Name = name
	w.catalog.tables[tableKey(name)] = c
	return nil
}

func (w *work) alterView(t *table, action dialect.AlterAction) error {
	v := *t.View
	properties := map[string]string{}
	for k, x := range v.Properties {
		properties[k] = x
	}
	v.Properties = properties
	switch a := action.(type) {
	case dialect.SetProperties:
		for _, p := range a.Properties {
			properties[p.Key] = p.Value
		}
	case dialect.UnsetProperties:
		for _, k := range a.Keys {
			delete(properties, k)
		}
	case dialect.SetOwner:
		w.change(t).Owner = a.Owner
		return nil
	case dialect.SetTags:
		return w.setTags(t, a)
	case dialect.UnsetTags:
		return w.unsetTags(t, a)
	default:
		return refuse("this form of ALTER VIEW")
	}
	c := w.change(t)
	c.View, c.Updated = &v, w.now
	return nil
}

func (w *work) setTags(t *table, a dialect.SetTags) error {
	if a.Column != "" {
		return refuse("tags on a column")
	}
	c := w.change(t)
	c.Tags = slices.Clone(t.Tags)
	for _, p := range a.Tags {
		c.Tags = slices.DeleteFunc(c.Tags, func(o dialect.Property) bool { return o.Key == p.Key })
		c.Tags = append(c.Tags, p)
	}
	return nil
}

func (w *work) unsetTags(t *table, a dialect.UnsetTags) error {
	if a.Column != "" {
		return refuse("tags on a column")
	}
	c := w.change(t)
	c.Tags = slices.DeleteFunc(slices.Clone(t.Tags), func(o dialect.Property) bool { return slices.Contains(a.Keys, o.Key) })
	return nil
}

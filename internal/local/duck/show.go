//go:build cgo

package duck

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func describeColumns() []engine.Column {
	return columnsOf("col_name", "string", "data_type", "string", "comment", "string")
}

func (w *work) describeTable(_ context.Context, st *dialect.DescribeTable) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: describeColumns()}
	if t.View != nil {
		for _, c := range t.View.Columns {
			a.add(c.Name, c.Type, c.Comment)
		}
		if st.Extended {
			a.add("", "", "")
			a.add("# Detailed Table Information", "", "")
			w.describeCommon(a, t)
			a.add("Type", "VIEW", "")
			a.add("View Text", t.View.Text, "")
		}
		return a, nil
	}
	m := t.meta()
	for _, c := range m.Columns {
		a.add(c.Name, c.Type, c.Comment)
	}
	for _, part := range []struct {
		title   string
		columns []string
	}{{"# Partition Information", m.PartitionBy}, {"# Clustering Information", m.ClusterBy}} {
		if len(part.columns) == 0 {
			continue
		}
		a.add(part.title, "", "")
		a.add("# col_name", "data_type", "comment")
		for _, name := range part.columns {
			c := m.column(name)
			a.add(c.Name, c.Type, c.Comment)
		}
	}
	if st.Extended {
		a.add("", "", "")
		a.add("# Detailed Table Information", "", "")
		w.describeCommon(a, t)
		a.add("Type", "MANAGED", "")
		if m.Comment != nil {
			a.add("Comment", *m.Comment, "")
		}
		a.add("Location", t.location(), "")
		a.add("Provider", "delta", "")
		a.add("Table Properties", propertyList(m.shownProperties()), "")
	}
	return a, nil
}

func (w *work) describeCommon(a *answer, t *table) {
	a.add("Catalog", t.Name.Catalog, "")
	a.add("Database", t.Name.Schema, "")
	a.add("Table", t.Name.Table, "")
	if t.Owner != "" {
		a.add("Owner", t.Owner, "")
	}
	a.add("Created Time", instant{t.Created, w.zone}, "")
}

func propertyList(p map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(p)) {
		out = append(out, k+"="+p[k])
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (w *work) describeSchema(_ context.Context, st *dialect.DescribeSchema) (*answer, error) {
	catalog, name, err := w.schemaName(st.Name)
	if err != nil {
		return nil, err
	}
	s := w.catalog.schemas[schemaKey(catalog, name)]
	if s == nil {
		return nil, errNoSchema(catalog, name)
	}
	a := &answer{columns: columnsOf("database_description_item", "string", "database_description_value", "string")}
	a.add("Catalog Name", s.Catalog)
	a.add("Namespace Name", s.Name)
	a.add("Comment", orEmpty(s.Comment))
	return a, nil
}

func (w *work) showProperties(_ context.Context, st *dialect.ShowProperties) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		return nil, err
	}
	var properties map[string]string
	if t.View != nil {
		properties = t.View.Properties
	} else {
		properties = t.meta().shownProperties()
	}
	a := &answer{columns: columnsOf("key", "string", "value", "string")}
	if st.Key != nil {
		v, ok := properties[*st.Key]
		if !ok {
			v = fmt.Sprintf("Table %s does not have property: %s", t.Name, *st.Key)
		}
		a.add(*st.Key, v)
		return a, nil
	}
	for _, k := range slices.Sorted(maps.Keys(properties)) {
		a.add(k, properties[k])
	}
	return a, nil
}

// matches is Spark's pattern of SHOW: * stands for anything, | separates patterns, case does not matter.
func matches(pattern *string, name string) bool {
	if pattern == nil {
		return true
	}
	for _, p := range strings.Split(*pattern, "|") {
		p = strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(p)), `\*`, ".*")
		if re, err := regexp.Compile("(?is)^(?:" + p + ")$"); err == nil && re.MatchString(name) {
			return true
		}
	}
	return false
}

func (w *work) showTables(_ context.Context, st *dialect.ShowTables) (*answer, error) {
	catalog, name := w.session.Catalog, w.session.Schema
	if len(st.In.Parts) > 0 {
		var err error
		if catalog, name, err = w.schemaName(st.In); err != nil {
			return nil, err
		}
	}
	s := w.catalog.schemas[schemaKey(catalog, name)]
	if s == nil {
		return nil, errNoSchema(catalog, name)
	}
	a := &answer{columns: columnsOf("database", "string", "tableName", "string", "isTemporary", "boolean")}
	if st.Views {
		a.columns = columnsOf("namespace", "string", "viewName", "string", "isTemporary", "boolean")
	}
	for _, t := range w.catalog.tablesIn(catalog, name) {
		if matches(st.Like, t.Name.Table) && (!st.Views || t.View != nil) {
			a.add(s.Name, t.Name.Table, false)
		}
	}
	return a, nil
}

func (w *work) showSchemas(_ context.Context, st *dialect.ShowSchemas) (*answer, error) {
	catalog := w.session.Catalog
	if len(st.In.Parts) > 0 {
		catalog = st.In.Parts[0]
	}
	if _, ok := w.catalog.catalogs[fold(catalog)]; !ok {
		return nil, errNoCatalog(catalog)
	}
	a := &answer{columns: columnsOf("databaseName", "string")}
	for _, s := range w.catalog.schemasIn(catalog) {
		if matches(st.Like, s) {
			a.add(s)
		}
	}
	return a, nil
}

func (w *work) showCatalogs(_ context.Context, st *dialect.ShowCatalogs) (*answer, error) {
	a := &answer{columns: columnsOf("catalog", "string")}
	for _, k := range slices.Sorted(maps.Keys(w.catalog.catalogs)) {
		if name := w.catalog.catalogs[k]; matches(st.Like, name) {
			a.add(name)
		}
	}
	return a, nil
}

func (w *work) showColumns(_ context.Context, st *dialect.ShowColumns) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		return nil, err
	}
	var columns []column
	if t.View != nil {
		columns = t.View.Columns
	} else {
		columns = t.meta().Columns
	}
	a := &answer{columns: columnsOf("col_name", "string")}
	for _, c := range columns {
		a.add(c.Name)
	}
	return a, nil
}

// showCreate answers as Databricks does; Spark with Delta refuses it.
func (w *work) showCreate(_ context.Context, st *dialect.ShowCreateTable) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: columnsOf("createtab_stmt", "string")}
	if t.View != nil {
		a.add(fmt.Sprintf("CREATE VIEW %s AS %s", t.Name, t.View.Text))
		return a, nil
	}
	a.add(t.createText())
	return a, nil
}

func (t *table) createText() string {
	m := t.meta()
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (", t.Name)
	for i, c := range m.Columns {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s %s", quoteSpark(c.Name), strings.ToUpper(c.Type))
		if c.NotNull {
			b.WriteString(" NOT NULL")
		}
		if c.Generated != "" {
			fmt.Fprintf(&b, " GENERATED ALWAYS AS (%s)", c.Generated)
		}
		if c.Default != "" {
			fmt.Fprintf(&b, " DEFAULT %s", c.Default)
		}
		if c.Comment != nil {
			fmt.Fprintf(&b, " COMMENT %s", sparkText(*c.Comment))
		}
	}
	b.WriteString(")\nUSING delta\n")
	if len(m.PartitionBy) > 0 {
		fmt.Fprintf(&b, "PARTITIONED BY (%s)\n", strings.Join(m.PartitionBy, ", "))
	}
	if len(m.ClusterBy) > 0 {
		fmt.Fprintf(&b, "CLUSTER BY (%s)\n", strings.Join(m.ClusterBy, ","))
	}
	if m.Comment != nil {
		fmt.Fprintf(&b, "COMMENT %s\n", sparkText(*m.Comment))
	}
	shown := m.shownProperties()
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(shown)) {
		pairs = append(pairs, fmt.Sprintf("  %s = %s", sparkText(k), sparkText(shown[k])))
	}
	fmt.Fprintf(&b, "TBLPROPERTIES (\n%s)\n", strings.Join(pairs, ",\n"))
	return b.String()
}

func sparkText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

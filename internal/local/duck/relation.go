//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

var _ dialect.Resolver = (*work)(nil)

// maxViews bounds views inside views.
const maxViews = 50

// find is a table or view by a name as written.
func (w *work) find(n dialect.Name) (*table, error) {
	name, err := n.Complete(w.session.Catalog, w.session.Schema)
	if err != nil {
		return nil, err
	}
	t := w.catalog.tables[tableKey(name)]
	if t == nil {
		return nil, errNoTable(n)
	}
	return t, nil
}

// findTable is a table that is no view.
func (w *work) findTable(n dialect.Name, operation string) (*table, error) {
	t, err := w.find(n)
	if err != nil {
		return nil, err
	}
	if t.View != nil {
		return nil, errNotView(t.Name, operation)
	}
	return t, nil
}

// Relation gives the rows of a table at a version, or a view.
func (w *work) Relation(ctx context.Context, s dialect.Source) (dialect.Relation, error) {
	t, err := w.find(s.Name)
	if err != nil {
		return dialect.Relation{}, err
	}
	travels := s.Version != nil || s.TimestampSQL != ""
	if t.View != nil {
		if travels {
			return dialect.Relation{}, newError("UNSUPPORTED_FEATURE.TIME_TRAVEL", "The feature is not supported: Time travel on the relation: %s.", quoteSparkName(t.Name))
		}
		return w.expand(ctx, t)
	}
	version := t.version()
	if travels {
		if version, err = w.travel(ctx, t, s.Version, s.TimestampSQL); err != nil {
			return dialect.Relation{}, err
		}
	}
	m := t.metaAt(version)
	if gone := t.missingFile(version); gone != nil {
		if !s.CountOnly {
			return dialect.Relation{}, errFileMissing(t, gone)
		}
		return dialect.Relation{SQL: fmt.Sprintf("(SELECT %s FROM range(%d))", nulls(m), t.rowsAt(version)), Columns: m.engineColumns()}, nil
	}
	return dialect.Relation{SQL: "(" + t.rowsSQL(version, m.selected()) + ")", Columns: m.engineColumns()}, nil
}

func nulls(m *metadata) string {
	out := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = "NULL AS " + quoteName(c.Name)
	}
	return strings.Join(out, ", ")
}

// rowsSQL selects from the rows of a version. The latest needs no filter, nor does one after which no row has come or gone.
func (t *table) rowsSQL(version int64, selected string) string {
	m := t.metaAt(version)
	adds, removes := t.touched(version)
	if closed, ok := t.Closed[m.Store]; ok && m.Store != t.meta().Store {
		// The store was left at version closed: what it holds was live until then.
		adds, removes = t.touchedIn(version, closed)
	}
	q := "SELECT " + selected + " FROM " + m.rowsTable()
	if adds {
		q += fmt.Sprintf(" WHERE added <= %d", version)
	}
	if removes {
		q += fmt.Sprintf(" UNION ALL SELECT %s FROM %s WHERE added <= %d AND removed > %d", selected, m.removedTable(), version, version)
	}
	return q
}

// touchedIn is touched, for commits before a version.
func (t *table) touchedIn(version, before int64) (adds, removes bool) {
	for _, c := range t.commits {
		if c.Version > version && c.Version < before {
			adds = adds || c.Adds
			removes = removes || c.Removes
		}
	}
	return adds, removes
}

// missingFile is a file of a version that VACUUM has deleted, or nil.
func (t *table) missingFile(version int64) *file {
	for _, f := range t.files {
		if f.Vacuumed && f.liveAt(version) {
			return f
		}
	}
	return nil
}

// rowsAt counts the rows of a version from the files' statistics.
func (t *table) rowsAt(version int64) int64 {
	var n int64
	for _, f := range t.files {
		if f.liveAt(version) {
			n += f.Rows
		}
	}
	return n
}

// expand compiles a view in the session it was made in.
func (w *work) expand(ctx context.Context, t *table) (dialect.Relation, error) {
	if w.depth >= maxViews {
		return dialect.Relation{}, newError("VIEW_EXCEED_MAX_NESTED_DEPTH", "The depth of view %s exceeds the maximum view resolution depth (%d).", quoteSparkName(t.Name), maxViews)
	}
	inner := *w
	inner.depth++
	inner.session.Catalog, inner.session.Schema, inner.session.Zone = t.View.Catalog, t.View.Schema, t.View.Zone
	inner.session.Parameters = nil
	parsed, err := dialect.Parse(t.View.Text, inner.session)
	if err != nil {
		return dialect.Relation{}, fmt.Errorf("view %s: %w", t.Name, err)
	}
	q, ok := parsed.(*dialect.Query)
	if !ok {
		return dialect.Relation{}, fmt.Errorf("view %s: no query", t.Name)
	}
	compiled, err := inner.compile(ctx, q)
	if err != nil {
		return dialect.Relation{}, err
	}
	return t.View.relation(t.Name, compiled)
}

func (v *view) relation(name engine.Name, compiled dialect.Compiled) (dialect.Relation, error) {
	if len(compiled.Columns) != len(v.Columns) {
		return dialect.Relation{}, newError("INCOMPATIBLE_VIEW_SCHEMA_CHANGE", "The SQL query of view %s has an incompatible schema change: it has %d columns and had %d.", quoteSparkName(name), len(compiled.Columns), len(v.Columns))
	}
	names := make([]string, len(v.Columns))
	columns := make([]engine.Column, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = quoteName(c.Name)
		columns[i] = engine.Column{Name: c.Name, Type: compiled.Columns[i].Type, Nullable: true}
	}
	return dialect.Relation{SQL: "(SELECT * FROM (" + compiled.SQL + ") AS v(" + strings.Join(names, ", ") + "))", Columns: columns}, nil
}

package dialect

import (
	"context"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Merge prints a MERGE in pieces over the target's row t (or its Alias) and the source's row s.
func (r *Rewriter) Merge(ctx context.Context, m *Merge, t Target) (MergeSQL, error) {
	if m.SchemaEvolution {
		return MergeSQL{}, refuse("MERGE WITH SCHEMA EVOLUTION")
	}
	tsc, err := r.target(t, m.Alias)
	if err != nil {
		return MergeSQL{}, err
	}
	rel, err := r.from(ctx, m.Source, &scope{}, false)
	if err != nil {
		return MergeSQL{}, err
	}
	var out MergeSQL
	ssc := &scope{}
	var items []string
	used := map[string]bool{}
	for _, c := range rel.columns {
		name := c.name
		for n := int64(2); used[strings.ToLower(name)]; n++ {
			name = c.name + "_" + integerText(n)
		}
		used[strings.ToLower(name)] = true
		items = append(items, c.sql+" AS "+quoteDuck(name))
		out.Source.Columns = append(out.Source.Columns, engine.Column{Name: name, Type: c.typ.String(), Nullable: true})
		ssc.columns = append(ssc.columns, column{name: c.name, sql: "s." + quoteDuck(name), typ: c.typ, qualifiers: c.qualifiers})
	}
	out.Source.SQL = "(SELECT " + strings.Join(items, ", ") + " FROM " + rel.sql + ")"
	both := &scope{columns: append(append([]column(nil), tsc.columns...), ssc.columns...)}
	on, err := r.boolean(ctx, m.On, both)
	if err != nil {
		return MergeSQL{}, err
	}
	out.On = on.sql
	for _, c := range m.Clauses {
		p, err := r.mergeClause(ctx, c, tsc, ssc, both)
		if err != nil {
			return MergeSQL{}, err
		}
		out.Clauses = append(out.Clauses, p)
	}
	return out, nil
}

func (r *Rewriter) mergeClause(ctx context.Context, c MergeClause, tsc, ssc, both *scope) (MergeClauseSQL, error) {
	out := MergeClauseSQL{Kind: c.Kind, Action: c.Action}
	sc := both
	switch c.Kind {
	case NotMatched:
		sc = ssc
	case NotMatchedBySource:
		sc = tsc
	}
	if c.Condition != nil {
		v, err := r.boolean(ctx, c.Condition, sc)
		if err != nil {
			return out, err
		}
		out.Condition = v.sql
	}
	var err error
	switch {
	case c.Action == MergeDelete:
	case c.Star:
		out.Values, err = r.mergeStar(tsc, ssc)
	case c.Action == MergeUpdate:
		out.Values, err = r.assign(ctx, c.Set, tsc.columns, sc)
	default:
		out.Values, err = r.mergeInsert(ctx, c, tsc, sc)
	}
	return out, err
}

// mergeStar takes every target column from the source column of its name.
func (r *Rewriter) mergeStar(tsc, ssc *scope) ([]string, error) {
	values := make([]string, len(tsc.columns))
	for k, c := range tsc.columns {
		v, err := ssc.lookup(&ColumnRef{Parts: []string{c.name}})
		if err != nil {
			return nil, NewError("DELTA_MERGE_UNRESOLVED_EXPRESSION", "Cannot resolve "+c.name+" in the clause given columns of the source.")
		}
		if v, err = r.store(v, c.typ); err != nil {
			return nil, err
		}
		values[k] = v.sql
	}
	return values, nil
}

func (r *Rewriter) mergeInsert(ctx context.Context, c MergeClause, tsc, sc *scope) ([]string, error) {
	values := make([]string, len(tsc.columns))
	for k, col := range tsc.columns {
		values[k] = "CAST(NULL AS " + col.typ.Duck() + ")"
	}
	for k, name := range c.Columns {
		at := -1
		for j, col := range tsc.columns {
			if strings.EqualFold(col.name, name) {
				at = j
			}
		}
		if at < 0 {
			return nil, tsc.unresolved(&ColumnRef{Parts: []string{name}})
		}
		v, err := r.expr(ctx, c.Values[k], sc)
		if err != nil {
			return nil, err
		}
		if v, err = r.store(v, tsc.columns[at].typ); err != nil {
			return nil, err
		}
		values[at] = v.sql
	}
	return values, nil
}

// changes reads the arguments of table_changes: a name, and constants for start and end.
func (r *Rewriter) changes(ctx context.Context, f *functionRef) (Changes, error) {
	if len(f.args) < 2 || len(f.args) > 3 {
		return Changes{}, wrongArguments("table_changes", len(f.args))
	}
	n, nerr := constantName(f.args[0], r.session)
	if nerr != nil {
		return Changes{}, nerr
	}
	c := Changes{Name: n}
	var err error
	if c.Start, c.StartTimestampSQL, err = r.changePoint(ctx, f.args[1]); err != nil {
		return Changes{}, err
	}
	if len(f.args) == 3 {
		c.End, c.EndTimestampSQL, err = r.changePoint(ctx, f.args[2])
	}
	return c, err
}

// changePoint is a version, or a timestamp as SQL.
func (r *Rewriter) changePoint(ctx context.Context, e Expr) (*int64, string, error) {
	if l, ok := r.bound(e).(*literal); ok && l.typ.integral() {
		n, err := parseVersion(l.text)
		return n, "", err
	}
	sql, err := r.Timestamp(ctx, e)
	return nil, sql, err
}

func parseVersion(text string) (*int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, NewError("DELTA_VERSION_INVALID", "The provided version '"+text+"' is not a valid version.")
	}
	return &n, nil
}

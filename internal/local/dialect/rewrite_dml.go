package dialect

import (
	"context"
	"fmt"
	"strings"
)

// target is the scope of the row a command writes.
func (r *Rewriter) target(t Target, alias string) (*scope, error) {
	sc := &scope{}
	for _, c := range t.Columns {
		typ, err := ParseType(c.Type)
		if err != nil {
			return nil, err
		}
		q := []string{t.Name.Catalog, t.Name.Schema, t.Name.Table}
		if alias != "" {
			q = []string{alias}
		}
		sc.columns = append(sc.columns, column{name: c.Name, sql: or(t.Alias, "t") + "." + quoteDuck(c.Name), typ: typ, qualifiers: q})
	}
	return sc, nil
}

// Predicate prints a condition over the target's row.
func (r *Rewriter) Predicate(ctx context.Context, t Target, e Expr) (string, error) {
	sc, err := r.target(t, t.As)
	if err != nil {
		return "", err
	}
	v, err := r.boolean(ctx, e, sc)
	return v.sql, err
}

// Timestamp prints the expression of TIMESTAMP AS OF as a DuckDB TIMESTAMP in UTC.
func (r *Rewriter) Timestamp(ctx context.Context, e Expr) (string, error) {
	v, err := r.expr(ctx, e, &scope{})
	if err != nil {
		return "", err
	}
	if v.typ.Kind == Void {
		return "", NewError("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "The time travel timestamp expression \""+prettyName(e)+
			"\" is invalid. Cannot be casted to the \"TIMESTAMP\" type.")
	}
	if v.lit != nil && v.typ.Kind == String {
		if _, ok := parseTimestamp(v.lit.text); !ok {
			return "", NewError("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "The time travel timestamp expression \""+prettyName(e)+
				"\" is invalid. Cannot be casted to the \"TIMESTAMP\" type.")
		}
	}
	v, err = r.castTo(v, simple(Timestamp), false)
	return v.sql, err
}

// Insert prints a query that yields exactly the target's columns, in order and in their types: columns not given
// are their default or NULL, generated ones are left to Generated (NULL here).
func (r *Rewriter) Insert(ctx context.Context, i *Insert, t Target) (Compiled, error) {
	p, err := r.query(ctx, i.Query, nil, nil)
	if err != nil {
		return Compiled{}, err
	}
	given, err := insertColumns(i, t, p)
	if err != nil {
		return Compiled{}, err
	}
	alias := r.alias("r")
	sc, err := r.target(t, "")
	if err != nil {
		return Compiled{}, err
	}
	var out Compiled
	var items []string
	for k, c := range sc.columns {
		v := value{sql: "NULL", typ: simple(Void)}
		at := given[k]
		switch {
		case at >= 0:
			v = value{sql: alias + "." + quoteDuck(p.columns[at].sqlName), typ: p.columns[at].typ}
		case t.Columns[k].Default != "":
			if v, err = r.text(ctx, t.Columns[k].Default, &scope{}); err != nil {
				return Compiled{}, err
			}
		}
		if v, err = r.store(v, c.typ); err != nil {
			return Compiled{}, err
		}
		items = append(items, v.sql+" AS "+quoteDuck(c.name))
		out.Columns = append(out.Columns, t.Columns[k].Column)
	}
	out.SQL = "SELECT " + strings.Join(items, ", ") + " FROM (" + p.sql + ") AS " + alias
	return out, nil
}

// store converts a value to the type of the column it is written to.
func (r *Rewriter) store(v value, t Type) (value, error) { return r.castTo(v, t, false) }

// text prints an expression kept as Spark SQL text.
func (r *Rewriter) text(ctx context.Context, text string, sc *scope) (value, error) {
	e, err := parseExpr(text, r.session)
	if err != nil {
		return value{}, err
	}
	return r.expr(ctx, e, sc)
}

func parseExpr(text string, s Session) (Expr, error) {
	st, err := Parse("SELECT "+text, s)
	if err != nil {
		return nil, err
	}
	q, _ := st.(*Query)
	if q != nil {
		if sel, ok := q.Body.(*selectBody); ok && len(sel.items) == 1 {
			return sel.items[0].expr, nil
		}
	}
	return nil, refuse("the expression %s", text)
}

// insertColumns says for each target column which column of the query it takes, -1 for none.
func insertColumns(i *Insert, t Target, p printed) ([]int, error) {
	out := make([]int, len(t.Columns))
	for k := range out {
		out[k] = -1
	}
	names := i.Columns
	switch {
	case i.ByName:
		names = nil
		for _, c := range p.columns {
			names = append(names, c.name)
		}
	case names == nil:
		for _, c := range t.Columns {
			if c.Generated == "" || len(p.columns) == len(t.Columns) {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) != len(p.columns) {
		class := "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
		if len(names) < len(p.columns) {
			class = "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
		}
		return nil, NewError(class, fmt.Sprintf("Cannot write to `%s`, the reason is a mismatch of columns: the table has %d, the data %d.",
			t.Name.Table, len(names), len(p.columns)))
	}
	for k, name := range names {
		at := -1
		for j, c := range t.Columns {
			if strings.EqualFold(c.Name, name) {
				at = j
			}
		}
		if at < 0 {
			return nil, unknownTarget(t, name)
		}
		if out[at] >= 0 {
			return nil, NewError("COLUMN_ALREADY_EXISTS", "The column "+quoteSpark(strings.ToLower(name))+" already exists. Choose another name.")
		}
		out[at] = k
	}
	return out, nil
}

func unknownTarget(t Target, name string) error {
	sc := &scope{}
	for _, c := range t.Columns {
		sc.columns = append(sc.columns, column{name: c.Name})
	}
	return sc.unresolved(&ColumnRef{Parts: []string{name}})
}

// Update prints an UPDATE over the target's row.
func (r *Rewriter) Update(ctx context.Context, u *Update, t Target) (UpdateSQL, error) {
	sc, err := r.target(t, u.Alias)
	if err != nil {
		return UpdateSQL{}, err
	}
	var out UpdateSQL
	if u.Where != nil {
		w, err := r.boolean(ctx, u.Where, sc)
		if err != nil {
			return out, err
		}
		out.Where = w.sql
	}
	out.Values, err = r.assign(ctx, u.Set, sc.columns, sc)
	return out, err
}

// assign gives each target column its new value: what is assigned, or what it was.
func (r *Rewriter) assign(ctx context.Context, set []Assignment, columns []column, sc *scope) ([]string, error) {
	values := make([]string, len(columns))
	for k, c := range columns {
		values[k] = c.sql
	}
	seen := map[int]bool{}
	for _, a := range set {
		at := -1
		for k, c := range columns {
			name := a.Column.Parts[len(a.Column.Parts)-1]
			if strings.EqualFold(c.name, name) && c.matches(a.Column.Parts[:len(a.Column.Parts)-1]) {
				at = k
			}
		}
		if at < 0 {
			return nil, (&scope{columns: columns}).unresolved(a.Column)
		}
		if seen[at] {
			return nil, NewError("DELTA_CONFLICT_SET_COLUMN", "There is a conflict from these SET columns: "+quoteParts(a.Column.Parts)+".")
		}
		seen[at] = true
		v, err := r.expr(ctx, a.Value, sc)
		if err != nil {
			return nil, err
		}
		if v, err = r.store(v, columns[at].typ); err != nil {
			return nil, err
		}
		values[at] = v.sql
	}
	return values, nil
}

// Generated prints the generation expressions over the target's row, "" for a column that has none.
func (r *Rewriter) Generated(ctx context.Context, t Target) ([]string, error) {
	sc, err := r.target(t, "")
	if err != nil {
		return nil, err
	}
	out := make([]string, len(t.Columns))
	for k, c := range t.Columns {
		if c.Generated == "" {
			continue
		}
		v, err := r.text(ctx, c.Generated, sc)
		if err != nil {
			return nil, err
		}
		if v, err = r.store(v, sc.columns[k].typ); err != nil {
			return nil, err
		}
		out[k] = v.sql
	}
	return out, nil
}

package dialect

import (
	"context"
	"strings"
)

// relation is a FROM item as SQL with its alias, and the columns it brings.
type relation struct {
	sql     string
	columns []column
}

// from prints what a FROM reads. sc is the scope of its query: its parent and CTEs are in sight.
func (r *Rewriter) from(ctx context.Context, f FromItem, sc *scope, countOnly bool) (relation, error) {
	switch f := f.(type) {
	case *tableRef:
		return r.table(ctx, f, sc, countOnly)
	case *subqueryRef:
		outer := sc.parent
		if f.lateral {
			outer = sc
		}
		p, err := r.query(ctx, f.query, outer, sc.ctes)
		if err != nil {
			return relation{}, err
		}
		prefix := ""
		if f.lateral {
			prefix = "LATERAL "
		}
		return r.named(prefix+"("+p.sql+")", p.columns, f.alias, f.columns)
	case *functionRef:
		return r.tableFunction(ctx, f, sc)
	case *joinRef:
		return r.join(ctx, f, sc)
	case *lateralView:
		return r.lateralView(ctx, f, sc)
	}
	return relation{}, refuse("this form of FROM")
}

// named gives a printed relation its alias and its columns their SQL.
func (r *Rewriter) named(sql string, columns []outColumn, alias string, names []string) (relation, error) {
	columns, err := renamed(columns, names)
	if err != nil {
		return relation{}, err
	}
	unique := r.alias("r")
	rel := relation{sql: sql + " AS " + unique}
	var qualifiers []string
	if alias != "" {
		qualifiers = []string{alias}
	}
	for _, c := range columns {
		rel.columns = append(rel.columns, column{name: c.name, sql: unique + "." + quoteDuck(c.sqlName), typ: c.typ, qualifiers: qualifiers})
	}
	return rel, nil
}

func (r *Rewriter) table(ctx context.Context, t *tableRef, sc *scope, countOnly bool) (relation, error) {
	name := t.name
	if t.ident != nil {
		n, err := constantName(t.ident, r.session)
		if err != nil {
			return relation{}, err
		}
		name = n
	}
	if len(name.Parts) == 1 && t.asOf == nil {
		if c := sc.ctes.find(name.Parts[0]); c != nil {
			alias := t.alias
			if alias == "" {
				alias = name.Parts[0]
			}
			return r.named(c.sql, c.columns, alias, t.columns)
		}
	}
	src := Source{Name: name, Alias: t.alias, CountOnly: countOnly}
	if t.asOf != nil {
		src.Version = t.asOf.Version
		if t.asOf.Timestamp != nil {
			at, err := r.Timestamp(ctx, t.asOf.Timestamp)
			if err != nil {
				return relation{}, err
			}
			src.TimestampSQL = at
		}
	}
	found, err := r.resolver.Relation(ctx, src)
	if err != nil {
		return relation{}, err
	}
	return r.resolved(found, name, t.alias, t.columns)
}

// resolved names what the resolver found; without alias the table's own name qualifies its columns.
func (r *Rewriter) resolved(found Relation, name Name, alias string, names []string) (relation, error) {
	var columns []outColumn
	for _, c := range found.Columns {
		t, err := ParseType(c.Type)
		if err != nil {
			return relation{}, err
		}
		columns = append(columns, outColumn{name: c.Name, sqlName: c.Name, typ: t})
	}
	rel, err := r.named(found.SQL, columns, alias, names)
	if err != nil || alias != "" {
		return rel, err
	}
	full := name.Parts
	if n, err := name.Complete(or(r.session.Catalog, "main"), or(r.session.Schema, "default")); err == nil {
		full = []string{n.Catalog, n.Schema, n.Table}
	}
	for i := range rel.columns {
		rel.columns[i].qualifiers = full
	}
	return rel, nil
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (r *Rewriter) join(ctx context.Context, j *joinRef, sc *scope) (relation, error) {
	left, err := r.from(ctx, j.left, sc, false)
	if err != nil {
		return relation{}, err
	}
	beside := &scope{parent: sc.parent, ctes: sc.ctes, columns: left.columns}
	right, err := r.from(ctx, j.right, beside, false)
	if err != nil {
		return relation{}, err
	}
	both := append(append([]column(nil), left.columns...), right.columns...)
	on, columns, err := r.joinCondition(ctx, j, sc, left, right, both)
	if err != nil {
		return relation{}, err
	}
	words := map[string]string{"INNER": "JOIN", "CROSS": "CROSS JOIN", "SEMI": "SEMI JOIN", "ANTI": "ANTI JOIN", "LEFT": "LEFT JOIN",
		"RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN"}
	word := words[j.kind]
	switch {
	case on == "" && (j.kind == "INNER" || j.kind == "CROSS"):
		word = "CROSS JOIN"
	case on == "":
		on = "TRUE"
	}
	if word != "CROSS JOIN" {
		on = " ON " + on
	}
	rightSQL := right.sql
	if _, nested := j.right.(*joinRef); nested {
		rightSQL = "(" + rightSQL + ")"
	}
	return relation{sql: left.sql + " " + word + " " + rightSQL + on, columns: columns}, nil
}

// joinCondition prints ON and gives the columns after the join.
func (r *Rewriter) joinCondition(ctx context.Context, j *joinRef, sc *scope, left, right relation, both []column) (string, []column, error) {
	columns := both
	if j.kind == "SEMI" || j.kind == "ANTI" {
		columns = left.columns
	}
	if len(j.using) == 0 {
		if j.on == nil {
			return "", columns, nil
		}
		v, err := r.boolean(ctx, j.on, &scope{parent: sc.parent, ctes: sc.ctes, columns: both})
		return v.sql, columns, err
	}
	var conditions []string
	var merged []column
	hide := map[string]bool{}
	for _, name := range j.using {
		ref := &ColumnRef{Parts: []string{name}}
		l, err := (&scope{columns: left.columns}).lookup(ref)
		if err != nil {
			return "", nil, err
		}
		rv, err := (&scope{columns: right.columns}).lookup(ref)
		if err != nil {
			return "", nil, err
		}
		eq, err := r.compare("=", l, rv)
		if err != nil {
			return "", nil, err
		}
		conditions = append(conditions, eq.sql)
		m, err := r.mergedColumn(j.kind, l, rv)
		if err != nil {
			return "", nil, err
		}
		merged = append(merged, column{name: columnName(left.columns, name), sql: m.sql, typ: m.typ})
		hide[strings.ToLower(name)] = true
	}
	if j.kind == "SEMI" || j.kind == "ANTI" {
		return strings.Join(conditions, " AND "), left.columns, nil
	}
	for _, c := range columns {
		c.hidden = c.hidden || hide[strings.ToLower(c.name)]
		merged = append(merged, c)
	}
	return strings.Join(conditions, " AND "), merged, nil
}

func columnName(columns []column, name string) string {
	for _, c := range columns {
		if strings.EqualFold(c.name, name) {
			return c.name
		}
	}
	return name
}

func (r *Rewriter) mergedColumn(kind string, l, rv value) (value, error) {
	switch kind {
	case "RIGHT":
		return rv, nil
	case "FULL":
		return r.sameType("coalesce", []value{l, rv})
	}
	return l, nil
}

// tableFunction prints range, table_changes and the generators.
func (r *Rewriter) tableFunction(ctx context.Context, f *functionRef, sc *scope) (relation, error) {
	alias := f.alias
	if alias == "" {
		alias = f.name
	}
	switch strings.ToLower(f.name) {
	case "range":
		sql, err := r.rangeFunction(ctx, f, sc)
		if err != nil {
			return relation{}, err
		}
		return r.named(sql, []outColumn{{name: "id", sqlName: "id", typ: simple(BigInt)}}, alias, f.columns)
	case "table_changes":
		c, err := r.changes(ctx, f)
		if err != nil {
			return relation{}, err
		}
		found, err := r.resolver.Changes(ctx, c)
		if err != nil {
			return relation{}, err
		}
		return r.resolved(found, c.Name, alias, f.columns)
	case "explode":
		p, err := r.explode(ctx, &call{name: "explode", args: f.args}, &scope{parent: sc.parent, ctes: sc.ctes, columns: sc.columns})
		if err != nil {
			return relation{}, err
		}
		return r.named("LATERAL ("+p.sql+")", p.columns, alias, f.columns)
	}
	return relation{}, refuse("the table function %s", strings.ToLower(f.name))
}

func (r *Rewriter) rangeFunction(ctx context.Context, f *functionRef, sc *scope) (string, error) {
	if len(f.args) < 1 || len(f.args) > 4 {
		return "", wrongArguments("range", len(f.args))
	}
	args := make([]string, len(f.args))
	for i, e := range f.args {
		v, err := r.expr(ctx, e, &scope{parent: sc.parent, ctes: sc.ctes})
		if err != nil {
			return "", err
		}
		if v, err = r.castTo(v, simple(BigInt), false); err != nil {
			return "", err
		}
		args[i] = v.sql
	}
	// The fourth argument is the number of partitions, which has no meaning here.
	list := strings.Join(args[:min(3, len(args))], ", ")
	return "(SELECT range AS id FROM range(" + list + "))", nil
}

// explode prints a query that yields the elements of an array as the column col.
func (r *Rewriter) explode(ctx context.Context, c *call, sc *scope) (printed, error) {
	v, err := r.generator(ctx, c, sc)
	if err != nil {
		return printed{}, err
	}
	return printed{sql: "SELECT " + v.sql + " AS col", columns: []outColumn{{name: "col", sqlName: "col", typ: v.typ}}}, nil
}

func (r *Rewriter) lateralView(ctx context.Context, f *lateralView, sc *scope) (relation, error) {
	left, err := r.from(ctx, f.input, sc, false)
	if err != nil {
		return relation{}, err
	}
	if f.call.name != "explode" && f.call.name != "EXPLODE" || len(f.columns) != 1 {
		return relation{}, refuse("LATERAL VIEW %s with %d columns", f.call.name, len(f.columns))
	}
	p, err := r.explode(ctx, f.call, &scope{parent: sc.parent, ctes: sc.ctes, columns: left.columns})
	if err != nil {
		return relation{}, err
	}
	right, err := r.named("LATERAL ("+p.sql+")", p.columns, f.table, f.columns)
	if err != nil {
		return relation{}, err
	}
	join := " CROSS JOIN "
	on := ""
	if f.outer {
		join, on = " LEFT JOIN ", " ON TRUE"
	}
	return relation{sql: left.sql + join + right.sql + on, columns: append(left.columns, right.columns...)}, nil
}

package dialect

import (
	"context"
	"strconv"
	"strings"
)

// selectQuery prints a SELECT and the ORDER BY of its query.
func (r *Rewriter) selectQuery(ctx context.Context, s *selectBody, q *Query, outer *scope, ctes *cteScope) (printed, string, error) {
	sc := &scope{parent: outer, ctes: ctes, windows: s.windows, outputs: map[string]value{}}
	from := ""
	if s.from != nil {
		rel, err := r.from(ctx, s.from, sc, s.countsOnly())
		if err != nil {
			return printed{}, "", err
		}
		sc.columns = rel.columns
		from = " FROM " + rel.sql
	}
	where, err := r.condition(ctx, " WHERE ", s.where, &scope{parent: outer, ctes: ctes, columns: sc.columns})
	if err != nil {
		return printed{}, "", err
	}
	values, out, err := r.items(ctx, s.items, sc)
	if err != nil {
		return printed{}, "", err
	}
	group, err := r.groupBy(ctx, s, values, sc)
	if err != nil {
		return printed{}, "", err
	}
	having, err := r.condition(ctx, " HAVING ", s.having, sc)
	if err != nil {
		return printed{}, "", err
	}
	qualify, err := r.condition(ctx, " QUALIFY ", s.qualify, sc)
	if err != nil {
		return printed{}, "", err
	}
	order, err := r.orderBy(ctx, q, values, out, sc)
	if err != nil {
		return printed{}, "", err
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.sql + " AS " + quoteDuck(out[i].sqlName)
	}
	word := "SELECT "
	if s.distinct {
		word += "DISTINCT "
	}
	return printed{sql: word + strings.Join(texts, ", ") + from + where + group + having + qualify, columns: out}, order, nil
}

// countsOnly says that the query is SELECT count(*) FROM one table and nothing else.
func (s *selectBody) countsOnly() bool {
	if len(s.items) != 1 || s.where != nil || s.group != nil || s.groupAll || s.having != nil || s.distinct || s.qualify != nil {
		return false
	}
	c, ok := s.items[0].expr.(*call)
	if !ok || !c.star || c.name != "count" || c.filter != nil || c.over != nil || c.overName != "" {
		return false
	}
	_, table := s.from.(*tableRef)
	return table
}

func (r *Rewriter) condition(ctx context.Context, word string, e Expr, sc *scope) (string, error) {
	if e == nil {
		return "", nil
	}
	v, err := r.boolean(ctx, e, sc)
	return word + v.sql, err
}

// boolean prints a condition.
func (r *Rewriter) boolean(ctx context.Context, e Expr, sc *scope) (value, error) {
	v, err := r.expr(ctx, e, sc)
	if err != nil {
		return v, err
	}
	if v.typ.Kind != Boolean && v.typ.Kind != Void && v.typ.Kind != String {
		return v, NewError("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "Cannot resolve \""+prettyName(e)+
			"\" due to data type mismatch: a condition must be boolean, not "+v.typ.String()+".")
	}
	return r.castTo(v, simple(Boolean), false)
}

// items prints the select list, stars expanded, under unique names.
func (r *Rewriter) items(ctx context.Context, items []selectItem, sc *scope) ([]value, []outColumn, error) {
	var values []value
	var out []outColumn
	used := map[string]bool{}
	add := func(v value, name string) {
		unique := name
		for n := 2; used[strings.ToLower(unique)] || unique == ""; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		used[strings.ToLower(unique)] = true
		values = append(values, v)
		out = append(out, outColumn{name: name, sqlName: unique, typ: v.typ})
	}
	for _, i := range items {
		if st, ok := i.expr.(*star); ok {
			columns, err := st.expand(sc)
			if err != nil {
				return nil, nil, err
			}
			for _, c := range columns {
				add(value{sql: c.sql, typ: c.typ}, c.name)
			}
			continue
		}
		v, err := r.item(ctx, i.expr, sc)
		if err != nil {
			return nil, nil, err
		}
		if v.typ.Kind == Struct && len(v.typ.Elem) == 0 {
			return nil, nil, refuse("a struct without fields")
		}
		name := i.alias
		if name == "" {
			name = r.itemName(i.expr, v)
		}
		add(v, name)
		if _, taken := sc.outputs[strings.ToLower(name)]; !taken && i.alias != "" {
			sc.outputs[strings.ToLower(name)] = value{sql: v.sql, typ: v.typ, lit: v.lit, aggregate: v.aggregate, window: v.window, volatile: v.volatile}
		}
	}
	return values, out, nil
}

// item prints an expression of the select list, where alone a generator may stand.
func (r *Rewriter) item(ctx context.Context, e Expr, sc *scope) (value, error) {
	if c, ok := e.(*call); ok && c.name == "explode" {
		return r.generator(ctx, c, sc)
	}
	return r.expr(ctx, e, sc)
}

func (r *Rewriter) itemName(e Expr, v value) string {
	if v.generator {
		return "col"
	}
	return nameOf(r.bound(e))
}

func (s *star) expand(sc *scope) ([]column, error) {
	var out []column
	for _, c := range sc.columns {
		if len(s.qualifier) == 0 && c.hidden || len(s.qualifier) > 0 && !c.matches(s.qualifier) {
			continue
		}
		keep := true
		for _, x := range s.except {
			keep = keep && !strings.EqualFold(x, c.name)
		}
		if keep {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		if len(s.qualifier) > 0 {
			return nil, NewError("CANNOT_RESOLVE_STAR_EXPAND", "Cannot resolve "+quoteParts(s.qualifier)+".* given the input columns.")
		}
		return nil, NewError("INVALID_USAGE_OF_STAR_OR_REGEX", "Invalid usage of '*': there are no columns.")
	}
	return out, nil
}

func (r *Rewriter) groupBy(ctx context.Context, s *selectBody, values []value, sc *scope) (string, error) {
	var keys []string
	if s.groupAll {
		for _, v := range values {
			if !v.aggregate && v.lit == nil {
				keys = append(keys, v.sql)
			}
		}
	}
	for _, e := range s.group {
		n, ok, err := ordinal(e, len(values), "GROUP_BY_POS_OUT_OF_RANGE")
		if err != nil {
			return "", err
		}
		if ok {
			keys = append(keys, keySQL(values[n-1]))
			continue
		}
		v, err := r.expr(ctx, e, sc)
		if err != nil {
			return "", err
		}
		if v.aggregate {
			return "", NewError("GROUP_BY_AGGREGATE", "Aggregate functions are not allowed in GROUP BY, but found "+prettyName(e)+".")
		}
		keys = append(keys, keySQL(v))
	}
	if len(keys) == 0 {
		return "", nil
	}
	return " GROUP BY " + strings.Join(keys, ", "), nil
}

// keySQL prints a key of GROUP BY or ORDER BY: DuckDB takes a bare number there for a position.
func keySQL(v value) string {
	if strings.Trim(v.sql, "()0123456789") == "" || strings.HasPrefix(v.sql, "'") || v.lit != nil {
		return "CAST(" + v.sql + " AS " + v.typ.Duck() + ")"
	}
	return v.sql
}

// orderBy prints ORDER BY: outputs by position, everything else as an expression.
func (r *Rewriter) orderBy(ctx context.Context, q *Query, values []value, out []outColumn, sc *scope) (string, error) {
	if len(q.Order) == 0 {
		return "", nil
	}
	ordered := *sc
	ordered.preferOutputs = true
	var items []string
	for _, o := range q.Order {
		if q.OrderAll {
			all, err := r.orderByOutput(o, true, out)
			if err != nil {
				return "", err
			}
			items = append(items, all...)
			continue
		}
		n, ok, err := ordinal(o.expr, len(values), "ORDER_BY_POS_OUT_OF_RANGE")
		if err != nil {
			return "", err
		}
		if !ok {
			n = outputPosition(o.expr, out)
		}
		if n == 0 {
			v, err := r.expr(ctx, o.expr, &ordered)
			if err != nil {
				return "", err
			}
			for i, item := range values {
				if item.sql == v.sql {
					n = i + 1
				}
			}
			if n == 0 {
				items = append(items, keySQL(v)+" "+o.direction())
				continue
			}
		}
		items = append(items, strconv.Itoa(n)+" "+o.direction())
	}
	return " ORDER BY " + strings.Join(items, ", "), nil
}

// outputPosition finds an output by its name alone, when only one has it.
func outputPosition(e Expr, out []outColumn) int {
	c, ok := e.(*ColumnRef)
	if !ok || len(c.Parts) != 1 {
		return 0
	}
	at := 0
	for i, o := range out {
		if strings.EqualFold(o.name, c.Parts[0]) {
			if at != 0 {
				return 0
			}
			at = i + 1
		}
	}
	return at
}

package dialect

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// NewRewriter is a rewriter for one statement.
func NewRewriter(s Session, r Resolver) (*Rewriter, error) {
	zone, err := loadZone(s.Zone)
	if err != nil {
		return nil, err
	}
	return &Rewriter{session: s, zone: zone, resolver: r}, nil
}

// Query prints a query.
func (r *Rewriter) Query(ctx context.Context, q *Query) (Compiled, error) {
	c, err := r.query(ctx, q, nil, nil)
	if err != nil {
		return Compiled{}, err
	}
	out := Compiled{SQL: c.sql}
	for _, col := range c.columns {
		out.Columns = append(out.Columns, engine.Column{Name: col.name, Type: col.typ.String(), Nullable: true})
	}
	return out, nil
}

// printed is a query as SQL with its columns.
type printed struct {
	sql     string
	columns []outColumn
}

// query prints a query inside outer, with the CTEs in sight.
func (r *Rewriter) query(ctx context.Context, q *Query, outer *scope, ctes *cteScope) (printed, error) {
	var with []string
	for _, c := range q.With {
		p, err := r.query(ctx, c.query, nil, ctes)
		if err != nil {
			return printed{}, err
		}
		if p.columns, err = renamed(p.columns, c.columns); err != nil {
			return printed{}, err
		}
		name := r.alias("wt_cte")
		with = append(with, name+" AS ("+p.sql+")")
		ctes = &cteScope{name: c.name, sql: name, columns: p.columns, parent: ctes}
	}
	p, order, err := r.bodyOrdered(ctx, q, outer, ctes)
	if err != nil {
		return printed{}, err
	}
	var b strings.Builder
	if len(with) > 0 {
		b.WriteString("WITH " + strings.Join(with, ", ") + " ")
	}
	b.WriteString(p.sql + order)
	for _, clause := range []struct {
		word string
		expr Expr
	}{{" LIMIT ", q.Limit}, {" OFFSET ", q.Offset}} {
		if clause.expr == nil {
			continue
		}
		n, err := r.constantCount(ctx, clause.expr)
		if err != nil {
			return printed{}, err
		}
		b.WriteString(clause.word + n)
	}
	p.sql = b.String()
	return p, nil
}

// constantCount prints the operand of LIMIT or OFFSET.
func (r *Rewriter) constantCount(ctx context.Context, e Expr) (string, error) {
	v, err := r.expr(ctx, e, &scope{})
	if err != nil {
		return "", err
	}
	if !v.typ.integral() {
		return "", NewError("INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE", "The limit like expression "+quoteSpark(prettyName(e))+
			" is invalid. It must be an integer type, but got "+v.typ.String()+".")
	}
	if v.lit != nil && strings.HasPrefix(v.lit.text, "-") {
		return "", NewError("INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", "The limit like expression must not be negative: "+v.lit.text+".")
	}
	return v.sql, nil
}

// bodyOrdered prints a body and the ORDER BY that belongs to it.
func (r *Rewriter) bodyOrdered(ctx context.Context, q *Query, outer *scope, ctes *cteScope) (printed, string, error) {
	if s, ok := q.Body.(*selectBody); ok {
		return r.selectQuery(ctx, s, q, outer, ctes)
	}
	p, err := r.body(ctx, q.Body, outer, ctes)
	if err != nil || len(q.Order) == 0 {
		return p, "", err
	}
	var items []string
	for _, o := range q.Order {
		item, err := r.orderByOutput(o, q.OrderAll, p.columns)
		if err != nil {
			return p, "", err
		}
		items = append(items, item...)
	}
	return p, " ORDER BY " + strings.Join(items, ", "), nil
}

// orderByOutput orders by columns of the result alone, as after a set operation.
func (r *Rewriter) orderByOutput(o orderItem, all bool, columns []outColumn) ([]string, error) {
	if all {
		var items []string
		for i := range columns {
			items = append(items, strconv.Itoa(i+1)+" "+o.direction())
		}
		return items, nil
	}
	if n, ok, err := ordinal(o.expr, len(columns), "ORDER_BY_POS_OUT_OF_RANGE"); ok || err != nil {
		return []string{strconv.Itoa(n) + " " + o.direction()}, err
	}
	if c, ok := o.expr.(*ColumnRef); ok {
		for i, out := range columns {
			if strings.EqualFold(out.name, c.Parts[len(c.Parts)-1]) {
				return []string{strconv.Itoa(i+1) + " " + o.direction()}, nil
			}
		}
		known := &scope{}
		for _, out := range columns {
			known.columns = append(known.columns, column{name: out.name})
		}
		return nil, known.unresolved(c)
	}
	return nil, refuse("ORDER BY an expression after a set operation or VALUES")
}

// ordinal reads a position in GROUP BY or ORDER BY.
func ordinal(e Expr, count int, class string) (int, bool, error) {
	l, ok := e.(*literal)
	if !ok || l.typ.Kind != Int {
		return 0, false, nil
	}
	n, _ := strconv.Atoi(l.text)
	if n < 1 || n > count {
		return 0, false, NewError(class, fmt.Sprintf("Position %d is not in the select list (valid range is [1, %d]).", n, count))
	}
	return n, true, nil
}

// body prints a set operation, VALUES, or a query in parentheses.
func (r *Rewriter) body(ctx context.Context, b body, outer *scope, ctes *cteScope) (printed, error) {
	switch b := b.(type) {
	case *Query:
		p, err := r.query(ctx, b, outer, ctes)
		p.sql = "SELECT * FROM (" + p.sql + ") " + r.alias("r")
		return p, err
	case *selectBody:
		p, _, err := r.selectQuery(ctx, b, &Query{}, outer, ctes)
		return p, err
	case *valuesBody:
		return r.values(ctx, b, outer, ctes)
	case *setOp:
		return r.setOperation(ctx, b, outer, ctes)
	}
	return printed{}, refuse("this form of query")
}

// setOperation prints a chain of one operator side by side: DuckDB bounds how deep queries may nest.
func (r *Rewriter) setOperation(ctx context.Context, s *setOp, outer *scope, ctes *cteScope) (printed, error) {
	bodies := []body{s.right}
	left := s.left
	for s.op != "EXCEPT" {
		l, ok := left.(*setOp)
		if !ok || l.op != s.op || l.all != s.all {
			break
		}
		bodies, left = append(bodies, l.right), l.left
	}
	bodies = append(bodies, left)
	slices.Reverse(bodies)
	var all []printed
	var types []Type
	for _, b := range bodies {
		p, err := r.body(ctx, b, outer, ctes)
		if err != nil {
			return printed{}, err
		}
		if all = append(all, p); len(all) == 1 {
			for _, c := range p.columns {
				types = append(types, c.typ)
			}
		}
		if types, err = wider(s.op, types, p.columns); err != nil {
			return printed{}, err
		}
	}
	texts := make([]string, len(all))
	for i, p := range all {
		sql, err := r.withTypes(p, types)
		if err != nil {
			return printed{}, err
		}
		texts[i] = "SELECT * FROM (" + sql + ") " + r.alias("r")
	}
	op := " " + s.op + " "
	if s.all {
		op += "ALL "
	}
	out := printed{sql: strings.Join(texts, op), columns: all[0].columns}
	for i := range types {
		out.columns[i].typ = types[i]
	}
	return out, nil
}

// wider is the common type of each column so far with the columns of one more query.
func wider(op string, types []Type, columns []outColumn) ([]Type, error) {
	if len(types) != len(columns) {
		return nil, NewError("NUM_COLUMNS_MISMATCH", fmt.Sprintf("%s can only be performed on inputs with the same number of columns, "+
			"but the first input has %d columns and another input has %d columns.", op, len(types), len(columns)))
	}
	for i, c := range columns {
		t, ok := commonType(types[i], c.typ)
		if !ok {
			return nil, NewError("INCOMPATIBLE_COLUMN_TYPE", fmt.Sprintf("%s can only be performed on tables with compatible column types: %s and %s.",
				op, types[i], c.typ))
		}
		types[i] = t
	}
	return types, nil
}

// withTypes casts the columns of a query.
func (r *Rewriter) withTypes(p printed, types []Type) (string, error) {
	alias, changed := r.alias("r"), false
	items := make([]string, len(types))
	for i, c := range p.columns {
		v, err := r.castTo(value{sql: alias + "." + quoteDuck(c.sqlName), typ: c.typ}, types[i], false)
		if err != nil {
			return "", err
		}
		changed = changed || !c.typ.Equal(types[i])
		items[i] = v.sql + " AS " + quoteDuck(c.sqlName)
	}
	if !changed {
		return p.sql, nil
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM (" + p.sql + ") " + alias, nil
}

// values prints VALUES with each column in its common type.
func (r *Rewriter) values(ctx context.Context, v *valuesBody, outer *scope, ctes *cteScope) (printed, error) {
	sc := &scope{parent: outer, ctes: ctes}
	cells := make([][]value, len(v.rows))
	var types []Type
	for i, row := range v.rows {
		if i > 0 && len(row) != len(types) {
			return printed{}, NewError("INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
				fmt.Sprintf("Invalid inline table. Inline table expected %d columns but found %d columns in row %d.", len(types), len(row), i))
		}
		for j, e := range row {
			c, err := r.expr(ctx, e, sc)
			if err != nil {
				return printed{}, err
			}
			cells[i] = append(cells[i], c)
			if i == 0 {
				types = append(types, c.typ)
				continue
			}
			t, ok := commonType(types[j], c.typ)
			if !ok {
				return printed{}, NewError("INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
					"Invalid inline table. Found incompatible types in the column col"+strconv.Itoa(j+1)+" for inline table.")
			}
			types[j] = t
		}
	}
	var rows []string
	for _, row := range cells {
		texts := make([]string, len(row))
		for j, c := range row {
			x, err := r.castTo(c, types[j], false)
			if err != nil {
				return printed{}, err
			}
			texts[j] = x.sql
		}
		rows = append(rows, "("+strings.Join(texts, ", ")+")")
	}
	var out printed
	var names []string
	for j, t := range types {
		name := "col" + strconv.Itoa(j+1)
		out.columns = append(out.columns, outColumn{name: name, sqlName: name, typ: t})
		names = append(names, quoteDuck(name))
	}
	out.sql = "SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") " + r.alias("v") + "(" + strings.Join(names, ", ") + ")"
	return out, nil
}

// alias is a name not used before in the statement.
func (r *Rewriter) alias(prefix string) string {
	r.aliases++
	return prefix + strconv.Itoa(r.aliases)
}

// renamed gives columns new names, as t(a, b) does.
func renamed(columns []outColumn, names []string) ([]outColumn, error) {
	if len(names) == 0 {
		return columns, nil
	}
	if len(names) != len(columns) {
		return nil, NewError("NUM_COLUMNS_MISMATCH", fmt.Sprintf("Number of column aliases does not match number of columns. "+
			"Number of column aliases: %d; number of columns: %d.", len(names), len(columns)))
	}
	out := append([]outColumn(nil), columns...)
	for i := range out {
		out[i].name = names[i]
	}
	return out, nil
}

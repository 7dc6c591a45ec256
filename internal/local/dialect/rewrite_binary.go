package dialect

import (
	"context"
	"slices"
	"strings"
)

func (r *Rewriter) binary(ctx context.Context, e *binary, sc *scope) (value, error) {
	if e.op == "AND" || e.op == "OR" {
		return r.logic(ctx, e, sc)
	}
	vs, err := r.exprs(ctx, []Expr{e.l, e.r}, sc)
	if err != nil {
		return value{}, err
	}
	switch e.op {
	case "=", "<>", "<", "<=", ">", ">=":
		return r.compare(e.op, vs[0], vs[1])
	case "<=>":
		return r.compare("IS NOT DISTINCT FROM", vs[0], vs[1])
	case "||":
		return r.concat(vs)
	case "&", "|", "^", "<<", ">>":
		return r.bits(e.op, vs[0], vs[1])
	}
	return r.arithmetic(e.op, vs[0], vs[1])
}

// logic prints a chain of AND or of OR without parentheses inside: DuckDB bounds how deep they may nest, not how long
// a chain is.
func (r *Rewriter) logic(ctx context.Context, e *binary, sc *scope) (value, error) {
	operands := []Expr{e.r}
	left := e.l
	for {
		l, ok := left.(*binary)
		if !ok || l.op != e.op {
			break
		}
		operands = append(operands, l.r)
		left = l.l
	}
	operands = append(operands, left)
	slices.Reverse(operands)
	vs := make([]value, len(operands))
	texts := make([]string, len(operands))
	for i, o := range operands {
		v, err := r.boolean(ctx, o, sc)
		if err != nil {
			return v, err
		}
		vs[i], texts[i] = v, v.sql
	}
	return merge(vs...).as("("+strings.Join(texts, " "+e.op+" ")+")", simple(Boolean)), nil
}

// compare prints a comparison in the operands' common type.
func (r *Rewriter) compare(op string, l, rv value) (value, error) {
	both, _, err := r.unify(op, []value{l, rv})
	if err != nil {
		return value{}, mismatch(op, l.typ, rv.typ)
	}
	return merge(both...).as("("+both[0].sql+" "+op+" "+both[1].sql+")", simple(Boolean)), nil
}

// unify casts values to their common type.
func (r *Rewriter) unify(what string, vs []value) ([]value, Type, error) {
	t := vs[0].typ
	for _, v := range vs[1:] {
		c, ok := commonType(t, v.typ)
		if !ok {
			return nil, Type{}, NewError("DATATYPE_MISMATCH.DATA_DIFF_TYPES", "Cannot resolve \""+what+
				"\" due to data type mismatch: "+t.String()+" and "+v.typ.String()+".")
		}
		t = c
	}
	out, err := r.castAll(vs, t)
	return out, t, err
}

func (r *Rewriter) castAll(vs []value, t Type) ([]value, error) {
	out := make([]value, len(vs))
	for i, v := range vs {
		c, err := r.castTo(v, t, false)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// sameType prints a function of values of one type that yields that type.
func (r *Rewriter) sameType(name string, vs []value) (value, error) {
	out, t, err := r.unify(name, vs)
	if err != nil {
		return value{}, err
	}
	return merge(out...).as(name+"("+sqlList(out)+")", t), nil
}

func sqlList(vs []value) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = v.sql
	}
	return strings.Join(parts, ", ")
}

func (r *Rewriter) concat(vs []value) (value, error) {
	texts, err := r.castAll(vs, simple(String))
	if err != nil {
		return value{}, err
	}
	parts := make([]string, len(texts))
	for i, v := range texts {
		parts[i] = v.sql
	}
	return merge(vs...).as("("+strings.Join(parts, " || ")+")", simple(String)), nil
}

func (r *Rewriter) bits(op string, l, rv value) (value, error) {
	if !l.typ.integral() || !rv.typ.integral() {
		return value{}, mismatch(op, l.typ, rv.typ)
	}
	if op == "<<" || op == ">>" {
		return value{}, refuse("the operator %s", op)
	}
	both, t, err := r.unify(op, []value{l, rv})
	if err != nil {
		return value{}, err
	}
	sql := "(" + both[0].sql + " " + op + " " + both[1].sql + ")"
	if op == "^" {
		sql = "xor(" + both[0].sql + ", " + both[1].sql + ")"
	}
	return merge(both...).as(sql, t), nil
}

// in prints IN over a list or a query.
func (r *Rewriter) in(ctx context.Context, e *inList, sc *scope) (value, error) {
	if e.query != nil {
		return r.inQuery(ctx, e, sc)
	}
	if t, ok := e.x.(*tuple); ok {
		return r.inTuples(ctx, e, t, sc)
	}
	vs, err := r.exprs(ctx, append([]Expr{e.x}, e.list...), sc)
	if err != nil {
		return value{}, err
	}
	vs, _, err = r.unify("IN", vs)
	if err != nil {
		return value{}, err
	}
	return merge(vs...).as("("+vs[0].sql+notWord(e.not)+" IN ("+sqlList(vs[1:])+"))", simple(Boolean)), nil
}

func notWord(not bool) string {
	if not {
		return " NOT"
	}
	return ""
}

// inTuples prints (a, b) IN ((1, 2), …) as comparisons, which keep SQL's NULLs.
func (r *Rewriter) inTuples(ctx context.Context, e *inList, x *tuple, sc *scope) (value, error) {
	var all []value
	var options []string
	for _, item := range e.list {
		t, ok := item.(*tuple)
		if !ok || len(t.items) != len(x.items) {
			return value{}, refuse("IN between a row and values that are no rows of its length")
		}
		var parts []string
		for i := range t.items {
			vs, err := r.exprs(ctx, []Expr{x.items[i], t.items[i]}, sc)
			if err != nil {
				return value{}, err
			}
			c, err := r.compare("=", vs[0], vs[1])
			if err != nil {
				return value{}, err
			}
			parts, all = append(parts, c.sql), append(all, c)
		}
		options = append(options, "("+strings.Join(parts, " AND ")+")")
	}
	sql := "(" + strings.Join(options, " OR ") + ")"
	if e.not {
		sql = "(NOT " + sql + ")"
	}
	return merge(all...).as(sql, simple(Boolean)), nil
}

func (r *Rewriter) inQuery(ctx context.Context, e *inList, sc *scope) (value, error) {
	p, err := r.query(ctx, e.query, sc, sc.ctes)
	if err != nil {
		return value{}, err
	}
	left := []Expr{e.x}
	if t, ok := e.x.(*tuple); ok {
		left = t.items
	}
	vs, err := r.exprs(ctx, left, sc)
	if err != nil {
		return value{}, err
	}
	if len(vs) != len(p.columns) {
		return value{}, NewError("DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH", "The number of columns in the left hand side of an IN "+
			"subquery does not match the number of columns in the output of subquery.")
	}
	types := make([]Type, len(vs))
	for i, v := range vs {
		t, ok := commonType(v.typ, p.columns[i].typ)
		if !ok {
			return value{}, mismatch("IN", v.typ, p.columns[i].typ)
		}
		types[i] = t
		if vs[i], err = r.castTo(v, t, false); err != nil {
			return value{}, err
		}
	}
	sub, err := r.withTypes(p, types)
	if err != nil {
		return value{}, err
	}
	out := merge(vs...)
	out.volatile = true
	if len(vs) > 1 {
		return out.as(r.rowIn(vs, sub, p.columns, e.not), simple(Boolean)), nil
	}
	return out.as("("+vs[0].sql+notWord(e.not)+" IN ("+sub+"))", simple(Boolean)), nil
}

// rowIn prints (a, b) IN (query) column by column: DuckDB compares rows as wholes, where a NULL decides nothing.
func (r *Rewriter) rowIn(vs []value, sub string, columns []outColumn, not bool) string {
	alias := r.alias("r")
	var equal, possible []string
	for i, v := range vs {
		eq := v.sql + " = " + alias + "." + quoteDuck(columns[i].sqlName)
		equal = append(equal, eq)
		possible = append(possible, "coalesce("+eq+", TRUE)")
	}
	any := func(conditions []string) string {
		return "EXISTS (SELECT 1 FROM (" + sub + ") AS " + alias + " WHERE " + strings.Join(conditions, " AND ") + ")"
	}
	in, out := "TRUE", "FALSE"
	if not {
		in, out = out, in
	}
	return "CASE WHEN " + any(equal) + " THEN " + in + " WHEN " + any(possible) + " THEN NULL ELSE " + out + " END"
}

// commonType is the least type both convert to, as Spark's ANSI coercion finds it.
func commonType(a, b Type) (Type, bool) {
	switch {
	case a.Equal(b):
		return a, true
	case a.Kind == Void:
		return b, true
	case b.Kind == Void:
		return a, true
	case a.numeric() && b.numeric():
		return commonNumeric(a, b), true
	case a.Kind == String:
		return withString(b)
	case b.Kind == String:
		return withString(a)
	case a.Kind == Array && b.Kind == Array:
		e, ok := commonType(a.Elem[0], b.Elem[0])
		return arrayOf(e), ok
	}
	rank := map[Kind]int{Date: 1, TimestampNTZ: 2, Timestamp: 3}
	if rank[a.Kind] > 0 && rank[b.Kind] > 0 {
		if rank[a.Kind] > rank[b.Kind] {
			return a, true
		}
		return b, true
	}
	return Type{}, false
}

// withString is what a string is compared as: ANSI Spark turns the string into the other side's type.
func withString(t Type) (Type, bool) {
	switch {
	case t.integral():
		return simple(BigInt), true
	case t.numeric():
		return simple(Double), true
	case t.Kind == Boolean || t.Kind == Date || t.Kind == Timestamp || t.Kind == TimestampNTZ || t.Kind == Binary:
		return t, true
	}
	return Type{}, false
}

func commonNumeric(a, b Type) Type {
	switch {
	case a.integral() && b.integral():
		if a.Kind > b.Kind {
			return a
		}
		return b
	case a.approximate() || b.approximate():
		if a.Kind == Float && b.Kind == Float || a.Kind == Float && b.Kind < Int || b.Kind == Float && a.Kind < Int {
			return simple(Float)
		}
		return simple(Double)
	}
	x, y := a.asDecimal(), b.asDecimal()
	scale := max(x.Scale, y.Scale)
	return bounded(max(x.Precision-x.Scale, y.Precision-y.Scale)+scale, scale)
}

// bounded fits precision and scale into 38 digits as Spark does: the scale gives way, down to 6.
func bounded(precision, scale int) Type {
	if precision <= 38 {
		return decimalType(precision, scale)
	}
	whole := precision - scale
	return decimalType(38, max(38-whole, min(scale, 6)))
}

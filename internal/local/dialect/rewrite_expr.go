package dialect

import (
	"context"
	"strings"
)

// expr prints an expression. It is where every form of the parser has its rule.
func (r *Rewriter) expr(ctx context.Context, e Expr, sc *scope) (value, error) {
	switch e := e.(type) {
	case *literal:
		return value{sql: literalSQL(e), typ: e.typ, lit: e}, nil
	case *marker:
		l, err := r.parameter(e)
		if err != nil {
			return value{}, err
		}
		return r.expr(ctx, l, sc)
	case *ColumnRef:
		return sc.lookup(e)
	case *identifierExpr:
		n, err := constantName(e.x, r.session)
		if err != nil {
			return value{}, err
		}
		return sc.lookup(&ColumnRef{Parts: n.Parts})
	case *unary:
		return r.unary(ctx, e, sc)
	case *binary:
		return r.binary(ctx, e, sc)
	case *between:
		return r.between(ctx, e, sc)
	case *inList:
		return r.in(ctx, e, sc)
	case *like:
		return r.like(ctx, e, sc)
	case *isTest:
		return r.isTest(ctx, e, sc)
	case *isDistinct:
		vs, err := r.exprs(ctx, []Expr{e.l, e.r}, sc)
		if err != nil {
			return value{}, err
		}
		op := "IS DISTINCT FROM"
		if e.not {
			op = "IS NOT DISTINCT FROM"
		}
		return r.compare(op, vs[0], vs[1])
	case *caseExpr:
		return r.caseOf(ctx, e, sc)
	case *cast:
		v, err := r.expr(ctx, e.x, sc)
		if err != nil {
			return value{}, err
		}
		v, err = r.castTo(v, e.typ, e.try)
		v.lit = nil
		return v, err
	case *call:
		return r.call(ctx, e, sc)
	}
	return r.exprRest(ctx, e, sc)
}

func (r *Rewriter) exprRest(ctx context.Context, e Expr, sc *scope) (value, error) {
	switch e := e.(type) {
	case *subqueryExpr:
		p, err := r.query(ctx, e.query, sc, sc.ctes)
		if err != nil {
			return value{}, err
		}
		if len(p.columns) != 1 {
			return value{}, NewError("INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
				"Scalar subquery must return only one column.")
		}
		return value{sql: "(" + p.sql + ")", typ: p.columns[0].typ, volatile: true}, nil
	case *exists:
		p, err := r.query(ctx, e.query, sc, sc.ctes)
		return value{sql: "EXISTS (" + p.sql + ")", typ: simple(Boolean), volatile: true}, err
	case *intervalExpr:
		if e.yearMonth {
			return value{sql: "to_months(" + integerText(e.months) + ")", typ: simple(YearMonthInterval)}, nil
		}
		return value{sql: "to_microseconds(" + integerText(e.micros) + ")", typ: simple(DayTimeInterval)}, nil
	case *index:
		return r.index(ctx, e, sc)
	case *field:
		v, err := r.expr(ctx, e.x, sc)
		if err != nil {
			return value{}, err
		}
		return fieldOf(v, e.name)
	case *tuple:
		vs, err := r.exprs(ctx, e.items, sc)
		if err != nil {
			return value{}, err
		}
		return structOf(columnNames(len(vs)), vs), nil
	case *star:
		return value{}, NewError("INVALID_USAGE_OF_STAR_OR_REGEX", "Invalid usage of '*' in an expression.")
	}
	return value{}, refuse("this form of expression")
}

func columnNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "col" + integerText(int64(i+1))
	}
	return names
}

// structOf prints a struct.
func structOf(names []string, vs []value) value {
	out := merge(vs...)
	out.typ = Type{Kind: Struct, Fields: names}
	parts := make([]string, len(vs))
	for i, v := range vs {
		out.typ.Elem = append(out.typ.Elem, v.typ)
		parts[i] = textSQL(names[i]) + ": " + v.sql
	}
	out.sql = "{" + strings.Join(parts, ", ") + "}"
	return out
}

// merge carries what the parts hold over to the whole.
func merge(vs ...value) value {
	var out value
	for _, v := range vs {
		out.volatile = out.volatile || v.volatile
		out.aggregate = out.aggregate || v.aggregate
		out.window = out.window || v.window
	}
	return out
}

func (v value) as(sql string, t Type) value {
	v.sql, v.typ, v.lit = sql, t, nil
	return v
}

func (r *Rewriter) exprs(ctx context.Context, list []Expr, sc *scope) ([]value, error) {
	out := make([]value, len(list))
	for i, e := range list {
		v, err := r.expr(ctx, e, sc)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (r *Rewriter) unary(ctx context.Context, e *unary, sc *scope) (value, error) {
	if e.op == "NOT" {
		v, err := r.boolean(ctx, e.x, sc)
		return v.as("(NOT "+v.sql+")", simple(Boolean)), err
	}
	v, err := r.expr(ctx, e.x, sc)
	if err != nil {
		return v, err
	}
	if v.typ.Kind == String {
		if v, err = r.castTo(v, simple(Double), false); err != nil {
			return v, err
		}
	}
	switch {
	case v.typ.Kind == Void:
		return v.as("CAST(NULL AS DOUBLE)", simple(Double)), nil
	case e.op == "+" && (v.typ.numeric() || v.typ.interval()):
		return v, nil
	case e.op == "-" && (v.typ.numeric() || v.typ.interval()):
		return v.as("(-"+v.sql+")", v.typ), nil
	case e.op == "~" && v.typ.integral():
		return v.as("(~"+v.sql+")", v.typ), nil
	}
	return v, mismatch(e.op, v.typ)
}

func mismatch(op string, types ...Type) error {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = strings.ToUpper(t.String())
	}
	return NewError("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "Cannot resolve \""+op+"\" due to data type mismatch: "+
		strings.Join(names, " and ")+".")
}

func (r *Rewriter) between(ctx context.Context, e *between, sc *scope) (value, error) {
	vs, err := r.exprs(ctx, []Expr{e.x, e.lo, e.hi}, sc)
	if err != nil {
		return value{}, err
	}
	vs, _, err = r.unify("BETWEEN", vs)
	if err != nil {
		return value{}, err
	}
	return merge(vs...).as("("+vs[0].sql+notWord(e.not)+" BETWEEN "+vs[1].sql+" AND "+vs[2].sql+")", simple(Boolean)), nil
}

func (r *Rewriter) like(ctx context.Context, e *like, sc *scope) (value, error) {
	vs, err := r.exprs(ctx, []Expr{e.x, e.pattern}, sc)
	if err != nil {
		return value{}, err
	}
	for i := range vs {
		if vs[i], err = r.castTo(vs[i], simple(String), false); err != nil {
			return value{}, err
		}
	}
	escape := e.escape
	if escape == "" {
		escape = `\`
	}
	var sql string
	switch e.op {
	case "RLIKE", "REGEXP":
		sql = "regexp_matches(" + vs[0].sql + ", " + vs[1].sql + ")"
	default:
		sql = "(" + vs[0].sql + " " + e.op + " " + vs[1].sql + " ESCAPE " + textSQL(escape) + ")"
	}
	if e.not {
		sql = "(NOT " + sql + ")"
	}
	return merge(vs...).as(sql, simple(Boolean)), nil
}

func (r *Rewriter) isTest(ctx context.Context, e *isTest, sc *scope) (value, error) {
	var v value
	var err error
	if e.what == "NULL" {
		v, err = r.expr(ctx, e.x, sc)
	} else {
		v, err = r.boolean(ctx, e.x, sc)
	}
	if err != nil {
		return v, err
	}
	what := e.what
	if what == "UNKNOWN" {
		what = "NULL"
	}
	not := ""
	if e.not {
		not = "NOT "
	}
	return v.as("("+v.sql+" IS "+not+what+")", simple(Boolean)), nil
}

func (r *Rewriter) caseOf(ctx context.Context, e *caseExpr, sc *scope) (value, error) {
	var conditions []string
	var results, all []value
	for _, w := range e.whens {
		cond, err := r.caseCondition(ctx, e.operand, w[0], sc)
		if err != nil {
			return value{}, err
		}
		v, err := r.expr(ctx, w[1], sc)
		if err != nil {
			return value{}, err
		}
		conditions = append(conditions, cond.sql)
		results, all = append(results, v), append(all, cond, v)
	}
	if e.other != nil {
		v, err := r.expr(ctx, e.other, sc)
		if err != nil {
			return value{}, err
		}
		results, all = append(results, v), append(all, v)
	}
	results, t, err := r.unify("CASE", results)
	if err != nil {
		return value{}, err
	}
	var b strings.Builder
	b.WriteString("CASE")
	for i, c := range conditions {
		b.WriteString(" WHEN " + c + " THEN " + results[i].sql)
	}
	if e.other != nil {
		b.WriteString(" ELSE " + results[len(results)-1].sql)
	}
	b.WriteString(" END")
	return merge(all...).as(b.String(), t), nil
}

func (r *Rewriter) caseCondition(ctx context.Context, operand, when Expr, sc *scope) (value, error) {
	if operand == nil {
		return r.boolean(ctx, when, sc)
	}
	vs, err := r.exprs(ctx, []Expr{operand, when}, sc)
	if err != nil {
		return value{}, err
	}
	return r.compare("=", vs[0], vs[1])
}

func (r *Rewriter) index(ctx context.Context, e *index, sc *scope) (value, error) {
	vs, err := r.exprs(ctx, []Expr{e.x, e.i}, sc)
	if err != nil {
		return value{}, err
	}
	switch vs[0].typ.Kind {
	case Array:
		i, err := r.castTo(vs[1], simple(BigInt), false)
		if err != nil {
			return value{}, err
		}
		v := merge(vs...)
		v.volatile = true
		return v.as("wt_element("+vs[0].sql+", "+i.sql+")", vs[0].typ.Elem[0]), nil
	case Map:
		k, err := r.castTo(vs[1], vs[0].typ.Elem[0], false)
		if err != nil {
			return value{}, err
		}
		return merge(vs...).as("map_extract_value("+vs[0].sql+", "+k.sql+")", vs[0].typ.Elem[1]), nil
	}
	return value{}, NewError("INVALID_EXTRACT_BASE_FIELD_TYPE", "Can't extract a value from "+vs[0].typ.String()+".")
}

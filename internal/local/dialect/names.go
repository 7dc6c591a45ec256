package dialect

import "strings"

// nameOf is the name Spark gives the column of an unaliased expression.
func nameOf(e Expr) string {
	switch e := e.(type) {
	case *ColumnRef:
		return e.Parts[len(e.Parts)-1]
	case *field:
		return e.name
	}
	return prettyName(e)
}

// prettyName prints an expression as Spark's messages and column names do.
func prettyName(e Expr) string {
	switch e := e.(type) {
	case *ColumnRef:
		return strings.Join(e.Parts, ".")
	case *literal:
		return e.name
	case *unary:
		if e.op == "NOT" {
			return "(NOT " + prettyName(e.x) + ")"
		}
		return "(" + strings.TrimSpace(e.op+" "+prettyName(e.x)) + ")"
	case *binary:
		return "(" + prettyName(e.l) + " " + prettyOperator(e.op) + " " + prettyName(e.r) + ")"
	case *between:
		s := "((" + prettyName(e.x) + " >= " + prettyName(e.lo) + ") AND (" + prettyName(e.x) + " <= " + prettyName(e.hi) + "))"
		return notName(s, e.not)
	case *inList:
		if e.query != nil {
			return notName("("+prettyName(e.x)+" IN (listquery()))", e.not)
		}
		return notName("("+prettyName(e.x)+" IN ("+prettyList(e.list)+"))", e.not)
	case *like:
		if e.op == "RLIKE" || e.op == "REGEXP" {
			return notName("RLIKE("+prettyName(e.x)+", "+prettyName(e.pattern)+")", e.not)
		}
		return notName(prettyName(e.x)+" "+e.op+" "+prettyName(e.pattern), e.not)
	case *isTest:
		return prettyTest(e)
	case *isDistinct:
		return notName("("+prettyName(e.l)+" <=> "+prettyName(e.r)+")", !e.not)
	case *caseExpr:
		return prettyCase(e)
	case *cast:
		word := "CAST("
		if e.try {
			word = "TRY_CAST("
		}
		return word + prettyName(e.x) + " AS " + strings.ToUpper(e.typ.String()) + ")"
	case *call:
		return prettyCall(e)
	}
	return prettyRest(e)
}

func prettyRest(e Expr) string {
	switch e := e.(type) {
	case *subqueryExpr:
		return "scalarsubquery()"
	case *exists:
		return "exists()"
	case *index:
		return prettyName(e.x) + "[" + prettyName(e.i) + "]"
	case *field:
		return prettyName(e.x) + "." + e.name
	case *tuple:
		return "struct(" + prettyList(e.items) + ")"
	case *marker:
		return ":" + e.name
	case *intervalExpr:
		return "INTERVAL"
	case *identifierExpr:
		return prettyName(e.x)
	}
	return "*"
}

func notName(s string, not bool) string {
	if not {
		return "(NOT " + s + ")"
	}
	return s
}

func prettyOperator(op string) string {
	if op == "DIV" {
		return "div"
	}
	if op == "<>" {
		return "!="
	}
	return op
}

func prettyList(list []Expr) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = prettyName(e)
	}
	return strings.Join(names, ", ")
}

func prettyTest(e *isTest) string {
	if e.what != "NULL" {
		return notName("("+prettyName(e.x)+" <=> "+strings.ToLower(e.what)+")", e.not)
	}
	if e.not {
		return "(" + prettyName(e.x) + " IS NOT NULL)"
	}
	return "(" + prettyName(e.x) + " IS NULL)"
}

func prettyCase(e *caseExpr) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range e.whens {
		when := prettyName(w[0])
		if e.operand != nil {
			when = "(" + prettyName(e.operand) + " = " + when + ")"
		}
		b.WriteString(" WHEN " + when + " THEN " + prettyName(w[1]))
	}
	if e.other != nil {
		b.WriteString(" ELSE " + prettyName(e.other))
	}
	return b.String() + " END"
}

func prettyCall(e *call) string {
	args := prettyList(e.args)
	switch {
	case e.star:
		args = "1"
	case e.distinct:
		args = "DISTINCT " + args
	case e.unit != "":
		args = e.unit + ", " + args
	}
	s := e.name + "(" + args + ")"
	if e.filter != nil {
		s += " FILTER (WHERE " + prettyName(e.filter) + ")"
	}
	if e.over != nil {
		s += " OVER (" + prettyWindow(e.over) + ")"
	}
	return s
}

func prettyWindow(w *window) string {
	var parts []string
	if len(w.partition) > 0 {
		parts = append(parts, "PARTITION BY "+prettyList(w.partition))
	}
	if len(w.order) > 0 {
		var items []string
		for _, o := range w.order {
			items = append(items, prettyName(o.expr)+" "+o.direction())
		}
		parts = append(parts, "ORDER BY "+strings.Join(items, ", "))
	}
	switch f := w.frame; {
	case f != nil && f.between:
		parts = append(parts, f.unit+" BETWEEN "+f.start.pretty()+" AND "+f.end.pretty())
	case f != nil:
		parts = append(parts, f.unit+" BETWEEN "+f.start.pretty()+" AND CURRENT ROW")
	case len(w.order) > 0:
		parts = append(parts, "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")
	default:
		parts = append(parts, "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
	}
	return strings.Join(parts, " ")
}

func (b frameBound) pretty() string {
	if b.value == nil {
		return b.kind
	}
	return prettyName(b.value) + " " + b.kind
}

// direction is ASC or DESC with Spark's default place of NULLs.
func (o orderItem) direction() string {
	dir, nulls := "ASC", "FIRST"
	if o.desc {
		dir, nulls = "DESC", "LAST"
	}
	if o.nullsGiven {
		nulls = o.nulls
	}
	return dir + " NULLS " + nulls
}

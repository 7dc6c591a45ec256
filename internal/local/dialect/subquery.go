package dialect

// HasSubquery says whether an expression reads a query: Delta refuses those in DELETE.
func HasSubquery(e Expr) bool {
	found := false
	walk(e, func(x Expr) {
		switch x := x.(type) {
		case *subqueryExpr, *exists:
			found = true
		case *inList:
			found = found || x.query != nil
		}
	})
	return found
}

// ColumnsOf lists the columns an expression names, each with its qualifiers, outside its subqueries.
func ColumnsOf(e Expr) [][]string {
	var out [][]string
	walk(e, func(x Expr) {
		if c, ok := x.(*ColumnRef); ok {
			out = append(out, c.Parts)
		}
	})
	return out
}

// walk visits an expression and its parts, but not the queries inside.
func walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, part := range parts(e) {
		walk(part, visit)
	}
}

func parts(e Expr) []Expr {
	switch e := e.(type) {
	case *unary:
		return []Expr{e.x}
	case *binary:
		return []Expr{e.l, e.r}
	case *between:
		return []Expr{e.x, e.lo, e.hi}
	case *inList:
		return append([]Expr{e.x}, e.list...)
	case *like:
		return []Expr{e.x, e.pattern}
	case *isTest:
		return []Expr{e.x}
	case *isDistinct:
		return []Expr{e.l, e.r}
	case *caseExpr:
		out := []Expr{e.operand, e.other}
		for _, w := range e.whens {
			out = append(out, w[0], w[1])
		}
		return out
	case *cast:
		return []Expr{e.x}
	case *call:
		return append(append([]Expr(nil), e.args...), e.filter)
	case *index:
		return []Expr{e.x, e.i}
	case *field:
		return []Expr{e.x}
	case *tuple:
		return e.items
	}
	return nil
}

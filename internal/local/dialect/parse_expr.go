package dialect

// expression reads a whole expression: OR is the loosest operator.
func (p *parser) expression() Expr {
	if !p.enter() {
		return &literal{}
	}
	defer p.leave()
	from := p.peek()
	e := p.conjunction()
	for p.accept("OR") {
		e = &binary{op: "OR", l: e, r: p.conjunction(), Span: p.spanFrom(from)}
	}
	return e
}

func (p *parser) conjunction() Expr {
	from := p.peek()
	e := p.negation()
	for p.accept("AND") {
		e = &binary{op: "AND", l: e, r: p.negation(), Span: p.spanFrom(from)}
	}
	return e
}

func (p *parser) negation() Expr {
	if !p.enter() {
		return &literal{}
	}
	defer p.leave()
	from := p.peek()
	if p.accept("NOT") || p.accept("!") {
		x := p.negation()
		return &unary{op: "NOT", x: x, Span: p.spanFrom(from)}
	}
	return p.predicate(from)
}

// predicate reads a value and the tests that may follow it.
func (p *parser) predicate(from token) Expr {
	e := p.value()
	for p.err == nil {
		at := p.at
		not := p.accept("NOT")
		switch {
		case p.accept("BETWEEN"):
			b := &between{x: e, not: not, lo: p.value()}
			p.expect("AND")
			b.hi = p.value()
			b.Span = p.spanFrom(from)
			e = b
		case p.is("IN", "("):
			e = p.inPredicate(e, not, from)
		case p.is("LIKE"), p.is("ILIKE"), p.is("RLIKE"), p.is("REGEXP"):
			e = p.likePredicate(e, not, from)
		case !not && p.accept("IS"):
			e = p.isPredicate(e, from)
		default:
			p.at = at
			return e
		}
	}
	return e
}

func (p *parser) inPredicate(x Expr, not bool, from token) Expr {
	p.expect("IN", "(")
	in := &inList{x: x, not: not}
	if p.is("SELECT") || p.is("WITH") || p.is("VALUES") || p.is("FROM") {
		in.query = p.query()
	} else {
		in.list = append(in.list, p.expression())
		for p.accept(",") && p.err == nil {
			in.list = append(in.list, p.expression())
		}
	}
	p.expect(")")
	in.Span = p.spanFrom(from)
	return in
}

func (p *parser) likePredicate(x Expr, not bool, from token) Expr {
	l := &like{x: x, not: not, op: p.next().upper()}
	if p.is("ANY") || p.is("ALL") || p.is("SOME") {
		p.refuse("%s %s", l.op, p.peek().upper())
	}
	l.pattern = p.value()
	if p.accept("ESCAPE") {
		l.escape = p.stringText()
	}
	l.Span = p.spanFrom(from)
	return l
}

func (p *parser) isPredicate(x Expr, from token) Expr {
	not := p.accept("NOT")
	switch {
	case p.is("NULL"), p.is("TRUE"), p.is("FALSE"), p.is("UNKNOWN"):
		t := &isTest{x: x, not: not, what: p.next().upper()}
		t.Span = p.spanFrom(from)
		return t
	case p.accept("DISTINCT", "FROM"):
		r := p.value()
		return &isDistinct{l: x, r: r, not: not, Span: p.spanFrom(from)}
	}
	p.fail()
	return x
}

// precedence of the binary operators in Spark's grammar; higher binds closer.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var precedence = map[string]int{"=": 1, "==": 1, "<>": 1, "!=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, "<=>": 1, "|": 2, "^": 3, "&": 4,
	"<<": 5, ">>": 5, "+": 6, "-": 6, "||": 6, "*": 7, "/": 7, "%": 7, "DIV": 7}

// value reads an expression without AND, OR, NOT and tests.
func (p *parser) value() Expr { return p.operation(1) }

// operation reads operators that bind at least as close as the level.
func (p *parser) operation(level int) Expr {
	from := p.peek()
	e := p.signed()
	for p.err == nil {
		t := p.peek()
		at := 0
		if t.kind == tokSymbol || t.kind == tokWord {
			at = precedence[t.upper()]
		}
		if at == 0 || at < level {
			return e
		}
		p.next()
		op := t.upper()
		switch op {
		case "==":
			op = "="
		case "!=":
			op = "<>"
		}
		b := &binary{op: op, l: e, r: p.operation(at + 1)}
		b.Span = p.spanFrom(from)
		e = b
	}
	return e
}

func (p *parser) signed() Expr {
	from := p.peek()
	if !p.is("-") && !p.is("+") && !p.is("~") {
		return p.postfix(p.primary())
	}
	if !p.enter() {
		return &literal{}
	}
	defer p.leave()
	op := p.next().text
	// A minus directly before digits is part of the number, so that the smallest bigint can be written.
	if t := p.peek(); op == "-" && t.kind == tokNumber && t.pos.Offset == from.pos.Offset+1 {
		return p.postfix(p.number(from, true))
	}
	x := p.signed()
	return &unary{op: op, x: x, Span: p.spanFrom(from)}
}

// postfix reads [i], .field and ::type after a value.
func (p *parser) postfix(e Expr) Expr {
	for p.err == nil {
		from := token{pos: Pos{Offset: e.span().From}}
		switch {
		case p.accept("["):
			i := p.value()
			p.expect("]")
			e = &index{x: e, i: i, Span: p.spanFrom(from)}
		case p.is("."):
			p.next()
			e = &field{x: e, name: p.identifier(), Span: p.spanFrom(from)}
		case p.accept("::"):
			t := p.dataType()
			e = &cast{x: e, typ: t, Span: p.spanFrom(from)}
		default:
			return e
		}
	}
	return e
}

package dialect

import "strings"

// primary reads what binds closest.
func (p *parser) primary() Expr {
	from := p.peek()
	switch from.kind {
	case tokString:
		s := p.stringText()
		return &literal{typ: simple(String), text: s, name: s, Span: p.spanFrom(from)}
	case tokNumber:
		return p.number(from, false)
	case tokMarker:
		p.next()
		return &marker{name: from.value, Span: p.spanFrom(from)}
	case tokQuotedName:
		return p.column(from)
	case tokWord:
		return p.word(from)
	case tokSymbol:
		switch from.text {
		case "(":
			return p.parenthesis(from)
		case "*":
			p.next()
			return p.starExcept(&star{}, from)
		case "?":
			p.refuse("the positional marker ?")
		}
	}
	p.fail()
	return &literal{}
}

func (p *parser) parenthesis(from token) Expr {
	p.expect("(")
	if p.is("SELECT") || p.is("WITH") || p.is("VALUES") || p.is("FROM") {
		q := p.query()
		p.expect(")")
		return &subqueryExpr{query: q, Span: p.spanFrom(from)}
	}
	e := p.expression()
	if !p.is(",") {
		p.expect(")")
		if p.is("->") {
			p.refuse("a lambda function")
		}
		return e
	}
	t := &tuple{items: []Expr{e}}
	for p.accept(",") && p.err == nil {
		t.items = append(t.items, p.expression())
	}
	p.expect(")")
	if p.is("->") {
		p.refuse("a lambda function")
	}
	t.Span = p.spanFrom(from)
	return t
}

// word reads what begins with a bare word: a keyword's form, a typed literal, a call or a column.
func (p *parser) word(from token) Expr {
	next := p.peekAt(1)
	switch w := from.upper(); {
	case w == "NULL":
		p.next()
		return &literal{typ: simple(Void), name: "NULL", Span: p.spanFrom(from)}
	case w == "TRUE" || w == "FALSE":
		p.next()
		v := strings.ToLower(w)
		return &literal{typ: simple(Boolean), text: v, name: v, Span: p.spanFrom(from)}
	case w == "CASE":
		return p.caseExpression(from)
	case (w == "CAST" || w == "TRY_CAST") && next.text == "(":
		return p.castExpression(from, w == "TRY_CAST")
	case w == "EXISTS" && next.text == "(":
		p.expect("EXISTS", "(")
		if !p.is("SELECT") && !p.is("WITH") && !p.is("FROM") && !p.is("VALUES") {
			p.refuse("the function exists")
		}
		q := p.query()
		p.expect(")")
		return &exists{query: q, Span: p.spanFrom(from)}
	case w == "INTERVAL" && next.text != "(" && next.text != "." && next.text != "," && next.text != ")":
		return p.interval(from)
	case w == "IDENTIFIER" && next.text == "(":
		c := p.identifierClause()
		if p.is("(") {
			p.refuse("IDENTIFIER as a function's name")
		}
		return c
	case next.kind == tokString && typedLiterals[w]:
		p.next()
		return p.typedLiteral(w, from)
	case w == "EXTRACT" && next.text == "(":
		return p.extract(from)
	case p.bareFunction(w, next):
		p.next()
		return &call{name: strings.ToLower(w), Span: p.spanFrom(from)}
	}
	if next.kind == tokSymbol && next.text == "(" {
		return p.call(from)
	}
	return p.column(from)
}

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var typedLiterals = map[string]bool{"DATE": true, "TIMESTAMP": true, "TIMESTAMP_NTZ": true, "TIMESTAMP_LTZ": true, "X": true}

func (p *parser) bareFunction(w string, next token) bool {
	switch w {
	case "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "USER", "SESSION_USER", "LOCALTIMESTAMP":
		return next.text != "(" && next.text != "."
	}
	return false
}

func (p *parser) column(from token) Expr {
	c := &ColumnRef{Parts: []string{p.identifier()}}
	for p.is(".") && p.err == nil {
		p.next()
		if p.is("*") {
			p.next()
			return p.starExcept(&star{qualifier: c.Parts}, from)
		}
		c.Parts = append(c.Parts, p.identifier())
	}
	if p.is("->") {
		p.refuse("a lambda function")
	}
	if p.is("(") {
		p.refuse("the function %s", strings.Join(c.Parts, "."))
	}
	c.Span = p.spanFrom(from)
	return c
}

func (p *parser) starExcept(s *star, from token) Expr {
	if p.is("EXCEPT", "(") && p.peekAt(2).upper() != "SELECT" && p.peekAt(2).text != "(" {
		p.next()
		s.except = p.names()
	}
	s.Span = p.spanFrom(from)
	return s
}

func (p *parser) caseExpression(from token) Expr {
	p.expect("CASE")
	c := &caseExpr{}
	if !p.is("WHEN") {
		c.operand = p.expression()
	}
	for p.accept("WHEN") {
		w := p.expression()
		p.expect("THEN")
		c.whens = append(c.whens, [2]Expr{w, p.expression()})
	}
	if len(c.whens) == 0 {
		p.fail()
	}
	if p.accept("ELSE") {
		c.other = p.expression()
	}
	p.expect("END")
	c.Span = p.spanFrom(from)
	return c
}

func (p *parser) castExpression(from token, try bool) Expr {
	p.next()
	p.expect("(")
	c := &cast{x: p.expression(), try: try}
	p.expect("AS")
	c.typ = p.dataType()
	p.expect(")")
	c.Span = p.spanFrom(from)
	return c
}

func (p *parser) extract(from token) Expr {
	p.next()
	p.expect("(")
	c := &call{name: "extract", unit: p.peek().upper()}
	p.identifierOrString()
	p.expect("FROM")
	c.args = []Expr{p.expression()}
	p.expect(")")
	c.Span = p.spanFrom(from)
	return c
}

// unitFirst are the functions whose first argument is a bare unit.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var unitFirst = map[string]bool{"timestampadd": true, "timestampdiff": true, "dateadd": true, "date_add": true,
	"datediff": true, "date_diff": true}

func (p *parser) call(from token) Expr {
	c := &call{name: strings.ToLower(p.identifier())}
	p.expect("(")
	c.distinct = p.accept("DISTINCT")
	switch {
	case p.is("*", ")") && c.name == "count":
		p.next()
		c.star = true
	case unitFirst[c.name] && p.peek().kind == tokWord && p.peekAt(1).text == ",":
		if _, ok := units[p.peek().upper()]; ok {
			c.unit = p.next().upper()
			p.next()
		}
	}
	for p.err == nil && !c.star && !p.is(")") {
		c.args = append(c.args, p.expression())
		if p.is("=>") {
			p.refuse("a named argument")
		}
		if !p.accept(",") {
			break
		}
		if p.is(")") {
			p.fail()
		}
	}
	if p.is("FROM") || p.is("ORDER") {
		p.refuse("the form %s(… %s …)", c.name, p.peek().upper())
	}
	if p.accept("IGNORE", "NULLS") {
		c.ignoreNulls = true
	}
	p.expect(")")
	p.callTail(c)
	c.Span = p.spanFrom(from)
	return c
}

func (p *parser) callTail(c *call) {
	if p.is("WITHIN", "GROUP") {
		p.refuse("WITHIN GROUP")
	}
	if p.accept("FILTER") {
		p.expect("(", "WHERE")
		c.filter = p.expression()
		p.expect(")")
	}
	if p.accept("IGNORE", "NULLS") {
		c.ignoreNulls = true
	} else {
		p.accept("RESPECT", "NULLS")
	}
	if p.accept("OVER") {
		if p.is("(") {
			c.over = p.windowSpec()
		} else {
			c.overName = p.identifier()
		}
	}
}

func (p *parser) windowSpec() *window {
	p.expect("(")
	w := &window{}
	if p.accept("PARTITION", "BY") || p.accept("DISTRIBUTE", "BY") {
		w.partition = append(w.partition, p.expression())
		for p.accept(",") && p.err == nil {
			w.partition = append(w.partition, p.expression())
		}
	}
	if p.accept("ORDER", "BY") || p.accept("SORT", "BY") {
		w.order, _ = p.orderBy()
	}
	if p.is("ROWS") || p.is("RANGE") {
		w.frame = &frame{unit: p.next().upper()}
		w.frame.between = p.accept("BETWEEN")
		w.frame.start = p.frameBound()
		if w.frame.between {
			p.expect("AND")
			w.frame.end = p.frameBound()
		}
	}
	p.expect(")")
	return w
}

func (p *parser) frameBound() frameBound {
	switch {
	case p.accept("UNBOUNDED", "PRECEDING"):
		return frameBound{kind: "UNBOUNDED PRECEDING"}
	case p.accept("UNBOUNDED", "FOLLOWING"):
		return frameBound{kind: "UNBOUNDED FOLLOWING"}
	case p.accept("CURRENT", "ROW"):
		return frameBound{kind: "CURRENT ROW"}
	}
	b := frameBound{value: p.value()}
	b.kind = p.peek().upper()
	if b.kind != "PRECEDING" && b.kind != "FOLLOWING" {
		p.fail()
	}
	p.next()
	return b
}

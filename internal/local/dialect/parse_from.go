package dialect

// fromList reads a, b JOIN c …; a comma is a cross join.
func (p *parser) fromList() FromItem {
	f := p.joins()
	for p.accept(",") && p.err == nil {
		f = &joinRef{left: f, right: p.joins(), kind: "CROSS"}
	}
	for p.is("LATERAL", "VIEW") && p.err == nil {
		f = p.lateralView(f)
	}
	for _, w := range []string{"PIVOT", "UNPIVOT"} {
		if p.is(w, "(") {
			p.refuse("%s", w)
		}
	}
	return f
}

func (p *parser) joins() FromItem {
	f := p.fromPrimary()
	for p.err == nil {
		natural := p.accept("NATURAL")
		kind, ok := p.joinKind()
		if !ok {
			if natural {
				p.fail()
			}
			return f
		}
		j := &joinRef{left: f, kind: kind, natural: natural}
		j.right = p.fromPrimary()
		switch {
		case natural || kind == "CROSS":
		case p.accept("ON"):
			j.on = p.expression()
		case p.accept("USING"):
			j.using = p.names()
		}
		if natural {
			p.refuse("NATURAL JOIN")
		}
		f = j
	}
	return f
}

func (p *parser) joinKind() (string, bool) {
	forms := []struct {
		words []string
		kind  string
	}{
		{[]string{"JOIN"}, "INNER"}, {[]string{"INNER", "JOIN"}, "INNER"}, {[]string{"CROSS", "JOIN"}, "CROSS"},
		{[]string{"LEFT", "SEMI", "JOIN"}, "SEMI"}, {[]string{"SEMI", "JOIN"}, "SEMI"},
		{[]string{"LEFT", "ANTI", "JOIN"}, "ANTI"}, {[]string{"ANTI", "JOIN"}, "ANTI"},
		{[]string{"LEFT", "JOIN"}, "LEFT"}, {[]string{"LEFT", "OUTER", "JOIN"}, "LEFT"},
		{[]string{"RIGHT", "JOIN"}, "RIGHT"}, {[]string{"RIGHT", "OUTER", "JOIN"}, "RIGHT"},
		{[]string{"FULL", "JOIN"}, "FULL"}, {[]string{"FULL", "OUTER", "JOIN"}, "FULL"},
	}
	for _, f := range forms {
		if p.accept(f.words...) {
			return f.kind, true
		}
	}
	return "", false
}

// fromPrimary reads one table, subquery, function or VALUES with its alias.
func (p *parser) fromPrimary() FromItem {
	if !p.enter() {
		return &tableRef{}
	}
	defer p.leave()
	lateral := p.accept("LATERAL")
	at := p.peek()
	switch {
	case p.is("("):
		return p.parenthesised(lateral, at.pos)
	case p.accept("VALUES"):
		s := &subqueryRef{query: &Query{Body: p.values()}, pos: at.pos}
		s.alias, s.columns = p.tableAlias()
		return s
	case p.is("IDENTIFIER", "("):
		return p.identifierTable()
	case lateral, p.peek().kind == tokWord && p.peekAt(1).text == "(" && p.peekAt(1).kind == tokSymbol:
		f := &functionRef{name: p.identifier(), pos: at.pos}
		f.args = p.arguments()
		f.alias, f.columns = p.tableAlias()
		return f
	}
	return p.table()
}

func (p *parser) parenthesised(lateral bool, at Pos) FromItem {
	p.expect("(")
	if p.is("SELECT") || p.is("WITH") || p.is("VALUES") || p.is("FROM") || p.is("TABLE") || p.is("(") {
		q := p.query()
		p.expect(")")
		s := &subqueryRef{query: q, lateral: lateral, pos: at}
		s.alias, s.columns = p.tableAlias()
		return s
	}
	f := p.fromList()
	// A word that begins no table, as in (DESCRIBE HISTORY t), is a syntax error here as in Spark.
	p.expect(")")
	if a, _ := p.tableAlias(); a != "" {
		p.refuse("an alias of a parenthesised join")
	}
	return f
}

func (p *parser) table() FromItem {
	t := &tableRef{name: p.name()}
	if p.is("CHANGES") && (p.peekAt(1).upper() == "FROM" || p.peekAt(1).upper() == "AFTER") {
		p.setError(NewError("UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE",
			"The feature is not supported: The CHANGES clause. Use table_changes."))
	}
	if p.asOfFollows() {
		v := p.asOf()
		t.asOf = &v
	}
	if p.is("TABLESAMPLE") {
		p.refuse("TABLESAMPLE")
	}
	t.alias, t.columns = p.tableAlias()
	return t
}

func (p *parser) identifierTable() FromItem {
	c := p.identifierClause()
	t := &tableRef{ident: c.x}
	if p.asOfFollows() {
		p.setError(NewError("NOT_A_CONSTANT_STRING.NOT_CONSTANT",
			"The expression used for the table name or identifier must be a constant STRING which is NOT NULL. IDENTIFIER cannot be followed by AS OF."))
	}
	t.alias, t.columns = p.tableAlias()
	return t
}

// identifierClause reads IDENTIFIER(e).
func (p *parser) identifierClause() *identifierExpr {
	from := p.peek()
	p.expect("IDENTIFIER", "(")
	e := &identifierExpr{x: p.expression()}
	p.expect(")")
	e.Span = p.spanFrom(from)
	return e
}

// tableAlias reads [[AS] alias [(c1, c2)]].
func (p *parser) tableAlias() (alias string, columns []string) {
	switch {
	case p.accept("AS"):
		if p.is("(") {
			return "", p.names()
		}
		alias = p.identifier()
	case p.named(0) && !p.clauseFollows() && !p.asOfFollows():
		alias = p.identifier()
	default:
		return "", nil
	}
	if p.is("(") {
		columns = p.names()
	}
	return alias, columns
}

func (p *parser) lateralView(in FromItem) FromItem {
	p.expect("LATERAL", "VIEW")
	v := &lateralView{input: in, outer: p.accept("OUTER")}
	from := p.peek()
	v.call = &call{name: p.identifier()}
	v.call.args = p.arguments()
	v.call.Span = p.spanFrom(from)
	if p.named(0) && !p.is("AS") {
		v.table = p.identifier()
	}
	p.accept("AS")
	for {
		v.columns = append(v.columns, p.identifier())
		if !p.accept(",") || p.err != nil {
			return v
		}
	}
}

// arguments reads (e, …) or ().
func (p *parser) arguments() []Expr {
	var args []Expr
	p.expect("(")
	if p.accept(")") {
		return nil
	}
	for {
		args = append(args, p.expression())
		if p.is("=>") {
			p.refuse("a named argument")
		}
		if !p.accept(",") || p.err != nil {
			break
		}
	}
	p.expect(")")
	return args
}

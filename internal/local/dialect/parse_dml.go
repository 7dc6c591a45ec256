package dialect

// insert reads INSERT; with holds CTEs written before it.
func (p *parser) insert(with []cte) Statement {
	p.expect("INSERT")
	i := &Insert{}
	switch {
	case p.accept("OVERWRITE"):
		i.Overwrite = true
		if p.is("DIRECTORY") || p.is("LOCAL") {
			p.refuse("INSERT OVERWRITE DIRECTORY")
		}
	case p.is("WITH", "SCHEMA"):
		p.refuse("INSERT WITH SCHEMA EVOLUTION")
	default:
		p.accept("INTO")
	}
	p.accept("TABLE")
	i.Table = p.tableName()
	if p.is("PARTITION") {
		p.refuse("INSERT … PARTITION")
	}
	p.insertTail(i)
	i.Query = p.query()
	if len(with) > 0 && i.Query != nil {
		i.Query.With = append(with, i.Query.With...)
	}
	return i
}

func (p *parser) insertTail(i *Insert) {
	if p.is("(") && !p.is("(", "SELECT") && !p.is("(", "WITH") && !p.is("(", "VALUES") && !p.is("(", "(") {
		i.Columns = p.names()
	}
	if p.accept("BY", "NAME") {
		i.ByName = true
	}
	if p.accept("REPLACE", "WHERE") {
		i.ReplaceWhere = p.expression()
	}
	if p.is("REPLACE", "USING") || p.is("REPLACE", "ON") {
		p.refuse("INSERT … REPLACE %s", p.peekAt(1).upper())
	}
	if p.accept("DEFAULT", "VALUES") {
		p.refuse("INSERT … DEFAULT VALUES")
	}
}

// targetAlias reads [AS] alias before one of the words of a DML statement.
func (p *parser) targetAlias() string {
	if p.accept("AS") {
		return p.identifier()
	}
	if p.named(0) && !p.is("SET") && !p.is("WHERE") && !p.is("USING") && !p.asOfFollows() {
		return p.identifier()
	}
	return ""
}

func (p *parser) update() Statement {
	p.expect("UPDATE")
	u := &Update{Table: p.tableName()}
	u.Alias = p.targetAlias()
	p.expect("SET")
	u.Set = p.assignments()
	if p.accept("WHERE") {
		u.Where = p.expression()
	}
	return u
}

func (p *parser) assignments() []Assignment {
	var out []Assignment
	for {
		from := p.peek()
		n := p.name()
		c := &ColumnRef{Parts: n.Parts, Span: p.spanFrom(from)}
		if !p.accept("=") {
			p.expect("==")
		}
		out = append(out, Assignment{Column: c, Value: p.expression()})
		if !p.accept(",") {
			return out
		}
	}
}

func (p *parser) delete() Statement {
	p.expect("DELETE", "FROM")
	d := &Delete{Table: p.tableName()}
	d.Alias = p.targetAlias()
	if p.accept("WHERE") {
		d.Where = p.expression()
	}
	return d
}

func (p *parser) merge() Statement {
	p.expect("MERGE")
	m := &Merge{SchemaEvolution: p.accept("WITH", "SCHEMA", "EVOLUTION")}
	p.expect("INTO")
	m.Target = p.tableName()
	m.Alias = p.targetAlias()
	p.expect("USING")
	m.Source = p.fromPrimary()
	if hasColumnAliases(m.Source) && p.err == nil {
		p.setError(NewError("COLUMN_ALIASES_NOT_ALLOWED", "Column aliases are not allowed in MERGE."))
	}
	p.expect("ON")
	m.On = p.expression()
	for p.err == nil && p.is("WHEN") {
		m.Clauses = append(m.Clauses, p.mergeClause())
	}
	if len(m.Clauses) == 0 {
		p.fail()
	}
	return m
}

func hasColumnAliases(f FromItem) bool {
	switch f := f.(type) {
	case *tableRef:
		return len(f.columns) > 0
	case *subqueryRef:
		return len(f.columns) > 0
	case *functionRef:
		return len(f.columns) > 0
	}
	return false
}

func (p *parser) mergeClause() MergeClause {
	var c MergeClause
	p.expect("WHEN")
	if p.accept("NOT", "MATCHED") {
		c.Kind = NotMatched
		if p.accept("BY", "SOURCE") {
			c.Kind = NotMatchedBySource
		} else if p.is("BY") {
			p.expect("BY", "TARGET")
		}
	} else {
		p.expect("MATCHED")
	}
	if p.accept("AND") {
		c.Condition = p.expression()
	}
	p.expect("THEN")
	switch {
	case c.Kind != NotMatched && p.accept("DELETE"):
		c.Action = MergeDelete
	case c.Kind == Matched && p.accept("UPDATE", "SET", "*"):
		c.Action, c.Star = MergeUpdate, true
	case c.Kind != NotMatched && p.accept("UPDATE", "SET"):
		c.Action, c.Set = MergeUpdate, p.assignments()
	case c.Kind == NotMatched && p.accept("INSERT", "*"):
		c.Action, c.Star = MergeInsert, true
	case c.Kind == NotMatched && p.accept("INSERT"):
		p.mergeInsert(&c)
	default:
		p.fail()
	}
	return c
}

func (p *parser) mergeInsert(c *MergeClause) {
	c.Action = MergeInsert
	at := p.peek()
	p.list(func() {
		n := p.name()
		c.Columns = append(c.Columns, n.Parts[len(n.Parts)-1])
	})
	p.expect("VALUES")
	p.list(func() { c.Values = append(c.Values, p.expression()) })
	if len(c.Columns) != len(c.Values) && p.err == nil {
		p.setError(p.syntaxAt(at))
	}
}

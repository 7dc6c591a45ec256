package dialect

import "strconv"

// statement reads what the first word says.
func (p *parser) statement() Statement {
	switch p.peek().upper() {
	case "SELECT", "WITH", "VALUES", "FROM", "TABLE", "(":
		return p.queryStatement()
	case "CREATE", "REPLACE":
		return p.create()
	case "DROP":
		return p.drop()
	case "ALTER":
		return p.alter()
	case "DESCRIBE", "DESC":
		return p.describe()
	case "SHOW":
		return p.show()
	case "OPTIMIZE", "VACUUM", "ANALYZE", "RESTORE", "TRUNCATE", "REORG":
		return p.maintenance()
	case "INSERT":
		return p.insert(nil)
	case "UPDATE":
		return p.update()
	case "DELETE":
		return p.delete()
	case "MERGE":
		return p.merge()
	case "USE", "SET":
		return p.sessionCommand()
	case "EXPLAIN", "GRANT", "REVOKE", "CACHE", "UNCACHE", "REFRESH", "MSCK", "COPY", "COMMENT", "CALL", "DECLARE",
		"BEGIN", "EXECUTE", "CONVERT", "CLONE", "REPAIR", "LOAD", "RESET", "UNSET", "FSCK", "SYNC", "UNDROP":
		p.refuse("%s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

// queryStatement reads a query; WITH may also stand before an INSERT.
func (p *parser) queryStatement() Statement {
	if !p.is("WITH") {
		return p.query()
	}
	with := p.with()
	if p.is("INSERT") {
		return p.insert(with)
	}
	q := p.queryAfterWith()
	q.With = with
	return q
}

func (p *parser) maintenance() Statement {
	switch p.next().upper() {
	case "OPTIMIZE":
		return p.optimize()
	case "VACUUM":
		return p.vacuum()
	case "ANALYZE":
		return p.analyze()
	case "RESTORE":
		p.accept("TABLE")
		r := &Restore{Name: p.name()}
		p.expect("TO")
		r.Version = p.asOf()
		return r
	case "TRUNCATE":
		p.expect("TABLE")
		return &Truncate{Name: p.name()}
	}
	p.expect("TABLE")
	r := &Reorg{Name: p.name()}
	if p.accept("WHERE") {
		r.Where = p.expression()
	}
	p.expect("APPLY")
	if p.is("(", "UPGRADE") {
		p.refuse("REORG … APPLY (UPGRADE …)")
	}
	p.expect("(", "PURGE", ")")
	return r
}

// asOf reads VERSION AS OF n or TIMESTAMP AS OF e, after an optional FOR.
func (p *parser) asOf() AsOf {
	p.accept("FOR")
	switch {
	case p.accept("VERSION", "AS", "OF"), p.accept("SYSTEM_VERSION", "AS", "OF"):
		t := p.peek()
		if t.kind == tokString {
			t.text = t.value
		} else if t.kind != tokNumber {
			p.fail()
			return AsOf{}
		}
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil || n < 0 {
			p.fail()
			return AsOf{}
		}
		p.next()
		return AsOf{Version: &n}
	case p.accept("TIMESTAMP", "AS", "OF"), p.accept("SYSTEM_TIME", "AS", "OF"):
		return AsOf{Timestamp: p.value()}
	}
	p.fail()
	return AsOf{}
}

func (p *parser) asOfFollows() bool {
	return p.is("VERSION", "AS", "OF") || p.is("TIMESTAMP", "AS", "OF") || p.is("FOR", "VERSION", "AS", "OF") ||
		p.is("FOR", "TIMESTAMP", "AS", "OF") || p.is("FOR", "SYSTEM_VERSION", "AS", "OF") || p.is("FOR", "SYSTEM_TIME", "AS", "OF")
}

func (p *parser) optimize() Statement {
	o := &Optimize{Name: p.name(), Full: p.accept("FULL")}
	if p.accept("WHERE") {
		o.Where = p.expression()
		p.refuseMarkers(o.Where)
	}
	if p.accept("ZORDER", "BY") {
		if p.is("(") {
			o.ZOrderBy = p.names()
		} else {
			o.ZOrderBy = append(o.ZOrderBy, p.identifier())
			for p.accept(",") {
				o.ZOrderBy = append(o.ZOrderBy, p.identifier())
			}
		}
	}
	return o
}

// refuseMarkers answers as Delta does for a command that never binds parameters.
func (p *parser) refuseMarkers(e Expr) {
	if name, ok := firstMarker(p.text[e.span().From:e.span().To]); p.err == nil && ok {
		p.setError(unbound(name))
	}
}

func firstMarker(text string) (string, bool) {
	for _, t := range tokenize(text) {
		if t.kind == tokMarker {
			return t.value, true
		}
	}
	return "", false
}

func (p *parser) vacuum() Statement {
	v := &Vacuum{Name: p.name()}
	for p.err == nil && p.peek().kind != tokEnd {
		switch {
		case p.is("FULL") || p.is("LITE"):
			v.Mode = p.next().upper()
		case p.accept("RETAIN"):
			n := p.signedNumber()
			v.RetainHours = &n
			if !p.accept("HOURS") {
				p.expect("HOUR")
			}
		case p.accept("DRY", "RUN"):
			v.DryRun = true
		default:
			p.fail()
		}
	}
	return v
}

func (p *parser) signedNumber() float64 {
	negative := p.accept("-")
	t := p.peek()
	n, err := strconv.ParseFloat(t.text, 64)
	if t.kind != tokNumber || err != nil {
		p.fail()
		return 0
	}
	p.next()
	if negative {
		return -n
	}
	return n
}

func (p *parser) wholeNumber() int64 {
	t := p.peek()
	n, err := strconv.ParseInt(t.text, 10, 64)
	if t.kind != tokNumber || err != nil {
		p.fail()
		return 0
	}
	p.next()
	return n
}

func (p *parser) analyze() Statement {
	if p.is("TABLES") {
		p.refuse("ANALYZE TABLES")
	}
	p.expect("TABLE")
	a := &Analyze{Name: p.name()}
	p.expect("COMPUTE")
	a.Delta = p.accept("DELTA")
	p.expect("STATISTICS")
	switch {
	case p.accept("NOSCAN"):
		a.NoScan = true
	case p.accept("FOR", "ALL", "COLUMNS"):
		a.AllColumns = true
	case p.accept("FOR", "COLUMNS"):
		if p.is("(") {
			a.Columns = p.names()
			break
		}
		a.Columns = append(a.Columns, p.identifier())
		for p.accept(",") {
			a.Columns = append(a.Columns, p.identifier())
		}
	}
	return a
}

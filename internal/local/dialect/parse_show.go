package dialect

// describe reads DESCRIBE in its forms.
func (p *parser) describe() Statement {
	p.next()
	switch {
	case p.is("HISTORY") && p.named(1):
		p.next()
		d := &DescribeHistory{Name: p.name()}
		if p.accept("LIMIT") {
			n := p.wholeNumber()
			d.Limit = &n
		}
		return d
	case p.is("DETAIL") && p.named(1):
		p.next()
		return &DescribeDetail{Name: p.name()}
	case (p.is("SCHEMA") || p.is("DATABASE")) && p.named(1):
		p.next()
		return &DescribeSchema{Extended: p.accept("EXTENDED"), Name: p.name()}
	case (p.is("CATALOG") || p.is("FUNCTION") || p.is("QUERY") || p.is("SHARE") || p.is("VOLUME")) && p.named(1), p.is("SELECT"):
		p.refuse("DESCRIBE %s", p.peek().upper())
		return nil
	}
	if p.named(1) {
		p.accept("TABLE")
	}
	d := &DescribeTable{}
	if p.named(1) {
		d.Extended = p.accept("EXTENDED") || p.accept("FORMATTED")
	}
	d.Name = p.name()
	if p.accept("AS", "JSON") || p.is("PARTITION") || p.peek().kind == tokWord {
		p.refuse("DESCRIBE TABLE … %s", p.peek().text)
	}
	return d
}

// named says whether the token n ahead begins a name.
func (p *parser) named(n int) bool {
	k := p.peekAt(n).kind
	return k == tokWord || k == tokQuotedName
}

// show reads SHOW in its forms.
func (p *parser) show() Statement {
	p.expect("SHOW")
	switch {
	case p.accept("TBLPROPERTIES"):
		s := &ShowProperties{Name: p.name()}
		if p.accept("(") {
			k := p.propertyKey()
			s.Key = &k
			p.expect(")")
		}
		return s
	case p.is("TABLES"), p.is("VIEWS"):
		s := &ShowTables{Views: p.next().upper() == "VIEWS"}
		s.In, s.Like = p.inAndLike()
		return s
	case p.accept("SCHEMAS"), p.accept("DATABASES"):
		s := &ShowSchemas{}
		s.In, s.Like = p.inAndLike()
		return s
	case p.accept("CATALOGS"):
		s := &ShowCatalogs{}
		_, s.Like = p.inAndLike()
		return s
	case p.accept("COLUMNS"):
		return p.showColumns()
	case p.accept("CREATE", "TABLE"):
		s := &ShowCreateTable{Name: p.name()}
		if p.is("AS") {
			p.refuse("SHOW CREATE TABLE … AS SERDE")
		}
		return s
	case p.peek().kind == tokWord:
		p.refuse("SHOW %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

func (p *parser) showColumns() Statement {
	if !p.accept("IN") {
		p.expect("FROM")
	}
	s := &ShowColumns{Name: p.name()}
	if p.accept("IN") || p.accept("FROM") {
		schema := p.name()
		s.Name.Parts = append(schema.Parts, s.Name.Parts[len(s.Name.Parts)-1])
	}
	return s
}

func (p *parser) inAndLike() (in Name, like *string) {
	if p.accept("IN") || p.accept("FROM") {
		in = p.name()
	}
	if p.accept("LIKE") || p.peek().kind == tokString {
		like = p.stringPointer()
	}
	return in, like
}

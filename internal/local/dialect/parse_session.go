package dialect

import "strings"

// sessionCommand reads USE and SET.
func (p *parser) sessionCommand() Statement {
	if p.accept("USE") {
		switch {
		case p.accept("CATALOG"):
			return &Use{Name: Name{Parts: []string{p.identifierOrString()}}, Catalog: true}
		case p.is("SCHEMA") && p.peekAt(1).kind != tokEnd, p.is("DATABASE") && p.peekAt(1).kind != tokEnd:
			p.next()
		}
		return &Use{Name: p.name()}
	}
	p.expect("SET")
	if p.accept("TIME", "ZONE") {
		return p.timeZone()
	}
	if p.peek().kind == tokEnd {
		return &SetConfig{}
	}
	if p.is("VAR") || p.is("VARIABLE") {
		p.refuse("SET VARIABLE")
	}
	c := &SetConfig{}
	from := p.peek()
	for p.err == nil && p.peek().kind != tokEnd && !p.is("=") {
		p.next()
	}
	c.Key = strings.Trim(strings.TrimSpace(p.textOf(p.spanFrom(from))), "`")
	if p.accept("=") {
		from := p.peek()
		if from.kind == tokEnd {
			p.fail()
			return nil
		}
		for p.err == nil && p.peek().kind != tokEnd {
			p.next()
		}
		v := strings.Trim(p.textOf(p.spanFrom(from)), `'"`)
		c.Value = &v
	}
	return c
}

func (p *parser) identifierOrString() string {
	if p.peek().kind == tokString {
		return p.stringText()
	}
	return p.identifier()
}

func (p *parser) timeZone() Statement {
	if p.accept("LOCAL") {
		return &SetTimeZone{}
	}
	if p.peek().kind != tokString {
		if p.is("INTERVAL") {
			p.refuse("SET TIME ZONE INTERVAL")
		}
		p.fail()
		return nil
	}
	zone := p.stringText()
	if _, err := loadZone(zone); err != nil && p.err == nil {
		p.setError(err)
	}
	return &SetTimeZone{Zone: zone}
}

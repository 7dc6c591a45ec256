package dialect

import "strings"

// create reads CREATE or REPLACE.
func (p *parser) create() Statement {
	replaceOnly := p.accept("REPLACE")
	if !replaceOnly {
		p.expect("CREATE")
	}
	orReplace := !replaceOnly && p.accept("OR", "REPLACE")
	switch {
	case p.accept("SCHEMA"), p.accept("DATABASE"):
		return p.createSchema()
	case p.accept("CATALOG"):
		c := &CreateCatalog{IfNotExists: p.ifNotExists(), Name: p.identifier()}
		return c
	case p.is("VIEW"), p.is("TEMPORARY"), p.is("TEMP"), p.is("GLOBAL"):
		return p.createView(orReplace)
	case p.is("EXTERNAL"), p.is("TABLE"):
		p.accept("EXTERNAL")
		p.expect("TABLE")
		return p.createTable(orReplace, replaceOnly)
	case p.is("FUNCTION"), p.is("MATERIALIZED"), p.is("STREAMING"), p.is("LIVE"), p.is("VOLUME"), p.is("INDEX"),
		p.is("BLOOMFILTER"), p.is("CONNECTION"), p.is("SHARE"), p.is("RECIPIENT"), p.is("EXTERNAL"), p.is("PROCEDURE"):
		p.refuse("CREATE %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

func (p *parser) createSchema() Statement {
	s := &CreateSchema{IfNotExists: p.ifNotExists(), Name: p.name()}
	for p.err == nil && p.peek().kind != tokEnd {
		switch {
		case p.accept("COMMENT"):
			s.Comment = p.stringPointer()
		case p.is("MANAGED"), p.is("LOCATION"), p.is("WITH"), p.is("DEFAULT"):
			p.refuse("CREATE SCHEMA … %s", p.peek().upper())
		default:
			p.fail()
		}
	}
	return s
}

func (p *parser) createView(orReplace bool) Statement {
	v := &CreateView{OrReplace: orReplace}
	if p.is("GLOBAL") {
		p.refuse("CREATE GLOBAL TEMPORARY VIEW")
	}
	v.Temporary = p.accept("TEMPORARY") || p.accept("TEMP")
	p.expect("VIEW")
	v.IfNotExists = p.ifNotExists()
	v.Name = p.name()
	if p.is("(") {
		p.list(func() {
			c := ColumnDef{Name: p.identifier()}
			if p.accept("COMMENT") {
				c.Comment = p.stringPointer()
			}
			v.Columns = append(v.Columns, c)
		})
	}
	for p.err == nil && !p.accept("AS") {
		switch {
		case p.accept("COMMENT"):
			v.Comment = p.stringPointer()
		case p.accept("TBLPROPERTIES"):
			v.Properties = p.properties()
		case p.is("WITH"), p.is("SCHEMA"), p.is("USING"), p.is("DEFAULT"):
			p.refuse("CREATE VIEW … %s", p.peek().upper())
		default:
			p.fail()
		}
	}
	v.Query = p.query()
	if p.err == nil {
		v.Text = p.textOf(v.Query.Span)
	}
	return v
}

func (p *parser) createTable(orReplace, replaceOnly bool) Statement {
	t := &CreateTable{OrReplace: orReplace, Replace: replaceOnly, IfNotExists: p.ifNotExists()}
	t.Name = p.tableName()
	if p.is("(") && !p.is("(", "SELECT") && !p.is("(", "WITH") {
		p.list(func() {
			if p.is("CONSTRAINT") || p.is("PRIMARY", "KEY") || p.is("FOREIGN", "KEY") {
				p.refuse("a table constraint in CREATE TABLE")
			}
			t.Columns = append(t.Columns, p.columnDef())
		})
	}
	for p.err == nil && p.peek().kind != tokEnd && p.tableClause(t) {
	}
	if p.accept("AS") || p.is("SELECT") || p.is("WITH") || p.is("(") || p.is("VALUES") {
		t.As = p.query()
	}
	return t
}

// tableClause reads one clause between the columns and AS; false when none follows.
func (p *parser) tableClause(t *CreateTable) bool {
	switch {
	case p.accept("USING"):
		t.Provider = strings.ToLower(p.identifier())
		if t.Provider != "delta" {
			p.refuse("CREATE TABLE … USING %s", t.Provider)
		}
	case p.accept("PARTITIONED", "BY"):
		p.partitions(t)
	case p.accept("CLUSTER", "BY"):
		if p.accept("AUTO") {
			t.ClusterAuto = true
		} else if !p.accept("NONE") {
			t.ClusterBy = p.names()
		}
	case p.accept("TBLPROPERTIES"):
		t.Properties = append(t.Properties, p.properties()...)
	case p.accept("COMMENT"):
		t.Comment = p.stringPointer()
	case p.accept("LOCATION"):
		t.Location = p.stringPointer()
	case p.is("DELETE", "ROWS"):
		d := p.rowDeletion()
		t.RowDeletion = &d
	case p.is("DEEP", "CLONE"), p.is("SHALLOW", "CLONE"), p.is("CLONE"):
		// Spark's own parser, the recorded truth, does not know CLONE in these forms.
		p.fail()
	case p.is("LIKE"), p.is("CLUSTERED"), p.is("OPTIONS"), p.is("WITH", "ROW"), p.is("ROW"), p.is("STORED"), p.is("DEFAULT"):
		p.refuse("CREATE TABLE … %s", p.peek().upper())
	default:
		return false
	}
	return true
}

func (p *parser) partitions(t *CreateTable) {
	p.list(func() {
		if next := p.peekAt(1); next.text == "(" {
			p.refuse("partitioning by the expression %s(…)", p.peek().text)
			return
		}
		if next := p.peekAt(1); next.kind == tokWord {
			c := p.columnDef()
			t.Columns = append(t.Columns, c)
			t.PartitionBy = append(t.PartitionBy, c.Name)
			return
		}
		t.PartitionBy = append(t.PartitionBy, p.identifier())
	})
}

// rowDeletion reads DELETE ROWS n DAYS AFTER c.
func (p *parser) rowDeletion() RowDeletion {
	p.expect("DELETE", "ROWS")
	d := RowDeletion{Days: p.wholeNumber()}
	if !p.accept("DAYS") {
		p.expect("DAY")
	}
	p.expect("AFTER")
	d.Column = p.identifier()
	return d
}

// columnDef reads name type [NOT NULL] [DEFAULT e] [GENERATED ALWAYS AS (e)] [COMMENT 's'] in any order.
func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Name: p.identifier()}
	c.Type = p.dataType().String()
	for p.err == nil {
		switch {
		case p.accept("NOT", "NULL"):
			c.NotNull = true
		case p.accept("NULL"):
		case p.accept("DEFAULT"):
			e := p.expression()
			c.Default = p.exprText(e)
		case p.is("GENERATED"):
			p.generated(&c)
		case p.accept("COMMENT"):
			c.Comment = p.stringPointer()
		case p.is("COLLATE"), p.is("PRIMARY"), p.is("CONSTRAINT"), p.is("REFERENCES"), p.is("MASK"), p.is("CHECK"):
			p.refuse("%s of a column", p.peek().upper())
		default:
			return c
		}
	}
	return c
}

func (p *parser) generated(c *ColumnDef) {
	p.expect("GENERATED")
	if p.is("BY", "DEFAULT") || p.is("ALWAYS", "AS", "IDENTITY") {
		p.refuse("an identity column")
		return
	}
	p.expect("ALWAYS", "AS", "(")
	e := p.expression()
	c.Generated = p.exprText(e)
	p.expect(")")
}

func (p *parser) exprText(e Expr) string {
	if p.err != nil || e == nil {
		return ""
	}
	return p.textOf(e.span())
}

// properties reads ('k' = 'v', k.l = 2, …).
func (p *parser) properties() []Property {
	var out []Property
	p.list(func() {
		k := p.propertyKey()
		if !p.accept("=") && !p.accept("==") && p.peek().kind != tokString && p.peek().kind != tokNumber {
			p.fail()
		}
		out = append(out, Property{Key: k, Value: p.propertyValue()})
	})
	return out
}

func (p *parser) propertyKey() string {
	if p.peek().kind == tokString {
		return p.stringText()
	}
	return strings.Join(p.name().Parts, ".")
}

func (p *parser) propertyValue() string {
	switch t := p.peek(); t.kind {
	case tokString:
		return p.stringText()
	case tokNumber:
		p.next()
		return t.text
	case tokSymbol:
		if t.text == "-" && p.peekAt(1).kind == tokNumber {
			p.next()
			return "-" + p.next().text
		}
	case tokWord:
		if w := t.upper(); w == "TRUE" || w == "FALSE" {
			p.next()
			return strings.ToLower(t.text)
		}
	}
	p.fail()
	return ""
}

// tableName reads a name or IDENTIFIER('constant').
func (p *parser) tableName() Name {
	if p.is("IDENTIFIER", "(") {
		at := p.peek().pos
		e := p.identifierClause()
		n, err := constantName(e.x, p.session)
		if err != nil && p.err == nil {
			p.setError(err)
		}
		n.Pos = at
		return n
	}
	return p.name()
}

func (p *parser) keys() []string {
	var out []string
	p.list(func() { out = append(out, p.propertyKey()) })
	return out
}

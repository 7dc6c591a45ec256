package dialect

// drop reads DROP.
func (p *parser) drop() Statement {
	p.expect("DROP")
	switch {
	case p.accept("TABLE"):
		d := &DropTable{IfExists: p.ifExists(), Name: p.tableName()}
		p.accept("PURGE")
		return d
	case p.accept("VIEW"):
		return &DropView{IfExists: p.ifExists(), Name: p.tableName()}
	case p.accept("SCHEMA"), p.accept("DATABASE"):
		d := &DropSchema{IfExists: p.ifExists(), Name: p.name()}
		d.Cascade = p.accept("CASCADE")
		if !d.Cascade {
			p.accept("RESTRICT")
		}
		return d
	case p.is("CATALOG"), p.is("FUNCTION"), p.is("TEMPORARY"), p.is("VOLUME"), p.is("CONNECTION"), p.is("MATERIALIZED"):
		p.refuse("DROP %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

// alter reads ALTER TABLE and ALTER VIEW.
func (p *parser) alter() Statement {
	p.expect("ALTER")
	a := &AlterTable{}
	switch {
	case p.accept("VIEW"):
		a.View = true
	case p.is("SCHEMA"), p.is("DATABASE"), p.is("CATALOG"), p.is("MATERIALIZED"), p.is("STREAMING"), p.is("VOLUME"):
		p.refuse("ALTER %s", p.peek().upper())
		return nil
	default:
		p.expect("TABLE")
	}
	a.Name = p.tableName()
	a.Action = p.alterAction()
	return a
}

func (p *parser) alterAction() AlterAction {
	switch {
	case p.accept("SET"):
		return p.alterSet()
	case p.accept("UNSET"):
		if p.accept("TAGS") {
			return UnsetTags{Keys: p.keys()}
		}
		p.expect("TBLPROPERTIES")
		u := UnsetProperties{IfExists: p.ifExists()}
		u.Keys = p.keys()
		return u
	case p.accept("OWNER", "TO"):
		return SetOwner{Owner: p.identifierOrString()}
	case p.accept("ADD"):
		return p.alterAdd()
	case p.accept("RENAME", "TO"):
		return RenameTable{To: p.name()}
	case p.accept("RENAME", "COLUMN"):
		r := RenameColumn{From: p.identifier()}
		p.expect("TO")
		r.To = p.identifier()
		return r
	case p.accept("DROP"):
		return p.alterDrop()
	case p.accept("ALTER"), p.accept("CHANGE"):
		p.accept("COLUMN")
		return p.alterColumn()
	case p.is("DELETE", "ROWS"):
		return DeleteRows{RowDeletion: p.rowDeletion()}
	case p.accept("CLUSTER", "BY"):
		return p.clusterBy()
	case p.is("RECOVER"), p.is("PARTITION"), p.is("REPLACE"), p.is("ENABLE"), p.is("DISABLE"), p.is("AS"):
		p.refuse("ALTER TABLE … %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

func (p *parser) alterSet() AlterAction {
	switch {
	case p.accept("TBLPROPERTIES"):
		return SetProperties{Properties: p.properties()}
	case p.accept("TAGS"):
		return SetTags{Tags: p.properties()}
	case p.accept("OWNER", "TO"):
		return SetOwner{Owner: p.identifierOrString()}
	case p.is("LOCATION"), p.is("SERDE"), p.is("SERDEPROPERTIES"), p.is("ROW"), p.is("MANAGED"):
		p.refuse("ALTER TABLE … SET %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

func (p *parser) alterAdd() AlterAction {
	if !p.accept("COLUMNS") {
		if p.is("CONSTRAINT") || p.is("PARTITION") || p.is("IF") {
			p.refuse("ALTER TABLE … ADD %s", p.peek().upper())
			return nil
		}
		p.accept("COLUMN")
	}
	var a AddColumns
	add := func() {
		a.Columns = append(a.Columns, p.columnDef())
		if p.is("FIRST") || p.is("AFTER") {
			p.refuse("ALTER TABLE … ADD COLUMN … %s", p.peek().upper())
		}
	}
	if p.is("(") {
		p.list(add)
		return a
	}
	add()
	for p.accept(",") {
		add()
	}
	return a
}

func (p *parser) alterDrop() AlterAction {
	switch {
	case p.accept("ROW", "DELETION"):
		return DropRowDeletion{}
	case p.accept("COLUMN"), p.accept("COLUMNS"):
		d := DropColumns{IfExists: p.ifExists()}
		if p.is("(") {
			d.Columns = p.names()
			return d
		}
		d.Columns = append(d.Columns, p.identifier())
		for p.accept(",") {
			d.Columns = append(d.Columns, p.identifier())
		}
		return d
	case p.is("CONSTRAINT"), p.is("PARTITION"), p.is("PRIMARY"), p.is("FOREIGN"), p.is("IF"), p.is("FEATURE"):
		p.refuse("ALTER TABLE … DROP %s", p.peek().upper())
		return nil
	}
	p.fail()
	return nil
}

func (p *parser) clusterBy() AlterAction {
	switch {
	case p.accept("AUTO"):
		return ClusterBy{Auto: true}
	case p.accept("NONE"):
		return ClusterBy{}
	}
	return ClusterBy{Columns: p.names()}
}

func (p *parser) alterColumn() AlterAction {
	c := AlterColumn{Column: p.identifier()}
	switch {
	case p.accept("COMMENT"):
		c.Comment = p.stringPointer()
	case p.accept("TYPE"):
		c.Type = p.dataType().String()
	case p.accept("SET", "NOT", "NULL"):
		c.SetNotNull = true
	case p.accept("DROP", "NOT", "NULL"):
		c.DropNotNull = true
	case p.accept("SET", "DEFAULT"):
		c.Default = p.exprText(p.expression())
	case p.accept("DROP", "DEFAULT"):
		c.DropDefault = true
	case p.accept("SET", "TAGS"):
		return SetTags{Column: c.Column, Tags: p.properties()}
	case p.accept("UNSET", "TAGS"):
		return UnsetTags{Column: c.Column, Keys: p.keys()}
	case p.is("FIRST"), p.is("AFTER"), p.is("SYNC"), p.is("SET", "MASK"), p.is("DROP", "MASK"):
		p.refuse("ALTER TABLE … ALTER COLUMN … %s", p.peek().upper())
	default:
		p.fail()
	}
	return c
}

package dialect

import "strings"

// query reads [WITH …] body [ORDER BY …] [LIMIT …] [OFFSET …].
func (p *parser) query() *Query {
	var with []cte
	from := p.peek()
	if p.is("WITH") {
		with = p.with()
	}
	q := p.queryAfterWith()
	q.With = with
	q.Span = p.spanFrom(from)
	return q
}

func (p *parser) with() []cte {
	p.expect("WITH")
	if p.is("RECURSIVE") && p.named(1) {
		p.refuse("WITH RECURSIVE")
	}
	var out []cte
	for {
		c := cte{name: p.identifier()}
		if p.is("(") && !p.is("(", "SELECT") {
			c.columns = p.names()
		}
		p.accept("AS")
		p.expect("(")
		c.query = p.query()
		p.expect(")")
		out = append(out, c)
		if !p.accept(",") || p.err != nil {
			return out
		}
	}
}

func (p *parser) queryAfterWith() *Query {
	q := &Query{}
	if !p.enter() {
		return q
	}
	defer p.leave()
	from := p.peek()
	q.Body = p.setOperation(0)
	if p.accept("ORDER", "BY") {
		q.Order, q.OrderAll = p.orderBy()
	}
	for _, w := range []string{"SORT", "CLUSTER", "DISTRIBUTE"} {
		if p.is(w, "BY") {
			p.refuse("%s BY", w)
		}
	}
	if p.accept("LIMIT") && !p.accept("ALL") {
		q.Limit = p.expression()
	}
	if p.accept("OFFSET") {
		q.Offset = p.expression()
		if p.accept("LIMIT") {
			q.Limit = p.expression()
		}
	}
	q.Span = p.spanFrom(from)
	return q
}

// setOperation reads UNION and EXCEPT at level 0, the closer binding INTERSECT at level 1.
func (p *parser) setOperation(level int) body {
	if level == 2 {
		return p.queryTerm()
	}
	left := p.setOperation(level + 1)
	for p.err == nil {
		op := p.peek().upper()
		if op == "MINUS" {
			op = "EXCEPT"
		}
		if level == 0 && op != "UNION" && op != "EXCEPT" || level == 1 && op != "INTERSECT" {
			break
		}
		p.next()
		s := &setOp{op: op, left: left}
		s.all = p.accept("ALL")
		if !s.all {
			p.accept("DISTINCT")
		}
		if p.is("BY", "NAME") {
			p.refuse("%s BY NAME", op)
		}
		s.right = p.setOperation(level + 1)
		left = s
	}
	return left
}

func (p *parser) queryTerm() body {
	switch {
	case p.accept("("):
		q := p.query()
		p.expect(")")
		return q
	case p.accept("VALUES"):
		return p.values()
	case p.accept("TABLE"):
		return &selectBody{items: []selectItem{{expr: &star{}}}, from: &tableRef{name: p.name()}}
	case p.is("FROM"):
		return p.fromFirst()
	case p.is("SELECT"):
		return p.selectQuery(nil)
	}
	p.fail()
	return &valuesBody{}
}

func (p *parser) values() *valuesBody {
	v := &valuesBody{}
	for {
		var row []Expr
		if p.is("(") {
			e := p.expression()
			if t, ok := e.(*tuple); ok {
				row = t.items
			} else {
				row = []Expr{e}
			}
		} else {
			row = []Expr{p.expression()}
		}
		v.rows = append(v.rows, row)
		if !p.accept(",") || p.err != nil {
			return v
		}
	}
}

// fromFirst reads FROM t [SELECT …].
func (p *parser) fromFirst() body {
	p.expect("FROM")
	f := p.fromList()
	if p.is("SELECT") {
		return p.selectQuery(f)
	}
	s := &selectBody{items: []selectItem{{expr: &star{}}}, from: f}
	p.selectTail(s)
	return s
}

func (p *parser) selectQuery(from FromItem) *selectBody {
	p.expect("SELECT")
	s := &selectBody{from: from}
	s.distinct = p.accept("DISTINCT")
	if !s.distinct {
		p.accept("ALL")
	}
	for {
		s.items = append(s.items, p.selectItem())
		if !p.accept(",") || p.err != nil {
			break
		}
	}
	if p.accept("FROM") {
		s.from = p.fromList()
	}
	p.selectTail(s)
	return s
}

func (p *parser) selectItem() selectItem {
	i := selectItem{expr: p.expression()}
	if p.accept("AS") {
		if p.is("(") {
			p.refuse("several aliases for one expression")
		}
		i.alias = p.identifierOrString()
	} else if p.named(0) && !p.clauseFollows() {
		i.alias = p.identifier()
	}
	return i
}

func (p *parser) selectTail(s *selectBody) {
	if p.accept("WHERE") {
		s.where = p.expression()
	}
	if p.accept("GROUP", "BY") {
		p.groupBy(s)
	}
	if p.accept("HAVING") {
		s.having = p.expression()
	}
	if p.accept("QUALIFY") {
		s.qualify = p.expression()
	}
	if p.accept("WINDOW") {
		s.windows = map[string]*window{}
		for {
			name := strings.ToLower(p.identifier())
			p.expect("AS")
			s.windows[name] = p.windowSpec()
			if !p.accept(",") || p.err != nil {
				break
			}
		}
	}
	if p.accept("QUALIFY") {
		s.qualify = p.expression()
	}
}

func (p *parser) groupBy(s *selectBody) {
	if p.is("ALL") && p.peekAt(1).text != "." {
		p.next()
		s.groupAll = true
		return
	}
	if p.is("ROLLUP", "(") || p.is("CUBE", "(") || p.is("GROUPING", "SETS") {
		p.refuse("GROUP BY %s", p.peek().upper())
	}
	for {
		s.group = append(s.group, p.expression())
		if !p.accept(",") || p.err != nil {
			break
		}
	}
	if p.is("WITH", "ROLLUP") || p.is("WITH", "CUBE") {
		p.refuse("GROUP BY … WITH %s", p.peekAt(1).upper())
	}
}

func (p *parser) orderBy() (items []orderItem, all bool) {
	for {
		var o orderItem
		if p.is("ALL") && len(items) == 0 && p.peekAt(1).text != "." {
			all = true
			p.next()
		} else {
			o.expr = p.expression()
		}
		if p.accept("DESC") {
			o.desc = true
		} else {
			p.accept("ASC")
		}
		if p.accept("NULLS") {
			o.nullsGiven = true
			o.nulls = p.next().upper()
			if o.nulls != "FIRST" && o.nulls != "LAST" {
				p.fail()
			}
		}
		items = append(items, o)
		if !p.accept(",") || p.err != nil {
			return items, all
		}
	}
}

// clauseWords cannot be aliases where one of them may follow.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var clauseWords = map[string]bool{"FROM": true, "WHERE": true, "GROUP": true, "HAVING": true, "ORDER": true,
	"LIMIT": true, "OFFSET": true, "UNION": true, "EXCEPT": true, "INTERSECT": true, "MINUS": true, "JOIN": true,
	"ON": true, "USING": true, "WHEN": true, "WINDOW": true, "QUALIFY": true, "LATERAL": true, "SET": true,
	"SELECT": true, "CLUSTER": true, "DISTRIBUTE": true, "SORT": true, "TABLESAMPLE": true, "PIVOT": true,
	"UNPIVOT": true, "INNER": true, "CROSS": true, "LEFT": true, "RIGHT": true, "FULL": true, "SEMI": true,
	"ANTI": true, "NATURAL": true, "AS": true, "CHANGES": true, "SETMINUS": true, "APPLY": true}

func (p *parser) clauseFollows() bool {
	return p.peek().kind == tokWord && clauseWords[p.peek().upper()]
}

package dialect

import (
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func unbound(name string) *engine.Error {
	return NewError("UNBOUND_SQL_PARAMETER", "Found the unbound parameter: "+name+". Please, fix `args` and provide a mapping of the parameter to a value.")
}

// parameter is the typed literal a marker stands for.
func (r *Rewriter) parameter(m *marker) (Expr, error) {
	for _, p := range r.session.Parameters {
		if p.Name == m.name {
			return literalOf(p, m, r.session)
		}
	}
	return nil, unbound(m.name)
}

// literalOf gives a parameter's value its type: a literal where there is one for it, a cast of the text otherwise.
func literalOf(p engine.Parameter, m *marker, s Session) (Expr, error) {
	typ := simple(String)
	if p.Type != "" {
		name := p.Type
		if strings.EqualFold(name, "NULL") {
			name = "VOID"
		}
		t, err := ParseType(name)
		if err != nil {
			return nil, err
		}
		typ = t
	}
	null := &literal{typ: simple(Void), name: "NULL", Span: m.Span}
	switch {
	case p.Value == nil && typ.Kind == Void:
		return null, nil
	case p.Value == nil:
		return &cast{x: null, typ: typ, Span: m.Span}, nil
	}
	text := &literal{typ: simple(String), text: *p.Value, name: *p.Value, Span: m.Span}
	if typ.Kind == String {
		return text, nil
	}
	if typ.integral() {
		ps := &parser{text: *p.Value, tokens: []token{{}}, session: s}
		if n := ps.integerText(*p.Value, typ); n != nil {
			n.Span = m.Span
			return n, nil
		}
	}
	return &cast{x: text, typ: typ, Span: m.Span}, nil
}

// integerText is an integer's text as a literal of the type, nil where it is none.
func (p *parser) integerText(text string, t Type) *literal {
	suffix := map[Kind]string{BigInt: "L", SmallInt: "S", TinyInt: "Y"}[t.Kind]
	body := strings.TrimLeft(text, "-+")
	if body == "" || strings.Trim(body, "0123456789") != "" {
		return nil
	}
	if got := p.integer(strings.TrimPrefix(text, "+"), suffix); p.err != nil || got.Kind != t.Kind {
		return nil
	}
	return &literal{typ: t, text: strings.TrimPrefix(text, "+"), name: text}
}

// bound replaces a marker at the top of an expression by its value, so that a column is named after it.
func (r *Rewriter) bound(e Expr) Expr {
	if m, ok := e.(*marker); ok {
		if l, err := r.parameter(m); err == nil {
			return l
		}
	}
	return e
}

// constantName reads the name inside IDENTIFIER(…): a string, a marker bound to one, or strings joined by ||.
func constantName(e Expr, s Session) (Name, *engine.Error) {
	text, ok, err := constantText(e, s)
	if err != nil {
		return Name{}, err
	}
	if !ok {
		return Name{}, NewError("NOT_A_CONSTANT_STRING.NOT_CONSTANT",
			"The expression "+prettyName(e)+" used for the routine or clause IDENTIFIER must be a constant STRING which is NOT NULL.")
	}
	p := &parser{text: text}
	for _, t := range tokenize(text) {
		if t.kind != tokSpace {
			p.tokens = append(p.tokens, t)
		}
	}
	n := p.name()
	if p.err == nil && p.peek().kind != tokEnd {
		p.fail()
	}
	return n, p.err
}

func constantText(e Expr, s Session) (string, bool, *engine.Error) {
	switch e := e.(type) {
	case *literal:
		return e.text, e.typ.Kind == String, nil
	case *marker:
		for _, p := range s.Parameters {
			if p.Name == e.name {
				if p.Value == nil {
					return "", false, nil
				}
				return *p.Value, true, nil
			}
		}
		return "", false, unbound(e.name)
	case *binary:
		if e.op != "||" {
			return "", false, nil
		}
		l, ok, err := constantText(e.l, s)
		if !ok || err != nil {
			return "", false, err
		}
		r, ok, err := constantText(e.r, s)
		return l + r, ok, err
	}
	return "", false, nil
}

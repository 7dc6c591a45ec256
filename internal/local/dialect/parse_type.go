package dialect

import "strings"

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var typeNames = map[string]Kind{"VOID": Void, "BOOLEAN": Boolean, "BYTE": TinyInt, "TINYINT": TinyInt, "SHORT": SmallInt,
	"SMALLINT": SmallInt, "INT": Int, "INTEGER": Int, "LONG": BigInt, "BIGINT": BigInt, "FLOAT": Float, "REAL": Float,
	"DOUBLE": Double, "STRING": String, "VARCHAR": String, "CHAR": String, "BINARY": Binary, "DATE": Date,
	"TIMESTAMP": Timestamp, "TIMESTAMP_LTZ": Timestamp, "TIMESTAMP_NTZ": TimestampNTZ}

// dataType reads a type.
func (p *parser) dataType() Type {
	if !p.enter() {
		return Type{}
	}
	defer p.leave()
	t := p.peek()
	if t.kind != tokWord {
		p.fail()
		return Type{}
	}
	p.next()
	switch w := t.upper(); w {
	case "DECIMAL", "DEC", "NUMERIC":
		return p.decimal()
	case "ARRAY":
		p.expect("<")
		e := p.dataType()
		p.closeAngle()
		return arrayOf(e)
	case "MAP":
		p.expect("<")
		k := p.dataType()
		p.expect(",")
		v := p.dataType()
		p.closeAngle()
		return mapOf(k, v)
	case "STRUCT":
		return p.structType()
	case "VARCHAR", "CHAR", "CHARACTER":
		p.refuse("the type %s", strings.ToLower(w))
		return simple(String)
	case "INTERVAL":
		return p.intervalType()
	default:
		if k, ok := typeNames[w]; ok {
			return simple(k)
		}
		p.setError(NewError("UNSUPPORTED_DATATYPE", "Unsupported data type \""+strings.ToUpper(t.text)+"\"."))
		return Type{}
	}
}

func (p *parser) decimal() Type {
	t := decimalType(10, 0)
	if p.accept("(") {
		t.Precision = int(p.wholeNumber())
		if p.accept(",") {
			t.Scale = int(p.wholeNumber())
		}
		p.expect(")")
	}
	if t.Precision < 1 || t.Precision > 38 || t.Scale > t.Precision {
		p.setError(NewError("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "Decimal precision and scale must be within 38: "+t.String()+"."))
	}
	return t
}

// closeAngle takes one > even where the tokenizer joined two.
func (p *parser) closeAngle() {
	if p.is(">>") {
		p.tokens[p.at].text, p.tokens[p.at].up = ">", ">"
		return
	}
	p.expect(">")
}

func (p *parser) structType() Type {
	t := Type{Kind: Struct}
	if p.accept("<>") {
		return t
	}
	p.expect("<")
	for p.err == nil {
		t.Fields = append(t.Fields, p.identifier())
		if m := p.peek(); m.kind == tokMarker {
			p.fail()
		}
		p.accept(":")
		t.Elem = append(t.Elem, p.dataType())
		if p.accept("NOT", "NULL") || p.is("COMMENT") {
			p.refuse("a constraint or comment inside a struct type")
		}
		if !p.accept(",") {
			break
		}
	}
	p.closeAngle()
	return t
}

func (p *parser) intervalType() Type {
	from := p.identifier()
	if p.accept("TO") {
		p.identifier()
	}
	switch strings.ToUpper(from) {
	case "YEAR", "MONTH":
		return simple(YearMonthInterval)
	}
	return simple(DayTimeInterval)
}

// ParseType reads the text of a Spark type, as engine.Column carries it.
func ParseType(text string) (Type, error) {
	p := &parser{text: text}
	for _, t := range tokenize(text) {
		switch t.kind {
		case tokSpace, tokComment, tokHint:
		case tokBad:
			return Type{}, p.syntaxAt(t)
		default:
			p.tokens = append(p.tokens, t)
		}
	}
	t := p.dataType()
	if p.err == nil && p.peek().kind != tokEnd {
		p.fail()
	}
	if p.err != nil {
		return Type{}, p.err
	}
	return t, nil
}

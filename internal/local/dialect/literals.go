package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// number reads a numeric literal; its minus, when it has one, is already taken.
func (p *parser) number(from token, negative bool) Expr {
	text := p.next().upper()
	body := strings.TrimRight(text, "LSYDFB")
	suffix := text[len(body):]
	sign := ""
	if negative {
		sign = "-"
	}
	l := &literal{text: sign + body, Span: p.spanFrom(from)}
	switch {
	case suffix == "BD":
		l.typ = decimalOf(l.text)
	case suffix == "F":
		l.typ = simple(Float)
	case suffix == "D", suffix == "" && strings.Contains(body, "E"):
		l.typ = simple(Double)
	case suffix == "" && strings.Contains(body, "."):
		l.typ = decimalOf(l.text)
	default:
		l.typ = p.integer(l.text, suffix)
	}
	l.name = l.text
	if l.typ.approximate() {
		v, err := strconv.ParseFloat(l.text, 64)
		if err != nil {
			p.setError(NewError("INVALID_NUMERIC_LITERAL_RANGE", "Numeric literal "+l.text+" is outside the valid range for double."))
		}
		l.name = javaDouble(v)
	}
	if l.typ.Kind == Decimal && l.typ.Precision > 38 {
		p.setError(NewError("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", "Decimal precision of "+l.text+" exceeds max precision 38."))
	}
	return l
}

func (p *parser) integer(text, suffix string) Type {
	bits := map[string]int{"L": 64, "S": 16, "Y": 8}
	kinds := map[string]Kind{"L": BigInt, "S": SmallInt, "Y": TinyInt}
	if suffix != "" {
		if _, err := strconv.ParseInt(text, 10, bits[suffix]); err != nil {
			p.setError(NewError("INVALID_NUMERIC_LITERAL_RANGE", "Numeric literal "+text+suffix+" is outside the valid range for "+
				kindNames[kinds[suffix]]+"."))
		}
		return simple(kinds[suffix])
	}
	if _, err := strconv.ParseInt(text, 10, 32); err == nil {
		return simple(Int)
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return simple(BigInt)
	}
	return decimalOf(text)
}

// decimalOf is the type of a decimal literal: as many digits as it needs.
func decimalOf(text string) Type {
	text = strings.TrimLeft(text, "-+")
	exponent := 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, _ = strconv.Atoi(text[at+1:])
		text = text[:at]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	scale := len(fraction) - exponent
	precision := max(len(digits), 1)
	if scale < 0 {
		precision, scale = precision-scale, 0
	}
	return decimalType(max(precision, scale), scale)
}

// javaDouble prints a double as Java does.
func javaDouble(v float64) string {
	abs := v
	if abs < 0 {
		abs = -abs
	}
	switch {
	case v != v:
		return "NaN"
	case abs > 1.7976931348623157e308:
		return strings.Replace(strings.TrimPrefix(fmt.Sprint(v), "+"), "Inf", "Infinity", 1)
	case v == 0 || abs >= 1e-3 && abs < 1e7:
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	s := strconv.FormatFloat(v, 'E', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// typedLiteral reads the string of DATE'…', TIMESTAMP'…' or X'…'.
func (p *parser) typedLiteral(word string, from token) Expr {
	s := p.stringText()
	l := &literal{text: s, Span: p.spanFrom(from)}
	switch word {
	case "DATE":
		day, ok := parseDate(s)
		l.typ, l.text, l.name = simple(Date), day, "DATE '"+day+"'"
		if !ok {
			p.invalidLiteral("DATE", s)
		}
	case "X":
		l.typ, l.text, l.name = simple(Binary), strings.ToUpper(s), "X'"+strings.ToUpper(s)+"'"
		if len(l.text)%2 == 1 {
			l.text = "0" + l.text
		}
		if strings.Trim(l.text, "0123456789ABCDEF") != "" {
			p.invalidLiteral("X", s)
		}
	default:
		p.timestampLiteral(l, word, s)
	}
	return l
}

func (p *parser) invalidLiteral(word, value string) {
	p.setError(NewError("INVALID_TYPED_LITERAL", fmt.Sprintf("The value of the typed literal %q is invalid: '%s'.", word, value)))
}

func (p *parser) timestampLiteral(l *literal, word, s string) {
	zone, zerr := loadZone(p.session.Zone)
	if zerr != nil {
		p.setError(zerr)
		return
	}
	t, ok := parseTimestamp(s)
	if !ok {
		p.invalidLiteral(word, s)
		return
	}
	l.typ = simple(Timestamp)
	micros := t.local
	if word == "TIMESTAMP_NTZ" {
		l.typ = simple(TimestampNTZ)
	} else {
		micros = t.instant(zone)
	}
	l.text = strconv.FormatInt(micros, 10)
	shown := micros
	if l.typ.Kind == Timestamp {
		shown = localMicros(micros, zone)
	}
	l.name = word + " '" + sparkTimestamp(shown) + "'"
}

// literalSQL prints a literal.
func literalSQL(l *literal) string {
	switch l.typ.Kind {
	case Void:
		return "NULL"
	case Boolean:
		return l.text
	case Int:
		return intSQL(l.text)
	case BigInt:
		return bigintSQL(l.text)
	case TinyInt, SmallInt:
		return "CAST(" + l.text + " AS " + l.typ.Duck() + ")"
	case Decimal:
		return "CAST(" + textSQL(l.text) + " AS " + l.typ.Duck() + ")"
	case Float, Double:
		return "CAST(" + textSQL(l.text) + " AS " + l.typ.Duck() + ")"
	case Date:
		return "DATE '" + l.text + "'"
	case Binary:
		return "from_hex('" + l.text + "')"
	case Timestamp, TimestampNTZ:
		micros, _ := strconv.ParseInt(l.text, 10, 64)
		return timestampSQL(micros)
	}
	return textSQL(l.text)
}

// intSQL prints an int. A bare negative number would be a subtraction in some places.
func intSQL(text string) string {
	switch {
	case text == "-2147483648":
		// Without its sign the number is no INTEGER.
		return "CAST(-2147483648 AS INTEGER)"
	case strings.HasPrefix(text, "-"):
		return "(" + text + ")"
	}
	return text
}

// bigintSQL prints a bigint, which DuckDB would take for an INTEGER where it is small enough.
func bigintSQL(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n > 1<<31-1 {
		return text
	}
	if n == -1<<63 {
		return "CAST('" + text + "' AS BIGINT)"
	}
	return "CAST(" + text + " AS BIGINT)"
}

// textSQL prints a string for DuckDB.
func textSQL(s string) string {
	if !strings.ContainsRune(s, 0) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	parts := strings.Split(s, "\x00")
	for i, part := range parts {
		parts[i] = textSQL(part)
	}
	return "(" + strings.Join(parts, " || chr(0) || ") + ")"
}

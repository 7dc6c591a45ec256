package dialect

import (
	"math/big"
	"strings"
)

// units gives the microseconds of a unit of time, or its months as a negative number.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var units = map[string]int64{"MICROSECOND": 1, "MILLISECOND": 1e3, "SECOND": 1e6, "MINUTE": 60e6, "HOUR": 3600e6,
	"DAY": 86400e6, "DAYOFYEAR": 86400e6, "WEEK": 7 * 86400e6, "MONTH": -1, "QUARTER": -3, "YEAR": -12}

func unitOf(word string) (int64, bool) {
	w := strings.ToUpper(word)
	if n, ok := units[w]; ok {
		return n, true
	}
	n, ok := units[strings.TrimSuffix(w, "S")]
	return n, ok
}

// interval reads INTERVAL n unit [n unit …], INTERVAL 'n' unit, INTERVAL 'n unit …' and INTERVAL '…' DAY TO SECOND.
func (p *parser) interval(from token) Expr {
	p.expect("INTERVAL")
	i := &intervalExpr{literal: true}
	if p.peek().kind == tokString {
		if _, ok := unitOf(p.peekAt(1).text); !ok {
			p.intervalText(i, p.stringText())
			i.Span = p.spanFrom(from)
			return i
		}
	}
	for p.err == nil {
		sign := ""
		if p.is("-") || p.is("+") {
			sign = strings.TrimPrefix(p.next().text, "+")
		}
		t := p.next()
		value := t.text
		if t.kind == tokString {
			value = strings.TrimSpace(t.value)
		} else if t.kind != tokNumber {
			if t.kind == tokMarker || t.kind == tokWord || t.text == "(" {
				p.refuse("an interval of an expression")
			}
			p.at--
			p.fail()
			return i
		}
		if p.is("TO") || p.peekAt(1).upper() == "TO" {
			p.intervalRange(i, sign+value)
			break
		}
		p.addInterval(i, sign+value, p.next())
		if k := p.peek().kind; k != tokNumber && k != tokString && !(p.is("-") && p.intervalGoesOn()) {
			break
		}
	}
	i.Span = p.spanFrom(from)
	return i
}

// intervalGoesOn keeps INTERVAL 1 DAY - 2 apart from INTERVAL 1 DAY -2 HOURS.
func (p *parser) intervalGoesOn() bool {
	_, ok := unitOf(p.peekAt(2).text)
	return p.peekAt(1).kind == tokNumber && ok
}

func (p *parser) addInterval(i *intervalExpr, value string, unit token) {
	n, ok := unitOf(unit.text)
	v, exact := new(big.Rat).SetString(value)
	if !ok || !exact || strings.ContainsAny(value, "eE/") {
		p.at--
		p.fail()
		return
	}
	if n < 0 {
		i.yearMonth = true
		n = -n
	}
	total := v.Mul(v, new(big.Rat).SetInt64(n))
	if !total.IsInt() || !total.Num().IsInt64() {
		if !i.yearMonth && total.Num().BitLen() < 100 {
			total.SetInt(new(big.Int).Quo(total.Num(), total.Denom()))
		} else {
			p.fail()
			return
		}
	}
	if unit.upper() == "MONTH" || unit.upper() == "MONTHS" || i.yearMonth {
		i.months += total.Num().Int64()
	} else {
		i.micros += total.Num().Int64()
	}
	if i.months != 0 && i.micros != 0 || i.yearMonth && i.micros != 0 {
		p.refuse("an interval of months and shorter units together")
	}
}

// intervalText reads the units inside a string, as '1 day 12 hours'.
func (p *parser) intervalText(i *intervalExpr, text string) {
	words := strings.Fields(text)
	if len(words) > 0 && strings.EqualFold(words[0], "interval") {
		words = words[1:]
	}
	if len(words) == 0 || len(words)%2 == 1 {
		p.invalidLiteral("INTERVAL", text)
		return
	}
	for k := 0; k < len(words); k += 2 {
		p.addInterval(i, words[k], token{kind: tokWord, text: words[k+1]})
	}
}

// intervalRange reads 'a b:c:d' FROM TO TO.
func (p *parser) intervalRange(i *intervalExpr, value string) {
	first := p.next()
	p.expect("TO")
	last := p.next()
	order := []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	if first.upper() == "YEAR" && last.upper() == "MONTH" {
		order = []string{"YEAR", "MONTH"}
	}
	negative := strings.HasPrefix(value, "-")
	parts := strings.FieldsFunc(strings.TrimLeft(value, "+-"), func(r rune) bool { return r == ' ' || r == ':' || r == '-' })
	at := -1
	for k, u := range order {
		if u == first.upper() {
			at = k
		}
	}
	if at < 0 || at+len(parts) > len(order) || len(parts) == 0 || order[at+len(parts)-1] != last.upper() {
		p.invalidLiteral("INTERVAL", value)
		return
	}
	for k, part := range parts {
		if negative {
			part = "-" + part
		}
		p.addInterval(i, part, token{kind: tokWord, text: order[at+k]})
	}
}

package interval

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Error is a text that is no interval: the text, why, and how to write it.
type Error struct {
	Value  string
	Reason string
	Hint   string
}

// Error names the value, the reason and the remedy.
func (e *Error) Error() string {
	return fmt.Sprintf("interval %q: %s; %s", e.Value, e.Reason, e.Hint)
}

const (
	hint      = `write it as "24h", "30m", "7 days" or "interval 168 hours"`
	deltaHint = `Delta takes "interval 168 hours", "7 days" or "1 week 1 day"`
)

// Parse reads an interval as people write one: "24h", "1h30m", "30 min",
// "7 days", "interval 168 hours", "1 week 1 day". Units may be short or long
// and in any case. Zero is an interval; where it makes no sense the caller
// says so. The error is an *Error.
func Parse(text string) (time.Duration, error) {
	p := reader{text: text, unit: anyUnit, glued: true, hint: hint}
	return p.read()
}

// ParseDelta reads a table property as Delta does: the word interval, then
// numbers and whole words for units, separated by blanks. The forms Delta
// refuses ("7d", "P7D") are refused.
func ParseDelta(text string) (time.Duration, error) {
	p := reader{text: text, unit: deltaUnit, signed: true, hint: deltaHint}
	return p.read()
}

// reader reads number and unit, again and again.
type reader struct {
	text   string
	rest   string
	unit   func(string) (time.Duration, bool)
	glued  bool // a number and its unit may stand without a blank between
	signed bool // a number may carry a sign, as long as the sum is not negative
	hint   string
}

func (p *reader) fail(format string, args ...any) error {
	return &Error{Value: p.text, Reason: fmt.Sprintf(format, args...), Hint: p.hint}
}

func (p *reader) read() (time.Duration, error) {
	p.rest = strings.ToLower(strings.TrimSpace(p.text))
	if p.rest == "" {
		return 0, p.fail("empty")
	}
	if rest, ok := strings.CutPrefix(p.rest, "interval"); ok && (rest == "" || isBlank(rest[0])) {
		p.rest = strings.TrimSpace(rest)
		if p.rest == "" {
			return 0, p.fail("no length follows the word interval")
		}
	}
	var sum time.Duration
	for p.rest != "" {
		part, err := p.part()
		if err != nil {
			return 0, err
		}
		if part > 0 && sum > math.MaxInt64-part || part < 0 && sum < math.MinInt64-part {
			return 0, p.fail("longer than 292 years")
		}
		sum += part
	}
	if sum < 0 {
		return 0, p.fail("negative")
	}
	return sum, nil
}

func (p *reader) part() (time.Duration, error) {
	negative, err := p.sign()
	if err != nil {
		return 0, err
	}
	digits := strings.IndexFunc(p.rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if digits < 0 {
		digits = len(p.rest)
	}
	number, after := p.rest[:digits], p.rest[digits:]
	switch {
	case number == "":
		return 0, p.fail("a number must come before %q", firstWord(p.rest))
	case after == "":
		return 0, p.fail("%s has no unit", number)
	case !p.glued && !isBlank(after[0]):
		return 0, p.fail("a blank must follow %s", number)
	}
	after = strings.TrimLeft(after, blanks)
	word := firstWord(after)
	if p.glued {
		word = leadingLetters(after)
	}
	unit, ok := p.unit(word)
	if !ok {
		return 0, p.badUnit(word)
	}
	if !p.glued && unit != time.Second && strings.Contains(number, ".") {
		return 0, p.fail("only seconds may have a fraction")
	}
	p.rest = strings.TrimLeft(after[len(word):], blanks)
	d, reason := multiply(number, unit)
	if reason != "" {
		return 0, p.fail("%s %s %s", number, word, reason)
	}
	if negative {
		d = -d
	}
	return d, nil
}

func (p *reader) sign() (negative bool, err error) {
	if p.rest[0] != '-' && p.rest[0] != '+' {
		return false, nil
	}
	if !p.signed {
		if p.rest[0] == '-' {
			return false, p.fail("negative")
		}
		return false, p.fail("a sign has no meaning here")
	}
	negative = p.rest[0] == '-'
	p.rest = strings.TrimLeft(p.rest[1:], blanks)
	return negative, nil
}

func (p *reader) badUnit(word string) error {
	switch strings.TrimSuffix(word, "s") {
	case "month", "mon":
		return p.fail("a month has no fixed length, so write days: 1 month as 30 or 31 days")
	case "year", "y", "yr":
		return p.fail("a year has no fixed length, so write days: 1 year as 365 days")
	case "ago":
		return p.fail("ago has no meaning here")
	case "":
		return p.fail("a unit must follow the number")
	}
	return p.fail("%q is no unit", word)
}

// multiply is a decimal number of units, exact to the nanosecond.
func multiply(number string, unit time.Duration) (time.Duration, string) {
	whole, fraction, point := strings.Cut(number, ".")
	if strings.Contains(fraction, ".") || (whole == "" && fraction == "") {
		return 0, "has no readable number"
	}
	var d time.Duration
	for _, c := range whole {
		if d > (math.MaxInt64-9)/10 {
			return 0, "is longer than 292 years"
		}
		d = d*10 + time.Duration(c-'0')
	}
	if unit > 1 && d > math.MaxInt64/unit {
		return 0, "is longer than 292 years"
	}
	d *= unit //nolint:durationcheck // d is a bare number until here
	if !point {
		return d, ""
	}
	rest := unit
	for _, c := range fraction {
		if c == '0' && rest%10 != 0 {
			continue
		}
		if rest%10 != 0 {
			return 0, "is finer than a nanosecond"
		}
		rest /= 10
		if part := rest * time.Duration(c-'0'); d <= math.MaxInt64-part {
			d += part
			continue
		}
		return 0, "is longer than 292 years"
	}
	return d, ""
}

const blanks = " \t\r\n"

func isBlank(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func firstWord(s string) string {
	if i := strings.IndexAny(s, blanks); i >= 0 {
		return s[:i]
	}
	return s
}

// leadingLetters is the unit in front of what may follow without a blank, as
// in 1h30m.
func leadingLetters(s string) string {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' || isBlank(s[i]) || s[i] == '-' || s[i] == '+' {
			return s[:i]
		}
	}
	return s
}

// deltaUnit are the units of Spark's calendar intervals that have a fixed length.
func deltaUnit(word string) (time.Duration, bool) {
	switch strings.TrimSuffix(word, "s") {
	case "week":
		return 7 * 24 * time.Hour, true
	case "day":
		return 24 * time.Hour, true
	case "hour":
		return time.Hour, true
	case "minute":
		return time.Minute, true
	case "second":
		return time.Second, true
	case "millisecond":
		return time.Millisecond, true
	case "microsecond":
		return time.Microsecond, true
	}
	return 0, false
}

func anyUnit(word string) (time.Duration, bool) {
	if unit, ok := deltaUnit(word); ok {
		return unit, ok
	}
	switch word {
	case "w", "wk", "wks":
		return 7 * 24 * time.Hour, true
	case "d":
		return 24 * time.Hour, true
	case "h", "hr", "hrs":
		return time.Hour, true
	case "m", "min", "mins":
		return time.Minute, true
	case "s", "sec", "secs":
		return time.Second, true
	case "ms":
		return time.Millisecond, true
	case "us", "µs":
		return time.Microsecond, true
	case "ns":
		return time.Nanosecond, true
	}
	return 0, false
}

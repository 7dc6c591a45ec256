package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser reads one expression as org.quartz.CronExpression 2.3.2 does, with
// its leniencies: characters it stops at are ignored as Quartz ignores them.
// What is lenient is found out separately, by strict, and becomes a warning.
type parser struct {
	cron *Cron
	sets [year + 1]numbers
}

// fault is a reason to refuse an element; Parse adds where it stands.
type fault struct{ reason, hint string }

func (f *fault) Error() string { return f.reason }

func refuse(format string, args ...any) *fault {
	return &fault{reason: fmt.Sprintf(format, args...)}
}

var lastDayText = regexp.MustCompile(`^L-[0-9]*W?`)

// element reads one element of a comma separated list.
func (p *parser) element(s string, f field) error {
	c := s[0]
	switch {
	case c >= 'A' && c <= 'Z' && s != "L" && s != "LW" && !quartzLastDay(s):
		return p.name(s, f)
	case c == '?':
		return p.question(s, f)
	case c == '*' || c == '/':
		return p.star(s, f)
	case c == 'L':
		return p.last(s, f)
	case isDigit(c):
		v, rest := leadingNumber(s)
		return p.number(v, rest, f)
	}
	return refuse("unexpected character %q", firstRune(s))
}

// quartzLastDay is Java's String.matches with ^L-[0-9]*[W]?, which must match
// the whole text.
func quartzLastDay(s string) bool {
	return lastDayText.FindString(s) == s
}

func (p *parser) name(s string, f field) error {
	if f != month && f != dayOfWeek {
		if f == dayOfMonth {
			return &fault{reason: "these letters have no meaning here", hint: "write L, LW, L-n, L-nW or nW"}
		}
		return refuse("letters have no meaning here")
	}
	start, err := nameAt(s, 0, f)
	if err != nil {
		return err
	}
	if len(s) == 3 {
		return p.put(f, start, -1, 0)
	}
	switch {
	case s[3] == '-':
		end, err := nameAt(s, 4, f)
		if err != nil {
			return err
		}
		return p.put(f, start, end, 1)
	case s[3] == '#' && f == dayOfWeek:
		if err := p.nth(s[4:]); err != nil {
			return err
		}
	case s[3] == 'L' && f == dayOfWeek:
		p.cron.lastWeekday = true
	}
	return p.put(f, start, -1, 0)
}

func nameAt(s string, at int, f field) (int, error) {
	if len(s) < at+3 {
		return 0, refuse("%q is no %s: names have three letters, and a range is written with two names", s[at:], f)
	}
	text := s[at : at+3]
	for i, name := range f.names() {
		if name == text {
			return i + 1, nil
		}
	}
	return 0, &fault{
		reason: fmt.Sprintf("%q is no %s", text, f),
		hint:   "the names are " + strings.Join(f.names(), ", "),
	}
}

func (f field) names() []string {
	switch f {
	case month:
		return []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	case dayOfWeek:
		return []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
	}
	return nil
}

func (p *parser) nth(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 5 {
		return refuse("a number from 1 to 5 must follow #")
	}
	p.cron.nth = n
	return nil
}

func (p *parser) question(s string, f field) error {
	// Quartz looks at the first character after "?" only when a second follows.
	if utf8.RuneCountInString(s) > 2 {
		return refuse("nothing may follow ?")
	}
	if f != dayOfMonth && f != dayOfWeek {
		return &fault{reason: "? stands only for day of month or day of week", hint: "write * for every " + strings.TrimSuffix(f.String(), "s")}
	}
	if f == dayOfWeek && !p.cron.lastDay && p.sets[dayOfMonth].has(noValue) {
		return &fault{reason: "? stands in both day fields", hint: "one of them must say which days: write * in one and ? in the other"}
	}
	p.sets[f].add(noValue)
	return nil
}

func (p *parser) star(s string, f field) error {
	rest := s
	if rest[0] == '*' {
		rest = rest[1:]
		if rest == "" {
			return p.put(f, allValues, -1, 0)
		}
	} else if len(rest) == 1 {
		return refuse("/ must be followed by a number")
	}
	if rest[0] != '/' {
		return p.put(f, allValues, -1, 1)
	}
	step, err := strconv.Atoi(rest[1:])
	if err != nil {
		return refuse("/ must be followed by a number")
	}
	if err := checkStep(step, f); err != nil {
		return err
	}
	return p.put(f, allValues, -1, step)
}

func checkStep(step int, f field) error {
	if step < 0 {
		return refuse("a step must be positive")
	}
	if f != year && step > f.maxStep() {
		return refuse("a step of %d is more than the field holds (at most %d)", step, f.maxStep())
	}
	return nil
}

func (p *parser) last(s string, f field) error {
	switch f {
	case dayOfWeek:
		return p.put(f, 7, 7, 0)
	case dayOfMonth:
	default:
		return refuse("L stands only for day of month or day of week")
	}
	p.cron.lastDay = true
	rest := s[1:]
	if strings.HasPrefix(rest, "-") {
		// Quartz takes L-W for LW.
		if rest = rest[1:]; rest == "" || !isDigit(rest[0]) && rest[0] != 'W' {
			return refuse("a number must follow L-")
		}
		p.cron.lastOffset, rest = leadingNumber(rest)
		if p.cron.lastOffset > 30 {
			return refuse("at most 30 days before the last one")
		}
	}
	p.cron.nearestWeekday = strings.HasPrefix(rest, "W")
	return nil
}

// number reads what follows a number, as Quartz's checkNext.
func (p *parser) number(v int, rest string, f field) error {
	if rest == "" {
		return p.put(f, v, -1, 0)
	}
	switch rest[0] {
	case 'L':
		if f != dayOfWeek {
			return refuse("L after a number stands only for day of week")
		}
		if v < 1 || v > 7 {
			return refuse("day of week %s", f.rangeText())
		}
		p.cron.lastWeekday = true
		p.sets[f].add(v)
		return nil
	case 'W':
		if f != dayOfMonth {
			return refuse("W stands only for day of month")
		}
		if v > 31 {
			return refuse("no month has a day %d", v)
		}
		p.cron.nearestWeekday = true
		p.sets[f].add(v)
		return nil
	case '#':
		if f != dayOfWeek {
			return refuse("# stands only for day of week")
		}
		if err := p.nth(rest[1:]); err != nil {
			return err
		}
		p.sets[f].add(v)
		return nil
	case '-':
		return p.span(v, rest[1:], f)
	case '/':
		return p.step(v, rest[1:], f)
	}
	return p.put(f, v, -1, 0)
}

func (p *parser) span(start int, rest string, f field) error {
	if rest == "" || !isDigit(rest[0]) {
		return refuse("a number must follow -")
	}
	end, rest := leadingNumber(rest)
	if !strings.HasPrefix(rest, "/") {
		return p.put(f, start, end, 1)
	}
	if rest = rest[1:]; rest == "" || !isDigit(rest[0]) {
		return refuse("/ must be followed by a number")
	}
	step, _ := leadingNumber(rest)
	return p.put(f, start, end, step)
}

func (p *parser) step(start int, rest string, f field) error {
	if rest == "" || !isDigit(rest[0]) {
		return refuse("/ must be followed by a number")
	}
	step, tail := leadingNumber(rest)
	// Quartz stops at a stray character after two digits, and refuses it after one.
	if tail != "" && len(rest)-len(tail) == 1 {
		return refuse("unexpected character %q after /", firstRune(tail))
	}
	if err := checkStep(step, f); err != nil {
		return err
	}
	return p.put(f, start, -1, step)
}

// put adds start, start+step, … end, as Quartz's addToSet: end -1 is the end
// of the field, step 0 the single value, and an end before the start wraps.
func (p *parser) put(f field, start, end, step int) error {
	low, high := f.bounds()
	all := start == allValues
	none := start == noValue && (f == dayOfMonth || f == dayOfWeek)
	if f != year && !all && !none && (start < low || start > high || end > high) {
		return refuse("%s %s", f, f.rangeText())
	}
	if f != year && all && end > high {
		return refuse("%s %s", f, f.rangeText())
	}
	if step == 0 && !all {
		p.sets[f].add(start)
		return nil
	}
	if step == 0 {
		step = 1
	}
	if end == -1 {
		end = high
	}
	if all {
		start = low
	}
	if f == year {
		return p.putYears(start, end, step)
	}
	modulus := 0
	if end < start {
		modulus = high - low + 1
		end += modulus
	}
	for v := start; v <= end; v += step {
		switch {
		case modulus == 0:
			p.sets[f].add(v)
		case v%modulus == 0 && low == 1:
			p.sets[f].add(modulus)
		default:
			p.sets[f].add(v % modulus)
		}
	}
	return nil
}

func (p *parser) putYears(start, end, step int) error {
	if end < start {
		return &fault{reason: "the first year is after the last", hint: fmt.Sprintf("write %d-%d", end, start)}
	}
	if start <= firstYear && end >= lastYear && step == 1 {
		p.cron.everyYear = true
		return nil
	}
	for y := start; y <= min(end, lastYear); y += step {
		if y >= firstYear {
			p.sets[year].add(y)
		}
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// leadingNumber reads the digits at the start of s, which begins with one. A
// number beyond nine digits is far outside any field and stays so.
func leadingNumber(s string) (int, string) {
	v, i := 0, 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		if v = v*10 + int(s[i]-'0'); v > 999_999_999 {
			v = 999_999_999
		}
	}
	return v, s[i:]
}

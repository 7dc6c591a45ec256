package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Cron is a Quartz expression that was read. It is immutable.
type Cron struct {
	expression string
	warnings   []string

	secondBits, minuteBits, hourBits uint64
	dayBits, monthBits               uint64
	everyYear                        bool
	years                            numbers

	byWeekday      bool // the days come from day of week, not day of month
	lastDay        bool // L in day of month
	lastOffset     int  // the n of L-n
	nearestWeekday bool // W
	weekdayBits    uint64
	weekday        int  // the one weekday that L and # speak of
	lastWeekday    bool // nL
	nth            int  // the k of n#k
}

// String is the expression as it was written.
func (c *Cron) String() string { return c.expression }

// Warnings says where Quartz reads something else than the text suggests, or
// where two Quartz versions differ. Each names the field and what will happen.
func (c *Cron) Warnings() []string { return slices.Clone(c.warnings) }

// Parse reads a Quartz expression of six or seven fields. What Quartz refuses
// is refused; so is what never fires and what two Quartz versions read
// differently, since such a text is no schedule to lose rows by. The error is
// an *Error.
func Parse(expression string) (*Cron, error) {
	tokens := tokenize(expression)
	if len(tokens) < 6 || len(tokens) > 7 {
		return nil, wrongCount(expression, tokens)
	}
	p := parser{cron: &Cron{expression: expression}}
	for i, token := range tokens {
		if err := p.field(token, field(i)); err != nil {
			return nil, place(expression, field(i), token, err)
		}
	}
	if len(tokens) == 6 {
		p.cron.everyYear = true
	}
	if err := p.finish(); err != nil {
		e := place(expression, 0, "", err)
		e.Field = ""
		return nil, e
	}
	p.cron.warnings = warningsOf(p.cron, tokens)
	return p.cron, nil
}

// tokenize splits at spaces and tabs and trims other control characters, and
// folds ASCII letters alone: no other letter means anything.
func tokenize(expression string) []string {
	upper := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, expression)
	tokens := strings.FieldsFunc(upper, func(r rune) bool { return r == ' ' || r == '\t' })
	for i, token := range tokens {
		tokens[i] = strings.TrimFunc(token, func(r rune) bool { return r <= ' ' })
	}
	return tokens
}

func place(expression string, f field, value string, err error) *Error {
	e := &Error{Expression: expression, Field: f.String(), Value: value, Reason: err.Error()}
	var why *fault
	if errors.As(err, &why) {
		e.Hint = why.hint
	}
	return e
}

func (p *parser) field(token string, f field) error {
	list := strings.Contains(token, ",")
	several := strings.Contains(strings.Trim(token, ","), ",")
	switch {
	case f == dayOfMonth && (list && strings.Contains(token, "L") || several && strings.Contains(token, "W")):
		return &fault{
			reason: "a list with L or W is read differently by different Quartz versions",
			hint:   "write one day with L or W, or plain days, and use two jobs for both",
		}
	case f == dayOfWeek && list && strings.Contains(token, "L"):
		return refuse("L cannot be in a list of weekdays")
	case f == dayOfWeek && strings.Count(token, "#") > 1:
		return refuse("# can be used once")
	}
	for v := range strings.SplitSeq(token, ",") {
		if v == "" {
			continue
		}
		if err := p.element(v, f); err != nil {
			return err
		}
	}
	if p.sets[f].empty() && !(f == dayOfMonth && p.cron.lastDay) && !(f == year && p.cron.everyYear) {
		if f == year {
			return &fault{reason: "no such year comes, so it never fires", hint: "write *, or years such as 2026-2028"}
		}
		return refuse("holds no value")
	}
	return nil
}

// finish checks what concerns several fields and fills the cron.
func (p *parser) finish() error {
	c := p.cron
	c.byWeekday = p.sets[dayOfMonth].has(noValue)
	if c.byWeekday == p.sets[dayOfWeek].has(noValue) {
		return &fault{
			reason: "day of month and day of week are both given, and Quartz combines them in no way",
			hint:   "write ? in the one that does not matter",
		}
	}
	c.secondBits, c.minuteBits, c.hourBits = p.sets[seconds].small, p.sets[minutes].small, p.sets[hours].small
	c.dayBits, c.monthBits = p.sets[dayOfMonth].small, p.sets[month].small
	c.years = p.sets[year]
	c.weekdayBits = p.sets[dayOfWeek].small
	c.weekday = bits.TrailingZeros64(c.weekdayBits)
	if !c.byWeekday && c.nearestWeekday {
		if err := c.checkNearest(); err != nil {
			return err
		}
	}
	if !c.everFires() {
		return &fault{reason: "it never fires: no such date exists", hint: c.neverHint()}
	}
	return nil
}

// checkNearest refuses what hangs or differs between Quartz versions.
func (c *Cron) checkNearest() error {
	shortest := c.shortestMonth()
	switch {
	case c.lastDay && (c.lastOffset >= 30 || c.lastOffset >= shortest):
		return &fault{
			reason: fmt.Sprintf("L-%dW falls before the first day of a month of %d days, and Quartz 2.3.2 hangs on it", c.lastOffset, min(shortest, 30)),
			hint:   fmt.Sprintf("write L-%dW or less", min(shortest, 30)-1),
		}
	case !c.lastDay && bits.TrailingZeros64(c.dayBits) == 0:
		return &fault{reason: "0W is no day, and some Quartz versions hang on it", hint: "write 1W"}
	}
	return nil
}

// shortestMonth is the least number of days a month of the expression can have.
func (c *Cron) shortestMonth() int {
	shortest := 31
	for m := 1; m <= 12; m++ {
		if c.monthBits&(1<<m) != 0 {
			shortest = min(shortest, daysIn(2026, m))
		}
	}
	return shortest
}

func (c *Cron) neverHint() string {
	if c.byWeekday {
		return "weekdays are 1 (SUN) to 7 (SAT)"
	}
	return "use L for the last day of a month"
}

// everFires looks through one cycle of the calendar, which repeats after 400
// years.
func (c *Cron) everFires() bool {
	for y := firstYear; y <= min(firstYear+400, lastYear); y++ {
		for m := 1; c.inYear(y) && m <= 12; m++ {
			if c.days(y, m) != 0 {
				return true
			}
		}
	}
	for y := range c.years.large {
		for m := 1; y > firstYear+400 && y <= lastYear && m <= 12; m++ {
			if c.days(y, m) != 0 {
				return true
			}
		}
	}
	return false
}

func (c *Cron) inYear(y int) bool { return c.everyYear || c.years.has(y) }

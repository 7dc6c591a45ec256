package schedule

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The forms a field is meant to have. Whatever Quartz accepts beyond them it
// reads otherwise than written.
const (
	plainForms = `\*|\d{1,4}|\d{1,4}-\d{1,4}|\d{1,4}-\d{1,4}/[1-9]\d*|\d{1,4}/[1-9]\d*|\*/[1-9]\d*`
	monthForms = `(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)`
	weekForms  = `(SUN|MON|TUE|WED|THU|FRI|SAT)`
)

// Compiled at their first use, once: a plan of many jobs asks thousands of times.
//
//nolint:gochecknoglobals // constants that Go cannot compute before the program runs
var (
	plainForm      = formOf("")
	dayOfMonthForm = formOf(`|\?|L|LW|L-\d{1,2}|L-\d{1,2}W|\d{1,2}W`)
	monthForm      = formOf("|" + monthForms + "|" + monthForms + "-" + monthForms)
	dayOfWeekForm  = formOf(`|\?|L|[1-7]L|[1-7]#0*[1-5]|` + weekForms + "|" + weekForms + "L|" + weekForms + "#0*[1-5]|" + weekForms + "-" + weekForms)
)

func formOf(more string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(" + plainForms + more + ")$") })
}

func (f field) form() *regexp.Regexp {
	switch f {
	case dayOfMonth:
		return dayOfMonthForm()
	case month:
		return monthForm()
	case dayOfWeek:
		return dayOfWeekForm()
	}
	return plainForm()
}

// warningsOf compares what was written with what Quartz reads.
func warningsOf(c *Cron, tokens []string) []string {
	var warnings []string
	for i, token := range tokens {
		f := field(i)
		for element := range strings.SplitSeq(token, ",") {
			if why := misread(c, f, token, element); why != "" {
				warnings = append(warnings, fmt.Sprintf("%s %q: %s", f, token, why))
				break
			}
		}
	}
	return append(warnings, c.versionWarnings()...)
}

// misread says how Quartz reads an element that is not written as meant, or
// nothing when it is.
func misread(c *Cron, f field, token, element string) string {
	list := strings.Contains(token, ",")
	switch {
	case element == "":
		return "Quartz skips the empty element of the list"
	case !f.form().MatchString(element):
		return fmt.Sprintf("Quartz does not read %q as written and ignores part of it; it will use %s", element, c.reading(f))
	case outside(f, element):
		return fmt.Sprintf("Quartz reads the numbers 99 as * and 98 as ?; it will use %s", c.reading(f))
	case list && strings.Contains(element, "#"):
		return fmt.Sprintf("Quartz takes the lowest weekday of the list and # for it; it will use %s", c.reading(f))
	case list && element == "?":
		return fmt.Sprintf("Quartz ignores the list beside ?; it will use %s", c.reading(f))
	}
	return ""
}

func outside(f field, element string) bool {
	if f == year {
		return element == strconv.Itoa(allValues)
	}
	_, high := f.bounds()
	v, _ := leadingNumber(element)
	return isDigit(element[0]) && v > high
}

// reading is what is in force for a field, in words.
func (c *Cron) reading(f field) string {
	switch f {
	case seconds:
		return listing(c.secondBits, f)
	case minutes:
		return listing(c.minuteBits, f)
	case hours:
		return listing(c.hourBits, f)
	case month:
		return listing(c.monthBits, f)
	case year:
		if c.everyYear {
			return "every year"
		}
		return "the years it could read"
	}
	switch {
	case (f == dayOfWeek) != c.byWeekday:
		return "the other day field alone"
	case c.byWeekday && c.nth > 0:
		return fmt.Sprintf("%s number %d of the month", dayOfWeek.names()[(c.weekday+6)%7], c.nth)
	case c.byWeekday && c.lastWeekday:
		return "the last " + dayOfWeek.names()[(c.weekday+6)%7] + " of the month"
	case c.byWeekday:
		return listing(c.weekdayBits, f)
	case c.lastDay:
		return fmt.Sprintf("%d days before the last of the month", c.lastOffset)
	case c.nearestWeekday:
		return fmt.Sprintf("the weekday nearest to day %d", c.firstDay())
	}
	return listing(c.dayBits, f)
}

// listing writes a set as ranges: "every value", "1, 3-5".
func listing(set uint64, f field) string {
	low, high := f.bounds()
	var parts []string
	for v := low; v <= high; v++ {
		if set&(1<<v) == 0 {
			continue
		}
		end := v
		for end < high && set&(1<<(end+1)) != 0 {
			end++
		}
		switch {
		case v == low && end == high:
			return "every value"
		case v == end:
			parts = append(parts, f.valueText(v))
		default:
			parts = append(parts, f.valueText(v)+"-"+f.valueText(end))
		}
		v = end
	}
	return strings.Join(parts, ", ")
}

func (f field) valueText(v int) string {
	if names := f.names(); names != nil {
		return names[v-1]
	}
	return strconv.Itoa(v)
}

// versionWarnings names what Quartz 2.3.2 and 2.5.2 do differently and is not
// refused, since the documented meaning is clear.
func (c *Cron) versionWarnings() []string {
	if c.byWeekday || !c.nearestWeekday {
		return nil
	}
	var warnings []string
	perDay := bits.OnesCount64(c.secondBits) * bits.OnesCount64(c.minuteBits) * bits.OnesCount64(c.hourBits)
	if perDay > 1 {
		warnings = append(warnings, fmt.Sprintf("day of month: with W and %d fires a day Quartz 2.5.2 leaves fires out that 2.3.2 makes; all of them are assumed here", perDay))
	}
	if perDay == 1 && !(c.lastDay && c.lastOffset == 0) {
		warnings = append(warnings, "day of month: where W moves a fire to the next Monday, a scheduler of Quartz 2.5.2 that starts in between leaves it out; it is assumed to be made")
	}
	if day := c.firstDay(); !c.lastDay && day > c.shortestMonth() {
		warnings = append(warnings, fmt.Sprintf("day of month: Quartz versions differ on %dW in a month of fewer days; no fire is assumed there", day))
	}
	return warnings
}

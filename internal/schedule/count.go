package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// wrongCount refuses an expression that has not six or seven fields; for the
// five of Unix cron it says how the same is written for Quartz.
func wrongCount(expression string, tokens []string) *Error {
	e := &Error{
		Expression: expression,
		Reason:     fmt.Sprintf("%d fields, where Quartz has six: seconds minutes hours day-of-month month day-of-week, and an optional year", len(tokens)),
	}
	switch {
	case len(tokens) == 0:
		e.Reason = "empty; Quartz has six fields: seconds minutes hours day-of-month month day-of-week, and an optional year"
		e.Hint = `write for example "0 0/15 * * * ?" for every 15 minutes`
	case len(tokens) == 5:
		if six, ok := fromUnix(tokens); ok {
			e.Hint = fmt.Sprintf("as Unix cron that is %q in Quartz", six)
		} else {
			e.Hint = "put 0 for the seconds in front, and ? in the day field that does not matter"
		}
	case strings.HasPrefix(tokens[0], "@"):
		e.Hint = `write for example "0 0 0 * * ?" for every day at midnight`
	case len(tokens) > 7:
		e.Hint = "Quartz versions differ on what they do with the surplus: remove it"
	}
	return e
}

// fromUnix writes five Unix fields as six of Quartz, where it can be done.
func fromUnix(tokens []string) (string, bool) {
	dom, dow := tokens[2], tokens[4]
	switch {
	case dow == "*" || dow == "?":
		if dom == "?" {
			dom = "*"
		}
		dow = "?"
	case dom == "*" || dom == "?":
		var ok bool
		if dow, ok = unixWeekdays(dow); !ok {
			return "", false
		}
		dom = "?"
	default:
		return "", false
	}
	six := strings.Join([]string{"0", tokens[0], tokens[1], dom, tokens[3], dow}, " ")
	c, err := Parse(six)
	if err != nil || len(c.warnings) > 0 {
		return "", false
	}
	return six, true
}

// unixWeekdays writes 0-7 (Sunday twice) as names, which both systems agree on.
func unixWeekdays(text string) (string, bool) {
	names := dayOfWeek.names()
	list := strings.Split(text, ",")
	for i, element := range list {
		ends := strings.Split(element, "-")
		for j, end := range ends {
			n, err := strconv.Atoi(end)
			if err != nil {
				continue
			}
			if n < 0 || n > 7 {
				return "", false
			}
			ends[j] = names[n%7]
		}
		list[i] = strings.Join(ends, "-")
	}
	return strings.Join(list, ","), true
}

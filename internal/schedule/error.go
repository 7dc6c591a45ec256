package schedule

import (
	"fmt"
	"strings"
)

// Error is a refused expression or zone: what was refused, where, why, and
// how to write it instead.
type Error struct {
	// Expression is the whole text that was refused.
	Expression string
	// Field names the part at fault ("hours", "day of month", "time zone"), or
	// is empty when the expression as a whole is at fault.
	Field string
	// Value is the text of that part.
	Value string
	// Reason says what is wrong with it.
	Reason string
	// Hint says what to write instead; it may be empty.
	Hint string
}

// Error names the place, the value, the reason and the remedy.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Field == fieldZone:
		fmt.Fprintf(&b, "time zone %q: ", e.Value)
	case e.Field == "":
		fmt.Fprintf(&b, "cron %q: ", e.Expression)
	default:
		fmt.Fprintf(&b, "cron %q: %s %q: ", e.Expression, e.Field, e.Value)
	}
	b.WriteString(e.Reason)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

const fieldZone = "time zone"

package contract

import (
	"strings"
	"time"
)

// QuoteText writes a text literal of Databricks SQL, in which the backslash escapes.
func QuoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// QuoteInstant writes an instant for SQL. It carries its offset: the session's zone is not ours.
func QuoteInstant(t time.Time) string {
	return "TIMESTAMP'" + t.UTC().Format("2006-01-02T15:04:05.000000") + "+00:00'"
}

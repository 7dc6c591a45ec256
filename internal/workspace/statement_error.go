package workspace

import (
	"regexp"
	"strings"
)

// StatementError is a statement that ended without success. Class is Spark's error class with its subclass, as
// DELTA_VERSION_NOT_FOUND; empty when the message has none. State is FAILED, CANCELED or CLOSED.
type StatementError struct {
	Class, SQLState, Message, State string
}

func (e *StatementError) Error() string {
	if e.Message == "" {
		return "the statement was " + strings.ToLower(e.State)
	}
	return e.Message
}

// Is lets a missing table, a refusal and a lost race be told by the sentinels of this package.
func (e *StatementError) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return e.is("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "NO_SUCH_CATALOG_EXCEPTION")
	case ErrDenied:
		return e.is("INSUFFICIENT_PERMISSIONS", "UC_NOT_AUTHORIZED") || e.SQLState == "42501"
	case ErrConflict:
		return e.SQLState == "2D521" || strings.HasPrefix(e.Class, "DELTA_CONCURRENT_") || e.is("DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "TABLE_OR_VIEW_ALREADY_EXISTS")
	}
	return false
}

func (e *StatementError) is(classes ...string) bool {
	main, _, _ := strings.Cut(e.Class, ".")
	for _, c := range classes {
		if main == c {
			return true
		}
	}
	return false
}

// isTooLarge recognises the refusal of an inline result, which has no class of its own: "Inline byte limit exceeded".
func (e *StatementError) isTooLarge() bool {
	return strings.Contains(e.Message, "Inline byte limit exceeded") || strings.Contains(e.Message, "disposition=EXTERNAL_LINKS")
}

func (c *Client) statementError(a statementAnswer) *StatementError {
	e := &StatementError{State: a.Status.State, SQLState: a.Status.SQLState}
	if a.Status.Error != nil {
		e.Message = c.redact(a.Status.Error.Message)
	}
	e.Class, e.Message = splitClass(e.Message)
	if m := regexp.MustCompile(`\bSQLSTATE: ([0-9A-Z]{5})\b`).FindStringSubmatch(e.Message); m != nil && e.SQLState == "" {
		e.SQLState = m[1]
	}
	return e
}

// splitClass finds the class in a message such as "[TABLE_OR_VIEW_NOT_FOUND] The table …" or
// "org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table …". The message keeps it, without the
// name of the exception.
func splitClass(message string) (class, rest string) {
	m := regexp.MustCompile(`^(?:[\w.$]+(?:Exception|Error): )?(\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\])`).FindStringSubmatchIndex(message)
	if m == nil {
		return "", message
	}
	return message[m[4]:m[5]], message[m[2]:]
}

package dialect

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// raised is an error of the macros: the class stands in brackets before the message.
var raised = regexp.MustCompile(`(?s)Invalid Input Error: \[([A-Z0-9_.]+)\] (.*)`)

// duckErrors gives the class of a DuckDB error by its text, first match first. An empty class is an error that only
// this package's own SQL can cause.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var duckErrors = []struct {
	text  *regexp.Regexp
	class string
}{
	{regexp.MustCompile(`More than one row returned by a subquery`), "SCALAR_SUBQUERY_TOO_MANY_ROWS"},
	// Only sums are HUGEINT: see sumOf.
	{regexp.MustCompile(`Type INT128 with value .* can't be cast`), "ARITHMETIC_OVERFLOW"},
	{regexp.MustCompile(`Type [A-Z0-9]+ with value .* can't be cast because the value is out of range`), "CAST_OVERFLOW"},
	{regexp.MustCompile(`Failed to cast decimal value`), "CAST_OVERFLOW"},
	{regexp.MustCompile(`Could not convert string`), "CAST_INVALID_INPUT"},
	{regexp.MustCompile(`Could not cast value .* to DECIMAL`), "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
	{regexp.MustCompile(`Casting value .* to type DECIMAL`), "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
	{regexp.MustCompile(`Overflow in .*(DECIMAL|HUGEINT|INT128)`), "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
	{regexp.MustCompile(`Out of Range Error: .*([Oo]verflow|out of range)`), "ARITHMETIC_OVERFLOW"},
	{regexp.MustCompile(`Conversion Error: .*(timestamp|date|time|interval|[Bb]oolean)`), "CAST_INVALID_INPUT"},
	{regexp.MustCompile(`(?i)max expression depth`), Unsupported},
	{regexp.MustCompile(`must appear in the GROUP BY clause`), "MISSING_AGGREGATION"},
	{regexp.MustCompile(`WHERE clause cannot contain aggregates`), "INVALID_WHERE_CONDITION"},
	{regexp.MustCompile(`WHERE clause cannot contain window functions`), "UNSUPPORTED_EXPR_FOR_OPERATOR"},
}

//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var messages = map[string]string{
	"SCALAR_SUBQUERY_TOO_MANY_ROWS": "More than one row returned by a subquery used as an expression.",
	"MISSING_AGGREGATION":           "A non-aggregating expression is based on columns which are not participating in the GROUP BY clause.",
	"INVALID_WHERE_CONDITION":       "The WHERE condition contains invalid expressions: aggregate functions.",
}

// MapError gives an error of DuckDB the class Spark has for it. Errors of a class and a context's end stay as they
// are; what has no class is an INTERNAL_ERROR that keeps DuckDB's text.
func MapError(err error) error {
	var known *engine.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	text := err.Error()
	if m := raised.FindStringSubmatch(text); m != nil {
		return NewError(m[1], firstLine(m[2]))
	}
	for _, d := range duckErrors {
		if d.text.MatchString(text) {
			message, ok := messages[d.class]
			if !ok {
				message = firstLine(text)
			}
			return NewError(d.class, message)
		}
	}
	return NewError("INTERNAL_ERROR", "The embedded engine failed: "+firstLine(text))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

package dialect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// TestMapError holds the class of DuckDB 1.5.6's own texts.
func TestMapError(t *testing.T) {
	t.Parallel()
	for text, class := range map[string]string{
		"Invalid Input Error: [DIVIDE_BY_ZERO] Division by zero.":                                                                                     "DIVIDE_BY_ZERO",
		"Out of Range Error: Overflow in addition of INT64 (9223372036854775807 + 1)!":                                                                "ARITHMETIC_OVERFLOW",
		"Out of Range Error: Overflow in division of -9223372036854775808 / -1":                                                                       "ARITHMETIC_OVERFLOW",
		"Conversion Error: Type INT128 with value 9223372036854775808 can't be cast because the value is out of range for the destination type INT64": "ARITHMETIC_OVERFLOW",
		"Conversion Error: Type INT32 with value 300 can't be cast because the value is out of range for the destination type INT8":                   "CAST_OVERFLOW",
		"Conversion Error: Failed to cast decimal value 9223372036854775808 to type INT64":                                                            "CAST_OVERFLOW",
		"Conversion Error: Could not convert string 'abc' to INT64":                                                                                   "CAST_INVALID_INPUT",
		`Conversion Error: date field value out of range: "2026-02-30"`:                                                                               "CAST_INVALID_INPUT",
		"Conversion Error: Could not cast value 99999 to DECIMAL(3,0)":                                                                                "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
		"Out of Range Error: Overflow in HUGEINT addition: 170141183460469231731687303715884105727 + 1":                                               "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
		"Invalid Input Error: More than one row returned by a subquery used as an expression":                                                         "SCALAR_SUBQUERY_TOO_MANY_ROWS",
		"Binder Error: column \"x\" must appear in the GROUP BY clause":                                                                               "MISSING_AGGREGATION",
		"Parser Error: syntax error at end of input":                                                                                                  "INTERNAL_ERROR",
	} {
		var e *engine.Error
		if err := MapError(errors.New(text)); !errors.As(err, &e) || e.Class != class || e.SQLState != states[class] {
			t.Errorf("%s: got %v, want %s", text, err, class)
		}
	}
	ended := fmt.Errorf("query: %w", context.Canceled)
	if got := MapError(ended); got != ended {
		t.Errorf("a context's end became %v", got)
	}
	if known := NewError("DIVIDE_BY_ZERO", "x"); MapError(known) != error(known) {
		t.Error("an error of a class was changed")
	}
}

// TestEveryClassHasAState reads this package's own source for the classes it names.
func TestEveryClassHasAState(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	class := regexp.MustCompile(`(?:NewError\(|class(?: :)?= |\), |error\('\[)"?([A-Z][A-Z0-9]+_[A-Z0-9_.]+)["\]]`)
	seen := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range class.FindAllStringSubmatch(string(text), -1) {
			seen++
			if states[m[1]] == "" {
				t.Errorf("%s: class %s has no SQLSTATE", f, m[1])
			}
		}
	}
	if seen < 60 {
		t.Errorf("found only %d classes", seen)
	}
}

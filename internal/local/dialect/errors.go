package dialect

import (
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Unsupported is the class of everything this engine refuses by name.
const Unsupported = "UNSUPPORTED_BY_EMBEDDED_ENGINE"

// states gives the SQLSTATE of a class.
var states = map[string]string{
	Unsupported:                                  "0A000",
	"AMBIGUOUS_REFERENCE":                        "42704",
	"ARITHMETIC_OVERFLOW":                        "22003",
	"CAST_INVALID_INPUT":                         "22018",
	"CAST_OVERFLOW":                              "22003",
	"COLUMN_ALIASES_NOT_ALLOWED":                 "42601",
	"COLUMN_ALREADY_EXISTS":                      "42711",
	"DELTA_UNSUPPORTED_SUBQUERY":                 "0AKDC",
	"DIVIDE_BY_ZERO":                             "22012",
	"GROUP_BY_POS_OUT_OF_RANGE":                  "42805",
	"INTERNAL_ERROR":                             "XX000",
	"INVALID_ARRAY_INDEX":                        "22003",
	"INVALID_PARAMETER_VALUE.DATETIME_UNIT":      "22023",
	"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT":   "42K0E",
	"INVALID_TYPED_LITERAL":                      "42604",
	"MISSING_AGGREGATION":                        "42803",
	"NOT_A_CONSTANT_STRING.NOT_CONSTANT":         "42601",
	"NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION": "22003",
	"NUM_COLUMNS_MISMATCH":                       "42826",
	"ORDER_BY_POS_OUT_OF_RANGE":                  "42805",
	"PARSE_EMPTY_STATEMENT":                      "42617",
	"PARSE_SYNTAX_ERROR":                         "42601",
	"REMAINDER_BY_ZERO":                          "22012",
	"REQUIRES_SINGLE_PART_NAMESPACE":             "42K05",
	"SCALAR_SUBQUERY_TOO_MANY_ROWS":              "21000",
	"TABLE_OR_VIEW_NOT_FOUND":                    "42P01",
	"UNBOUND_SQL_PARAMETER":                      "42P02",
	"UNRESOLVED_COLUMN.WITH_SUGGESTION":          "42703",
	"UNRESOLVED_COLUMN.WITHOUT_SUGGESTION":       "42703",
	"UNRESOLVED_ROUTINE":                         "42883",
	"UNSUPPORTED_DATATYPE":                       "0A000",
	"UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE":    "0A000",
}

// NewError is an error of a class with its SQLSTATE from the table of this package, "" for a class not in it.
func NewError(class, message string) *engine.Error {
	return &engine.Error{Class: class, SQLState: states[class], Message: message}
}

func refuse(format string, args ...any) *engine.Error {
	return NewError(Unsupported, fmt.Sprintf(format, args...)+" is not supported by the embedded engine.")
}

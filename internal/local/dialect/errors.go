package dialect

import (
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Unsupported is the class of everything this engine refuses by name.
const Unsupported = "UNSUPPORTED_BY_EMBEDDED_ENGINE"

// states gives the SQLSTATE of a class.
//
//nolint:gochecknoglobals // a table that is only read; Go has no constant maps
var states = map[string]string{
	"CANNOT_RESOLVE_STAR_EXPAND":                                                     "42704",
	"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES":                                         "42K09",
	"DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION":                                      "42K09",
	"DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING":                  "42K09",
	"DATATYPE_MISMATCH.DATA_DIFF_TYPES":                                              "42K09",
	"DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN":                                           "42K09",
	"DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH":                                  "42K09",
	"DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION":                                        "22003",
	"DELTA_CONFLICT_SET_COLUMN":                                                      "42701",
	"DELTA_MERGE_UNRESOLVED_EXPRESSION":                                              "42601",
	"DELTA_VERSION_INVALID":                                                          "42815",
	"DISTINCT_WINDOW_FUNCTION_UNSUPPORTED":                                           "0A000",
	"FIELD_NOT_FOUND":                                                                "42704",
	"GROUP_BY_AGGREGATE":                                                             "42903",
	"INCOMPATIBLE_COLUMN_TYPE":                                                       "42825",
	"INVALID_CONF_VALUE.TIME_ZONE":                                                   "22022",
	"INVALID_EXTRACT_BASE_FIELD_TYPE":                                                "42000",
	"INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE":                        "42000",
	"INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH":                                      "42000",
	"INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE":                                        "42K0E",
	"INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE":                                      "42K0E",
	"INVALID_NUMERIC_LITERAL_RANGE":                                                  "22003",
	"INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX":                            "42000",
	"INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN": "42823",
	"INVALID_USAGE_OF_STAR_OR_REGEX":                                                 "42000",
	"INVALID_WHERE_CONDITION":                                                        "42903",
	"MISSING_WINDOW_SPECIFICATION":                                                   "42P20",
	"NESTED_AGGREGATE_FUNCTION":                                                      "42607",
	"UNSUPPORTED_EXPR_FOR_OPERATOR":                                                  "42K0E",
	"USER_RAISED_EXCEPTION":                                                          "P0001",
	"WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE":                                            "42601",
	"WRONG_NUM_ARGS.WITHOUT_SUGGESTION":                                              "42605",
	"INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS":                           "21S01",
	"INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS":                             "21S01",
	"UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS":                                    "42K0E",
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

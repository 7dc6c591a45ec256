//go:build cgo

package duck

import (
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// states gives the SQLSTATE of the classes this package raises.
var states = map[string]string{
	"CATALOG_ALREADY_EXISTS":                                               "42P06",
	"CONFIG_NOT_AVAILABLE":                                                 "42K0I",
	"CATALOG_NOT_FOUND":                                                    "42P08",
	"COLUMN_ALREADY_EXISTS":                                                "42711",
	"DELTA_CANNOT_MODIFY_APPEND_ONLY":                                      "42809",
	"DELTA_CDC_START_VERSION_AFTER_LATEST":                                 "22003",
	"DELTA_CLUSTERING_CREATE_WITH_PARTITIONING":                            "42613",
	"DELTA_CLUSTERING_WITH_PARTITION_PREDICATE":                            "0A000",
	"DELTA_CLUSTERING_WITH_ZORDER_BY":                                      "42613",
	"DELTA_COLUMN_NOT_FOUND":                                               "42703",
	"DELTA_INVALID_CALENDAR_INTERVAL_EMPTY":                                "2200P",
	"DELTA_INVALID_CDC_RANGE":                                              "22003",
	"DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES":                             "42K05",
	"DELTA_INVALID_INTERVAL":                                               "22006",
	"DELTA_MISSING_CHANGE_DATA":                                            "KD002",
	"DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE":               "21506",
	"DELTA_NON_PARTITION_COLUMN_REFERENCE":                                 "42P10",
	"DELTA_NOT_NULL_CONSTRAINT_VIOLATED":                                   "23502",
	"DELTA_OPERATION_NOT_ALLOWED":                                          "0AKDC",
	"DELTA_OPTIMIZE_FULL_NOT_SUPPORTED":                                    "42601",
	"DELTA_REPLACE_WHERE_MISMATCH":                                         "44000",
	"DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION":                        "42816",
	"DELTA_TIMESTAMP_GREATER_THAN_COMMIT":                                  "42816",
	"DELTA_UNKNOWN_CONFIGURATION":                                          "F0000",
	"DELTA_UNSUPPORTED_DROP_COLUMN":                                        "0AKDC",
	"DELTA_UNSUPPORTED_RENAME_COLUMN":                                      "0AKDC",
	"DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN":                              "0AKDC",
	"DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP":                          "0AKDC",
	"DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT":                              "22003",
	"DELTA_VERSION_NOT_FOUND":                                              "22003",
	"DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST":                                "42703",
	"DELTA_ZORDERING_ON_PARTITION_COLUMN":                                  "42P10",
	"EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE":                                 "42809",
	"EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW":                                 "42809",
	"EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE":                                 "42809",
	"EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE":                                "42809",
	"FAILED_READ_FILE.FILE_NOT_EXIST":                                      "KD001",
	"INCOMPATIBLE_VIEW_SCHEMA_CHANGE":                                      "51024",
	"INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT":                             "42K0E",
	"SCHEMA_ALREADY_EXISTS":                                                "42P06",
	"SCHEMA_NOT_EMPTY":                                                     "2BP01",
	"SCHEMA_NOT_FOUND":                                                     "42704",
	"TABLE_OR_VIEW_ALREADY_EXISTS":                                         "42P07",
	"TABLE_OR_VIEW_NOT_FOUND":                                              "42P01",
	"UNRESOLVED_COLUMN.WITH_SUGGESTION":                                    "42703",
	"UNSUPPORTED_FEATURE.TIME_TRAVEL":                                      "0A000",
	"UNSUPPORTED_TABLE_CHANGE":                                             "0A000",
	"WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED":                  "0AKDE",
	"VIEW_EXCEED_MAX_NESTED_DEPTH":                                         "54K00",
	"DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION": "0AKDC",
}

func newError(class, format string, args ...any) *engine.Error {
	return &engine.Error{Class: class, SQLState: states[class], Message: fmt.Sprintf(format, args...)}
}

// refuse names something that the embedded engine does not do.
func refuse(format string, args ...any) *engine.Error {
	return dialect.NewError(dialect.Unsupported, fmt.Sprintf(format, args...)+" is not supported by the embedded engine.")
}

func quoteSpark(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func quoteSparkName(n engine.Name) string {
	return quoteSpark(n.Catalog) + "." + quoteSpark(n.Schema) + "." + quoteSpark(n.Table)
}

func errNoTable(n dialect.Name) *engine.Error {
	return newError("TABLE_OR_VIEW_NOT_FOUND", "The table or view %s cannot be found. Verify the spelling and correctness of the schema and catalog.", n)
}

func errTableExists(n engine.Name) *engine.Error {
	return newError("TABLE_OR_VIEW_ALREADY_EXISTS", "Cannot create table or view %s because it already exists. Choose a different name, drop or replace the existing object, or add the IF NOT EXISTS clause to tolerate pre-existing objects.", quoteSparkName(n))
}

func errNotView(n engine.Name, operation string) *engine.Error {
	return newError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "'%s' expects a table but %s is a view.", operation, quoteSparkName(n))
}

func errNoSchema(catalog, name string) *engine.Error {
	return newError("SCHEMA_NOT_FOUND", "The schema %s.%s cannot be found. Verify the spelling and correctness of the schema and catalog.", quoteSpark(catalog), quoteSpark(name))
}

func errFileMissing(t *table, f *file) *engine.Error {
	return newError("FAILED_READ_FILE.FILE_NOT_EXIST", "Encountered error while reading file %s/part-%05d.snappy.parquet. File does not exist. It is possible the underlying files have been updated.", t.location(), f.Number)
}

func errAppendOnly(t *table) *engine.Error {
	return newError("DELTA_CANNOT_MODIFY_APPEND_ONLY", "This table is configured to only allow appends. If you would like to permit updates or deletes, use 'ALTER TABLE %s SET TBLPROPERTIES (delta.appendOnly=false)'.", t.Name)
}

// errTableChange is how ALTER reports a property that Delta's own check refuses.
func errTableChange(format string, args ...any) *engine.Error {
	return newError("UNSUPPORTED_TABLE_CHANGE", "Unsupported table change: requirement failed: %s", fmt.Sprintf(format, args...))
}

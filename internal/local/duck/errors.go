//go:build cgo

package duck

import (
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// sqlState is the SQLSTATE of the classes this package raises.
func sqlState(class string) string {
	switch class {
	case "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", "UNSUPPORTED_FEATURE.TIME_TRAVEL", "UNSUPPORTED_TABLE_CHANGE":
		return "0A000"
	case "DELTA_OPERATION_NOT_ALLOWED", "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
		"DELTA_UNSUPPORTED_DROP_COLUMN", "DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN",
		"DELTA_UNSUPPORTED_RENAME_COLUMN", "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION":
		return "0AKDC"
	case "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED":
		return "0AKDE"
	case "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE":
		return "21506"
	case "DELTA_CDC_START_VERSION_AFTER_LATEST", "DELTA_INVALID_CDC_RANGE",
		"DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "DELTA_VERSION_NOT_FOUND":
		return "22003"
	case "DELTA_INVALID_INTERVAL":
		return "22006"
	case "DELTA_INVALID_CALENDAR_INTERVAL_EMPTY":
		return "2200P"
	case "DELTA_NOT_NULL_CONSTRAINT_VIOLATED":
		return "23502"
	case "SCHEMA_NOT_EMPTY":
		return "2BP01"
	case "DELTA_OPTIMIZE_FULL_NOT_SUPPORTED":
		return "42601"
	case "DELTA_CLUSTERING_CREATE_WITH_PARTITIONING", "DELTA_CLUSTERING_WITH_ZORDER_BY":
		return "42613"
	case "DELTA_COLUMN_NOT_FOUND", "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "UNRESOLVED_COLUMN.WITH_SUGGESTION":
		return "42703"
	}
	return sqlStateFrom42(class)
}

// sqlStateFrom42 is the second half of sqlState.
func sqlStateFrom42(class string) string {
	switch class {
	case "SCHEMA_NOT_FOUND":
		return "42704"
	case "COLUMN_ALREADY_EXISTS":
		return "42711"
	case "DELTA_CANNOT_MODIFY_APPEND_ONLY", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
		"EXPECT_TABLE_NOT_VIEW.USE_ALTER_VIEW", "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE",
		"EXPECT_VIEW_NOT_TABLE.USE_ALTER_TABLE":
		return "42809"
	case "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION", "DELTA_TIMESTAMP_GREATER_THAN_COMMIT":
		return "42816"
	case "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES":
		return "42K05"
	case "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT":
		return "42K0E"
	case "CONFIG_NOT_AVAILABLE":
		return "42K0I"
	case "TABLE_OR_VIEW_NOT_FOUND":
		return "42P01"
	case "CATALOG_ALREADY_EXISTS", "SCHEMA_ALREADY_EXISTS":
		return "42P06"
	case "TABLE_OR_VIEW_ALREADY_EXISTS":
		return "42P07"
	case "CATALOG_NOT_FOUND":
		return "42P08"
	case "DELTA_NON_PARTITION_COLUMN_REFERENCE", "DELTA_ZORDERING_ON_PARTITION_COLUMN":
		return "42P10"
	case "DELTA_REPLACE_WHERE_MISMATCH":
		return "44000"
	case "INCOMPATIBLE_VIEW_SCHEMA_CHANGE":
		return "51024"
	case "VIEW_EXCEED_MAX_NESTED_DEPTH":
		return "54K00"
	case "DELTA_UNKNOWN_CONFIGURATION":
		return "F0000"
	case "FAILED_READ_FILE.FILE_NOT_EXIST":
		return "KD001"
	case "DELTA_MISSING_CHANGE_DATA":
		return "KD002"
	}
	return ""
}

func newError(class, format string, args ...any) *engine.Error {
	return &engine.Error{Class: class, SQLState: sqlState(class), Message: fmt.Sprintf(format, args...)}
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

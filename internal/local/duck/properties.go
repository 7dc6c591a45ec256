//go:build cgo

package duck

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

const (
	logRetention         = "delta.logRetentionDuration"
	deletedFileRetention = "delta.deletedFileRetentionDuration"
	appendOnly           = "delta.appendOnly"
	changeFeed           = "delta.enableChangeDataFeed"
	isolationLevel       = "delta.isolationLevel"
	columnMapping        = "delta.columnMapping.mode"
	deletionVectors      = "delta.enableDeletionVectors"
	logCleanup           = "delta.enableExpiredLogCleanup"
	checkpointInterval   = "delta.checkpointInterval"
	expireInDays         = "autottl.expireInDays"
	timestampColumn      = "autottl.timestampColumn"
	featurePrefix        = "delta.feature."
	columnDefaults       = "delta.feature.allowColumnDefaults"
)

// knownProperties are Delta's table properties. Delta refuses any other key under delta.
func knownProperties() []string {
	return []string{
		logRetention, deletedFileRetention, appendOnly, changeFeed, isolationLevel, columnMapping, deletionVectors, logCleanup, checkpointInterval,
		"delta.autoOptimize", "delta.autoOptimize.autoCompact", "delta.autoOptimize.optimizeWrite", "delta.castIcebergTimeType",
		"delta.checkpoint.writeStatsAsJson", "delta.checkpoint.writeStatsAsStruct", "delta.checkpointPolicy", "delta.checkpointRetentionDuration",
		"delta.columnMapping.maxColumnId", "delta.compatibility.symlinkFormatManifest.enabled", "delta.dataSkippingNumIndexedCols",
		"delta.dataSkippingStatsColumns", "delta.enableFullRetentionRollback", "delta.enableIcebergCompatV1", "delta.enableIcebergCompatV2",
		"delta.enableIcebergCompatV3", "delta.enableInCommitTimestamps", "delta.enableRowTracking", "delta.enableTypeWidening",
		"delta.enableVariantShredding", "delta.ignoreProtocolDefaults", "delta.inCommitTimestampEnablementTimestamp",
		"delta.inCommitTimestampEnablementVersion", "delta.minReaderVersion", "delta.minWriterVersion", "delta.parquet.compression.codec",
		"delta.randomizeFilePrefixes", "delta.randomPrefixLength", "delta.requireCheckpointProtectionBeforeVersion",
		"delta.sampleRetentionDuration", "delta.setTransactionRetentionDuration", "delta.targetFileSize", "delta.tuneFileSizesForRewrites",
		"delta.universalFormat.enabledFormats",
	}
}

// freePrefixes begin keys whose rest is free.
func freePrefixes() []string {
	return []string{featurePrefix, "delta.constraints."}
}

func intervalProperties() []string {
	return []string{logRetention, deletedFileRetention, "delta.checkpointRetentionDuration", "delta.sampleRetentionDuration", "delta.setTransactionRetentionDuration"}
}

func booleanProperties() []string {
	return []string{appendOnly, changeFeed, deletionVectors, logCleanup, "delta.autoOptimize", "delta.enableInCommitTimestamps", "delta.enableRowTracking", "delta.enableTypeWidening", "delta.checkpoint.writeStatsAsJson", "delta.checkpoint.writeStatsAsStruct"}
}

// defaultRetention is what Delta takes for an absent key, as its messages show it and as a length.
func defaultRetention(key string) (text string, length time.Duration) {
	if key == logRetention {
		return "30 days", 30 * 24 * time.Hour
	}
	return "7 days", 7 * 24 * time.Hour
}

// canonicalKey spells a known key as Delta stores it; other keys stay.
func canonicalKey(key string) (string, error) {
	lower := strings.ToLower(key)
	if !strings.HasPrefix(lower, "delta.") {
		return key, nil
	}
	for _, k := range knownProperties() {
		if strings.EqualFold(k, key) {
			return k, nil
		}
	}
	for _, p := range freePrefixes() {
		if strings.HasPrefix(lower, p) {
			return key, nil
		}
	}
	return "", newError("DELTA_UNKNOWN_CONFIGURATION", "Unknown configuration was specified: %s. To disable this check, set spark.databricks.delta.allowArbitraryProperties.enabled=true in the Spark session configuration.", key)
}

// checkProperties reads the properties of one statement as Delta does. The pair rule of the two retentions sees only
// this statement's keys and the defaults, never the table's own values (delta-io/delta#5025).
func checkProperties(given []dialect.Property) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range given {
		k, err := canonicalKey(p.Key)
		if err != nil {
			return nil, err
		}
		out[k] = p.Value
	}
	for _, k := range slices.Sorted(maps.Keys(out)) {
		if err := checkProperty(k, out[k]); err != nil {
			return nil, err
		}
	}
	return out, checkPair(out)
}

func checkProperty(key, value string) error {
	switch {
	case slices.Contains(intervalProperties(), key):
		_, err := parseInterval(key, value)
		return err
	case slices.Contains(booleanProperties(), key):
		if v := strings.ToLower(value); v != "true" && v != "false" {
			return errTableChange("%s needs to be a boolean, not %q.", key, value)
		}
	case key == isolationLevel && !strings.EqualFold(value, "Serializable"):
		return errTableChange("delta.isolationLevel must be Serializable")
	case key == columnMapping && !slices.Contains([]string{"none", "name", "id"}, strings.ToLower(value)):
		return errTableChange("delta.columnMapping.mode must be none, name or id, not %q.", value)
	case key == checkpointInterval:
		if n, err := parseWhole(&value); err != nil || n <= 0 {
			return errTableChange("delta.checkpointInterval needs to be a positive integer.")
		}
	}
	return nil
}

var calendarUnit = regexp.MustCompile(`(?i)\b(months?|years?)\b`)

func parseInterval(key, value string) (time.Duration, error) {
	if strings.TrimSpace(value) == "" {
		return 0, newError("DELTA_INVALID_CALENDAR_INTERVAL_EMPTY", "Interval cannot be null or blank.")
	}
	d, err := interval.ParseDelta(value)
	if err == nil {
		return d, nil
	}
	var own *interval.Error
	if calendarUnit.MatchString(value) || errors.As(err, &own) && own.Reason == "negative" {
		return 0, errTableChange("%s needs to be provided as a calendar interval such as '2 weeks'. Months and years are not accepted. You may specify '365 days' for a year instead.", key)
	}
	return 0, newError("DELTA_INVALID_INTERVAL", "%s is not a valid INTERVAL.", value)
}

func checkPair(given map[string]string) error {
	read := func(key string) (text string, length time.Duration, ok bool) {
		v, ok := given[key]
		if !ok {
			text, length = defaultRetention(key)
			return text, length, false
		}
		length, _ = parseInterval(key, v)
		return strings.TrimSpace(intervalWord.ReplaceAllString(v, "")), length, true
	}
	logText, log, logGiven := read(logRetention)
	deletedText, deleted, deletedGiven := read(deletedFileRetention)
	switch {
	case log >= deleted:
		return nil
	case logGiven:
		return errTableChange("The table property %s(%s) needs to be greater than or equal to %s(%s).", logRetention, logText, deletedFileRetention, deletedText)
	case deletedGiven:
		return errTableChange("The table property %s(%s) needs to be less than or equal to %s(%s).", deletedFileRetention, deletedText, logRetention, logText)
	}
	return nil
}

var intervalWord = regexp.MustCompile(`(?i)^\s*interval\s+`)

// retention is a retention in force.
func (m *metadata) retention(key string) time.Duration {
	if v, ok := m.Properties[key]; ok {
		if d, err := interval.ParseDelta(v); err == nil {
			return d
		}
	}
	_, length := defaultRetention(key)
	return length
}

func (m *metadata) is(key string) bool { return strings.EqualFold(m.Properties[key], "true") }

// mapsColumns says whether columns have names apart from their files, which renaming and dropping them needs.
func (m *metadata) mapsColumns() bool {
	mode := strings.ToLower(m.Properties[columnMapping])
	return mode == "name" || mode == "id"
}

// protocol is the lowest protocol that has the features in use, and the features when they are listed one by one.
func (m *metadata) protocol() (reader, writer int, features []string) {
	reader = 1
	add := func(use bool, feature string, needsReader int) {
		if use {
			features = append(features, feature)
			reader = max(reader, needsReader)
		}
	}
	clustered := len(m.ClusterBy) > 0 || m.ClusterAuto
	has := func(f func(column) bool) bool { return slices.ContainsFunc(m.Columns, f) }
	add(m.is(changeFeed), "changeDataFeed", 1)
	add(clustered, "clustering", 1)
	add(clustered || m.is("delta.enableRowTracking"), "domainMetadata", 1)
	add(m.is("delta.enableRowTracking"), "rowTracking", 1)
	add(m.mapsColumns(), "columnMapping", 2)
	add(m.is(deletionVectors), "deletionVectors", 3)
	add(m.is("delta.enableInCommitTimestamps"), "inCommitTimestamp", 1)
	add(m.is("delta.enableTypeWidening"), "typeWidening", 3)
	add(has(func(c column) bool { return c.Generated != "" }), "generatedColumns", 1)
	add(has(func(c column) bool { return c.Default != "" }), "allowColumnDefaults", 1)
	add(has(func(c column) bool { return strings.Contains(c.Type, "timestamp_ntz") }), "timestampNtz", 3)
	for k := range m.Properties {
		if f, ok := strings.CutPrefix(k, featurePrefix); ok && !slices.Contains(features, f) {
			features = append(features, f)
		}
	}
	listed := len(features) > 0
	features = append(features, "appendOnly", "invariants")
	sort.Strings(features)
	features = slices.Compact(features)
	if !listed {
		return reader, 2, features
	}
	return reader, 7, features
}

// shownProperties are the table's properties and its protocol, as SHOW TBLPROPERTIES gives them.
func (m *metadata) shownProperties() map[string]string {
	out := maps.Clone(m.Properties)
	if out == nil {
		out = map[string]string{}
	}
	reader, writer, features := m.protocol()
	out["delta.minReaderVersion"], out["delta.minWriterVersion"] = cellText(reader), cellText(writer)
	if writer == 7 {
		for _, f := range features {
			out["delta.feature."+f] = "supported"
		}
	}
	return out
}

// ownProperties are the properties without the features, which Delta keeps in the protocol.
func (m *metadata) ownProperties() map[string]string {
	out := map[string]string{}
	for k, v := range m.Properties {
		if !strings.HasPrefix(k, featurePrefix) {
			out[k] = v
		}
	}
	return out
}

// checkDefaults refuses a default where the table has not the feature for it.
func (m *metadata) checkDefaults() error {
	for _, c := range m.Columns {
		if c.Default != "" && m.Properties[columnDefaults] == "" {
			return newError("WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", "Failed to execute the command because it assigned a column DEFAULT value, but the corresponding table feature was not enabled. Please retry the command again after executing ALTER TABLE tableName SET TBLPROPERTIES('delta.feature.allowColumnDefaults' = 'supported').")
		}
	}
	return nil
}

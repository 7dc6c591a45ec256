package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Schema is the version of the tables' shape. Records of a newer one are not read.
const Schema = 1

// Table is one of the four tables, by its name within the schema.
type Table string

// The tables.
const (
	Runs      Table = "watertight_runs"
	Manifests Table = "watertight_manifests"
	Ledger    Table = "watertight_ledger"
	Findings  Table = "watertight_findings"
)

// Tables lists them in the order in which they are made.
func Tables() []Table { return []Table{Runs, Manifests, Ledger, Findings} }

type column struct{ name, kind, comment string }

// common are the columns that every record begins with.
func common() []column {
	return []column{
		{"schema_version", "INT", "shape of the record"},
		{"scope", "STRING", "source, target and key of the loader"},
	}
}

func (t Table) columns() []column {
	switch t {
	case Runs:
		return append(common(), []column{
			{"job_id", "BIGINT", "job of the loader; null for a verification without a job"},
			{"run_id", "BIGINT", "run that was verified; null as above"},
			{"verified_at", "TIMESTAMP", "when the verification began"},
			{"read_at", "TIMESTAMP", "earliest instant at which the run can have read the source"},
			{"cutoff", "TIMESTAMP", "event time up to which it could have read"},
			{"source_version", "BIGINT", "version of the source that was compared"},
			{"target_version", "BIGINT", "version of the target that was compared"},
			{"watermarks", "STRING", "highest sequence of the target by partition, as a JSON object"},
			{"added", "BIGINT", "rows that the run added to the target; null when not counted"},
			{"verdict", "STRING", "PASS, FAIL or INCONCLUSIVE"},
			{"due", "BIGINT", "keys that were due"},
			{"missing", "BIGINT", "keys that were due and not in the target"},
			{"definition", "STRING", "what verified meant, as in watertight_ledger"},
			{"source_id", "STRING", "Unity Catalog's id of the source"},
			{"target_id", "STRING", "Unity Catalog's id of the target"},
			{"outcome", "STRING", "counts by day and notes of a PASS, which is repeated while nothing changes, as a JSON object"},
		}...)
	case Manifests:
		return append(common(), []column{
			{"source_id", "STRING", "Unity Catalog's id of the source: it changes when the table is made anew"},
			{"source_version", "BIGINT", "version of the source"},
			{"seen_at", "TIMESTAMP", "when that version was committed"},
			{"part", "STRING", "partition"},
			{"low", "BIGINT", "lowest sequence of a range without a gap"},
			{"high", "BIGINT", "its highest sequence"},
			{"earliest", "TIMESTAMP", "earliest event time in it"},
			{"latest", "TIMESTAMP", "latest event time in it"},
		}...)
	case Ledger:
		return append(common(), []column{
			{"definition", "STRING", "what verified meant: settle delay, clock and the like"},
			{"part", "STRING", "partition"},
			{"low", "BIGINT", "lowest sequence of a stretch that holds each sequence once"},
			{"high", "BIGINT", "its highest sequence"},
			{"target_version", "BIGINT", "version of the target at which that held"},
			{"target_id", "STRING", "Unity Catalog's id of the target"},
			{"verified_at", "TIMESTAMP", "when"},
		}...)
	case Findings:
		return append(common(), findingColumns()...)
	}
	return nil
}

func findingColumns() []column {
	return []column{
		{"finding", "STRING", "name of the finding: records of one name replace each other"},
		{"run_id", "BIGINT", "run in whose verification it was seen"},
		{"target_version", "BIGINT", "version of the target at which it was seen"},
		{"recorded_at", "TIMESTAMP", "when this record was written"},
		{"part", "STRING", "partition"},
		{"low", "BIGINT", "lowest sequence"},
		{"high", "BIGINT", "highest sequence"},
		{"row_count", "BIGINT", "rows in it"},
		{"state", "STRING", "late, doomed, skipped, expired, lost, undecidable, duplicate, accepted"},
		{"cause", "STRING", "why, where it is known"},
		{"proof", "STRING", "what shows it"},
		{"confirmed", "BOOLEAN", "whether it is certain, rather than suspected"},
		{"earliest", "TIMESTAMP", "earliest event time in it"},
		{"latest", "TIMESTAMP", "latest event time in it"},
		{"recoverable_until", "TIMESTAMP", "until when it can be read somewhere"},
		{"recovered_by", "STRING", "what brought it back"},
		{"reason", "STRING", "why it was accepted"},
	}
}

// Fault says what keeps a table of the right name from being this one, by the columns that it has and their types; empty
// when nothing does. Optional are columns that it may lack.
func (t Table) Fault(types map[string]string, optional []string) string {
	for _, c := range t.columns() {
		kind, ok := types[c.name]
		switch {
		case !ok && !slices.Contains(optional, c.name):
			return "it has no column " + c.name
		case ok && !strings.EqualFold(kind, c.kind):
			return fmt.Sprintf("its column %s is %s and not %s", c.name, kind, strings.ToLower(c.kind))
		}
	}
	return ""
}

// Names are the columns of the table, in order.
func (t Table) Names() []string {
	var names []string
	for _, c := range t.columns() {
		names = append(names, c.name)
	}
	return names
}

// Place is where the tables are.
type Place struct {
	catalog, schema string
	lacking         []string
}

// NewPlace takes the schema that a contract names, catalog.schema.
func NewPlace(schema string) (Place, error) {
	catalog, name, ok := strings.Cut(schema, ".")
	if !ok || catalog == "" || name == "" || strings.Contains(name, ".") {
		return Place{}, fmt.Errorf("evidence %q: write catalog.schema, such as main.ops", schema)
	}
	return Place{catalog: catalog, schema: name}, nil
}

// FullName is the table's complete name.
func (p Place) FullName(t Table) string { return p.catalog + "." + p.schema + "." + string(t) }

// SQL is the table's name, quoted for SQL.
func (p Place) SQL(t Table) string {
	return contract.Quote(p.catalog) + "." + contract.Quote(p.schema) + "." + contract.Quote(string(t))
}

// Create makes a table unless it is there.
func (p Place) Create(t Table) string {
	var lines []string
	for _, c := range t.columns() {
		lines = append(lines, fmt.Sprintf("  %s %s COMMENT %s", c.name, c.kind, contract.QuoteText(c.comment)))
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s (\n%s\n) COMMENT 'Written by watertight verify. Append only.'", p.SQL(t), strings.Join(lines, ",\n"))
}

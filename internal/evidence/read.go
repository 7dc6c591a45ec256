package evidence

import (
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Versions asks for the newest shape of any record of a table: one row, null when there is none.
func (p Place) Versions(t Table) string {
	return fmt.Sprintf("SELECT max(schema_version) AS newest FROM %s", p.SQL(t))
}

// RunsSince lists the runs recorded since an instant in microseconds, the oldest first: job, run, verified, read, cutoff,
// source version, target version, watermarks, added, verdict, due, missing, definition, source and target id, outcome.
func (p Place) RunsSince(scope string, micros int64) string {
	return fmt.Sprintf("%s AND unix_micros(read_at) >= %d ORDER BY read_at, verified_at", p.runs(scope), micros)
}

func (p Place) runs(scope string) string {
	return fmt.Sprintf(`SELECT job_id, run_id, unix_micros(verified_at) AS verified_at, unix_micros(read_at) AS read_at, unix_micros(cutoff) AS cutoff, source_version, target_version, watermarks, added, verdict, due, missing, %s
FROM %s WHERE scope = %s AND schema_version <= %d`, p.selected("definition", "source_id", "target_id", "outcome"), p.SQL(Runs), contract.QuoteText(scope), Schema)
}

// Last is the newest record of a verification, in the columns of RunsSince. Of two at once that which did not pass counts.
func (p Place) Last(scope string) string {
	return p.runs(scope) + " ORDER BY verified_at DESC, CASE WHEN verdict = 'PASS' THEN 1 ELSE 0 END LIMIT 1"
}

// VerifiedThrough lists what the newest entries of the ledger say of each partition: definition, part, low, high, target
// version, target id, verified; by partition and low.
func (p Place) VerifiedThrough(scope, definition string) string {
	return fmt.Sprintf(`SELECT definition, part, low, high, target_version, target_id, unix_micros(verified_at) AS verified_at
FROM (SELECT definition, part, low, high, target_version, target_id, verified_at, rank() OVER (PARTITION BY part ORDER BY verified_at DESC, target_version DESC) AS nth
FROM %s WHERE scope = %s AND schema_version <= %d AND definition = %s) AS l WHERE nth = 1 ORDER BY part, low, high`, p.SQL(Ledger), contract.QuoteText(scope), Schema, contract.QuoteText(definition))
}

// Newest lists the newest record of each finding that is in one of the states: name, run, target version, recorded, part, low, high, rows,
// state, cause, proof, confirmed, earliest, latest, recoverable until, recovered by, reason; by partition and low.
func (p Place) Newest(scope string) string {
	return fmt.Sprintf(`SELECT finding, run_id, target_version, unix_micros(recorded_at) AS recorded_at, part, low, high, row_count, state, cause, proof, confirmed, unix_micros(earliest) AS earliest, unix_micros(latest) AS latest, unix_micros(recoverable_until) AS recoverable_until, recovered_by, reason
FROM (SELECT finding, run_id, target_version, recorded_at, part, low, high, row_count, state, cause, proof, confirmed, earliest, latest, recoverable_until, recovered_by, reason, row_number() OVER (PARTITION BY finding ORDER BY recorded_at DESC) AS nth
FROM %s WHERE scope = %s AND schema_version <= %d) AS f WHERE nth = 1 ORDER BY part, low, high, finding`, p.SQL(Findings), contract.QuoteText(scope), Schema)
}

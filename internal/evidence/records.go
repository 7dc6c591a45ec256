package evidence

import "time"

// Run says what one verification read and found.
type Run struct {
	// JobID and RunID are 0 for a verification without a job.
	JobID         int64     `json:"job_id,omitzero"`
	RunID         int64     `json:"run_id,omitzero"`
	VerifiedAt    time.Time `json:"verified_at"`
	ReadAt        time.Time `json:"read_at"`
	Cutoff        time.Time `json:"cutoff"`
	SourceVersion int64     `json:"source_version"`
	TargetVersion int64     `json:"target_version"`
	// Watermarks are the highest sequences of the target, by partition.
	Watermarks map[string]int64 `json:"watermarks,omitempty"`
	// Added is how many rows the run added to the target; -1 when nobody counted.
	Added   int64  `json:"added"`
	Verdict string `json:"verdict"`
	Due     int64  `json:"due"`
	Missing int64  `json:"missing"`
	// Definition is what it meant, as in Verified; SourceID and TargetID are Unity Catalog's ids of the tables.
	Definition string `json:"definition,omitzero"`
	SourceID   string `json:"source_id,omitzero"`
	TargetID   string `json:"target_id,omitzero"`
	// Outcome is what a repetition of it says; nil where it must not be repeated.
	Outcome *Outcome `json:"outcome,omitzero"`
}

// Manifest is a range of keys that the source held at one version, without a gap.
type Manifest struct {
	SourceID      string    `json:"source_id"`
	SourceVersion int64     `json:"source_version"`
	SeenAt        time.Time `json:"seen_at"`
	Partition     string    `json:"part"`
	Low           int64     `json:"low"`
	High          int64     `json:"high"`
	// Earliest and Latest are event times; zero when no row had one.
	Earliest time.Time `json:"earliest,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
}

// Verified is a stretch of a partition of the target that holds every sequence exactly once. One verification records all
// stretches of a partition under one instant.
type Verified struct {
	// Definition is what verified meant. Another one verifies nothing.
	Definition    string    `json:"definition"`
	Partition     string    `json:"part"`
	Low           int64     `json:"low"`
	High          int64     `json:"high"`
	TargetVersion int64     `json:"target_version"`
	TargetID      string    `json:"target_id"`
	VerifiedAt    time.Time `json:"verified_at"`
}

// Finding is a range that was missing, doubled or accepted, as of one record of it.
type Finding struct {
	// Name tells findings apart; the newest record of a name counts.
	Name             string    `json:"finding"`
	RunID            int64     `json:"run_id,omitzero"`
	TargetVersion    int64     `json:"target_version"`
	RecordedAt       time.Time `json:"recorded_at"`
	Partition        string    `json:"part"`
	Low              int64     `json:"low"`
	High             int64     `json:"high"`
	Rows             int64     `json:"row_count"`
	State            string    `json:"state"`
	Cause            string    `json:"cause,omitzero"`
	Proof            string    `json:"proof,omitzero"`
	Confirmed        bool      `json:"confirmed"`
	Earliest         time.Time `json:"earliest,omitzero"`
	Latest           time.Time `json:"latest,omitzero"`
	RecoverableUntil time.Time `json:"recoverable_until,omitzero"`
	RecoveredBy      string    `json:"recovered_by,omitzero"`
	// Reason is why it was accepted; empty unless its state is accepted.
	Reason string `json:"reason,omitzero"`
}

// Record is a record of one of the tables.
type Record interface {
	table() Table
	// values are those of the table's own columns, in order; nil is null.
	values() []any
}

func (r Run) table() Table      { return Runs }
func (r Manifest) table() Table { return Manifests }
func (r Verified) table() Table { return Ledger }
func (r Finding) table() Table  { return Findings }

func (r Run) values() []any {
	return []any{orNull(r.JobID, 0), orNull(r.RunID, 0), r.VerifiedAt, r.ReadAt, r.Cutoff, r.SourceVersion, r.TargetVersion,
		document(r.Watermarks, r.Watermarks == nil), orNull(r.Added, -1), r.Verdict, r.Due, r.Missing,
		orNull(r.Definition, ""), orNull(r.SourceID, ""), orNull(r.TargetID, ""), document(r.Outcome, r.Outcome == nil)}
}

func (r Manifest) values() []any {
	return []any{r.SourceID, r.SourceVersion, r.SeenAt, r.Partition, r.Low, r.High, r.Earliest, r.Latest}
}

func (r Verified) values() []any {
	return []any{r.Definition, r.Partition, r.Low, r.High, r.TargetVersion, r.TargetID, r.VerifiedAt}
}

func (r Finding) values() []any {
	return []any{r.Name, orNull(r.RunID, 0), r.TargetVersion, r.RecordedAt, r.Partition, r.Low, r.High, r.Rows, r.State, orNull(r.Cause, ""), orNull(r.Proof, ""),
		r.Confirmed, r.Earliest, r.Latest, r.RecoverableUntil, orNull(r.RecoveredBy, ""), orNull(r.Reason, "")}
}

func orNull[T comparable](v, none T) any {
	if v == none {
		return nil
	}
	return v
}

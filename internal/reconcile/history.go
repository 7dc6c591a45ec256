package reconcile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Commit is one line of a table's history.
type Commit struct {
	Version int64
	At      time.Time
	// Or is the other instant that At can be, an hour earlier, where the history was printed in a zone whose clocks repeat
	// that hour; else zero.
	Or        time.Time
	Operation string
	// Mode is how a WRITE or a stream writes: Append, Overwrite, Complete, Update; empty where it says nothing.
	Mode string
	// BlindAppend is what the log says; false when it says nothing.
	BlindAppend bool
	// JobID and JobRunID name the job run that committed; 0 when unknown, as for most statements on a warehouse.
	JobID, JobRunID int64
	// Merges says what a MERGE may do to rows that are there; empty for other commits and where the history does not tell.
	Merges string
	// OutputRows is what the metrics claim to have written; -1 when they say nothing. It decides nothing.
	OutputRows int64
}

// Removes reports whether the commit may have taken rows out of the table, or changed them. What is not known to only
// add rows, or to leave them as they are, does.
func (c Commit) Removes() bool {
	if c.BlindAppend {
		return false
	}
	op := strings.ToUpper(strings.TrimSpace(c.Operation))
	switch {
	case op == "WRITE", strings.HasPrefix(op, "STREAMING UPDATE"):
		return !strings.EqualFold(c.Mode, "Append")
	case op == "CREATE TABLE", op == "COPY INTO", op == "CONVERT", op == "MERGE" && c.Merges == mergeInserts:
		return false
	}
	if op == "CLONE" && c.Version == 0 {
		return false // a later one replaces what the table holds
	}
	return !c.keepsRows()
}

// What a MERGE may do to rows that are there; it may do both of the last two.
const (
	mergeInserts = "nothing"
	mergeDeletes = "delete"
	mergeUpdates = "update"
)

// mergeOf reads the clauses of a MERGE out of its parameters, as in [{"actionType":"delete"}].
func mergeOf(parameters map[string]string) string {
	matched, ok := parameters["matchedPredicates"]
	if !ok {
		return ""
	}
	clauses, does := matched+parameters["notMatchedBySourcePredicates"], ""
	for _, action := range []string{mergeDeletes, mergeUpdates} {
		if strings.Contains(clauses, action) {
			does += action
		}
	}
	return cmp.Or(does, mergeInserts)
}

// Deletes reports whether the commit may have taken rows out of the table: UPDATE, and a MERGE that only updates, change
// them.
func (c Commit) Deletes() bool {
	op := strings.ToUpper(strings.TrimSpace(c.Operation))
	return c.Removes() && op != "UPDATE" && c.Merges != mergeUpdates
}

// TakesKeys reports whether the commit may have taken keys out of the table, other than by a MERGE that updates: UPDATE can
// give a row another key.
func (c Commit) TakesKeys() bool {
	return c.Deletes() || c.Removes() && strings.EqualFold(strings.TrimSpace(c.Operation), "UPDATE")
}

// Rewrites reports whether the commit may have changed rows and left their keys in the table: what is not known to only
// add rows or remove them does.
func (c Commit) Rewrites() bool {
	op := strings.ToUpper(strings.TrimSpace(c.Operation))
	return c.Removes() && op != "DELETE" && op != "TRUNCATE" && c.Merges != mergeDeletes
}

// keepsRows reports whether the commit leaves the table's rows as they are.
func (c Commit) keepsRows() bool {
	op := strings.ToUpper(strings.TrimSpace(c.Operation))
	for _, prefix := range []string{"OPTIMIZE", "VACUUM", "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "ADD COLUMN", "CHANGE COLUMN", "RENAME COLUMN",
		"ADD CONSTRAINT", "DROP CONSTRAINT", "CLUSTER BY", "UPGRADE PROTOCOL", "COMPUTE STATS", "ANALYZE", "REORG", "UPDATE COLUMN METADATA",
		"UPDATE SCHEMA", "ADD FEATURE", "DROP FEATURE", "AUTO COMPACTION"} {
		if strings.HasPrefix(op, prefix) {
			return true
		}
	}
	return false
}

// LeavesRows reports whether the commit surely left every row and every column as it was: what was found at the version
// before it holds at its own.
func (c Commit) LeavesRows() bool {
	op := strings.ToUpper(strings.TrimSpace(c.Operation))
	for _, prefix := range []string{"OPTIMIZE", "AUTO COMPACTION", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "COMPUTE STATS", "ANALYZE"} {
		if strings.HasPrefix(op, prefix) {
			return true
		}
	}
	return false
}

// Writes reports whether the commit may have changed the rows at all.
func (c Commit) Writes() bool {
	return !c.keepsRows() && !strings.EqualFold(c.Operation, "CREATE TABLE")
}

// ReadCommit reads a row of DESCRIBE HISTORY with these columns, which differ between versions of Databricks. It is
// ErrNoZone when the zone is needed and nil.
func ReadCommit(columns []string, row []*string, zone *time.Location) (Commit, error) {
	c := Commit{OutputRows: -1}
	seen := false
	for i, name := range columns {
		if i >= len(row) || row[i] == nil {
			continue
		}
		text := *row[i]
		var err error
		switch strings.ToLower(name) {
		case "version":
			seen = true
			c.Version, err = strconv.ParseInt(text, 10, 64)
		case "timestamp":
			c.At, c.Or, err = ReadInstant(text, zone)
		case "operation":
			c.Operation = strings.Clone(text)
		case "operationparameters":
			fields := object(text)
			c.Mode, c.Merges = fields["mode"]+fields["outputMode"], mergeOf(fields)
		case "isblindappend":
			c.BlindAppend = text == "true"
		case "job":
			fields := object(text)
			c.JobID, _ = strconv.ParseInt(fields["jobId"], 10, 64)
			c.JobRunID, _ = strconv.ParseInt(fields["jobRunId"], 10, 64)
		case "operationmetrics":
			if n, err := strconv.ParseInt(object(text)["numOutputRows"], 10, 64); err == nil {
				c.OutputRows = n
			}
		}
		if err != nil {
			return c, fmt.Errorf("history: %s: %w", name, err)
		}
	}
	if !seen || c.At.IsZero() {
		return c, fmt.Errorf("history: a line has no version or no timestamp")
	}
	return c, nil
}

// object reads a map or struct as the API prints it; anything else is empty. It holds only hints.
func object(text string) map[string]string {
	var raw map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&raw) != nil {
		return nil
	}
	fields := map[string]string{}
	for k, v := range raw {
		switch v := v.(type) {
		case string:
			fields[k] = v
		case json.Number:
			fields[k] = v.String()
		}
	}
	return fields
}

// Candidate is a version of the source that may hold rows which the next commit took away.
type Candidate struct {
	Version   int64
	Committed time.Time
	// RemovedBy is the commit after it.
	RemovedBy Commit
}

// SourceHistory collects, newest first, what a verification needs to know of the source's history.
type SourceHistory struct {
	// ReadAt is the instant whose version is wanted; Readable the instant before which versions cannot be read.
	ReadAt, Readable time.Time

	// Pinned is the last commit at or before ReadAt; Found tells whether there is one.
	Pinned Commit
	Found  bool
	// Unsure says that it may be another one, for it is not known at which of two instants a commit was made.
	Unsure bool
	// Newest is the table's newest commit, Oldest the oldest seen, First the oldest up to the pinned one that can be read.
	Newest, Oldest, First Commit
	// Candidates are the readable versions up to the pinned one whose successor removes rows, newest first.
	Candidates []Candidate
	// Complete says that no row can have left the source before the oldest candidate.
	Complete bool
	// Reach is the instant since which every removal up to the pinned version has its candidate; zero when Complete.
	Reach time.Time

	lines int
	next  *Commit
}

// Add takes the next older commit. It reports whether more are needed.
func (h *SourceHistory) Add(c Commit) (bool, error) {
	if h.lines > 0 && c.Version >= h.Oldest.Version {
		return false, fmt.Errorf("history: version %d follows version %d", c.Version, h.Oldest.Version)
	}
	if h.lines++; h.lines == 1 {
		h.Newest = c
	}
	if h.Found && c.Version != h.Oldest.Version-1 {
		return false, nil // the log was cleaned up in between
	}
	h.Oldest = c
	h.Unsure = h.Unsure || !c.Or.IsZero() && c.At.After(h.ReadAt) != c.Or.After(h.ReadAt)
	switch {
	case !h.Found && c.At.After(h.ReadAt):
		return true, nil
	case !h.Found:
		h.Found, h.Pinned, h.First = true, c, c
	case h.next != nil && c.At.Before(h.Readable):
		h.Reach = h.next.At
		return false, nil
	case h.next != nil:
		h.Candidates = append(h.Candidates, Candidate{Version: c.Version, Committed: c.At, RemovedBy: *h.next})
	}
	if h.next, h.Reach = nil, c.At; !c.At.Before(h.Readable) {
		h.First = c
	}
	if c.Removes() && c.Version > 0 {
		removal := c
		h.next = &removal
	}
	if c.Version == 0 {
		h.Complete, h.Reach = true, time.Time{}
		return false, nil
	}
	return true, nil
}

// TargetHistory collects, newest first, what a verification needs to know of the target's history.
type TargetHistory struct {
	// ReadAt is when the loader may have read first. Zero: the write before the last, since a loader reads after it has
	// finished its previous work.
	ReadAt time.Time
	// Before, when set, is an instant: the version wanted is the last one committed earlier.
	Before time.Time
	// WantFloor asks for Floor: the earliest instant at which the load before this one can have read.
	WantFloor bool

	Newest, Pinned Commit
	Found          bool
	Floor          time.Time
	// Since are the writes at or after ReadAt, newest first, at most 1000.
	Since []Commit

	lines, writes int
}

// Add takes the next older commit. It reports whether more are needed.
func (h *TargetHistory) Add(c Commit) bool {
	if h.lines++; h.lines == 1 {
		h.Newest = c
	}
	if !h.Found {
		if !h.Before.IsZero() && !c.At.Before(h.Before) {
			return true
		}
		h.Found, h.Pinned = true, c
	}
	if h.ReadAt.IsZero() {
		if c.Writes() {
			h.writes++
		}
		if h.writes == 2 || c.Version == 0 {
			h.ReadAt, h.writes = c.At, 1
		}
		if c.Version == 0 {
			h.Floor = c.At
		}
		return c.Version > 0
	}
	if !c.At.Before(h.ReadAt) {
		if c.Writes() && len(h.Since) < 1000 {
			h.Since = append(h.Since, c)
		}
	} else if c.Writes() {
		h.writes++
	}
	if h.writes == 2 || c.Version == 0 {
		h.Floor = c.At
		return false
	}
	return h.WantFloor || !c.At.Before(h.ReadAt)
}

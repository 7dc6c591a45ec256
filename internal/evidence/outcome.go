package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// passed is the verdict that can be repeated.
const passed = "PASS"

// Outcome is what a verification that passed said, beyond what its record says already.
type Outcome struct {
	InFlight int64     `json:"in_flight"`
	Days     []Day     `json:"by_day"`
	Written  []Written `json:"written,omitempty"`
	Notes    []Note    `json:"notes,omitempty"`
}

// Day holds the counts of one day of event time, written 2006-01-02; none of its rows was missing.
type Day struct {
	Day      string `json:"day"`
	Due      int64  `json:"due"`
	InFlight int64  `json:"in_flight"`
}

// Written is a commit of the run to the target, with the target's rows before and after it.
type Written struct {
	Version   int64     `json:"version"`
	Committed time.Time `json:"committed"`
	Before    int64     `json:"before"`
	After     int64     `json:"after"`
}

// Note is something that was said beside the verdict.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// outcome reads the text of the column; one that is not read is none, so that nothing is repeated.
func (r *reader) outcome() *Outcome {
	t := r.next()
	if t == nil {
		return nil
	}
	var o Outcome
	if json.Unmarshal([]byte(*t), &o) != nil {
		return nil
	}
	return &o
}

// Missing are the columns that a table of an earlier version of watertight lacks, given those that it has.
func (t Table) Missing(has []string) []string {
	var missing []string
	for _, name := range t.Names() {
		if !slices.ContainsFunc(has, func(h string) bool { return strings.EqualFold(h, name) }) {
			missing = append(missing, name)
		}
	}
	return missing
}

// Added are the columns of Runs that tables of earlier versions lack.
func Added() []string { return []string{"definition", "source_id", "target_id", "outcome"} }

// Add adds columns to a table; what is recorded in it already has null in them.
func (p Place) Add(t Table, names []string) string {
	var parts []string
	for _, c := range t.columns() {
		if slices.Contains(names, c.name) {
			parts = append(parts, fmt.Sprintf("%s %s COMMENT %s", c.name, c.kind, contract.QuoteText(c.comment)))
		}
	}
	return fmt.Sprintf("ALTER TABLE %s ADD COLUMNS (%s)", p.SQL(t), strings.Join(parts, ", "))
}

// Without is the place with a table of runs that lacks columns: they are neither written nor read there.
func (p Place) Without(names []string) Place {
	p.lacking = names
	return p
}

func (p Place) lacks(t Table, c column) bool { return t == Runs && slices.Contains(p.lacking, c.name) }

// names are the columns that are written.
func (p Place) names(t Table) []string {
	var names []string
	for _, c := range t.columns() {
		if !p.lacks(t, c) {
			names = append(names, c.name)
		}
	}
	return names
}

// selected are columns of Runs of the type STRING, null where they are lacking.
func (p Place) selected(names ...string) string {
	var parts []string
	for _, name := range names {
		if slices.Contains(p.lacking, name) {
			name = "CAST(NULL AS STRING) AS " + name
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

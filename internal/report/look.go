package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// Look prints one look at a loader and its source: a line of text, or a JSON document on one line.
type Look struct {
	At       time.Time
	JobID    int64
	Name     string
	Paused   bool
	Deadline time.Time
	Left     time.Duration
	Table    string
	Version  int64
	Kept     bool
}

// JSON writes schema, at, job_id, name, paused, deadline, left_seconds, source and kept.
func (l Look) JSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(struct {
		Schema   int     `json:"schema"`
		At       *string `json:"at"`
		JobID    int64   `json:"job_id"`
		Name     string  `json:"name"`
		Paused   bool    `json:"paused"`
		Deadline *string `json:"deadline"`
		Left     *int64  `json:"left_seconds"`
		Source   table   `json:"source"`
		Kept     bool    `json:"kept"`
	}{Schema, instant(l.At), l.JobID, l.Name, l.Paused, instant(l.Deadline), known(l.Left, !l.Deadline.IsZero()), table{l.Table, &l.Version}, l.Kept})
}

// Text writes one line.
func (l Look) Text(w io.Writer) error {
	out := &lines{w: w}
	state := "runs by its schedule"
	if l.Paused {
		state = "PAUSED"
	}
	switch {
	case l.Deadline.IsZero():
	case l.Left <= 0:
		state += "; rows have been expiring unread for " + interval.Text(-l.Left)
	default:
		state += "; the first unread row expires in " + interval.Text(l.Left) + ", at " + at(l.Deadline)
	}
	did := "kept"
	if !l.Kept {
		did = "kept before"
	}
	out.line("%s  %s %s; %s version %d %s", at(l.At), l.Name, state, l.Table, l.Version, did)
	return out.err
}

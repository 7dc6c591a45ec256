package report

import (
	"io"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Statement is one that would be sent.
type Statement struct{ Purpose, When, SQL string }

// Plan prints what a verification would do.
type Plan struct {
	Source, Target reconcile.Pinned
	// Cutoff is zero where a statement asks for it.
	ReadAt, Cutoff time.Time
	Statements     []Statement
	Reasons        []reconcile.Reason
}

// JSON writes schema, statements with purpose, when and sql, source, target, read_at, cutoff and reasons.
func (p Plan) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		list(d, "statements", each(p.Statements), func(s Statement) any {
			return struct {
				Purpose string `json:"purpose"`
				When    string `json:"when"`
				SQL     string `json:"sql"`
			}{s.Purpose, s.When, s.SQL}
		})
		d.field("source", tableOf(p.Source))
		d.field("target", tableOf(p.Target))
		d.field("read_at", instant(p.ReadAt))
		d.field("cutoff", instant(p.Cutoff))
		list(d, "reasons", each(p.Reasons), func(r reconcile.Reason) any { return reason{r.Code, r.Text} })
	})
}

// Text writes the statements, each ended by a semicolon, with what is said of it as comments: SQL throughout.
func (p Plan) Text(w io.Writer) error {
	l := &lines{w: w}
	for _, r := range p.Reasons {
		l.line("-- nothing would be compared: %s", r.Text)
	}
	if len(p.Statements) == 0 {
		return l.err
	}
	due := "as the source's newest event says"
	if !p.Cutoff.IsZero() {
		due = "event time up to " + cutoff(p.Cutoff)
	}
	l.line("-- source %s, target %s; due: %s", pinned(p.Source), pinned(p.Target), due)
	l.line("-- Nothing was sent but what reads descriptions and histories.")
	for _, s := range p.Statements {
		l.line("")
		l.line("-- %s: %s", s.Purpose, s.When)
		l.line("%s;", strings.TrimSpace(s.SQL))
	}
	return l.err
}

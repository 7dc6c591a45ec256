package report

import (
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Purge prints what a purge deleted, or would delete.
type Purge struct {
	ExitCode       run.ExitCode
	Window         time.Duration
	Source, Target reconcile.Pinned
	// Old rows are past the window; Loaded of them are in the target.
	Old, Loaded, Deleted int64
	Applied              bool
	Statement            string
}

// JSON writes one document.
func (p Purge) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		d.field("exit_code", int(p.ExitCode))
		d.field("rolling_window_seconds", seconds(p.Window))
		d.field("source", tableOf(p.Source))
		d.field("target", tableOf(p.Target))
		d.field("past_window", p.Old)
		d.field("loaded", p.Loaded)
		d.field("unread", p.Old-p.Loaded)
		d.field("applied", p.Applied)
		d.field("deleted", p.Deleted)
		d.field("statement", p.Statement)
	})
}

// Text writes the numbers, and the statement where it was not run.
func (p Purge) Text(w io.Writer) error {
	l := &lines{w: w}
	l.line("%s of %s are past the window of %s; %s of them are in %s", count(p.Old, "row", "rows"), pinned(p.Source), interval.Text(p.Window), digits(p.Loaded), pinned(p.Target))
	if unread := p.Old - p.Loaded; unread > 0 {
		l.line("%s not in the target and stay: they are unread. Name them with watertight verify", count(unread, "row is", "rows are"))
	}
	switch {
	case p.Applied:
		l.line("deleted: %s", count(p.Deleted, "row", "rows"))
	case p.Loaded == 0:
		l.line("nothing to delete")
	default:
		l.line("")
		l.line("%s;", p.Statement)
		l.line("")
		l.line("Nothing was deleted.")
	}
	return l.err
}

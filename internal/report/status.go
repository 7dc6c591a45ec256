package report

import (
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Loader is the state of one loader.
type Loader struct {
	JobID                       int64
	Name, Source, Target        string
	Trigger, Expression, ZoneID string
	NextRun                     time.Time
	Paused                      bool
	Coverage                    coverage.Verdict
	// Problem says why there is no coverage; empty when there is.
	Problem  string
	Deadline time.Time
	Left     time.Duration
	// LastRun, LastSuccess and Active are nil where there is none.
	LastRun, LastSuccess, Active *run.Run
}

// Status prints the state of loaders.
type Status struct {
	At      time.Time
	Loaders []Loader
}

type runState struct {
	RunID   int64   `json:"run_id"`
	Outcome string  `json:"outcome"`
	Started *string `json:"started"`
	Ended   *string `json:"ended"`
	URL     *string `json:"url"`
}

func stateOf(r *run.Run) *runState {
	if r == nil {
		return nil
	}
	return &runState{r.ID, string(r.Outcome()), instant(r.Started), instant(r.Ended), text(r.URL)}
}

type loader struct {
	JobID      int64     `json:"job_id"`
	Name       string    `json:"name"`
	Source     *string   `json:"source"`
	Target     *string   `json:"target"`
	Paused     bool      `json:"paused"`
	Trigger    *string   `json:"trigger"`
	Expression *string   `json:"quartz_cron_expression"`
	ZoneID     *string   `json:"timezone_id"`
	NextRun    *string   `json:"next_run"`
	Verdict    *string   `json:"verdict"`
	Headroom   *int64    `json:"headroom_seconds"`
	Deadline   *string   `json:"deadline"`
	Left       *int64    `json:"left_seconds"`
	LastRun    *runState `json:"last_run"`
	LastGood   *runState `json:"last_success"`
	Active     *runState `json:"active_run"`
	Reasons    []reason  `json:"reasons"`
	Problem    *string   `json:"problem"`
}

// JSON writes at, and loaders[].
func (s Status) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		d.field("at", instant(s.At))
		list(d, "loaders", each(s.Loaders), func(l Loader) any { return l.shape() })
	})
}

func (l Loader) shape() loader {
	_, headroom := reckoned(l.Coverage)
	out := loader{JobID: l.JobID, Name: l.Name, Source: text(l.Source), Target: text(l.Target), Paused: l.Paused, Trigger: text(l.Trigger),
		Expression: text(l.Expression), ZoneID: text(l.ZoneID), NextRun: instant(l.NextRun), Headroom: known(l.Coverage.Headroom, headroom),
		Deadline: instant(l.Deadline), Left: known(l.Left, !l.Deadline.IsZero()), LastRun: stateOf(l.LastRun), LastGood: stateOf(l.LastSuccess),
		Active: stateOf(l.Active), Reasons: []reason{}, Problem: text(l.Problem)}
	if l.Coverage.Answer != "" {
		out.Verdict = text(answer(l.Coverage.Answer))
	}
	for _, r := range l.Coverage.Reasons {
		out.Reasons = append(out.Reasons, reason{r.Code, r.Text})
	}
	return out
}

// Text writes a paragraph for each loader.
func (s Status) Text(w io.Writer) error {
	l := &lines{w: w}
	if len(s.Loaders) == 0 {
		l.line("no job has a contract: none is declared as a watertight_loader_job")
	}
	for _, one := range s.Loaders {
		one.lines(l)
	}
	return l.err
}

func (l Loader) lines(out *lines) {
	state := "not paused"
	if l.Paused {
		state = "PAUSED"
	}
	out.line("%s (job %d): %s", l.Name, l.JobID, state)
	if l.Source != "" {
		out.line("  %s → %s", l.Source, l.Target)
	}
	if l.Expression != "" {
		out.line("  starts by %q, %s", l.Expression, l.ZoneID)
	} else if l.Trigger == "manual" {
		out.line("  nothing starts it by itself")
	} else if l.Trigger != "" {
		out.line("  starts by %s", l.Trigger)
	}
	if !l.NextRun.IsZero() {
		out.line("  next run %s", at(l.NextRun))
	}
	if l.Active != nil {
		out.line("  run %d is active since %s", l.Active.ID, at(l.Active.Started))
	}
	if l.LastRun == nil {
		out.line("  no run has ended yet")
	} else {
		out.line("  last run %d %s at %s", l.LastRun.ID, l.LastRun.Outcome(), at(l.LastRun.Ended))
		if l.LastSuccess != nil && l.LastSuccess.ID != l.LastRun.ID {
			out.line("  last success: run %d at %s", l.LastSuccess.ID, at(l.LastSuccess.Ended))
		}
	}
	switch {
	case l.Problem != "":
		out.line("  coverage unknown: %s", l.Problem)
	case l.Coverage.Answer != "":
		out.line("  coverage: %s", l.Coverage.Answer)
		for _, r := range l.Coverage.Reasons {
			out.line("    %s", r.Text)
		}
	}
	switch {
	case l.Deadline.IsZero():
	case l.Left < 0:
		out.line("  the first unloaded row was lost at %s, %s ago, unless the loader has read since", at(l.Deadline), interval.Text(-l.Left))
	default:
		out.line("  first unloaded row is lost in %s, at %s: the loader must read before", interval.Text(l.Left), at(l.Deadline))
	}
}

// Pause prints a change of a pause status.
type Pause struct {
	JobID    int64
	Name     string
	Paused   bool
	Changed  bool
	Deadline time.Time
}

// JSON writes job_id, name, paused, changed, deadline.
func (p Pause) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		d.field("job_id", p.JobID)
		d.field("name", p.Name)
		d.field("paused", p.Paused)
		d.field("changed", p.Changed)
		d.field("deadline", instant(p.Deadline))
	})
}

// Text writes what was done, and until when a pause does no harm.
func (p Pause) Text(w io.Writer) error {
	l := &lines{w: w}
	word, done := "resumed", "it is not paused"
	if p.Paused {
		word, done = "paused", "it is paused already"
	}
	if p.Changed {
		l.line("%s (job %d): %s", p.Name, p.JobID, word)
	} else {
		l.line("%s (job %d): %s, nothing was changed", p.Name, p.JobID, done)
	}
	if p.Paused && !p.Deadline.IsZero() {
		l.line("  the first unloaded row is lost at %s unless the loader reads before", at(p.Deadline))
	}
	return l.err
}

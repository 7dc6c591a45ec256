package report

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Verification prints what a verification found.
type Verification struct{ reconcile.Verification }

type table struct {
	Table   string `json:"table"`
	Version *int64 `json:"version"`
}

func tableOf(p reconcile.Pinned) table {
	t := table{Table: p.Table}
	if !p.Committed.IsZero() {
		t.Version = &p.Version
	}
	return t
}

type counts struct {
	Due        int64 `json:"due"`
	Loaded     int64 `json:"loaded"`
	Missing    int64 `json:"missing"`
	InFlight   int64 `json:"in_flight"`
	Late       int64 `json:"late"`
	Doomed     int64 `json:"doomed"`
	Skipped    int64 `json:"skipped"`
	Expired    int64 `json:"expired"`
	Lost       int64 `json:"lost"`
	Duplicates int64 `json:"duplicates"`
	Accepted   int64 `json:"accepted"`
}

type dayCounts struct {
	Day      string `json:"day"`
	Due      int64  `json:"due"`
	Loaded   int64  `json:"loaded"`
	Missing  int64  `json:"missing"`
	InFlight int64  `json:"in_flight"`
}

// sequences are where rows with a sequence are.
type sequences struct {
	Partition any   `json:"partition"`
	From      int64 `json:"from"`
	To        int64 `json:"to"`
}

// partitionOf is a number where the column holds numbers.
func partitionOf(p string, integral bool) any {
	if integral {
		return json.Number(p)
	}
	return p
}

type missingRange struct {
	sequences
	missing
	GoneSince *string `json:"gone_since"`
}

type missing struct {
	Rows             int64   `json:"rows"`
	State            string  `json:"state"`
	Cause            *string `json:"cause"`
	Proof            *string `json:"proof"`
	RecoverableUntil *string `json:"recoverable_until"`
	RecoverFrom      *string `json:"recover_from"`
}

type written struct {
	Version   int64   `json:"version"`
	Committed *string `json:"committed"`
	Before    int64   `json:"rows_before"`
	After     int64   `json:"rows_after"`
	Added     int64   `json:"rows_added"`
}

type duplicateRange struct {
	sequences
	duplicate
}

type duplicate struct {
	Keys  int64   `json:"keys"`
	Rows  int64   `json:"rows"`
	Cause *string `json:"cause"`
	Proof *string `json:"proof"`
}

// JSON writes the document of design.md §7.
func (v Verification) JSON(w io.Writer) error { return write(w, v.fields) }

func (v Verification) fields(d *document) {
	d.field("verdict", string(v.Verdict))
	d.field("exit_code", int(run.Verified(v.Verification)))
	d.field("cutoff", instant(v.Cutoff))
	d.field("source", tableOf(v.Source))
	d.field("target", tableOf(v.Target))
	c := v.Counts
	d.field("counts", counts{c.Due, c.Loaded, c.Missing, c.InFlight, c.Late, c.Doomed, c.Skipped, c.Expired, c.Lost, c.Duplicates, c.Accepted})
	list(d, "by_day", each(v.ByDay), func(day reconcile.Day) any {
		return dayCounts{day.Day, day.Due, day.Loaded, day.Missing, day.InFlight}
	})
	v.lists(d)
	list(d, "written", each(v.Written), func(l reconcile.Written) any {
		return written{l.Version, instant(l.Committed), l.Before, l.After, l.After - l.Before}
	})
	list(d, "reasons", each(v.Reasons), func(r reconcile.Reason) any { return reason{r.Code, r.Text} })
}

// lists writes every range.
func (v Verification) lists(d *document) {
	list(d, "missing", elements(v.Missing), func(r reconcile.Range) any {
		m := missing{r.Rows, string(r.State), text(r.Cause), text(r.Proof), instant(r.RecoverableUntil), text(r.RecoverFrom)}
		if r.Key != nil {
			return missingKey{atKey{keyed{v.KeyNames, r.Key}}, m}
		}
		return missingRange{sequences{v.partition(r.Partition), r.From, r.To}, m, instant(r.GoneSince)}
	})
	list(d, "duplicates", elements(v.Duplicates), func(r reconcile.Duplicate) any {
		m := duplicate{r.Keys, r.Surplus, text(r.Cause), text(r.Proof)}
		if r.Key != nil {
			return duplicateKey{atKey{keyed{v.KeyNames, r.Key}}, m}
		}
		return duplicateRange{sequences{v.partition(r.Partition), r.From, r.To}, m}
	})
	list(d, "accepted", elements(v.Accepted), func(r reconcile.Range) any { return acceptedRange(r, v.partition(r.Partition)) })
}

func (v Verification) partition(p string) any { return partitionOf(p, v.IntegralPartition) }

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func elements[T any](l reconcile.List[T]) func(func(T, error) bool) {
	if l == nil {
		return func(func(T, error) bool) {}
	}
	return l.All()
}

// Text writes the verdict, its reasons, the table by day and every range.
func (v Verification) Text(w io.Writer) error {
	l := &lines{w: w}
	v.lines(l)
	return l.err
}

func (v Verification) lines(l *lines) {
	l.line("%s", v.headline())
	for _, r := range v.Reasons {
		l.line("  %s", r.Text)
	}
	if !v.Cutoff.IsZero() {
		l.line("  source %s, target %s; due: event time up to %s", pinned(v.Source), pinned(v.Target), cutoff(v.Cutoff))
	}
	if len(v.ByDay) > 0 {
		rows := [][]string{{"day", "due", "loaded", "missing", "in flight"}}
		for _, d := range v.ByDay {
			rows = append(rows, []string{d.Day, digits(d.Due), digits(d.Loaded), digits(d.Missing), digits(d.InFlight)})
		}
		l.table(rows)
	}
	if len(v.Written) > 0 {
		rows := [][]string{{"written by the run", "before", "after", "added"}}
		for _, w := range v.Written {
			rows = append(rows, []string{fmt.Sprintf("version %d", w.Version), digits(w.Before), digits(w.After), digits(w.After - w.Before)})
		}
		l.table(rows)
	}
	v.rangeLines(l)
}

// rangeLines writes a line for every range.
func (v Verification) rangeLines(l *lines) {
	missing := ranges{l: l, names: v.KeyNames}
	for r, err := range elements(v.Missing) {
		if err != nil && l.err == nil {
			l.err = err
		}
		if l.err != nil {
			return
		}
		missing.add(r)
	}
	missing.flush()
	for r, err := range elements(v.Duplicates) {
		if err != nil && l.err == nil {
			l.err = err
		}
		if l.err != nil {
			return
		}
		why := ""
		if r.Proof != "" {
			why = "; " + r.Cause + ": " + r.Proof
		}
		what := fmt.Sprintf("partition %s, sequence %s", r.Partition, span(r.From, r.To))
		if r.Key != nil {
			what = keyed{v.KeyNames, r.Key}.text()
		}
		l.line("  duplicate: %s: %s too many%s", what, count(r.Surplus, "row", "rows"), why)
	}
	l.accepted(v.Accepted)
}

func (v Verification) headline() string {
	c := v.Counts
	text := fmt.Sprintf("%s: %s of %s loaded", v.Verdict, digits(c.Loaded), count(c.Due, "row due", "rows due"))
	if c.Due == 0 {
		return string(v.Verdict)
	}
	if c.Missing > 0 {
		text += fmt.Sprintf(", %s missing", digits(c.Missing))
	}
	if c.Doomed > 0 {
		text += fmt.Sprintf(", %s doomed", digits(c.Doomed))
	}
	if c.InFlight > 0 {
		text += fmt.Sprintf(", %s in flight", digits(c.InFlight))
	}
	if c.Duplicates > 0 {
		text += fmt.Sprintf(", %s", count(c.Duplicates, "duplicate", "duplicates"))
	}
	if c.Accepted > 0 {
		text += fmt.Sprintf(", %s accepted", digits(c.Accepted))
	}
	return text
}

func pinned(p reconcile.Pinned) string { return fmt.Sprintf("%s version %d", p.Table, p.Version) }

// cutoff keeps fractions of a second: a row may lie between.
func cutoff(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z") }

func span(from, to int64) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d to %d", from, to)
}

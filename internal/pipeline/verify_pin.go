package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// only is the value of a statement that has one row; nil when it has none. It is read to its end: only there it shows
// whether all of it came.
func only[T any](values iter.Seq2[T, error]) (*T, error) {
	var out *T
	for v, err := range values {
		switch {
		case err != nil:
			return nil, err
		case out != nil:
			return nil, errors.New("a statement that answers with one row gave several")
		}
		out = &v
	}
	return out, nil
}

// first is the first of several; nil when there is none.
func first[T any](values iter.Seq2[T, error]) (*T, error) {
	for v, err := range values {
		if err != nil {
			return nil, err
		}
		return &v, nil
	}
	return nil, nil
}

// commits streams a table's history, the newest first.
func (v *verifier) commits(ctx context.Context, table string) iter.Seq2[reconcile.Commit, error] {
	return commits(ctx, v.w, table)
}

func commits(ctx context.Context, w Warehouse, table string) iter.Seq2[reconcile.Commit, error] {
	return func(yield func(reconcile.Commit, error) bool) {
		rows, err := w.Query(ctx, "DESCRIBE HISTORY "+table)
		if err != nil {
			yield(reconcile.Commit{}, err)
			return
		}
		defer rows.Close()
		var names []string
		for _, c := range rows.Columns() {
			names = append(names, c.Name)
		}
		var zone *time.Location
		var newer reconcile.Commit
		for rows.Next() {
			c, err := reconcile.ReadCommit(names, rows.Row(), zone)
			if errors.Is(err, reconcile.ErrNoZone) {
				if zone, err = sessionZone(ctx, w); err == nil {
					c, err = reconcile.ReadCommit(names, rows.Row(), zone)
				}
			}
			if !c.Or.IsZero() && !newer.At.IsZero() && c.At.After(newer.At) {
				c.At, c.Or = c.Or, time.Time{}
			}
			newer = c
			if !yield(c, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(reconcile.Commit{}, err)
		}
	}
}

// sessionZone is the zone in which the warehouse prints instants: a statement of the API begins a session of its own, so
// that it can be asked, but not be set.
func sessionZone(ctx context.Context, w Warehouse) (*time.Location, error) {
	name, err := only(reconcile.Decoded(query(ctx, w, "SELECT current_timezone() AS zone"), reconcile.ReadText))
	if err != nil || name == nil {
		return nil, errors.Join(err, doubtful{reconcile.Reason{Code: reconcile.CodeZone, Text: "the warehouse does not say in which time zone it prints the history"}})
	}
	for _, layout := range []string{"Z07:00:00", "Z07:00", "Z07"} {
		if offset, err := time.Parse(layout, *name); err == nil {
			return offset.Location(), nil
		}
	}
	zone, err := schedule.Zone(*name)
	if err != nil {
		return nil, doubtful{reconcile.Reason{Code: reconcile.CodeZone, Text: fmt.Sprintf("the warehouse prints the history in the time zone %q, which is not known here, so that its instants cannot be read; set the warehouse's TIMEZONE to UTC", *name)}}
	}
	return zone, nil
}

// pin chooses the versions: the target after the run, the source when the loader may have read it first.
func (v *verifier) pin(ctx context.Context) error {
	v.say("read the tables' histories")
	if err := v.pinTarget(ctx); err != nil {
		return err
	}
	return v.pinSource(ctx)
}

func (v *verifier) pinTarget(ctx context.Context) error {
	h := reconcile.TargetHistory{ReadAt: v.request.ReadAt, Before: v.subject.active, WantFloor: v.subject.previous.IsZero()}
	if h.ReadAt.IsZero() {
		h.ReadAt = v.subject.run.Started
	}
	floor, enough := v.evidenceFloor(), false
	for c, err := range v.commits(ctx, v.statements.Target.SQL) {
		if err != nil {
			return err
		}
		v.noteTarget(c)
		enough = enough || !h.Add(c)
		if enough && (floor < 0 || c.Version <= floor) {
			break
		}
	}
	switch {
	case h.Newest.At.IsZero():
		return doubtful{reconcile.Reason{Code: reconcile.CodeNoVersions, Text: fmt.Sprintf("%s has no history", v.out.Target.Table)}}
	case h.ReadAt.IsZero():
		return doubtful{reconcile.Reason{Code: reconcile.CodeNoRun, Text: fmt.Sprintf("the history of %s does not tell when its loader read last; give --read-at", v.out.Target.Table)}}
	case !h.Found:
		h.Pinned = h.Newest
	}
	v.out.ReadAt = h.ReadAt.UTC()
	v.since = v.subject.previous
	if v.since.IsZero() {
		v.since = h.Floor
	}
	v.statements.Target.Version = h.Pinned.Version
	v.out.Target.Version, v.out.Target.Committed = h.Pinned.Version, h.Pinned.At
	if v.subject.run.ID != 0 {
		v.sort(h.Since)
	}
	return nil
}

// sort tells the run's own commits to the target from those of others.
func (v *verifier) sort(commits []reconcile.Commit) {
	ended := v.subject.run.Ended
	for _, c := range commits {
		own := c.JobRunID == v.subject.run.ID
		if c.JobRunID == 0 { // statements on a warehouse need not name their run
			own = ended.IsZero() || !c.At.After(ended)
		}
		switch {
		case own:
			v.loads = append(v.loads, c)
		case c.JobID != v.subject.jobID:
			v.others = append(v.others, c)
		}
	}
}

func (v *verifier) pinSource(ctx context.Context) error {
	retention := v.retention.DeletedFileRetention
	v.history = reconcile.SourceHistory{ReadAt: v.out.ReadAt, Readable: v.now.Add(-retention)}
	for c, err := range v.commits(ctx, v.statements.Source.SQL) {
		if err != nil {
			return err
		}
		more, err := v.history.Add(c)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if v.history.Unsure {
		return doubtful{reconcile.Reason{Code: reconcile.CodeZone, Text: fmt.Sprintf("the warehouse prints the history of %s in a time zone whose clocks went back at about %s, so that it cannot be told which version the loader may have read; set the warehouse's TIMEZONE to UTC", v.out.Source.Table, v.out.ReadAt.Format(time.RFC3339))}}
	}
	if !v.history.Found {
		return doubtful{reconcile.Reason{Code: reconcile.CodeUnreadable, Text: fmt.Sprintf("the history of %s does not reach back to %s, when the loader may have read it", v.out.Source.Table, v.out.ReadAt.Format(time.RFC3339))}}
	}
	p := v.history.Pinned
	v.statements.Source.Version = p.Version
	v.out.Source.Version, v.out.Source.Committed = p.Version, p.At
	return nil
}

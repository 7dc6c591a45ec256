package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// PurgeRequest says what to delete.
type PurgeRequest struct {
	// Job is a loader, by name or id.
	Job string
	// Window overrides the rolling window that the source declares; 0: the declared one.
	Window time.Duration
	// DryRun counts and makes the statement, and does not run it.
	DryRun   bool
	Progress func(what string)
}

// Purged is what was deleted, or would be.
type Purged struct {
	Window time.Duration
	// Source and Target are the versions that were counted, before anything was deleted.
	Source, Target reconcile.Pinned
	// Old rows of the source are past the window; Loaded of them are in the target, and are those that go; the others stay,
	// for they are unread.
	Old, Loaded int64
	Statement   string
	// Applied says that it ran; Deleted is how many rows that are past the same instant went, counted before and after.
	Applied bool
	Deleted int64
}

// Unread rows are past the window and not in the target.
func (p Purged) Unread() int64 { return p.Old - p.Loaded }

// Purge deletes from a loader's source the rows that are past its window and in the target, at one version of the target
// and for one instant: those that were counted. A row that is not in the target is never deleted, however old it is.
func Purge(ctx context.Context, w Verifiable, r PurgeRequest) (Purged, error) {
	p, err := preparePurge(ctx, w, r)
	if err != nil {
		return Purged{}, err
	}
	out := Purged{Window: p.purge.Window, Source: p.source, Target: p.target}
	if out.Statement, err = p.purge.Statement(); err != nil {
		return out, err
	}
	say(r.Progress, "count the rows past the window")
	if out.Old, out.Loaded, err = p.count(ctx, w, p.source.Version); err != nil || r.DryRun || out.Loaded == 0 {
		return out, err
	}
	say(r.Progress, "delete those that are in the target")
	// A lost answer leaves open whether it ran; the count below tells.
	switch err := w.Exec(ctx, out.Statement); {
	case err != nil && ctx.Err() != nil:
		return out, fmt.Errorf("purge %s: %w; the statement deletes what was counted as a whole or not at all, and only rows that the target has", p.source.Table, err)
	case err != nil && !errors.Is(err, workspace.ErrUncertain):
		return out, fmt.Errorf("purge %s: %w", p.source.Table, err)
	}
	out.Applied = true
	newest, err := newestCommit(ctx, w, p.purge.Source)
	if err != nil {
		return out, fmt.Errorf("purge %s: %w%s", p.source.Table, err, purgeRan)
	}
	old, _, err := p.count(ctx, w, newest.Version)
	if err != nil {
		return out, fmt.Errorf("purge %s: %w%s", p.source.Table, err, purgeRan)
	}
	out.Deleted = out.Old - old
	return out, nil
}

const purgeRan = "; the statement was run, and what it deleted was not counted"

func say(progress func(string), what string) {
	if progress != nil {
		progress(what)
	}
}

// purging is a purge that is ready to be counted and run.
type purging struct {
	purge          maintenance.Purge
	source, target reconcile.Pinned
}

func preparePurge(ctx context.Context, w Verifiable, r PurgeRequest) (purging, error) {
	j, err := w.FindJob(ctx, r.Job)
	if err != nil {
		return purging{}, err
	}
	c, err := contractOf(j)
	if err != nil {
		return purging{}, err
	}
	table, err := w.Table(ctx, c.Source)
	if err != nil {
		return purging{}, err
	}
	into, err := w.Table(ctx, c.Target)
	if err != nil {
		return purging{}, err
	}
	if err := fitForPurge(c, table, into); err != nil {
		return purging{}, err
	}
	window, err := windowOf(c.Source, table, r.Window)
	if err != nil {
		return purging{}, err
	}
	event, err := columnOf(table, c.EventTime)
	if err != nil {
		return purging{}, err
	}
	now, err := w.Now(ctx)
	if err != nil {
		return purging{}, err
	}
	source, err := newestCommit(ctx, w, c.Source)
	if err != nil {
		return purging{}, err
	}
	target, err := newestCommit(ctx, w, c.Target)
	if err != nil {
		return purging{}, err
	}
	p := purging{source: reconcile.Pinned{Table: c.Source, Version: source.Version, Committed: source.At}, target: reconcile.Pinned{Table: c.Target, Version: target.Version, Committed: target.At}}
	p.purge = maintenance.Purge{Purge: contract.Purge{Source: c.Source, Target: c.Target, Key: c.Key, EventTime: c.EventTime, Window: window, LoaderID: j.ID},
		EventTimeType: strings.ToLower(event.Type), Pin: &maintenance.Pin{TargetVersion: target.Version, Now: now}}
	if problems := p.purge.Validate(); len(problems) > 0 {
		f := problems[0]
		return p, &ConfigurationError{Subject: f.Field, Reason: fmt.Sprintf("%q: %s", f.Value, f.Reason), Hint: f.Hint}
	}
	return p, nil
}

// windowOf is the window that the table declares, or the one given, which must not be shorter: rows in a declared window
// may be anybody's to read.
func windowOf(name string, table workspace.Table, given time.Duration) (time.Duration, error) {
	retention, err := contract.RetentionFromProperties(name, table.Properties)
	if err != nil {
		return 0, &ConfigurationError{Subject: "table " + name, Reason: "its properties cannot be read", Err: err, Hint: "Correct the property."}
	}
	switch declared := retention.RollingWindow; {
	case given == 0 && declared == 0:
		return 0, &ConfigurationError{Subject: "table " + name, Reason: "it declares no rolling window", Hint: "Declare it with watertight_retention, or give --window."}
	case given == 0:
		return declared, nil
	case given < declared:
		return 0, &ConfigurationError{Subject: "--window", Reason: fmt.Sprintf("%s is shorter than the rolling window that %s declares, %s", given, name, declared), Hint: "Give a longer one, or leave it out."}
	}
	return given, nil
}

func newestCommit(ctx context.Context, w Warehouse, name string) (reconcile.Commit, error) {
	table, err := contract.ParseTable(name)
	if err != nil {
		return reconcile.Commit{}, &ConfigurationError{Subject: "table", Reason: err.Error(), Hint: "Write catalog.schema.table."}
	}
	newest, err := first(commits(ctx, w, table.SQL()))
	if err == nil && newest == nil {
		err = fmt.Errorf("read the history of %s: it is empty", name)
	}
	if err != nil {
		return reconcile.Commit{}, err
	}
	return *newest, nil
}

func (p purging) count(ctx context.Context, w Warehouse, version int64) (old, loaded int64, err error) {
	sql, err := p.purge.Numbers(version)
	if err != nil {
		return 0, 0, err
	}
	n, err := only(reconcile.Decoded(query(ctx, w, sql), reconcile.ReadPair))
	if err == nil && n == nil {
		err = fmt.Errorf("count the rows of %s past its window: no answer", p.source.Table)
	}
	if err != nil {
		return 0, 0, err
	}
	return n[0], n[1], nil
}

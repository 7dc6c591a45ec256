package local

import (
	"context"
	"fmt"
)

// resume brings a reopened state in line with its tables, which may be ahead of it when the process died, and ends the
// runs that died with it.
func (w *Workspace) resume(ctx context.Context) error {
	if err := w.catchUpClock(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	for _, j := range w.book.Jobs {
		j.fires = newTrigger(j.Settings)
		w.catchUpTrigger(j)
	}
	for _, r := range w.book.Runs {
		if r.active() && len(r.Steps) == 0 && r.Due.IsZero() && r.State.LifeCycle != "QUEUED" {
			w.end(r, runState{LifeCycle: "INTERNAL_ERROR", Result: "FAILED", Status: "TERMINATED", Code: "INTERNAL_ERROR", Type: "INTERNAL_ERROR",
				Message: "The local workspace stopped while the run was active."})
		}
	}
	for id := range w.book.Jobs {
		if next := w.dequeue(id); next != nil {
			w.launch(next)
		}
	}
	s := w.currentFeed()
	w.mu.Unlock()
	if s == nil {
		return nil
	}
	return w.catchUpFeed(ctx, s)
}

// catchUpTrigger leaves out the fires up to now: they had their runs, though the state may not say so. The caller holds
// w.mu.
func (w *Workspace) catchUpTrigger(j *job) {
	if j.fires.fires == nil {
		return
	}
	for {
		at, ok := j.fires.fires.Next(j.Anchor)
		if !ok || at.After(w.clock.Now()) {
			return
		}
		j.Anchor = at
	}
}

// catchUpClock moves the clock past every commit.
func (w *Workspace) catchUpClock(ctx context.Context) error {
	for _, catalog := range w.catalogs(ctx) {
		schemas, err := w.engine.Schemas(ctx, catalog)
		if err != nil {
			return fmt.Errorf("list schemas of %s: %w", catalog, err)
		}
		for _, schema := range schemas {
			tables, err := w.engine.Tables(ctx, catalog, schema)
			if err != nil {
				return fmt.Errorf("list tables of %s.%s: %w", catalog, schema, err)
			}
			for _, t := range tables {
				w.clock.Raise(t.Updated)
			}
		}
	}
	return nil
}

package pipeline

import (
	"context"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// mostVersions is how many versions of a table one statement reads.
const mostVersions = reconcile.BatchVersions

// inBatches asks for many at once, and one by one where that fails because something cannot be read.
func inBatches[T any](all []T, ask func([]T) error, broken func(T)) error {
	for batch := range slices.Chunk(all, mostVersions) {
		err := ask(batch)
		if !unreadable(err) {
			if err != nil {
				return err
			}
			continue
		}
		for _, one := range batch {
			err := ask([]T{one})
			if unreadable(err) {
				broken(one)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *inquirer) askNewest(ctx context.Context, w reconcile.Wants) error {
	return inBatches(w.Newest, func(versions []int64) error {
		for row, err := range query(ctx, c.w, c.statements.Newest(versions)) {
			if err != nil {
				return err
			}
			version, newest, err := reconcile.ReadNewest(row)
			if err != nil {
				return err
			}
			c.q.SetNewest(version, newest)
		}
		return nil
	}, c.q.SetBroken)
}

// view is a view and where it is wanted.
type view struct {
	reconcile.View
	spans []reconcile.Span
}

func (c *inquirer) askViews(ctx context.Context, w reconcile.Wants) error {
	var views []view
	for i, v := range w.Views {
		views = append(views, view{v, w.Spans[i]})
	}
	return inBatches(views, func(batch []view) error {
		var asked []reconcile.View
		var spans [][]reconcile.Span
		lists := make([]*spool[reconcile.Sight], len(batch))
		for i, v := range batch {
			asked, spans = append(asked, v.View), append(spans, v.spans)
			lists[i] = &spool[reconcile.Sight]{}
			c.lists = append(c.lists, lists[i])
		}
		for row, err := range query(ctx, c.w, c.statements.Sights(asked, spans)) {
			if err != nil {
				return err
			}
			i, sight, err := reconcile.ReadSight(row)
			if err != nil {
				return err
			}
			if err := lists[i].add(sight); err != nil {
				return err
			}
		}
		for i, v := range batch {
			c.q.SetView(v.View, v.spans, lists[i])
		}
		return nil
	}, func(v view) { c.q.SetBroken(v.Version) })
}

func (c *inquirer) askBatches(ctx context.Context, w reconcile.Wants) error {
	return inBatches(w.Batches, func(batches []reconcile.Batch) error {
		for b, err := range reconcile.Decoded(query(ctx, c.w, c.statements.Batches(batches, c.came)), reconcile.ReadBatched) {
			if err != nil {
				return err
			}
			c.q.SetBatch(batches[b.Batch], b)
		}
		return nil
	}, c.q.SetUncounted)
}

// learnDeleted looks behind the commits that may have taken rows from the target: their rows were there before, and how
// far the loader had come.
func (c *inquirer) learnDeleted(ctx context.Context) error {
	var versions []int64
	removals, _ := c.q.Target.Removals(c.out.Target.Version)
	unlooked := func(r reconcile.Commit) {
		if c.q.Unlooked == nil || c.q.Unlooked.Version < r.Version {
			c.q.Unlooked = &r
		}
	}
	for _, r := range removals {
		switch {
		case !r.TakesKeys() || r.At.Before(c.since):
		case len(versions) == mostVersions:
			unlooked(r)
		default:
			versions = append(versions, r.Version-1)
		}
	}
	if begins := c.q.Target.Begins(); begins.After(c.since) {
		v, _ := c.q.Target.At(begins)
		unlooked(reconcile.Commit{Version: v, At: begins, Operation: "the oldest in its history"})
	}
	if len(versions) == 0 {
		return nil
	}
	var readable []int64
	peaks := map[int64]map[string]int64{}
	err := inBatches(versions, func(batch []int64) error {
		if err := c.peaks(ctx, batch, peaks); err != nil {
			return err
		}
		readable = append(readable, batch...)
		return nil
	}, func(version int64) {
		for _, r := range removals {
			if r.Version == version+1 {
				unlooked(r)
			}
		}
	})
	if err != nil || len(readable) == 0 {
		return err
	}
	c.came.Removed = readable
	for _, v := range readable {
		c.q.Loads.Raise(c.q.Target.Committed(v+1), peaks[v])
	}
	return c.askDeleted(ctx, readable)
}

func (c *inquirer) askDeleted(ctx context.Context, versions []int64) error {
	list := &spool[reconcile.Sight]{}
	c.lists = append(c.lists, list)
	for s, err := range reconcile.Decoded(query(ctx, c.w, c.statements.Deleted(versions, c.spans)), reconcile.ReadDeleted) {
		if err != nil {
			return err
		}
		if err := list.add(s); err != nil {
			return err
		}
	}
	c.q.SetDeleted(list)
	return nil
}

// peaks reads the highest sequences of versions of the target.
func (c *inquirer) peaks(ctx context.Context, versions []int64, into map[int64]map[string]int64) error {
	found := map[int64]map[string]int64{}
	for _, v := range versions {
		found[v] = map[string]int64{}
	}
	for p, err := range reconcile.Decoded(query(ctx, c.w, c.statements.Peaks(versions)), reconcile.ReadPeak) {
		if err != nil {
			return err
		}
		found[p.Version][p.Partition] = p.High
	}
	for v, marks := range found {
		into[v] = marks
	}
	return nil
}

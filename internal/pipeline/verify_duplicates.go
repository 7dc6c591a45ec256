package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// mostKinds is how many kinds of doubling are told apart while versions are chosen.
const mostKinds = 1000

// doubled finds out whether duplicates were written by one run or by two: it counts their copies at versions of the target.
func (v *verifier) doubled(ctx context.Context) error {
	if v.duplicates.Len() == 0 {
		return nil
	}
	v.say("find out what wrote twice")
	c := &inquirer{verifier: v}
	w, err := c.writesOf(ctx)
	if err != nil || len(w.Commits) == 0 {
		return err
	}
	w.Sample(v.out.Target.Version)
	spans := v.screen.TargetRepeats()
	for range mostRounds {
		found, kinds, err := v.copies(ctx, w, spans)
		if unreadable(err) {
			return nil // a version before its time: nothing can be said
		}
		if err != nil {
			return err
		}
		if !w.Refine(kinds, v.out.Target.Version) {
			return v.replaceDuplicates(found)
		}
		if err := found.Close(); err != nil {
			return err
		}
	}
	return nil
}

// copies counts, and gives one doubling of each kind.
func (v *verifier) copies(ctx context.Context, w *reconcile.Writes, spans []reconcile.Span) (*spool[reconcile.Duplicate], []reconcile.Doubling, error) {
	found := &spool[reconcile.Duplicate]{}
	kinds := map[[3]int64]reconcile.Doubling{}
	for d, err := range reconcile.Decoded(query(ctx, v.w, v.statements.Copies(w.Sampled, spans)), reconcile.ReadDoubling) {
		if err == nil {
			err = found.add(w.Cause(d))
		}
		if err != nil {
			return nil, nil, errors.Join(err, found.Close())
		}
		if kind := [3]int64{d.First, d.Once, d.Twice}; len(kinds) < mostKinds {
			kinds[kind] = d
		}
	}
	var all []reconcile.Doubling
	for _, d := range kinds {
		all = append(all, d)
	}
	return found, all, nil
}

func (v *verifier) replaceDuplicates(found *spool[reconcile.Duplicate]) error {
	err := v.duplicates.Close()
	v.duplicates, v.out.Duplicates = found, found
	for d, broken := range found.All() {
		if broken != nil {
			return errors.Join(err, broken)
		}
		v.tally.Causes[d.Cause] += d.Surplus
	}
	return err
}

// writesOf reads the target's history as far back as its versions can be read.
func (c *inquirer) writesOf(ctx context.Context) (*reconcile.Writes, error) {
	w := &reconcile.Writes{Base: -1}
	c.since = c.now.Add(-c.targetRetention)
	for commit, err := range c.commits(ctx, c.statements.Target.SQL) {
		if err != nil {
			return nil, err
		}
		if commit.Version > c.out.Target.Version {
			continue
		}
		if commit.At.Before(c.since) && commit.Version != c.out.Target.Version {
			break
		}
		w.Base = commit.Version
		if commit.Writes() {
			w.Commits = append(w.Commits, commit)
		}
	}
	slices.Reverse(w.Commits)
	switch {
	case len(w.Commits) == 0:
	case w.Commits[0].Version == w.Base && w.Base > 0: // what it wrote cannot be told from what was there
		w.Commits = w.Commits[1:]
	case w.Base == 0 && w.Commits[0].Version == 0:
		w.Base = -1
	}
	if c.subject.jobID == 0 {
		return w, nil
	}
	runs, _, err := c.runsSince(ctx)
	slices.SortFunc(runs, func(a, b run.Run) int { return a.Started.Compare(b.Started) })
	w.Runs = func(commit reconcile.Commit) []int64 {
		var ids []int64
		for _, i := range ownersOf(runs, commit, c.subject.jobID) {
			ids = append(ids, runs[i].ID)
		}
		return ids
	}
	return w, err
}

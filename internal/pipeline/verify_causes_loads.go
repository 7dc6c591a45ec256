package pipeline

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const (
	// mostRuns is how many runs of the loader are looked at, mostPeaks how many versions of the target are asked for how
	// far it had come, where nobody recorded it.
	mostRuns  = 3000
	mostPeaks = 32
)

// learnLoads puts together what is known of the loader's runs: by the Jobs API, by the target's history, by records of
// earlier verifications.
func (c *inquirer) learnLoads(ctx context.Context) error {
	var err error
	l := &c.q.Loads
	if c.subject.jobID == 0 {
		l.All, l.Complete = c.loadsOfCommits(), c.q.Target.Begins().IsZero()
	} else {
		var runs []run.Run
		var exhausted bool
		if runs, exhausted, err = c.runsSince(ctx); err != nil {
			return err
		}
		l.All, l.Complete = c.loadsOfRuns(runs), exhausted && c.q.Target.Begins().IsZero()
	}
	for i := range l.All {
		if one := &l.All[i]; !one.Foreign || one.Failed {
			c.pinLoad(one)
		}
	}
	c.q.Begin()
	for i, one := range l.All {
		if !one.Foreign && one.RunID == c.out.Run && one.From.Equal(c.out.ReadAt) {
			c.q.Verified = i
		}
	}
	if c.span.Some && c.q.NewestEvent {
		micros := c.span.Latest
		c.q.SetNewest(c.out.Source.Version, &micros)
	}
	if c.kept != nil {
		if c.recorded, err = c.kept.runs(ctx, c.since); err != nil {
			return err
		}
	}
	return c.measure(ctx)
}

// runsSince are the job's finished runs since before anything that can matter, and whether these are all it ever had.
func (c *inquirer) runsSince(ctx context.Context) (runs []run.Run, exhausted bool, err error) {
	for r, err := range c.w.Runs(ctx, workspace.RunFilter{JobID: c.subject.jobID}) {
		if err != nil {
			return nil, false, err
		}
		o := r.Outcome()
		if !o.Final() || o == run.Skipped || r.Started.IsZero() || r.Ended.IsZero() {
			continue
		}
		runs = append(runs, r)
		if len(runs) >= mostRuns || r.Started.Before(c.since) {
			return runs, false, nil
		}
	}
	return runs, true, nil
}

// loadsOfRuns tells the runs' own commits to the target from those of others.
func (c *inquirer) loadsOfRuns(runs []run.Run) []reconcile.Load {
	slices.SortFunc(runs, func(a, b run.Run) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	loads := make([]reconcile.Load, len(runs))
	shared := make([]bool, len(runs))
	for i, r := range runs {
		loads[i] = reconcile.Load{RunID: r.ID, Failed: r.Outcome() != run.Succeeded, From: r.Started, To: r.Ended, Target: -1}
		if r.ID == c.out.Run {
			loads[i].From = c.out.ReadAt
		}
	}
	var foreign []reconcile.Load
	for _, commit := range c.writes { // newest first
		owners := ownersOf(runs, commit, c.subject.jobID)
		for _, i := range owners {
			shared[i] = shared[i] || len(owners) > 1
			if loads[i].Target < 0 {
				loads[i].Target, loads[i].To = commit.Version, commit.At
			}
			loads[i].Before = commit.Version - 1
		}
		if len(owners) == 0 {
			foreign = append(foreign, reconcile.Load{Foreign: true, From: commit.At, To: commit.At, Target: commit.Version})
		}
	}
	for i := range loads {
		loads[i].Foreign = loads[i].Failed && loads[i].Target >= 0
		if loads[i].Shared = shared[i]; shared[i] {
			loads[i].To = runs[i].Ended
		}
	}
	return append(loads, foreign...)
}

// ownersOf are the runs that a commit may be of.
func ownersOf(runs []run.Run, commit reconcile.Commit, jobID int64) []int {
	if commit.JobID != 0 && commit.JobID != jobID {
		return nil
	}
	var owners []int
	// Runs may overlap; few do.
	end, _ := slices.BinarySearchFunc(runs, commit.At, func(r run.Run, at time.Time) int {
		if r.Started.After(at) {
			return 1
		}
		return -1
	})
	for i := end - 1; i >= 0 && i > end-20; i-- {
		if runs[i].ID == commit.JobRunID && commit.JobRunID != 0 {
			return []int{i}
		}
		if !runs[i].Ended.Before(commit.At) {
			owners = append(owners, i)
		}
	}
	return owners
}

// loadsOfCommits takes every write to the target for a load: nobody named the job. It read after the write before it.
func (c *inquirer) loadsOfCommits() []reconcile.Load {
	var loads []reconcile.Load
	for i, commit := range c.writes {
		from := commit.At
		switch {
		case commit.Version == c.out.Target.Version || i == 0:
			from = c.out.ReadAt
		case i+1 < len(c.writes):
			from = c.writes[i+1].At
		}
		loads = append(loads, reconcile.Load{RunID: commit.JobRunID, From: from, To: commit.At, Target: commit.Version, Before: commit.Version - 1, Foreign: commit.Deletes()})
	}
	return loads
}

// pinLoad finds the versions of the source between which a load read.
func (c *inquirer) pinLoad(l *reconcile.Load) {
	first, ok := c.q.Source.At(l.From)
	last, ok2 := c.q.Source.At(l.To)
	l.First, l.Last, l.Pinned = first, max(first, last), ok && ok2
}

// measure finds how far the target had come after each load.
func (c *inquirer) measure(ctx context.Context) error {
	marks := map[int64]map[string]int64{c.out.Target.Version: c.extents()}
	for _, r := range c.recorded {
		if r.Watermarks != nil && r.VerifiedAt.After(c.began) {
			marks[r.TargetVersion] = r.Watermarks
		}
		if newest := r.Cutoff.Add(c.q.Delay).UnixMicro(); c.q.NewestEvent && r.Cutoff.Year() > 1 {
			c.q.SetNewest(r.SourceVersion, &newest)
		} else if c.q.NewestEvent {
			c.q.SetNewest(r.SourceVersion, nil) // it had no event
		}
	}
	// A version has the marks of any later one as long as nothing was written in between.
	settled := func(version int64) (map[string]int64, bool) {
		next := c.nextWrite(version)
		for v := version; v < next; v++ {
			if m, ok := marks[v]; ok {
				return m, true
			}
		}
		return nil, false
	}
	var wanted []int64
	loads := c.q.Loads.All
	for i := len(loads) - 1; i >= 0 && len(wanted) < mostPeaks; i-- {
		if v := loads[i].Target; v >= 0 && !slices.Contains(wanted, v) {
			if _, ok := settled(v); !ok {
				wanted = append(wanted, v)
			}
		}
	}
	if err := inBatches(wanted, func(batch []int64) error { return c.peaks(ctx, batch, marks) }, func(int64) {}); err != nil {
		return err
	}
	var before map[string]int64
	if c.q.Loads.Complete {
		before = map[string]int64{}
	}
	for i := range loads {
		l := &loads[i]
		switch {
		case l.Target >= 0:
			l.Marks, _ = settled(l.Target)
		case !l.Shared:
			l.Marks = before
		}
		before = l.Marks
		if l.Shared && c.sharedLater(i) {
			l.Marks, before = nil, nil
		}
	}
	return c.tellWrites(ctx)
}

// tellWrites finds what loads wrote themselves where the marks do not tell: others wrote before, or nothing came on top.
func (c *inquirer) tellWrites(ctx context.Context) error {
	loads := c.q.Loads.All
	foreign := int64(-1)
	for _, l := range loads {
		if l.Foreign && (foreign < 0 || l.Target < foreign) {
			foreign = l.Target
		}
	}
	var wanted []int
	for i := len(loads) - 1; i >= 0; i-- {
		l := &loads[i]
		l.Mixed = foreign >= 0 && l.Target > foreign || l.Target < 0 && slices.ContainsFunc(loads[:i], func(l reconcile.Load) bool { return l.Foreign })
		if l.Foreign || l.Shared || l.Target < 0 {
			continue
		}
		same := i > 0 && l.Marks != nil && loads[i-1].Marks != nil && maps.Equal(l.Marks, loads[i-1].Marks)
		if (l.Mixed || same) && l.Before >= 0 && len(wanted) < mostPeaks {
			wanted = append(wanted, i)
		}
	}
	return inBatches(wanted, func(batch []int) error {
		var commits []reconcile.Commits
		for _, i := range batch {
			commits = append(commits, reconcile.Commits{Before: loads[i].Before, After: loads[i].Target})
		}
		wrote := make([]map[string]reconcile.Reach, len(batch))
		for i := range wrote {
			wrote[i] = map[string]reconcile.Reach{}
		}
		for row, err := range query(ctx, c.w, c.statements.Wrote(commits)) {
			if err != nil {
				return err
			}
			i, partition, reach, err := reconcile.ReadWrote(row)
			if err != nil {
				return err
			}
			wrote[i][partition] = reach
		}
		for n, i := range batch {
			loads[i].Wrote = wrote[n]
		}
		return nil
	}, func(int) {})
}

// learnForeign finds out which commits brought rows that no load did.
func (c *inquirer) learnForeign(context.Context) error {
	for _, l := range c.q.Loads.All {
		i := slices.IndexFunc(c.writes, func(w reconcile.Commit) bool { return w.Version == l.Target })
		if !l.Foreign || i < 0 || c.writes[i].Deletes() && !c.writes[i].Rewrites() {
			continue
		}
		if len(c.came.Foreign) == mostVersions || l.Target == 0 {
			c.q.Blurred = true
			return nil
		}
		c.came.Foreign = append(c.came.Foreign, l.Target)
	}
	return nil
}

// sharedLater reports whether a load that shares its time with others is not the last of them.
func (c *inquirer) sharedLater(i int) bool {
	loads := c.q.Loads.All
	return i+1 < len(loads) && loads[i+1].Shared && !loads[i+1].From.After(loads[i].To)
}

// nextWrite is the version of the first write to the target after a version, or one after the version that is compared.
func (c *inquirer) nextWrite(version int64) int64 {
	next := c.out.Target.Version + 1
	for _, w := range c.writes { // newest first
		if w.Version <= version {
			break
		}
		next = w.Version
	}
	return next
}

// extents are the highest sequences of the target as it is compared.
func (c *inquirer) extents() map[string]int64 {
	marks := map[string]int64{}
	for p, e := range c.screen.Extents {
		if e.InTarget {
			marks[p] = e.TargetHigh
		}
	}
	return marks
}

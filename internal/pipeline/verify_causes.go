package pipeline

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// inquirer finds causes: it answers what an inquiry wants to know.
type inquirer struct {
	*verifier
	q *reconcile.Inquiry
	// since is before anything that can matter; partitions are the ranges of sequences that are asked about.
	since time.Time
	spans []reconcile.Span
	// writes are the commits that may have changed the target's rows, up to the version that is compared, newest first.
	writes []reconcile.Commit
	// recorded are runs as earlier verifications saw them.
	recorded []evidence.Run
	// came is where to look for what loads brought to the target.
	came reconcile.Came
	// below are sequences under the target's lowest that manifests list.
	below []reconcile.Gap
	lists []interface{ Close() error }
}

// mostRounds bounds how often an inquiry asks; each answer can only lead to one further question.
const mostRounds = 24

// causes finds why ranges are missing. What it cannot find stays undecidable, with what would have decided it.
func (v *verifier) causes(ctx context.Context) error {
	if v.raw.Len()+v.unexplained.Len() == 0 && v.kept == nil {
		return v.concludeAll(nil)
	}
	c := &inquirer{verifier: v}
	return c.inquire(ctx, c.find)
}

func (c *inquirer) inquire(ctx context.Context, find func(context.Context) error) error {
	err := find(ctx)
	if c.q != nil {
		err = errors.Join(err, c.q.Close())
	}
	for _, l := range c.lists {
		err = errors.Join(err, l.Close())
	}
	return err
}

func (c *inquirer) find(ctx context.Context) error {
	oldest, err := c.learnBeyond(ctx)
	if err != nil {
		return err
	}
	if err := c.look(oldest); err != nil {
		return err
	}
	if len(c.spans) == 0 && (len(c.blind) == 0 || c.kept == nil) {
		return c.concludeAll(nil)
	}
	c.say("find out why")
	for _, step := range []func(context.Context) error{c.begin, c.learnLoads, c.learnDeleted, c.learnForeign, c.learnManifests, c.takeBelow, c.ask} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return c.concludeAll(c.q)
}

// look finds out which sequences and times are asked about.
func (c *inquirer) look(oldest time.Time) error {
	earliest := oldest
	var set reconcile.Spans
	note := func(partition string, from, to int64, at time.Time) {
		set.Add(partition, from, to)
		if !at.IsZero() && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	for r, err := range c.raw.All() {
		if err != nil {
			return err
		}
		note(r.Partition, r.From, r.To, r.Earliest)
	}
	for g, err := range c.unexplained.All() {
		if err != nil {
			return err
		}
		at := time.Time{}
		if g.Timed {
			at = time.UnixMicro(min(g.Earlier, g.Later))
		}
		note(g.Partition, g.From, g.To, at)
	}
	for _, g := range c.below {
		set.Add(g.Partition, g.From, g.To)
	}
	c.spans = set.All()
	// An event time can lie far ahead of a row's arrival, or be wrong altogether.
	c.since = c.now.Add(-max(c.retention.DeletedFileRetention, week))
	if before := earliest.Add(-max(c.window(), day)); !earliest.IsZero() && before.After(c.since) {
		c.since = before
	}
	return nil
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// begin reads both histories again, as far back as matters.
func (c *inquirer) begin(ctx context.Context) error {
	p := c.subject.contract
	q := &reconcile.Inquiry{Verified: -1, Source: &reconcile.Timeline{}, Target: &reconcile.Timeline{}, SourceVersion: c.out.Source.Version, TargetVersion: c.out.Target.Version,
		NewestEvent: p.SettleClock == coverage.SettleNewestEvent, Strict: p.Strict, Delay: p.SettleDelay, Window: c.retention.RollingWindow, TargetRetention: c.targetRetention,
		Extents: c.screen.Extents, Search: c.search, DueBelow: c.statements.Cutoff.Edge(), Restarted: c.restarted}
	if !q.NewestEvent {
		q.Guard = reconcile.SkewGuard
	}
	for _, l := range c.ledger {
		if l.TargetID == c.targetTable.ID {
			q.Ledger = append(q.Ledger, l)
		}
	}
	c.q = q
	for _, t := range []struct {
		sql  string
		into *reconcile.Timeline
	}{{c.statements.Source.SQL, q.Source}, {c.statements.Target.SQL, q.Target}} {
		for commit, err := range c.commits(ctx, t.sql) {
			if err != nil {
				return err
			}
			if t.into == q.Target && commit.Writes() && commit.Version <= c.out.Target.Version {
				c.writes = append(c.writes, commit)
			}
			if !t.into.Add(commit) || commit.At.Before(c.since) {
				break
			}
		}
	}
	return nil
}

// ask answers what the inquiry wants until it wants nothing more.
func (c *inquirer) ask(ctx context.Context) error {
	for range mostRounds {
		if err := c.walk(c.q, func(reconcile.Range) error { return nil }); err != nil {
			return err
		}
		w := c.q.Wants()
		if w.None() {
			break
		}
		for _, step := range []func(context.Context, reconcile.Wants) error{c.askNewest, c.askViews, c.askBatches} {
			if err := step(ctx, w); err != nil {
				return err
			}
		}
	}
	c.q.Closed = true
	return nil
}

// walk cuts all ranges and gaps by cause.
func (v *verifier) walk(q *reconcile.Inquiry, take func(reconcile.Range) error) error {
	found := v.foundEarlier()
	known := func(r reconcile.Range) error {
		return all(found.recall(r, v.now, v.unsearched), func(r reconcile.Range) error {
			if v.unsearched && r.State == reconcile.Lost && r.RecoverFrom != "" {
				r.State = reconcile.Expired // that version was read just now
			}
			return take(r)
		})
	}
	for r, err := range v.raw.All() {
		if err != nil {
			return err
		}
		parts := q.Cut(r)
		if r.Accepted { // why does not matter
			parts = slices.Values([]reconcile.Range{r})
		}
		if err := each(parts, r.Days, known); err != nil {
			return err
		}
	}
	for g, err := range v.unexplained.All() {
		if err != nil {
			return err
		}
		if err := each(q.Neither(g), nil, func(r reconcile.Range) error { return known(r.OnItsDay()) }); err != nil {
			return err
		}
	}
	return nil
}

// each gives the days of a range to the first of its parts: however it is cut, the sum is the same.
func each(parts iter.Seq[reconcile.Range], days map[string]int64, take func(reconcile.Range) error) error {
	for r := range parts {
		r.Days, days = days, nil
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}

func all(ranges iter.Seq[reconcile.Range], take func(reconcile.Range) error) error {
	for r := range ranges {
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}

// concludeAll counts and lists what was found, once. Without an inquiry nothing is said about causes.
func (v *verifier) concludeAll(q *reconcile.Inquiry) error {
	if v.concluded {
		return nil
	}
	v.concluded = true
	if v.tally == nil {
		return nil
	}
	if len(v.blind) > 0 && q != nil && q.Covers(v.since, v.out.ReadAt) {
		v.tally.Note(reconcile.CodeManifests, "manifests list what left the source since %s, which its versions do not show any more", v.since.Format(time.RFC3339))
	} else {
		v.tally.Doubts = append(v.tally.Doubts, v.blind...)
	}
	if q == nil {
		q = &reconcile.Inquiry{Verified: -1, Silent: true}
	}
	open := int64(0)
	judged := func(r reconcile.Range) error {
		switch {
		case r.Cause == reconcile.CauseUpstreamGap:
			v.tally.UpstreamGaps += uint64(r.Rows)
			return nil
		case r.Cause == reconcile.CauseUndecidable && r.State != reconcile.Undecidable:
			open += r.Rows
		}
		return v.conclude(r)
	}
	err := v.walk(q, func(r reconcile.Range) error { return v.setApart(r, judged) })
	if open > 0 {
		remedy := "evidence kept since before them would have told; evidence of the watertight_loader_job, or --evidence, keeps it from now on"
		if v.kept != nil {
			remedy = "what would have told is said with each"
		}
		v.tally.Note(reconcile.CodeCauses, "why %d of the missing rows are missing cannot be decided: %s", open, remedy)
	}
	return err
}

// learnManifests reads what was kept of the source up to the version that is compared.
func (c *inquirer) learnManifests(ctx context.Context) error {
	if c.kept == nil {
		return nil
	}
	all, err := c.kept.manifests(ctx, c.sourceTable.ID)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.SourceVersion <= c.out.Source.Version {
			c.q.Kept = append(c.q.Kept, k)
		}
	}
	// A manifest of an empty source has no ranges; a verification that read the version kept it all the same.
	for _, r := range c.recorded {
		if i, ok := slices.BinarySearchFunc(c.q.Kept, r.SourceVersion, func(k evidence.Kept, v int64) int { return cmp.Compare(k.SourceVersion, v) }); !ok && r.SourceVersion < c.out.Source.Version {
			c.q.Kept = slices.Insert(c.q.Kept, i, evidence.Kept{SourceVersion: r.SourceVersion, SeenAt: cmp.Or(c.q.Source.Committed(r.SourceVersion), r.ReadAt)})
		}
	}
	seen := &spool[evidence.Manifest]{}
	c.lists = append(c.lists, seen)
	for m, err := range c.kept.seen(ctx, c.sourceTable.ID, boundsOf(c.spans)) {
		if err != nil {
			return err
		}
		if m.SourceVersion > c.out.Source.Version {
			continue
		}
		if err := seen.add(m); err != nil {
			return err
		}
	}
	c.q.SetSeen(seen)
	return nil
}

// boundsOf is one bound for each partition: from the lowest sequence that is asked about, since a batch may reach beyond
// the highest.
func boundsOf(spans []reconcile.Span) []evidence.Bound {
	var bounds []evidence.Bound
	for _, s := range spans {
		if n := len(bounds) - 1; n < 0 || bounds[n].Partition != s.Partition {
			bounds = append(bounds, evidence.Bound{Partition: s.Partition, Low: s.From, High: math.MaxInt64})
		}
	}
	return bounds
}

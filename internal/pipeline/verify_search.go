package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// searchRemoved looks for rows that left the source unread: in the gaps of the target, and beyond its ends.
func (v *verifier) searchRemoved(ctx context.Context) error {
	v.say("look for rows that left the source unread")
	v.search = v.newSearch()
	segments := v.screen.Hollow()
	inSource, err := v.listGaps(ctx, segments)
	if err != nil {
		return err
	}
	wide := v.screen.Wide(inSource, uint64(v.gaps.Len()))
	if wide {
		v.tally.Note(reconcile.CodeNotContiguous, "the sequences of the source are not contiguous (between its keys and those of the target there are %d gaps that neither table fills), so gaps prove nothing: what left the source is compared version by version", v.gaps.Len())
	}
	if err := v.sample(ctx, v.search.Sample(v.since)); err != nil {
		return err
	}
	if wide {
		err = v.readRecent(ctx)
		if err == nil && v.kept != nil && !v.sawEverything() {
			err = v.leaveToManifests(ctx, segments)
		}
	} else {
		err = v.explain(ctx, segments)
	}
	v.unread()
	return err
}

func (v *verifier) newSearch() *reconcile.Search {
	s := &reconcile.Search{Complete: v.history.Complete, First: v.history.First, Retention: v.retention.DeletedFileRetention, Window: v.window(), Extents: v.screen.Extents}
	for _, c := range v.history.Candidates {
		// What left the source before there was a target was nobody's to load.
		if !v.began.IsZero() && c.RemovedBy.At.Before(v.began) {
			s.Complete = true
			break
		}
		s.Candidates = append(s.Candidates, c)
	}
	s.Begin()
	return s
}

// window is how long rows stay in the source: as declared, or as its last removal left it.
func (v *verifier) window() time.Duration {
	if v.retention.RollingWindow > 0 {
		return v.retention.RollingWindow
	}
	if len(v.history.Candidates) == 0 || !v.span.Some {
		return 0
	}
	return max(v.history.Candidates[0].RemovedBy.At.Sub(time.UnixMicro(v.span.Earliest)), 0)
}

// listGaps lists the gaps that neither table, nor a version read so far, fills. It returns how many of them lie inside the
// source's own range.
func (v *verifier) listGaps(ctx context.Context, segments []reconcile.Span) (inSource uint64, err error) {
	if err := v.gaps.Close(); err != nil {
		return 0, err
	}
	v.gaps = &spool[reconcile.Gap]{}
	if len(segments) == 0 {
		return 0, nil
	}
	rows := query(ctx, v.w, v.statements.Gaps(segments, v.search.Read()))
	for g, err := range reconcile.Gaps(rows, segments) {
		if err != nil {
			return 0, err
		}
		if v.screen.InSource(g) {
			inSource++
		}
		if err := v.gaps.add(g); err != nil {
			return 0, err
		}
	}
	return inSource, nil
}

// sample asks versions for the extents of their partitions, many in one statement, one by one where that fails.
func (v *verifier) sample(ctx context.Context, versions []int64) error {
	for len(versions) > 0 {
		n := min(len(versions), reconcile.BatchVersions)
		batch := versions[:n]
		versions = versions[n:]
		err := v.search.Sampled(batch, v.extents(ctx, batch))
		if !unreadable(err) {
			if err != nil {
				return err
			}
			continue
		}
		for _, one := range batch {
			err := v.search.Sampled([]int64{one}, v.extents(ctx, []int64{one}))
			if unreadable(err) {
				v.search.Unreadable(one)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *verifier) extents(ctx context.Context, versions []int64) iter.Seq2[reconcile.VersionExtent, error] {
	return reconcile.Decoded(query(ctx, v.w, v.statements.Extents(versions)), reconcile.ReadVersionExtent)
}

// explain reads versions until every gap is explained or none is left that could explain one.
func (v *verifier) explain(ctx context.Context, segments []reconcile.Span) error {
	next, err := v.search.Want(v.gaps.All())
	if err != nil {
		return err
	}
	for {
		for len(next) > 0 {
			if err := v.read(ctx, next, v.search.Spans()); err != nil {
				return err
			}
			if _, err := v.listGaps(ctx, v.search.Segments(segments)); err != nil {
				return err
			}
			if _, err := v.search.Want(v.gaps.All()); err != nil {
				return err
			}
			next = v.search.Next()
		}
		settled, err := v.settled()
		if err != nil || settled {
			return errors.Join(err, v.undecided())
		}
		if next = v.search.Next(); len(next) > 0 {
			continue // the best guesses could not be read
		}
		more := v.search.Unsampled()
		if len(more) == 0 {
			return v.undecided()
		}
		if err := v.sample(ctx, more); err != nil {
			return err
		}
		next = v.search.Next()
	}
}

// settled reports whether reading on can explain none of the gaps that are left: each is known to have never been in
// the source, or lies too far back.
func (v *verifier) settled() (bool, error) {
	for g, err := range v.gaps.All() {
		if err != nil || !v.search.NeverThere(g) && (v.search.Reachable(g) || v.search.MayBeBefore(g)) {
			return false, err
		}
	}
	return true, nil
}

// read lists what the versions hold and neither table has. A version that cannot be read spoils its statement, so then
// each is read alone.
func (v *verifier) read(ctx context.Context, versions []int64, spans []reconcile.Span) error {
	found, err := v.removed(ctx, versions, spans)
	if err == nil {
		return errors.Join(v.keep(found), found.Close())
	}
	if !unreadable(err) {
		return err
	}
	for _, one := range versions {
		found, err := v.removed(ctx, []int64{one}, spans)
		switch {
		case unreadable(err):
			v.search.Unreadable(one)
		case err != nil:
			return err
		default:
			if err := errors.Join(v.keep(found), found.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

// removed reads a whole answer before any of it counts.
func (v *verifier) removed(ctx context.Context, versions []int64, spans []reconcile.Span) (*spool[reconcile.Range], error) {
	found := &spool[reconcile.Range]{}
	before := v.search.Read()
	v.search.Done(versions)
	rows := query(ctx, v.w, v.statements.Removed(versions, spans, before))
	for r, err := range reconcile.ExpiredRanges(rows, v.search) {
		if err == nil {
			err = found.add(r)
		}
		if err != nil {
			v.search.Undo(versions)
			return nil, errors.Join(err, found.Close())
		}
	}
	return found, nil
}

func (v *verifier) keep(found *spool[reconcile.Range]) error {
	for r, err := range found.All() {
		if err != nil {
			return err
		}
		if err := v.found(r); err != nil {
			return err
		}
	}
	return nil
}

// readRecent compares whole versions: all that lost rows since the previous run. It is for sequences with holes.
func (v *verifier) readRecent(ctx context.Context) error {
	recent := v.search.Sample(v.since)
	if len(recent) > reconcile.BatchVersions {
		v.tally.Doubt(reconcile.CodeBound, "%d versions of the source lost rows since the previous run, and a verification of sequences with holes reads %d", len(recent), reconcile.BatchVersions)
		recent = recent[:reconcile.BatchVersions]
	}
	if len(recent) > 0 {
		return v.read(ctx, recent, nil)
	}
	return nil
}

// leaveToManifests keeps the gaps of sequences with holes, of which only what manifests list can be said to be missing.
func (v *verifier) leaveToManifests(ctx context.Context, segments []reconcile.Span) error {
	if _, err := v.listGaps(ctx, segments); err != nil {
		return err
	}
	for g, err := range v.gaps.All() {
		if err != nil {
			return err
		}
		g.Listed = true
		if err := v.unexplained.add(g); err != nil {
			return err
		}
	}
	return nil
}

// undecided lists what no version explains.
func (v *verifier) undecided() error {
	for g, err := range v.gaps.All() {
		if err != nil {
			return err
		}
		if v.search.NeverThere(g) {
			gap := reconcile.Range{Partition: g.Partition, From: g.From, To: g.To, Rows: reconcile.KeysOf(g.Span), State: reconcile.Undecidable}
			err := v.setApart(gap, func(r reconcile.Range) error {
				v.tally.UpstreamGaps += uint64(r.Rows)
				return nil
			})
			if err != nil {
				return err
			}
			continue
		}
		g.Unread = v.search.Unread(g)
		if err := v.unexplained.add(g); err != nil {
			return err
		}
	}
	return nil
}

// unread says which removals since the previous load could not be looked behind. Older ones that nothing in the target
// asks for were the business of the verification before this one. Manifests may make up for it.
func (v *verifier) unread() {
	doubt := func(format string, args ...any) {
		v.blind = append(v.blind, reconcile.Reason{Code: reconcile.CodeUnreadable, Text: fmt.Sprintf(format, args...)})
	}
	if !v.search.Complete && v.history.Reach.After(v.since) {
		doubt("the source's versions can be read back to %s only; what left it between %s and then, unread, cannot be looked for",
			v.history.Reach.Format(time.RFC3339), v.since.Format(time.RFC3339))
	}
	if versions := v.search.Broken(v.since); len(versions) > 0 {
		doubt("versions of the source that lost rows since the previous load cannot be read: %v", versions[:min(len(versions), 10)])
	}
}

// sawEverything tells that no version which lost rows was out of reach.
func (v *verifier) sawEverything() bool {
	return v.search.Complete && len(v.search.Broken(time.Time{})) == 0
}

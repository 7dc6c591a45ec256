package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// listAbsent finds what the target lacks between its keys, in the blocks that are not whole and between blocks.
func (a *auditor) listAbsent(ctx context.Context) error {
	if !a.places.Any() && a.jumps.Len() == 0 {
		return nil
	}
	a.say("look for gaps")
	if a.kept == nil && !slices.ContainsFunc(a.inTarget, a.believes) {
		return a.countGaps(ctx)
	}
	if err := a.targetGaps(ctx); err != nil {
		return err
	}
	a.count = a.gaps.Len()
	for g, err := range a.gaps.All() {
		if err != nil {
			return err
		}
		a.absent += uint64(reconcile.KeysOf(g.Span))
	}
	if a.problem == "" && a.gaps.Len() > 0 {
		if err := a.stillThere(ctx); err != nil {
			return err
		}
	}
	if a.raw.Len() > 0 {
		// What the source still holds is listed by what it is; the rest is what neither has.
		segments := a.screen.Segments()
		if err := errors.Join(a.gaps.Close(), a.addGaps(reconcile.Gaps(query(ctx, a.w, a.statements.TimedGaps(segments)), segments))); err != nil {
			return err
		}
	}
	return a.takeGaps()
}

// countGaps counts what is not believed, and lists none of it.
func (a *auditor) countGaps(ctx context.Context) error {
	a.broken, a.counted = nil, true
	if a.count = a.jumps.Len(); !a.places.Any() {
		return nil
	}
	n, err := only(reconcile.Decoded(query(ctx, a.w, a.statements.CountGapsWithin(a.places)), reconcile.ReadCount))
	if err == nil && n == nil {
		err = errors.New("count the gaps of the target: no answer")
	}
	if err == nil {
		a.count += *n
	}
	return err
}

// targetGaps lists what the target lacks: between blocks, between the parts of blocks that are not whole, and within such
// parts.
func (a *auditor) targetGaps(ctx context.Context) error {
	jumps := &spool[reconcile.Gap]{}
	lists := []iter.Seq2[reconcile.Gap, error]{a.jumps.All(), jumps.All()}
	places, ok := a.places.Parts(jumps.add)
	if ok {
		parts := reconcile.Decoded(query(ctx, a.w, a.statements.PartsOf(a.places, places)), reconcile.ReadTargetBlock)
		if err := a.screen.Narrow(places.Block, places.Watch(parts)); err != nil {
			return errors.Join(err, jumps.Close())
		}
	}
	if places.Any() {
		lists = append(lists, reconcile.Decoded(query(ctx, a.w, a.statements.GapsWithin(places)), reconcile.ReadGap))
	}
	return errors.Join(a.addGaps(reconcile.MergedGaps(lists...)), jumps.Close())
}

func (a *auditor) addGaps(gaps iter.Seq2[reconcile.Gap, error]) error {
	a.gaps = &spool[reconcile.Gap]{}
	for g, err := range gaps {
		if err == nil && reconcile.KeysOf(g.Span) == math.MaxInt64 {
			err = doubtful{reconcile.Reason{Code: reconcile.CodeNotContiguous, Text: fmt.Sprintf("partition %s: between sequence %d and %d more are absent than can be counted", g.Partition, g.From-1, g.To+1)}}
		}
		if err == nil {
			err = a.gaps.add(g)
		}
		if err != nil {
			return err
		}
		a.breaks(g.Partition, g.From)
	}
	return nil
}

// breaks remembers a sequence at which a partition is not complete.
func (a *auditor) breaks(partition string, at int64) {
	if low, ok := a.broken[partition]; a.broken != nil && (!ok || at < low) {
		a.broken[partition] = at
	}
}

// listRepeats lists the keys that occur more than once, where rows are more than the keys between gaps.
func (a *auditor) listRepeats(ctx context.Context) error {
	surplus := a.screen.SurplusBeside(a.absent)
	if surplus == 0 && !a.counted {
		return nil // rows are as many as keys
	}
	if err := a.repeats(ctx); err != nil {
		return err
	}
	for d, err := range a.duplicates.All() {
		if err != nil {
			return err
		}
		a.breaks(d.Partition, d.From)
	}
	accepted := int64(0)
	for r, err := range a.accepted.All() {
		if err != nil {
			return err
		}
		a.breaks(r.Partition, r.From)
		accepted += r.Rows
	}
	if listed := uint64(a.tally.Counts.Duplicates + accepted); !a.counted && listed != surplus {
		a.tally.Doubt(reconcile.CodeMetrics, "the target's rows, gaps and duplicates do not add up: %d rows too many by what was counted, %d by what was listed", surplus, listed)
	}
	return nil
}

// stillThere lists the rows of the gaps that the source holds.
func (a *auditor) stillThere(ctx context.Context) error {
	var spans reconcile.Spans
	some := false
	for g, err := range a.gaps.All() {
		if err != nil {
			return err
		}
		if e := a.screen.Extents[g.Partition]; e.InSource && g.From <= e.SourceHigh && g.To >= e.SourceLow {
			spans.Add(g.Partition, g.From, g.To)
			some = true
		}
	}
	if !some {
		return nil
	}
	return a.listMissing(ctx, spans.All())
}

// listMissing lists what the source holds inside the spans and the target does not.
func (a *auditor) listMissing(ctx context.Context, spans []reconcile.Span) error {
	rows := query(ctx, a.w, a.statements.Missing(spans, a.screen.Marks()))
	for r, err := range reconcile.MissingRanges(rows, a.verifier.out.Source, a.retention.DeletedFileRetention) {
		if err == nil {
			err = a.found(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeGaps hands on the gaps that count. Of others only what a manifest lists does.
func (a *auditor) takeGaps() error {
	for g, err := range a.gaps.All() {
		if err != nil {
			return err
		}
		if !a.believes(g.Partition) {
			if g.Listed = true; a.kept == nil {
				continue
			}
		}
		if err := a.unexplained.add(g); err != nil {
			return err
		}
	}
	return nil
}

// prefixes looks below the lowest sequence of each partition: for rows that the source holds, for what manifests list, and
// for partitions that came long after the target began, and not with a first sequence.
func (a *auditor) prefixes(ctx context.Context) error {
	if a.problem == "" {
		var spans reconcile.Spans
		some := false
		for p, e := range a.screen.Extents {
			if e.InSource && e.InTarget && e.SourceLow < e.TargetLow {
				spans.Add(p, e.SourceLow, e.TargetLow-1)
				some = true
			}
		}
		if some {
			if err := a.listMissing(ctx, spans.All()); err != nil {
				return err
			}
		}
	}
	below, err := a.listedBelow(ctx)
	if err != nil {
		return err
	}
	return a.latecomers(ctx, below)
}

// listedBelow takes what manifests list under the target. It returns the partitions of which they list anything there.
func (a *auditor) listedBelow(ctx context.Context) (map[string]bool, error) {
	listed := map[string]bool{}
	if a.kept == nil || a.problem != "" {
		return listed, nil
	}
	var bounds []evidence.Bound
	for p, e := range a.screen.Extents {
		low, high := e.Hull()
		bounds = append(bounds, evidence.Bound{Partition: p, Low: low, High: high})
	}
	for r, err := range a.kept.beyond(ctx, a.sourceTable.ID, bounds) {
		if err != nil {
			return nil, err
		}
		e, ok := a.screen.Extents[r.Partition]
		if !ok || !e.InTarget || r.LastSeen.Before(a.began) {
			continue
		}
		if low, _ := e.Hull(); r.Low < low {
			if listed[r.Partition] = true; len(a.below) < mostBeyond {
				a.below = append(a.below, reconcile.Gap{Span: reconcile.Span{Partition: r.Partition, From: r.Low, To: min(r.High, low-1)}, Listed: true, Below: true})
			}
		}
	}
	return listed, nil
}

// latecomers finds partitions whose lowest row came long after the target began, and has not the first sequence there is:
// what lies below may have been loaded by nobody. Partitions below which manifests list rows are known better.
func (a *auditor) latecomers(ctx context.Context, listed map[string]bool) error {
	var times []reconcile.KeyTime
	for probes := range slices.Chunk(a.screen.Lowest(), reconcile.MostProbes) {
		some, err := gathered(reconcile.Decoded(query(ctx, a.w, a.statements.TimesOf(probes)), reconcile.ReadKeyTime))
		if err != nil {
			return err
		}
		times = append(times, some...)
	}
	stay := a.window()
	if a.problem != "" || stay == 0 {
		stay = day
	}
	for _, g := range a.screen.Latecomers(times, stay) {
		if listed[g.Partition] || !a.believes(g.Partition) {
			continue
		}
		if e := a.screen.Extents[g.Partition]; a.problem == "" && e.InSource && e.SourceLow <= g.To {
			g.To = e.SourceLow - 1 // what is above is listed
		}
		if g.From > g.To {
			continue
		}
		a.tally.Note(reconcile.CodePrefix, "partition %s begins with sequence %d, more than %s after the target did, and sequences begin with %d", g.Partition, g.To+1, stay, g.From)
		if err := a.unexplained.add(g); err != nil {
			return err
		}
	}
	return nil
}

package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// isStatement reports whether a statement was refused or failed, rather than the way to the warehouse.
func isStatement(err error) bool {
	var failed *workspace.StatementError
	return errors.As(err, &failed) || errors.Is(err, workspace.ErrTruncated)
}

// cutSettled finds what has settled by now.
func (a *auditor) cutSettled(ctx context.Context) error {
	a.statements.Cutoff = reconcile.NoCutoff()
	if a.problem != "" {
		return nil
	}
	return a.withoutSource(a.cut(ctx))
}

// scanTarget reads the target once, but for what an earlier verification found complete, and the source beside it.
func (a *auditor) scanTarget(ctx context.Context) error {
	for _, t := range []reconcile.Trusted{a.trusted(), {}} {
		a.recall = t
		sound, err := a.scanOnce(ctx, t)
		if err != nil {
			return err
		}
		if sound {
			break
		}
	}
	for _, t := range a.screen.Throughs(a.recall, nil) {
		a.inTarget = append(a.inTarget, t.Partition)
	}
	a.broken = map[string]int64{}
	if a.problem != "" {
		return nil
	}
	a.absentPartitions()
	if n := a.screen.NullTimes; n > 0 {
		a.tally.Note(reconcile.CodeNullTimes, "%d rows of the source have no event time, and never become due; those that the target lacks are undecidable", n)
	}
	return a.checkEpoch(ctx)
}

// scanOnce is false when the target's count shows that the trust was misplaced.
func (a *auditor) scanOnce(ctx context.Context, t reconcile.Trusted) (bool, error) {
	err := a.scanTables(ctx, t)
	if a.problem == "" && isStatement(err) {
		// Either table may be what cannot be read; the target is read alone.
		a.problem = err.Error()
		err = a.scanTables(ctx, t)
	}
	if err != nil || t.IsEmpty() {
		return err == nil, err
	}
	total, err := only(reconcile.Decoded(query(ctx, a.w, a.statements.Total()), reconcile.ReadCount))
	if err == nil && total == nil {
		err = errors.New("count the target's rows: no answer")
	}
	return err == nil && *total == a.screen.TargetRows, err
}

func (a *auditor) scanTables(ctx context.Context, t reconcile.Trusted) error {
	if err := a.jumps.Close(); err != nil {
		return err
	}
	a.jumps = &spool[reconcile.Gap]{}
	a.places = reconcile.NewBroken(a.statements.Block, a.jumps.add)
	st := a.statements
	s := reconcile.NewScreen(st.Cutoff, st.Block)
	if a.problem == "" {
		a.say("scan the source")
		if err := s.Source(reconcile.Decoded(query(ctx, a.w, st.SourceSlots(st.Cutoff.Slots(a.span.Earliest, a.span.Latest))), reconcile.ReadSlotGroup)); err != nil {
			return err
		}
	}
	a.say("scan the target")
	blocks := t.With(reconcile.Decoded(query(ctx, a.w, st.Outside(t)), reconcile.ReadTargetBlock))
	if err := s.Target(a.places.Watch(blocks)); err != nil {
		return err
	}
	a.screen = s
	return nil
}

// absentPartitions says which partitions of the source the target does not have: of those it shows nothing.
func (a *auditor) absentPartitions() {
	n, one := 0, ""
	for p, e := range a.screen.Extents {
		if e.InSource && !e.InTarget {
			if n++; one == "" || p < one {
				one = p
			}
		}
	}
	if n > 0 {
		a.tally.Note(reconcile.CodeAbsent, "%d partitions of the source, %s among them, have no row in the target, which shows nothing of them; watertight verify compares them", n, one)
	}
}

// prove finds out whether the sequences of the source follow each other.
func (a *auditor) prove(ctx context.Context) error {
	a.contiguity = reconcile.NewContiguity(a.request.Block)
	if a.problem == "" {
		a.say("look whether sequences are contiguous")
		err := a.readContiguity(ctx)
		if err = a.withoutSource(err); err != nil {
			return err
		}
	}
	a.contiguity.Problem = a.problem
	if a.screen.TargetRows > 0 {
		for _, r := range a.contiguity.Doubts(a.inTarget) {
			a.tally.Doubt(r.Code, "%s", r.Text)
		}
	}
	return nil
}

func (a *auditor) readContiguity(ctx context.Context) error {
	rows := reconcile.Decoded(query(ctx, a.w, a.statements.SourceStretches()), reconcile.ReadStretch)
	if err := a.contiguity.Source(rows); err != nil {
		return err
	}
	spans := a.contiguity.Suspects()
	if len(spans) == 0 {
		return nil
	}
	// A row that expired before its neighbours leaves no gap in the versions of before.
	versions := []int64{a.statements.Source.Version}
	for _, c := range a.history.Candidates[:min(len(a.history.Candidates), reconcile.BatchVersions-1)] {
		versions = append(versions, c.Version)
	}
	holes, err := a.sourceGaps(ctx, versions, spans)
	if unreadable(err) {
		holes, err = a.sourceGaps(ctx, versions[:1], spans)
	}
	for _, g := range holes {
		a.contiguity.Hole(g)
	}
	return err
}

// mostHoles is how many gaps of the source are read: one is enough for a partition not to be believed.
const mostHoles = 100_000

func (a *auditor) sourceGaps(ctx context.Context, versions []int64, spans []reconcile.Span) ([]reconcile.Gap, error) {
	var holes []reconcile.Gap
	for g, err := range reconcile.Gaps(query(ctx, a.w, a.statements.SourceGaps(versions, spans)), spans) {
		if err != nil {
			return nil, err
		}
		if holes = append(holes, g); len(holes) == mostHoles {
			return nil, doubtful{reconcile.Reason{Code: reconcile.CodeNotContiguous, Text: fmt.Sprintf("the source has more than %d gaps", mostHoles)}}
		}
	}
	return holes, nil
}

// believes reports whether a gap of a partition counts.
func (a *auditor) believes(partition string) bool {
	_, again := a.restarted[partition]
	return !again && a.contiguity.Believed(partition)
}

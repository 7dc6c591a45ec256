package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// scan reads both tables once. Partitions that this settles are done with; the others are compared block by block, and
// blocks that the cutoff or midnight goes through are split.
func (v *verifier) scan(ctx context.Context) error {
	sound, err := v.scanWith(ctx, v.trusted())
	if err == nil && !sound {
		_, err = v.scanWith(ctx, reconcile.Trusted{})
	}
	if err != nil {
		return err
	}
	if err := v.compareBlocks(ctx, v.screen); err != nil {
		return err
	}
	v.startTally()
	return v.checkEpoch(ctx)
}

func (v *verifier) startTally() {
	v.tally = reconcile.NewTally(v.screen)
	if v.out.Cutoff.IsZero() {
		v.tally.Unstarted = true
		v.tally.Doubt(reconcile.CodeNoWatermark, "the source had no event time at the loader's read time, so there is no cutoff and nothing was due")
	}
}

func (v *verifier) compareBlocks(ctx context.Context, s *reconcile.Screen) error {
	spans := s.Unsettled()
	if len(spans) == 0 {
		return nil
	}
	v.say("compare block by block")
	st := v.statements
	source := reconcile.Decoded(query(ctx, v.w, st.SourceBlocks(spans)), reconcile.ReadSourceBlock)
	target := reconcile.Decoded(query(ctx, v.w, st.TargetBlocks(spans)), reconcile.ReadTargetBlock)
	if err := s.Blocks(source, target); err != nil {
		return err
	}
	if s.NeedsSplit() {
		v.say("split blocks at the cutoff and at midnight")
		groups := query(ctx, v.w, st.Split(s.SplitSpans(), s.Marks()))
		if err := s.Split(reconcile.Decoded(groups, reconcile.ReadGroup)); err != nil {
			return err
		}
	}
	if spans := s.SourceRepeats(); len(spans) > 0 {
		repeats := query(ctx, v.w, st.SourceSurplus(spans, s.Marks()))
		return s.Subtract(reconcile.Decoded(repeats, reconcile.ReadSurplus))
	}
	return nil
}

// checkEpoch finds partitions whose sequences began anew: there equal keys are different rows.
func (v *verifier) checkEpoch(ctx context.Context) error {
	apart, err := v.apart(ctx)
	if err != nil {
		return err
	}
	spans := append(v.screen.Restarted(), apart...)
	if len(spans) == 0 {
		return nil
	}
	for s, err := range reconcile.Decoded(query(ctx, v.w, v.statements.SameKeys(spans)), reconcile.ReadSameness) {
		if err != nil {
			return err
		}
		s.Apart = slices.ContainsFunc(apart, func(a reconcile.Span) bool { return a.Partition == s.Partition })
		if s.Restart() {
			if v.restarted == nil {
				v.restarted = map[string]string{}
			}
			v.restarted[s.Partition] = fmt.Sprintf("%d of %d keys that both tables hold have event times more than a day apart: the partition's sequences began anew, so that keys cannot be compared", s.Different, s.Both)
			v.tally.Doubt(reconcile.CodeKeyEpoch, "partition %s: %d of %d keys that both tables hold have event times more than a day apart: its sequences seem to have begun anew, so that keys cannot be compared", s.Partition, s.Different, s.Both)
		}
	}
	return nil
}

// apart are spans of the source in which the target's rows of the same keys are of another time.
func (v *verifier) apart(ctx context.Context) ([]reconcile.Span, error) {
	var spans []reconcile.Span
	for probes := range slices.Chunk(v.screen.Probes, reconcile.MostProbes) {
		times := reconcile.Decoded(query(ctx, v.w, v.statements.TimesOf(probes)), reconcile.ReadKeyTime)
		some, err := v.screen.Apart(times)
		if err != nil {
			return nil, err
		}
		spans = append(spans, some...)
	}
	return spans, nil
}

// open lists the keys of the source that the target lacks, in the blocks that the scans could not settle.
func (v *verifier) open(ctx context.Context) error {
	defer v.screen.AllAbsent()
	spans := v.screen.Open()
	if len(spans) == 0 {
		return nil
	}
	v.say("compare the blocks that differ, key by key")
	rows := query(ctx, v.w, v.statements.Missing(spans, v.screen.Marks()))
	for r, err := range reconcile.MissingRanges(rows, v.out.Source, v.retention.DeletedFileRetention) {
		if err != nil {
			return err
		}
		v.screen.Absent(r.Partition, r.From, r.To)
		if err := v.found(r); err != nil {
			return err
		}
	}
	return nil
}

// repeats lists the keys of the target that occur more than once.
func (v *verifier) repeats(ctx context.Context) error {
	spans := v.screen.TargetRepeats()
	if len(spans) == 0 {
		return nil
	}
	v.say("look for duplicates")
	if err := v.acceptedRepeats(ctx, spans); err != nil {
		return err
	}
	for d, err := range reconcile.Decoded(query(ctx, v.w, v.statements.Duplicates(spans)), reconcile.ReadDuplicate) {
		if err != nil {
			return err
		}
		v.tally.Counts.Duplicates += d.Surplus
		if err := v.duplicates.add(d); err != nil {
			return err
		}
	}
	return nil
}

// checkMade doubts a table that is not the one that the run before this one read or wrote.
func (v *verifier) checkMade() {
	previous := v.subject.previous
	if previous.IsZero() {
		return
	}
	if v.sourceTable.Created.After(previous) {
		v.tally.Doubt(reconcile.CodeRemade, "%s was made anew at %s, after the run before this one: what it held until then, unread, cannot be looked for", v.out.Source.Table, v.sourceTable.Created.Format(time.RFC3339))
	}
	if end := v.subject.previousEnd; !end.IsZero() && v.began.After(end) { // a run may make its target itself
		v.tally.Doubt(reconcile.CodeRemade, "%s was made anew at %s, after the run before this one: whether it has what was loaded until then, and has left the source, cannot be told", v.out.Target.Table, v.began.Format(time.RFC3339))
	}
}

// hints compares what the histories claim with what was counted. They decide nothing.
func (v *verifier) hints(ctx context.Context) error {
	v.checkMade()
	v.noteActive()
	if len(v.others) > 0 {
		text := ""
		for i, c := range v.others {
			if i == 10 {
				text += fmt.Sprintf(" and %d more", len(v.others)-i)
				break
			}
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%d (%s)", c.Version, c.Operation)
		}
		v.tally.Note(reconcile.CodeOtherCommits, "the target was written to by others since the run began: version %s", text)
	}
	return v.countLoads(ctx)
}

func (v *verifier) noteActive() {
	if !v.subject.active.IsZero() {
		v.tally.Note(reconcile.CodeActiveRun, "another run of the job is active since %s; the target is read as it was before it", v.subject.active.UTC().Format("2006-01-02T15:04:05Z"))
	}
}

// countLoads counts the rows before and after the run's own commits, which statistics answer, and says where the history
// claims otherwise. Versions that cannot be read any more are left out.
func (v *verifier) countLoads(ctx context.Context) error {
	loads := map[int64]reconcile.Commit{}
	var versions []int64
	for _, c := range v.loads {
		if c.Version > 0 && len(versions) < reconcile.BatchVersions {
			loads[c.Version] = c
			versions = append(versions, c.Version)
		}
	}
	if len(versions) == 0 {
		return nil
	}
	for l, err := range reconcile.Decoded(query(ctx, v.w, v.statements.Written(versions)), reconcile.ReadWritten) {
		if unreadable(err) {
			v.out.Written = nil
			return nil
		}
		if err != nil {
			return err
		}
		c := loads[l.Version]
		l.Committed = c.At
		v.out.Written = append(v.out.Written, l)
		if c.OutputRows >= 0 && !c.Removes() && l.After-l.Before != c.OutputRows {
			v.tally.Note(reconcile.CodeMetrics, "the history says that version %d of the target added %d rows; counted at versions %d and %d it added %d, which is what was verified", c.Version, c.OutputRows, c.Version-1, c.Version, l.After-l.Before)
		}
	}
	return nil
}

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// errRepeated ends a verification whose verdict is that of an earlier one.
var errRepeated = errors.New("nothing changed")

// unchanged repeats the verdict of the last verification when that was a PASS of the same versions of both tables for the
// same run: no row is read then. Of the target's commits since, those that leave its rows as they are do not count.
func (v *verifier) unchanged(context.Context) error {
	r := v.last
	if r == nil || len(v.made) > 0 || !v.isRepetition(*r) {
		return nil
	}
	if v.keyed != nil && len(v.unresolved) > 0 { // what passed may have been judged without them
		return nil
	}
	v.out.Cutoff = r.Cutoff
	v.statements.Cutoff = reconcile.Cutoff{Micros: r.Cutoff.UnixMicro(), Strict: v.subject.contract.Strict}
	v.tally = reconcile.NewTally(&reconcile.Screen{})
	var days []reconcile.Day
	for _, d := range r.Outcome.Days {
		days = append(days, reconcile.Day{Day: d.Day, Due: d.Due, Loaded: d.Due, InFlight: d.InFlight})
	}
	v.tally.Recall(reconcile.Counts{Due: r.Due, Loaded: r.Due, InFlight: r.Outcome.InFlight}, days)
	for _, w := range r.Outcome.Written {
		v.out.Written = append(v.out.Written, reconcile.Written(w))
	}
	target := fmt.Sprintf("version %d of the target", r.TargetVersion)
	if r.TargetVersion < v.out.Target.Version {
		target += fmt.Sprintf(", whose rows no later version up to %d touched,", v.out.Target.Version)
	}
	v.tally.Note(reconcile.CodeUnchanged, "nothing changed since the verification of %s, which compared version %d of the source with %s for the same run: its verdict is repeated and no row was read; --full compares again",
		r.VerifiedAt.UTC().Format(time.RFC3339), r.SourceVersion, target)
	for _, n := range r.Outcome.Notes {
		v.tally.Note(n.Code, "%s", n.Text)
	}
	v.noteActive()
	return errRepeated
}

func (v *verifier) isRepetition(r evidence.Run) bool {
	c := v.subject.contract
	same := r.Verdict == string(reconcile.Pass) && r.Outcome != nil && r.Definition == definitionOf(c) &&
		r.JobID == v.out.Job && r.RunID == v.out.Run && r.ReadAt.UnixMicro() == v.out.ReadAt.UnixMicro() &&
		r.SourceID == v.sourceTable.ID && r.SourceVersion == v.out.Source.Version && r.TargetID == v.targetTable.ID
	if !same || r.TargetVersion > v.out.Target.Version || r.TargetVersion < v.targetSeen {
		return false
	}
	if c.SettleClock != coverage.SettleNewestEvent && r.Cutoff.UnixMicro() != reconcile.NewCutoff(v.out.ReadAt, c.SettleDelay, reconcile.SkewGuard, c.Strict).Micros {
		return false
	}
	return !slices.ContainsFunc(v.targetWrites, func(version int64) bool {
		return version > r.TargetVersion && version <= v.out.Target.Version
	})
}

// outcome is what a repetition of this verification says; nil when it must be made anew: only a PASS without anything to
// list is repeated.
func (v *verifier) outcome() *evidence.Outcome {
	c := v.out.Counts
	clean := reconcile.Counts{Due: c.Due, Loaded: c.Due, InFlight: c.InFlight}
	if v.out.Verdict != reconcile.Pass || v.out.Warning || c != clean || v.missing.Len()+v.duplicates.Len() > 0 {
		return nil
	}
	o := &evidence.Outcome{InFlight: c.InFlight}
	for _, d := range v.out.ByDay {
		o.Days = append(o.Days, evidence.Day{Day: d.Day, Due: d.Due, InFlight: d.InFlight})
	}
	for _, w := range v.out.Written {
		o.Written = append(o.Written, evidence.Written(w))
	}
	for _, n := range v.out.Reasons {
		switch n.Code {
		case reconcile.CodeReadAt, reconcile.CodeActiveRun, reconcile.CodeNoEvidence, reconcile.CodeAccepted: // said of each verification anew
		default:
			o.Notes = append(o.Notes, evidence.Note(n))
		}
	}
	return o
}

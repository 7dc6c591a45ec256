package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// remember opens the evidence and reads what the comparison needs of it.
func (v *verifier) remember(ctx context.Context) error {
	kept, reason, err := evidenceOf(ctx, v.w, v.subject.contract, v.request.EvidencePath)
	if err != nil {
		return err
	}
	if reason != nil {
		v.noted = append(v.noted, *reason)
		v.out.Warning = v.out.Warning || kept == nil
	}
	if v.kept = kept; kept == nil {
		if len(v.request.Accept) > 0 {
			return noEvidenceToAccept(reason)
		}
		return nil
	}
	if err := v.accept(ctx); err != nil {
		return err
	}
	v.say("read the evidence")
	err = v.recall(ctx, kept)
	if reason := toleratedEvidence(err, v.subject.contract.Evidence); reason != nil && len(v.request.Accept) == 0 {
		v.recalled = recalled{noted: append(v.noted, *reason)}
		v.out.Warning = true
		return nil
	}
	return err
}

func noEvidenceToAccept(reason *reconcile.Reason) error {
	out := &ConfigurationError{Subject: "accepted range", Reason: "there is no evidence to remember it by", Hint: "Set evidence of the watertight_loader_job, or give a file with --evidence."}
	if reason != nil {
		out.Reason, out.Hint = out.Reason+": "+reason.Text, "Mend that, or give a file with --evidence."
	}
	return out
}

// recall reads what was verified, found and accepted before.
func (v *verifier) recall(ctx context.Context, kept keeper) (err error) {
	if !v.request.Full {
		if v.last, err = kept.last(ctx); err != nil {
			return err
		}
	}
	if v.ledger, err = kept.verified(ctx); err != nil {
		return err
	}
	var accepted []evidence.Finding
	for f, err := range kept.findings(ctx) {
		if err != nil {
			return err
		}
		if f.State == stateAccepted {
			accepted = append(accepted, f)
			continue
		}
		if f.RecoveredBy != "" || f.State == stateDuplicate {
			continue
		}
		if v.keyed != nil && f.RecordedAt.Before(v.began) { // it was missing from an earlier table of the target's name
			continue
		}
		if f.State == string(reconcile.Late) {
			v.suspects = append(v.suspects, f)
		}
		if len(v.unresolved) < mostUnresolved {
			v.unresolved = append(v.unresolved, f)
		} else {
			v.overlooked++
		}
	}
	v.setAccepted(accepted)
	return nil
}

// trusted are the stretches of the ledger that still hold: nothing may have taken rows from the target since.
func (v *verifier) trusted() reconcile.Trusted {
	if v.request.Full {
		return reconcile.Trusted{}
	}
	var stretches []reconcile.Span
	for _, l := range v.ledger {
		if l.TargetID == v.targetTable.ID && v.isUnchanged(l.TargetVersion) {
			stretches = append(stretches, reconcile.Span{Partition: l.Partition, From: l.Low, To: l.High})
		}
	}
	return reconcile.NewTrusted(stretches, v.request.Block)
}

// isUnchanged tells that the target's commits after a version, up to the pinned one, only added rows or left them as
// they are.
func (v *verifier) isUnchanged(since int64) bool {
	if since > v.statements.Target.Version || since < v.targetSeen {
		return false
	}
	for _, removed := range v.targetRemovals {
		if removed > since && removed <= v.statements.Target.Version {
			return false
		}
	}
	return true
}

// evidenceFloor is the oldest version of the target that the ledger or the last verification speaks of; -1 when they speak
// of none.
func (v *verifier) evidenceFloor() int64 {
	floor := int64(-1)
	for _, l := range v.ledger {
		if l.TargetID == v.targetTable.ID && (floor < 0 || l.TargetVersion < floor) {
			floor = l.TargetVersion
		}
	}
	if v.last != nil && v.last.TargetID == v.targetTable.ID && (floor < 0 || v.last.TargetVersion < floor) {
		floor = v.last.TargetVersion
	}
	return floor
}

// isSuspect tells that a late range was not seen by an earlier verification: with evidence to remember it by, an alarm
// waits until a later version of the target, or a later run, still lacks it.
func (v *verifier) isSuspect(r reconcile.Range) bool {
	if v.kept == nil {
		return false
	}
	for _, f := range v.suspects {
		later := v.out.Target.Version > f.TargetVersion || f.RunID != 0 && v.out.Run != 0 && f.RunID != v.out.Run
		if f.Partition == r.Partition && f.Low <= r.To && r.From <= f.High && later {
			return false
		}
	}
	return true
}

// record keeps what this verification saw. A verdict that was reached stands, whatever becomes of that.
func (v *verifier) record(ctx context.Context) {
	if v.kept == nil || v.statements.Source.Version == 0 && v.out.Source.Committed.IsZero() {
		return
	}
	v.say("keep the evidence")
	if err := v.keepAll(ctx); err != nil {
		v.out.Reasons = append(v.out.Reasons, reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf("the evidence of this verification could not be kept: %v", err)})
		v.out.Warning = true
	}
}

func (v *verifier) keepAll(ctx context.Context) error {
	if v.keyed != nil {
		return v.keepKeys(ctx)
	}
	if err := v.keepManifests(ctx); err != nil {
		return err
	}
	if v.screen == nil {
		return nil
	}
	if err := v.kept.keepFindings(ctx, v.asFindings()); err != nil {
		return err
	}
	if err := v.resolve(ctx); err != nil {
		return err
	}
	if err := v.kept.keepVerified(ctx, v.asLedger()); err != nil {
		return err
	}
	return v.kept.keepRun(ctx, v.asRun())
}

// keepManifests keeps the source as it was read, and as it is now: what leaves it tomorrow is in one of them.
func (v *verifier) keepManifests(ctx context.Context) error {
	var errs []error // one version that cannot be read any more must not keep the other from being kept
	for _, m := range v.wanted() {
		errs = append(errs, keepManifest(ctx, v.kept, v.statements, v.sourceTable.ID, m.of, m.at, v.cuts()...))
	}
	return errors.Join(errs...)
}

// wantedManifest is one of a version, as it was seen at an instant, unless that is zero.
type wantedManifest struct {
	of reconcile.Commit
	at time.Time
}

// wanted are the manifests that a verification keeps. By a wall clock a version that is kept already may not be cut where the
// run's cutoff lies: it is kept as the run saw it, too.
func (v *verifier) wanted() []wantedManifest {
	pinned, newest := wantedManifest{of: v.history.Pinned}, wantedManifest{of: v.history.Newest}
	if v.subject.contract.SettleClock != coverage.SettleNewestEvent {
		pinned.at = v.out.ReadAt
	}
	return []wantedManifest{pinned, newest}
}

// cuts are the bounds of the run's cutoff: manifests tell by them which keys were due.
func (v *verifier) cuts() []int64 {
	if v.out.Cutoff.IsZero() {
		return nil
	}
	cuts := []int64{v.statements.Cutoff.Edge()}
	if c := v.subject.contract; c.SettleClock != coverage.SettleNewestEvent {
		read := v.subject.run.Ended
		if len(v.loads) > 0 {
			read = v.loads[0].At
		}
		if !read.IsZero() {
			cuts = append(cuts, reconcile.NewCutoff(read, c.SettleDelay, -reconcile.SkewGuard, c.Strict).Edge())
		}
	}
	return cuts
}

// keepManifest keeps a version unless it is kept; as it was seen at an instant, unless that is zero.
func keepManifest(ctx context.Context, k keeper, st reconcile.Statements, id string, c reconcile.Commit, at time.Time, cuts ...int64) error {
	if c.At.IsZero() {
		return nil
	}
	done, err := k.has(ctx, id, c.Version, at)
	if err != nil || done {
		return err
	}
	return k.keepManifest(ctx, manifestOf(st, id, c, at, cuts))
}

func manifestOf(st reconcile.Statements, id string, c reconcile.Commit, at time.Time, cuts []int64) evidence.Source {
	return evidence.Source{SQL: st.Source.SQL, Partition: st.Columns.Partition, Sequence: st.Columns.Sequence, EventTime: st.Columns.EventTime,
		ID: id, Version: c.Version, Committed: cmp.Or(at, c.At), Cuts: cuts, Behind: []int64{st.Behind}}
}

func (v *verifier) asRun() evidence.Run {
	r := evidence.Run{JobID: v.out.Job, RunID: v.out.Run, VerifiedAt: v.now, ReadAt: v.out.ReadAt, Cutoff: v.out.Cutoff, SourceVersion: v.out.Source.Version,
		TargetVersion: v.out.Target.Version, Watermarks: map[string]int64{}, Added: -1, Verdict: string(v.out.Verdict), Due: v.out.Counts.Due, Missing: v.out.Counts.Missing}
	for i, l := range v.out.Written {
		if i == 0 {
			r.Added = 0
		}
		r.Added += l.After - l.Before
	}
	for p, e := range v.screen.Extents {
		if e.InTarget {
			r.Watermarks[p] = e.TargetHigh
		}
	}
	r.Definition, r.SourceID, r.TargetID, r.Outcome = definitionOf(v.subject.contract), v.sourceTable.ID, v.targetTable.ID, v.outcome()
	return r
}

func (v *verifier) asLedger() []evidence.Verified {
	var all []evidence.Verified
	for _, s := range v.screen.Stretches() {
		all = append(all, evidence.Verified{Definition: definitionOf(v.subject.contract), Partition: s.Partition, Low: s.From, High: s.To,
			TargetVersion: v.out.Target.Version, TargetID: v.targetTable.ID, VerifiedAt: v.now})
	}
	return all
}

// asFindings are the missing and doubled ranges as records. A range that was found before keeps its name, and so its first
// record.
func (v *verifier) asFindings() iter.Seq2[evidence.Finding, error] {
	return func(yield func(evidence.Finding, error) bool) {
		for r, err := range v.missing.All() {
			if !yield(v.asFinding(r), err) || err != nil {
				return
			}
		}
		for d, err := range v.duplicates.All() {
			f := evidence.Finding{Name: findingName("duplicate", d.Partition, d.From, d.To), RunID: v.out.Run, TargetVersion: v.out.Target.Version, RecordedAt: v.now, Partition: d.Partition, Low: d.From, High: d.To,
				Rows: d.Surplus, State: stateDuplicate, Cause: d.Cause, Proof: d.Proof, Confirmed: true}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

func (v *verifier) asFinding(r reconcile.Range) evidence.Finding {
	f := evidence.Finding{Name: findingName("missing", r.Partition, r.From, r.To), RunID: v.out.Run, TargetVersion: v.out.Target.Version, RecordedAt: v.now, Partition: r.Partition, Low: r.From, High: r.To, Rows: r.Rows,
		State: string(r.State), Cause: r.Cause, Proof: r.Proof, Confirmed: !r.Suspect, Earliest: r.Earliest, Latest: r.Latest, RecoverableUntil: cmp.Or(r.RecoverableUntil, r.GoneSince)}
	if r.Key != nil {
		f.Name, f.Partition = v.keyName("missing", r.Key), v.keys().KeyText(r.Key)
	}
	return f
}

func findingName(kind, partition string, from, to int64) string {
	return strings.Join([]string{kind, partition, fmt.Sprint(from), fmt.Sprint(to)}, "/")
}

// found takes a range whose cause is not known yet.
func (v *verifier) found(r reconcile.Range) error { return v.raw.add(r) }

// conclude adds a range to the counts and to the list.
func (v *verifier) conclude(r reconcile.Range) error {
	r.Suspect = r.State == reconcile.Late && v.isSuspect(r)
	v.tally.Add(r)
	r.Days = nil // they are in the tally
	return v.missing.add(r)
}

// scanWith reads both tables once, the target but for what is trusted. It is false when the target's count shows that the
// trust was misplaced: rows were added where there were rows already.
func (v *verifier) scanWith(ctx context.Context, t reconcile.Trusted) (bool, error) {
	st := v.statements
	s := reconcile.NewScreen(st.Cutoff, st.Block)
	slots := st.Cutoff.Slots(v.span.Earliest, v.span.Latest)
	v.say("scan the source")
	if err := s.Source(reconcile.Decoded(query(ctx, v.w, st.SourceSlots(slots)), reconcile.ReadSlotGroup)); err != nil {
		return false, err
	}
	v.say("scan the target")
	if err := s.Target(t.With(reconcile.Decoded(query(ctx, v.w, st.Outside(t)), reconcile.ReadTargetBlock))); err != nil {
		return false, err
	}
	v.screen = s
	if t.IsEmpty() {
		return true, nil
	}
	total, err := only(reconcile.Decoded(query(ctx, v.w, st.Total()), reconcile.ReadCount))
	if err == nil && total == nil {
		err = errors.New("count the target's rows: no answer")
	}
	return err == nil && *total == s.TargetRows, err
}

// noteTarget remembers which commits took rows from the target, down to what the ledger speaks of.
func (v *verifier) noteTarget(c reconcile.Commit) {
	if v.targetLooked && c.Version != v.targetSeen-1 { // the log was cleaned up in between
		v.targetRemovals, v.targetWrites = append(v.targetRemovals, v.targetSeen-1), append(v.targetWrites, v.targetSeen-1)
	}
	v.targetLooked, v.targetSeen = true, c.Version
	if !c.LeavesRows() {
		v.targetWrites = append(v.targetWrites, c.Version)
	}
	if c.Removes() {
		v.targetRemovals = append(v.targetRemovals, c.Version)
	}
}

// recalled is what a verification brings along from earlier ones, and where it keeps its own.
type recalled struct {
	kept     keeper
	ledger   []evidence.Verified
	suspects []evidence.Finding
	// unresolved are findings whose rows were missing when they were last seen.
	unresolved []evidence.Finding
	// overlooked is how many there are beside them.
	overlooked int
	noted      []reconcile.Reason
	// last is the newest record of a verification.
	last *evidence.Run
	// targetSeen is the oldest version of the target whose commit was looked at; targetRemovals took rows from it,
	// targetWrites may have changed it at all.
	targetSeen     int64
	targetLooked   bool
	targetRemovals []int64
	targetWrites   []int64
}

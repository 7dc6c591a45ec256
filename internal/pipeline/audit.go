package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// AuditRequest says what to audit: a job's target, or that of a contract alone. The fields are those of VerifyRequest.
type AuditRequest struct {
	Job          string
	Contract     contract.Contract
	Strict       bool
	EvidencePath string
	Accept       []Accepted
	// Full scans all of the target, whatever the ledger says.
	Full     bool
	Block    int64
	Progress func(what string)
}

// Audit looks for what the target alone can show: gaps between its sequences, keys that occur more than once, partitions
// that do not begin with their first sequence. The source is asked for three things only: whether sequences are
// contiguous, for otherwise gaps prove nothing; which absent rows it still holds; and, with evidence, its history. What
// an earlier verification found complete, and nothing has been removed from since, is not read again.
//
// It only reads, but for the evidence. What keeps it from a proof is a reason in the Audit; an error means that the
// question could not be asked, or makes no sense (ErrConfiguration). The Audit must be closed.
func Audit(ctx context.Context, w Verifiable, r AuditRequest) (reconcile.Audit, error) {
	request := VerifyRequest{Job: r.Job, Contract: r.Contract, Strict: r.Strict, EvidencePath: r.EvidencePath, Accept: r.Accept, Full: r.Full, Block: r.Block, Progress: r.Progress}
	s, err := subjectOf(ctx, w, request)
	if err != nil {
		return reconcile.Audit{}, err
	}
	if err := needsSequence(s.contract, "an audit proves by gaps between sequences that nothing is missing"); err != nil {
		return reconcile.Audit{}, err
	}
	a := &auditor{verifier: newVerifier(w, request, s), jumps: &spool[reconcile.Gap]{}}
	a.verifier.out.Run = 0 // it is of no run
	a.unsearched = true
	a.out.Strict, a.out.Job, a.out.Target.Table, a.out.Source.Table = r.Strict, s.jobID, s.contract.Target, s.contract.Source
	err = a.audit(ctx)
	if closed := errors.Join(a.gaps.Close(), a.raw.Close(), a.unexplained.Close(), a.jumps.Close()); err == nil {
		err = closed
	}
	if err != nil {
		return reconcile.Audit{}, errors.Join(err, a.verifier.out.Close())
	}
	return a.out, nil
}

// auditor is one audit under way: a verification that compares nothing.
type auditor struct {
	*verifier
	out        reconcile.Audit
	contiguity *reconcile.Contiguity
	// problem says why the source cannot be read; empty when it can.
	problem string
	recall  reconcile.Trusted
	// places are where the target's blocks are not whole, jumps the gaps between blocks.
	places *reconcile.Broken
	jumps  *spool[reconcile.Gap]
	// inTarget are the partitions of the target; count is how many gaps they have.
	inTarget []string
	count    int64
	// absent is how many sequences gaps have; counted says that they were not listed.
	absent  uint64
	counted bool
	// broken are the lowest sequences of partitions that are absent or doubled; nil where gaps were only counted.
	broken map[string]int64
	// below is what manifests list under the target.
	below []reconcile.Gap
}

func (a *auditor) audit(ctx context.Context) error {
	a.tally = reconcile.NewTally(&reconcile.Screen{})
	err := a.look(ctx)
	var d doubtful
	switch {
	case err == nil:
	case errors.As(err, &d):
		a.tally.Doubt(d.Code, "%s", d.Text)
	case unreadable(err):
		a.tally.Doubt(codeOf(err), "%s", err.Error())
	default:
		return err
	}
	if err := a.concludeAll(nil); err != nil {
		return err
	}
	if err := a.noteAccepted(); err != nil {
		return err
	}
	a.tally.Notes = append(a.tally.Notes, a.noted...)
	surplus, err := a.acceptedSurplus()
	if err != nil {
		return err
	}
	reconcile.AuditTally{Screen: a.screen, Tally: a.tally, Gaps: a.count, Surplus: surplus}.Judge(&a.out)
	a.finish()
	a.keep(ctx)
	return nil
}

func (a *auditor) look(ctx context.Context) error {
	for _, step := range []func(context.Context) error{a.describeBoth, a.remember, a.pinBoth, a.cutSettled, a.scanTarget, a.prove, a.listAbsent, a.prefixes, a.listRepeats, a.explainAbsent, a.doubled} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish gives the lists to the audit.
func (a *auditor) finish() {
	v := &a.verifier.out
	a.out.Missing, a.out.Duplicates, a.out.Accepted = a.missing, v.Duplicates, a.accepted
	a.out.Target, a.out.Source, a.out.IntegralPartition = v.Target, v.Source, v.IntegralPartition
	a.out.Warning = a.out.Warning || v.Warning
	a.out.OnClose(v.Close)
	if a.screen != nil {
		a.out.Through = a.screen.Throughs(a.recall, a.broken)
	}
}

func (a *auditor) acceptedSurplus() (n int64, err error) {
	for r, err := range a.accepted.All() {
		if err != nil {
			return 0, err
		}
		if r.Was == stateDuplicate {
			n += r.Rows
		}
	}
	return n, nil
}

// describeBoth looks at the tables. Without the source an audit goes on, and believes no gap.
func (a *auditor) describeBoth(ctx context.Context) error {
	c := a.subject.contract
	problem := a.describe(ctx)
	var d doubtful
	if problem == nil || !errors.As(problem, &d) && !errors.Is(problem, workspace.ErrNotFound) && !errors.Is(problem, workspace.ErrDenied) {
		return problem
	}
	now, err := a.w.Now(ctx)
	if err != nil {
		return err
	}
	target, err := a.w.Table(ctx, c.Target)
	if err != nil {
		return err
	}
	if reason, hint := unfit(target); reason != "" {
		return doubtful{reconcile.Reason{Code: reconcile.CodeNoVersions, Text: fmt.Sprintf("%s %s; %s", target.FullName, reason, hint)}}
	}
	textual, err := columnsOf(c, target)
	if err != nil {
		return err
	}
	a.problem = problem.Error()
	a.now, a.began, a.targetTable, a.targetRetention = now, target.Created, target, contract.DefaultDeletedFileRetention
	a.verifier.out.IntegralPartition = !textual
	return a.name(c, textual)
}

// withoutSource goes on without the source where it is that which cannot be read.
func (a *auditor) withoutSource(err error) error {
	var d doubtful
	if errors.As(err, &d) || isStatement(err) {
		a.problem = err.Error()
		return nil
	}
	return err
}

// pinBoth takes the newest version of each table; of the target, the one before a run that goes on.
func (a *auditor) pinBoth(ctx context.Context) error {
	a.say("read the tables' histories")
	floor, found := a.evidenceFloor(), false
	out := &a.verifier.out
	out.ReadAt = a.now.UTC()
	for c, err := range a.commits(ctx, a.statements.Target.SQL) {
		if err != nil {
			return err
		}
		a.noteTarget(c)
		if !found && (a.subject.active.IsZero() || c.At.Before(a.subject.active)) {
			found = true
			a.statements.Target.Version = c.Version
			out.Target.Version, out.Target.Committed = c.Version, c.At
		}
		if found && (floor < 0 || c.Version <= floor) {
			break
		}
	}
	if !found {
		return doubtful{reconcile.Reason{Code: reconcile.CodeNoVersions, Text: fmt.Sprintf("%s has no history", out.Target.Table)}}
	}
	if !a.subject.active.IsZero() {
		a.tally.Note(reconcile.CodeActiveRun, "a run of the job is active since %s; the target is read as it was before it", a.subject.active.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if a.problem != "" {
		return nil
	}
	out.ReadAt = a.now.Add(day) // whatever was committed a moment ago is the newest
	err := a.pinSource(ctx)
	out.ReadAt = a.now.UTC()
	a.since = out.ReadAt
	return a.withoutSource(err)
}

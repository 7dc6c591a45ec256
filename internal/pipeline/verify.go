package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// VerifyRequest says what to verify: a job by its own contract, or a contract alone.
type VerifyRequest struct {
	// Job is a name or an id. Empty: Contract.
	Job      string
	Contract contract.Contract
	// RunID is the run to verify. 0: the job's last successful one.
	RunID int64
	// ReadAt is the earliest instant at which the loader can have read its source. Zero: the run's start; without a
	// job, the target's commit before its last one, since a loader reads after it has finished its previous work.
	ReadAt time.Time
	Strict bool
	// EvidencePath names a file that keeps the evidence, in place of the schema that the contract names.
	EvidencePath string
	// Accept are ranges that need not be in the target, each with a reason, from now on.
	Accept []Accepted
	// Full scans all of the target, whatever the ledger says.
	Full bool
	// Block overrides the length of blocks, for tests. 0: reconcile.DefaultBlock.
	Block int64
	// Progress, when set, is told what is done next.
	Progress func(what string)
}

// Verify proves that every row that was due is in the target, or names the missing ones. It only reads, but for the
// evidence it keeps where the contract names a schema for that, or the request a file. What keeps it from a proof is a reason in the Verification; an error means that the question could not be asked, or makes no sense
// (ErrConfiguration). The Verification must be closed.
//
// The loader read its source at some instant between its run's start and its commit. The run's start is the bound used:
// the source is pinned to its last version at or before it, so everything that was due then must have been read,
// whatever arrived or expired since. The target is pinned to its newest version, so that a repair counts; only while a
// later run of the job is active it is pinned to the last version before that run.
func Verify(ctx context.Context, w Verifiable, r VerifyRequest) (reconcile.Verification, error) {
	s, err := subjectOf(ctx, w, r)
	if err != nil {
		return reconcile.Verification{}, err
	}
	return verify(ctx, w, r, s)
}

func verify(ctx context.Context, w Verifiable, r VerifyRequest, s subject) (reconcile.Verification, error) {
	v := newVerifier(w, r, s)
	err := v.run(ctx)
	return v.out, err
}

func newVerifier(w Verifiable, r VerifyRequest, s subject) *verifier {
	v := &verifier{w: w, request: r, subject: s}
	v.out.Strict, v.out.Job, v.out.Run = r.Strict, s.jobID, s.run.ID
	v.out.Source.Table, v.out.Target.Table = s.contract.Source, s.contract.Target
	v.missing, v.duplicates, v.gaps = &spool[reconcile.Range]{}, &spool[reconcile.Duplicate]{}, &spool[reconcile.Gap]{}
	v.raw, v.unexplained = &spool[reconcile.Range]{}, &spool[reconcile.Gap]{}
	v.accepted = &spool[reconcile.Range]{}
	v.out.Missing, v.out.Duplicates, v.out.Accepted = v.missing, v.duplicates, v.accepted
	v.out.OnClose(func() error { return errors.Join(v.missing.Close(), v.duplicates.Close(), v.accepted.Close()) })
	return v
}

// run leaves nothing to close when it fails.
func (v *verifier) run(ctx context.Context) error {
	err := v.verify(ctx)
	if closed := errors.Join(v.gaps.Close(), v.raw.Close(), v.unexplained.Close()); err == nil {
		err = closed
	}
	if err != nil {
		err = errors.Join(err, v.out.Close())
		v.out = reconcile.Verification{}
	}
	return err
}

// verifier is one verification under way.
type verifier struct {
	w          Verifiable
	request    VerifyRequest
	subject    subject
	statements reconcile.Statements
	out        reconcile.Verification
	missing    *spool[reconcile.Range]
	duplicates *spool[reconcile.Duplicate]
	gaps       *spool[reconcile.Gap]
	// raw are the missing ranges before their causes are known, unexplained the gaps that no version explains.
	raw         *spool[reconcile.Range]
	unexplained *spool[reconcile.Gap]
	concluded   bool
	// unsearched says that older versions of the source are not looked into, as by an audit.
	unsearched bool
	blind      []reconcile.Reason // what could not be looked at, unless manifests make up for it
	restarted  map[string]string  // partitions whose sequences began anew, and what shows it

	recalled
	accepting
	// keyed is set where keys are columns.
	keyed     *keyed
	now       time.Time
	retention contract.Retention
	// sourceTable and targetTable are as Unity Catalog describes them.
	sourceTable, targetTable workspace.Table
	// targetRetention is how long a version of the target can be read after it was committed.
	targetRetention time.Duration
	began           time.Time // when the target was made
	since           time.Time // when the load before this one may have read first
	history         reconcile.SourceHistory
	others          []reconcile.Commit
	loads           []reconcile.Commit
	span            reconcile.TimeSpan // of the pinned source

	screen *reconcile.Screen
	tally  *reconcile.Tally
	search *reconcile.Search
}

func (v *verifier) say(what string) {
	if v.request.Progress != nil {
		v.request.Progress(what)
	}
}

// doubtful ends a verification that cannot begin.
type doubtful struct{ reconcile.Reason }

func (d doubtful) Error() string { return d.Text }

func (v *verifier) verify(ctx context.Context) error {
	err := v.compare(ctx)
	var d doubtful
	switch {
	case err == nil, errors.Is(err, errRepeated):
	case errors.As(err, &d):
		v.doubt(d.Code, d.Text)
	case unreadable(err):
		v.doubt(codeOf(err), err.Error())
	default:
		return err
	}
	if err := v.concludeAll(nil); err != nil {
		return err
	}
	if err := v.noteAccepted(); err != nil {
		return err
	}
	v.noteReadAt()
	v.tally.Notes = append(v.tally.Notes, v.noted...)
	v.tally.Judge(&v.out)
	v.record(ctx)
	return nil
}

// noteReadAt says where the read time comes from when nobody named it.
func (v *verifier) noteReadAt() {
	if v.subject.run.ID == 0 && v.request.ReadAt.IsZero() && !v.out.ReadAt.IsZero() {
		v.tally.Note(reconcile.CodeReadAt, "no run and no read time was named: the loader is taken to have read at %s, when the write to the target before its last one was committed; --read-at says otherwise",
			v.out.ReadAt.Format(time.RFC3339))
	}
}

// doubt adds a doubt although there may be no tally yet. Nothing was counted then, which is no news beside the reason.
func (v *verifier) doubt(code, text string) {
	if v.tally == nil {
		v.tally = reconcile.NewTally(&reconcile.Screen{})
		v.tally.Unstarted = true
	}
	v.tally.Doubt(code, "%s", text)
}

func (v *verifier) compare(ctx context.Context) error {
	if v.subject.doubt.Code != "" {
		return doubtful{v.subject.doubt}
	}
	steps := []func(context.Context) error{v.describe, v.remember, v.pin, v.unchanged, v.cut, v.scan, v.open, v.repeats, v.searchRemoved, v.causes, v.doubled, v.hints}
	if len(v.subject.contract.Key.Columns) > 0 {
		steps = []func(context.Context) error{v.describe, v.remember, v.pin, v.unchanged, v.cut, v.scanKeys, v.openKeys, v.repeatKeys, v.leftKeys, v.recallKeys, v.hints}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// cut finds the loader's cutoff.
func (v *verifier) cut(ctx context.Context) error {
	c := v.subject.contract
	span, err := only(reconcile.Decoded(query(ctx, v.w, v.statements.Span()), reconcile.ReadTimeSpan))
	if err != nil {
		return err
	}
	if span != nil {
		v.span = *span
	}
	v.noteFuture()
	now, guard := v.out.ReadAt, reconcile.SkewGuard
	if c.SettleClock == coverage.SettleNewestEvent {
		if !v.span.Some { // the loader read nothing; what left the source before it is looked for all the same
			v.statements.Cutoff = reconcile.NoCutoff()
			return nil
		}
		now, guard = time.UnixMicro(v.span.Latest).UTC(), 0
	}
	v.statements.Cutoff = reconcile.NewCutoff(now, c.SettleDelay, guard, c.Strict)
	v.out.Cutoff = v.statements.Cutoff.Time()
	return nil
}

// noteFuture says that events are later than they can be: by the wall clock such rows become due long after their
// neighbours, by the newest event they make everything due.
func (v *verifier) noteFuture() {
	latest := time.UnixMicro(v.span.Latest).UTC()
	if read := v.out.ReadAt; !v.span.Some || read.IsZero() || !latest.After(read.Add(reconcile.SkewGuard)) {
		return
	}
	effect := "such rows are not due before then, and can expire or lie under the watermark first"
	if v.subject.contract.SettleClock == coverage.SettleNewestEvent {
		effect = "settle_clock newest_event takes that for now, so that rows which have not settled count as due"
	}
	v.noted = append(v.noted, reconcile.Reason{Code: reconcile.CodeFuture, Text: fmt.Sprintf("the source holds event times up to %s, later than it was read (%s): %s; look at the clock of what writes them",
		latest.Format(time.RFC3339), v.out.ReadAt.Format(time.RFC3339), effect)})
}

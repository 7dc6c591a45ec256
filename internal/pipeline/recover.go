package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// RecoverRequest says what to bring back.
type RecoverRequest struct {
	VerifyRequest
	// Backups are complete names of tables with the columns of the target that may hold missing rows.
	Backups []string
	// Apply runs the statements. Otherwise they are only made.
	Apply bool
}

// Outcome says what becomes of a missing range.
type Outcome string

// The outcomes of a range.
const (
	// ForLoader is for rows that the loader can still read: inserted here, they would be loaded twice.
	ForLoader Outcome = "for_loader"
	// HeldBack is for rows whose return could make the loader pass over others: it has to catch up first.
	HeldBack Outcome = "held_back"
	// CanRecover, InPart and Gone say how many of its rows were found somewhere: all, some, none.
	CanRecover Outcome = "recoverable"
	InPart     Outcome = "recoverable_in_part"
	Gone       Outcome = "gone"
	// NotSearched is for rows that may be in versions which the verification did not read, and are in no other place.
	NotSearched Outcome = "not_searched"
	// FromBroker is for rows that no table holds and the broker may still have.
	FromBroker Outcome = "ask_broker"
	// Recovered is for rows that were brought back and counted in the target.
	Recovered Outcome = "recovered"
)

// Option is a place at which a range was looked for.
type Option struct {
	recovery.Place
	// Keys are those of the range that were read there; Problem says why none could be. A broker is not asked.
	Keys    uint64
	Problem string
}

// RecoveredRange is a missing range and where it can be had.
type RecoveredRange struct {
	reconcile.Range
	Outcome Outcome
	Options []Option
	// Left are the keys that no table holds.
	Left uint64
}

// Step is one statement of a recovery.
type Step struct {
	Place     recovery.Place
	Statement string
	// Ranges are named by the statement; Keys is how many keys it is to add.
	Ranges []recovery.Range
	Keys   uint64
	// Applied says that it ran.
	Applied bool
}

// Recovery is the result. It must be closed.
type Recovery struct {
	// Verification is what the missing ranges come from.
	Verification reconcile.Verification
	Ranges       reconcile.List[RecoveredRange]
	Steps        reconcile.List[Step]
	// Wanted keys are missing and not the loader's to read; of those, Found were read somewhere, and Returned counted in
	// the target afterwards.
	Wanted, Found, Returned uint64
	// Later keys were left: to the loader, or until it has caught up.
	Later uint64
	// Lacking are columns of the target that the source does not have: they will be null in returned rows.
	Lacking []string
	Applied bool
	// Unsettled keeps the list of missing ranges from being known to be whole.
	Unsettled []reconcile.Reason
	// Target is the version at which the returned rows were counted.
	Target reconcile.Pinned

	close func() error
}

// Close gives back what the lists hold.
func (r *Recovery) Close() error {
	err := r.Verification.Close()
	if r.close != nil {
		err, r.close = errors.Join(err, r.close()), nil
	}
	return err
}

// IsWhole reports whether nothing stays missing: all that was wanted is in the target, and nothing was left for later.
func (r *Recovery) IsWhole() bool { return r.Later == 0 && r.Returned == r.Wanted }

// Recover verifies, looks for each missing range in every place that may still hold it, and makes the statements that
// bring it back; with Apply it runs them and counts what the target then has. Nothing is trusted to be readable that was
// not read. It never restores a table, and never inserts what the loader can still read.
func Recover(ctx context.Context, w Verifiable, r RecoverRequest) (Recovery, error) {
	s, err := subjectOf(ctx, w, r.VerifyRequest)
	if err != nil {
		return Recovery{}, err
	}
	v := newVerifier(w, r.VerifyRequest, s)
	if err := v.run(ctx); err != nil {
		return Recovery{}, err
	}
	ranges, steps := &spool[RecoveredRange]{}, &spool[Step]{}
	c := &recoverer{verifier: v, w: w, request: r, ranges: ranges, steps: steps}
	c.out = Recovery{Verification: v.out, Ranges: ranges, Steps: steps, Unsettled: v.tally.Unsettled(), close: func() error { return errors.Join(ranges.Close(), steps.Close()) }}
	if err := c.recover(ctx); err != nil {
		return Recovery{}, errors.Join(err, c.out.Close())
	}
	return c.out, nil
}

// recoverer is one recovery under way.
type recoverer struct {
	*verifier
	w       Verifiable
	request RecoverRequest
	facts   recovery.Facts
	target  recovery.Target
	ranges  *spool[RecoveredRange]
	steps   *spool[Step]
	// unread are the lowest sequences, by partition, that the loader has yet to read.
	unread map[string]int64
	out    Recovery
	// lateFrom is the earliest event time of what a loader without sequences has yet to read; zero when that is nothing.
	lateFrom time.Time
}

func (c *recoverer) recover(ctx context.Context) error {
	if c.missing.Len() == 0 {
		return nil
	}
	if err := c.learn(ctx); err != nil {
		return err
	}
	most := recovery.MostRanges
	if c.keyed != nil {
		if err := c.firstLate(); err != nil {
			return err
		}
		most = mostKeysAsked
	}
	chunk := []reconcile.Range{}
	for r, err := range c.missing.All() {
		if err != nil {
			return err
		}
		if outcome := c.postpone(r); outcome != "" {
			c.out.Later += uint64(r.Rows)
			if err := c.ranges.add(RecoveredRange{Range: r, Outcome: outcome}); err != nil {
				return err
			}
			continue
		}
		if n := len(chunk); n > 0 && (n == most || chunk[0].Held != r.Held || chunk[0].Version != r.Version) {
			if err := c.place(ctx, chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
		chunk = append(chunk, r)
	}
	if len(chunk) > 0 {
		if err := c.place(ctx, chunk); err != nil {
			return err
		}
	}
	if c.request.Apply {
		return c.apply(ctx)
	}
	return nil
}

// learn collects what places there are.
func (c *recoverer) learn(ctx context.Context) error {
	promise := c.subject.contract
	shared, lacking := recovery.Shared(names(c.targetTable), names(c.sourceTable))
	c.out.Lacking = lacking
	c.target = recovery.Target{SQL: c.statements.Target.SQL, Columns: shared, Key: c.statements.Columns}
	c.facts = recovery.Facts{SQL: c.statements.Source.SQL, Name: promise.Source, Newest: c.history.Newest, Candidates: c.history.Candidates,
		Retention: c.retention.DeletedFileRetention, HasChangeFeed: c.sourceTable.Properties["delta.enableChangeDataFeed"] == "true"}
	c.facts.Broker = promise.BrokerRetention
	if err := c.learnUnread(ctx); err != nil {
		return err
	}
	for _, name := range c.request.Backups {
		if err := c.addBackup(ctx, name, shared); err != nil {
			return err
		}
	}
	return nil
}

// learnUnread finds the lowest sequences of the source, as it is now, that lie above the target's highest.
func (c *recoverer) learnUnread(ctx context.Context) error {
	c.unread = map[string]int64{}
	if c.keyed != nil || c.screen == nil {
		return nil
	}
	rows := query(ctx, c.w, c.statements.Unread(c.history.Newest.Version, c.screen.Marks()))
	for l, err := range reconcile.Decoded(rows, reconcile.ReadLowest) {
		if err != nil {
			return err
		}
		c.unread[l.Partition] = l.Sequence
	}
	return nil
}

func (c *recoverer) addBackup(ctx context.Context, name string, shared []string) error {
	parsed, err := contract.ParseTable(name)
	if err != nil {
		return &ConfigurationError{Subject: "backup", Reason: err.Error(), Hint: "Write catalog.schema.table."}
	}
	table, err := c.w.Table(ctx, name)
	if err != nil {
		return err
	}
	if _, lacking := recovery.Shared(shared, names(table)); len(lacking) > 0 {
		return &ConfigurationError{Subject: "backup " + name, Reason: fmt.Sprintf("it has no column %s", lacking[0]), Hint: "Name a table with the columns that source and target share."}
	}
	c.facts.Backups = append(c.facts.Backups, recovery.Named{Name: name, SQL: parsed.SQL()})
	return nil
}

func names(t workspace.Table) []string {
	var out []string
	for _, c := range t.Columns {
		out = append(out, c.Name)
	}
	return out
}

// postpone says why a range is left for now; empty when it is not.
func (c *recoverer) postpone(r reconcile.Range) Outcome {
	if c.keyed != nil {
		return c.postponeKey(r)
	}
	if r.State == reconcile.Late {
		return ForLoader
	}
	e := c.screen.Extents[r.Partition]
	if e == nil || !e.InSource || r.To < e.SourceLow {
		return ""
	}
	// A loader that takes its position from the target would pass over what the source still has below these rows.
	if low, some := c.unread[r.Partition]; some && low < r.To && (!e.InTarget || r.To > e.TargetHigh) {
		return HeldBack
	}
	return ""
}

// ExitCode is that of the verification as long as nothing was brought back; afterwards it says what still is missing.
func (r *Recovery) ExitCode() run.ExitCode {
	verified := run.Verified(r.Verification)
	if !r.Applied {
		return verified
	}
	c := r.Verification.Counts
	undecidable := uint64(c.Undecidable)
	switch {
	case r.IsWhole() && len(r.Unsettled) > 0:
		return run.Inconclusive
	case r.IsWhole():
		// Ranges of unknown existence were wanted too; that they are there settles what was in doubt about them.
		if r.Verification.Verdict == reconcile.Fail || undecidable > 0 {
			return run.Verified(reconcile.Verification{Verdict: reconcile.Pass, Warning: r.Verification.Warning, Strict: r.Verification.Strict})
		}
		return verified
	case r.Later > 0 || r.Wanted-r.Returned > undecidable:
		return run.Loss
	}
	return run.Inconclusive
}

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// apply runs the steps, each once, and counts at the version after them what the target has of each range.
func (c *recoverer) apply(ctx context.Context) error {
	applied := &spool[Step]{}
	for s, err := range c.steps.All() {
		if err != nil {
			return errors.Join(err, applied.Close())
		}
		c.say("bring rows back from " + s.Place.Name)
		err := c.w.Exec(ctx, s.Statement)
		// A statement whose answer was lost may have run. It adds nothing twice, and the count below tells.
		if err != nil && ctx.Err() != nil {
			return errors.Join(fmt.Errorf("bring rows back from %s: %w; what the statement adds, it adds as a whole or not at all, and recover adds nothing twice%s", s.Place.Name, err, runBefore(applied)), applied.Close())
		}
		if err != nil && !errors.Is(err, workspace.ErrUncertain) {
			return errors.Join(fmt.Errorf("bring rows back from %s: %w%s", s.Place.Name, err, runBefore(applied)), applied.Close())
		}
		s.Applied = true
		if err := applied.add(s); err != nil {
			return errors.Join(err, applied.Close())
		}
	}
	err := c.steps.Close()
	c.steps, c.out.Steps, c.out.Applied = applied, applied, true
	ranges := c.ranges
	c.out.close = func() error { return errors.Join(ranges.Close(), applied.Close()) }
	if err := errors.Join(err, c.count(ctx)); err != nil {
		return fmt.Errorf("count what came back%s: %w", runBefore(applied), err)
	}
	if err := c.recordRecovered(ctx); err != nil {
		v := &c.out.Verification
		v.Warning = true
		v.Reasons = append(v.Reasons, reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf("that the rows were brought back could not be kept as evidence: %v", err)})
	}
	return nil
}

// runBefore says what an error does not undo.
func runBefore(applied *spool[Step]) string {
	if n := applied.Len(); n > 0 {
		return fmt.Sprintf("; %d statements were run before, and what they brought back is in the target", n)
	}
	return ""
}

// count reads the target at its newest version: what came back is what is there, not what a statement was to add.
func (c *recoverer) count(ctx context.Context) error {
	c.say("verify the ranges")
	newest, err := first(c.commits(ctx, c.statements.Target.SQL))
	if err != nil || newest == nil {
		return errors.Join(err, errIfNil(newest, c.out.Verification.Target.Table))
	}
	c.out.Target = reconcile.Pinned{Table: c.out.Verification.Target.Table, Version: newest.Version, Committed: newest.At}
	counted := &spool[RecoveredRange]{}
	if err := c.countAll(ctx, newest.Version, counted); err != nil {
		return errors.Join(err, counted.Close())
	}
	err = c.ranges.Close()
	steps := c.steps
	c.ranges, c.out.Ranges = counted, counted
	c.out.close = func() error { return errors.Join(counted.Close(), steps.Close()) }
	return err
}

func errIfNil(c *reconcile.Commit, table string) error {
	if c == nil {
		return fmt.Errorf("read the history of %s: it is empty", table)
	}
	return nil
}

func (c *recoverer) countAll(ctx context.Context, version int64, counted *spool[RecoveredRange]) error {
	var chunk []RecoveredRange
	flush := func() error {
		err := c.countChunk(ctx, version, chunk)
		for _, r := range chunk {
			err = errors.Join(err, counted.add(r))
		}
		chunk = nil
		return err
	}
	for r, err := range c.ranges.All() {
		switch {
		case err != nil:
			return err
		case r.Outcome != CanRecover && r.Outcome != InPart && r.Outcome != Gone: // another recovery may have been faster
			if err := counted.add(r); err != nil {
				return err
			}
			continue
		}
		if chunk = append(chunk, r); len(chunk) == recovery.MostRanges {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (c *recoverer) countChunk(ctx context.Context, version int64, chunk []RecoveredRange) error {
	if len(chunk) == 0 {
		return nil
	}
	if c.keyed != nil {
		return c.countKeys(ctx, version, chunk)
	}
	slices.SortFunc(chunk, func(a, b RecoveredRange) int { return recovery.Compare(a.wanted(), b.wanted()) })
	var wanted []recovery.Range
	for _, r := range chunk {
		wanted = append(wanted, r.wanted())
	}
	present, single, err := recovery.Tally(wanted, reconcile.Decoded(query(ctx, c.w, c.target.Present(version, wanted)), recovery.ReadFound))
	for i := range present {
		c.out.Returned += present[i]
		if present[i] == uint64(chunk[i].Rows) && single[i] == present[i] {
			chunk[i].Outcome = Recovered
		}
	}
	return err
}

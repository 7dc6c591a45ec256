package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// keyed is what a verification of keys that are columns has beside the others.
type keyed struct {
	columns []reconcile.KeyColumn
	screen  *reconcile.KeyScreen
	causes  reconcile.KeyCauses
	// held are versions of the target of before a commit that may have taken keys from it.
	held []int64
	// suspects are those of earlier verifications, by name.
	suspects map[string]evidence.Finding
	// later are the instants, in microseconds, of earlier verifications that read the source later than this one.
	later map[int64]bool
}

// keys are the statements, with the versions and the cutoff that are known by now.
func (v *verifier) keys() reconcile.Keys {
	return reconcile.Keys{Statements: v.statements, Key: v.keyed.columns, Earliest: v.span.Earliest, Held: v.keyed.held}
}

// describeKeys checks that the key's columns can be compared as they are.
func (v *verifier) describeKeys(c contract.Contract) error {
	if len(v.request.Accept) > 0 {
		return &ConfigurationError{Subject: "accepted range", Reason: fmt.Sprintf("it is one of sequences, and the key %q has none", c.Key.String()), Hint: "Leave it out."}
	}
	v.keyed = &keyed{}
	for _, t := range []workspace.Table{v.sourceTable, v.targetTable} {
		if err := checkEventTime(c, t); err != nil {
			return err
		}
	}
	for _, name := range c.Key.Columns {
		source, err := keyColumnOf(v.sourceTable, name)
		if err != nil {
			return err
		}
		target, err := keyColumnOf(v.targetTable, name)
		if err != nil {
			return err
		}
		if !source.Compares(target) {
			return &ConfigurationError{Subject: "key column " + name, Reason: fmt.Sprintf("it is %s in %s and %s in %s, and values of two types are not compared: a cast could make two keys one", source.Type, c.Source, target.Type, c.Target),
				Hint: "Give the column one type in both tables, or leave it out of the key."}
		}
		v.keyed.columns = append(v.keyed.columns, source)
	}
	v.out.KeyNames = c.Key.Columns
	return v.name(c, false)
}

// needsSequence refuses what keys that are columns cannot be asked.
func needsSequence(c contract.Contract, why string) error {
	if len(c.Key.Columns) == 0 {
		return nil
	}
	return &ConfigurationError{Subject: "key", Reason: fmt.Sprintf("%q has no sequence, and %s", c.Key.String(), why),
		Hint: "watertight verify compares such keys: it lists every missing one, and the version of the source that holds it."}
}

// fieldOf finds a column, or with dots in its name a field of one, and names it quoted for SQL.
func fieldOf(t workspace.Table, name string) (workspace.Column, error) {
	column, err := columnOf(t, name)
	path := strings.Split(name, ".")
	if err == nil || len(path) == 1 {
		return workspace.Column{Name: contract.Quote(name), Type: column.Type}, err
	}
	outer, outerErr := columnOf(t, path[0])
	inner, ok := reconcile.FieldType(outer.Type, path[1:])
	if outerErr != nil || !ok {
		return workspace.Column{}, err
	}
	for i, part := range path {
		path[i] = contract.Quote(part)
	}
	return workspace.Column{Name: strings.Join(path, "."), Type: inner}, nil
}

func keyColumnOf(t workspace.Table, name string) (reconcile.KeyColumn, error) {
	c, err := fieldOf(t, name)
	if err != nil {
		return reconcile.KeyColumn{}, err
	}
	k, ok := reconcile.NewKeyColumn(name, c.Name, c.Type)
	if !ok {
		return k, &ConfigurationError{Subject: "table " + t.FullName, Reason: fmt.Sprintf("key column %s is %s, whose values are no keys", name, c.Type),
			Hint: "A key is made of whole numbers, decimals, texts without a collation, booleans, dates, timestamps and binaries."}
	}
	return k, nil
}

// scanKeys scans both tables once, and counts what is due and in flight.
func (v *verifier) scanKeys(ctx context.Context) error {
	if err := v.sinceVerified(ctx); err != nil {
		return err
	}
	k, s := v.keys(), reconcile.NewKeyScreen()
	v.say("scan the target")
	if err := s.Target(reconcile.Decoded(query(ctx, v.w, k.Repeats()), reconcile.ReadKeyRepeat)); err != nil {
		return err
	}
	v.say("scan the source, and the target in the time of it")
	if err := s.Compare(k, reconcile.Decoded(query(ctx, v.w, k.Slices(s.Near)), reconcile.ReadKeySlice)); err != nil {
		return err
	}
	if blocks := s.Opened.Blocks; len(blocks) > 0 {
		v.say("count the keys of the blocks that differ")
		if err := reconcile.AddDays(s.Due, reconcile.Decoded(query(ctx, v.w, k.DueKeys(blocks)), reconcile.ReadKeyDay)); err != nil {
			return err
		}
	}
	if s.Later {
		if err := reconcile.AddDays(s.InFlight, reconcile.Decoded(query(ctx, v.w, k.LaterKeys()), reconcile.ReadKeyDay)); err != nil {
			return err
		}
	}
	v.keyed.screen, v.screen = s, &s.Screen
	v.startTally()
	v.tally.NoWatermark = true
	text := "the key has no sequence: gaps prove nothing and there is no watermark, so that what the loader went past is not told from what it has yet to read (late), " +
		"and what left the source unread is looked for since %s only"
	if v.kept != nil {
		text += "; manifests are ranges of sequences, and none is kept"
	}
	v.tally.Note(reconcile.CodeNoSequences, text, v.since.UTC().Format(time.RFC3339))
	return nil
}

// openKeys lists the due keys of the source that the target lacks.
func (v *verifier) openKeys(ctx context.Context) error {
	v.search = v.newSearch()
	v.keyed.causes = reconcile.KeyCauses{Source: v.out.Source, Retention: v.retention.DeletedFileRetention, Run: v.out.Run, Silent: len(v.loads) == 0, ReadAt: v.out.ReadAt,
		PreviousEnd: v.subject.previousEnd, NewestEvent: v.subject.contract.SettleClock == coverage.SettleNewestEvent, Delay: v.subject.contract.SettleDelay,
		Window: v.retention.RollingWindow, Search: v.search}
	if err := v.targetDeletes(ctx); err != nil {
		return err
	}
	opened := v.keyed.screen.Opened
	if opened.None() {
		return nil
	}
	v.say("compare what differs, key by key")
	return v.withHeld(func() error {
		k := v.keys()
		return v.takeKeys(reconcile.Decoded(query(ctx, v.w, k.Absent(opened)), k.ReadAbsent), v.keyed.causes.Absent)
	})
}

// withHeld asks about deletions in the target too, and does without where versions of it cannot be read.
func (v *verifier) withHeld(ask func() error) error {
	err := ask()
	if held := v.keyed.held; len(held) > 0 && unreadable(err) {
		v.keyed.held = nil
		if err = ask(); unreadable(err) {
			v.keyed.held = held
		}
	}
	return err
}

// takeKeys reads a whole answer before any of it counts.
func (v *verifier) takeKeys(rows iter.Seq2[reconcile.AbsentKey, error], judge func(reconcile.AbsentKey) reconcile.Range) error {
	found := &spool[reconcile.AbsentKey]{}
	for a, err := range rows {
		if err == nil {
			err = found.add(a)
		}
		if err != nil {
			return errors.Join(err, found.Close())
		}
	}
	for a, err := range found.All() {
		if err == nil {
			err = v.concludeKey(judge(a))
		}
		if err != nil {
			return errors.Join(err, found.Close())
		}
	}
	return found.Close()
}

// targetDeletes finds the commits since the previous load that may have taken keys from the target. What they took and the
// source holds no more is not looked for: without sequences nothing in the target shows it.
func (v *verifier) targetDeletes(ctx context.Context) error {
	deletes := map[int64]reconcile.Commit{}
	for c, err := range v.commits(ctx, v.statements.Target.SQL) {
		if err != nil {
			return err
		}
		if c.At.Before(v.since) || len(deletes) == mostVersions {
			break
		}
		if c.Version > 0 && c.Version <= v.out.Target.Version && c.TakesKeys() {
			deletes[c.Version-1] = c
			v.keyed.held = append(v.keyed.held, c.Version-1)
		}
	}
	if v.keyed.causes.Deletes = deletes; len(deletes) > 0 {
		v.tally.Note(reconcile.CodeNoSequences, "%d commits since %s may have taken keys from the target; those that the source holds no more are not looked for, since no sequence shows that they were there", len(deletes), v.since.UTC().Format(time.RFC3339))
	}
	return nil
}

// concludeKey counts and lists a missing key.
func (v *verifier) concludeKey(r reconcile.Range) error {
	r.Suspect = r.State == reconcile.Late && v.isSuspectKey(r)
	v.tally.Add(r)
	return v.missing.add(r)
}

// repeatKeys lists the keys of the target that occur more than once.
func (v *verifier) repeatKeys(ctx context.Context) error {
	blocks := v.keyed.screen.Repeated
	if len(blocks) == 0 {
		return nil
	}
	v.say("look for duplicates")
	k := v.keys()
	for d, err := range reconcile.Decoded(query(ctx, v.w, k.Doubled(blocks)), k.ReadDoubled) {
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

// mostKeyVersions bounds how many versions of the source are compared with the tables.
const mostKeyVersions = 64

// leftKeys looks for keys that left the source unread since the load before this one, version by version.
func (v *verifier) leftKeys(ctx context.Context) error {
	var versions []int64
	for _, c := range v.search.Candidates {
		if c.RemovedBy.At.After(v.since) {
			versions = append(versions, c.Version)
		}
	}
	if len(versions) > mostKeyVersions {
		v.tally.Doubt(reconcile.CodeBound, "%d versions of the source lost rows since %s, and a verification without sequences reads %d", len(versions), v.since.UTC().Format(time.RFC3339), mostKeyVersions)
		versions = versions[:mostKeyVersions]
	}
	if len(versions) > 0 {
		v.say("look for rows that left the source unread")
	}
	err := inBatches(versions, func(batch []int64) error { return v.readLeft(ctx, batch) }, v.search.Unreadable)
	v.unread()
	return err
}

func (v *verifier) readLeft(ctx context.Context, versions []int64) error {
	before := v.search.Read()
	v.search.Done(versions)
	err := v.withHeld(func() error {
		k := v.keys()
		return v.takeKeys(reconcile.Decoded(query(ctx, v.w, k.Left(versions, before)), k.ReadLeft), v.keyed.causes.Left)
	})
	if err != nil {
		v.search.Undo(versions)
	}
	return err
}

// sinceVerified goes back to the last verification, where one before the previous run was the last: without sequences
// nothing in the target shows later what left the source in between.
func (v *verifier) sinceVerified(ctx context.Context) error {
	if v.kept == nil {
		return nil
	}
	runs, err := v.kept.runs(ctx, v.now.Add(-v.retention.DeletedFileRetention))
	var last time.Time
	v.keyed.later = map[int64]bool{}
	for _, r := range runs {
		if r.ReadAt.After(v.out.ReadAt) {
			v.keyed.later[r.VerifiedAt.UnixMicro()] = true
		}
		if r.ReadAt.Before(v.out.ReadAt) && r.ReadAt.After(last) {
			last = r.ReadAt
		}
	}
	if !last.IsZero() && last.Before(v.since) {
		v.since = last
	}
	return err
}

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// tables keeps evidence in the workspace.
type tables struct {
	w                 Verifiable
	place             evidence.Place
	scope, definition string
}

// open makes the tables where they are missing, and makes sure that all of them can be read.
func (t *tables) open(ctx context.Context) error {
	err := t.checkShape(ctx)
	if err == nil {
		return t.complete(ctx)
	}
	if !errors.Is(err, workspace.ErrNotFound) {
		return err
	}
	for _, table := range evidence.Tables() {
		if err := t.w.Exec(ctx, t.place.Create(table)); err != nil && !errors.Is(err, workspace.ErrUncertain) {
			return err
		}
	}
	return t.checkShape(ctx)
}

// complete adds the columns that a table made by an earlier version of watertight lacks. Where that is refused it is used
// without them.
func (t *tables) complete(ctx context.Context) error {
	for again := range 2 {
		table, err := t.w.Table(ctx, t.place.FullName(evidence.Runs))
		if err != nil {
			return err
		}
		var has []string
		for _, c := range table.Columns {
			has = append(has, c.Name)
		}
		missing := evidence.Runs.Missing(has)
		if t.place = t.place.Without(missing); len(missing) == 0 || again == 1 {
			return nil
		}
		var refused *workspace.StatementError
		if err := t.w.Exec(ctx, t.place.Add(evidence.Runs, missing)); err != nil && !errors.Is(err, workspace.ErrUncertain) && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

func (t *tables) checkShape(ctx context.Context) error {
	var parts []string
	for _, table := range evidence.Tables() {
		parts = append(parts, t.place.Versions(table))
	}
	for row, err := range query(ctx, t.w, strings.Join(parts, "\nUNION ALL ")) {
		if err != nil {
			return err
		}
		if row[0] != nil && *row[0] > fmt.Sprint(evidence.Schema) {
			return errNewerEvidence
		}
	}
	return nil
}

func (t *tables) runs(ctx context.Context, since time.Time) ([]evidence.Run, error) {
	return gathered(reconcile.Decoded(query(ctx, t.w, t.place.RunsSince(t.scope, since.UnixMicro())), evidence.ReadRun))
}

func (t *tables) last(ctx context.Context) (*evidence.Run, error) {
	return only(reconcile.Decoded(query(ctx, t.w, t.place.Last(t.scope)), evidence.ReadRun))
}

func (t *tables) listed(ctx context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return reconcile.Decoded(query(ctx, t.w, t.place.Listed(t.scope, id, bounds)), evidence.ReadRange)
}

func (t *tables) unlisted(ctx context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return reconcile.Decoded(query(ctx, t.w, t.place.Unlisted(t.scope, id, bounds)), evidence.ReadRange)
}

func (t *tables) manifests(ctx context.Context, id string) ([]evidence.Kept, error) {
	return gathered(reconcile.Decoded(query(ctx, t.w, t.place.Kept(t.scope, id)), evidence.ReadKept))
}

func (t *tables) seen(ctx context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Manifest, error] {
	return reconcile.Decoded(query(ctx, t.w, t.place.Seen(t.scope, id, bounds)), evidence.ReadSeen)
}

func (t *tables) beyond(ctx context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return reconcile.Decoded(query(ctx, t.w, t.place.Beyond(t.scope, id, bounds)), evidence.ReadRange)
}

func (t *tables) has(ctx context.Context, id string, version int64) (bool, error) {
	for _, err := range query(ctx, t.w, t.place.Has(t.scope, id, version)) {
		return err == nil, err
	}
	return false, nil
}

func (t *tables) verified(ctx context.Context) ([]evidence.Verified, error) {
	return gathered(reconcile.Decoded(query(ctx, t.w, t.place.VerifiedThrough(t.scope, t.definition)), evidence.ReadVerified))
}

func (t *tables) findings(ctx context.Context) iter.Seq2[evidence.Finding, error] {
	return reconcile.Decoded(query(ctx, t.w, t.place.Newest(t.scope)), evidence.ReadFinding)
}

func (t *tables) keepManifest(ctx context.Context, s evidence.Source) error {
	return t.w.Exec(ctx, t.place.Keep(t.scope, s))
}

func (t *tables) keepRun(ctx context.Context, r evidence.Run) error {
	return appendAll(ctx, t, slices.Values([]evidence.Run{r}))
}

func (t *tables) keepVerified(ctx context.Context, all []evidence.Verified) error {
	return appendAll(ctx, t, slices.Values(all))
}

func (t *tables) keepFindings(ctx context.Context, all iter.Seq2[evidence.Finding, error]) error {
	return t.exec(ctx, evidence.Append(t.place, t.scope, all))
}

func (t *tables) exec(ctx context.Context, statements iter.Seq2[string, error]) error {
	for sql, err := range statements {
		if err != nil {
			return err
		}
		if err := t.w.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

func appendAll[R evidence.Record](ctx context.Context, t *tables, all iter.Seq[R]) error {
	return t.exec(ctx, evidence.Append(t.place, t.scope, sure(all)))
}

func sure[T any](all iter.Seq[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func gathered[T any](all iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for v, err := range all {
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

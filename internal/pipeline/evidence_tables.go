package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
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

// open makes the tables where they are missing, and makes sure that all of them are these tables and can be read. Nothing
// is made beside a table that is somebody else's.
func (t *tables) open(ctx context.Context) error {
	missing, lacking, err := t.look(ctx)
	if err != nil {
		return err
	}
	if err := t.checkShape(ctx, missing); err != nil {
		return err
	}
	if err := t.complete(ctx, lacking); err != nil {
		return err
	}
	for _, table := range missing {
		if err := t.w.Exec(ctx, t.place.Create(table)); err != nil && !errors.Is(err, workspace.ErrUncertain) {
			return err
		}
	}
	return nil
}

// look describes the four tables: it returns those that are not there, and the columns that the table of runs lacks.
func (t *tables) look(ctx context.Context) (missing []evidence.Table, lacking []string, err error) {
	for _, table := range evidence.Tables() {
		found, err := t.w.Table(ctx, t.place.FullName(table))
		if errors.Is(err, workspace.ErrNotFound) {
			missing = append(missing, table)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		types := map[string]string{}
		var has []string
		for _, c := range found.Columns {
			types[strings.ToLower(c.Name)] = c.Type
			has = append(has, c.Name)
		}
		var optional []string
		if table == evidence.Runs {
			optional = evidence.Added()
			lacking = evidence.Runs.Missing(has)
		}
		fault := table.Fault(types, optional)
		if found.IsView() {
			fault = "it is a view"
		}
		if fault != "" {
			return nil, nil, fmt.Errorf("%w: %s: %s", errNotEvidence, found.FullName, fault)
		}
	}
	return missing, lacking, nil
}

// complete adds the columns that a table of runs made by an earlier version of watertight lacks. Where that is refused it
// is used without them.
func (t *tables) complete(ctx context.Context, lacking []string) error {
	if len(lacking) == 0 {
		return nil
	}
	var refused *workspace.StatementError
	if err := t.w.Exec(ctx, t.place.Add(evidence.Runs, lacking)); err != nil && !errors.Is(err, workspace.ErrUncertain) && !errors.As(err, &refused) {
		return err
	}
	table, err := t.w.Table(ctx, t.place.FullName(evidence.Runs))
	if err != nil {
		return err
	}
	var has []string
	for _, c := range table.Columns {
		has = append(has, c.Name)
	}
	t.place = t.place.Without(evidence.Runs.Missing(has))
	return nil
}

// checkShape reads what shapes the records of the tables have that are there.
func (t *tables) checkShape(ctx context.Context, missing []evidence.Table) error {
	var parts []string
	for _, table := range evidence.Tables() {
		if !slices.Contains(missing, table) {
			parts = append(parts, t.place.Versions(table))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	for row, err := range query(ctx, t.w, strings.Join(parts, "\nUNION ALL ")) {
		if err != nil {
			return err
		}
		if row[0] == nil {
			continue
		}
		if shape, err := strconv.Atoi(*row[0]); err != nil || shape > evidence.Schema {
			return fmt.Errorf("%w (shape %s, and this one reads up to %d)", errNewerEvidence, *row[0], evidence.Schema)
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

func (t *tables) has(ctx context.Context, id string, version int64, at time.Time) (bool, error) {
	for _, err := range query(ctx, t.w, t.place.Has(t.scope, id, version, at)) {
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

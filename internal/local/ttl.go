package local

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

const ttlEvery = 24 * time.Hour

// offerTTL offers the daily run of the platform's own row deletion. The caller holds w.mu.
func (w *Workspace) offerTTL(offer func(moment)) {
	if w.book.NextTTL.IsZero() {
		w.book.NextTTL = w.clock.Now().Truncate(ttlEvery).Add(ttlEvery)
	}
	at := w.book.NextTTL
	offer(moment{at, rankExpiry, 1, func(ctx context.Context) error { return w.runTTL(ctx, at) }})
}

// runTTL deletes the rows of every table that has Auto-TTL set, once they are older than its whole days.
func (w *Workspace) runTTL(ctx context.Context, at time.Time) error {
	w.mu.Lock()
	w.book.NextTTL = at.Add(ttlEvery)
	w.changed()
	w.mu.Unlock()
	for _, catalog := range w.catalogs(ctx) {
		schemas, err := w.engine.Schemas(ctx, catalog)
		if err != nil {
			return fmt.Errorf("auto-ttl: list schemas of %s: %w", catalog, err)
		}
		for _, schema := range schemas {
			tables, err := w.engine.Tables(ctx, catalog, schema)
			if err != nil {
				return fmt.Errorf("auto-ttl: list tables of %s.%s: %w", catalog, schema, err)
			}
			for _, t := range tables {
				if err := w.applyTTL(ctx, t, at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *Workspace) applyTTL(ctx context.Context, t engine.Table, at time.Time) error {
	column := t.Properties[contract.PropertyAutoTTLColumn]
	setting := t.Properties[contract.PropertyAutoTTLDays]
	if column == "" || setting == "" || w.Behaviour().Relations[t.Name.String()].PredictiveOptimization == "DISABLE" {
		return nil
	}
	days, err := strconv.Atoi(setting)
	if err != nil {
		return fmt.Errorf("auto-ttl of %s: autottl.expireInDays %q is not a number of days", t.Name, setting)
	}
	text := fmt.Sprintf("DELETE FROM %s WHERE %s < TIMESTAMP '%s'", quoteTable(t.Name.String()), quote(column), sqlTime(at.Add(-time.Duration(days)*24*time.Hour)))
	if err := w.exec(ctx, engine.Statement{Text: text, User: "predictive-optimization"}); err != nil {
		return fmt.Errorf("auto-ttl of %s: %w", t.Name, err)
	}
	return nil
}

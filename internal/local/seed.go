package local

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

//go:embed seed.sql
var seedSQL string

//go:embed load_messages.sql
var loaderSQL []byte

const sampleLength = 24 * time.Hour

// LoaderPath is the workspace file with the incident's loader.
const LoaderPath = "/Shared/load_messages.sql"

// seed fills a new workspace: the incident's tables, its loader, and a day of events that arrived before Options.Start.
// It can be repeated when it was interrupted.
func (w *Workspace) seed(ctx context.Context) error {
	for _, piece := range dialect.Split(seedSQL) {
		if err := w.exec(ctx, engine.Statement{Text: piece.Text}); err != nil {
			return fmt.Errorf("%w in %q", err, piece.Text)
		}
	}
	w.mu.Lock()
	err := w.put(LoaderPath, loaderSQL, fileKind, "", true)
	w.book.Feeds = nil
	w.mu.Unlock()
	if err != nil {
		return err
	}
	start := w.book.Clock
	day := Feed{Seed: 1, Tick: time.Hour}
	if err := w.startFeed(ctx, day); err != nil {
		return err
	}
	w.mu.Lock()
	s := w.currentFeed()
	w.mu.Unlock()
	for tick := start.Add(time.Hour); !tick.After(start.Add(sampleLength)); tick = tick.Add(time.Hour) {
		w.clock.Raise(tick)
		if err := w.tickFeed(ctx, s, tick); err != nil {
			return err
		}
	}
	if err := w.startFeed(ctx, Feed{Seed: 2, Tick: 10 * time.Minute}); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.book.SeedPending = false
	w.changed()
	return nil
}

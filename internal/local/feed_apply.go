package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Feed starts a feed now, in place of the one there was. Sequence numbers go on where that one stopped.
func (w *Workspace) Feed(ctx context.Context, f Feed) error {
	w.step.Lock()
	defer w.step.Unlock()
	if err := w.startFeed(ctx, f); err != nil {
		return err
	}
	return w.save()
}

func (w *Workspace) startFeed(ctx context.Context, f Feed) error {
	f = f.filled()
	if err := f.check(); err != nil {
		return err
	}
	name, err := parseName(f.Table)
	if err != nil {
		return err
	}
	if _, err := w.engine.Table(ctx, name); err != nil {
		return fmt.Errorf("feed: table %s: %w", f.Table, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now().Truncate(time.Second) // the milliseconds are commits, no part of the grid of ticks
	s := &feedSegment{Feed: f, Start: now, Ticked: now, Expired: now, First: make([]int64, f.Partitions), Next: make([]int64, f.Partitions)}
	for p := range s.First {
		s.First[p] = f.FirstSequence
		for _, o := range w.book.Feeds {
			if o.Feed.Table == f.Table && p < len(o.First) {
				s.First[p] = max(s.First[p], o.First[p]+o.Next[p])
			}
		}
	}
	w.book.Feeds = append(w.book.Feeds, s)
	w.changed()
	return nil
}

// currentFeed is the feed that is on. The caller holds w.mu.
func (w *Workspace) currentFeed() *feedSegment {
	if n := len(w.book.Feeds); n > 0 {
		return w.book.Feeds[n-1]
	}
	return nil
}

const rowsPerInsert = 2000

// tickFeed commits what arrived up to a tick.
func (w *Workspace) tickFeed(ctx context.Context, s *feedSegment, tick time.Time) error {
	events, next := s.due(tick)
	for len(events) > 0 {
		n := min(len(events), rowsPerInsert)
		if err := w.exec(ctx, engine.Statement{Text: s.insert(events[:n]), User: feedUser}); err != nil {
			return fmt.Errorf("feed %s: %w", s.Feed.Table, err)
		}
		w.mu.Lock()
		for _, e := range events[:n] {
			s.Next[e.Partition]++
		}
		w.mu.Unlock()
		events = events[n:]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Next, s.Ticked = next, tick
	w.changed()
	return nil
}

const feedUser = "feed@workspace.local"

func (s *feedSegment) insert(events []Event) string {
	var b strings.Builder
	c := s.Feed.Columns
	fmt.Fprintf(&b, "INSERT INTO %s (%s, %s, %s, %s) VALUES ", quoteTable(s.Feed.Table), quote(c.Partition), quote(c.Sequence), quote(c.EventTime), quote(c.Payload))
	for i, e := range events {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%d, %d, TIMESTAMP '%s', '{\"message\":\"m-%d-%d\"}')", e.Partition, e.Sequence, sqlTime(e.EventTime), e.Partition, e.Sequence)
	}
	return b.String()
}

// expireFeed deletes what has left the rolling window.
func (w *Workspace) expireFeed(ctx context.Context, s *feedSegment, at time.Time) error {
	text := fmt.Sprintf("DELETE FROM %s WHERE %s < TIMESTAMP '%s'", quoteTable(s.Feed.Table), quote(s.Feed.Columns.EventTime), sqlTime(at.Add(-s.Feed.Window)))
	if err := w.exec(ctx, engine.Statement{Text: text, User: feedUser}); err != nil {
		return fmt.Errorf("expire rows of %s: %w", s.Feed.Table, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Expired = at
	w.changed()
	return nil
}

func sqlTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteTable(full string) string {
	parts := strings.Split(full, ".")
	for i, p := range parts {
		parts[i] = quote(p)
	}
	return strings.Join(parts, ".")
}

// catchUpFeed moves the feed past rows that are in the table already.
func (w *Workspace) catchUpFeed(ctx context.Context, s *feedSegment) (err error) {
	c := s.Feed.Columns
	result, err := w.query(ctx, engine.Statement{Text: fmt.Sprintf("SELECT %s, max(%s) FROM %s GROUP BY %s", quote(c.Partition), quote(c.Sequence), quoteTable(s.Feed.Table), quote(c.Partition))})
	if err != nil {
		return fmt.Errorf("read where the feed stopped: %w", err)
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	w.mu.Lock()
	defer w.mu.Unlock()
	for result.Next() {
		row := result.Row()
		if row[0] == nil || row[1] == nil {
			continue
		}
		p, okP := integer(*row[0])
		last, okS := integer(*row[1])
		if okP && okS && p >= 0 && int(p) < len(s.Next) {
			s.Next[p] = max(s.Next[p], last-s.First[p]+1)
		}
	}
	return result.Err()
}

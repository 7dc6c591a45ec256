package local

import (
	"time"
)

// book is what survives a restart. Workspace.mu guards it.
type book struct {
	Schema      int               `json:"schema"`
	Clock       time.Time         `json:"clock"`
	SeedPending bool              `json:"seed_pending,omitempty"`
	LastID      int64             `json:"last_id"`
	Jobs        map[int64]*job    `json:"jobs"`
	Runs        map[int64]*jobRun `json:"runs"`
	Tokens      map[string]int64  `json:"tokens"` // idempotency token to run
	Files       map[string]*file  `json:"files"`
	Owners      map[string]string `json:"owners,omitempty"` // by full table name
	Grants      map[int64][]any   `json:"grants,omitempty"` // access control lists by job
	Feeds       []*feedSegment    `json:"feeds,omitempty"`
	NextTTL     time.Time         `json:"next_ttl,omitzero"`
}

const bookSchema = 1

func newBook(start time.Time, seed bool) *book {
	b := &book{Schema: bookSchema, Clock: start, SeedPending: seed, LastID: 100_000_000_000}
	b.fill()
	return b
}

func (b *book) fill() {
	if b.Jobs == nil {
		b.Jobs = map[int64]*job{}
	}
	if b.Runs == nil {
		b.Runs = map[int64]*jobRun{}
	}
	if b.Tokens == nil {
		b.Tokens = map[string]int64{}
	}
	if b.Files == nil {
		b.Files = map[string]*file{}
	}
	if b.Owners == nil {
		b.Owners = map[string]string{}
	}
	if b.Grants == nil {
		b.Grants = map[int64][]any{}
	}
}

// newID gives out ids that grow, with gaps as on Databricks, and stay exact in a float64.
func (b *book) newID() int64 {
	b.LastID += 1_009
	return b.LastID
}

// changed marks the book as newer than its file. The caller holds w.mu.
func (w *Workspace) changed() { w.dirty = true }

// save writes the book if it changed.
func (w *Workspace) save() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dirty {
		return nil
	}
	return w.saveLocked()
}

// saveNow writes the book, also when only the clock moved.
func (w *Workspace) saveNow() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saveLocked()
}

func (w *Workspace) saveLocked() error {
	w.book.Clock = w.clock.Now()
	if err := w.dir.write(w.book); err != nil {
		return err
	}
	w.dirty = false
	return nil
}

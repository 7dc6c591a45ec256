//go:build cgo

package duck

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// work is one statement at work: its connection in its transaction, and the catalog as the statement sees it.
type work struct {
	conn *connection
	// catalog is the published one, or a writer's clone; before is the one it was cloned from.
	catalog, before *catalog
	statement       engine.Statement
	session         dialect.Session
	now             time.Time
	zone            *time.Location
	// depth counts views inside views.
	depth int
	// temporary names the scratch tables of the statement.
	temporary []string
}

// Run executes one statement.
func (e *Engine) Run(ctx context.Context, s engine.Statement) (engine.Result, error) {
	w, err := newWork(s)
	if err != nil {
		return nil, err
	}
	parsed, err := dialect.Parse(s.Text, w.session)
	if err != nil {
		return nil, err
	}
	var r engine.Result
	switch st := parsed.(type) {
	case *dialect.Query:
		r, err = e.stream(ctx, w, st)
	case *dialect.SetTimeZone:
		// A session belongs to the caller, who completes later statements with it; USE is the same, once its schema is there.
		r = &answer{}
	default:
		if command := w.reader(parsed); command != nil {
			r, err = e.read(ctx, w, command)
		} else {
			r, err = e.write(ctx, w, w.writer(parsed))
		}
	}
	if err != nil {
		return nil, mapped(err)
	}
	return r, nil
}

func newWork(s engine.Statement) (*work, error) {
	if s.Catalog == "" {
		s.Catalog = mainCatalog
	}
	if s.Schema == "" {
		s.Schema = defaultSchema
	}
	if s.Zone == "" {
		s.Zone = "UTC"
	}
	zone, err := dialect.LoadZone(s.Zone)
	if err != nil {
		return nil, err
	}
	return &work{
		statement: s, now: s.Now.UTC(), zone: zone,
		session: dialect.Session{Catalog: s.Catalog, Schema: s.Schema, Zone: s.Zone, User: s.User, Now: s.Now, Parameters: s.Parameters},
	}, nil
}

// mapped turns DuckDB's own message into Spark's class; everything else passes.
func mapped(err error) error {
	var own *duckError
	if errors.As(err, &own) {
		if _, rest, ok := strings.Cut(own.message, notNullMark); ok {
			name, _, _ := strings.Cut(rest, notNullMark)
			return newError("DELTA_NOT_NULL_CONSTRAINT_VIOLATED", "NOT NULL constraint violated for column: %s.", name)
		}
		if _, rest, ok := strings.Cut(own.message, generatedMark); ok {
			name, _, _ := strings.Cut(rest, generatedMark)
			return newError("DELTA_VIOLATE_CONSTRAINT_WITH_VALUES", "CHECK constraint Generated Column (`%s`) violated: the value given is not the generated one.", name)
		}
		return dialect.MapError(own)
	}
	return err
}

// command is a statement's work; nil answers with nothing.
type command func(ctx context.Context) (*answer, error)

// begin starts a transaction that sees the database and the catalog at one moment.
func (e *Engine) begin(ctx context.Context, w *work) error {
	c, err := e.db.acquire(ctx)
	if err != nil {
		return err
	}
	w.conn = c
	e.gate.RLock()
	defer e.gate.RUnlock()
	if _, err := c.exec(ctx, "BEGIN TRANSACTION"); err != nil {
		e.db.discard(c)
		return err
	}
	// DuckDB takes its snapshot when the transaction first reads.
	if _, err := c.exec(ctx, "SELECT 1 FROM wt.objects LIMIT 1"); err != nil {
		e.abandon(ctx, w)
		return err
	}
	w.catalog = e.current
	return nil
}

// abandon rolls back and gives the connection back.
func (e *Engine) abandon(ctx context.Context, w *work) {
	if _, err := w.conn.exec(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		e.db.discard(w.conn)
		return
	}
	e.db.release(w.conn)
}

func (e *Engine) read(ctx context.Context, w *work, run command) (engine.Result, error) {
	if err := e.begin(ctx, w); err != nil {
		return nil, err
	}
	defer e.abandon(ctx, w)
	a, err := run(ctx)
	if err != nil {
		return nil, err
	}
	if a == nil {
		a = &answer{}
	}
	return a, nil
}

// stream compiles a query and hands its rows to the caller, who holds the transaction until the result is closed.
func (e *Engine) stream(ctx context.Context, w *work, q *dialect.Query) (engine.Result, error) {
	if err := e.begin(ctx, w); err != nil {
		return nil, err
	}
	compiled, err := w.compile(ctx, q)
	if err != nil {
		e.abandon(ctx, w)
		return nil, err
	}
	r, err := w.conn.query(ctx, compiled.SQL)
	if err != nil {
		e.abandon(ctx, w)
		return nil, err
	}
	return &stream{rows: r, columns: compiled.Columns, format: newFormat(compiled.Columns, w.zone), end: func() { e.abandon(ctx, w) }}, nil
}

// write runs a command that may commit. It commits whole or not at all.
func (e *Engine) write(ctx context.Context, w *work, run command) (engine.Result, error) {
	select {
	case e.writer <- struct{}{}:
		defer func() { <-e.writer }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := e.begin(ctx, w); err != nil {
		return nil, err
	}
	w.before, w.catalog = w.catalog, w.catalog.clone()
	a, err := run(ctx)
	if err == nil {
		err = w.dropScratch(ctx)
	}
	if err == nil && !e.inMemory { // nobody opens it again
		err = w.persist(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		e.abandon(ctx, w)
		return nil, err
	}
	if err := e.commit(ctx, w); err != nil {
		return nil, err
	}
	e.pack(ctx)
	if a == nil {
		a = &answer{}
	}
	return a, nil
}

// packEvery is how many written rows a database in memory holds before they are packed.
const packEvery = 1_000_000

// pack compresses a database in memory and frees what deleted rows hold. While somebody reads DuckDB refuses; the next
// commit tries again.
func (e *Engine) pack(ctx context.Context) {
	if !e.inMemory || e.written < packEvery {
		return
	}
	c, err := e.db.acquire(ctx)
	if err != nil {
		return
	}
	defer e.db.release(c)
	if _, err := c.exec(ctx, "CHECKPOINT"); err == nil {
		e.written = 0
	}
}

// commit ends the transaction and publishes the catalog. From here on a cancelled context no longer matters.
func (e *Engine) commit(ctx context.Context, w *work) error {
	e.gate.Lock()
	defer e.gate.Unlock()
	if _, err := w.conn.exec(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		e.abandon(ctx, w)
		return err
	}
	e.current = w.catalog
	e.written += w.conn.changed
	w.conn.changed = 0
	e.db.release(w.conn)
	return nil
}

// dropScratch drops the temporary tables of the statement.
func (w *work) dropScratch(ctx context.Context) error {
	for _, name := range w.temporary {
		if _, err := w.conn.exec(ctx, "DROP TABLE IF EXISTS temp."+name); err != nil {
			return err
		}
	}
	return nil
}

// persist writes what the statement changed in the catalog into its transaction.
func (w *work) persist(ctx context.Context) error {
	old := map[int64]*table{}
	for _, t := range w.before.tables {
		old[t.Number] = t
	}
	for _, t := range w.catalog.tables {
		before := old[t.Number]
		delete(old, t.Number)
		if before == t {
			continue
		}
		if err := w.persistTable(ctx, before, t); err != nil {
			return err
		}
	}
	for _, t := range old {
		if err := forgetTable(ctx, w.conn, t); err != nil {
			return err
		}
	}
	if w.settingsChanged() {
		return saveSettings(ctx, w.conn, w.catalog)
	}
	return nil
}

func (w *work) persistTable(ctx context.Context, before, t *table) error {
	if err := saveTable(ctx, w.conn, t); err != nil {
		return err
	}
	if err := saveCommits(ctx, w.conn, before, t); err != nil {
		return err
	}
	return saveFiles(ctx, w.conn, before, t)
}

func (w *work) settingsChanged() bool {
	if w.before.next != w.catalog.next || len(w.before.catalogs) != len(w.catalog.catalogs) || len(w.before.schemas) != len(w.catalog.schemas) {
		return true
	}
	for k, s := range w.catalog.schemas {
		if w.before.schemas[k] != s {
			return true
		}
	}
	return false
}

// scratch makes a temporary table that ends with the statement.
func (w *work) scratch(ctx context.Context, name, query string) error {
	w.temporary = append(w.temporary, name)
	_, err := w.conn.exec(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS "+query)
	return err
}

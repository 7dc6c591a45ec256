package local

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// statement is one statement sent through the API, with its result.
type statement struct {
	id       string
	external bool
	format   string // JSON_ARRAY or CSV
	zone     string // Z in a session of UTC; another's timestamps are printed without their offset
	limits   limits
	cancel   context.CancelFunc
	done     chan struct{} // closed at the end

	mu       sync.Mutex
	state    string
	polls    int // reads left in PENDING
	failure  *engine.Error
	other    string // a failure without a class
	canceled bool
	columns  []engine.Column
	result   *spill
	ended    time.Time // virtual
	key      string    // lets a link be read without the token
	links    int       // that were given out
}

type limits struct{ rows, bytes int64 }

const (
	inlineLimit  = 25 << 20
	externalLim  = 100 << 30
	resultLife   = time.Hour
	memoryLife   = 12 * time.Hour
	keptResults  = 200
	statementMax = 16 << 20
)

// statementStore keeps statements by id, the newest last.
type statementStore struct {
	mu    sync.Mutex
	byID  map[string]*statement
	order []*statement
}

// add also forgets what is too old by the virtual clock, and the results of all but the newest keptResults.
func (s *statementStore) add(st *statement, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]*statement{}
	}
	s.byID[st.id] = st
	s.order = append(s.order, st)
	for i, o := range s.order {
		if i < len(s.order)-keptResults || o.age(now) > resultLife {
			o.drop()
		}
	}
	for len(s.order) > 10*keptResults || s.order[0].age(now) > memoryLife {
		s.order[0].drop()
		delete(s.byID, s.order[0].id)
		s.order = s.order[1:]
	}
}

func (s *statementStore) get(id string) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// RunningStatements is how many statements of the API are neither at their end nor cancelled.
func (w *Workspace) RunningStatements() int {
	w.results.mu.Lock()
	defer w.results.mu.Unlock()
	n := 0
	for _, st := range w.results.order {
		st.mu.Lock()
		if st.ended.IsZero() && !st.canceled {
			n++
		}
		st.mu.Unlock()
	}
	return n
}

func (s *statementStore) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.order {
		o.drop()
	}
}

// age is how long ago a statement ended; 0 while it runs.
func (st *statement) age(now time.Time) time.Duration {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended.IsZero() {
		return 0
	}
	return now.Sub(st.ended)
}

// drop closes an ended statement: its result is gone.
func (st *statement) drop() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.result != nil && st.state == "SUCCEEDED" {
		st.result.close()
		st.result, st.state = nil, "CLOSED"
	}
}

type statementBody struct {
	Statement     string           `json:"statement"`
	WarehouseID   string           `json:"warehouse_id"`
	Catalog       string           `json:"catalog"`
	Schema        string           `json:"schema"`
	Disposition   string           `json:"disposition"`
	Format        string           `json:"format"`
	WaitTimeout   string           `json:"wait_timeout"`
	OnWaitTimeout string           `json:"on_wait_timeout"`
	RowLimit      json.Number      `json:"row_limit"`
	ByteLimit     json.Number      `json:"byte_limit"`
	Parameters    []statementParam `json:"parameters"`
}

type statementParam struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Value *string `json:"value"`
}

func (w *Workspace) executeStatement(ctx context.Context, c *call) (any, error) {
	var b statementBody
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	patience, err := b.check()
	if err != nil {
		return nil, err
	}
	st := w.start(b, c.user) //nolint:contextcheck // a statement outlives the request that started it
	if patience > 0 && st.polls == 0 {
		t := time.NewTimer(patience)
		defer t.Stop()
		select {
		case <-st.done:
		case <-ctx.Done():
		case <-t.C:
			if b.OnWaitTimeout == "CANCEL" {
				st.stop()
				<-st.done
			}
		}
	}
	return w.statementView(st, patience == 0)
}

// check returns how long to wait for the end.
func (b *statementBody) check() (time.Duration, error) {
	if b.WarehouseID != warehouseID {
		return 0, notFound("The warehouse %q was not found.", b.WarehouseID)
	}
	if b.Statement == "" {
		return 0, badRequest("The statement is empty.")
	}
	if len(b.Statement) > statementMax {
		return 0, badRequest("The statement is longer than 16 MiB.")
	}
	patience := 10 * time.Second
	if b.WaitTimeout != "" {
		d, err := time.ParseDuration(b.WaitTimeout)
		if err != nil || d != 0 && (d < 5*time.Second || d > 50*time.Second) || d%time.Second != 0 {
			return 0, badRequest("Invalid wait_timeout %q: it must be 0s, or between 5s and 50s.", b.WaitTimeout)
		}
		patience = d
	}
	if !slices.Contains([]string{"", "CONTINUE", "CANCEL"}, b.OnWaitTimeout) {
		return 0, badRequest("Invalid on_wait_timeout %q: use CONTINUE or CANCEL.", b.OnWaitTimeout)
	}
	if b.OnWaitTimeout == "CANCEL" && patience == 0 {
		return 0, badRequest("on_wait_timeout CANCEL needs a wait_timeout above 0s.")
	}
	return patience, b.checkResult()
}

func (b *statementBody) checkResult() error {
	switch {
	case !slices.Contains([]string{"", "INLINE", "EXTERNAL_LINKS"}, b.Disposition):
		return badRequest("Invalid disposition %q.", b.Disposition)
	case b.Format == "ARROW_STREAM" && b.Disposition == "EXTERNAL_LINKS":
		return badRequest("Format ARROW_STREAM is not offered by the local workspace: use JSON_ARRAY or CSV.")
	case !slices.Contains([]string{"", "JSON_ARRAY", "CSV", "ARROW_STREAM"}, b.Format):
		return badRequest("Invalid format %q.", b.Format)
	case b.Disposition != "EXTERNAL_LINKS" && b.Format != "" && b.Format != "JSON_ARRAY":
		return badRequest("Disposition INLINE supports format JSON_ARRAY only, not %s.", b.Format)
	}
	for _, n := range []json.Number{b.RowLimit, b.ByteLimit} {
		if v, err := n.Int64(); n != "" && (err != nil || v < 1) {
			return badRequest("Invalid limit %s: it must be at least 1.", n)
		}
	}
	for _, p := range b.Parameters {
		if p.Name == "" {
			return badRequest("A parameter has no name.")
		}
	}
	return nil
}

// start begins a statement in the background.
func (w *Workspace) start(b statementBody, user string) *statement {
	st := &statement{id: newUUID(), external: b.Disposition == "EXTERNAL_LINKS", format: "JSON_ARRAY", zone: "Z", state: "PENDING", done: make(chan struct{}),
		key: rand.Text(), polls: w.Behaviour().ColdPolls}
	if b.Format == "CSV" {
		st.format = "CSV"
	}
	st.limits.rows, _ = b.RowLimit.Int64()
	st.limits.bytes, _ = b.ByteLimit.Int64()
	s := engine.Statement{Text: b.Statement, Catalog: b.Catalog, Schema: b.Schema, User: user, Zone: w.Behaviour().SessionZone}
	if s.Zone != "" {
		st.zone = ""
	}
	for _, p := range b.Parameters {
		s.Parameters = append(s.Parameters, engine.Parameter{Name: p.Name, Type: p.Type, Value: p.Value})
	}
	ctx, cancel := context.WithCancel(w.ctx)
	st.cancel = cancel
	w.results.add(st, w.Now())
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		defer cancel()
		st.set("RUNNING")
		err := w.fetch(ctx, st, s)
		st.finish(ctx, err, w.Now())
		close(st.done)
	}()
	return st
}

func (st *statement) set(state string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.state = state
}

// stop asks for the end. A statement that gets to its end first keeps it: a cancel may lose.
func (st *statement) stop() {
	st.mu.Lock()
	st.canceled = true
	st.mu.Unlock()
	st.cancel()
}

func (st *statement) finish(ctx context.Context, err error, now time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = now
	var class *engine.Error
	switch {
	case err == nil:
		st.state = "SUCCEEDED"
		return
	case errors.As(err, &class):
		st.state, st.failure = "FAILED", class
	case st.canceled || ctx.Err() != nil:
		st.state = "CANCELED"
	default:
		st.state, st.other = "FAILED", err.Error()
	}
	if st.result != nil {
		st.result.close()
		st.result = nil
	}
}

func (w *Workspace) statementOf(c *call) (*statement, error) {
	st := w.results.get(c.PathValue("id"))
	if st == nil {
		return nil, notFound("The statement %s was not found.", c.PathValue("id"))
	}
	return st, nil
}

func (w *Workspace) getStatement(_ context.Context, c *call) (any, error) {
	st, err := w.statementOf(c)
	if err != nil {
		return nil, err
	}
	return w.statementView(st, false)
}

func (w *Workspace) cancelStatement(_ context.Context, c *call) (any, error) {
	st, err := w.statementOf(c)
	if err != nil {
		return nil, err
	}
	st.stop()
	return map[string]any{}, nil
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func conflict(message string) error {
	return &apiError{http.StatusConflict, "RESOURCE_CONFLICT", message}
}

package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

const (
	warehouseID = "77a7e5710ca1c0de"
	ownerName   = "owner@workspace.local"
	workspaceID = "7700000000000001"
)

// Workspace is an open workspace. It is safe for concurrent use.
type Workspace struct {
	options  Options
	token    string
	engine   engine.Engine
	owned    bool
	clock    *clock
	recorder recorder
	faults   faults
	tokens   tokenStore
	results  statementStore
	dir      *directory

	listener net.Listener
	server   *http.Server
	mux      *http.ServeMux

	ctx  context.Context // ends with Close: the one root of what runs in the background
	stop context.CancelFunc
	work sync.WaitGroup // runs and statements in the background
	slot chan struct{}  // bounds the runs that execute at once
	step sync.Mutex     // one Advance at a time

	mu        sync.Mutex // guards what follows
	book      *book
	dirty     bool
	behaviour Behaviour
	executing map[int64]context.CancelCauseFunc
	scripts   []*Script
	durations map[string]time.Duration
	races     map[int64]bool
	altered   map[string]int // platform keys by table
	turn      uint64
	closed    bool
}

// Open starts a workspace and serves it. A state directory held by another process is ErrInUse, one that cannot be read
// is ErrCorrupt; in both cases nothing has been changed.
func Open(ctx context.Context, o Options) (*Workspace, error) {
	w := &Workspace{options: o, token: o.Token, behaviour: o.Behaviour, slot: make(chan struct{}, 8),
		executing: map[int64]context.CancelCauseFunc{}, durations: map[string]time.Duration{}, races: map[int64]bool{}, altered: map[string]int{}}
	if w.token == "" {
		b := make([]byte, 20)
		if _, err := rand.Read(b); err != nil {
			return nil, fmt.Errorf("make a token: %w", err)
		}
		w.token = "local-" + hex.EncodeToString(b)
	}
	w.faults.add(o.Faults...)
	w.ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(err, w.release()) //nolint:contextcheck // what was opened is released also when ctx has ended
	}
	w.server = &http.Server{Handler: http.HandlerFunc(w.serve), ReadHeaderTimeout: 30 * time.Second}
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
			w.options.logf("serve: %v", err)
		}
	}()
	return w, nil
}

func (w *Workspace) open(ctx context.Context) error {
	var err error
	if w.listener, err = listen(ctx, w.options.Listen, w.options.AnyAddress); err != nil {
		return err
	}
	if w.dir, err = openDirectory(w.options.Dir); err != nil {
		return err
	}
	w.book, err = w.dir.read()
	if err != nil {
		return err
	}
	fresh := w.book == nil
	if fresh {
		w.book = newBook(w.options.bookStart(time.Now()), !w.options.Empty)
	}
	w.clock = newClock(w.book.Clock)
	w.mux = w.routes()
	if w.engine = w.options.Engine; w.engine == nil {
		if w.engine, err = openEngine(ctx, w.dir.root()); err != nil {
			return w.unopened(ctx, err, fresh)
		}
		w.owned = true
	}
	if fresh {
		if err := w.dir.write(w.book); err != nil {
			return err
		}
	}
	if w.book.SeedPending {
		if err := w.seed(ctx); err != nil {
			return fmt.Errorf("fill the new workspace: %w", err)
		}
		return w.saveNow()
	}
	if !fresh {
		return w.resume(ctx)
	}
	return nil
}

// unopened tells tables that cannot be read from an engine that is not there.
func (w *Workspace) unopened(ctx context.Context, err error, fresh bool) error {
	if fresh || ctx.Err() != nil || errors.Is(err, ErrNoEngine) {
		return err
	}
	return fmt.Errorf("%w: %s: %w; nothing was changed: restore that file, or move %s away to start anew",
		ErrCorrupt, filepath.Join(w.dir.root(), tablesName), err, w.dir.root())
}

// Close ends the server, cancels what runs, saves and releases the state. It can be called twice.
func (w *Workspace) Close() error {
	w.mu.Lock()
	again := w.closed
	w.closed = true
	w.mu.Unlock()
	if again {
		return nil
	}
	return w.release()
}

func (w *Workspace) release() error {
	w.stop()
	var errs []error
	if w.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		if w.server.Shutdown(ctx) != nil {
			errs = append(errs, w.server.Close())
		}
		cancel()
	} else if w.listener != nil {
		errs = append(errs, w.listener.Close())
	}
	w.step.Lock() // an Advance that was on its way has ended
	defer w.step.Unlock()
	w.work.Wait()
	w.results.clear()
	if w.server != nil {
		errs = append(errs, w.saveNow())
	}
	if w.owned && w.engine != nil {
		errs = append(errs, w.engine.Close())
	}
	errs = append(errs, w.dir.close())
	return errors.Join(errs...)
}

// Host is the URL of the workspace, without a slash at the end.
func (w *Workspace) Host() string { return "http://" + w.listener.Addr().String() }

// Token is the bearer token of the workspace's user.
func (w *Workspace) Token() string { return w.token }

// WarehouseID names the one SQL warehouse.
func (w *Workspace) WarehouseID() string { return warehouseID }

// Now reads the virtual clock.
func (w *Workspace) Now() time.Time { return w.clock.Now() }

// SetBehaviour replaces the switches.
func (w *Workspace) SetBehaviour(b Behaviour) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.behaviour = b
}

// Behaviour returns the switches.
func (w *Workspace) Behaviour() Behaviour {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.behaviour
}

//go:build cgo

package duck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Options of Open. The zero value is an engine in memory.
type Options struct {
	// Dir holds the database and what it spills. Empty: memory, and a temporary folder for the spill.
	Dir string
	// MemoryMiB bounds DuckDB's own memory; 0 is 512. Threads is how many it computes with; 0 is 2.
	MemoryMiB, Threads int
}

const (
	defaultMemoryMiB = 512
	defaultThreads   = 2
	databaseFile     = "tables.duckdb"
	idleConnections  = 4
)

// database is an open DuckDB with a pool of connections.
type database struct {
	handle bindings.Database
	spill  string
	// setup runs once on every connection.
	setup []string

	mu     sync.Mutex
	idle   []*connection
	closed bool
	open   sync.WaitGroup
}

func openDatabase(ctx context.Context, o Options, setup []string) (*database, error) {
	d := &database{setup: setup}
	path := ":memory:"
	if o.Dir != "" {
		path = filepath.Join(o.Dir, databaseFile)
		d.spill = filepath.Join(o.Dir, "spill")
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("open engine: %w", err)
		}
	} else {
		folder, err := os.MkdirTemp("", "watertight-spill-*")
		if err != nil {
			return nil, fmt.Errorf("open engine: %w", err)
		}
		d.spill = folder
	}
	if err := d.start(path, o); err != nil {
		_ = os.RemoveAll(d.spill)
		return nil, fmt.Errorf("open engine %s: %w", path, err)
	}
	c, err := d.acquire(ctx)
	if err != nil {
		_ = d.close()
		return nil, err
	}
	err = defineHash(c.handle)
	d.release(c)
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *database) start(path string, o Options) error {
	var config bindings.Config
	if bindings.CreateConfig(&config) == bindings.StateError {
		return errors.New("no configuration")
	}
	defer bindings.DestroyConfig(&config)
	memory, threads := o.MemoryMiB, o.Threads
	if memory == 0 {
		memory = defaultMemoryMiB
	}
	if threads == 0 {
		threads = defaultThreads
	}
	for _, option := range [][2]string{
		{"memory_limit", strconv.Itoa(memory) + "MiB"},
		{"threads", strconv.Itoa(threads)},
		{"temp_directory", d.spill},
		{"autoinstall_known_extensions", "false"},
		{"autoload_known_extensions", "false"},
		{"allow_community_extensions", "false"},
	} {
		if bindings.SetConfig(config, option[0], option[1]) == bindings.StateError {
			return fmt.Errorf("setting %s is refused", option[0])
		}
	}
	var message string
	if bindings.OpenExt(path, &d.handle, config, &message) == bindings.StateError {
		bindings.Close(&d.handle)
		return errors.New(message)
	}
	return nil
}

// acquire gives a connection that is in no transaction. It must go back with release or discard.
func (d *database) acquire(ctx context.Context) (*connection, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errClosed
	}
	d.open.Add(1)
	if n := len(d.idle); n > 0 {
		c := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		return c, nil
	}
	d.mu.Unlock()
	c := &connection{}
	if bindings.Connect(d.handle, &c.handle) == bindings.StateError {
		d.open.Done()
		return nil, errors.New("connect to the engine")
	}
	for _, s := range d.setup {
		if _, err := c.exec(ctx, s); err != nil {
			d.discard(c)
			return nil, fmt.Errorf("prepare connection: %w", err)
		}
	}
	return c, nil
}

func (d *database) release(c *connection) {
	d.mu.Lock()
	if !d.closed && len(d.idle) < idleConnections {
		d.idle = append(d.idle, c)
		d.mu.Unlock()
		d.open.Done()
		return
	}
	d.mu.Unlock()
	d.discard(c)
}

func (d *database) discard(c *connection) {
	bindings.Disconnect(&c.handle)
	d.open.Done()
}

// close waits for statements in flight, then writes everything to the file.
func (d *database) close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	idle := d.idle
	d.idle = nil
	d.mu.Unlock()
	d.open.Wait()
	for _, c := range idle {
		bindings.Disconnect(&c.handle)
	}
	bindings.Close(&d.handle)
	if err := os.RemoveAll(d.spill); err != nil {
		return fmt.Errorf("remove spill: %w", err)
	}
	return nil
}

var errClosed = errors.New("the engine is closed")

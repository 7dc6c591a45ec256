package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	stateName  = "workspace.json"
	tablesName = "tables.duckdb" // as the engine names its file
	lockName   = "lock"
)

// directory is a state directory held by this process; nil means memory.
type directory struct {
	path string
	lock *os.File
}

func openDirectory(path string) (*directory, error) {
	if path == "" {
		return nil, nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	lock, err := lockFile(filepath.Join(path, lockName))
	if err != nil {
		return nil, fmt.Errorf("state directory %s: %w", path, err)
	}
	left, _ := filepath.Glob(filepath.Join(path, stateName+".*")) // of writes that a crash cut short
	for _, name := range left {
		_ = os.Remove(name)
	}
	return &directory{path: path, lock: lock}, nil
}

// root is the folder itself; empty means memory.
func (d *directory) root() string {
	if d == nil {
		return ""
	}
	return d.path
}

// read returns nil for a new directory.
func (d *directory) read() (*book, error) {
	if d == nil {
		return nil, nil
	}
	name := filepath.Join(d.path, stateName)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(d.path, tablesName)); err == nil {
			return nil, fmt.Errorf("%w: %s holds tables (%s) but not the %s that belongs to them: put it back, or start with an empty directory",
				ErrCorrupt, d.path, tablesName, stateName)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read state: %w", err)
	}
	var b book
	if err := decodeJSON(data, &b); err != nil {
		at := line(data, errorOffset(err, len(data)))
		return nil, fmt.Errorf("%w: %s, line %d: %w; nothing was changed: restore that file, or move %s away to start anew", ErrCorrupt, name, at, err, d.path)
	}
	if b.Schema != bookSchema || b.Clock.IsZero() {
		return nil, fmt.Errorf("%w: %s: schema %d, this build reads %d; nothing was changed: use the build that wrote it, or move %s away to start anew",
			ErrCorrupt, name, b.Schema, bookSchema, d.path)
	}
	b.fill()
	return &b, nil
}

// write replaces the state file as a whole: after a crash it is the old one or the new one.
func (d *directory) write(b *book) (err error) {
	if d == nil {
		return nil
	}
	var data bytes.Buffer
	if err := json.NewEncoder(&data).Encode(b); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	f, err := os.CreateTemp(d.path, stateName+".*")
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write state: %w", errors.Join(err, f.Close(), os.Remove(f.Name())))
		}
	}()
	if _, err = f.Write(data.Bytes()); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(d.path, stateName))
}

func (d *directory) close() error {
	if d == nil {
		return nil
	}
	return d.lock.Close()
}

// inUse words the refusal of a second process.
func inUse(holder []byte) error {
	pid := string(bytes.TrimSpace(holder))
	if pid == "" {
		pid = "unknown"
	}
	return fmt.Errorf("%w by process %s: end it, or give this one another directory", ErrInUse, pid)
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

var (
	errNoServer       = errors.New("no local workspace is running")
	errSeveralServers = errors.New("several local workspaces are running")
)

// advertisement is how a running local workspace is found by other shells of the same user. It holds a token: the file is
// readable by its owner only.
type advertisement struct {
	Host        string `json:"host"`
	Token       string `json:"token"`
	WarehouseID string `json:"warehouse_id"`
	PID         int    `json:"pid"`
	State       string `json:"state,omitempty"` // the state directory; empty: memory
}

func advertisements(env *Env) (string, error) {
	cache, err := env.CacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache directory: %w", err)
	}
	return filepath.Join(cache, "watertight", "local"), nil
}

// advertise writes the advertisement as a whole and returns what takes it back.
func advertise(env *Env, a advertisement) (func() error, error) {
	folder, err := advertisements(env)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("advertise the workspace: %w", err)
	}
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	partial, err := os.CreateTemp(folder, ".new-*") // made with mode 0600
	if err != nil {
		return nil, fmt.Errorf("advertise the workspace: %w", err)
	}
	_, err = partial.Write(data)
	name := filepath.Join(folder, strconv.Itoa(a.PID)+".json")
	if err = errors.Join(err, partial.Close()); err == nil {
		err = os.Rename(partial.Name(), name)
	}
	if err != nil {
		return nil, fmt.Errorf("advertise the workspace: %w", errors.Join(err, os.Remove(partial.Name())))
	}
	return func() error { return os.Remove(name) }, nil
}

// running lists the local workspaces that answer. Advertisements of servers that have died are removed.
func running(ctx context.Context, env *Env) ([]advertisement, error) {
	folder, err := advertisements(env)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for local workspaces: %w", err)
	}
	var alive []advertisement
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		name := filepath.Join(folder, entry.Name())
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it ended just now
		}
		if err != nil {
			return nil, fmt.Errorf("read an advertisement: %w", err)
		}
		var a advertisement
		if json.Unmarshal(data, &a) == nil && newControl(a.Host, a.Token).answers(ctx) {
			alive = append(alive, a)
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fmt.Fprintf(env.Stderr, "process %s no longer serves a workspace: its advertisement is removed\n", strings.TrimSuffix(entry.Name(), ".json"))
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove a stale advertisement: %w", err)
		}
	}
	return alive, nil
}

// theServer is the local workspace meant: that of a process, or the only one there is.
func theServer(ctx context.Context, env *Env, pid int) (advertisement, error) {
	alive, err := running(ctx, env)
	if err != nil {
		return advertisement{}, err
	}
	if pid != 0 {
		for _, a := range alive {
			if a.PID == pid {
				return a, nil
			}
		}
		return advertisement{}, &hinted{fmt.Errorf("%w in process %d", errNoServer, pid), listed(alive)}
	}
	switch len(alive) {
	case 0:
		return advertisement{}, &hinted{errNoServer, "Start one in another terminal: watertight local serve"}
	case 1:
		return alive[0], nil
	}
	return advertisement{}, &hinted{errSeveralServers, "Choose one with --pid. " + listed(alive)}
}

func listed(alive []advertisement) string {
	if len(alive) == 0 {
		return "None is running. Start one in another terminal: watertight local serve"
	}
	var b strings.Builder
	b.WriteString("Running are:")
	for _, a := range alive {
		state := "in memory"
		if a.State != "" {
			state = "state in " + a.State
		}
		fmt.Fprintf(&b, "\n  process %d at %s, %s", a.PID, a.Host, state)
	}
	return b.String()
}

package workspace_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// naps are waits that take no time and are remembered.
type naps struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	return ctx.Err()
}

func (n *naps) total() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	var sum time.Duration
	for _, d := range n.taken {
		sum += d
	}
	return sum
}

var start = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

const token = "dapi-secret-of-the-test"

func open(t *testing.T, change ...func(*local.Options)) *local.Workspace {
	t.Helper()
	o := local.Options{Start: start, Empty: true, Token: token, Log: t.Output()}
	for _, c := range change {
		c(&o)
	}
	w, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

// client is kept from the environment and files of whoever runs the tests by naming everything that they could fill.
func client(t *testing.T, w *local.Workspace, change ...func(*workspace.Config)) *workspace.Client {
	t.Helper()
	n := &naps{}
	c := workspace.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", WarehouseID: w.WarehouseID(), RateLimit: 1000,
		RetryTimeout: time.Minute, UserAgent: "watertight/test", Sleep: n.sleep}
	for _, f := range change {
		f(&c)
	}
	client, err := workspace.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// both is a workspace and its client.
func both(t *testing.T) (*local.Workspace, *workspace.Client) {
	t.Helper()
	w := open(t)
	return w, client(t, w)
}

func aJob(name string, tasks ...any) map[string]any {
	if tasks == nil {
		tasks = []any{task("load")}
	}
	return map[string]any{"name": name, "queue": map[string]any{"enabled": true}, "tasks": tasks}
}

func task(key string, needs ...string) map[string]any {
	t := map[string]any{"task_key": key, "spark_python_task": map[string]any{"python_file": "/Shared/" + key + ".py"}}
	var depends []any
	for _, n := range needs {
		depends = append(depends, map[string]any{"task_key": n})
	}
	if depends != nil {
		t["depends_on"] = depends
	}
	return t
}

func created(t *testing.T, c *workspace.Client, settings map[string]any) int64 {
	t.Helper()
	id, err := c.CreateJob(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

package workspace_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/uuid"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// The same life of a job on the local workspace and, by `make testacc`, on the one that the environment names.
func TestLife(t *testing.T) {
	t.Parallel()
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		_, c := both(t)
		live(t, c)
	})
	t.Run("real", func(t *testing.T) {
		if os.Getenv("TF_ACC") == "" || os.Getenv("DATABRICKS_HOST") == "" {
			t.Skip("no workspace is named: set TF_ACC=1, DATABRICKS_HOST and credentials")
		}
		c, err := workspace.New(workspace.Config{UserAgent: "watertight/test"})
		if err != nil {
			t.Fatal(err)
		}
		live(t, c)
	})
}

// live makes a job that nothing starts, under a name of its own, and leaves nothing behind.
func live(t *testing.T, c *workspace.Client) {
	t.Helper()
	ctx := t.Context()
	name := "watertight_test_" + uuid.NewString()
	id := created(t, c, aJob(name, task("load"), task("count", "load")))
	gone := false
	t.Cleanup(func() {
		if !gone {
			if err := c.DeleteJob(context.WithoutCancel(ctx), id); err != nil {
				t.Errorf("job %d is left behind: %v", id, err)
			}
		}
	})
	j, err := c.Job(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if tasks, ok := j.Settings["tasks"].([]any); !ok || len(tasks) != 2 || j.Settings["name"] != name || j.RunAs == "" {
		t.Errorf("job %d: %v, run as %q", id, j.Settings, j.RunAs)
	}
	if found, err := c.FindJob(ctx, name); err != nil || found.ID != id {
		t.Errorf("find %s: job %d, %v", name, found.ID, err)
	}
	if err := c.ResetJob(ctx, id, aJob(name)); err != nil {
		t.Fatal(err)
	}
	if j, err = c.Job(ctx, id); err != nil || len(j.Settings["tasks"].([]any)) != 1 {
		t.Errorf("after the reset: %v, %v", j.Settings, err)
	}
	if err := c.DeleteJob(ctx, id); err != nil {
		t.Fatal(err)
	}
	gone = true
	if _, err := c.Job(ctx, id); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("the deleted job: %v", err)
	}
	if c.WarehouseID() == "" {
		return
	}
	rows, err := c.Query(ctx, "SELECT CAST(7 AS BIGINT) AS seven")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatalf("no row: %v", rows.Err())
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Error(err)
	}
}

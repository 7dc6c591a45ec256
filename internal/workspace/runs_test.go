package workspace_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func started(t *testing.T, c *workspace.Client, job int64, token string) int64 {
	t.Helper()
	id, err := c.RunNow(t.Context(), workspace.RunNow{JobID: job, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// R04 apache/airflow#33882: each state comes through as it is, unknown ones too.
func TestRunStates(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id := created(t, c, aJob("load"))
	steps := []local.Step{{LifeCycle: "QUEUED", QueueReason: "one is active"}, {LifeCycle: "BLOCKED"}, {LifeCycle: "WAITING_FOR_RETRY"}, {LifeCycle: "NEW_STATE_X"}, {LifeCycle: "TERMINATED", Result: "SUCCESS"}}
	w.AddScript(local.Script{Job: "load", Steps: steps})
	runID := started(t, c, id, "t")
	for i, want := range steps {
		r, err := c.Run(t.Context(), runID)
		if err != nil {
			t.Fatal(err)
		}
		if r.LifeCycle != want.LifeCycle || r.Result != want.Result || r.QueueReason != want.QueueReason {
			t.Errorf("poll %d: %+v", i, r)
		}
		if last := i == len(steps)-1; r.Outcome().Final() != last || last != (r.Outcome() == run.Succeeded) {
			t.Errorf("poll %d: %s", i, r.Outcome())
		}
		if r.ID != runID || r.JobID != id || r.JobName != "load" || r.Started.IsZero() || r.URL == "" || r.Trigger != "ONE_TIME" {
			t.Errorf("poll %d: %+v", i, r)
		}
	}
}

// R13 apache/airflow#72304: the failed task may be on a later page.
func TestRunReadsAllPages(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	var tasks []any
	for i := range 130 {
		tasks = append(tasks, task(fmt.Sprintf("t%03d", i)))
	}
	id := created(t, c, aJob("big", tasks...))
	w.AddScript(local.Script{Job: "big", Steps: []local.Step{{LifeCycle: "TERMINATED", Result: "FAILED", Message: "one failed",
		Tasks: []local.TaskStep{{Key: "t117", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table", Trace: "at line 3"}}}}})
	r, err := c.Run(t.Context(), started(t, c, id, "t"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, task := range r.Tasks {
		if task.Key == "t117" {
			found++
			if task.Message != "no such table" || task.Result != "FAILED" {
				t.Errorf("%+v", task)
			}
			// R12 databricks/databricks-sdk-py#997: output is asked of the task's run.
			if o, err := c.RunOutput(t.Context(), task.RunID); err != nil || o.Error == "" || o.Trace != "at line 3" {
				t.Errorf("%+v, %v", o, err)
			}
		}
	}
	if len(r.Tasks) != 130 || found != 1 {
		t.Errorf("%d tasks, %d times the failed one", len(r.Tasks), found)
	}
	w.AddFault(local.Fault{Route: runsGet, Call: 2, Status: 400, Body: `{"error_code":"X","message":"page 2"}`})
	if r, err := c.Run(t.Context(), r.ID); err == nil || len(r.Tasks) > 0 {
		t.Errorf("a page that fails: %d tasks, %v", len(r.Tasks), err)
	}
}

func TestMissingRun(t *testing.T) {
	t.Parallel()
	_, c := both(t)
	if _, err := c.Run(t.Context(), 987654); !errors.Is(err, workspace.ErrNotFound) || !strings.Contains(err.Error(), "987654") {
		t.Errorf("got %v", err)
	}
	if err := c.CancelRun(t.Context(), 987654); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestRunsAndCancel(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id, other := created(t, c, aJob("load")), created(t, c, aJob("other"))
	const many = 60
	w.AddScript(local.Script{Job: "load", Runs: many, Steps: []local.Step{{LifeCycle: "TERMINATED", Result: "SUCCESS"}}})
	w.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	started(t, c, other, "other")
	var half time.Time
	for i := range many {
		runID := started(t, c, id, fmt.Sprint("t", i))
		r, err := c.Run(t.Context(), runID)
		if err != nil {
			t.Fatal(err)
		}
		if i == many/2 {
			half = r.Started
		}
	}
	active := started(t, c, id, "active")
	count := func(f workspace.RunFilter) (n int, ids []int64) {
		for r, err := range c.Runs(t.Context(), f) {
			if err != nil {
				t.Fatal(err)
			}
			if f.JobID != 0 && r.JobID != f.JobID {
				t.Errorf("a run of job %d", r.JobID)
			}
			ids = append(ids, r.ID)
		}
		return len(ids), ids
	}
	if n, _ := count(workspace.RunFilter{JobID: id}); n != many+1 {
		t.Errorf("%d runs", n)
	}
	if n, ids := count(workspace.RunFilter{JobID: id, Active: true}); n != 1 || ids[0] != active {
		t.Errorf("%d active runs: %v", n, ids)
	}
	if n, _ := count(workspace.RunFilter{JobID: id, Completed: true, Since: half}); n != many-many/2 {
		t.Errorf("%d runs since %s", n, half)
	}
	if err := c.CancelRun(t.Context(), active); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if r, err := c.Run(t.Context(), active); err != nil || r.Outcome() == run.Canceled {
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the run was not cancelled")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	ctx := t.Context()
	const name = "/Shared/.watertight/deep/optimize.sql"
	content := []byte("-- Databricks notebook source\nSELECT 'ü';\n")
	if err := c.ImportFile(ctx, name, content, false); err != nil {
		t.Fatal(err)
	}
	got, err := c.ReadFile(ctx, name)
	if d := cmp.Diff(string(content), string(got)); d != "" || err != nil {
		t.Error(d, err)
	}
	if err := c.ImportFile(ctx, name, content, false); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("a file that is there: %v", err)
	}
	w.ResetRequests()
	if err := c.ImportFile(ctx, name, []byte("SELECT 2"), true); err != nil || w.Count("POST", "workspace/mkdirs") != 0 {
		t.Errorf("overwritten with %d folders made: %v", w.Count("POST", "workspace/mkdirs"), err)
	}
	if err := c.DeleteFile(ctx, name); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReadFile(ctx, name); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := c.DeleteFile(ctx, name); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if err := c.ImportFile(ctx, name, make([]byte, 11<<20), true); err == nil {
		t.Error("11 MiB were sent")
	}
}

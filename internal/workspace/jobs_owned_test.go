package workspace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const ownerTag = "watertight_owner"

func anOwnedJob(name, owner string) map[string]any {
	j := aJob(name)
	j["tags"] = map[string]any{ownerTag: owner}
	return j
}

func named(t *testing.T, c *workspace.Client, name string) []workspace.Job {
	t.Helper()
	found, err := c.JobsNamed(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// R07 databricks/databricks-sdk-go#733: a 504 may have acted. The job is looked for by its tag; there is one request to
// create, and one job, which is not that of somebody else with the same name.
func TestCreateOwnedJobFindsWhatWasMade(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]local.Fault{
		"504 after it acted":   {ActThenStatus: true, Status: 504},
		"reset after it acted": {ActThenReset: true},
		"the body is cut":      {CutBody: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c := both(t)
			created(t, c, anOwnedJob("load", "another"))
			f.Route, f.Call = "/api/2.2/jobs/create", 1
			w.AddFault(f)
			w.ResetRequests()
			id, err := c.CreateOwnedJob(t.Context(), anOwnedJob("load", "mine"), ownerTag)
			if err != nil {
				t.Fatal(err)
			}
			j, err := c.Job(t.Context(), id)
			if err != nil || jobspec.Tags(j.Settings)[ownerTag] != "mine" {
				t.Errorf("%v, %v", j.Settings, err)
			}
			if n, m := w.Count("POST", "/api/2.2/jobs/create"), len(named(t, c, "load")); n != 1 || m != 2 {
				t.Errorf("%d requests, %d jobs", n, m)
			}
		})
	}
}

// A job that does not show up leaves the call uncertain: it may still be on its way.
func TestCreateOwnedJobStaysUncertain(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := &naps{}
	c := client(t, w, func(c *workspace.Config) { c.Sleep = n.sleep })
	created(t, c, anOwnedJob("load", "another"))
	w.AddFault(local.Fault{Route: "/api/2.2/jobs/create", Call: 1, Status: 504})
	if _, err := c.CreateOwnedJob(t.Context(), anOwnedJob("load", "mine"), ownerTag); !errors.Is(err, workspace.ErrUncertain) {
		t.Errorf("got %v", err)
	}
	if got := w.Count("GET", "/api/2.2/jobs/list"); got != 4 || n.total() == 0 {
		t.Errorf("%d look-ups, %s between them", got, n.total())
	}
	if got := len(named(t, c, "load")); got != 1 {
		t.Errorf("%d jobs", got)
	}
}

// A deadline that ends in the middle of the call does not lose the job that the call made.
func TestCreateOwnedJobOutlivesItsDeadline(t *testing.T) {
	t.Parallel()
	w := open(t)
	watcher := client(t, w)
	c := client(t, w, func(c *workspace.Config) {
		c.Sleep = func(ctx context.Context, _ time.Duration) error {
			for ctx.Err() == nil && len(named(t, watcher, "load")) == 0 {
			}
			return ctx.Err()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	w.AddFault(local.Fault{Route: "/api/2.2/jobs/create", Call: 1, Delay: 600 * time.Millisecond})
	id, err := c.CreateOwnedJob(ctx, anOwnedJob("load", "mine"), ownerTag)
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil || w.Count("POST", "/api/2.2/jobs/create") != 1 {
		t.Error("the deadline was to end first, and the request to be sent once")
	}
	if j, err := c.Job(t.Context(), id); err != nil || jobspec.Tags(j.Settings)[ownerTag] != "mine" {
		t.Errorf("%v, %v", j.Settings, err)
	}
}

// The error of a deadline says which one it was.
func TestDeadlineIsNamed(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	ran := errors.New("timeouts.read of 50 ms ran out")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, ran)
	defer cancel()
	w.AddFault(local.Fault{Route: "/api/2.2/jobs/get", Delay: 300 * time.Millisecond})
	if _, err := c.Job(ctx, 7); !errors.Is(err, ran) || w.Count("GET", "/api/2.2/jobs/get") > 1 {
		t.Errorf("got %v", err)
	}
}

// J06 databricks/terraform-provider-databricks#4267: a write of a continuous job races the service's own start. It is
// sent again, and not for ever.
func TestConflictOfAWritePasses(t *testing.T) {
	t.Parallel()
	conflict := local.Fault{Route: "/api/2.2/jobs/reset", Call: 1, Status: 409, Body: `{"error_code":"RESOURCE_CONFLICT","message":"the job was triggered at the same time"}`}
	w, c := both(t)
	id := created(t, c, aJob("load"))
	w.AddFault(conflict)
	if err := c.ResetJob(t.Context(), id, aJob("again")); err != nil || len(named(t, c, "again")) != 1 {
		t.Errorf("got %v", err)
	}
	w.ClearFaults()
	w.ResetRequests()
	conflict.Times = 1000
	w.AddFault(conflict)
	if err := c.ResetJob(t.Context(), id, aJob("never")); !errors.Is(err, workspace.ErrConflict) || w.Count("POST", "/api/2.2/jobs/reset") != 4 {
		t.Errorf("%d requests, %v", w.Count("POST", "/api/2.2/jobs/reset"), err)
	}
}

// J41 databricks/cli#1515: cancelled runs end later, queued ones too; nothing is left active.
func TestEndRuns(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id := created(t, c, aJob("load"))
	w.SetRunTime("load", time.Hour)
	for _, token := range []string{"a", "b", "c"} {
		if _, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: token}); err != nil {
			t.Fatal(err)
		}
	}
	active := func() (n int) {
		for _, err := range c.Runs(t.Context(), workspace.RunFilter{JobID: id, Active: true}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if active() == 0 {
		t.Fatal("no run is active")
	}
	if err := c.EndRuns(t.Context(), id); err != nil || active() != 0 {
		t.Errorf("%d active, %v", active(), err)
	}
	if n := w.Count("POST", "/api/2.2/jobs/runs/cancel-all"); n == 0 {
		t.Error("nothing was cancelled")
	}
	if n := w.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 2 {
		t.Errorf("%d queued runs were cancelled by themselves, want 2", n)
	}
	w.ResetRequests()
	if err := c.EndRuns(t.Context(), id); err != nil || w.Count("POST", "*") != 0 {
		t.Errorf("an idle job: %v", err)
	}
}

// A run that does not end ends the wait with the caller's deadline, and the error says how many are left.
func TestEndRunsGivesUp(t *testing.T) {
	t.Parallel()
	w := open(t)
	ran := errors.New("timeouts.delete ran out")
	ctx, cancel := context.WithCancelCause(t.Context())
	naps := 0
	c := client(t, w, func(c *workspace.Config) {
		c.Sleep = func(ctx context.Context, _ time.Duration) error {
			if naps++; naps == 5 {
				cancel(ran)
			}
			return context.Cause(ctx)
		}
	})
	id := created(t, c, aJob("load"))
	w.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	w.AddFault(local.Fault{Route: "runs/cancel-all", Status: 200, Body: "{}"}) // it is heard and nothing ends
	if _, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "t"}); err != nil {
		t.Fatal(err)
	}
	err := c.EndRuns(ctx, id)
	if !errors.Is(err, ran) || workspace.HintOf(err) == "" || w.Count("POST", "/api/2.2/jobs/runs/cancel-all") != 1 {
		t.Errorf("got %v after %d requests to cancel", err, w.Count("POST", "/api/2.2/jobs/runs/cancel-all"))
	}
}

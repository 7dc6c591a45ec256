package workspace_test

import (
	"context"
	"errors"
	"testing"
	"time"

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
			if err != nil || j.JobTags()[ownerTag] != "mine" {
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
	if j, err := c.Job(t.Context(), id); err != nil || j.JobTags()[ownerTag] != "mine" {
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

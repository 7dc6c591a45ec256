package workspace_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func TestJobLife(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	ctx := t.Context()
	wanted := aJob("load", task("a"), task("b", "a"))
	wanted["brand_new"] = "dropped by the server, not by us"
	id := created(t, c, wanted)
	if sent := lastBody(t, w, "/api/2.2/jobs/create"); cmp.Diff(wanted["brand_new"], sent["brand_new"]) != "" {
		t.Error("a field that the SDK does not know was not sent")
	}
	delete(wanted, "brand_new")
	j, err := c.Job(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if j.ID != id || j.Creator == "" || j.RunAs == "" || j.Created.IsZero() {
		t.Errorf("%+v", j)
	}
	if d := jobspec.Compare(wanted, j.Settings); len(d) > 0 {
		t.Errorf("what was written differs from what is read: %v", d)
	}
	if err := c.UpdateJob(ctx, id, map[string]any{"timeout_seconds": 9007199254740993}); err != nil {
		t.Fatal(err)
	}
	if j, err = c.Job(ctx, id); err != nil || j.Settings["timeout_seconds"] != json.Number("9007199254740993") {
		t.Errorf("timeout %v, %v", j.Settings["timeout_seconds"], err)
	}
	if err := c.ResetJob(ctx, id, aJob("load")); err != nil {
		t.Fatal(err)
	}
	if j, err = c.Job(ctx, id); err != nil || len(j.Settings["tasks"].([]any)) != 1 {
		t.Errorf("%v, %v", j.Settings, err)
	}
	if err := c.DeleteJob(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteJob(ctx, id); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("a second delete: %v", err)
	}
}

func lastBody(t *testing.T, w *local.Workspace, path string) map[string]any {
	t.Helper()
	var out map[string]any
	for _, r := range w.Requests() {
		if r.Path == path {
			out = nil
			if err := json.Unmarshal([]byte(r.Body), &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// J13 databricks/cli#4675, databricks/databricks-sdk-go#1283: all pages, or an error; never a shorter job.
func TestJobReadsAllPages(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	var tasks []any
	for i := range 250 {
		tasks = append(tasks, task(fmt.Sprintf("t%03d", i)))
	}
	wanted := aJob("big", tasks...)
	id := created(t, c, wanted)
	j, err := c.Job(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if d := jobspec.Compare(wanted, j.Settings); len(d) > 0 {
		t.Errorf("%d differences, the first %+v", len(d), d[0])
	}
	if n := w.Count("GET", "/api/2.2/jobs/get"); n != 3 {
		t.Errorf("%d pages were read", n)
	}
	for _, status := range []int{http.StatusInternalServerError, http.StatusBadRequest, http.StatusForbidden} {
		w.ClearFaults()
		w.AddFault(local.Fault{Method: "GET", Route: "/api/2.2/jobs/get", Call: 3, Times: 1000, Status: status, Body: `{"error_code":"X","message":"page 3"}`})
		if j, err := c.Job(t.Context(), id); err == nil || j.Settings != nil {
			t.Errorf("page 3 answers %d: %d tasks, %v", status, len(j.Settings), err)
		}
	}
	w.ClearFaults()
	w.AddFault(local.Fault{Method: "GET", Route: "/api/2.2/jobs/get", Call: 2, CutBody: true})
	if j, err := c.Job(t.Context(), id); err != nil || len(j.Settings["tasks"].([]any)) != 250 {
		t.Errorf("a page that was cut short is read again: %v", err)
	}
}

// J30 databricks/terraform-provider-databricks#2225, #2217: missing in both forms; a refusal is never "missing".
func TestMissingJob(t *testing.T) {
	t.Parallel()
	const absent = 4242
	for name, c := range map[string]struct {
		behaviour local.Behaviour
		fault     local.Fault
		want      error
		never     []error
	}{
		"404":                      {behaviour: local.Behaviour{MissingJob: 404}, want: workspace.ErrNotFound},
		"400 about the job":        {behaviour: local.Behaviour{MissingJob: 400}, want: workspace.ErrNotFound},
		"400 about another job":    {fault: local.Fault{Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"Job 7 does not exist."}`}, never: []error{workspace.ErrNotFound}},
		"400 about something else": {fault: local.Fault{Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"Cluster 4242 is odd."}`}, never: []error{workspace.ErrNotFound}},
		"403":                      {behaviour: local.Behaviour{DeniedJobs: []int64{absent}}, want: workspace.ErrDenied, never: []error{workspace.ErrNotFound}},
		"401":                      {fault: local.Fault{Status: 401, Body: `{"error_code":401,"message":"no"}`}, want: workspace.ErrUnauthenticated, never: []error{workspace.ErrNotFound}},
		"429 for ever":             {fault: local.Fault{Status: 429, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`}, want: workspace.ErrThrottled, never: []error{workspace.ErrNotFound}},
		"500 for ever":             {fault: local.Fault{Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"oh"}`}, want: workspace.ErrUnavailable, never: []error{workspace.ErrNotFound}},
		"404 page of a proxy":      {fault: local.Fault{Status: 404, ContentType: "text/html", Body: "<html><pre>Not Found</pre></html>"}, never: []error{workspace.ErrNotFound}},
		"404 for an unknown path":  {fault: local.Fault{Status: 404, Body: `{"error_code":"ENDPOINT_NOT_FOUND","message":"No API found"}`}, never: []error{workspace.ErrNotFound}},
		"a page with status 200":   {fault: local.Fault{Status: 200, ContentType: "text/html", Body: "<html>log in</html>"}, never: []error{workspace.ErrNotFound}},
		"an answer about no job":   {fault: local.Fault{Status: 200, Body: `{}`}, never: []error{workspace.ErrNotFound}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, client := both(t)
			w.SetBehaviour(c.behaviour)
			if c.fault.Status != 0 {
				c.fault.Route = "/api/2.2/jobs/get"
				w.AddFault(c.fault)
			}
			_, err := client.Job(t.Context(), absent)
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			for _, never := range c.never {
				if errors.Is(err, never) {
					t.Errorf("%v is taken for %v", err, never)
				}
			}
			if !strings.Contains(err.Error(), "read job 4242") {
				t.Errorf("%v does not name the job", err)
			}
		})
	}
}

func TestMissingJobOfWrites(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 400} {
		w, c := both(t)
		w.SetBehaviour(local.Behaviour{MissingJob: status})
		for name, f := range map[string]func() error{
			"reset":  func() error { return c.ResetJob(t.Context(), 9, aJob("x")) },
			"update": func() error { return c.UpdateJob(t.Context(), 9, map[string]any{}) },
			"delete": func() error { return c.DeleteJob(t.Context(), 9) },
			"run":    func() error { _, err := c.RunNow(t.Context(), workspace.RunNow{JobID: 9, Token: "t"}); return err },
		} {
			if err := f(); !errors.Is(err, workspace.ErrNotFound) {
				t.Errorf("%s with %d: %v", name, status, err)
			}
		}
	}
}

// J39 apache/airflow#21380: names are not unique; ids are printed; the list is asked once, with a filter.
func TestFindJob(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	one := created(t, c, aJob("load"))
	first, second := created(t, c, aJob("twin")), created(t, c, aJob("twin"))
	created(t, c, aJob("TWIN"))
	numeric := created(t, c, aJob("123456"))

	w.ResetRequests()
	if j, err := c.FindJob(t.Context(), "load"); err != nil || j.ID != one || len(j.Settings["tasks"].([]any)) != 1 {
		t.Errorf("by name: %+v, %v", j, err)
	}
	if lists, reads := w.Count("GET", "/api/2.2/jobs/list"), w.Count("GET", "/api/2.2/jobs/get"); lists != 1 || reads != 0 {
		t.Errorf("%d lists and %d reads for one name", lists, reads)
	}
	if q := w.Requests()[len(w.Requests())-1].Query; !strings.Contains(q, "name=load") {
		t.Errorf("the server was not given the name: %s", q)
	}
	if j, err := c.FindJob(t.Context(), fmt.Sprint(one)); err != nil || j.ID != one {
		t.Errorf("by id: %+v, %v", j, err)
	}
	if j, err := c.FindJob(t.Context(), "123456"); err != nil || j.ID != numeric {
		t.Errorf("a name of digits: %+v, %v", j, err)
	}
	w.ResetRequests()
	_, err := c.FindJob(t.Context(), "twin")
	if !errors.Is(err, workspace.ErrAmbiguous) || !strings.Contains(err.Error(), fmt.Sprint(first)) || !strings.Contains(err.Error(), fmt.Sprint(second)) {
		t.Errorf("two of one name: %v", err)
	}
	if n := w.Count("GET", "/api/2.2/jobs/list"); n != 1 {
		t.Errorf("%d lists", n)
	}
	for _, name := range []string{"nobody", "Load", "99"} {
		if _, err := c.FindJob(t.Context(), name); !errors.Is(err, workspace.ErrNotFound) || workspace.HintOf(err) == "" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// J38 databrickslabs/dbx#136 and J40 open-metadata/OpenMetadata#33200: every page, or an error.
func TestJobsReadsAllPages(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	const many = 210
	for i := range many {
		created(t, c, aJob(fmt.Sprintf("job %03d", i)))
	}
	seen := map[string]bool{}
	for j, err := range c.Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		seen[j.Settings["name"].(string)] = true
	}
	if len(seen) != many || w.Count("GET", "/api/2.2/jobs/list") != 3 {
		t.Errorf("%d jobs in %d pages", len(seen), w.Count("GET", "/api/2.2/jobs/list"))
	}
	w.AddFault(local.Fault{Route: "/api/2.2/jobs/list", Call: 3, Status: 400, Body: `{"error_code":"X","message":"third page"}`})
	failed := false
	for _, err := range c.Jobs(t.Context()) {
		failed = failed || err != nil
	}
	if !failed {
		t.Error("a third page that fails ended the list as if there was no more")
	}
}

func TestJobsInAListAreWhole(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	w.SetBehaviour(local.Behaviour{PageSize: 2})
	created(t, c, aJob("five", task("a"), task("b"), task("c"), task("d"), task("e")))
	found, err := c.JobsNamed(t.Context(), "five")
	if err != nil || len(found) != 1 || len(found[0].Settings["tasks"].([]any)) != 5 {
		t.Errorf("%v, %v", found, err)
	}
}

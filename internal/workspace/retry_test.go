package workspace_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const runNow, runsGet = "/api/2.2/jobs/run-now", "/api/2.2/jobs/runs/get"

// R01 databricks/cli#5882, apache/airflow#64828: one token, one run, however often the answer is lost.
func TestRunNowIsRepeatedWithItsToken(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]local.Fault{
		"503 after it acted":   {ActThenStatus: true, Status: 503, Body: `{"error_code":"TEMPORARILY_UNAVAILABLE","message":"later"}`},
		"504 after it acted":   {ActThenStatus: true, Status: 504, ContentType: "text/html", Body: "<html>gateway</html>"},
		"reset after it acted": {ActThenReset: true},
		"reset before":         {Reset: true},
		"the body is cut":      {CutBody: true},
		"429":                  {Status: 429, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`},
		"500 after it acted":   {ActThenStatus: true, Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"oh"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c := both(t)
			id := created(t, c, aJob("load"))
			fault.Route, fault.Call = runNow, 1
			w.AddFault(fault)
			got, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "one-logical-run", Parameters: map[string]string{"p": "1"}})
			if err != nil {
				t.Fatal(err)
			}
			var ids []int64
			for r, err := range c.Runs(t.Context(), workspace.RunFilter{JobID: id}) {
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, r.ID)
			}
			if len(ids) != 1 || ids[0] != got {
				t.Errorf("runs %v, and the call says %d", ids, got)
			}
			sent := 0
			for _, r := range w.Requests() {
				if r.Path == runNow {
					sent++
					if !strings.Contains(r.Body, `"idempotency_token":"one-logical-run"`) {
						t.Errorf("sent without its token: %s", r.Body)
					}
				}
			}
			if sent != 2 {
				t.Errorf("%d requests", sent)
			}
		})
	}
	_, c := both(t)
	for _, token := range []string{"", strings.Repeat("x", 65)} {
		if _, err := c.RunNow(t.Context(), workspace.RunNow{JobID: 1, Token: token}); err == nil {
			t.Errorf("a token of %d characters was sent", len(token))
		}
	}
}

// R01: a token that was used before gives back the old run, with its own outcome.
func TestRunNowWithAnOldToken(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id := created(t, c, aJob("load"))
	w.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table"}}})
	first, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "t"})
	if err != nil || again != first {
		t.Fatalf("%d, then %d, %v", first, again, err)
	}
	if r, err := c.Run(t.Context(), again); err != nil || r.Outcome() != run.Failed {
		t.Errorf("%+v, %v", r, err)
	}
}

// R05 apache/airflow#43128: one failed poll is not the end.
func TestPollsAreRepeated(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := client(t, w, func(c *workspace.Config) { c.HTTPTimeout = time.Second })
	id := created(t, c, aJob("load"))
	w.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}, {LifeCycle: "TERMINATED", Result: "SUCCESS"}}})
	runID, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []local.Fault{
		{Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"oh"}`}, {Status: 503, ContentType: "text/html", Body: "<html>sorry</html>"}, {Reset: true},
		{Delay: 3 * time.Second}, {Status: 429, Headers: map[string]string{"Retry-After": "7"}, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`},
	} {
		f.Route, f.Call = runsGet, i+2
		w.AddFault(f)
	}
	if r, err := c.Run(t.Context(), runID); err != nil || r.Outcome() != run.Active {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := c.Run(t.Context(), runID); err != nil || r.Outcome() != run.Succeeded {
		t.Fatalf("%+v, %v", r, err)
	}
}

// R05: an endless 503 ends within the budget, and cancels nothing.
func TestPollsGiveUp(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := &naps{}
	c := client(t, w, func(c *workspace.Config) { c.Sleep, c.RetryTimeout = n.sleep, 2*time.Minute })
	id := created(t, c, aJob("load"))
	runID, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	w.AddFault(local.Fault{Route: runsGet, Status: 503, Body: `{"error_code":"TEMPORARILY_UNAVAILABLE","message":"later"}`})
	_, err = c.Run(t.Context(), runID)
	if !errors.Is(err, workspace.ErrUnavailable) || errors.Is(err, workspace.ErrUncertain) || errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if got := n.total(); got > 2*time.Minute || got < time.Minute {
		t.Errorf("waited %s of 2 min", got)
	}
	if w.Count("POST", "jobs/runs/cancel") != 0 {
		t.Error("the run was cancelled")
	}
}

// R07 databricks/databricks-sdk-go#733: a POST without a token is not repeated once it may have acted.
func TestCreateJobIsNotRepeatedBlindly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault     local.Fault
		requests  int
		uncertain bool
	}{
		"504 after it acted":   {local.Fault{ActThenStatus: true, Status: 504}, 1, true},
		"503":                  {local.Fault{Status: 503, Body: `{"error_code":"TEMPORARILY_UNAVAILABLE","message":"later"}`}, 1, true},
		"500":                  {local.Fault{Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"oh"}`}, 1, true},
		"reset after it acted": {local.Fault{ActThenReset: true}, 1, true},
		"slow":                 {local.Fault{Delay: 3 * time.Second}, 1, true},
		"the body is cut":      {local.Fault{CutBody: true}, 1, true},
		"no id in the answer":  {local.Fault{ActThenStatus: true, Status: 200, Body: `{}`}, 1, true},
		"a page for an answer": {local.Fault{ActThenStatus: true, Status: 200, ContentType: "text/html", Body: "<html>"}, 1, true},
		"429 did nothing":      {local.Fault{Status: 429, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`}, 2, false},
		"400 did nothing":      {local.Fault{Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"no"}`}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			client := client(t, w, func(c *workspace.Config) { c.HTTPTimeout = time.Second })
			c.fault.Route, c.fault.Call = "/api/2.2/jobs/create", 1
			w.AddFault(c.fault)
			_, err := client.CreateJob(t.Context(), aJob("load"))
			if errors.Is(err, workspace.ErrUncertain) != c.uncertain {
				t.Errorf("got %v", err)
			}
			if c.uncertain && (!strings.Contains(err.Error(), "may have happened") || workspace.HintOf(err) == "") {
				t.Errorf("%v, hint %q", err, workspace.HintOf(err))
			}
			if n := w.Count("POST", "/api/2.2/jobs/create"); n != c.requests {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A replacement and a deletion have the effect of one when they are sent twice.
func TestRepeatableWrites(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id := created(t, c, aJob("load"))
	for route, f := range map[string]func() error{
		"/api/2.2/jobs/reset":       func() error { return c.ResetJob(t.Context(), id, aJob("again")) },
		"/api/2.2/jobs/update":      func() error { return c.UpdateJob(t.Context(), id, map[string]any{"timeout_seconds": 5}) },
		"/api/2.0/workspace/import": func() error { return c.ImportFile(t.Context(), "/Shared/x.sql", []byte("SELECT 1"), true) },
		"/api/2.0/workspace/delete": func() error { return c.DeleteFile(t.Context(), "/Shared/y.sql") },
	} {
		if strings.HasSuffix(route, "workspace/delete") {
			if err := c.ImportFile(t.Context(), "/Shared/y.sql", []byte("SELECT 1"), false); err != nil {
				t.Fatal(err)
			}
		}
		w.AddFault(local.Fault{Route: route, Call: 1, ActThenStatus: true, Status: 504})
		if err := f(); err != nil {
			t.Errorf("%s: %v", route, err)
		}
	}
	w.AddFault(local.Fault{Route: "/api/2.2/jobs/delete", Call: 1, ActThenReset: true})
	if err := c.DeleteJob(t.Context(), id); err != nil {
		t.Errorf("a deletion whose answer was lost: %v", err)
	}
	w.AddFault(local.Fault{Route: "/api/2.0/workspace/import", Call: 1, ActThenReset: true})
	if err := c.ImportFile(t.Context(), "/Shared/z.sql", []byte("SELECT 1"), false); !errors.Is(err, workspace.ErrUncertain) {
		t.Errorf("an import that must not overwrite: %v", err)
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"37", start.Add(37 * time.Second).Format(http.TimeFormat)} {
		w := open(t)
		n := &naps{}
		c := client(t, w, func(c *workspace.Config) { c.Sleep = n.sleep })
		w.AddFault(local.Fault{Route: "/api/2.2/jobs/list", Call: 1, Status: 429, Headers: map[string]string{"Retry-After": header}, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`})
		if _, err := c.JobsNamed(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if got := n.total(); got < 36*time.Second || got > 38*time.Second {
			t.Errorf("Retry-After %s: waited %s", header, got)
		}
	}
}

func TestEndOfContext(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.AddFault(local.Fault{Status: 503, Body: `{}`})
	ctx, cancel := context.WithCancel(t.Context())
	c := client(t, w, func(c *workspace.Config) {
		c.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	_, err := c.JobsNamed(ctx, "x")
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "503") {
		t.Errorf("the end of ctx, and what the workspace said last: %v", err)
	}
	if n := w.Count("", ""); n > 2 {
		t.Errorf("%d requests", n)
	}
}

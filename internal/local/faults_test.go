package local

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go"
	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"
)

// R05 apache/airflow#43128: any poll may fail in any way, and the one after it be well.
func TestFaultsByRouteAndCall(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, scripted)
	w.AddScript(Script{Job: "scripted", Steps: []Step{{LifeCycle: "RUNNING"}}})
	run := now(t, w, id, "")
	for i, f := range []Fault{
		{Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"boom"}`},
		{Status: 503, Body: "<html><pre>no webapps</pre></html>", ContentType: "text/html"},
		{Reset: true},
		{Delay: 300 * time.Millisecond},
		{Status: 429, Headers: map[string]string{"Retry-After": "1"}},
		{CutBody: true},
	} {
		f.Route, f.Call = "jobs/runs/get", i+2
		w.AddFault(f)
	}
	// A new connection each time: Go's transport repeats a GET by itself when a connection that it reused is reset.
	transport := &http.Transport{DisableKeepAlives: true}
	path := w.Host() + "/api/2.2/jobs/runs/get?run_id=" + plain(run)
	var got []string
	for range 8 {
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		q.Header.Set("Authorization", "Bearer "+w.Token())
		began := time.Now()
		r, err := transport.RoundTrip(q)
		if err != nil {
			got = append(got, "reset")
			continue
		}
		_, err = io.ReadAll(r.Body)
		r.Body.Close()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			got = append(got, "cut")
		case time.Since(began) >= 300*time.Millisecond:
			got = append(got, "slow")
		case r.StatusCode == http.StatusServiceUnavailable:
			got = append(got, r.Header.Get("Content-Type"))
		case r.StatusCode == http.StatusTooManyRequests:
			got = append(got, "after "+r.Header.Get("Retry-After"))
		default:
			got = append(got, r.Status[:3])
		}
	}
	if diff := cmp.Diff([]string{"200", "500", "text/html", "reset", "slow", "after 1", "cut", "200"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := w.Count("GET", "jobs/runs/get"); n != 8 {
		t.Errorf("%d requests recorded, want 8", n)
	}
}

// R07 databricks/databricks-sdk-go#733: a 504 may come after the deed.
func TestFaultActsBeforeItAnswers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.AddFault(Fault{Route: "/api/2.2/jobs/create", Method: "POST", Status: 504, ActThenStatus: true, Call: 1})
	w.AddFault(Fault{Route: "/api/2.2/jobs/create", Method: "POST", Status: 504, Call: 2})
	for range 2 {
		if status, _, _ := send(t, w, "POST", "/api/2.2/jobs/create", scripted); status != 504 {
			t.Fatalf("status %d", status)
		}
	}
	if jobs := list(ok(t, w, "GET", "/api/2.2/jobs/list", "")["jobs"]); len(jobs) != 1 {
		t.Errorf("%d jobs, want the one of the request that acted", len(jobs))
	}
	w.ClearFaults()
	create(t, w, scripted)
}

func TestReadFaults(t *testing.T) {
	t.Parallel()
	got, err := ReadFaults(strings.NewReader(`[
		{"route": "jobs/run-now", "method": "post", "call": 1, "act_then_reset": true},
		{"route": "jobs/runs/get", "call": 2, "times": 5, "status": 503, "headers": {"Retry-After": "1"}, "delay": "1.5s"}
	]`))
	want := []Fault{{Route: "jobs/run-now", Method: "POST", Call: 1, ActThenReset: true},
		{Route: "jobs/runs/get", Call: 2, Times: 5, Status: 503, Headers: map[string]string{"Retry-After": "1"}, Delay: 1500 * time.Millisecond}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, c := range map[string][2]string{
		"unknown field": {"[\n{\"status\": 500},\n{\n\"rout\": \"x\", \"status\": 500}]", `line 4: fault 2: unknown field "rout"`},
		"wrong type":    {"[\n{\"status\":\n\"500\"}]", `line 3: fault 1: field "status"`},
		"bad status":    {"{\n\"status\": 99}", `line 2: fault 1: field "status": 99`},
		"bad delay":     {`{"delay": "soon"}`, `field "delay": "soon"`},
		"nothing":       {`{"route": "jobs/get"}`, "does nothing"},
		"no end":        {"[\n{\"status\": 500}", "line 2"},
		"no JSON":       {"[\n{\"status\": 500},\noops]", "line 3"},
		"method":        {`{"method": "FETCH", "status": 500}`, `"FETCH"`},
	} {
		if _, err := ReadFaults(strings.NewReader(c[0])); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %q", name, err, c[1])
		}
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, route := range []string{"GET /api/2.2/jobs/list", "POST /api/2.0/sql/statements", "GET /api/2.1/unity-catalog/tables/a.b.c", "GET /local/v1/clock",
		"POST /local/v1/advance", "GET /local/v1/produced", "GET /nowhere"} {
		method, path, _ := strings.Cut(route, " ")
		status, body, _ := sendAs(t, w, "", method, path, "")
		if status != 401 || body["message"] != "Credential was not sent or was of an unsupported type for this API." {
			t.Errorf("%s without a token: %d %v", route, status, body)
		}
		status, body, _ = sendAs(t, w, "wrong", method, path, "")
		if status != 403 || body["message"] != "Invalid access token." || body["error_code"] != "403" {
			t.Errorf("%s with a wrong token: %d %v", route, status, body)
		}
	}
	if status, body, _ := send(t, w, "GET", "/api/2.0/clusters/list", ""); status != 404 || body["error_code"] != "ENDPOINT_NOT_FOUND" {
		t.Errorf("unknown route: %d %v", status, body)
	}
	w.AddUser("other", "second@workspace.local")
	if _, me, _ := sendAs(t, w, "other", "GET", "/api/2.0/preview/scim/v2/Me", ""); me["userName"] != "second@workspace.local" {
		t.Errorf("%v", me)
	}
}

// R08 databricks/cli#4768: OAuth tokens end, and are refused before they do; J45: how many were asked for is counted.
func TestMachineToMachineTokens(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := client(t, w, func(c *databricks.Config) {
		c.Token, c.AuthType, c.ClientID, c.ClientSecret = "", "oauth-m2m", "robot", w.Token()
	})
	for range 3 {
		if _, err := c.Jobs.ListAll(t.Context(), jobs.ListJobsRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Count("POST", "/oidc/v1/token"); n != 1 {
		t.Errorf("%d token calls, want 1", n)
	}
	for status, want := range map[int]int{0: 403, 401: 401} {
		w.SetBehaviour(Behaviour{TokenLife: time.Second, TokenMargin: time.Hour, ExpiredStatus: status})
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Host()+"/oidc/v1/token", strings.NewReader("grant_type=client_credentials&client_id=a&client_secret="+w.Token()))
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		var token map[string]any
		data, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if err := decodeJSON(data, &token); err != nil || plain(token["expires_in"]) != "1" {
			t.Fatalf("%v %s", err, data)
		}
		if got, _, _ := sendAs(t, w, text(token["access_token"]), "GET", "/api/2.2/jobs/list", ""); got != want {
			t.Errorf("a token near its end: %d, want %d", got, want)
		}
	}
	if status, _, _ := sendAs(t, w, "", "POST", "/oidc/v1/token", "grant_type=client_credentials&client_id=a&client_secret=no"); status != 401 {
		t.Errorf("wrong secret: %d", status)
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	w := open(t)
	create(t, w, scripted)
	ok(t, w, "GET", "/api/2.2/jobs/list?name=a", "")
	ok(t, w, "GET", "/local/v1/clock", "")
	got := w.Requests()
	want := []Request{
		{At: start, Method: "POST", Route: "/api/2.2/jobs/create", Path: "/api/2.2/jobs/create", Body: scripted, Status: 200, User: ownerName},
		{At: start.Add(time.Millisecond), Method: "GET", Route: "/api/2.2/jobs/list", Path: "/api/2.2/jobs/list", Query: "name=a", Status: 200, User: ownerName},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.Count("POST", "") != 1 || w.Count("", "/api/2.2/*") != 2 || w.Count("GET", "jobs/create") != 0 {
		t.Error("counts are wrong")
	}
	w.ResetRequests()
	if len(w.Requests()) != 0 || w.Count("", "") != 0 {
		t.Error("requests survive a reset")
	}
}

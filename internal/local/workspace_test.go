package local

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go"
	"github.com/databricks/databricks-sdk-go/config"
)

var start = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

// open opens an empty workspace unless an option says otherwise.
func open(t *testing.T, change ...func(*Options)) *Workspace {
	t.Helper()
	o := Options{Start: start, Empty: true, Token: "secret", Log: t.Output()}
	for _, c := range change {
		c(&o)
	}
	w, err := Open(t.Context(), o)
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

// client is the real SDK client, kept from the environment and files of whoever runs the tests.
func client(t *testing.T, w *Workspace, change ...func(*databricks.Config)) *databricks.WorkspaceClient {
	t.Helper()
	c := &databricks.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", RetryTimeoutSeconds: 5, Loaders: []config.Loader{noLoader{}}}
	for _, f := range change {
		f(c)
	}
	client, err := databricks.NewWorkspaceClient(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

type noLoader struct{}

func (noLoader) Name() string                   { return "none" }
func (noLoader) Configure(*config.Config) error { return nil }

// send makes one request and returns the status, the decoded body and the headers.
func send(t *testing.T, w *Workspace, method, path, body string) (int, map[string]any, http.Header) {
	t.Helper()
	return sendAs(t, w, w.Token(), method, path, body)
}

func sendAs(t *testing.T, w *Workspace, token, method, path, body string) (int, map[string]any, http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), method, w.Host()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		out = map[string]any{"text": string(data)}
	}
	return r.StatusCode, out, r.Header
}

// ok is send that must answer 200.
func ok(t *testing.T, w *Workspace, method, path, body string) map[string]any {
	t.Helper()
	status, out, _ := send(t, w, method, path, body)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %v", method, path, status, out)
	}
	return out
}

// create makes a job from settings and returns its id.
func create(t *testing.T, w *Workspace, settings string) int64 {
	t.Helper()
	id, isID := integer(ok(t, w, "POST", "/api/2.2/jobs/create", settings)["job_id"])
	if !isID {
		t.Fatal("no job id")
	}
	return id
}

// scripted is a job whose runs only ever follow scripts.
const scripted = `{"name":"scripted","tasks":[{"task_key":"load","notebook_task":{"notebook_path":"/n"}}]}`

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			t.Fatalf("never: %s", what)
		}
		wait(ctx, time.Millisecond)
	}
}

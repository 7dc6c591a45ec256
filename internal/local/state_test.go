package local

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := open(t, func(o *Options) { o.Dir = dir })
	id := create(t, w, scripted)
	run := now(t, w, id, `,"idempotency_token":"x"`)
	ended(t, w, run)
	ok(t, w, "POST", "/api/2.0/workspace/import", `{"path":"/Shared/a.sql","format":"RAW","content":"U0VMRUNUIDE="}`)
	if err := w.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	before := w.Now()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, func(o *Options) { o.Dir, o.Start = dir, start.Add(-time.Hour) })
	if got := again.Now(); got.Before(before) || got.Sub(before) > time.Second {
		t.Errorf("the clock went from %s to %s", before, got)
	}
	if got := ok(t, again, "GET", fmt.Sprintf("/api/2.2/jobs/get?job_id=%d", id), ""); object(got["settings"])["name"] != "scripted" {
		t.Errorf("%v", got)
	}
	if got := now(t, again, id, `,"idempotency_token":"x"`); got != run {
		t.Errorf("the token started run %d", got)
	}
	if got := ok(t, again, "GET", "/api/2.0/workspace/export?path=/Shared/a.sql", ""); got["content"] != "U0VMRUNUIDE=" {
		t.Errorf("%v", got)
	}
}

// A second process is refused, with the pid of the first; after the first is gone it may.
func TestSecondProcessIsRefused(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("LOCAL_TEST_DIR"); dir != "" {
		_, err := Open(t.Context(), Options{Dir: dir, Empty: true})
		fmt.Println(err, errors.Is(err, ErrInUse))
		return
	}
	dir := t.TempDir()
	w := open(t, func(o *Options) { o.Dir = dir })
	state, err := os.ReadFile(filepath.Join(dir, stateName))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	second := exec.CommandContext(t.Context(), self, "-test.run=^TestSecondProcessIsRefused$", "-test.v")
	second.Env = append(os.Environ(), "LOCAL_TEST_DIR="+dir)
	out, err := second.CombinedOutput()
	want := fmt.Sprintf("in use by process %d: end it", os.Getpid())
	if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), " true") {
		t.Errorf("%v: %s, want %q", err, out, want)
	}
	after, err := os.ReadFile(filepath.Join(dir, stateName))
	if err != nil || string(after) != string(state) {
		t.Error("the refused process changed the state")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, func(o *Options) { o.Dir = dir })
}

func TestCorruptStateIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"cut":          {"{\n\"schema\": 1,\n\"clock\": ", "line 3"},
		"other schema": {`{"schema": 9, "clock": "2026-03-02T06:00:00Z"}`, "schema 9"},
		"empty":        {"", "line 1"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, stateName)
		if err := os.WriteFile(file, []byte(c[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), Options{Dir: dir, Empty: true})
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c[1]) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != c[0] {
			t.Errorf("%s: the file was changed", name)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, tablesName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir, Empty: true}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("tables without state: %v", err)
	}
}

func TestCorruptTablesAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Open(t.Context(), Options{Dir: dir, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, broken := filepath.Join(dir, tablesName), []byte("no database")
	if err := os.WriteFile(file, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Dir: dir, Empty: true})
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "move "+dir+" away") {
		t.Error(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(broken) {
		t.Error("the file was changed")
	}
}

func TestListenAddress(t *testing.T) {
	t.Parallel()
	w := open(t)
	for address, want := range map[string]string{
		"0.0.0.0:0": "not loopback", ":0": "not loopback", "127.0.0.1": "host:port", strings.TrimPrefix(w.Host(), "http://"): "the port is in use",
	} {
		_, err := Open(t.Context(), Options{Listen: address, Empty: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

func TestDateHeaderIsTheVirtualClock(t *testing.T) {
	t.Parallel()
	w := open(t)
	if err := w.Advance(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	_, _, header := send(t, w, "GET", "/api/2.2/jobs/list", "")
	if got := header.Get("Date"); got != start.Add(25*time.Hour).Format(http.TimeFormat) {
		t.Errorf("Date: %s", got)
	}
	if err := w.Advance(t.Context(), -time.Second); err == nil {
		t.Error("the clock went back")
	}
}

func TestWorkspaceFiles(t *testing.T) {
	t.Parallel()
	w := open(t)
	put := func(path, format, content, more string) (int, map[string]any) {
		status, body, _ := send(t, w, "POST", "/api/2.0/workspace/import", fmt.Sprintf(`{"path":%q,"format":%q,"content":%q%s}`, path, format, content, more))
		return status, body
	}
	const notebook, plainSQL = "LS0gRGF0YWJyaWNrcyBub3RlYm9vayBzb3VyY2UKU0VMRUNUIDE=", "U0VMRUNUIDE="
	for _, c := range []struct {
		path, format, content, more string
		status                      int
		at, kind                    string
	}{
		{"/Shared/a.sql", "RAW", notebook, "", 200, "/Shared/a.sql", "FILE"},
		{"/Shared/b.sql", "AUTO", notebook, "", 200, "/Shared/b", "NOTEBOOK"},
		{"/Shared/c.sql", "AUTO", plainSQL, "", 200, "/Shared/c.sql", "FILE"},
		{"/Workspace/Shared/d", "SOURCE", plainSQL, `,"language":"SQL"`, 200, "/Shared/d", "NOTEBOOK"},
		{"/Shared/d", "SOURCE", plainSQL, "", 400, "", ""},
		{"/Shared/c.sql", "RAW", plainSQL, "", 400, "", ""},
		{"/Shared/c.sql", "RAW", plainSQL, `,"overwrite":true`, 200, "/Shared/c.sql", "FILE"},
		{"/Nowhere/c.sql", "RAW", plainSQL, "", 404, "", ""},
		{"c.sql", "RAW", plainSQL, "", 400, "", ""},
	} {
		status, body := put(c.path, c.format, c.content, c.more)
		if status != c.status {
			t.Errorf("%s as %s: %d %v", c.path, c.format, status, body)
		}
		if c.at != "" {
			if got := ok(t, w, "GET", "/api/2.0/workspace/get-status?path="+c.at, ""); got["object_type"] != c.kind {
				t.Errorf("%s: %v", c.at, got)
			}
		}
	}
	ok(t, w, "POST", "/api/2.0/workspace/mkdirs", `{"path":"/Shared/x/y"}`)
	c := client(t, w)
	if err := c.Workspace.Upload(t.Context(), "/Shared/x/y/up.sql", strings.NewReader("SELECT 2")); err != nil {
		t.Errorf("upload: %v", err)
	}
	if status, _, _ := send(t, w, "POST", "/api/2.0/workspace/delete", `{"path":"/Shared/x"}`); status != 400 {
		t.Errorf("delete of a full folder: %d", status)
	}
	ok(t, w, "POST", "/api/2.0/workspace/delete", `{"path":"/Shared/x","recursive":true}`)
	if status, _, _ := send(t, w, "GET", "/api/2.0/workspace/get-status?path=/Shared/x/y/up.sql", ""); status != 404 {
		t.Errorf("deleted file: %d", status)
	}
}

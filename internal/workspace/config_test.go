package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// bare empties the environment that the SDK reads and gives a home of its own.
func bare(t *testing.T) string {
	t.Helper()
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		for _, p := range []string{"DATABRICKS_", "ARM_", "GOOGLE_", "ACTIONS_"} {
			if strings.HasPrefix(name, p) {
				t.Setenv(name, "")
			}
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	return home
}

// A01 databricks/databricks-sdk-go#1064: the message names what is missing and where it was looked for; no call.
func TestNoHost(t *testing.T) {
	for name, c := range map[string]struct {
		file, env string
		config    workspace.Config
		words     []string
	}{
		"nothing at all":           {words: []string{"host argument", "DATABRICKS_HOST", "~/.databrickscfg", "no such file", "no request was made"}},
		"a profile without a host": {file: "[DEFAULT]\ntoken = abc\n", words: []string{"DATABRICKS_HOST", "profile DEFAULT", "has no host"}},
		"a token and no host":      {config: workspace.Config{Token: token}, file: "[DEFAULT]\nhost = https://x\n", words: []string{"DATABRICKS_HOST", "not read"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := bare(t)
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(home, ".databrickscfg"), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := workspace.New(c.config)
			if !errors.Is(err, workspace.ErrNoHost) || workspace.HintOf(err) == "" {
				t.Fatalf("got %v", err)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v does not say %q", err, w)
				}
			}
			if strings.Contains(err.Error()+workspace.HintOf(err), token) {
				t.Error("the token is in the message")
			}
		})
	}
}

// A01 again: a host without credentials.
func TestNoCredentials(t *testing.T) {
	w := open(t)
	for name, c := range map[string]struct {
		file, profile string
		words         []string
	}{
		"nothing":                            {words: []string{"no credentials", "DATABRICKS_TOKEN", "client_id", "not set", "~/.databrickscfg (not read: a host is given"}},
		"a profile without credentials":      {file: "[prod]\nhost = https://x\n", profile: "prod", words: []string{"profile prod", "has no credentials", "not read, since a profile is named"}},
		"a default profile is not looked at": {file: "[DEFAULT]\ntoken = abc\n", words: []string{"not read: a host is given and no profile is named"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := bare(t)
			t.Setenv("PATH", home) // no command line that could be logged in
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(home, ".databrickscfg"), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			client, err := workspace.New(workspace.Config{Host: w.Host(), Profile: c.profile})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Job(t.Context(), 1)
			if !errors.Is(err, workspace.ErrUnauthenticated) || workspace.HintOf(err) == "" {
				t.Fatalf("got %v", err)
			}
			for _, w := range c.words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v does not say %q", err, w)
				}
			}
			if n := w.Count("GET", "/api/*"); n != 0 {
				t.Errorf("%d requests without credentials", n)
			}
		})
	}
}

func TestHostFromEverywhere(t *testing.T) {
	w := open(t)
	for name, set := range map[string]func(t *testing.T, home string) workspace.Config{
		"arguments": func(*testing.T, string) workspace.Config {
			return workspace.Config{Host: w.Host(), Token: w.Token()}
		},
		"environment": func(t *testing.T, _ string) workspace.Config {
			t.Setenv("DATABRICKS_HOST", w.Host()+"/")
			t.Setenv("DATABRICKS_TOKEN", w.Token())
			return workspace.Config{}
		},
		"profile": func(t *testing.T, home string) workspace.Config {
			if err := os.WriteFile(filepath.Join(home, ".databrickscfg"), fmt.Appendf(nil, "[other]\nhost = %s\ntoken = %s\nwarehouse_id = w\n", w.Host(), w.Token()), 0o600); err != nil {
				t.Fatal(err)
			}
			return workspace.Config{Profile: "other"}
		},
		"service principal": func(*testing.T, string) workspace.Config {
			return workspace.Config{Host: w.Host(), ClientID: "id", ClientSecret: w.Token()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := workspace.New(set(t, bare(t)))
			if err != nil {
				t.Fatal(err)
			}
			if c.Host() != w.Host() {
				t.Errorf("host %s", c.Host())
			}
			if _, err := c.JobsNamed(t.Context(), "x"); err != nil {
				t.Error(err)
			}
		})
	}
	bare(t)
	if _, err := workspace.New(workspace.Config{Profile: "absent"}); err == nil {
		t.Error("a profile that is not there was accepted")
	}
	if _, err := workspace.New(workspace.Config{Host: w.Host(), Token: token, ClientID: "a", ClientSecret: "b"}); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("two ways to authenticate: %v", err)
	}
}

func TestNewMakesNoCall(t *testing.T) {
	t.Parallel()
	w, _ := both(t)
	if n := w.Count("", ""); n != 0 {
		t.Errorf("%d requests: %v", n, w.Requests())
	}
}

func TestWrongToken(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := client(t, w, func(c *workspace.Config) { c.Token = "dapi-wrong-one" })
	_, err := c.JobsNamed(t.Context(), "x")
	if !errors.Is(err, workspace.ErrUnauthenticated) || errors.Is(err, workspace.ErrDenied) || workspace.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	if w.Count("GET", "/api/2.2/jobs/list") != 1 {
		t.Error("a wrong token was tried again")
	}
}

func TestNoSecretInErrors(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]local.Fault{
		"in a refusal": {Status: 400, Body: `{"error_code":"X","message":"your token ` + token + ` is odd"}`},
		"in a page":    {Status: 502, ContentType: "text/html", Body: "<html><pre>Bearer " + token + "</pre></html>"},
		"as text":      {Status: 400, ContentType: "text/plain", Body: "Authorization: Bearer " + token},
		"in JSON":      {Status: 200, Body: `{"jobs": "` + token + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c := both(t)
			f.Route = "/api/2.2/jobs/list"
			w.AddFault(f)
			_, err := c.JobsNamed(t.Context(), "x")
			if err == nil || strings.Contains(err.Error()+workspace.HintOf(err), token) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := client(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.CreateJob(t.Context(), aJob("x"))
	if !errors.Is(err, workspace.ErrUnavailable) || errors.Is(err, workspace.ErrUncertain) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("a connection that was never made did nothing: %v", err)
	}
	n := &naps{}
	c = client(t, w, func(c *workspace.Config) { c.Host, c.Sleep = "https://no-such-host.invalid", n.sleep })
	if _, err := c.JobsNamed(t.Context(), "x"); err == nil || n.total() > 0 && strings.Contains(err.Error(), "no such host") {
		t.Errorf("a host that does not exist was tried again for %s: %v", n.total(), err)
	}
}

func TestNow(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	for _, step := range []time.Duration{0, 25 * time.Hour} {
		if step > 0 {
			if err := w.Advance(t.Context(), step); err != nil {
				t.Fatal(err)
			}
		}
		now, err := c.Now(t.Context())
		if d := w.Now().Sub(now); err != nil || d < 0 || d > time.Second+time.Millisecond {
			t.Errorf("after %s: %s is %s away from the workspace's clock: %v", step, now, d, err)
		}
	}
	w.AddFault(local.Fault{Route: "/.well-known/databricks-config", Status: 404, Body: `{}`})
	if now, err := c.Now(t.Context()); err != nil || now.Before(start) {
		t.Errorf("a workspace without that path: %s, %v", now, err)
	}
}

// A profile that is named is meant: the environment's workspace must not answer in its place.
func TestNamedProfileGoesBeforeTheEnvironment(t *testing.T) {
	bare(t)
	file := filepath.Join(t.TempDir(), "cfg")
	if err := os.WriteFile(file, []byte("[prod]\nhost = https://prod.example.com\ntoken = of-prod\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DATABRICKS_HOST", "https://other.example.com")
	t.Setenv("DATABRICKS_TOKEN", "of-other")
	t.Setenv("DATABRICKS_CONFIG_FILE", file)
	t.Setenv("DATABRICKS_WAREHOUSE_ID", "w1")

	c, err := workspace.New(workspace.Config{Profile: "prod"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Host() != "https://prod.example.com" || c.WarehouseID() != "w1" {
		t.Errorf("host %s, warehouse %s", c.Host(), c.WarehouseID())
	}
	if c, err := workspace.New(workspace.Config{Profile: "nope"}); err == nil {
		t.Errorf("a profile that is not there led to %s", c.Host())
	}
	t.Setenv("DATABRICKS_CONFIG_FILE", file+".missing")
	if _, err := workspace.New(workspace.Config{Profile: "prod"}); !errors.Is(err, workspace.ErrNoHost) || !strings.Contains(err.Error(), "not read, since a profile is named") {
		t.Errorf("without the file: %v", err)
	}
}

// An operation that has an answer has the time: it is the workspace's, and a later operation asks for its own.
func TestNowOfAnOperation(t *testing.T) {
	t.Parallel()
	w, c := both(t)
	id := created(t, c, aJob("clock"))
	w.ResetRequests()
	ctx := workspace.WithClock(t.Context())
	if _, err := c.Job(ctx, id); err != nil {
		t.Fatal(err)
	}
	seen := w.Now()
	if err := w.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	now, err := c.Now(ctx)
	if d := seen.Sub(now); err != nil || d < 0 || d > 2*time.Second || w.Count("", "") != 1 {
		t.Errorf("%v off, %v, %d requests", d, err, w.Count("", ""))
	}
	later, err := c.Now(workspace.WithClock(t.Context()))
	if d := later.Sub(now); err != nil || d < time.Hour-2*time.Second || w.Count("", "") != 2 {
		t.Errorf("%v later, %v, %d requests", d, err, w.Count("", ""))
	}
}

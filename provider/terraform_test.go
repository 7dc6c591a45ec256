package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
	"github.com/watertight-data/terraform-provider-watertight/provider"
)

const binaryVariable = "TF_ACC_TERRAFORM_PATH"

// TestMain finds the Terraform or OpenTofu that the tests drive, and keeps the caller's own Databricks out of them.
//
// Started by Terraform itself, this executable is the provider: that is how the examples get a provider that reads its
// own environment.
func TestMain(m *testing.M) {
	if os.Getenv("TF_PLUGIN_MAGIC_COOKIE") != "" {
		if err := tf6server.Serve(provider.Address, provider.Server("test")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(binaryVariable) == "" {
		for _, name := range []string{"terraform", "tofu"} {
			if path, err := exec.LookPath(name); err == nil {
				os.Setenv(binaryVariable, path)
				break
			}
		}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "DATABRICKS_") || strings.HasPrefix(name, "ARM_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("DATABRICKS_CONFIG_FILE", filepath.Join(os.TempDir(), "no-such-databrickscfg"))
	os.Setenv("CHECKPOINT_DISABLE", "1")
	if os.Getenv("GOGC") == "" {
		// Here and in each Terraform, as serve.go does it: a third of the suite's time was collecting garbage.
		os.Setenv("GOGC", "400")
		debug.SetGCPercent(400)
	}
	os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "watertight-data")
	os.Exit(runAlone(m))
}

// runAlone gives Terraform an empty CLI configuration: the caller's may override providers, or not exist.
func runAlone(m *testing.M) int {
	folder, err := os.MkdirTemp("", "watertight-provider-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	rc := filepath.Join(folder, "terraformrc")
	if err := os.WriteFile(rc, nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("TF_CLI_CONFIG_FILE", rc)
	return m.Run()
}

func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv(binaryVariable)
	if path == "" {
		t.Fatal("no terraform and no tofu on the PATH: run `make tools`, which builds one, and test with `make test`")
	}
	return path
}

// factories serve the provider in this process to terraform-plugin-testing.
func factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"watertight": func() (tfprotov6.ProviderServer, error) { return provider.Server("test")(), nil },
	}
}

// open starts a local workspace for one test.
func open(t *testing.T, o local.Options) *local.Workspace {
	t.Helper()
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	}
	w, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// outside is somebody else who works in the same workspace.
func outside(t *testing.T, w *local.Workspace) *workspace.Client {
	t.Helper()
	return outsideAs(t, w, w.Token())
}

func outsideAs(t *testing.T, w *local.Workspace, token string) *workspace.Client {
	t.Helper()
	c, err := workspace.New(workspace.Config{Host: w.Host(), Token: token, WarehouseID: w.WarehouseID(), RateLimit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with completes a configuration: the provider, pointed at the workspace, in front of the body.
func with(w *local.Workspace, body string) string {
	return fmt.Sprintf(`
terraform {
  required_providers {
    watertight = { source = "registry.terraform.io/watertight-data/watertight" }
  }
}

provider "watertight" {
  host          = %q
  token         = %q
  warehouse_id  = %q
  rate_limit    = 1000
  retry_timeout = "2s"
}
`, w.Host(), w.Token(), w.WarehouseID()) + body
}

// writes counts the requests that change something: every method but GET on jobs, statements and files.
func writes(w *local.Workspace) int {
	n := 0
	for _, q := range w.Requests() {
		if q.Method != http.MethodGet && q.Method != http.MethodHead && !strings.Contains(q.Route, "oidc") {
			n++
		}
	}
	return n
}

// shell is a directory with a configuration, and the real binary to run in it; it shows what terraform-plugin-testing
// does not: warnings, exit codes, what a plan prints.
type shell struct {
	t   *testing.T
	dir string
	env []string
}

func newShell(t *testing.T, config string) *shell {
	t.Helper()
	return newShellWith(t, config, nil)
}

// newShellWith has other providers beside ours, by their addresses. It runs no init: a provider that is attached is not
// installed, and no lock file names it.
func newShellWith(t *testing.T, config string, others map[string]func() tfprotov6.ProviderServer) *shell {
	t.Helper()
	s := &shell{t: t, dir: t.TempDir(), env: []string{"TF_REATTACH_PROVIDERS=" + serve(t, others)}}
	s.write(config)
	return s
}

func (s *shell) write(config string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "main.tf"), []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// run returns what was printed, on both streams, without line breaks inside messages, and the exit code.
func (s *shell) run(args ...string) (string, int) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), binary(s.t), args...)
	command.Dir = s.dir
	command.Env = append(os.Environ(), "TF_IN_AUTOMATION=1")
	command.Env = append(command.Env, s.env...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return out.String(), command.ProcessState.ExitCode()
}

func (s *shell) must(args ...string) string {
	s.t.Helper()
	out, code := s.run(args...)
	if code != 0 {
		s.t.Fatalf("%v: exit %d\n%s", args, code, out)
	}
	return out
}

func (s *shell) apply() string {
	s.t.Helper()
	return s.must("apply", "-no-color", "-input=false", "-auto-approve")
}

// plan returns the text of a plan and its detailed exit code: 0 nothing to do, 1 refused, 2 changes.
func (s *shell) plan() (string, int) {
	s.t.Helper()
	return s.run("plan", "-no-color", "-input=false", "-detailed-exitcode")
}

// prose joins the lines of a diagnostic, which Terraform breaks at the width of a terminal.
func prose(out string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " ")
}

// serve runs providers in this process, ours and others by their addresses, and returns what a Terraform process needs to
// attach to them.
func serve(t *testing.T, others map[string]func() tfprotov6.ProviderServer) string {
	t.Helper()
	ours := attach(t, provider.Address, provider.Server("test"))
	all := map[string]any{provider.Address: ours, "registry.opentofu.org/watertight-data/watertight": ours}
	for address, server := range others {
		all[address] = attach(t, address, server)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func attach(t *testing.T, address string, server func() tfprotov6.ProviderServer) map[string]any {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	configs, closed := make(chan *plugin.ReattachConfig), make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		failed <- tf6server.Serve(address, server,
			tf6server.WithDebug(ctx, configs, closed), tf6server.WithLoggingSink(t), tf6server.WithoutLogStderrOverride(),
			tf6server.WithGoPluginLogger(hclog.New(&hclog.LoggerOptions{Output: io.Discard})))
	}()
	t.Cleanup(func() {
		cancel()
		<-closed
	})
	select {
	case config := <-configs:
		return map[string]any{
			"Protocol": string(config.Protocol), "ProtocolVersion": 6, "Pid": config.Pid, "Test": true,
			"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
		}
	case err := <-failed:
		t.Fatalf("serve %s: %v", address, err)
	}
	return nil
}

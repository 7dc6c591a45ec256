//go:build cgo

package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// installed is a mirror of providers in a folder, with the release build in it: what a user's machine has.
type installed struct {
	terraform, provider, rc string
}

const release = "0.1.0"

// install builds the provider as it is released and makes the mirror.
func install(t testing.TB) installed {
	t.Helper()
	terraform := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if terraform == "" {
		out, err := exec.Command("../../tools/terraform").Output()
		if err != nil {
			t.Fatalf("no terraform: run make tools: %v", err)
		}
		terraform = strings.TrimSpace(string(out))
	}
	if out, err := exec.Command("make", "-C", "../..", "provider", "VERSION="+release).CombinedOutput(); err != nil {
		t.Fatalf("make provider: %v\n%s", err, out)
	}
	name := "terraform-provider-watertight_v" + release
	binary, err := os.ReadFile(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	mirror := t.TempDir()
	in := installed{terraform: terraform, rc: filepath.Join(mirror, "terraform.rc")}
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "watertight-data", "watertight", release, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		in.provider = filepath.Join(folder, name)
		if err := os.WriteFile(in.provider, binary, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(mirror))
	if err := os.WriteFile(in.rc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

// project is a folder with a configuration.
type project struct {
	installed
	dir string
	env []string
}

// newProject initialises a configuration. Of the workspace it has what the environment says, with OAuth as a pipeline
// has it.
func newProject(t testing.TB, in installed, r *remote, config string) *project {
	t.Helper()
	p := &project{installed: in, dir: t.TempDir()}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "DATABRICKS_") && !strings.HasPrefix(pair, "ARM_") && !strings.HasPrefix(pair, "TF_") {
			p.env = append(p.env, pair)
		}
	}
	p.env = append(p.env, "TF_CLI_CONFIG_FILE="+in.rc, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
		"DATABRICKS_CONFIG_FILE="+filepath.Join(p.dir, "none"))
	if r != nil {
		p.env = append(p.env, "DATABRICKS_HOST="+r.host, "DATABRICKS_CLIENT_ID=bench", "DATABRICKS_CLIENT_SECRET="+r.token, "DATABRICKS_WAREHOUSE_ID="+r.warehouse)
	}
	p.write(t, config)
	p.run(t, "init", "-no-color", "-input=false")
	return p
}

func (p *project) write(t testing.TB, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// usage is what a command took: processor time of the process and of all its children, and time on the wall.
type usage struct{ cpu, wall time.Duration }

func (p *project) run(t testing.TB, args ...string) (string, usage) {
	t.Helper()
	c := exec.CommandContext(t.Context(), p.terraform, args...)
	c.Dir, c.Env = p.dir, p.env
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	began := time.Now()
	err := c.Run()
	u := usage{wall: time.Since(began)}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out.String())
	}
	// The rusage of an ended child holds that of the children it waited for: Terraform waits for its providers.
	u.cpu = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return out.String(), u
}

func (p *project) apply(t testing.TB) {
	t.Helper()
	p.run(t, "apply", "-no-color", "-input=false", "-auto-approve")
}

// plan wants nothing to do.
func (p *project) plan(t testing.TB) usage {
	t.Helper()
	_, u := p.run(t, "plan", "-no-color", "-input=false", "-detailed-exitcode")
	return u
}

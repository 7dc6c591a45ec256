//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// terraformPath is the terraform or tofu that `make test` found or built.
func terraformPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform", "tofu"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("there is no terraform or tofu: run `make test`, which provides one")
	return ""
}

// build makes the real binary: the demo starts itself as a provider, which the test binary cannot be.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "watertight")
	c := exec.Command("go", "build", "-o", binary, "github.com/watertight-data/terraform-provider-watertight")
	c.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// demoProcess is a demo in directories of its own.
type demoProcess struct {
	command         *exec.Cmd
	home, temporary string
	stdout          io.ReadCloser
	stderr          bytes.Buffer
}

func startDemo(t *testing.T, binary string) *demoProcess {
	t.Helper()
	// Not t.TempDir: with the test's name in it, it is too long for the sockets of plugins.
	temporary, err := os.MkdirTemp("", "wt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	d := &demoProcess{home: t.TempDir(), temporary: temporary}
	d.command = exec.Command(binary, "demo", "--terraform", terraformPath(t))
	d.command.Env = append(os.Environ(), "HOME="+d.home, "XDG_CACHE_HOME="+filepath.Join(d.home, "cache"), "TMPDIR="+d.temporary,
		// What a user's shell may hold must not lead terraform elsewhere.
		"TF_CLI_CONFIG_FILE=/does/not/exist", "TF_WORKSPACE=elsewhere", "TF_VAR_window_duration=9h", "DATABRICKS_HOST=https://example.com", "DATABRICKS_CLIENT_ID=x")
	d.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	d.command.Stderr = &d.stderr
	if d.stdout, err = d.command.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.command.Process.Kill() })
	return d
}

// leftovers are the files and processes that a demo left behind.
func (d *demoProcess) leftovers(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, dir := range []string{d.home, d.temporary} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if path != dir {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "linux" {
		return found
	}
	// Every child inherits the directory for temporary files by name.
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environments {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(d.temporary)) {
			found = append(found, "process "+strings.Split(path, "/")[2])
		}
	}
	return found
}

// A command that needs neither engine nor workspace costs next to nothing: both are in the binary.
func TestVersionIsCheap(t *testing.T) {
	t.Parallel()
	binary, least := build(t), time.Hour
	for range 5 {
		c := exec.Command(binary, "version")
		if out, err := c.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "watertight ") {
			t.Fatalf("%v: %s", err, out)
		}
		least = min(least, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	if least > 80*time.Millisecond {
		t.Errorf("%s of CPU, the limit is 80 ms", least)
	}
}

// The demo answers as it should, within its bounds, and leaves nothing behind.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	d := startDemo(t, build(t))
	said, err := io.ReadAll(d.stdout)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.command.Wait(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, &d.stderr)
	}
	for i := range 7 {
		if !bytes.Contains(said, fmt.Appendf(nil, "%d/7  ", i+1)) {
			t.Errorf("step %d is missing", i+1)
		}
	}
	for _, text := range []string{"the same ones, row by row", "PASS", "FAIL", "All seven steps answered as they should"} {
		if !bytes.Contains(said, []byte(text)) {
			t.Errorf("it does not say %q", text)
		}
	}
	for _, m := range regexp.MustCompile(`(\d+) MiB`).FindAllSubmatch(said, -1) {
		if n, err := strconv.Atoi(string(m[1])); err != nil || n > 1024 {
			t.Errorf("memory %s MiB, the limit is 1024", m[1])
		}
	}
	if found := d.leftovers(t); len(found) > 0 {
		t.Errorf("left behind: %s", strings.Join(found, ", "))
	}
	if t.Failed() {
		t.Logf("%s\n%s", said, &d.stderr)
	}
}

// Ctrl-C at any point leaves no process and no file behind.
func TestDemoInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	binary := build(t)
	for _, tt := range []struct {
		name, marker string
		later        time.Duration
	}{
		{"at once", "1/7", 0},
		{"while the workspace is filled", "", 300 * time.Millisecond},
		{"while terraform initialises", " init", 0},
		{"while terraform plans, its plugin running", " plan ", 700 * time.Millisecond},
		{"while terraform applies", " apply ", 900 * time.Millisecond},
		{"while the week passes", "The clock moves by 168h", 300 * time.Millisecond},
		{"while watertight runs", "watertight run", 50 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := startDemo(t, binary)
			interrupted := false
			interrupt := func() {
				interrupted = true
				<-time.After(tt.later)
				// An impatient second one must not cut the tidying short.
				for range 2 {
					if err := d.command.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
				}
			}
			if tt.marker == "" {
				interrupt()
			}
			for lines := bufio.NewScanner(d.stdout); lines.Scan(); {
				if !interrupted && strings.Contains(lines.Text(), tt.marker) {
					interrupt()
				}
			}
			err := d.command.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("ended with %v, want exit code 130\n%s", err, &d.stderr)
			}
			if !interrupted {
				t.Fatalf("it never said %q\n%s", tt.marker, &d.stderr)
			}
			if found := d.leftovers(t); len(found) > 0 {
				t.Errorf("left behind: %s", strings.Join(found, ", "))
			}
		})
	}
}

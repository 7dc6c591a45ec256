package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/watertight-data/terraform-provider-watertight/cli"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"watertight": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(int(cli.Main(ctx, append([]string{"watertight"}, os.Args[1:]...), cli.SystemEnv("test"))))
	}})
}

// TestScripts runs testdata/script: stdout, stderr and exit code of the command line as a process of its own. Beside
// testscript's own commands there are
//
//	code N COMMAND...       the command must end with exactly N
//	workspace [empty]       a local workspace of this test, and the variables that lead to it
//	job FILE                creates a job; its id is $JOB after that
//	sql STATEMENT           on the workspace's engine
//	advance LENGTH          moves the workspace's clock
//	fault JSON              see local.ReadFaults; none ends all
//	behaviour JSON          see local.Behaviour
//	script JOB STATE...     as watertight local script
//	served N                waits until N servers advertise themselves
//	occupy                  takes a port; its address is $OCCUPIED
//	corrupt FILE            cuts it in half
//	requests METHOD ROUTE N the workspace has had exactly N of these; ROUTE * means all
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"HOME", "XDG_CACHE_HOME"} {
				e.Setenv(name, filepath.Join(e.WorkDir, ".home"))
			}
			return nil
		},
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": expectCode, "workspace": openWorkspace, "job": createJob, "sql": execute, "advance": advance,
			"served": awaitServers, "occupy": occupy, "corrupt": corrupt, "fault": addFault, "behaviour": behave, "script": addScript, "requests": countRequests,
		},
	})
}

func expectCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func openWorkspace(ts *testscript.TestScript, _ bool, args []string) {
	w, err := local.Open(context.Background(), local.Options{Start: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Empty: len(args) > 0 && args[0] == "empty"})
	ts.Check(err)
	ts.Defer(func() { ts.Check(w.Close()) })
	ts.Setenv("DATABRICKS_HOST", w.Host())
	ts.Setenv("DATABRICKS_TOKEN", w.Token())
	ts.Setenv("DATABRICKS_WAREHOUSE_ID", w.WarehouseID())
	// The commands below reach the workspace by its address alone, so that nothing is shared between scripts.
	ts.Setenv("CONTROL_HOST", w.Host())
	ts.Setenv("CONTROL_TOKEN", w.Token())
}

// control sends a request to the script's workspace and returns the answer.
func control(ts *testscript.TestScript, method, path string, body []byte) []byte {
	r, err := http.NewRequest(method, ts.Getenv("CONTROL_HOST")+path, bytes.NewReader(body))
	ts.Check(err)
	r.Header.Set("Authorization", "Bearer "+ts.Getenv("CONTROL_TOKEN"))
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, data)
	}
	return data
}

func createJob(ts *testscript.TestScript, _ bool, args []string) {
	var made struct {
		ID int64 `json:"job_id"`
	}
	ts.Check(json.Unmarshal(control(ts, "POST", "/api/2.2/jobs/create", []byte(ts.ReadFile(args[0]))), &made))
	ts.Setenv("JOB", strconv.FormatInt(made.ID, 10))
}

func execute(ts *testscript.TestScript, _ bool, args []string) {
	body, err := json.Marshal(map[string]string{"statement": args[0], "warehouse_id": ts.Getenv("DATABRICKS_WAREHOUSE_ID"), "wait_timeout": "50s"})
	ts.Check(err)
	var answer struct {
		Status struct {
			State string
			Error any
		}
	}
	ts.Check(json.Unmarshal(control(ts, "POST", "/api/2.0/sql/statements", body), &answer))
	if answer.Status.State != "SUCCEEDED" {
		ts.Fatalf("%s: %s %v", args[0], answer.Status.State, answer.Status.Error)
	}
}

func advance(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	control(ts, "POST", "/local/v1/advance", fmt.Appendf(nil, `{"seconds": %f}`, d.Seconds()))
}

func addFault(ts *testscript.TestScript, _ bool, args []string) {
	if args[0] == "none" {
		control(ts, "DELETE", "/local/v1/faults", nil)
		return
	}
	control(ts, "POST", "/local/v1/faults", []byte(args[0]))
}

func behave(ts *testscript.TestScript, _ bool, args []string) {
	control(ts, "POST", "/local/v1/behaviour", []byte(args[0]))
}

func addScript(ts *testscript.TestScript, _ bool, args []string) {
	var steps []map[string]string
	for _, s := range args[1:] {
		state, result, _ := strings.Cut(s, "/")
		steps = append(steps, map[string]string{"life_cycle": state, "result": result})
	}
	body, err := json.Marshal(map[string]any{"job": args[0], "steps": steps})
	ts.Check(err)
	control(ts, "POST", "/local/v1/scripts", body)
}

func countRequests(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	var answer struct {
		Requests []local.Request `json:"requests"`
	}
	ts.Check(json.Unmarshal(control(ts, "GET", "/local/v1/requests", nil), &answer))
	n := 0
	for _, r := range answer.Requests {
		if (args[0] == "*" || r.Method == args[0]) && (args[1] == "*" || strings.HasSuffix(r.Path, args[1])) {
			n++
		}
	}
	if n != want {
		ts.Fatalf("%d requests %s %s, want %d", n, args[0], args[1], want)
	}
}

func awaitServers(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	home := ts.Getenv("HOME")
	n := 0
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-look.C {
		linux, _ := filepath.Glob(filepath.Join(home, "watertight", "local", "*.json"))
		darwin, _ := filepath.Glob(filepath.Join(home, "Library", "Caches", "watertight", "local", "*.json"))
		if n = len(linux) + len(darwin); n == want {
			return
		}
	}
	ts.Fatalf("%d servers, want %d", n, want)
}

func occupy(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ts.Check(l.Close()) })
	ts.Setenv("OCCUPIED", l.Addr().String())
}

func corrupt(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data[:len(data)/2]), 0o600))
}

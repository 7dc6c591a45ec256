package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/cli"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// console is a command line on a local workspace, in this process, on a clock that moves only when somebody sleeps.
type console struct {
	t         *testing.T
	workspace *local.Workspace
	env       *cli.Env
	variables map[string]string

	mu             sync.Mutex
	now            time.Time
	stdout, stderr bytes.Buffer
}

func open(t *testing.T, o local.Options) *console {
	t.Helper()
	o.Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	w, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &console{t: t, workspace: w, now: o.Start, variables: map[string]string{}}
	cache := t.TempDir()
	c.env = &cli.Env{
		Stdin: strings.NewReader(""), Stdout: &c.stdout, Stderr: &c.stderr, Version: "test",
		Lookup:  func(name string) (string, bool) { v, ok := c.variables[name]; return v, ok },
		Environ: os.Environ, Now: c.clock, Sleep: c.sleep, Width: func() int { return 0 },
		CacheDir: func() (string, error) { return cache, nil }, Executable: os.Executable,
		Workspace: func(config workspace.Config) (*workspace.Client, error) {
			config.Host, config.Token, config.WarehouseID = w.Host(), w.Token(), w.WarehouseID()
			config.HTTPTimeout, config.RateLimit = time.Second, 10_000
			return workspace.New(config)
		},
	}
	return c
}

func (c *console) clock() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *console) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

// run carries out a command line; what it wrote is in stdout and stderr until the next.
func (c *console) run(ctx context.Context, args ...string) run.ExitCode {
	c.stdout.Reset()
	c.stderr.Reset()
	return cli.Main(ctx, append([]string{"watertight"}, args...), c.env)
}

// want fails unless a command line ends with a code, and returns what it wrote.
func (c *console) want(code run.ExitCode, args ...string) (stdout, stderr string) {
	c.t.Helper()
	if got := c.run(c.t.Context(), args...); got != code {
		c.t.Fatalf("watertight %s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), got, code, &c.stdout, &c.stderr)
	}
	return c.stdout.String(), c.stderr.String()
}

// job creates a job named load that has no contract, and returns its id.
func (c *console) job() string {
	c.t.Helper()
	client, err := c.env.Workspace(workspace.Config{})
	if err != nil {
		c.t.Fatal(err)
	}
	id, err := client.CreateJob(c.t.Context(), map[string]any{"name": "load", "tasks": []any{
		map[string]any{"task_key": "a", "notebook_task": map[string]any{"notebook_path": "/n"}},
		map[string]any{"task_key": "b", "notebook_task": map[string]any{"notebook_path": "/n"}},
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.workspace.ResetRequests()
	return fmt.Sprint(id)
}

func (c *console) script(steps ...local.Step) {
	c.workspace.AddScript(local.Script{Job: "load", Steps: steps})
}

func state(lifeCycle, result string) local.Step {
	return local.Step{LifeCycle: lifeCycle, Result: result}
}

// R01 databricks/cli#5882, apache/airflow#64828: the answer to run-now is lost after it acted. One run exists, and every
// request carried the same token.
func TestRunIsStartedOnceThoughTheAnswerIsLost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault local.Fault
	}{
		{"503 after acting", local.Fault{Route: "jobs/run-now", Call: 1, Status: 503, ActThenStatus: true}},
		{"504 after acting", local.Fault{Route: "jobs/run-now", Call: 1, Status: 504, ActThenStatus: true}},
		{"connection cut after acting", local.Fault{Route: "jobs/run-now", Call: 1, ActThenReset: true}},
		{"connection cut before acting", local.Fault{Route: "jobs/run-now", Call: 1, Reset: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := open(t, local.Options{Empty: true})
			c.job()
			c.script(state("RUNNING", ""), state("TERMINATED", "SUCCESS"))
			c.workspace.AddFault(tt.fault)
			c.want(run.Pass, "run", "load", "--no-verify")
			tokens := map[string]int{}
			for _, r := range c.workspace.Requests() {
				if strings.HasSuffix(r.Path, "jobs/run-now") {
					var body struct {
						Token string `json:"idempotency_token"`
					}
					if err := json.Unmarshal([]byte(r.Body), &body); err != nil || body.Token == "" {
						t.Fatalf("run-now without a token: %s", r.Body)
					}
					tokens[body.Token]++
				}
			}
			if len(tokens) != 1 || c.workspace.Count("POST", "jobs/run-now") != 2 {
				t.Errorf("%d requests with tokens %v, want two with one", c.workspace.Count("POST", "jobs/run-now"), tokens)
			}
			if runs := c.runs(); runs != 1 {
				t.Errorf("%d runs exist", runs)
			}
		})
	}
}

func (c *console) runs() int {
	c.t.Helper()
	client, err := c.env.Workspace(workspace.Config{})
	if err != nil {
		c.t.Fatal(err)
	}
	n := 0
	for _, err := range client.Runs(c.t.Context(), workspace.RunFilter{}) {
		if err != nil {
			c.t.Fatal(err)
		}
		n++
	}
	return n
}

// R01 databricks/databricks-cli#435: a token that was used before returns the old run. Its real outcome is told, and that
// it is not new.
func TestRunThatATokenReturnsIsNotNew(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(state("TERMINATED", "FAILED"))
	c.want(run.RunFailed, "run", "load", "--no-verify", "--idempotency-token", "release-7")
	if err := c.workspace.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	stdout, _ := c.want(run.RunFailed, "run", "load", "--no-verify", "--idempotency-token", "release-7")
	if !strings.Contains(stdout, "not a new run") {
		t.Errorf("it does not say that the run is not new:\n%s", stdout)
	}
	if strings.Contains(strings.ToLower(stdout), "succe") {
		t.Errorf("it speaks of success:\n%s", stdout)
	}
	if runs := c.runs(); runs != 1 {
		t.Errorf("%d runs exist", runs)
	}
}

// R02 databricks/dbt-databricks#1477, #985, databricks/cli#257, dagster-io/dagster#13668: only SUCCESS is success, every
// final state ends the wait, and rows are not looked at after a failure.
func TestRunEndsAsItsOutcomeSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lifeCycle, result string
		code              run.ExitCode
		outcome           string
	}{
		{"TERMINATED", "SUCCESS", 0, "succeeded"},
		{"TERMINATED", "FAILED", 6, "failed"},
		{"TERMINATED", "TIMEDOUT", 6, "timed_out"},
		{"TERMINATED", "CANCELED", 6, "canceled"},
		{"TERMINATED", "SUCCESS_WITH_FAILURES", 6, "partial"},
		{"TERMINATED", "UPSTREAM_FAILED", 6, "upstream_failed"},
		{"TERMINATED", "UPSTREAM_CANCELED", 6, "upstream_canceled"},
		{"TERMINATED", "MAXIMUM_CONCURRENT_RUNS_REACHED", 6, "skipped"},
		{"TERMINATED", "", 6, "unknown"},
		{"INTERNAL_ERROR", "FAILED", 6, "failed"},
		{"SKIPPED", "", 6, "skipped"},
	} {
		t.Run(tt.lifeCycle+" "+tt.result, func(t *testing.T) {
			t.Parallel()
			c := open(t, local.Options{Empty: true})
			c.job()
			c.script(state("RUNNING", ""), state(tt.lifeCycle, tt.result))
			stdout, _ := c.want(tt.code, "run", "load", "--no-verify", "--output", "json")
			var got struct {
				Schema   int    `json:"schema"`
				RunID    int64  `json:"run_id"`
				Outcome  string `json:"outcome"`
				ExitCode int    `json:"exit_code"`
			}
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatalf("%v in %s", err, stdout)
			}
			if got.Schema != 1 || got.RunID == 0 || got.Outcome != tt.outcome || got.ExitCode != int(tt.code) {
				t.Errorf("got %+v, want outcome %s, code %d", got, tt.outcome, tt.code)
			}
			if n := c.workspace.Count("POST", "/api/2.0/sql/statements"); n != 0 {
				t.Errorf("%d statements", n)
			}
		})
	}
}

// R03 databrickslabs/cicd-templates#52, databricks/cli#1191: a run that is skipped ends the wait at the first look.
func TestRunThatIsSkippedEndsTheWaitAtOnce(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(state("SKIPPED", ""))
	before := c.clock()
	c.want(run.RunFailed, "run", "load", "--no-verify")
	if waited := c.clock().Sub(before); waited >= 2*time.Second {
		t.Errorf("waited %s", waited)
	}
}

// R04 apache/airflow#33882, #69193, dagster-io/dagster#22312: states that are not final, known or not, are waited through,
// and each change is printed once.
func TestRunGoesOnThroughEveryState(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	states := []string{"QUEUED", "BLOCKED", "RUNNING", "RUNNING", "WAITING_FOR_RETRY", "NEW_STATE_X", "RUNNING", "RUNNING"}
	var steps []local.Step
	for _, s := range states {
		steps = append(steps, state(s, ""))
	}
	c.script(append(steps, state("TERMINATED", "SUCCESS"))...)
	_, stderr := c.want(run.Pass, "run", "load", "--no-verify")
	var seen []string
	for line := range strings.Lines(stderr) {
		if _, s, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "run ") {
			seen = append(seen, strings.Fields(s)[0])
		}
	}
	want := append(slices.Compact(states), "ended:")
	if !slices.Equal(seen, want) {
		t.Errorf("states printed: %v\nwant: %v\n%s", seen, want, stderr)
	}
	if runs := c.runs(); runs != 1 {
		t.Errorf("%d runs exist", runs)
	}
	c.script(state("RUNNING", ""), state("TERMINATED", "SUCCESS"))
	if _, stderr := c.want(run.Pass, "run", "--quiet", "load", "--no-verify"); stderr != "" {
		t.Errorf("--quiet, and still: %s", stderr)
	}
}

// R05 apache/airflow#43128, databricks/databricks-sdk-py#659, PrefectHQ/prefect#13128: polls that fail do not fail the wait.
func TestRunOutlastsPollsThatFail(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(state("RUNNING", ""), state("RUNNING", ""), state("TERMINATED", "SUCCESS"))
	const route = "/api/2.2/jobs/runs/get"
	for _, f := range []local.Fault{
		{Call: 2, Status: 500}, {Call: 3, Status: 503, ContentType: "text/html", Body: "<html>busy</html>"}, {Call: 4, Reset: true},
		{Call: 6, Delay: 3 * time.Second}, {Call: 7, Status: 429, Headers: map[string]string{"Retry-After": "1"}},
	} {
		f.Route = route
		c.workspace.AddFault(f)
	}
	c.want(run.Pass, "run", "load", "--no-verify")
	if n := c.workspace.Count("POST", "jobs/run-now"); n != 1 {
		t.Errorf("%d runs were started", n)
	}
}

// R05: a workspace that never answers again. The run id and how to attach again are told; nothing is cancelled.
func TestRunThatCannotBeSeenAnyMore(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(state("RUNNING", ""))
	c.workspace.AddFault(local.Fault{Route: "/api/2.2/jobs/runs/get", Status: 503})
	code := c.run(t.Context(), "run", "load", "--no-verify")
	if code != run.GaveUp && code != run.CouldNotRun {
		t.Errorf("exit code %d\n%s", code, &c.stderr)
	}
	said := c.stderr.String()
	if !strings.Contains(said, "watertight wait ") {
		t.Errorf("it does not say how to attach again:\n%s", said)
	}
	if n := c.workspace.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 0 {
		t.Errorf("%d cancellations", n)
	}
}

// R10 databricks/databricks-sdk-py#518: three hours are waited for; a time-out leaves the run going and has its own code.
func TestRunLastsAsLongAsItDoes(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	steps := make([]local.Step, 400)
	for i := range steps {
		steps[i] = state("RUNNING", "")
	}
	c.script(append(steps, state("TERMINATED", "SUCCESS"))...)
	before := c.clock()
	c.want(run.Pass, "run", "load", "--no-verify")
	if waited := c.clock().Sub(before); waited < 3*time.Hour {
		t.Errorf("waited %s only", waited)
	}

	c.script(state("RUNNING", ""))
	stdout, stderr := c.want(run.GaveUp, "run", "load", "--no-verify", "--timeout", "5s")
	if !strings.Contains(stderr, "watertight wait ") || strings.Contains(strings.ToLower(stdout), "succe") {
		t.Errorf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
	}
	if n := c.workspace.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 0 {
		t.Errorf("%d cancellations", n)
	}
}

// R16 apache/airflow#36090: an interruption leaves the run going, and says how to attach again.
func TestRunIsLeftByAnInterruption(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(state("RUNNING", ""))
	ctx, interrupt := context.WithCancel(t.Context())
	looks := 0
	c.env.Sleep = func(ctx context.Context, _ time.Duration) error {
		if looks++; looks == 3 {
			interrupt()
		}
		return ctx.Err()
	}
	if code := c.run(ctx, "run", "load", "--no-verify"); code != run.Interrupted {
		t.Fatalf("exit code %d\n%s", code, &c.stderr)
	}
	said := c.stderr.String()
	if !strings.Contains(said, "watertight wait ") || !strings.Contains(said, "goes on") {
		t.Errorf("stderr:\n%s", said)
	}
	if n := c.workspace.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 0 {
		t.Errorf("%d cancellations", n)
	}
}

// R22 databricks/cli#209: both tasks that failed are shown with their own messages.
func TestRunShowsEveryTaskThatFailed(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	c.job()
	c.script(local.Step{LifeCycle: "TERMINATED", Result: "FAILED", Message: "Task a failed", Tasks: []local.TaskStep{
		{Key: "a", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table"},
		{Key: "b", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such column"},
	}})
	stdout, _ := c.want(run.RunFailed, "run", "load", "--no-verify")
	for _, text := range []string{"a", "no such table", "b", "no such column"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("it does not say %q:\n%s", text, stdout)
		}
	}
}

// J39 apache/airflow#21380, #21663: a name that two jobs have is refused with both ids, after one call that lists jobs.
func TestRunOfAnAmbiguousName(t *testing.T) {
	t.Parallel()
	c := open(t, local.Options{Empty: true})
	first, second := c.job(), c.job()
	stdout, stderr := c.want(run.Usage, "run", "load", "--no-verify")
	if !strings.Contains(stderr, first) || !strings.Contains(stderr, second) || stdout != "" {
		t.Errorf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
	}
	if lists, starts := c.workspace.Count("GET", "jobs/list"), c.workspace.Count("POST", "jobs/run-now"); lists != 1 || starts != 0 {
		t.Errorf("%d lists, %d runs started", lists, starts)
	}
	c.script(state("TERMINATED", "SUCCESS"))
	c.want(run.Pass, "run", first, "--no-verify")
}

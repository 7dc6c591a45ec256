package local

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"
)

func getRun(t *testing.T, w *Workspace, run int64) map[string]any {
	t.Helper()
	return ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/get?run_id=%d", run), "")
}

func states(run map[string]any) string {
	state, status := object(run["state"]), object(run["status"])
	details := object(status["termination_details"])
	return strings.TrimSpace(fmt.Sprint(text(state["life_cycle_state"]), "/", text(state["result_state"]), " ", text(status["state"]), "/", text(details["code"]), "/", text(details["type"])))
}

func now(t *testing.T, w *Workspace, job int64, more string) int64 {
	t.Helper()
	id, isID := integer(ok(t, w, "POST", "/api/2.2/jobs/run-now", fmt.Sprintf(`{"job_id":%d%s}`, job, more))["run_id"])
	if !isID {
		t.Fatal("no run id")
	}
	return id
}

func ended(t *testing.T, w *Workspace, run int64) map[string]any {
	t.Helper()
	var r map[string]any
	eventually(t, "the run ends", func() bool {
		r = getRun(t, w, run)
		return object(r["status"])["state"] == "TERMINATED"
	})
	return r
}

// R04 apache/airflow#33882: a run is seen in any state, also one nobody knows, one at each poll.
func TestScriptedRunStepsAtEachPoll(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, scripted)
	want := []string{"QUEUED", "BLOCKED", "RUNNING", "WAITING_FOR_RETRY", "NEW_STATE_X", "RUNNING", "TERMINATED"}
	script := Script{Job: "scripted"}
	for _, s := range want {
		script.Steps = append(script.Steps, Step{LifeCycle: s})
	}
	script.Steps[6].Result = "SUCCESS"
	w.AddScript(script)
	run := now(t, w, id, "")
	var got []string
	for range 7 {
		got = append(got, text(object(getRun(t, w, run)["state"])["life_cycle_state"]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r := getRun(t, w, run)
	if states(r) != "TERMINATED/SUCCESS TERMINATED/SUCCESS/SUCCESS" || r["end_time"] == "0" {
		t.Errorf("%s %v", states(r), r["end_time"])
	}
	if runs := list(ok(t, w, "GET", "/api/2.2/jobs/runs/list", "")["runs"]); len(runs) != 1 {
		t.Errorf("%d runs", len(runs))
	}
}

// R02 databricks/cli#257: both shapes of state for each way a run can end.
func TestScriptedRunEnds(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, scripted)
	for _, c := range []struct{ life, result, want string }{
		{"TERMINATED", "SUCCESS", "TERMINATED/SUCCESS TERMINATED/SUCCESS/SUCCESS"},
		{"INTERNAL_ERROR", "FAILED", "INTERNAL_ERROR/FAILED TERMINATED/RUN_EXECUTION_ERROR/CLIENT_ERROR"},
		{"TERMINATED", "FAILED", "TERMINATED/FAILED TERMINATED/RUN_EXECUTION_ERROR/CLIENT_ERROR"},
		{"TERMINATED", "CANCELED", "TERMINATED/CANCELED TERMINATED/USER_CANCELED/SUCCESS"},
		{"TERMINATED", "SUCCESS_WITH_FAILURES", "TERMINATED/SUCCESS_WITH_FAILURES TERMINATED/SUCCESS_WITH_FAILURES/SUCCESS"},
		{"SKIPPED", "", "SKIPPED/ TERMINATED/MAX_CONCURRENT_RUNS_EXCEEDED/SUCCESS"},
		{"INTERNAL_ERROR", "", "INTERNAL_ERROR/ TERMINATED/INTERNAL_ERROR/INTERNAL_ERROR"},
		{"TERMINATED", "", "TERMINATED/ TERMINATED//"},
	} {
		w.AddScript(Script{Job: fmt.Sprint(id), Steps: []Step{{LifeCycle: c.life, Result: c.result}}})
		if got := states(getRun(t, w, now(t, w, id, ""))); got != c.want {
			t.Errorf("%s/%s: got %q, want %q", c.life, c.result, got, c.want)
		}
	}
}

// R01 databricks/cli#5882: a token brings back its run, also when the answer was lost, also when the run failed.
func TestRunNowRemembersTokens(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]Fault{
		"answer lost":  {Route: "jobs/run-now", Call: 1, ActThenReset: true},
		"503 after it": {Route: "jobs/run-now", Call: 1, Status: 503, ActThenStatus: true, Body: `{"error_code":"TEMPORARILY_UNAVAILABLE","message":"try again"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			id := create(t, w, scripted)
			w.AddScript(Script{Job: "scripted", Runs: 5, Steps: []Step{{LifeCycle: "INTERNAL_ERROR", Result: "FAILED"}}})
			w.AddFault(fault)
			c := client(t, w)
			first, err := c.Jobs.RunNow(t.Context(), jobs.RunNow{JobId: id, IdempotencyToken: "one"})
			if err != nil {
				t.Fatal(err)
			}
			runs, err := c.Jobs.ListRunsAll(t.Context(), jobs.ListRunsRequest{JobId: id})
			if err != nil || len(runs) != 1 || runs[0].RunId != first.RunId {
				t.Errorf("%d runs, %v", len(runs), err)
			}
			sent := 0
			for _, q := range w.Requests() {
				if q.Route == "/api/2.2/jobs/run-now" && strings.Contains(q.Body, `"idempotency_token":"one"`) {
					sent++
				}
			}
			if sent != 2 {
				t.Errorf("%d requests with the token, want 2", sent)
			}
			getRun(t, w, first.RunId)
			if again := now(t, w, id, `,"idempotency_token":"one"`); again != first.RunId {
				t.Errorf("the token of a failed run started run %d", again)
			}
			ok(t, w, "POST", "/api/2.2/jobs/runs/delete", fmt.Sprintf(`{"run_id":%d}`, first.RunId))
			if status, body, _ := send(t, w, "POST", "/api/2.2/jobs/run-now", fmt.Sprintf(`{"job_id":%d,"idempotency_token":"one"}`, id)); status != 400 {
				t.Errorf("token of a deleted run: %d %v", status, body)
			}
		})
	}
}

// R03 databricks/cli#1191: above the limit a run is skipped, or queued and started later.
func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	skip := create(t, w, `{"name":"skip","queue":{"enabled":false},"tasks":[{"task_key":"a","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}}]}`)
	queue := create(t, w, `{"name":"queue","tasks":[{"task_key":"a","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}}]}`)
	never := create(t, w, `{"name":"never","max_concurrent_runs":0,"tasks":[]}`)
	w.SetRunTime("skip", time.Hour)
	w.SetRunTime("queue", time.Hour)
	running := now(t, w, skip, "")
	if got := states(getRun(t, w, now(t, w, skip, ""))); got != "SKIPPED/ TERMINATED/MAX_CONCURRENT_RUNS_EXCEEDED/SUCCESS" {
		t.Errorf("skipped: %s", got)
	}
	if got := states(getRun(t, w, now(t, w, never, ""))); !strings.HasPrefix(got, "SKIPPED/") {
		t.Errorf("limit 0: %s", got)
	}
	first, second := now(t, w, queue, ""), now(t, w, queue, "")
	r := getRun(t, w, second)
	if states(r) != "QUEUED/ QUEUED//" || object(object(r["status"])["queue_details"])["code"] != "MAX_CONCURRENT_RUNS_REACHED" {
		t.Errorf("queued: %s %v", states(r), r["status"])
	}
	if err := w.Advance(t.Context(), 90*time.Minute); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[int64]string{running: "TERMINATED/SUCCESS", first: "TERMINATED/SUCCESS", second: "RUNNING/"} {
		if got := states(getRun(t, w, run)); !strings.HasPrefix(got, want) {
			t.Errorf("run %d: %s, want %s", run, got, want)
		}
	}
	if err := w.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	r = getRun(t, w, second)
	began, _ := integer(r["start_time"])
	end, _ := integer(r["end_time"])
	if got := states(r); !strings.HasPrefix(got, "TERMINATED/SUCCESS") || end-began < time.Hour.Milliseconds() {
		t.Errorf("the queued run: %s, %d ms", got, end-began)
	}
}

func TestCancelIsAsynchronous(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, scripted)
	w.AddScript(Script{Job: "scripted", Steps: []Step{{LifeCycle: "RUNNING"}}})
	run := now(t, w, id, "")
	getRun(t, w, run)
	if status, _, _ := send(t, w, "POST", "/api/2.2/jobs/runs/delete", fmt.Sprintf(`{"run_id":%d}`, run)); status != 400 {
		t.Errorf("delete of an active run: %d", status)
	}
	ok(t, w, "POST", "/api/2.2/jobs/runs/cancel", fmt.Sprintf(`{"run_id":%d}`, run))
	for _, want := range []string{"TERMINATING/", "TERMINATED/CANCELED", "TERMINATED/CANCELED"} {
		if got := states(getRun(t, w, run)); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A cancelled run that follows a script ends for whoever only lists runs, and by the clock when nobody looks.
func TestCancelEndsWithoutGet(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(w *Workspace, job int64){
		"list": func(w *Workspace, job int64) {
			for range 2 {
				ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/list?active_only=true&job_id=%d", job), "")
			}
		},
		"clock": func(w *Workspace, _ int64) {
			if err := w.Advance(t.Context(), 10*time.Second); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			id := create(t, w, scripted)
			w.AddScript(Script{Job: "scripted", Steps: []Step{{LifeCycle: "RUNNING"}}})
			run := now(t, w, id, "")
			ok(t, w, "POST", "/api/2.2/jobs/runs/cancel-all", fmt.Sprintf(`{"job_id":%d}`, id))
			look(w, id)
			list := ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/list?active_only=true&job_id=%d", id), "")
			if list["runs"] != nil {
				t.Errorf("still active: %v", list["runs"])
			}
			for range 2 {
				if got := states(getRun(t, w, run)); !strings.HasPrefix(got, "TERMINATED/CANCELED") {
					t.Error(got)
				}
			}
		})
	}
}

func TestTasksByRunIf(t *testing.T) {
	t.Parallel()
	const fails, runs = `"spark_jar_task":{}`, `"condition_task":{"left":"2","op":"GREATER_THAN","right":"1"}`
	task := func(key, kind, runIf string, deps ...string) string {
		var d []string
		for _, k := range deps {
			k, outcome, has := strings.Cut(k, "=")
			if has {
				outcome = `,"outcome":"` + outcome + `"`
			}
			d = append(d, `{"task_key":"`+k+`"`+outcome+`}`)
		}
		return fmt.Sprintf(`{"task_key":%q,%s,"run_if":%q,"depends_on":[%s]}`, key, kind, runIf, strings.Join(d, ","))
	}
	for name, c := range map[string]struct {
		tasks []string
		want  map[string]string
		run   string
	}{
		"failure goes down": {[]string{task("a", fails, "ALL_SUCCESS"), task("b", runs, "ALL_SUCCESS", "a")},
			map[string]string{"a": "FAILED", "b": "UPSTREAM_FAILED"}, "INTERNAL_ERROR/FAILED"},
		"cleanup runs": {[]string{task("a", fails, "ALL_SUCCESS"), task("b", runs, "ALL_DONE", "a")},
			map[string]string{"a": "FAILED", "b": "SUCCESS"}, "TERMINATED/SUCCESS_WITH_FAILURES"},
		"only after failure": {[]string{task("a", runs, "ALL_SUCCESS"), task("b", runs, "AT_LEAST_ONE_FAILED", "a")},
			map[string]string{"a": "SUCCESS", "b": "EXCLUDED"}, "TERMINATED/SUCCESS"},
		"branch": {[]string{task("a", runs, "ALL_SUCCESS"), task("b", runs, "ALL_SUCCESS", "a=true"), task("c", fails, "ALL_SUCCESS", "a=false")},
			map[string]string{"a": "SUCCESS", "b": "SUCCESS", "c": "EXCLUDED"}, "TERMINATED/SUCCESS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			r := ended(t, w, now(t, w, create(t, w, `{"tasks":[`+strings.Join(c.tasks, ",")+`]}`), ""))
			got := map[string]string{}
			for _, x := range list(r["tasks"]) {
				got[text(object(x)["task_key"])] = text(object(object(x)["state"])["result_state"])
			}
			if diff := cmp.Diff(c.want, got); diff != "" || !strings.HasPrefix(states(r), c.run+" ") {
				t.Errorf("%s (-want +got):\n%s", states(r), diff)
			}
		})
	}
}

// R12 databricks/databricks-sdk-py#997: output belongs to task runs; R22: the message of each failed task is there.
func TestFailedTasksSayWhy(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, `{"tasks":[{"task_key":"a","spark_python_task":{"python_file":"/x.py"},"max_retries":2},{"task_key":"b","notebook_task":{"notebook_path":"/none"}}]}`)
	run := now(t, w, id, "")
	r := ended(t, w, run)
	if status, _, _ := send(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/get-output?run_id=%d", run), ""); status != 400 {
		t.Errorf("output of the parent: %d", status)
	}
	attempts := 0
	for _, x := range list(r["tasks"]) {
		x := object(x)
		want := map[string]string{"a": "spark_python_task cannot run in the local workspace", "b": "/none"}[text(x["task_key"])]
		out := ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/get-output?run_id=%v", x["run_id"]), "")
		if !strings.Contains(text(out["error"]), want) {
			t.Errorf("%v: %v", x["task_key"], out["error"])
		}
		if x["task_key"] == "a" {
			attempts++
		}
	}
	if attempts != 3 {
		t.Errorf("%d attempts at a, want 3", attempts)
	}
}

func TestNestedJob(t *testing.T) {
	t.Parallel()
	w := open(t)
	inner := create(t, w, `{"name":"inner","parameters":[{"name":"n","default":"1"}],"tasks":[{"task_key":"a","condition_task":{"left":"{{job.parameters.n}}","op":"EQUAL_TO","right":"7"}},
		{"task_key":"b","spark_jar_task":{},"depends_on":[{"task_key":"a","outcome":"true"}]}]}`)
	call := func(n string) string {
		return fmt.Sprintf(`{"name":"outer","tasks":[{"task_key":"t","run_job_task":{"job_id":%d,"job_parameters":{"n":%q}}}]}`, inner, n)
	}
	if got := states(ended(t, w, now(t, w, create(t, w, call("1")), ""))); !strings.HasPrefix(got, "TERMINATED/SUCCESS ") {
		t.Errorf("inner job that succeeds: %s", got)
	}
	r := ended(t, w, now(t, w, create(t, w, call("7")), ""))
	if !strings.HasPrefix(states(r), "INTERNAL_ERROR/FAILED") || !strings.Contains(text(object(r["state"])["state_message"]), "spark_jar_task") {
		t.Errorf("inner job that fails: %s %v", states(r), r["state"])
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, `{"name":"r","tasks":[{"task_key":"a","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}},{"task_key":"b","spark_jar_task":{}}]}`)
	run := now(t, w, id, "")
	ended(t, w, run)
	ok(t, w, "POST", "/api/2.2/jobs/update", fmt.Sprintf(`{"job_id":%d,"new_settings":{"tasks":[{"task_key":"b","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}}]}}`, id))
	if status, _, _ := send(t, w, "POST", "/api/2.2/jobs/runs/repair", fmt.Sprintf(`{"run_id":%d,"rerun_tasks":["b","b"]}`, run)); status != 400 {
		t.Errorf("duplicate keys: %d", status)
	}
	first := ok(t, w, "POST", "/api/2.2/jobs/runs/repair", fmt.Sprintf(`{"run_id":%d,"rerun_all_failed_tasks":true}`, run))
	r := ended(t, w, run)
	if !strings.HasPrefix(states(r), "TERMINATED/SUCCESS ") || len(list(r["tasks"])) != 3 {
		t.Errorf("%s, %d task runs", states(r), len(list(r["tasks"])))
	}
	if status, _, _ := send(t, w, "POST", "/api/2.2/jobs/runs/repair", fmt.Sprintf(`{"run_id":%d,"rerun_tasks":["a"]}`, run)); status != 400 {
		t.Errorf("second repair without latest_repair_id: %d", status)
	}
	ok(t, w, "POST", "/api/2.2/jobs/runs/repair", fmt.Sprintf(`{"run_id":%d,"rerun_tasks":["a"],"latest_repair_id":%v}`, run, first["repair_id"]))
	ended(t, w, run)
}

// The SDK's own waiter and pager work against the workspace.
func TestRunsThroughTheSDK(t *testing.T) {
	t.Parallel()
	w := open(t)
	var tasks []string
	for i := range 130 {
		tasks = append(tasks, fmt.Sprintf(`{"task_key":"t%03d","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}}`, i))
	}
	c := client(t, w)
	wait, err := c.Jobs.RunNow(t.Context(), jobs.RunNow{JobId: create(t, w, `{"name":"x","tasks":[`+strings.Join(tasks, ",")+`]}`)})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the run ends", func() bool { return states(getRun(t, w, wait.RunId))[:4] == "TERM" })
	run, err := c.Jobs.GetRun(t.Context(), jobs.GetRunRequest{RunId: wait.RunId})
	if err != nil || len(run.Tasks) != 130 || run.State.ResultState != jobs.RunResultStateSuccess {
		t.Errorf("%v, %v", run, err)
	}
	if _, err := c.Jobs.GetRun(t.Context(), jobs.GetRunRequest{RunId: 1}); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("missing run: %v", err)
	}
}

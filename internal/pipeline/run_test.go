package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// ready is a workspace whose loader has not run yet.
func ready(t *testing.T) *bed {
	t.Helper()
	b := open(t)
	b.tables("INT", "")
	b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	b.exec("INSERT INTO main.events.src SELECT CAST(id %% 3 AS INT), id DIV 3, timestampadd(MINUTE, CAST(id DIV 3 AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(3000)")
	b.advance(time.Minute)
	return b
}

func (b *bed) run(r pipeline.RunRequest) (pipeline.RunResult, []string, *clock, error) {
	b.t.Helper()
	if r.Job == "" {
		r.Job = "load"
	}
	c := &clock{now: start}
	var seen []string
	out, err := pipeline.Run(b.t.Context(), b.client, c, r, func(r run.Run) { seen = append(seen, r.State()) })
	if out.Verification != nil {
		b.t.Cleanup(func() { _ = out.Verification.Close() })
	}
	return out, seen, c, err
}

const (
	runNow     = "/api/2.2/jobs/run-now"
	runsGet    = "/api/2.2/jobs/runs/get"
	statements = "/api/2.0/sql/statements"
)

func TestRunVerifies(t *testing.T) {
	t.Parallel()
	b := ready(t)
	out, _, _, err := b.run(pipeline.RunRequest{})
	if err != nil || out.ExitCode != run.Pass || out.Verification == nil || out.Verification.Verdict != reconcile.Pass || out.Verification.Counts.Due != 2907 || out.Existing {
		t.Fatalf("%+v %v", out, err)
	}
	if out.Verification.Run != out.Run.ID {
		t.Errorf("verified run %d, ran %d", out.Verification.Run, out.Run.ID)
	}
}

// R01 databricks/cli#5882: the answer to run-now is lost; one run exists, and both requests carried one token.
func TestRunLostAnswer(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]local.Fault{
		"503 after it acted": {Route: runNow, Call: 1, Times: 1, ActThenStatus: true, Status: 503},
		"connection cut":     {Route: runNow, Call: 1, Times: 1, ActThenReset: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := ready(t)
			b.AddFault(fault)
			out, _, _, err := b.run(pipeline.RunRequest{})
			if err != nil || out.ExitCode != run.Pass {
				t.Fatalf("%+v %v", out, err)
			}
			tokens := map[string]bool{}
			for _, r := range b.Requests() {
				if r.Route == runNow {
					_, after, _ := strings.Cut(r.Body, `"idempotency_token":"`)
					token, _, _ := strings.Cut(after, `"`)
					tokens[token] = true
				}
			}
			if b.Count("POST", runNow) != 2 || len(tokens) != 1 {
				t.Errorf("%d requests with tokens %v", b.Count("POST", runNow), tokens)
			}
			if n := len(b.exec("SELECT 1 FROM main.events.tgt WHERE p = 0 AND seq = 0")); n != 1 {
				t.Errorf("a row was loaded %d times", n)
			}
		})
	}
}

// R01 apache/airflow#64828: a token that belongs to a failed run brings that run back, and it is no success.
func TestRunTokenOfAFailedRun(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "TERMINATED", Result: "FAILED", Message: "first try"}}})
	first, _, _, err := b.run(pipeline.RunRequest{Token: "mine"})
	if err != nil || first.Existing || first.ExitCode != run.RunFailed {
		t.Fatalf("%+v %v", first, err)
	}
	b.advance(time.Minute)
	again, _, _, err := b.run(pipeline.RunRequest{Token: "mine"})
	if err != nil || !again.Existing || again.Run.ID != first.Run.ID || again.ExitCode != run.RunFailed || again.Verification != nil {
		t.Errorf("%+v %v", again, err)
	}
}

// R02: whatever ends without success is not verified, and says which task failed and why (R22).
func TestRunFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		step local.Step
		want run.Outcome
	}{
		{"databricks/cli#257 failed", local.Step{LifeCycle: "TERMINATED", Result: "FAILED", Tasks: []local.TaskStep{{Key: "load", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table", Trace: "line 7"}}}, run.Failed},
		{"dbt-databricks#1477 timed out", local.Step{LifeCycle: "TERMINATED", Result: "TIMEDOUT"}, run.TimedOut},
		{"cancelled", local.Step{LifeCycle: "TERMINATED", Result: "CANCELED"}, run.Canceled},
		{"R03 cicd-templates#52 skipped", local.Step{LifeCycle: "SKIPPED"}, run.Skipped},
		{"internal error", local.Step{LifeCycle: "INTERNAL_ERROR", Result: "FAILED"}, run.Failed},
		{"partial", local.Step{LifeCycle: "TERMINATED", Result: "SUCCESS_WITH_FAILURES"}, run.Partial},
		{"upstream failed", local.Step{LifeCycle: "TERMINATED", Result: "UPSTREAM_FAILED"}, run.UpstreamFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := ready(t)
			b.AddScript(local.Script{Job: "load", Steps: []local.Step{tt.step}})
			out, _, c, err := b.run(pipeline.RunRequest{})
			if err != nil || out.Run.Outcome() != tt.want || out.ExitCode != run.RunFailed || out.Verification != nil {
				t.Fatalf("%s %+v %v", out.Run.Outcome(), out, err)
			}
			if n := b.Count("POST", statements); n != 0 {
				t.Errorf("%d statements were run", n)
			}
			if len(c.slept) != 0 {
				t.Errorf("it slept %v although the end was there at once", c.slept)
			}
			if len(tt.step.Tasks) > 0 {
				f := out.Run.Failures()
				if len(f) != 1 || f[0].Message != "no such table" {
					t.Errorf("failures %+v", f)
				}
			}
		})
	}
}

// R04 apache/airflow#33882, dagster-io/dagster#22312: states on the way, also new ones, go on; each is told once.
func TestRunStatesOnTheWay(t *testing.T) {
	t.Parallel()
	b := ready(t)
	var steps []local.Step
	for _, s := range []string{"QUEUED", "BLOCKED", "RUNNING", "RUNNING", "WAITING_FOR_RETRY", "NEW_STATE_X", "RUNNING", "TERMINATING"} {
		steps = append(steps, local.Step{LifeCycle: s})
	}
	steps = append(steps, local.Step{LifeCycle: "TERMINATED", Result: "SUCCESS"})
	b.AddScript(local.Script{Job: "load", Steps: steps})
	out, seen, _, err := b.run(pipeline.RunRequest{NoVerify: true})
	if err != nil || out.ExitCode != run.Pass {
		t.Fatalf("%+v %v", out, err)
	}
	if got, want := fmt.Sprint(seen), "[QUEUED BLOCKED RUNNING WAITING_FOR_RETRY NEW_STATE_X RUNNING TERMINATING TERMINATED]"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if n := b.Count("POST", runNow); n != 1 {
		t.Errorf("%d runs were started", n)
	}
}

// R05 apache/airflow#43128: polls that fail on the way do not end the wait.
func TestWaitSurvivesFailingPolls(t *testing.T) {
	t.Parallel()
	b := ready(t)
	steps := []local.Step{{LifeCycle: "RUNNING"}, {LifeCycle: "RUNNING"}, {LifeCycle: "RUNNING"}, {LifeCycle: "TERMINATED", Result: "SUCCESS"}}
	b.AddScript(local.Script{Job: "load", Steps: steps})
	for i, f := range []local.Fault{{Status: 500, Body: `{"error_code":"INTERNAL_ERROR"}`}, {Status: 503, Body: "<html>busy</html>", ContentType: "text/html"}, {Reset: true},
		{Status: 429, Headers: map[string]string{"Retry-After": "1"}}, {Status: 502}} {
		f.Route, f.Call, f.Times = runsGet, i+2, 1
		b.AddFault(f)
	}
	out, _, _, err := b.run(pipeline.RunRequest{NoVerify: true})
	if err != nil || out.ExitCode != run.Pass {
		t.Fatalf("%+v %v", out, err)
	}
}

// R05: answers that never come end the wait with the run's id, and nothing is cancelled.
func TestWaitGivesUpOnSilence(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	b.AddFault(local.Fault{Route: runsGet, Status: 503})
	out, _, c, err := b.run(pipeline.RunRequest{Wait: pipeline.WaitOptions{Patience: 2 * time.Minute}})
	var gave *pipeline.GaveUpError
	if !errors.As(err, &gave) || gave.RunID != out.Run.ID || out.Run.ID == 0 || !strings.Contains(err.Error(), fmt.Sprint(out.Run.ID)) || out.ExitCode != run.GaveUp {
		t.Fatalf("%+v %v", out, err)
	}
	if waited := c.now.Sub(start); waited < 2*time.Minute || waited > 3*time.Minute {
		t.Errorf("it waited %s", waited)
	}
	if n := b.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 0 {
		t.Errorf("%d cancels", n)
	}
}

// R10 databricks/databricks-sdk-py#518: no limit of our own; a limit that is asked for leaves the run alone.
func TestWaitLimits(t *testing.T) {
	t.Parallel()
	b := ready(t)
	steps := make([]local.Step, 400, 401)
	for i := range steps {
		steps[i] = local.Step{LifeCycle: "RUNNING"}
	}
	b.AddScript(local.Script{Job: "load", Steps: append(steps, local.Step{LifeCycle: "TERMINATED", Result: "SUCCESS"})})
	out, _, c, err := b.run(pipeline.RunRequest{NoVerify: true})
	if err != nil || out.ExitCode != run.Pass || c.now.Sub(start) < 3*time.Hour {
		t.Fatalf("%+v %v after %s", out, err, c.now.Sub(start))
	}
	b.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	out, _, c, err = b.run(pipeline.RunRequest{NoVerify: true, Wait: pipeline.WaitOptions{Timeout: 5 * time.Second}})
	var gave *pipeline.GaveUpError
	if !errors.As(err, &gave) || out.ExitCode != run.GaveUp || c.now.Sub(start) != 5*time.Second || out.Run.State() != "RUNNING" {
		t.Errorf("%+v %v after %s", out, err, c.now.Sub(start))
	}
	r, err := b.client.Run(t.Context(), out.Run.ID)
	if err != nil || r.Outcome() != run.Active {
		t.Errorf("the run: %+v %v", r, err)
	}
	r, err = pipeline.Wait(t.Context(), b.client, c, out.Run.ID, pipeline.WaitOptions{UntilRunning: true}, nil)
	if err != nil || r.State() != "RUNNING" {
		t.Errorf("R30 databricks/run-notebook#53 until it runs: %+v %v", r, err)
	}
}

// R16: whoever stops waiting leaves the run as it is, and learns its id.
func TestWaitInterrupted(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddScript(local.Script{Job: "load", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	ctx, stop := context.WithCancel(t.Context())
	out, err := pipeline.Run(ctx, b.client, &clock{now: start}, pipeline.RunRequest{Job: "load"}, func(run.Run) { stop() })
	if !errors.Is(err, context.Canceled) || out.Run.ID == 0 {
		t.Errorf("%+v %v", out, err)
	}
	if n := b.Count("POST", "/api/2.2/jobs/runs/cancel"); n != 0 {
		t.Errorf("%d cancels", n)
	}
}

// R32 flyteorg/flytekit#2819: a green run is no proof.
func TestRunGreenButRowsMissing(t *testing.T) {
	t.Parallel()
	b := ready(t)
	if err := b.client.ImportFile(t.Context(), loaderFile, []byte("SELECT 1"), true); err != nil {
		t.Fatal(err)
	}
	out, _, _, err := b.run(pipeline.RunRequest{})
	if err != nil || out.Run.Outcome() != run.Succeeded || out.ExitCode != run.Loss || out.Verification.Counts.Late != 2907 {
		t.Errorf("%+v %v", out, err)
	}
}

// A job without a contract is not started: what it did could not be verified.
func TestRunNeedsAContract(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.job(promise(coverage.SettleNewestEvent), "SELECT 1", func(s map[string]any) { s["name"], s["tags"] = "plain", map[string]any{} })
	_, _, _, err := b.run(pipeline.RunRequest{Job: "plain"})
	if !errors.Is(err, pipeline.ErrConfiguration) || b.Count("POST", runNow) != 0 {
		t.Errorf("%v, %d starts", err, b.Count("POST", runNow))
	}
	if out, _, _, err := b.run(pipeline.RunRequest{Job: "plain", NoVerify: true}); err != nil || out.ExitCode != run.Pass {
		t.Errorf("%+v %v", out, err)
	}
}

// The run stands, whatever keeps the verification from being made.
func TestRunCannotVerify(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddFault(local.Fault{Route: statements, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no"}`})
	out, _, _, err := b.run(pipeline.RunRequest{})
	if err != nil || out.Run.Outcome() != run.Succeeded || out.VerifyErr == nil || out.ExitCode != run.CouldNotRun {
		t.Errorf("%+v %v", out, err)
	}
}

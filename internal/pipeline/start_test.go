package pipeline_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func (b *bed) start(r pipeline.StartRequest) (pipeline.StartResult, []string, *clock, error) {
	b.t.Helper()
	if r.Job == "" {
		r.Job = "load"
	}
	c := &clock{now: start}
	var seen []string
	out, err := pipeline.Start(b.t.Context(), b.client, c, r, func(r run.Run) { seen = append(seen, r.State()) })
	return out, seen, c, err
}

func (b *bed) active(job int64) []int64 {
	b.t.Helper()
	var ids []int64
	for r, err := range b.client.Runs(b.t.Context(), workspace.RunFilter{JobID: job, Active: true}) {
		if err != nil {
			b.t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

func running(states ...string) local.Script {
	s := local.Script{Job: "load"}
	for _, state := range states {
		s.Steps = append(s.Steps, local.Step{LifeCycle: state})
	}
	return s
}

// J08 databricks/terraform-provider-databricks#4417: a run that never ends is waited for until it works.
func TestStartWaitsUntilTheRunWorks(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddScript(running("QUEUED", "PENDING", "RUNNING"))
	out, seen, c, err := b.start(pipeline.StartRequest{Timeout: time.Hour})
	if err != nil || out.GaveUp != nil || out.Existing || out.Run.State() != "RUNNING" || !out.Paused || out.JobName != "load" {
		t.Fatalf("%+v %v", out, err)
	}
	if diff := cmp.Diff([]string{"QUEUED", "PENDING", "RUNNING"}, seen); diff != "" {
		t.Error(diff)
	}
	if len(c.slept) != 2 || b.Count("POST", "/api/2.2/jobs/runs/cancel") != 0 {
		t.Errorf("slept %v", c.slept)
	}
}

func TestStartGivesUp(t *testing.T) {
	t.Parallel()
	b := ready(t)
	b.AddScript(running("QUEUED"))
	out, _, c, err := b.start(pipeline.StartRequest{Timeout: time.Minute})
	if err != nil || out.GaveUp == nil || out.Run.ID == 0 || out.Run.State() != "QUEUED" {
		t.Fatalf("%+v %v", out, err)
	}
	if waited := c.now.Sub(start); waited != time.Minute {
		t.Errorf("waited %s", waited)
	}
	b.ResetRequests()
	out, _, c, err = b.start(pipeline.StartRequest{})
	if err != nil || out.Run.ID == 0 || len(c.slept) != 0 || b.Count("GET", runsGet) != 1 {
		t.Errorf("without a wait: %+v %v, slept %v", out, err, c.slept)
	}
}

// R01 apache/airflow#64828: the run of an earlier token is told as what it is.
func TestStartTokenOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	b := ready(t)
	first, _, _, err := b.start(pipeline.StartRequest{Token: "mine"})
	if err != nil || first.Existing {
		t.Fatalf("%+v %v", first, err)
	}
	b.advance(time.Minute)
	again, _, _, err := b.start(pipeline.StartRequest{Token: "mine"})
	if err != nil || !again.Existing || again.Run.ID != first.Run.ID {
		t.Errorf("%+v %v", again, err)
	}
}

// R01 databricks/cli#5882: the answer to run-now is lost, and one run exists.
func TestStartLostAnswer(t *testing.T) {
	t.Parallel()
	b := ready(t)
	job := b.job(promise(coverage.SettleWall), loaderSQL(coverage.SettleWall), func(s map[string]any) { s["name"] = "other" })
	b.AddScript(local.Script{Job: "other", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	b.AddFault(local.Fault{Route: runNow, Call: 1, Times: 1, ActThenReset: true})
	out, _, _, err := b.start(pipeline.StartRequest{Job: "other", Timeout: time.Minute})
	if err != nil || out.Existing || b.Count("POST", runNow) != 2 {
		t.Fatalf("%+v %v", out, err)
	}
	if diff := cmp.Diff([]int64{out.Run.ID}, b.active(job)); diff != "" {
		t.Error(diff)
	}
}

func always(b *bed) int64 {
	return b.job(promise(coverage.SettleWall), loaderSQL(coverage.SettleWall), func(s map[string]any) {
		s["name"] = "always"
		delete(s, "schedule")
		delete(s, "max_concurrent_runs")
		s["continuous"] = map[string]any{}
	})
}

// J06 databricks/terraform-provider-databricks#4267: the service starts a continuous job in the same moment and answers
// run-now with 409: the run that is active is the one.
func TestStartRacesWithTheService(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *local.Options) { o.Behaviour.ContinuousRace = true })
	b.tables("INT", "")
	b.SetRunTime("always", time.Hour)
	job := always(b)
	out, _, _, err := b.start(pipeline.StartRequest{Job: "always", Timeout: time.Minute})
	if active := b.active(job); err != nil || !out.ByTrigger || out.Existing || len(active) != 1 || active[0] != out.Run.ID {
		t.Errorf("%+v %v, active %v", out, err, active)
	}
}

// A run of the trigger has no parameters of somebody else, and a refusal is no conflict of a job without such a trigger.
func TestStartDoesNotTakeAnotherRun(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *local.Options) { o.Behaviour.ContinuousRace = true })
	b.tables("INT", "")
	always(b)
	if out, _, _, err := b.start(pipeline.StartRequest{Job: "always", Parameters: map[string]string{"day": "1"}}); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("%+v %v", out, err)
	}
	scheduled := ready(t)
	scheduled.AddFault(local.Fault{Route: runNow, Status: 409, Body: `{"error_code":"RESOURCE_CONFLICT","message":"no"}`})
	if out, _, _, err := scheduled.start(pipeline.StartRequest{}); !errors.Is(err, workspace.ErrConflict) {
		t.Errorf("%+v %v", out, err)
	}
}

// J07 databricks/cli#1849: an unpaused continuous job that runs already is started by run-now alone.
func TestStartOfARunningContinuousJob(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", "")
	job := always(b)
	b.advance(time.Second)
	out, _, _, err := b.start(pipeline.StartRequest{Job: "always", Timeout: time.Minute})
	if err != nil || out.Run.ID == 0 {
		t.Fatalf("%+v %v", out, err)
	}
	if n := b.Count("POST", "/api/2.2/jobs/runs/cancel") + b.Count("POST", "/api/2.2/jobs/runs/cancel-all"); n != 0 || len(b.active(job)) > 1 {
		t.Errorf("%d cancellations, active %v", n, b.active(job))
	}
}

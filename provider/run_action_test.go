package provider_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func scripted(t *testing.T, w *local.Workspace, steps ...local.Step) {
	t.Helper()
	w.AddScript(local.Script{Job: "copy_messages", Steps: steps})
}

// wants checks that there is one text for each wanted one, in order, that holds all its parts.
func wants(t *testing.T, got []string, wanted ...[]string) {
	t.Helper()
	if len(got) != len(wanted) {
		t.Fatalf("%d texts, want %d:\n%s", len(got), len(wanted), strings.Join(got, "\n"))
	}
	for i, parts := range wanted {
		for _, part := range parts {
			if !strings.Contains(got[i], part) {
				t.Errorf("text %d does not hold %q: %s", i, part, got[i])
			}
		}
	}
}

func activeRuns(t *testing.T, w *local.Workspace) []string {
	t.Helper()
	var ids []string
	for r, err := range outside(t, w).Runs(t.Context(), workspace.RunFilter{Active: true}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, fmt.Sprint(r.ID))
	}
	return ids
}

// J08 databricks/terraform-provider-databricks#4417: the action ends once the run works, although it never ends.
func TestRunActionOfAnEndlessRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	id := byHand(t, w)
	scripted(t, w, local.Step{LifeCycle: "RUNNING"})
	p := speak(t, w, nil)
	w.ResetRequests()
	progress, ends := p.invoke(values{"job": word("copy_messages"), "timeout": word("1h"),
		"only":       tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{word("load")}),
		"parameters": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, values{"day": word("2026-03-01")})})
	active := activeRuns(t, w)
	if len(active) != 1 {
		t.Fatalf("active runs %v", active)
	}
	wants(t, progress, []string{"run " + active[0], "job " + id, w.Host()}, []string{"is RUNNING"})
	wants(t, ends)
	sent := body(t, w, "jobs/run-now")
	if token, _ := sent["idempotency_token"].(string); len(token) < 16 || len(token) > 64 {
		t.Errorf("token %q", token)
	}
	delete(sent, "idempotency_token")
	if diff := cmp.Diff(map[string]any{"job_parameters": map[string]any{"day": "2026-03-01"}, "only": []any{"load"}}, map[string]any{"job_parameters": sent["job_parameters"], "only": sent["only"]}); diff != "" {
		t.Error(diff)
	}
}

// R01 databricks/cli#5882: the answer to run-now is lost. One run exists, and both requests carry one token.
func TestRunActionLostAnswer(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w)
	scripted(t, w, local.Step{LifeCycle: "RUNNING"})
	w.AddFault(local.Fault{Route: "jobs/run-now", Call: 1, Times: 1, ActThenStatus: true, Status: 503})
	_, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages")})
	wants(t, ends)
	if n, active := w.Count("POST", "jobs/run-now"), activeRuns(t, w); n != 2 || len(active) != 1 {
		t.Errorf("%d requests, active runs %v", n, active)
	}
}

// R01 apache/airflow#64828: the run of a token that was used before is reported as what it is, and as not new.
func TestRunActionTokenOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w)
	again := func(wanted ...[]string) {
		t.Helper()
		_, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages"), "token": word("deploy-7")})
		wants(t, ends, wanted...)
		if err := w.Advance(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	scripted(t, w, local.Step{LifeCycle: "RUNNING"}, local.Step{LifeCycle: "RUNNING"}, local.Step{LifeCycle: "TERMINATED", Result: "FAILED", Message: "no disk"})
	again()
	again([]string{"WARNING", "No new run was started", "deploy-7", "RUNNING"})
	again([]string{"ERROR", "did not succeed", "failed", "No disk", "no new one was started"})
	if n := len(activeRuns(t, w)); n != 0 {
		t.Errorf("%d active runs", n)
	}
}

// A run that is still queued goes on, and nobody waits for it any more.
func TestRunActionOfAQueuedRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w)
	scripted(t, w, local.Step{LifeCycle: "QUEUED"})
	progress, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages"), "timeout": word("1s")})
	wants(t, progress, []string{w.Host()}, []string{"is QUEUED"})
	wants(t, ends, []string{"WARNING", "does not work yet", "QUEUED after 1 s", "timeout"})
	scripted(t, w, local.Step{LifeCycle: "QUEUED"})
	w.ResetRequests()
	_, ends = speak(t, w, nil).invoke(values{"job": word("copy_messages"), "timeout": word("0s")})
	wants(t, ends)
	if n := w.Count("GET", "jobs/runs/get"); n != 1 {
		t.Errorf("%d looks at a run that is not waited for", n)
	}
}

// R03 databricks/cli#1191: a run that was skipped is no success.
func TestRunActionOfASkippedRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w)
	scripted(t, w, local.Step{LifeCycle: "SKIPPED", Message: "too many runs"})
	_, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages")})
	wants(t, ends, []string{"ERROR", "did not succeed", "skipped", "Too many runs"})
}

// J02's neighbour: a paused loader is started, and stays paused.
func TestRunActionOfAPausedJob(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w, func(s map[string]any) { s["schedule"].(map[string]any)["pause_status"] = "PAUSED" })
	scripted(t, w, local.Step{LifeCycle: "RUNNING"})
	_, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages")})
	wants(t, ends, []string{"WARNING", "stays paused", "copy_messages"})
	if status := theJob(t, w).Settings["schedule"].(map[string]any)["pause_status"]; status != "PAUSED" {
		t.Errorf("the job is %v", status)
	}
}

func continuous(s map[string]any) {
	delete(s, "schedule")
	s["continuous"] = map[string]any{"pause_status": "UNPAUSED"}
	s["tasks"] = []any{map[string]any{"task_key": "load", "notebook_task": map[string]any{"notebook_path": "/Shared/load"}}}
}

// J06 databricks/terraform-provider-databricks#4267: the service starts a continuous job in the same moment and answers
// run-now with 409. J07 databricks/cli#1849: without that race run-now alone is sent, and nothing is cancelled.
func TestRunActionOfAContinuousJob(t *testing.T) {
	t.Parallel()
	for name, race := range map[string]bool{"race": true, "calm": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{ContinuousRace: race}})
			w.SetRunTime("copy_messages", time.Hour)
			byHand(t, w, continuous)
			progress, ends := speak(t, w, nil).invoke(values{"job": word("copy_messages")})
			active := activeRuns(t, w)
			if n := w.Count("POST", "jobs/run-now"); n != 1 || len(active) != 1 || !strings.Contains(progress[0], "run "+active[0]) {
				t.Fatalf("%d requests, active runs %v, progress %q", n, active, progress)
			}
			if n := w.Count("POST", "runs/cancel") + w.Count("POST", "runs/cancel-all"); n != 0 {
				t.Errorf("%d cancellations", n)
			}
			if race {
				wants(t, ends, []string{"WARNING", "just started by itself"})
			} else {
				wants(t, ends)
			}
		})
	}
}

func TestRunActionRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	byHand(t, w)
	byHand(t, w)
	p := speak(t, w, nil)
	for job, wanted := range map[string]string{"copy": `no job named "copy"`, "copy_messages": "2 jobs have this name"} {
		_, ends := p.invoke(values{"job": word(job)})
		wants(t, ends, []string{"ERROR", "The run was not started", wanted})
	}
	if n := w.Count("POST", "jobs/run-now"); n != 0 {
		t.Errorf("%d runs were started", n)
	}
	for name, c := range map[string]values{
		"token":   {"job": word("copy_messages"), "token": word(strings.Repeat("x", 65))},
		"timeout": {"job": word("copy_messages"), "timeout": word("soon")},
		"job":     {"job": word(" ")},
	} {
		r, err := p.server.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: "watertight_run", Config: p.action(c)})
		if err != nil || len(r.Diagnostics) != 1 {
			t.Errorf("%s: %v %v", name, err, texts(r.Diagnostics))
		}
	}
}

// The workspace is not known yet: planning makes no call, and defers where Terraform can. Invoked all the same, the action
// says what is missing.
func TestRunActionOfAnUnknownHost(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	p := speak(t, w, values{"host": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)})
	config := p.action(values{"job": word("copy_messages")})
	for _, allowed := range []bool{false, true} {
		r, err := p.server.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: "watertight_run", Config: config,
			ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{DeferralAllowed: allowed}})
		p.must(err, r.Diagnostics)
		if (r.Deferred != nil) != allowed {
			t.Errorf("deferral allowed %t: %v", allowed, r.Deferred)
		}
	}
	_, ends := p.invoke(values{"job": word("copy_messages")})
	wants(t, ends, []string{"ERROR", "configuration is not known"})
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Where Terraform can defer a data source by itself, it is asked to.
func TestDataSourcesDefer(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	p := speak(t, w, values{"host": tftypes.NewValue(tftypes.String, tftypes.UnknownValue)})
	for name, c := range map[string]values{
		"watertight_loader_job": {"name": word("copy_messages")},
		"watertight_retention":  {"table": word("main.events.source")},
		"watertight_counts":     {"job": word("copy_messages")},
	} {
		r, err := p.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: p.object(p.schemas.DataSourceSchemas[name], c),
			ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true}})
		p.must(err, r.Diagnostics)
		if r.Deferred == nil || r.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
			t.Errorf("%s: %+v", name, r.Deferred)
		}
	}
}

// The example needs Terraform 1.14: here its job is applied by the Terraform at hand and its action invoked by the test.
func TestRunActionExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../examples/actions/watertight_run/action.tf")
	if err != nil {
		t.Fatal(err)
	}
	resource, block, ok := strings.Cut(string(text), `action "watertight_run" "load" {`)
	trigger := regexp.MustCompile(`(?s)\n  lifecycle \{\n    action_trigger \{.*actions = \[action\.watertight_run\.load\].*?\n  \}\n`)
	if !ok || !trigger.MatchString(resource) {
		t.Fatal("the example has no action or no trigger")
	}
	given := values{}
	for _, m := range regexp.MustCompile(`(?m)^    (\w+) += "(.*)"$`).FindAllStringSubmatch(block, -1) {
		given[m[1]] = word(m[2])
	}
	w := open(t, local.Options{})
	newShell(t, with(w, trigger.ReplaceAllString(resource, "\n"))).apply()
	w.AddScript(local.Script{Job: "load_messages", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	progress, ends := speak(t, w, nil).invoke(given)
	wants(t, ends)
	wants(t, progress, []string{w.Host()}, []string{"is RUNNING"})
}

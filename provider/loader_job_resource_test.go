package provider_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const loaderAddress = "watertight_loader_job.messages"

// loader is a loader job's configuration: what every test needs, and the lines of one test.
func loader(lines string) string { return loaderWith(lines, notebook) }

const notebook = `{ tasks = [{ task_key = "load", notebook_task = { notebook_path = "/Shared/load" } }] }`

func loaderWith(lines, settings string) string {
	if !strings.Contains(lines, "schedule") && !strings.Contains(lines, "periodic") && !strings.Contains(lines, "continuous") && !strings.Contains(settings, "trigger") {
		lines += "\n" + `  schedule = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }`
	}
	if !strings.Contains(lines, "max_duration") {
		lines += "\n" + `  max_duration = "20m"`
	}
	return `
resource "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  settle_delay = "30m"
  settings     = ` + settings + "\n" + lines + "\n}\n"
}

// theJob is the one job of the workspace.
func theJob(t *testing.T, w *local.Workspace) workspace.Job {
	t.Helper()
	var found []workspace.Job
	for j, err := range outside(t, w).Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, j)
	}
	if len(found) != 1 {
		t.Fatalf("%d jobs in the workspace, want 1", len(found))
	}
	return found[0]
}

// edit changes the live job as somebody in the UI would.
func edit(t *testing.T, w *local.Workspace, change func(settings map[string]any)) {
	t.Helper()
	j := theJob(t, w)
	change(j.Settings)
	if err := outside(t, w).ResetJob(t.Context(), j.ID, j.Settings); err != nil {
		t.Fatal(err)
	}
}

// body is the JSON of the only request of a route since the last reset.
func body(t *testing.T, w *local.Workspace, route string) map[string]any {
	t.Helper()
	var out map[string]any
	n := 0
	for _, q := range w.Requests() {
		if strings.HasSuffix(q.Route, route) {
			n++
			if err := json.Unmarshal([]byte(q.Body), &out); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1 {
		t.Fatalf("%d requests to %s, want 1", n, route)
	}
	return out
}

func action(address string, a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

// Each apply is followed by a second plan, which terraform-plugin-testing wants empty.
func TestLoaderJobLifecycle(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	first := with(w, loader(""))
	longer := with(w, loader("  max_duration = \"40 minutes\"\n  evidence = \"main.ops\"\n  strict = true"))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config:           first,
				ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("pause_status"), knownvalue.StringExact("UNPAUSED")),
					statecheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("starts").AtMapKey("kind"), knownvalue.StringExact("schedule")),
					statecheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("starts").AtMapKey("on_overlap"), knownvalue.StringExact("skip")),
				},
				Check: func(*terraform.State) error { return wantCreated(t, w) },
			},
			{ResourceName: loaderAddress, ImportState: true, ImportStateVerify: true},
			{ResourceName: loaderAddress, ImportState: true, ImportStateVerify: true, ImportStateId: "load_messages"},
			{
				PreConfig:        w.ResetRequests,
				Config:           longer,
				ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					if n, m := w.Count("POST", "jobs/reset"), w.Count("POST", "jobs/create"); n != 1 || m != 0 {
						return fmt.Errorf("%d resets and %d creates, want 1 and 0", n, m)
					}
					settings := body(t, w, "jobs/reset")["new_settings"].(map[string]any)
					if settings["timeout_seconds"] != float64(2400) || settings["tags"].(map[string]any)["watertight_evidence"] != "main.ops" {
						return fmt.Errorf("the new settings are %v", settings)
					}
					return nil
				},
			},
			{
				// The same duration in other words: the state changes, and the job is the same.
				Config: with(w, loader("  max_duration = \"2400s\"\n  evidence = \"main.ops\"\n  strict = true")),
			},
			{
				PreConfig: func() {
					if err := outside(t, w).DeleteJob(t.Context(), theJob(t, w).ID); err != nil {
						t.Fatal(err)
					}
				},
				Config:           longer,
				ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionCreate),
			},
			{
				// J31 databricks/terraform-provider-databricks#740: what is gone already is destroyed without an error.
				PreConfig: func() {
					if err := outside(t, w).DeleteJob(t.Context(), theJob(t, w).ID); err != nil {
						t.Fatal(err)
					}
				},
				Config:  longer,
				Destroy: true,
			},
		},
	})
}

func wantCreated(t *testing.T, w *local.Workspace) error {
	sent := body(t, w, "jobs/create")
	want := map[string]any{
		"name":            "load_messages",
		"timeout_seconds": float64(1200),
		"schedule":        map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": "UNPAUSED"},
		"tasks":           []any{map[string]any{"task_key": "load", "notebook_task": map[string]any{"notebook_path": "/Shared/load"}}},
		// J16 databricks/terraform-provider-databricks#4785: version 2.2 would turn the queue on.
		"queue": map[string]any{"enabled": false},
		"tags":  sent["tags"],
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		return fmt.Errorf("jobs/create was sent\n%s", diff)
	}
	tags := sent["tags"].(map[string]any)
	for name, value := range map[string]string{"source": "main.events.stream_messages", "target": "main.events.messages", "event_time": "context_updatedAt", "settle_delay": "30m"} {
		if tags["watertight_"+name] != value {
			return fmt.Errorf("tag watertight_%s = %v, want %q", name, tags["watertight_"+name], value)
		}
	}
	return nil
}

// J02 databricks/terraform-provider-databricks#2696: taking PAUSED out of the configuration unpauses, and a pause made
// elsewhere is a difference although the attribute is not written.
func TestLoaderJobPauseIsNeverForgotten(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	unpauses := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(loaderAddress, plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("pause_status"), knownvalue.StringExact("UNPAUSED")),
	}}
	status := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if got := theJob(t, w).Settings["schedule"].(map[string]any)["pause_status"]; got != want {
				return fmt.Errorf("the live job is %v, want %s", got, want)
			}
			return nil
		}
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: with(w, loader(`  pause_status = "PAUSED"`)), Check: status("PAUSED")},
			{Config: with(w, loader("")), ConfigPlanChecks: unpauses, Check: status("UNPAUSED")},
			{
				PreConfig: func() {
					edit(t, w, func(s map[string]any) { s["schedule"].(map[string]any)["pause_status"] = "PAUSED" })
				},
				Config: with(w, loader("")), ConfigPlanChecks: unpauses, Check: status("UNPAUSED"),
			},
		},
	})
}

// J01 databricks/terraform-provider-databricks#5624: a schedule deleted in the UI is a difference and is put back.
func TestLoaderJobChangedOutside(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	config := with(w, loader(""))
	changes := map[string]func(map[string]any){
		"schedule removed":    func(s map[string]any) { delete(s, "schedule") },
		"schedule changed":    func(s map[string]any) { s["schedule"].(map[string]any)["quartz_cron_expression"] = "0 0 * * * ?" },
		"trigger of a kind":   func(s map[string]any) { delete(s, "schedule"); s["continuous"] = map[string]any{} },
		"timeout removed":     func(s map[string]any) { delete(s, "timeout_seconds") },
		"renamed":             func(s map[string]any) { s["name"] = "other" },
		"tag of the contract": func(s map[string]any) { s["tags"].(map[string]any)["watertight_settle_delay"] = "5m" },
		"contract removed":    func(s map[string]any) { s["tags"] = map[string]any{} },
		"queue turned on":     func(s map[string]any) { s["queue"] = map[string]any{"enabled": true} },
		"two runs at once":    func(s map[string]any) { s["max_concurrent_runs"] = 2 },
		"field of a task":     func(s map[string]any) { s["tasks"].([]any)[0].(map[string]any)["max_retries"] = 3 },
		"task added": func(s map[string]any) {
			s["tasks"] = append(s["tasks"].([]any), map[string]any{"task_key": "more", "notebook_task": map[string]any{"notebook_path": "/x"}})
		},
		"field that none owns": func(s map[string]any) { s["description"] = "by hand" },
	}
	steps := []resource.TestStep{{Config: config}}
	for _, change := range changes {
		steps = append(steps, resource.TestStep{
			PreConfig:        func() { edit(t, w, change) },
			Config:           config,
			ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionUpdate),
		})
	}
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: steps})
}

// J10 databricks/cli#4990: the API gives depends_on back in an order of its own.
func TestLoaderJobDependsOnOrder(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 10}})
	settings := func(edges ...string) string {
		var list, tasks []string
		for _, e := range edges {
			list = append(list, fmt.Sprintf("{ task_key = %q }", e))
		}
		for _, key := range []string{"f", "e", "a"} {
			tasks = append(tasks, fmt.Sprintf(`{ task_key = %q, notebook_task = { notebook_path = "/x" } }`, key))
		}
		tasks = append(tasks, fmt.Sprintf(`{ task_key = "load", depends_on = [%s], notebook_task = { notebook_path = "/x" } }`, strings.Join(list, ", ")))
		return "{ tasks = [" + strings.Join(tasks, ", ") + "] }"
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: with(w, loaderWith("", settings("f", "e", "a")))},
			{
				PreConfig:        w.ResetRequests,
				Config:           with(w, loaderWith("", settings("f", "e", "a"))),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check: func(*terraform.State) error {
					if n := writes(w); n != 0 {
						return fmt.Errorf("an empty plan wrote %d times", n)
					}
					return nil
				},
			},
			{
				Config: with(w, loaderWith("", settings("f", "a"))),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(loaderAddress, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("settings").AtMapKey("tasks").AtSliceIndex(3).AtMapKey("depends_on"), knownvalue.TupleExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{"task_key": knownvalue.StringExact("f")}),
						knownvalue.ObjectExact(map[string]knownvalue.Check{"task_key": knownvalue.StringExact("a")}),
					})),
				}},
			},
		},
	})
}

// J13 databricks/cli#4675: jobs/get gives 100 tasks a page. J14 terraform-provider-databricks#5417: an import reads as a
// refresh does. A page that cannot be read is an error, and never a shorter job.
func TestLoaderJobOf250Tasks(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 13}})
	config := with(w, loaderWith("", `{ tasks = [for i in range(250) : { task_key = format("t%03d", i), notebook_task = { notebook_path = "/Shared/${i}" } }] }`))
	all := statecheck.ExpectKnownValue(loaderAddress, tfjsonpath.New("settings").AtMapKey("tasks").AtSliceIndex(249).AtMapKey("task_key"), knownvalue.StringExact("t249"))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: []statecheck.StateCheck{all}},
			{
				ResourceName: loaderAddress, ImportState: true,
				ImportStateCheck: func(states []*terraform.InstanceState) error {
					if n := w.Count("", "/api/2.1/*"); n != 0 {
						return fmt.Errorf("%d calls of another version of the API", n)
					}
					return nil
				},
			},
			{
				PreConfig: func() {
					w.AddFault(local.Fault{Route: "jobs/get", Method: "GET", Call: 3, Times: 1000, Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"page 3 is broken"}`})
				},
				Config: config, ExpectError: regexp.MustCompile("page 3 is broken"),
			},
			{
				PreConfig:         w.ClearFaults,
				Config:            config,
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{all},
			},
		},
	})
}

// J30 databricks/terraform-provider-databricks#2225: a missing job is a 404 or a 400; nothing else is read as missing.
func TestLoaderJobMissingOrNot(t *testing.T) {
	t.Parallel()
	binary(t)
	cases := []struct {
		name      string
		behaviour local.Behaviour
		deleted   bool
		fault     *local.Fault
		refused   string
	}{
		{name: "404", deleted: true},
		{name: "400 about a missing job", behaviour: local.Behaviour{MissingJob: 400}, deleted: true},
		{name: "400 of another kind", fault: &local.Fault{Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"expand_tasks is no flag"}`}, refused: "expand_tasks is no flag"},
		{name: "403", fault: &local.Fault{Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"User does not have View permissions on job"}`}, refused: "View permissions"},
		{name: "429", fault: &local.Fault{Status: 429, Body: `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down"}`}, refused: "slow down"},
		{name: "500", fault: &local.Fault{Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"something broke"}`}, refused: "something broke"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: c.behaviour})
			config := with(w, loader(""))
			steps := []resource.TestStep{{Config: config}}
			if c.deleted {
				steps = append(steps, resource.TestStep{
					PreConfig: func() {
						if err := outside(t, w).DeleteJob(t.Context(), theJob(t, w).ID); err != nil {
							t.Fatal(err)
						}
					},
					Config: config, ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionCreate),
				})
			} else {
				c.fault.Route, c.fault.Method = "jobs/get", "GET"
				steps = append(steps,
					resource.TestStep{PreConfig: func() { w.AddFault(*c.fault) }, Config: config, ExpectError: regexp.MustCompile(c.refused)},
					resource.TestStep{PreConfig: w.ClearFaults, Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
				)
			}
			resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: steps})
		})
	}
}

// A refused create leaves nothing behind; the error says what the workspace said.
func TestLoaderJobCreateFails(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	config := with(w, loader(""))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					w.AddFault(local.Fault{Route: "jobs/create", Call: 1, Times: 1, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no jobs for you"}`})
				},
				Config: config, ExpectError: regexp.MustCompile("no jobs for you"),
			},
			{Config: config, ConfigPlanChecks: action(loaderAddress, plancheck.ResourceActionCreate)},
		},
	})
}

// Once the job exists its id is in the state, whatever fails afterwards.
func TestLoaderJobFailureAfterCreate(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	w.AddFault(local.Fault{Route: "jobs/get", Status: 500, Body: `{"error_code":"INTERNAL_ERROR","message":"broken"}`})
	s.apply()
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "broken") {
		t.Fatalf("plan: exit %d\n%s", code, out)
	}
	w.ClearFaults()
	id := strconv.FormatInt(theJob(t, w).ID, 10)
	if out := s.must("state", "show", "-no-color", loaderAddress); !strings.Contains(out, id) {
		t.Errorf("the state does not hold job %s:\n%s", id, out)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
}

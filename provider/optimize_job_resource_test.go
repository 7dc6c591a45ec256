package provider_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const optimizeAddress = "watertight_optimize_job.messages"

// dayRetention is a retention written out, for tests that need no table.
const dayRetention = `{ table = "main.events.stream_messages", rolling_window = "24h" }`

// optimize is an optimize job's configuration with a window of two hours on Sundays, and the lines of one test.
func optimize(retention, lines string) string {
	window := `  window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }` + "\n"
	if strings.Contains(lines, "window = {") {
		window = ""
	}
	return `
resource "watertight_optimize_job" "messages" {
  name      = "optimize_messages"
  table     = "main.events.messages"
  loader    = watertight_loader_job.messages
  retention = ` + retention + "\n" + window + lines + "\n}\n"
}

const pausedFor25h = `
  window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "25h" }
  loader_during_window = "paused"
`

// makeTarget makes the table that the optimize jobs of these tests are for; layout is PARTITIONED BY, CLUSTER BY and such.
func makeTarget(t *testing.T, w *local.Workspace, layout string) {
	t.Helper()
	c := outside(t, w)
	for _, sql := range []string{"CREATE SCHEMA IF NOT EXISTS main.events",
		"CREATE TABLE main.events.messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, day DATE, payload STRING) " + layout} {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	w.ResetRequests()
}

func jobNamed(t *testing.T, w *local.Workspace, name string) workspace.Job {
	t.Helper()
	j, err := outside(t, w).FindJob(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestOptimizeJobLifecycle(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true}) // Monday 2 March 2026, 12:00
	makeTarget(t, w, "")
	first := with(w, loader("")+optimize(dayRetention, `  zorder_by = ["technical_partition"]`+"\n  vacuum = {}"))
	later := with(w, loader("")+optimize(dayRetention, "  analyze = true\n  minimum_headroom = \"4h\""))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config: first,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					// 24 h − (30 min settle delay + 15 min between starts, stretched to 30 by a run of 20 min, + 20 min run).
					plancheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("longest_wait"), knownvalue.StringExact("50m")),
					plancheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("headroom"), knownvalue.StringExact("22h40m")),
					plancheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("next_window"), knownvalue.StringExact("2026-03-08T02:00:00Z")),
					plancheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("statements"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("OPTIMIZE `main`.`events`.`messages` ZORDER BY (`technical_partition`)"),
						knownvalue.StringExact("VACUUM `main`.`events`.`messages`"),
					})),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("verdict"), knownvalue.StringExact("holds"))},
			},
			{ResourceName: optimizeAddress, ImportState: true, ImportStateId: "optimize_messages", ImportStateCheck: func(s []*terraform.InstanceState) error {
				for _, i := range s {
					if a := i.Attributes; a["name"] == "optimize_messages" && a["table"] == "main.events.messages" && a["window.duration"] == "2h" {
						return nil
					}
				}
				return fmt.Errorf("imported %v", s)
			}},
			{
				PreConfig: w.ResetRequests, Config: later, ConfigPlanChecks: action(optimizeAddress, plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					if n, m := w.Count("POST", "jobs/reset"), w.Count("POST", "jobs/create"); n != 1 || m != 0 {
						return fmt.Errorf("%d resets and %d creates, want 1 and 0", n, m)
					}
					return nil
				},
			},
			{
				// Time alone is no difference, although the next window is another one.
				PreConfig: func() {
					if err := w.Advance(t.Context(), 10*24*time.Hour); err != nil {
						t.Fatal(err)
					}
				},
				Config:            later,
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(optimizeAddress, tfjsonpath.New("next_window"), knownvalue.StringExact("2026-03-15T02:00:00Z"))},
			},
			{
				PreConfig: func() {
					if err := outside(t, w).DeleteJob(t.Context(), jobNamed(t, w, "optimize_messages").ID); err != nil {
						t.Fatal(err)
					}
				},
				Config: later, ConfigPlanChecks: action(optimizeAddress, plancheck.ResourceActionCreate),
			},
		},
		CheckDestroy: func(*terraform.State) error {
			for j, err := range outside(t, w).Jobs(t.Context()) {
				return errors.Join(fmt.Errorf("job %v is left", j.Settings["name"]), err)
			}
			return nil
		},
	})
}

func TestOptimizeJobChangedOutside(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	config := with(w, loader("")+optimize(dayRetention, ""))
	change := func(edit func(map[string]any)) func() {
		return func() {
			j := jobNamed(t, w, "optimize_messages")
			edit(j.Settings)
			if err := outside(t, w).ResetJob(t.Context(), j.ID, j.Settings); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps := []resource.TestStep{{Config: config}}
	for name, do := range map[string]func(){
		"window":                      change(func(s map[string]any) { s["schedule"].(map[string]any)["quartz_cron_expression"] = "0 0 3 ? * SUN" }),
		"no time":                     change(func(s map[string]any) { s["timeout_seconds"] = 0 }),
		"paused":                      change(func(s map[string]any) { s["schedule"].(map[string]any)["pause_status"] = "PAUSED" }),
		"tags":                        change(func(s map[string]any) { s["tags"] = map[string]any{} }),
		"another warehouse's retries": change(func(s map[string]any) { s["tasks"].([]any)[0].(map[string]any)["max_retries"] = 4 }),
		"the SQL file": func() {
			j := jobNamed(t, w, "optimize_messages")
			path := j.Settings["tasks"].([]any)[0].(map[string]any)["sql_task"].(map[string]any)["file"].(map[string]any)["path"].(string)
			if err := outside(t, w).ImportFile(t.Context(), path, []byte("SELECT 1;\n"), true); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Log(name)
		steps = append(steps, resource.TestStep{PreConfig: do, Config: config, ConfigPlanChecks: action(optimizeAddress, plancheck.ResourceActionUpdate)})
	}
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: steps})
}

// Every check of the linked resources refuses the plan, at the attribute, before anything is written.
func TestOptimizeJobViolations(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, config, at, wanted string }{
		{"a pause longer than the window", loader("") + optimize(dayRetention, pausedFor25h), `window`, `longest wait 1 d 1 h 50 min`},
		{"less headroom than wanted", loader("") + optimize(dayRetention, `  minimum_headroom = "23h"`), "minimum_headroom", "23 h"},
		{"a paused loader", loader(`  pause_status = "PAUSED"`) + optimize(dayRetention, ""), "loader", "paused"},
		{"two runs at once", loaderWith("", `{ max_concurrent_runs = 2, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`) + optimize(dayRetention, ""), "loader", "max_concurrent_runs"},
		{"a retention of another table", loader("") + optimize(`{ table = "main.events.other", rolling_window = "24h" }`, ""), "retention", "main.events.other"},
		{"another target", loader("") + strings.Replace(optimize(dayRetention, ""), `"main.events.messages"`, `"main.events.elsewhere"`, 1), "table", "main.events.elsewhere"},
		{"time travel shorter than the pause", loader("") + optimize(`{ table = "main.events.stream_messages", rolling_window = "30d", deleted_file_retention = "1h" }`, "  window = { quartz_cron_expression = \"0 0 2 ? * SUN\", timezone_id = \"UTC\", duration = \"3h\" }\n  loader_during_window = \"paused\""), "retention", "Time travel"},
		{"starts without a bound", loaderWith("", `{ trigger = { file_arrival = { url = "s3://bucket/" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`) + optimize(dayRetention, ""), "loader", "longest_gap"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, c.config))
			out, code := s.plan()
			text := prose(out)
			if code != 1 || !strings.Contains(text, c.wanted) || !regexp.MustCompile(`with `+regexp.QuoteMeta(optimizeAddress)+`, on main.tf line \d+, in resource "watertight_optimize_job" "messages": \d+: `+c.at).MatchString(text) {
				t.Errorf("plan: exit %d, want 1 with %q at %s\n%s", code, c.wanted, c.at, out)
			}
			if n := writes(w); n != 0 {
				t.Errorf("a refused plan wrote %d times", n)
			}
		})
	}
}

// The message carries the arithmetic, the worst case and the smallest changes; on_violation = "warn" lowers it.
func TestOptimizeJobViolationIsExplainedAndLowered(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")+optimize(dayRetention, `  minimum_headroom = "23h"`)))
	out, _ := s.plan()
	for _, part := range []string{"22 h 40 min", "24 h", "30 min", "50 min", "Any one of these would satisfy the check:", "minimum_headroom", `on_violation = "warn"`} {
		if !strings.Contains(prose(out), part) && !strings.Contains(prose(out), strings.ReplaceAll(part, "24 h", "1 d")) {
			t.Errorf("the message does not hold %q:\n%s", part, out)
		}
	}
	s.write(with(w, loader("")+optimize(dayRetention, "  minimum_headroom = \"23h\"\n  on_violation = \"warn\"")))
	if out := s.apply(); !strings.Contains(out, "Warning: Less headroom than minimum_headroom") {
		t.Errorf("apply does not warn:\n%s", out)
	}
	if out, code := s.plan(); code != 0 || !strings.Contains(out, "Warning: Less headroom") {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// F01 hashicorp/terraform-plugin-framework#1103: what is unknown at plan is neither an error nor a pass: the same check
// stops the apply before its first write, and the plan itself once all is known.
func TestOptimizeJobUnknownDefersThenRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	source := func(window string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"window\" {\n  input = %q\n}\n", window)
	}
	linked := optimize(`{ table = "main.events.stream_messages", rolling_window = terraform_data.window.output }`, "")
	s := newShell(t, with(w, loader("")))
	s.apply()
	w.ResetRequests()
	s.write(with(w, loader("")+source("45m")+linked))
	out, code := s.plan()
	if code != 2 || !strings.Contains(out, "headroom") || !strings.Contains(out, "(known after apply)") {
		t.Fatalf("plan with an unknown window: exit %d\n%s", code, out)
	}
	out, code = s.run("apply", "-no-color", "-input=false", "-auto-approve")
	if code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
	if n := writes(w); n != 0 {
		t.Errorf("a refused apply wrote %d times: %v", n, w.Requests())
	}
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("plan when all is known: exit %d\n%s", code, out)
	}
	s.write(with(w, loader("")+source("24h")+linked))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// J02 databricks/terraform-provider-databricks#575: a loader paused outside Terraform shows in the plan, with the deadline and
// with the job that is linked to it.
func TestOptimizeJobNamesTheDeadlineOfAPause(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Start: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)})
	s := newShell(t, with(w, loaderWith("  settle_clock = \"newest_event\"", `{ tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load_messages.sql" } } }] }`)+optimize(dayRetention, "")))
	s.apply()
	advance := func(d time.Duration) {
		if err := w.Advance(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	advance(20 * time.Minute) // one run, at 12:15
	c, j := outside(t, w), jobNamed(t, w, "load_messages")
	j.Settings["schedule"].(map[string]any)["pause_status"] = "PAUSED"
	if err := c.ResetJob(t.Context(), j.ID, j.Settings); err != nil {
		t.Fatal(err)
	}
	advance(2 * time.Hour)
	out, code := s.plan()
	text := prose(out)
	// 12:15 − 30 min + 24 h.
	for _, part := range []string{`pause_status = "PAUSED" -> "UNPAUSED"`, "Warning: The loader is paused now", "optimize_messages", "started at 2026-03-02T12:15:00Z",
		"The start at 2026-03-02T12:30:00Z did not happen", "expires at 2026-03-03T11:45:00Z", "That is in 21 h 2"} {
		if !strings.Contains(text, part) {
			t.Errorf("the plan does not say %q", part)
		}
	}
	if code != 2 || t.Failed() {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	advance(25 * time.Hour)
	if out, _ := s.plan(); !strings.Contains(prose(out), "Already lost: the deadline was") {
		t.Errorf("the plan does not say that the deadline has passed:\n%s", out)
	}
	if out := s.apply(); strings.Contains(out, "Error") {
		t.Error(out)
	}
	if out, code := s.plan(); code != 0 || strings.Contains(out, "paused now") {
		t.Errorf("plan after the repair: exit %d\n%s", code, out)
	}
}

// A link drops what its schema does not name, also where that is sensitive, and carries how a loader starts that has no
// schedule.
func TestOptimizeJobLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ loader, wait string }{
		"sensitive settings": {loaderWith("", `merge(`+notebook+`, { tags = { team = sensitive("data") } })`), "50m"},
		// 1 h between starts, and a run of 20 min.
		"periodic":     {loader(`  periodic = { interval = 1, unit = "HOURS" }`), "80m"},
		"continuous":   {loader(`  continuous = {}`), "41m"}, // 2 × 20 min + 60 s
		"file arrival": {loaderWith(`  longest_gap = "2h"`, `{ trigger = { file_arrival = { url = "s3://bucket/" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`), "140m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, c.loader+optimize(dayRetention, "")))
			s.apply()
			wait, err := time.ParseDuration(c.wait)
			if err != nil {
				t.Fatal(err)
			}
			if out := s.must("state", "show", "-no-color", optimizeAddress); !regexp.MustCompile(`longest_wait\s+= "` + interval.Short(wait) + `"`).MatchString(out) {
				t.Errorf("the longest wait is not %s:\n%s", wait, out)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
		})
	}
}

// The file is written before the job: when the job cannot be, the next apply goes through and leaves one of each.
func TestOptimizeJobCreateFails(t *testing.T) {
	t.Parallel()
	binary(t)
	w := open(t, local.Options{Empty: true})
	config := with(w, loader("")+optimize(dayRetention, ""))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: with(w, loader(""))},
			{
				PreConfig: func() {
					w.AddFault(local.Fault{Route: "jobs/create", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no more jobs"}`})
				},
				Config: config, ExpectError: regexp.MustCompile("no more jobs"),
			},
			{PreConfig: w.ClearFaults, Config: config, ConfigPlanChecks: action(optimizeAddress, plancheck.ResourceActionCreate)},
		},
	})
}

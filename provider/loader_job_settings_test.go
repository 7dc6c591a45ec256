package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// Everything wrong is an error at its place while validating, with the way out; no call is made.
func TestLoaderJobRefusals(t *testing.T) {
	t.Parallel()
	task := func(fields string) string { return `{ tasks = [{ task_key = "load", ` + fields + ` }] }` }
	cases := []struct{ name, config, wanted string }{
		{"unknown field, with the nearest name", loaderWith("", task(`notebook_tsk = { notebook_path = "/x" }`)), `settings.tasks[0].notebook_tsk: The Jobs API has no field "notebook_tsk" in tasks[0]. Did you mean "notebook_task"?`},
		{"wrong type", loaderWith("", `{ max_concurrent_runs = "two", tasks = [] }`), "settings.max_concurrent_runs"},
		{"owned by an attribute", loaderWith("", `{ name = "other", tasks = [] }`), "settings.name"},
		{"a tag of the contract", loaderWith("", `{ tags = { watertight_source = "x" }, tasks = [] }`), "settings.tags.watertight_source"},
		{"settings that are a text", loaderWith("", `"tasks"`), "settings must be an object"},
		{"no tasks", loaderWith("", `{ tasks = [] }`), "settings.tasks"},
		{"nothing at all", loaderWith("", `{}`), "settings.tasks"},
		// J29 MicrosoftDocs/azure-docs#44131: five fields are refused here and not at run time.
		{"five fields", loader(`  schedule = { quartz_cron_expression = "0/15 * * * *", timezone_id = "UTC" }`), "schedule.quartz_cron_expression"},
		{"both day fields", loader(`  schedule = { quartz_cron_expression = "0 0 2 1 * MON", timezone_id = "UTC" }`), "schedule.quartz_cron_expression"},
		{"never fires", loader(`  schedule = { quartz_cron_expression = "0 0 2 30 2 ?", timezone_id = "UTC" }`), "schedule.quartz_cron_expression"},
		{"unknown zone", loader(`  schedule = { quartz_cron_expression = "0 0 2 * * ?", timezone_id = "Mars/Olympus" }`), "Mars/Olympus"},
		{"two triggers", loader("  schedule = { quartz_cron_expression = \"0 0 2 * * ?\", timezone_id = \"UTC\" }\n  continuous = {}"), "schedule and continuous are set"},
		{"a trigger twice", loaderWith(`  schedule = { quartz_cron_expression = "0 0 2 * * ?", timezone_id = "UTC" }`, `{ trigger = { file_arrival = { url = "s3://b/" } }, tasks = [] }`), "schedule and settings.trigger are set"},
		{"no trigger", strings.Replace(loader("  continuous = {}"), "  continuous = {}", "", 1), "No trigger"},
		{"month", loader(`  max_duration = "1 month"`), "max_duration"},
		{"nothing", loader(`  max_duration = "0s"`), "max_duration"},
		{"a pause that is no pause", loader(`  pause_status = "paused"`), `"paused" is written "PAUSED"`},
		{"two parts", strings.Replace(loader(""), "main.events.stream_messages", "events.stream_messages", 1), "Wrong source"},
		{"source and target", strings.Replace(loader(""), `"main.events.messages"`, `"main.events.stream_messages"`, 1), "Wrong target"},
		{"half a key", strings.Replace(loader(""), `, sequence = "technical_sequenceNumber"`, "", 1), "key.sequence"},
		{"kafka without its retention", loader(`  reads = "kafka"`), "broker_retention is missing"},
		{"no interval", loader(`  periodic = { interval = 0, unit = "HOURS" }`), "periodic.interval = 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, c.config))
			out, code := s.run("validate", "-no-color")
			text := prose(out)
			if code != 1 || !strings.Contains(text, c.wanted) || !regexp.MustCompile(`on main.tf line \d+, in resource "watertight_loader_job" "messages"`).MatchString(text) {
				t.Errorf("validate: exit %d, want 1 with %q\n%s", code, c.wanted, out)
			}
			if n := strings.Count(text, "Error: "); n != 1 {
				t.Errorf("%d errors, want one\n%s", n, out)
			}
			if n := len(w.Requests()); n != 0 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
}

// Settings mean the same however they come, and what is sent is what was written (J26
// databricks/terraform-provider-databricks#2643).
func TestLoaderJobSettingsInEverySpelling(t *testing.T) {
	t.Parallel()
	const text = `{"tasks":[{"task_key":"load","max_retries":2,"notebook_task":{"notebook_path":"/Shared/load","base_parameters":{"big":"9007199254740993"}}}],"parameters":[{"name":"day","default":"today"}],"max_concurrent_runs":1,"email_notifications":{"on_failure":["a@example.com","b@example.com"]},"tags":{"team":"data"}}`
	const bundle = `
resources:
  jobs:
    load:
      max_concurrent_runs: 1
      tags: {team: data}
      parameters: [{name: day, default: today}]
      email_notifications: {on_failure: [a@example.com, b@example.com]}
      tasks:
        - task_key: load
          max_retries: 2
          notebook_task: {notebook_path: /Shared/load, base_parameters: {big: "9007199254740993"}}
`
	hcl := `{
    tasks               = tolist([{ task_key = "load", max_retries = 2, timeout_seconds = null, notebook_task = { notebook_path = "/Shared/load", base_parameters = tomap({ big = "9007199254740993" }) } }])
    parameters          = [{ name = "day", default = "today" }]
    max_concurrent_runs = 1
    description         = null
    email_notifications = { on_failure = ["a@example.com", "b@example.com"] }
    tags                = { team = "data" }
  }`
	var want map[string]any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]string{
		"HCL":        hcl,
		"jsondecode": `jsondecode(file("${path.module}/job.json"))`,
		"yamldecode": `yamldecode(file("${path.module}/databricks.yml")).resources.jobs.load`,
		"sensitive":  `merge(jsondecode(file("${path.module}/job.json")), { tags = { team = sensitive("data") } })`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 26}})
			s := newShell(t, with(w, loaderWith("", settings)))
			for file, content := range map[string]string{"job.json": text, "databricks.yml": bundle} {
				if err := os.WriteFile(filepath.Join(s.dir, file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.apply()
			sent := body(t, w, "jobs/create")
			for _, owned := range []string{"name", "schedule", "timeout_seconds", "queue"} {
				delete(sent, owned)
			}
			sent["tags"] = map[string]any{"team": sent["tags"].(map[string]any)["team"]}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Error(diff)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
		})
	}
}

// Another spelling of the same settings changes nothing, and writes nothing.
func TestLoaderJobSettingsRespelled(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loaderWith("", `{ tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`)))
	s.apply()
	w.ResetRequests()
	s.write(with(w, loaderWith("", `jsondecode("{\"description\": null, \"tasks\": [{\"task_key\": \"load\", \"notebook_task\": {\"notebook_path\": \"/x\"}}]}")`)))
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if n := writes(w); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// What is not known at plan, also inside a list, is known when the job is written.
func TestLoaderJobUnknownInSettings(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	known := "resource \"terraform_data\" \"path\" {\n  input = \"/Shared/load\"\n}\n"
	for i, settings := range []string{
		`{ tasks = [{ task_key = "load", notebook_task = { notebook_path = terraform_data.path.output } }] }`,
		`{ tasks = [{ task_key = "load", spark_python_task = { python_file = "/x.py", parameters = ["a", terraform_data.path.output] }, existing_cluster_id = "c" }] }`,
		`{ tasks = [jsondecode("{\"task_key\": \"load\", \"notebook_task\": {\"notebook_path\": \"${terraform_data.path.output}\"}}")] }`,
		`jsondecode("{\"tasks\": [{\"task_key\": \"load\", \"notebook_task\": {\"notebook_path\": \"${terraform_data.path.output}\"}}]}")`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, known+loaderWith("", settings)))
			if out, code := s.plan(); code != 2 {
				t.Fatalf("plan: exit %d\n%s", code, out)
			}
			s.apply()
			sent, err := json.Marshal(body(t, w, "jobs/create"))
			if err != nil || !strings.Contains(string(sent), `"/Shared/load"`) {
				t.Errorf("jobs/create was sent %s (%v)", sent, err)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
		})
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Every kind of trigger converges, and carries the pause.
func TestLoaderJobTriggers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, settings, kind, where string }{
		"periodic":     {`  periodic = { interval = 1, unit = "HOURS" }`, notebook, "periodic", "trigger"},
		"continuous":   {`  continuous = {}`, notebook, "continuous", "continuous"},
		"retried":      {`  continuous = { task_retry_mode = "ON_FAILURE" }`, notebook, "continuous", "continuous"},
		"file arrival": {`  longest_gap = "2h"`, `{ trigger = { file_arrival = { url = "s3://bucket/" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`, "file_arrival", "trigger"},
		"table update": {`  longest_gap = "2h"`, `{ trigger = { table_update = { table_names = ["a.b.d", "a.b.c"], condition = "ALL_UPDATED" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`, "table_update", "trigger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 5}})
			s := newShell(t, with(w, loaderWith(c.lines+"\n  pause_status = \"PAUSED\"", c.settings)))
			s.apply()
			if got := theJob(t, w).Settings[c.where].(map[string]any)["pause_status"]; got != "PAUSED" {
				t.Errorf("%s.pause_status = %v", c.where, got)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
			if out := s.must("state", "show", "-no-color", loaderAddress); !regexp.MustCompile(`kind\s+= "` + c.kind + `"`).MatchString(out) {
				t.Errorf("the state has another kind than %s:\n%s", c.kind, out)
			}
		})
	}
}

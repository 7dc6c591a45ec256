package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// loaderNamed is a loader job of a name of its own.
func loaderNamed(name, lines, settings string) string {
	text := loaderWith(lines, settings)
	return strings.NewReplacer(`"messages"`, `"`+name+`"`, `"load_messages"`, `"`+name+`"`).Replace(text)
}

const everyQuarter = `schedule = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }`

// What Databricks would refuse, or take without effect, is an error at its place while validating; no call is made.
func TestSettingsRefusals(t *testing.T) {
	t.Parallel()
	const ends = `notebook_task = { notebook_path = "/x" }`
	two := func(settings string) string {
		return `{ ` + settings + ` tasks = [{ task_key = "a", ` + ends + ` }, { task_key = "b", depends_on = [{ task_key = "a" }], ` + ends + ` }] }`
	}
	one := func(settings string) string { return `{ ` + settings + ` tasks = [{ task_key = "a", ` + ends + ` }] }` }
	task := func(fields string) string {
		return one("")[:len(one(""))-len(" }] }")] + ", " + fields + " }] }"
	}
	const continuous = `triggers = [{ continuous = {} }]`
	cases := []struct{ lines, settings, wanted string }{
		// J09 databricks/terraform-provider-databricks#2798: continuous mode takes neither dependencies nor retries.
		{`continuous = {}`, two(""), "settings.tasks[1].depends_on: A job with continuous has no tasks that wait for each other"},
		{``, two(continuous + ","), "settings.tasks[1].depends_on: A job with settings.triggers[0].continuous has no tasks"},
		{`continuous = {}`, task("max_retries = 3"), `settings.tasks[0].max_retries: A job with continuous starts again by itself`},
		// J24 databricks/terraform-provider-databricks#2669: retries of a job are accepted and do nothing.
		{everyQuarter, one("max_retries = 3,"), "settings.max_retries: It is no field of job settings: Databricks retries tasks, not jobs"},
		{everyQuarter, one("retry_on_timeout = true,"), "settings.retry_on_timeout: It is no field of job settings: Databricks retries tasks"},
		// Two triggers, however they are given.
		{everyQuarter, one(`trigger = { file_arrival = { url = "s3://b/" } },`), "schedule and settings.trigger are set"},
		{everyQuarter, one(`triggers = [{ model = { condition = "MODEL_CREATED" } }],`), "schedule and settings.triggers are set"},
		{everyQuarter, one(`continuous = {},`), "schedule and settings.continuous are set"},
		{`periodic = { interval = 1, unit = "HOURS" }`, one(`trigger = { file_arrival = { url = "s3://b/" } },`), "periodic and settings.trigger are set"},
		{`periodic = { interval = 1, unit = "HOURS" }`, one(`schedule = { quartz_cron_expression = "0 0 * * * ?", timezone_id = "UTC" },`), "periodic and settings.schedule are set"},
		{`longest_gap = "1h"`, one(`trigger = { file_arrival = { url = "s3://b/" } }, triggers = [{ continuous = {} }],`), "settings.trigger and settings.triggers are set"},
		{`longest_gap = "1h"`, one(`trigger = { file_arrival = { url = "s3://b/" }, periodic = { interval = 1, unit = "DAYS" } },`), "settings.trigger.periodic: It has file_arrival and periodic, and a trigger has one kind"},
		{`longest_gap = "1h"`, one(`trigger = { pause_status = "UNPAUSED" },`), "settings.trigger: It says nothing that could start the job"},
		{`longest_gap = "1h"`, one(`triggers = [{ schedule = { quartz_cron_expression = "0 0 * * * ?", timezone_id = "UTC" }, continuous = {} }],`), "settings.triggers[0].schedule: It has continuous and schedule"},
		// J29 MicrosoftDocs/azure-docs#44131: in settings too.
		{``, one(`triggers = [{ schedule = { quartz_cron_expression = "0/15 * * * *", timezone_id = "UTC" } }],`), "settings.triggers[0].schedule.quartz_cron_expression"},
		{``, one(`triggers = [{ schedule = { quartz_cron_expression = "0 0 2 * * ?", timezone_id = "Mars/Base" } }],`), "settings.triggers[0].schedule.timezone_id"},
		// Two places for one value, which do not say the same.
		{everyQuarter, one(`name = "other",`), `settings.name: It says other, and the attribute name says`},
		{everyQuarter, one(`timeout_seconds = 60,`), `settings.timeout_seconds: It says 60, and the attribute max_duration says 1200. Leave it out of settings, or write max_duration = "1m0s"`},
		{everyQuarter, one(`schedule = { quartz_cron_expression = "0 0 2 * * ?", timezone_id = "UTC" },`), `settings.schedule.quartz_cron_expression: It says 0 0 2 * * ?, and the attribute schedule.quartz_cron_expression says 0 0/15 * * * ?`},
		{`# no schedule`, one(`continuous = { task_retry_mode = "ON_FAILURE" },`), `settings.continuous: It stands in settings alone. Set the attribute, which is what Watertight checks: continuous = { task_retry_mode = "ON_FAILURE" }.`},
		{`longest_gap = "1h"`, one(`trigger = { file_arrival = { url = "s3://b/" }, pause_status = "PAUSED" },`), `settings.trigger.pause_status: It says PAUSED, and the attribute pause_status says UNPAUSED. Leave it out of settings, or write pause_status = "PAUSED"`},
		{everyQuarter, one(`tags = { watertight_target = "a.b.c" },`), `settings.tags.watertight_target: It says a.b.c, and the attribute target says main.events.messages`},
		// Tasks that could not run.
		{everyQuarter, `{ tasks = [{ task_key = "a" }] }`, "settings.tasks[0]: It says nothing that could be run"},
		{everyQuarter, task(`sql_task = { file = { path = "/x.sql" } }`), "settings.tasks[0].sql_task: It has notebook_task and sql_task"},
		{everyQuarter, `{ tasks = [{ ` + ends + ` }] }`, `settings.tasks[0]: It has no task_key`},
		{everyQuarter, `{ tasks = [{ task_key = "a", ` + ends + ` }, { task_key = "a", ` + ends + ` }] }`, `The task_key of tasks[0] and of tasks[1] is "a"`},
		{everyQuarter, task(`depends_on = [{ task_key = "z" }]`), `settings.tasks[0].depends_on[0].task_key: It is "z"`},
		{everyQuarter, task(`depends_on = [{ task_key = "a" }]`), "settings.tasks[0].depends_on: The task waits for itself: a → a"},
		{everyQuarter, task(`job_cluster_key = "small"`), `settings.tasks[0].job_cluster_key: It is "small", and no element of job_clusters is called that`},
		{everyQuarter, task(`environment_key = "py"`), `settings.tasks[0].environment_key: It is "py", and no element of environments is called that`},
		// Fields and values.
		{everyQuarter, task(`new_cluster = { num_workers = 1.5 }`), "settings.tasks[0].new_cluster.num_workers: It must be a whole number, and is the number 1.5"},
		{everyQuarter, task(`run_if = "ALL_DUNN"`), `settings.tasks[0].run_if: It is one of ALL_DONE`},
		{everyQuarter, task(`new_cluster = { spark_env_vars = [local.secret] }`), `settings.tasks[0].new_cluster.spark_env_vars: It must be a map, and is a list`},
		{everyQuarter, task(`max_retries = local.secret`), `settings.tasks[0].max_retries: It must be a whole number, and is a text`},
		{everyQuarter, task(`description = "for $${bundle.target}"`), "settings.tasks[0].description: ${bundle.target} is replaced by `databricks bundle`"},
		{everyQuarter, `{ tasks = [{ task_key = "a", notebook_task = { notebook_path = "../src/load.ipynb" } }] }`, "settings.tasks[0].notebook_task.notebook_path: It is \"../src/load.ipynb\": `databricks bundle deploy` uploads such a file"},
		{everyQuarter, `null`, `Must set a configuration value for the settings attribute`},
	}
	w := open(t, local.Options{Empty: true})
	var all strings.Builder
	all.WriteString("locals {\n  secret = sensitive(\"hunter2\")\n}\n")
	for i, c := range cases {
		all.WriteString(loaderNamed(fmt.Sprintf("case_%d", i), c.lines, c.settings))
	}
	s := newShell(t, with(w, all.String()))
	out, code := s.run("validate", "-no-color")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	found := map[string][]string{}
	for _, problem := range strings.Split(out, "Error: ")[1:] {
		text := prose(problem)
		name := regexp.MustCompile(`in resource "watertight_loader_job" "(case_\d+)"`).FindStringSubmatch(text)
		if name == nil {
			t.Errorf("an error without its place:\n%s", problem)
			continue
		}
		found[name[1]] = append(found[name[1]], text)
	}
	for i, c := range cases {
		got := found[fmt.Sprintf("case_%d", i)]
		wanted := strings.ReplaceAll(c.wanted, "name says", "name says case_"+fmt.Sprint(i))
		if len(got) != 1 || !strings.Contains(got[0], wanted) {
			t.Errorf("%s\n%s\n%d errors, want one with %q\n%s", c.lines, c.settings, len(got), wanted, strings.Join(got, "\n"))
		}
	}
	if strings.Contains(out, "hunter2") {
		t.Error("a value that is a secret is printed")
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// What a bundle says besides is left out, with a warning; what attributes own may stand there.
func TestSettingsOfABundle(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	const job = `
locals {
  job = yamldecode(<<-EOT
    name: load_messages
    timeout_seconds: 1200
    schedule: {quartz_cron_expression: "0 0/15 * * * ?", timezone_id: UTC, pause_status: UNPAUSED}
    permissions: [{group_name: users, level: CAN_VIEW}]
    lifecycle: {prevent_destroy: true}
    tags: {team: data}
    tasks: [{task_key: load, notebook_task: {notebook_path: /Shared/load}}]
  EOT
  )
}
`
	config := job + strings.Replace(loaderWith("  schedule = local.job.schedule", "local.job"), `"load_messages"`, "local.job.name", 1)
	s := newShell(t, with(w, config))
	out := prose(s.apply())
	for _, part := range []string{"Warning: lifecycle is left out", "Warning: permissions is left out", "databricks_permissions"} {
		if !strings.Contains(out, part) {
			t.Errorf("the output lacks %q\n%s", part, out)
		}
	}
	sent := body(t, w, "jobs/create")
	if sent["permissions"] != nil || sent["lifecycle"] != nil || sent["name"] != "load_messages" {
		t.Errorf("sent %v", sent)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
	edit(t, w, func(settings map[string]any) { settings["description"] = "made by hand" })
	if out, code := s.plan(); code != 2 || strings.Contains(out, "+ permissions") || !strings.Contains(out, `- description`) {
		t.Errorf("plan after a change outside: exit %d\n%s", code, out)
	}
}

package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec/anyjob"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// J26 databricks/terraform-provider-databricks#2643: a job with every field of the Jobs API in it is sent as it was
// written, plus what typed attributes own, and is the same job when it is read again. J21 #324: a plan that finds
// nothing writes nothing.
func TestSettingsWithEveryField(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 26, PageSize: 4}})
	b := &jobBatch{t: t, w: w}
	for _, seed := range []uint64{6, 7, 8, 9} { // two literals, a jsondecode and a yamldecode; schedules, a continuous job left out
		j := newRandomJob(w, seed)
		if seed != 9 {
			full := anyjob.Full(seed, w.WarehouseID())
			for _, name := range []string{"trigger", "triggers"} {
				delete(full, name)
			}
			j.written = full
		}
		b.jobs = append(b.jobs, j)
	}
	s := newShell(t, with(w, ""))
	s.write(b.config(s.dir))
	s.apply()
	b.sent()
	w.ResetRequests()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, brief(out))
	}
	if n := writes(w); n != 0 {
		t.Errorf("a plan wrote %d times", n)
	}
}

// J22 databricks/terraform-provider-databricks#3878: a number stays at its own level, whether 0, 1 or large.
// J16 #4785: the queue is always said.
func TestSettingsNumbers(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 22}})
	root := jobspec.Settled()
	want := map[string]map[string]any{}
	var all strings.Builder
	for i, n := range []string{"0", "1", "604800"} {
		name := fmt.Sprintf("numbers_%d", i)
		task := map[string]any{"task_key": "a", "notebook_task": map[string]any{"notebook_path": "/x"}}
		for _, field := range root.Fields["tasks"].Element.Names {
			if root.Fields["tasks"].Element.Fields[field].Kind == jobspec.Integer {
				task[field] = json.Number(n)
			}
		}
		if len(task) < 5 {
			t.Fatalf("a task has but %v", task)
		}
		settings := map[string]any{"tasks": []any{task}, "max_concurrent_runs": json.Number([]string{"0", "1", "1000"}[i])}
		text, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(loaderNamed(name, fmt.Sprintf("  max_duration = %q", []string{"1s", "1 minute", "10000 days"}[i]), fmt.Sprintf("jsondecode(%q)", text)))
		settings["timeout_seconds"] = json.Number([]string{"1", "60", "864000000"}[i])
		settings["queue"] = map[string]any{"enabled": false}
		want[name] = settings
	}
	s := newShell(t, with(w, all.String()))
	s.apply()
	for name, sent := range sentBodies(t, w) {
		for _, owned := range []string{"name", "schedule", "tags"} {
			delete(sent, owned)
		}
		if diff := cmp.Diff(want[name], sent); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// sentBodies are the bodies of jobs/create by name, and of jobs/reset likewise, since the last reset of the recorder.
func sentBodies(t *testing.T, w *local.Workspace) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, q := range w.Requests() {
		var body map[string]any
		switch {
		case strings.HasSuffix(q.Route, "jobs/create"):
			body = decodeSettings(t, q.Body)
		case strings.HasSuffix(q.Route, "jobs/reset"):
			body = decodeSettings(t, q.Body)["new_settings"].(map[string]any)
		default:
			continue
		}
		out[body["name"].(string)] = body
	}
	return out
}

// J18 databricks/cli#6315: a field that is taken on write and never given back converges, and a change of it is sent.
// J11 databricks/terraform-provider-databricks#3126: however the arrays come, plan after plan is empty.
func TestSettingsInputOnly(t *testing.T) {
	t.Parallel()
	const tasks = `tasks = [{ task_key = "b", depends_on = [{ task_key = "c" }, { task_key = "a" }], notebook_task = { notebook_path = "/x" } }, { task_key = "a", notebook_task = { notebook_path = "/x" } }, { task_key = "c", notebook_task = { notebook_path = "/x" } }]`
	cases := map[string]struct{ settings, first, then string }{
		"trigger.table_update.condition":          {`{ trigger = { table_update = { table_names = ["a.b.d", "a.b.c"], condition = %s } }, ` + tasks + ` }`, `"ALL_UPDATED"`, `"ANY_UPDATED"`},
		"trigger.table.condition":                 {`{ trigger = { table = { table_names = ["a.b.d", "a.b.c"], condition = %s } }, ` + tasks + ` }`, `"ALL_UPDATED"`, `"ANY_UPDATED"`},
		"triggers[].table_update.condition":       {`{ triggers = [{ table_update = { table_names = ["a.b.d", "a.b.c"], condition = %s } }], ` + tasks + ` }`, `"ALL_UPDATED"`, `"ANY_UPDATED"`},
		"run_as.group_name":                       {`{ run_as = { group_name = %s }, ` + tasks + ` }`, `"loaders"`, `"writers"`},
		"new_cluster.apply_policy_default_values": {`{ job_clusters = [{ job_cluster_key = "k", new_cluster = { policy_id = "p", apply_policy_default_values = %s } }], ` + tasks + ` }`, `true`, `false`},
	}
	for _, pattern := range inputOnly() {
		if _, ok := cases[pattern]; !ok {
			t.Errorf("no case for %s", pattern)
		}
	}
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 18, PageSize: 2}})
	config := func(then bool) string {
		var all strings.Builder
		i := 0
		for _, pattern := range inputOnly() {
			c := cases[pattern]
			value := c.first
			if then {
				value = c.then
			}
			all.WriteString(loaderNamed(fmt.Sprintf("input_%d", i), `longest_gap = "2h"`, fmt.Sprintf(c.settings, value)))
			i++
		}
		return with(w, all.String())
	}
	s := newShell(t, config(false))
	s.apply()
	w.ResetRequests()
	for i := range 5 {
		if out, code := s.plan(); code != 0 {
			t.Fatalf("plan %d: exit %d\n%s", i, code, out)
		}
	}
	if n := writes(w); n != 0 {
		t.Errorf("plans wrote %d times", n)
	}
	s.write(config(true))
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "5 to change") {
		t.Errorf("plan of a change: exit %d\n%s", code, out)
	}
	s.apply()
	sent := sentBodies(t, w)
	for i, pattern := range inputOnly() {
		text, err := json.Marshal(sent[fmt.Sprintf("input_%d", i)])
		name := pattern[strings.LastIndexByte(pattern, '.')+1:]
		if want := fmt.Sprintf("%q:%s", name, cases[pattern].then); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: sent %s, want %s in it", pattern, text, want)
		}
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan after the change: exit %d\n%s", code, out)
	}
}

// inputOnly lists the fields of the table that are not given back.
func inputOnly() []string {
	var out []string
	seen := map[*jobspec.Field]bool{}
	var walk func(f *jobspec.Field)
	walk = func(f *jobspec.Field) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		if f.InputOnly {
			out = append(out, f.Pattern)
		}
		for _, name := range f.Names {
			walk(f.Fields[name])
		}
		walk(f.Element)
	}
	walk(jobspec.Settled())
	slices.Sort(out)
	return out
}

// Another order or spelling, and a default that is written out, is the same job: nothing is planned, nothing is written.
func TestSettingsRespelled(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 3}})
	s := newShell(t, with(w, loaderWith("", `{ email_notifications = { on_failure = ["a@x", "b@x"] }, tasks = [{ task_key = "a", notebook_task = { notebook_path = "/x" } }, { task_key = "b", depends_on = [{ task_key = "a" }], notebook_task = { notebook_path = "/x" } }] }`)))
	s.apply()
	w.ResetRequests()
	s.write(with(w, loaderWith("", `{ format = "MULTI_TASK", max_concurrent_runs = 1, queue = { enabled = false }, description = null, email_notifications = { on_failure = toset(["b@x", "a@x"]), on_start = [] },
    tasks = tolist([{ task_key = "b", run_if = "ALL_SUCCESS", timeout_seconds = 0, depends_on = [{ task_key = "a" }], notebook_task = { notebook_path = "/x" } }, { task_key = "a", run_if = "ALL_SUCCESS", timeout_seconds = 0, depends_on = [], notebook_task = { notebook_path = "/x" } }]) }`)))
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if n := writes(w); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// A value that the configuration marks as sensitive is in no message, whatever happens to it.
func TestSettingsSensitive(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, "locals {\n  secret = sensitive(\"hunter2\")\n}\n"+loaderWith("", `{
    description = local.secret
    tags        = { team = local.secret }
    parameters  = [{ name = "p", default = local.secret }]
    tasks       = [{ task_key = "load", spark_python_task = { python_file = "/x.py", parameters = ["--token", local.secret] }, existing_cluster_id = local.secret }]
  }`)))
	out := s.apply()
	if got := body(t, w, "jobs/create")["description"]; got != "hunter2" {
		t.Errorf("sent %v", got)
	}
	edit(t, w, func(settings map[string]any) {
		settings["description"], settings["tags"].(map[string]any)["team"] = "by hand", "by hand"
		settings["parameters"].([]any)[0].(map[string]any)["default"] = "by hand"
		task := settings["tasks"].([]any)[0].(map[string]any)
		task["existing_cluster_id"], task["spark_python_task"].(map[string]any)["parameters"] = "by hand", []any{"--token", "by hand"}
	})
	plan, code := s.plan()
	if code != 2 || !strings.Contains(plan, "description: changed") {
		t.Errorf("plan: exit %d\n%s", code, plan)
	}
	if out += plan + s.apply(); strings.Contains(out, "hunter2") {
		t.Errorf("the secret is printed\n%s", out)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// What an import cannot see is said, and is no change.
func TestSettingsImportUnseen(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	config := with(w, loaderWith(`  longest_gap = "2h"`, `{ trigger = { table_update = { table_names = ["a.b.c"], condition = "ALL_UPDATED" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/x" } }] }`))
	newShell(t, config).apply()
	s := newShell(t, config+"import {\n  to = watertight_loader_job.messages\n  id = \"load_messages\"\n}\n")
	w.ResetRequests()
	out := prose(s.apply())
	if !strings.Contains(out, "An import cannot see every setting") || !strings.Contains(out, "settings.trigger.table_update.condition") || !strings.Contains(out, "1 imported, 0 added, 0 changed") {
		t.Errorf("import:\n%s", out)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan after the import: exit %d\n%s", code, out)
	}
	if n := writes(w); n > 0 {
		t.Errorf("%d writes", n)
	}
}

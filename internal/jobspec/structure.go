package jobspec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// structure finds what Databricks refuses when the job is created though every field is right by itself.
func (v *validation) structure(s Settings, a Attributes) {
	v.within("trigger", func() { v.trigger(object(s["trigger"]), a.Settings["trigger"] != nil) }, s["trigger"])
	for i, t := range list(s["triggers"]) {
		v.within("triggers", func() { v.within(i, func() { v.trigger(object(t), false) }, t) }, s["triggers"])
	}
	v.limits(s)
	tasks := list(s["tasks"])
	v.at("tasks", func() {
		if len(tasks) > mostTasks {
			v.add("Too many tasks", "There are %d tasks, and a job has at most %d. Split it into jobs that run each other by run_job_task.", len(tasks), mostTasks)
		}
		names := namesOf(s)
		for i, t := range tasks {
			if m := object(t); m != nil {
				v.at(i, func() { v.task(m, names, s["git_source"] != nil) })
			}
		}
		v.dependencies(tasks)
		if where := a.continuous(s); where != "" {
			v.alone(tasks, where)
		}
	})
}

// mostTasks is databricks-sdk-go service/jobs/model.go, JobSettings.Tasks.
const mostTasks = 1000

func (v *validation) limits(s Settings) {
	if n := whole(s["max_concurrent_runs"]); n < 0 {
		v.at("max_concurrent_runs", func() {
			v.add("Less than no run at once", "It is %d. Write the most runs that may be active at once: 1 for a loader.", n)
		})
	}
	var named []string
	for _, name := range []string{"user_name", "service_principal_name", "group_name"} {
		if text(object(s["run_as"])[name]) != "" {
			named = append(named, name)
		}
	}
	if len(named) > 1 {
		v.at("run_as", func() {
			v.add("A job runs as one identity", "It names %s. Keep one of them.", strings.Join(named, " and "))
		})
	}
}

// within looks at an object that is there.
func (v *validation) within(step any, look func(), value any) {
	if object(value) != nil || list(value) != nil {
		v.at(step, look)
	}
}

// triggerKinds say when a trigger fires; a trigger has one. A sql_condition may stand alone or beside one.
func triggerKinds() []string {
	return []string{"schedule", "continuous", "periodic", "file_arrival", "table_update", "table", "model"}
}

// trigger looks at one trigger. Completed: an attribute gives its kind.
func (v *validation) trigger(t map[string]any, completed bool) {
	known := root().below("trigger").Fields
	others := root().below("triggers").Element.Fields
	var kinds []string
	for name, value := range t {
		if value == nil {
			continue
		}
		if slices.Contains(triggerKinds(), name) {
			kinds = append(kinds, name)
		}
		if known[name] == nil && others[name] == nil {
			return // it is reported as unknown, and may have been meant as the kind
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) > 1:
		v.at(kinds[1], func() {
			v.add("More than one kind of trigger", "It has %s, and a trigger has one kind. Keep one of them, or write several triggers: triggers = [{ %s = ... }, { %s = ... }].",
				strings.Join(kinds, " and "), kinds[0], kinds[1])
		})
	case len(kinds) == 0 && t["sql_condition"] == nil && !completed:
		v.add("A trigger without a kind", "It says nothing that could start the job. Write one of periodic, file_arrival, table_update and model in it, or leave it out.")
	}
	v.within("periodic", func() {
		v.needs(object(t["periodic"]), "interval", "unit")
		if n := object(t["periodic"])["interval"]; isInteger(n) && whole(n) < 1 {
			v.at("interval", func() { v.add("Wrong interval", "It is %v. Write 1 or more.", n) })
		}
	}, t["periodic"])
	v.within("schedule", func() {
		v.needs(object(t["schedule"]), "quartz_cron_expression", "timezone_id")
		v.cron(object(t["schedule"]))
	}, t["schedule"])
}

// needs wants fields without which nothing can be said of when the job starts.
func (v *validation) needs(m map[string]any, fields ...string) {
	for _, name := range fields {
		if m[name] == nil {
			v.at(name, func() { v.add(name+" is missing", "A trigger of this kind has it. Write it.") })
		}
	}
}

// cron checks what Databricks says only at the deployment: J29 MicrosoftDocs/azure-docs#44131.
func (v *validation) cron(m map[string]any) {
	if e, ok := m["quartz_cron_expression"].(string); ok && bundleReference(e) == "" {
		if _, err := schedule.Parse(e); err != nil {
			v.at("quartz_cron_expression", func() { v.add("Wrong schedule", "%v", err) })
		}
	}
	if z, ok := m["timezone_id"].(string); ok && bundleReference(z) == "" {
		if _, err := schedule.Zone(z); err != nil {
			v.at("timezone_id", func() { v.add("Wrong time zone", "%v", err) })
		}
	}
}

// names are what tasks may refer to; nil when they are not all known.
type names struct{ clusters, environments []string }

func namesOf(s Settings) names {
	return names{clusters: keysOf(s["job_clusters"], "job_cluster_key"), environments: keysOf(s["environments"], "environment_key")}
}

func keysOf(v any, key string) []string {
	out := []string{}
	switch l := v.(type) {
	case nil:
	case []any:
		for _, e := range l {
			name, ok := object(e)[key].(string)
			if !ok {
				return nil
			}
			out = append(out, name)
		}
	default:
		return nil
	}
	return out
}

func (v *validation) task(t map[string]any, n names, git bool) {
	if key := t["task_key"]; key == nil || key == "" {
		v.add("A task without a task_key", "It has no task_key. Give it a name that no other task of the job has: task_key = \"load\".")
	}
	v.kind(t)
	v.compute(t)
	v.reference(t, "job_cluster_key", "job_clusters", n.clusters)
	v.reference(t, "environment_key", "environments", n.environments)
	v.bundlePaths(t, git)
	v.within("for_each_task", func() {
		inner := object(t["for_each_task"])["task"]
		v.within("task", func() { v.task(object(inner), n, git) }, inner)
	}, t["for_each_task"])
}

// kind wants exactly one type of task.
func (v *validation) kind(t map[string]any) {
	fields := root().below("tasks").Element.Fields
	var kinds []string
	for name, value := range t {
		f := fields[name]
		if f == nil {
			return // it is reported as unknown, and may have been meant as the type
		}
		if value != nil && f.IsTaskKind() {
			kinds = append(kinds, name)
		}
	}
	slices.Sort(kinds)
	switch {
	case len(kinds) == 0:
		v.add("A task without a type", "It says nothing that could be run. Write one of notebook_task, sql_task, spark_python_task and the other task types in it.")
	case len(kinds) > 1:
		v.at(kinds[1], func() {
			v.add("A task of two types", "It has %s, and a task has one type. Make two tasks of it, the second with depends_on = [{ task_key = \"...\" }].", strings.Join(kinds, " and "))
		})
	}
}

// compute wants at most one cluster: databricks/sdk-js packages/jobs/src/v2/model.ts has them as one choice.
func (v *validation) compute(t map[string]any) {
	var set []string
	for _, name := range []string{"existing_cluster_id", "job_cluster_key", "new_cluster"} {
		if t[name] != nil && t[name] != "" {
			set = append(set, name)
		}
	}
	if len(set) > 1 {
		v.at(set[1], func() {
			v.add("More than one cluster", "It has %s, and a task runs on one of them. Keep one.", strings.Join(set, " and "))
		})
	}
}

// reference wants a name that the job defines. A nil list is not known.
func (v *validation) reference(t map[string]any, field, where string, defined []string) {
	name, ok := t[field].(string)
	if !ok || name == "" || defined == nil || slices.Contains(defined, name) || bundleReference(name) != "" {
		return
	}
	hint := fmt.Sprintf("Define it: %s = [{ %s = %q, ... }].", where, field, name)
	if n, ok := nearest(name, defined); ok {
		hint = fmt.Sprintf("Did you mean %q?", n)
	}
	v.at(field, func() {
		v.add("Nothing is called "+name, "It is %q, and no element of %s is called that. %s", name, where, hint)
	})
}

// bundlePaths refuses paths that `databricks bundle deploy` replaces by the place it uploads the file to.
func (v *validation) bundlePaths(t map[string]any, git bool) {
	for _, place := range [][]string{{"notebook_task", "notebook_path"}, {"spark_python_task", "python_file"}, {"sql_task", "file", "path"}, {"dbt_task", "project_directory"}} {
		at, parent := any(t), map[string]any(nil)
		for _, name := range place {
			parent = object(at)
			at = parent[name]
		}
		path := text(at)
		fromGit := parent["source"] == "GIT" || git && parent["source"] != "WORKSPACE"
		if !fromGit && (strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../")) {
			here := len(v.path)
			for _, name := range place {
				v.path = append(v.path, name)
			}
			v.add("A path in the bundle's folder", "It is %q: `databricks bundle deploy` uploads such a file and puts its workspace path here, and Terraform does not. "+
				"Upload it with a resource of its own, such as databricks_notebook or databricks_workspace_file, and write its path, which begins with /.", path)
			v.path = v.path[:here]
		}
	}
}

package local

import (
	"cmp"
	"slices"
)

// settingsView is what a read returns for settings that were written: server defaults added, input-only fields dropped,
// depends_on sorted. The written value stays as it is.
func settingsView(written settings) settings {
	s := cloneMap(written)
	setDefault(s, "name", "Untitled")
	s["format"] = "MULTI_TASK" // ignored on write
	setDefault(s, "email_notifications", map[string]any{})
	setDefault(s, "webhook_notifications", map[string]any{})
	setDefault(s, "timeout_seconds", 0)
	setDefault(s, "max_concurrent_runs", 1)
	delete(s, "run_as") // comes back as run_as_user_name beside the settings
	for _, kind := range []string{"schedule", "trigger", "continuous"} {
		triggerView(object(s[kind]))
	}
	for _, t := range list(s["triggers"]) {
		triggerView(object(t))
	}
	source := "WORKSPACE"
	if s["git_source"] != nil {
		source = "GIT"
	}
	for _, t := range list(s["tasks"]) {
		taskView(object(t), source)
	}
	for _, c := range list(s["job_clusters"]) {
		clusterView(object(object(c)["new_cluster"]))
	}
	dropNulls(s)
	return s
}

func triggerView(t map[string]any) {
	if t == nil {
		return
	}
	setDefault(t, "pause_status", "UNPAUSED")
	for _, kind := range []string{"table_update", "table"} {
		delete(object(t[kind]), "condition") // accepted on write, never returned
	}
}

func taskView(t map[string]any, source string) {
	setDefault(t, "run_if", "ALL_SUCCESS")
	setDefault(t, "timeout_seconds", 0)
	setDefault(t, "email_notifications", map[string]any{})
	setDefault(t, "webhook_notifications", map[string]any{})
	if t["max_retries"] != nil {
		setDefault(t, "retry_on_timeout", false)
	}
	for _, kind := range []string{"notebook_task", "spark_python_task", "dbt_task"} {
		if k := object(t[kind]); k != nil {
			setDefault(k, "source", source)
		}
	}
	if f := object(object(t["sql_task"])["file"]); f != nil {
		setDefault(f, "source", source)
	}
	if d := object(t["dbt_task"]); d != nil {
		setDefault(d, "schema", "default")
	}
	if j := object(t["spark_jar_task"]); j != nil {
		setDefault(j, "run_as_repl", true)
	}
	if deps := list(t["depends_on"]); deps != nil {
		slices.SortStableFunc(deps, func(a, b any) int { return cmp.Compare(text(object(a)["task_key"]), text(object(b)["task_key"])) })
	}
	clusterView(object(t["new_cluster"]))
	if inner := object(object(t["for_each_task"])["task"]); inner != nil {
		taskView(inner, source)
	}
}

// clusterView adds the compute fields that the AWS cloud fills in.
func clusterView(c map[string]any) {
	if c == nil {
		return
	}
	if truth(c["apply_policy_default_values"]) {
		setDefault(c, "autotermination_minutes", 30) // whatever the policy says
	}
	delete(c, "apply_policy_default_values")
	setDefault(c, "enable_elastic_disk", false)
	setDefault(c, "data_security_mode", "SINGLE_USER")
	if c["instance_pool_id"] == nil {
		setDefault(c, "aws_attributes", map[string]any{"availability": "SPOT_WITH_FALLBACK", "zone_id": "auto"})
		setDefault(c, "node_type_id", "i3.xlarge")
		setDefault(c, "driver_node_type_id", c["node_type_id"])
	}
}

func dropNulls(m map[string]any) {
	for k, v := range m {
		switch v := v.(type) {
		case nil:
			delete(m, k)
		case map[string]any:
			dropNulls(v)
		case []any:
			for _, e := range v {
				if o := object(e); o != nil {
					dropNulls(o)
				}
			}
		}
	}
}

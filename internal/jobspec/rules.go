package jobspec

import (
	"encoding/json"
	"strings"
)

// rule is what the server does with a field.
type rule struct {
	pattern string
	// defaults are the values that mean the same as not naming the field. None: the zero of its type.
	defaults []any
	// filled: the server chooses a value where none is named.
	filled bool
	// inputOnly: the field is taken on write and not given back.
	inputOnly bool
	source    string
}

const (
	bundles  = "databricks/cli bundle/direct/dresources/resources.yml"
	server   = "databricks/cli libs/testserver/jobs.go, jobFixUps"
	provider = "databricks/terraform-provider-databricks jobs/jobs_api_go_sdk.go"
	model    = "databricks-sdk-go service/jobs/model.go"
)

// rules is the one table of what comes back other than it was written. A field without a line has the zero of its type
// as its default.
func rules() []rule {
	number := func(n string) []any { return []any{json.Number(n)} }
	return []rule{
		{pattern: "format", defaults: []any{"MULTI_TASK"}, source: bundles},
		{pattern: "name", defaults: []any{"Untitled"}, source: model},
		{pattern: "max_concurrent_runs", defaults: number("1"), source: model + ": 0 would skip every run"},
		{pattern: "edit_mode", defaults: []any{"EDITABLE"}, source: model},
		{pattern: "queue.enabled", defaults: []any{true}, source: provider + ": version 2.2 queues when unset"},
		{pattern: "run_as", filled: true, source: provider + ", Read: rebuilt from run_as_user_name"},
		{pattern: "run_as.group_name", inputOnly: true, source: provider + ", Read: the identity comes back as a user or service principal"},
		{pattern: "access_control_list", inputOnly: true, source: model + ": part of jobs/create alone"},
		{pattern: "schedule.pause_status", defaults: []any{"UNPAUSED"}, source: model},
		{pattern: "trigger.pause_status", defaults: []any{"UNPAUSED"}, source: model},
		{pattern: "triggers[].pause_status", defaults: []any{"UNPAUSED"}, source: model + ": always given back"},
		{pattern: "continuous.pause_status", defaults: []any{"UNPAUSED"}, source: model},
		{pattern: "continuous.task_retry_mode", defaults: []any{"NEVER"}, source: model},
		{pattern: "trigger.table_update.condition", defaults: []any{"ANY_UPDATED"}, inputOnly: true, source: "databricks/cli#6315"},
		{pattern: "trigger.table.condition", defaults: []any{"ANY_UPDATED"}, inputOnly: true, source: "databricks/cli#6315"},
		{pattern: "triggers[].table_update.condition", defaults: []any{"ANY_UPDATED"}, inputOnly: true, source: "databricks/cli#6315"},
		{pattern: "tasks[].run_if", defaults: []any{"ALL_SUCCESS"}, source: server},
		{pattern: "tasks[].retry_on_timeout", filled: true, source: provider + ": computed"},
		{pattern: "tasks[].notebook_task.source", defaults: []any{"WORKSPACE", "GIT"}, source: server},
		{pattern: "tasks[].spark_python_task.source", defaults: []any{"WORKSPACE", "GIT"}, source: server},
		{pattern: "tasks[].dbt_task.source", defaults: []any{"WORKSPACE", "GIT"}, source: server},
		{pattern: "tasks[].sql_task.file.source", defaults: []any{"WORKSPACE", "GIT"}, source: server},
		{pattern: "tasks[].dbt_task.schema", defaults: []any{"default"}, source: provider},
		{pattern: "tasks[].spark_jar_task.run_as_repl", filled: true, source: provider + ": computed"},
		{pattern: "new_cluster.apply_policy_default_values", inputOnly: true, source: bundles},
		{pattern: "new_cluster.aws_attributes", filled: true, source: bundles},
		{pattern: "new_cluster.azure_attributes", filled: true, source: bundles},
		{pattern: "new_cluster.gcp_attributes", filled: true, source: bundles},
		{pattern: "new_cluster.enable_elastic_disk", filled: true, source: bundles},
		{pattern: "new_cluster.enable_local_disk_encryption", filled: true, source: bundles},
		{pattern: "new_cluster.node_type_id", filled: true, source: bundles},
		{pattern: "new_cluster.driver_node_type_id", filled: true, source: bundles},
		{pattern: "new_cluster.driver_instance_pool_id", filled: true, source: bundles},
		{pattern: "new_cluster.data_security_mode", filled: true, source: bundles},
	}
}

// rulebook is the table by pattern.
type rulebook map[string]rule

func newRulebook() rulebook {
	b := rulebook{}
	for _, r := range rules() {
		b[r.pattern] = r
	}
	return b
}

// isFilled holds for a field below a filled one too: naming one AWS attribute leaves the others to the server.
func (b rulebook) isFilled(pattern string) bool {
	for {
		if b[pattern].filled {
			return true
		}
		cut := strings.LastIndexByte(pattern, '.')
		if cut < 0 {
			return false
		}
		pattern = pattern[:cut]
	}
}

func (b rulebook) isInputOnly(pattern string) bool { return b[pattern].inputOnly }

// keyOf names the field by which the elements of a list are matched: databricks/cli bundle/direct/dresources/job.go,
// KeyedSlices. Empty: by position.
func keyOf(pattern string) string {
	switch canonical(pattern) {
	case "tasks[]", "tasks[].depends_on[]":
		return "task_key"
	case "job_clusters[]":
		return "job_cluster_key"
	case "environments[]":
		return "environment_key"
	case "parameters[]":
		return "name"
	case "health.rules[]", "tasks[].health.rules[]":
		return "metric"
	}
	if isNotification(pattern, "webhook_notifications") {
		return "id"
	}
	return ""
}

// isSet tells that the order of a list has no meaning and comes back changed.
func isSet(pattern string) bool {
	switch pattern {
	case "tasks[].libraries[]", "trigger.table_update.table_names[]", "trigger.table.table_names[]", "triggers[].table_update.table_names[]",
		"tasks[].sql_task.alert.subscriptions[]", "tasks[].sql_task.dashboard.subscriptions[]", "trigger.model.aliases[]":
		return true
	}
	return isNotification(pattern, "email_notifications")
}

func isNotification(pattern, kind string) bool {
	pattern = strings.TrimPrefix(canonical(pattern), "tasks[].")
	return strings.HasPrefix(pattern, kind+".on_") && strings.HasSuffix(pattern, "[]")
}

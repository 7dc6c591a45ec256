package jobspec

import (
	"encoding/json"
	"strings"
)

// rule is what the server does with a field, and how two values of it are compared. A field without a rule comes back as
// it was written, and the zero of its type means the same as not naming it.
type rule struct {
	// field is a pattern, or several: {a,b} stands for either. A task inside for_each_task has the rules of a task, and
	// every new_cluster those of new_cluster.
	field string
	// defaults are the values that mean the same as not naming the field.
	defaults []any
	// present: that the object is there means something, empty or not.
	present bool
	// filled: the server chooses a value where none is named, here and below.
	filled bool
	// explicit: an import writes it out. It may be somebody's choice, and what is not named is chosen anew by a write.
	explicit bool
	// inputOnly: taken on write and not given back. What does come back is compared.
	inputOnly bool
	// ignored: taken on write, without effect.
	ignored bool
	// alike are values that mean the same, each group one meaning.
	alike [][]string
	// chosen is the value that leaves the choice of another to the server.
	chosen string
	// key names the field by which the elements of a list are matched.
	key string
	// set: the order of the elements has no meaning.
	set bool
	// ordered: the order of the elements has a meaning, and is kept.
	ordered bool
	// source says who knows it.
	source string
}

const (
	bundles  = "databricks/cli bundle/direct/dresources/resources.yml"
	keyed    = "databricks/cli bundle/direct/dresources/job.go, KeyedSlices"
	server   = "databricks/cli libs/testserver/jobs.go, jobFixUps"
	provider = "databricks/terraform-provider-databricks jobs/jobs_api_go_sdk.go"
	model    = "databricks-sdk-go service/jobs/model.go"
	clusters = "databricks-sdk-go service/compute/model.go"
	anyOrder = "databricks/terraform-provider-databricks#324: addressees come back in another order"
)

const notifications = "{on_duration_warning_threshold_exceeded,on_failure,on_start,on_streaming_backlog_exceeded,on_success}"

// rules is the one table of drift: field, default or exemption, input-only, list key or set, source. Durations need no
// line: a job has them as numbers of seconds or milliseconds, and numbers are compared as numbers.
func rules() []rule {
	number := func(n string) []any { return []any{json.Number(n)} }
	words := func(w ...any) []any { return w }
	return append([]rule{
		{field: "format", ignored: true, source: model + ": ignored on create, update and reset"},
		{field: "name", defaults: words("Untitled"), source: model},
		{field: "max_concurrent_runs", defaults: number("1"), source: model + ": 0 would skip every run"},
		{field: "edit_mode", defaults: words("EDITABLE"), source: model},
		{field: "queue.enabled", defaults: words(true), source: provider + ": version 2.2 queues when unset"},
		{field: "run_as", filled: true, source: provider + ", Read: rebuilt from run_as_user_name"},
		{field: "run_as.group_name", inputOnly: true, source: provider + ", Read: the identity comes back as a user or service principal"},
		{field: "git_source.git_snapshot", filled: true, source: model + ": the commit that a run used"},
		{field: "git_source.job_source.dirty_state", filled: true, source: model + ": whether the job still is as in its repository"},
		{field: "{tasks,job_clusters,environments,parameters}[]", key: "{task_key,job_cluster_key,environment_key,name}", source: keyed},
		{field: "parameters[].default", explicit: true, source: model + ": required, and may be empty"},
		{field: "{,tasks[].}health.rules[]", key: "metric", source: model + ": a metric has one rule"},
		{field: "{,tasks[].}email_notifications." + notifications + "[]", set: true, source: anyOrder},
		{field: "{,tasks[].}webhook_notifications." + notifications + "[]", key: "id", source: keyed + ": in any order"},

		{field: "{schedule,trigger,continuous}", present: true, source: model + ": starts the job"},
		{field: "{schedule,trigger,triggers[],continuous}.pause_status", defaults: words("UNPAUSED"), source: model + ": triggers[] always give it back"},
		{field: "{,triggers[].}continuous.task_retry_mode", defaults: words("NEVER"), source: model},
		{field: "triggers[].{continuous,schedule}", present: true, source: model + ": the kind of the trigger"},
		{field: "{trigger,triggers[]}.{file_arrival,model,periodic,sql_condition,table_update}", present: true, source: model + ": the kind of the trigger"},
		{field: "trigger.table", present: true, source: "the older name of table_update"},
		{field: "{schedule,trigger,triggers[]}.sql_condition.trigger_mode", defaults: words("QUERY_RETURNS_ROWS"), source: model},
		{field: "{trigger.table_update,trigger.table,triggers[].table_update}.condition", defaults: words("ANY_UPDATED"), inputOnly: true, source: "databricks/cli#6315"},
		{field: "{trigger.table_update,trigger.table,triggers[].table_update}.table_names[]", set: true, source: model + ": a list of tables to watch"},
		{field: "{trigger,triggers[]}.model.aliases[]", set: true, source: model + ": a list of aliases to watch"},
		{field: "triggers[]", set: true, source: model + ": a run starts when any of them says so"},
	}, append(taskRules(), clusterRules()...)...)
}

func taskRules() []rule {
	words := func(w ...any) []any { return w }
	return []rule{
		{field: "tasks[].run_if", defaults: words("ALL_SUCCESS"), source: server},
		{field: "tasks[].retry_on_timeout", filled: true, explicit: true, defaults: words(false), source: provider + ": computed"},
		{field: "tasks[].depends_on[]", key: "task_key", set: true, source: keyed + "; twice for both outcomes of a condition"},
		{field: "tasks[].{notebook_task,spark_python_task,dbt_task,sql_task.file}.source", defaults: words("WORKSPACE", "GIT"), source: server},
		{field: "tasks[].dbt_task.schema", defaults: words("default"), source: provider},
		{field: "tasks[].spark_jar_task.run_as_repl", filled: true, explicit: true, source: provider + ": computed"},
		{field: "tasks[].clean_rooms_notebook_task.etag", filled: true, source: model + ": checks that the notebook is the one meant"},
		{field: "tasks[].new_cluster", present: true, source: model + ": compute of the task's own"},
		{field: "tasks[].libraries[]", set: true, source: "databricks/terraform-provider-databricks jobs/resource_job.go: a set"},
		{field: "tasks[].alert_task.subscribers[]", set: true, source: anyOrder},
		{field: "tasks[].dashboard_task.subscription.subscribers[]", set: true, source: anyOrder},
		{field: "tasks[].sql_task.{alert,dashboard}.subscriptions[]", set: true, source: anyOrder},
		{field: "tasks[].power_bi_task.tables[]", ordered: true, source: model + ": a table has no key of one field"},
		{field: "tasks[].ai_runtime_task.deployments[]", ordered: true, source: model + ": names need not be unique"},
		{field: "tasks[].python_operator_task.parameters[]", key: "name", source: model},
	}
}

func clusterRules() []rule {
	return []rule{
		{field: "job_clusters[].new_cluster", present: true, source: model},
		{field: "new_cluster.apply_policy_default_values", inputOnly: true, source: bundles},
		{field: "new_cluster.{aws_attributes,azure_attributes,gcp_attributes}", filled: true, explicit: true, source: bundles},
		{field: "new_cluster.{enable_elastic_disk,enable_local_disk_encryption}", filled: true, explicit: true, source: bundles},
		{field: "new_cluster.{node_type_id,driver_node_type_id,driver_instance_pool_id}", filled: true, explicit: true, source: bundles},
		{field: "new_cluster.num_workers", explicit: true, source: clusters + ": 0 is a cluster of one node"},
		{field: "new_cluster.data_security_mode", filled: true, explicit: true, chosen: "DATA_SECURITY_MODE_AUTO",
			alike: [][]string{{"DATA_SECURITY_MODE_STANDARD", "USER_ISOLATION"}, {"DATA_SECURITY_MODE_DEDICATED", "SINGLE_USER"}}, source: bundles + "; " + clusters + ": aliases"},
		{field: "new_cluster.init_scripts[]", ordered: true, source: clusters + ": run in the order given"},
	}
}

// expand lists the patterns that a field of the table stands for.
func expand(field string) []string {
	open := strings.IndexByte(field, '{')
	if open < 0 {
		return []string{field}
	}
	end := open + strings.IndexByte(field[open:], '}')
	var out []string
	for _, choice := range strings.Split(field[open+1:end], ",") {
		out = append(out, expand(field[:open]+choice+field[end+1:])...)
	}
	return out
}

// canonical folds the places that have the same rules: a task inside for_each_task is a task, and every cluster is one.
func canonical(pattern string) string {
	if rest, ok := strings.CutPrefix(pattern, "tasks[].for_each_task.task"); ok && (rest == "" || rest[0] == '.') {
		pattern = "tasks[]" + rest
	}
	for _, c := range []string{"tasks[].new_cluster.", "job_clusters[].new_cluster."} {
		if rest, ok := strings.CutPrefix(pattern, c); ok {
			return "new_cluster." + rest
		}
	}
	return pattern
}

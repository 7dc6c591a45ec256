package jobspec_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"max_concurrent_runs":                        false,
		"schedule.quartz_cron_expression":            false,
		"tasks[load].max_retries":                    false,
		"tasks[load.v2].notebook_task.notebook_path": false,
		"tasks[load].depends_on[a].task_key":         false,
		"tasks[each].for_each_task.task.max_retries": false,
		"tags.team":                                    false,
		"tags.watertight_settle_delay":                 false,
		"email_notifications.on_failure":               false,
		"email_notifications.on_failure[0]":            false,
		"tasks[load].notebook_task.base_parameters.p":  true,
		"tasks[load].spark_python_task.parameters":     true,
		"tasks[load].spark_python_task.parameters[0]":  true,
		"tasks[load].dbt_task.commands[0]":             true,
		"tasks[load].sql_task.parameters.p":            true,
		"parameters[p].default":                        true,
		"job_clusters[c].new_cluster.spark_conf.a.b.c": true,
		"job_clusters[c].new_cluster.spark_env_vars.A": true,
		"job_clusters[c].new_cluster.num_workers":      false,
		"a_field_of_tomorrow":                          true,
		"tasks[load].a_field_of_tomorrow.x":            true,
	} {
		if got := (jobspec.Difference{Path: path}).IsSecret(); got != want {
			t.Errorf("%s: %t", path, got)
		}
		word := strings.Contains(path, "quartz") || strings.HasSuffix(path, "_key") || strings.HasSuffix(path, "_path") || strings.HasPrefix(path, "tags.watertight_")
		if got := (jobspec.Difference{Path: path, Live: "hunter2"}).IsSecret(); got == word {
			t.Errorf("a text at %s: %t", path, got)
		}
	}
}

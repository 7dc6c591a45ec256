package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// An import leaves the compute of a job as it is: what Databricks or somebody chose of it is in a generated configuration,
// and where a configuration leaves it out, the plan says so before anything is lost.
func TestLoaderJobImportKeepsTheCompute(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	cluster := func(workers int) map[string]any {
		return map[string]any{"spark_version": "16.4.x-scala2.12", "node_type_id": "r5.4xlarge", "driver_node_type_id": "m5.large", "num_workers": workers,
			"aws_attributes": map[string]any{"availability": "SPOT", "first_on_demand": 1, "zone_id": "eu-west-1a"}}
	}
	id, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "load_messages", "timeout_seconds": 1200,
		"schedule":     map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": "UNPAUSED"},
		"queue":        map[string]any{"enabled": false},
		"parameters":   []any{map[string]any{"name": "day", "default": ""}},
		"job_clusters": []any{map[string]any{"job_cluster_key": "c", "new_cluster": cluster(4)}},
		"tasks": []any{
			map[string]any{"task_key": "load", "job_cluster_key": "c", "retry_on_timeout": true, "notebook_task": map[string]any{"notebook_path": "/Shared/load"}},
			map[string]any{"task_key": "single", "new_cluster": cluster(0), "notebook_task": map[string]any{"notebook_path": "/Shared/load"}}}})
	if err != nil {
		t.Fatal(err)
	}
	compute := func() string {
		t.Helper()
		job, err := outside(t, w).Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent([]any{job.Settings["job_clusters"], job.Settings["tasks"], job.Settings["parameters"]}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := compute()
	settings := `{
    parameters   = [{ name = "day", default = "" }]
    job_clusters = [{ job_cluster_key = "c", new_cluster = { spark_version = "16.4.x-scala2.12", num_workers = 4 } }]
    tasks = [
      { task_key = "load", job_cluster_key = "c", notebook_task = { notebook_path = "/Shared/load" } },
      { task_key = "single", new_cluster = { spark_version = "16.4.x-scala2.12", num_workers = 0 }, notebook_task = { notebook_path = "/Shared/load" } },
    ]
  }`
	s := newShell(t, with(w, loaderWith("", settings)+fmt.Sprintf("\nimport {\n  to = %s\n  id = \"%d\"\n}\n", loaderAddress, id)))
	out, code := s.plan()
	for _, part := range []string{"The configuration leaves out what the job has", "settings.job_clusters[c].new_cluster.aws_attributes", "settings.job_clusters[c].new_cluster.node_type_id", "settings.tasks[load].retry_on_timeout"} {
		if code != 2 || !strings.Contains(prose(out), part) {
			t.Errorf("plan: exit %d, no %q\n%s", code, part, out)
		}
	}
	s.apply()
	if diff := cmp.Diff(before, compute()); diff != "" {
		t.Errorf("the import changed the compute\n%s", diff)
	}
	out, code = s.plan()
	if code != 2 || !strings.Contains(out, "r5.4xlarge") || !strings.Contains(out, "aws_attributes") {
		t.Errorf("what the next apply takes out is not in its plan: exit %d\n%s", code, out)
	}
}

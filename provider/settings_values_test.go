package provider_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// Numbers keep every digit, empty objects and lists are sent, nulls are not, whatever the type of a collection is. A
// condition beside a trigger that an attribute owns is sent with it.
func TestSettingsValues(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 53}})
	condition := `sql_condition = { sql_query_id = "q", warehouse_id = "w" }`
	config := with(w, loaderNamed("numbers", everyQuarter, `{
    description   = null
    schedule      = { `+condition+` }
    notification_settings = {}
    tags          = tomap({ empty = "" })
    parameters    = []
    tasks = concat(tolist([{ task_key = "a", max_retries = null, depends_on = [], run_job_task = { job_id = 9007199254740993, job_parameters = {} } }]), [null])
    job_clusters = [{ job_cluster_key = "k", new_cluster = {
      azure_attributes = { spot_bid_max_price = 0.1 }, total_initial_remote_disk_size = 9223372036854775807, spark_env_vars = { A = "" }, ssh_public_keys = toset(["b", "a"])
    } }]
  }`)+loaderNamed("gated", `periodic = { interval = 2, unit = "HOURS" }
  longest_gap = "3h"`, `{ trigger = { `+condition+` }, tasks = [{ task_key = "a", notebook_task = { notebook_path = "/x" } }] }`))
	s := newShell(t, config)
	s.apply()
	sent := sentBodies(t, w)
	text, err := json.Marshal(sent["numbers"])
	if err != nil {
		t.Fatal(err)
	}
	got := decodeSettings(t, string(text))
	for _, owned := range []string{"name", "timeout_seconds", "queue"} {
		delete(got, owned)
	}
	got["tags"] = map[string]any{"empty": jobTags(got)["empty"]}
	want := decodeSettings(t, `{"notification_settings":{},"parameters":[],"tags":{"empty":""},
		"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","pause_status":"UNPAUSED","sql_condition":{"sql_query_id":"q","warehouse_id":"w"}},
		"tasks":[{"task_key":"a","depends_on":[],"run_job_task":{"job_id":9007199254740993,"job_parameters":{}}}],
		"job_clusters":[{"job_cluster_key":"k","new_cluster":{"azure_attributes":{"spot_bid_max_price":0.1},"total_initial_remote_disk_size":9223372036854775807,"spark_env_vars":{"A":""},"ssh_public_keys":["a","b"]}}]}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	trigger := map[string]any{"periodic": map[string]any{"interval": json.Number("2"), "unit": "HOURS"}, "pause_status": "UNPAUSED", "sql_condition": map[string]any{"sql_query_id": "q", "warehouse_id": "w"}}
	if diff := cmp.Diff(any(trigger), sent["gated"]["trigger"]); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

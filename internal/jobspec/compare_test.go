package jobspec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func decode(t *testing.T, text string) jobspec.Settings {
	t.Helper()
	s, err := jobspec.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted, live string
		paths        []string
	}{
		"equal": {wanted: `{"name":"a","tasks":[{"task_key":"x"}]}`, live: `{"name":"a","tasks":[{"task_key":"x"}]}`},
		"the server's defaults are no drift": {
			wanted: `{"name":"a","tasks":[{"task_key":"x","notebook_task":{"notebook_path":"/n"}}]}`,
			live: `{"name":"a","format":"MULTI_TASK","email_notifications":{},"webhook_notifications":{},"timeout_seconds":0,"max_concurrent_runs":1,
				"queue":{"enabled":true},"run_as":{"user_name":"me"},
				"tasks":[{"task_key":"x","run_if":"ALL_SUCCESS","timeout_seconds":0,"email_notifications":{"no_alert_for_skipped_runs":false},"retry_on_timeout":false,
				"notebook_task":{"notebook_path":"/n","source":"WORKSPACE"}}]}`},
		"a default that is written is no drift when it does not come back": {
			wanted: `{"timeout_seconds":0,"max_concurrent_runs":1,"queue":{"enabled":true},"tasks":[{"task_key":"x","run_if":"ALL_SUCCESS","max_retries":0,"description":"","libraries":[]}]}`,
			live:   `{"tasks":[{"task_key":"x"}]}`},
		"J01 databricks/terraform-provider-databricks#5624: the schedule is gone": {
			wanted: `{"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC","pause_status":"UNPAUSED"}}`, live: `{}`, paths: []string{"schedule"}},
		"J02 databricks/terraform-provider-databricks#2696: somebody paused it": {
			wanted: `{"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC"}}`,
			live:   `{"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC","pause_status":"PAUSED"}}`, paths: []string{"schedule.pause_status"}},
		"J02: and UNPAUSED that nobody named is the default": {
			wanted: `{"continuous":{}}`, live: `{"continuous":{"pause_status":"UNPAUSED"}}`},
		"J10 databricks/cli#4990: depends_on in another order": {
			wanted: `{"tasks":[{"task_key":"z","depends_on":[{"task_key":"f"},{"task_key":"e"},{"task_key":"a"}]}]}`,
			live:   `{"tasks":[{"task_key":"z","depends_on":[{"task_key":"a"},{"task_key":"e"},{"task_key":"f"}]}]}`},
		"J10: one edge less": {
			wanted: `{"tasks":[{"task_key":"z","depends_on":[{"task_key":"f"},{"task_key":"a"}]}]}`,
			live:   `{"tasks":[{"task_key":"z","depends_on":[{"task_key":"a"},{"task_key":"e"},{"task_key":"f"}]}]}`, paths: []string{"tasks[z].depends_on[e]"}},
		"J10: inside for_each too": {
			wanted: `{"tasks":[{"task_key":"z","for_each_task":{"inputs":"[1]","task":{"task_key":"i","depends_on":[{"task_key":"b"},{"task_key":"a"}]}}}]}`,
			live:   `{"tasks":[{"task_key":"z","for_each_task":{"inputs":"[1]","task":{"task_key":"i","run_if":"ALL_SUCCESS","depends_on":[{"task_key":"a"},{"task_key":"b"}]}}}]}`},
		"J11 databricks/terraform-provider-databricks#3126: tasks by key, not by position": {
			wanted: `{"tasks":[{"task_key":"b","sql_task":{"warehouse_id":"w","parameters":{"p":"1"}}},{"task_key":"a"}]}`,
			live:   `{"tasks":[{"task_key":"a"},{"task_key":"b","sql_task":{"warehouse_id":"w","parameters":{"p":"2"}}}]}`, paths: []string{"tasks[b].sql_task.parameters.p"}},
		"a task more and a task less": {
			wanted: `{"tasks":[{"task_key":"a"},{"task_key":"b"}]}`, live: `{"tasks":[{"task_key":"c"},{"task_key":"a"}]}`, paths: []string{"tasks[b]", "tasks[c]"}},
		"J18 databricks/cli#6315: an input-only condition never comes back": {
			wanted: `{"trigger":{"table_update":{"table_names":["m.s.b","m.s.a"],"condition":"ALL_UPDATED"}}}`,
			live:   `{"trigger":{"pause_status":"UNPAUSED","table_update":{"table_names":["m.s.a","m.s.b"]}}}`},
		"J18: one that does come back is compared": {
			wanted: `{"trigger":{"table_update":{"table_names":["m.s.a"],"condition":"ALL_UPDATED"}}}`,
			live:   `{"trigger":{"table_update":{"table_names":["m.s.a"],"condition":"ANY_UPDATED"}}}`, paths: []string{"trigger.table_update.condition"}},
		"J21 databricks/terraform-provider-databricks#324: addresses are a set": {
			wanted: `{"email_notifications":{"on_failure":["b@x","a@x"]},"webhook_notifications":{"on_success":[{"id":"2"},{"id":"1"}]}}`,
			live:   `{"email_notifications":{"on_failure":["a@x","b@x"]},"webhook_notifications":{"on_success":[{"id":"1"},{"id":"2"}]}}`},
		"J21: another address": {
			wanted: `{"email_notifications":{"on_failure":["a@x"]}}`, live: `{"email_notifications":{"on_failure":["a@x","c@x"]}}`, paths: []string{"email_notifications.on_failure"}},
		"J22 databricks/terraform-provider-databricks#3878: timeouts at their own level": {
			wanted: `{"timeout_seconds":1200,"tasks":[{"task_key":"x","timeout_seconds":9007199254740993}]}`,
			live:   `{"timeout_seconds":1200,"tasks":[{"task_key":"x","timeout_seconds":9007199254740992}]}`, paths: []string{"tasks[x].timeout_seconds"}},
		"unasked: a timeout, a concurrency, a queue that is off": {
			wanted: `{}`, live: `{"timeout_seconds":60,"max_concurrent_runs":0,"queue":{"enabled":false}}`, paths: []string{"max_concurrent_runs", "queue", "timeout_seconds"}},
		"unasked: a whole schedule": {wanted: `{}`, live: `{"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC"}}`, paths: []string{"schedule"}},
		"unasked: a tag":            {wanted: `{"tags":{"a":"1"}}`, live: `{"tags":{"a":"1","b":"2"}}`, paths: []string{"tags.b"}},
		"cron is text": {
			wanted: `{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC"}}`,
			live:   `{"schedule":{"quartz_cron_expression":"0 0,15,30,45 * * * ?","timezone_id":"UTC"}}`, paths: []string{"schedule.quartz_cron_expression"}},
		"compute that the server fills in": {
			wanted: `{"job_clusters":[{"job_cluster_key":"k","new_cluster":{"spark_version":"15","num_workers":1,"aws_attributes":{"zone_id":"auto"}}}]}`,
			live:   `{"job_clusters":[{"job_cluster_key":"k","new_cluster":{"spark_version":"15","num_workers":1,"node_type_id":"i3","driver_node_type_id":"i3","enable_elastic_disk":true,"data_security_mode":"SINGLE_USER","aws_attributes":{"zone_id":"auto","availability":"SPOT_WITH_FALLBACK"}}}]}`},
		"compute that is named is compared": {
			wanted: `{"tasks":[{"task_key":"x","new_cluster":{"node_type_id":"i3","aws_attributes":{"zone_id":"auto"}}}]}`,
			live:   `{"tasks":[{"task_key":"x","new_cluster":{"node_type_id":"i4","aws_attributes":{"zone_id":"us"}}}]}`, paths: []string{"tasks[x].new_cluster.aws_attributes.zone_id", "tasks[x].new_cluster.node_type_id"}},
		"what a policy fills in": {
			wanted: `{"tasks":[{"task_key":"x","new_cluster":{"policy_id":"p","apply_policy_default_values":true}}]}`,
			live:   `{"tasks":[{"task_key":"x","new_cluster":{"policy_id":"p","spark_conf":{"a":"b"},"autotermination_minutes":20}}]}`},
		"an unasked spark_conf without a policy": {
			wanted: `{"tasks":[{"task_key":"x","new_cluster":{}}]}`, live: `{"tasks":[{"task_key":"x","new_cluster":{"spark_conf":{"a":"b"}}}]}`, paths: []string{"tasks[x].new_cluster.spark_conf"}},
		"run_as that is named is compared": {
			wanted: `{"run_as":{"user_name":"a@x"}}`, live: `{"run_as":{"user_name":"b@x"}}`, paths: []string{"run_as.user_name"}},
		"the order of parameters of a script has a meaning": {
			wanted: `{"tasks":[{"task_key":"x","spark_python_task":{"python_file":"f","parameters":["a","b"]}}]}`,
			live:   `{"tasks":[{"task_key":"x","spark_python_task":{"python_file":"f","parameters":["b","a"]}}]}`,
			paths:  []string{"tasks[x].spark_python_task.parameters[0]", "tasks[x].spark_python_task.parameters[1]"}},
		"nulls are not written":         {wanted: `{"description":null,"tasks":[{"task_key":"x","run_if":null},null]}`, live: `{"tasks":[{"task_key":"x"}]}`},
		"numbers in two spellings":      {wanted: `{"timeout_seconds":60.0}`, live: `{"timeout_seconds":60}`},
		"a text is no number":           {wanted: `{"tasks":[{"task_key":"x","max_retries":"1"}]}`, live: `{"tasks":[{"task_key":"x","max_retries":1}]}`, paths: []string{"tasks[x].max_retries"}},
		"elements that share their key": {wanted: `{"tasks":[{"task_key":"x"},{"task_key":"x","max_retries":1}]}`, live: `{"tasks":[{"task_key":"x"},{"task_key":"x","max_retries":2}]}`, paths: []string{"tasks[1].max_retries"}},
		"fields nobody knows yet":       {wanted: `{"brand_new":{"a":[1,2]}}`, live: `{"brand_new":{"a":[1,3]}}`, paths: []string{"brand_new.a[1]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for _, d := range jobspec.Compare(decode(t, c.wanted), decode(t, c.live)) {
				paths = append(paths, d.Path)
			}
			if d := cmp.Diff(c.paths, paths); d != "" {
				t.Error(d)
			}
		})
	}
}

// What Compare promises whatever the settings: nothing differs from itself, and nothing from what was written of it.
func TestCompareInvariants(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`,
		`{"name":"n","format":"MULTI_TASK","max_concurrent_runs":1,"queue":{"enabled":true},"run_as":{"user_name":"u"},"tags":{"a.b":""},"email_notifications":{"on_start":["a"]},
		  "tasks":[{"task_key":"b","depends_on":[{"task_key":"a","outcome":"true"}],"run_if":"ALL_SUCCESS","new_cluster":{"node_type_id":"i3","spark_conf":{"a.b":"c"}}},
		           {"task_key":"a","retry_on_timeout":true,"sql_task":{"warehouse_id":"w","file":{"path":"/p","source":"WORKSPACE"}}}]}`,
		`{"max_concurrent_runs":0,"queue":{"enabled":false},"triggers":[{"pause_status":"PAUSED","periodic":{"interval":1,"unit":"HOURS"}}]}`,
		`{"continuous":{"pause_status":"PAUSED","task_retry_mode":"ON_FAILURE"},"tasks":[{"task_key":"f","for_each_task":{"inputs":"[]","task":{"task_key":"i","run_if":"ALL_DONE"}}}]}`,
	} {
		live := decode(t, text)
		if d := jobspec.Compare(live, live); len(d) > 0 {
			t.Errorf("%s differs from itself: %v", text, d)
		}
		written := jobspec.Written(live)
		if d := jobspec.Compare(written, live); len(d) > 0 {
			t.Errorf("%s differs from what was written of it: %v", text, d)
		}
		if d := jobspec.Compare(live, written); len(d) > 0 {
			for _, e := range d { // only what the server fills in may be missing from what was written
				if !strings.Contains(e.Path, "run_as") && !strings.Contains(e.Path, "new_cluster") && !strings.Contains(e.Path, "retry_on_timeout") {
					t.Errorf("%s: written lacks %v", text, e)
				}
			}
		}
		if again := jobspec.Written(written); cmp.Diff(written, again) != "" {
			t.Errorf("%s: written twice: %s", text, cmp.Diff(written, again))
		}
		if d := cmp.Diff(decode(t, text), live); d != "" {
			t.Errorf("the settings were changed: %s", d)
		}
	}
	wanted := jobspec.Settings{"description": jobspec.Unknown{}, "tasks": []any{map[string]any{"task_key": "x", "max_retries": jobspec.Unknown{}}}}
	if d := jobspec.Compare(wanted, decode(t, `{"tasks":[{"task_key":"x","max_retries":7}]}`)); len(d) > 0 {
		t.Errorf("an unknown value differs: %v", d)
	}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	live := decode(t, `{"name":"n","format":"MULTI_TASK","timeout_seconds":0,"run_as":{"user_name":"u"},"email_notifications":{},"queue":{"enabled":true},
		"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC","pause_status":"UNPAUSED"},
		"tasks":[{"task_key":"x","run_if":"ALL_SUCCESS","timeout_seconds":0,"webhook_notifications":{},"notebook_task":{"notebook_path":"/n","source":"WORKSPACE"}}]}`)
	want := decode(t, `{"name":"n","schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC"},"tasks":[{"task_key":"x","notebook_task":{"notebook_path":"/n"}}]}`)
	if d := cmp.Diff(want, jobspec.Written(live)); d != "" {
		t.Error(d)
	}
}

func TestDecodeKeepsEveryDigit(t *testing.T) {
	t.Parallel()
	s := decode(t, `{"timeout_seconds":9223372036854775807}`)
	if d := jobspec.Compare(s, decode(t, `{"timeout_seconds":9223372036854775806}`)); len(d) != 1 {
		t.Error("two integers above 2^53 are taken for one")
	}
	for _, text := range []string{``, `null`, `[]`, `{"a":1}{`, `{"a":1} 2`, `{"a":`} {
		if _, err := jobspec.Decode(strings.NewReader(text)); err == nil {
			t.Errorf("%q is no settings object", text)
		}
	}
}

func TestUnseen(t *testing.T) {
	t.Parallel()
	wanted := decode(t, `{"run_as":{"group_name":"g"},"trigger":{"table_update":{"table_names":["a.b.c"],"condition":"ALL_UPDATED"}},"triggers":[{"table_update":{"table_names":["a.b.c"],"condition":"ALL_UPDATED"}}],
		"job_clusters":[{"job_cluster_key":"k","new_cluster":{"apply_policy_default_values":true}}]}`)
	live := decode(t, `{"run_as":{"user_name":"u"},"trigger":{"table_update":{"table_names":["a.b.c"]}},"triggers":[{"pause_status":"UNPAUSED","table_update":{"table_names":["a.b.c"]}}],"job_clusters":[{"job_cluster_key":"k","new_cluster":{}}]}`)
	want := []string{"job_clusters[k].new_cluster.apply_policy_default_values", "run_as.group_name", "trigger.table_update.condition", "triggers.table_update.condition"}
	if diff := cmp.Diff(want, jobspec.Unseen(wanted, live)); diff != "" {
		t.Error(diff)
	}
	if got := jobspec.Unseen(decode(t, `{"trigger":{"table_update":{"condition":"ANY_UPDATED"}}}`), live); len(got) > 0 {
		t.Errorf("a default is unseen: %v", got)
	}
}

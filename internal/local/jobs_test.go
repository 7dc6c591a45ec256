package local

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"
)

// J10 databricks/cli#4990: depends_on comes back sorted, defaults are added, input-only fields are gone.
func TestGetJobAddsServerDefaults(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.Behaviour.KeepOrder = true })
	id := create(t, w, `{
		"name": "load", "unknown_field": 1, "run_as": {"user_name": "robot@workspace.local"},
		"trigger": {"table_update": {"table_names": ["a.b.c"], "condition": "ANY_UPDATED"}},
		"tasks": [
			{"task_key": "d", "notebook_task": {"notebook_path": "/n"}, "depends_on": [{"task_key": "f"}, {"task_key": "e"}]},
			{"task_key": "e", "notebook_task": {"notebook_path": "/n"}, "mistyped": true},
			{"task_key": "f", "dbt_task": {"commands": ["dbt run"]}, "max_retries": 1,
			 "new_cluster": {"spark_version": "x", "num_workers": 1, "node_type_id": "m5.large", "autotermination_minutes": 10, "apply_policy_default_values": true}}
		]}`)
	got := ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/get?job_id=%d", id), "")
	if got["run_as_user_name"] != "robot@workspace.local" || got["creator_user_name"] != ownerName {
		t.Errorf("identity: %v, %v", got["run_as_user_name"], got["creator_user_name"])
	}
	var want any
	if err := decodeJSON([]byte(`{
		"name": "load", "format": "MULTI_TASK", "timeout_seconds": 0, "max_concurrent_runs": 1, "queue": {"enabled": true},
		"email_notifications": {}, "webhook_notifications": {},
		"trigger": {"pause_status": "UNPAUSED", "table_update": {"table_names": ["a.b.c"]}},
		"tasks": [
			{"task_key": "d", "notebook_task": {"notebook_path": "/n", "source": "WORKSPACE"}, "depends_on": [{"task_key": "e"}, {"task_key": "f"}],
			 "run_if": "ALL_SUCCESS", "timeout_seconds": 0, "email_notifications": {}, "webhook_notifications": {}},
			{"task_key": "e", "notebook_task": {"notebook_path": "/n", "source": "WORKSPACE"},
			 "run_if": "ALL_SUCCESS", "timeout_seconds": 0, "email_notifications": {}, "webhook_notifications": {}},
			{"task_key": "f", "dbt_task": {"commands": ["dbt run"], "source": "WORKSPACE", "schema": "default"}, "max_retries": 1, "retry_on_timeout": false,
			 "run_if": "ALL_SUCCESS", "timeout_seconds": 0, "email_notifications": {}, "webhook_notifications": {},
			 "new_cluster": {"spark_version": "x", "num_workers": 1, "node_type_id": "m5.large", "driver_node_type_id": "m5.large", "autotermination_minutes": 10,
			  "enable_elastic_disk": false, "data_security_mode": "SINGLE_USER", "aws_attributes": {"availability": "SPOT_WITH_FALLBACK", "zone_id": "auto"}}}
		]}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got["settings"]); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

// J13 databricks/cli#4675: arrays come in pages of 100, each read in an order of its own.
func TestGetJobPages(t *testing.T) {
	t.Parallel()
	w := open(t)
	var tasks []string
	for i := range 250 {
		tasks = append(tasks, fmt.Sprintf(`{"task_key":"t%03d","notebook_task":{"notebook_path":"/n"}}`, i))
	}
	id := create(t, w, `{"name":"big","parameters":[{"name":"p","default":"1"}],"tasks":[`+strings.Join(tasks, ",")+`]}`)
	c := client(t, w)
	var orders []string
	for range 2 {
		job, err := c.Jobs.Get(t.Context(), jobs.GetJobRequest{JobId: id})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, task := range job.Settings.Tasks {
			keys = append(keys, task.TaskKey)
		}
		orders = append(orders, strings.Join(keys, " "))
		slices.Sort(keys)
		if len(slices.Compact(keys)) != 250 || len(job.Settings.Parameters) != 1 {
			t.Errorf("%d distinct tasks, %d parameters", len(slices.Compact(keys)), len(job.Settings.Parameters))
		}
	}
	if orders[0] == orders[1] {
		t.Error("two reads came in the same order")
	}
	if n := w.Count("GET", "jobs/get"); n != 6 {
		t.Errorf("%d calls of jobs/get for two reads of 250 tasks, want 6", n)
	}
	by, err := c.Jobs.GetByJobId(t.Context(), id)
	if err != nil || len(by.Settings.Tasks) != 100 {
		t.Errorf("one page: %d tasks, %v", len(by.Settings.Tasks), err)
	}
}

// J39 apache/airflow#21380: the name filter is exact, ignores case, and names are not unique.
func TestListJobsByName(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 45 {
		create(t, w, fmt.Sprintf(`{"name":"job %d"}`, i))
	}
	create(t, w, `{"name":"Loader"}`)
	create(t, w, `{"name":"loader"}`)
	c := client(t, w)
	found, err := c.Jobs.ListAll(t.Context(), jobs.ListJobsRequest{Name: "LOADER"})
	if err != nil || len(found) != 2 {
		t.Errorf("%d jobs, %v", len(found), err)
	}
	w.ResetRequests()
	all, err := c.Jobs.ListAll(t.Context(), jobs.ListJobsRequest{})
	if err != nil || len(all) != 47 || w.Count("GET", "jobs/list") != 3 {
		t.Errorf("%d jobs in %d pages, %v", len(all), w.Count("GET", "jobs/list"), err)
	}
	if all[0].Settings.Tasks != nil {
		t.Error("tasks in a list that does not expand")
	}
	for _, q := range []string{"limit=0", "limit=101", "limit=x", "offset=1001", "page_token=!"} {
		if status, body, _ := send(t, w, "GET", "/api/2.2/jobs/list?"+q, ""); status != 400 {
			t.Errorf("%s: %d %v", q, status, body)
		}
	}
}

// J30 databricks/terraform-provider-databricks#2225: a missing job is a 404, or the 400 of older workspaces.
func TestMissingJob(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, c := range []struct {
		set    int
		status int
		code   string
	}{{0, 404, "RESOURCE_DOES_NOT_EXIST"}, {400, 400, "INVALID_PARAMETER_VALUE"}} {
		w.SetBehaviour(Behaviour{MissingJob: c.set})
		for _, call := range [][3]string{{"GET", "/api/2.2/jobs/get?job_id=7", ""}, {"POST", "/api/2.2/jobs/run-now", `{"job_id":7}`},
			{"POST", "/api/2.2/jobs/reset", `{"job_id":7,"new_settings":{}}`}, {"POST", "/api/2.2/jobs/delete", `{"job_id":7}`}} {
			status, body, _ := send(t, w, call[0], call[1], call[2])
			if status != c.status || body["error_code"] != c.code || body["message"] != "Job 7 does not exist." {
				t.Errorf("%s with %d: %d %v", call[1], c.set, status, body)
			}
		}
	}
	id := create(t, w, scripted)
	w.SetBehaviour(Behaviour{DeniedJobs: []int64{id}})
	status, body, _ := send(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/get?job_id=%d", id), "")
	if status != 403 || body["error_code"] != "PERMISSION_DENIED" {
		t.Errorf("denied: %d %v", status, body)
	}
}

func TestJobsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, c := range map[string][2]string{
		"five fields":       {`{"schedule":{"quartz_cron_expression":"0/15 * * * *","timezone_id":"UTC"}}`, "Invalid schedule"},
		"unknown zone":      {`{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"Mars/Base"}}`, "Mars/Base"},
		"two triggers":      {`{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC"},"continuous":{}}`, "schedule and continuous"},
		"pause status":      {`{"continuous":{"pause_status":"paused"}}`, "PAUSED or UNPAUSED"},
		"two kinds":         {`{"tasks":[{"task_key":"a","notebook_task":{},"run_job_task":{}}]}`, "exactly one type"},
		"no such task":      {`{"tasks":[{"task_key":"a","notebook_task":{},"depends_on":[{"task_key":"b"}]}]}`, `"b"`},
		"cycle":             {`{"tasks":[{"task_key":"a","notebook_task":{},"depends_on":[{"task_key":"b"}]},{"task_key":"b","notebook_task":{},"depends_on":[{"task_key":"a"}]}]}`, "cycle"},
		"twice":             {`{"tasks":[{"task_key":"a","notebook_task":{}},{"task_key":"a","notebook_task":{}}]}`, "Duplicate"},
		"git provider":      {`{"git_source":{"git_url":"https://x"}}`, "git_provider"},
		"warehouse":         {`{"tasks":[{"task_key":"a","sql_task":{"warehouse_id":"","file":{"path":"/a.sql"}}}]}`, "not a valid endpoint id"},
		"continuous deps":   {`{"continuous":{},"tasks":[{"task_key":"a","notebook_task":{}},{"task_key":"b","notebook_task":{},"depends_on":[{"task_key":"a"}]}]}`, "continuous"},
		"wrong type":        {`{"tasks":{}}`, "tasks"},
		"not JSON":          {`{"name":`, "JSON"},
		"periodic interval": {`{"trigger":{"periodic":{"interval":0,"unit":"HOURS"}}}`, "periodic"},
	} {
		status, body, _ := send(t, w, "POST", "/api/2.2/jobs/create", c[0])
		if status != 400 || !strings.Contains(text(body["message"]), c[1]) {
			t.Errorf("%s: %d %v", name, status, body)
		}
	}
	if got := ok(t, w, "GET", "/api/2.2/jobs/list", ""); got["jobs"] != nil {
		t.Errorf("refused jobs were saved: %v", got)
	}
}

func TestUpdateMergesAndRemoves(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.Behaviour.KeepOrder = true })
	id := create(t, w, `{"name":"a","tags":{"x":"1","y":"2"},"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC"},
		"tasks":[{"task_key":"a","notebook_task":{"notebook_path":"/1"}},{"task_key":"b","notebook_task":{"notebook_path":"/1"}}]}`)
	ok(t, w, "POST", "/api/2.2/jobs/update", fmt.Sprintf(`{"job_id":%d,"fields_to_remove":["schedule","tasks/a","tags/x"],
		"new_settings":{"max_concurrent_runs":3,"tasks":[{"task_key":"b","notebook_task":{"notebook_path":"/2"}},{"task_key":"c","notebook_task":{"notebook_path":"/3"}}]}}`, id))
	job, err := client(t, w).Jobs.GetByJobId(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	s := job.Settings
	var tasks []string
	for _, task := range s.Tasks {
		tasks = append(tasks, task.TaskKey+task.NotebookTask.NotebookPath)
	}
	if s.Schedule != nil || s.MaxConcurrentRuns != 3 || s.Name != "a" || !cmp.Equal(s.Tags, map[string]string{"y": "2"}) || !cmp.Equal(tasks, []string{"b/2", "c/3"}) {
		t.Errorf("%+v %v", s, tasks)
	}
}

// J34 databricks/cli#5821: a permission write without an owner is refused.
func TestPermissionsNeedOneOwner(t *testing.T) {
	t.Parallel()
	w := open(t)
	path := fmt.Sprintf("/api/2.0/permissions/jobs/%d", create(t, w, scripted))
	if status, _, _ := send(t, w, "PUT", path, `{"access_control_list":[{"group_name":"users","permission_level":"CAN_VIEW"}]}`); status != 400 {
		t.Errorf("ownerless: %d", status)
	}
	ok(t, w, "PATCH", path, `{"access_control_list":[{"group_name":"users","permission_level":"CAN_VIEW"}]}`)
	if acl := list(ok(t, w, "GET", path, "")["access_control_list"]); len(acl) != 2 {
		t.Errorf("%v", acl)
	}
}

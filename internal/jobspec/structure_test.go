package jobspec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// What Databricks refuses at create though each field is right is refused before any call.
func TestValidateStructure(t *testing.T) {
	t.Parallel()
	notebook := `"notebook_task":{"notebook_path":"/n"}`
	for name, c := range map[string]struct {
		settings string
		want     []string
	}{
		"a whole job": {settings: `{"tasks":[{"task_key":"a",` + notebook + `,"job_cluster_key":"k"},{"task_key":"b","depends_on":[{"task_key":"a"}],` + notebook + `,"environment_key":"e"}],
			"job_clusters":[{"job_cluster_key":"k","new_cluster":{"num_workers":1}}],"environments":[{"environment_key":"e","spec":{"environment_version":"2"}}]}`},
		"no type":           {settings: `{"tasks":[{"task_key":"a","max_retries":1}]}`, want: []string{"tasks[0]: A task without a type"}},
		"two types":         {settings: `{"tasks":[{"task_key":"a",` + notebook + `,"sql_task":{"warehouse_id":"w"}}]}`, want: []string{"tasks[0].sql_task: It has notebook_task and sql_task"}},
		"a type misspelled": {settings: `{"tasks":[{"task_key":"a","notebook_tak":{}}]}`, want: []string{`tasks[0].notebook_tak: Did you mean "notebook_task"?`}},
		"no key":            {settings: `{"tasks":[{` + notebook + `}]}`, want: []string{"tasks[0]: A task without a task_key"}},
		"inside for_each": {settings: `{"tasks":[{"task_key":"a","for_each_task":{"inputs":"[1]","task":{"task_key":"b","job_cluster_key":"k"}}}]}`, want: []string{
			"tasks[0].for_each_task.task: A task without a type", "tasks[0].for_each_task.task.job_cluster_key: no element of job_clusters is called that"}},
		"one key twice":       {settings: `{"tasks":[{"task_key":"a",` + notebook + `},{"task_key":"a",` + notebook + `}]}`, want: []string{`tasks[1].task_key: "a" comes twice`}},
		"no such task":        {settings: `{"tasks":[{"task_key":"extract",` + notebook + `},{"task_key":"b","depends_on":[{"task_key":"extrac"}],` + notebook + `}]}`, want: []string{`tasks[1].depends_on[0].task_key: Did you mean "extract"?`}},
		"a task waits for it": {settings: `{"tasks":[{"task_key":"a","depends_on":[{"task_key":"a"}],` + notebook + `}]}`, want: []string{"tasks[0].depends_on: a → a"}},
		"a cycle":             {settings: `{"tasks":[{"task_key":"a","depends_on":[{"task_key":"c"}],` + notebook + `},{"task_key":"b","depends_on":[{"task_key":"a"}],` + notebook + `},{"task_key":"c","depends_on":[{"task_key":"b"}],` + notebook + `}]}`, want: []string{"tasks[0].depends_on: a → c → b → a"}},
		"both outcomes":       {settings: `{"tasks":[{"task_key":"a","condition_task":{"op":"EQUAL_TO","left":"1","right":"1"}},{"task_key":"b","depends_on":[{"task_key":"a","outcome":"true"},{"task_key":"a","outcome":"false"}],` + notebook + `}]}`},
		"no such cluster":     {settings: `{"tasks":[{"task_key":"a","job_cluster_key":"smal",` + notebook + `}],"job_clusters":[{"job_cluster_key":"small","new_cluster":{"num_workers":1}}]}`, want: []string{`tasks[0].job_cluster_key: Did you mean "small"?`}},
		"no such environment": {settings: `{"tasks":[{"task_key":"a","environment_key":"e",` + notebook + `}]}`, want: []string{`tasks[0].environment_key: Define it: environments = [{ environment_key = "e", ... }].`}},
		"two clusters":        {settings: `{"tasks":[{"task_key":"a","existing_cluster_id":"c","new_cluster":{"num_workers":1},` + notebook + `}]}`, want: []string{"tasks[0].new_cluster: It has existing_cluster_id and new_cluster"}},
		"a file of the bundle": {settings: `{"tasks":[{"task_key":"a","notebook_task":{"notebook_path":"../src/load.ipynb"}},{"task_key":"b","sql_task":{"warehouse_id":"w","file":{"path":"./q.sql"}}}]}`, want: []string{
			"tasks[0].notebook_task.notebook_path: databricks_notebook", "tasks[1].sql_task.file.path: begins with /"}},
		"a file of git":               {settings: `{"git_source":{"git_url":"u","git_provider":"gitHub","git_branch":"main"},"tasks":[{"task_key":"a","notebook_task":{"notebook_path":"./src/load"}}]}`},
		"two kinds in one trigger":    {settings: `{"trigger":{"periodic":{"interval":1,"unit":"HOURS"},"file_arrival":{"url":"u"}}}`, want: []string{"trigger.periodic: It has file_arrival and periodic"}},
		"no kind":                     {settings: `{"trigger":{"pause_status":"PAUSED"}}`, want: []string{"trigger: A trigger without a kind"}},
		"a kind and its condition":    {settings: `{"triggers":[{"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC"},"sql_condition":{"sql_query_id":"q","warehouse_id":"w"}}]}`},
		"an element of two kinds":     {settings: `{"triggers":[{"continuous":{}},{"continuous":{},"model":{"securable_name":"a.b.c","condition":"MODEL_CREATED"}}]}`, want: []string{"triggers[1].model: It has continuous and model"}},
		"J29 five fields":             {settings: `{"triggers":[{"schedule":{"quartz_cron_expression":"0 2 * * *","timezone_id":"UTC"}}]}`, want: []string{"triggers[0].schedule.quartz_cron_expression: Wrong schedule"}},
		"J29 never fires":             {settings: `{"triggers":[{"schedule":{"quartz_cron_expression":"0 0 0 30 2 ?","timezone_id":"UTC"}}]}`, want: []string{"triggers[0].schedule.quartz_cron_expression: Wrong schedule"}},
		"J29 an unknown zone":         {settings: `{"triggers":[{"schedule":{"quartz_cron_expression":"0 0 2 * * ?","timezone_id":"Mars/Base"}}]}`, want: []string{"triggers[0].schedule.timezone_id: Mars/Base"}},
		"half a schedule":             {settings: `{"triggers":[{"schedule":{"timezone_id":"UTC"}}]}`, want: []string{"triggers[0].schedule.quartz_cron_expression: is missing"}},
		"half a period":               {settings: `{"trigger":{"periodic":{"interval":1}}}`, want: []string{"trigger.periodic.unit: is missing"}},
		"an interval that is nothing": {settings: `{"trigger":{"periodic":{"interval":0,"unit":"HOURS"}}}`, want: []string{"trigger.periodic.interval: Write 1 or more."}},
		// J09 databricks/terraform-provider-databricks#2798: Databricks refuses dependencies and retries.
		"J09 continuous and dependencies": {settings: `{"triggers":[{"continuous":{}}],"tasks":[{"task_key":"a","max_retries":0,` + notebook + `},{"task_key":"b","depends_on":[{"task_key":"a"}],` + notebook + `}]}`, want: []string{"tasks[1].depends_on: A job with settings.triggers[0].continuous has no tasks that wait"}},
		"J09 continuous and retries": {settings: `{"triggers":[{"continuous":{}}],"tasks":[{"task_key":"a","max_retries":-1,"min_retry_interval_millis":5,"retry_on_timeout":true,` + notebook + `}]}`, want: []string{
			"tasks[0].max_retries: task_retry_mode", "tasks[0].min_retry_interval_millis: task_retry_mode", "tasks[0].retry_on_timeout: task_retry_mode"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			match(t, jobspec.Validate(decode(t, c.settings), jobspec.Attributes{}), c.want)
		})
	}
	many := strings.Repeat(`{"task_key":"k",`+notebook+`},`, 1001)
	found := jobspec.Validate(decode(t, `{"tasks":[`+many[:len(many)-1]+`]}`), jobspec.Attributes{})
	if len(found) == 0 || found[0].Place() != "tasks" || !strings.Contains(found[0].Detail, "1001 tasks") {
		t.Errorf("1001 tasks: %v", found[0])
	}
}

// What is not known is not judged: a reference may turn out right.
func TestValidateStructureUnknown(t *testing.T) {
	t.Parallel()
	open := jobspec.Unknown{}
	task := func(more map[string]any) map[string]any {
		out := map[string]any{"task_key": "b", "notebook_task": map[string]any{"notebook_path": "/n"}}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	for name, s := range map[string]jobspec.Settings{
		"another task":             {"tasks": []any{open, task(map[string]any{"depends_on": []any{map[string]any{"task_key": "x"}}})}},
		"another task's key":       {"tasks": []any{task(map[string]any{"task_key": open}), task(map[string]any{"depends_on": []any{map[string]any{"task_key": "x"}}})}},
		"an edge":                  {"tasks": []any{task(map[string]any{"depends_on": []any{open, map[string]any{"task_key": open}}})}},
		"an edge that may be none": {"triggers": []any{map[string]any{"continuous": map[string]any{}}}, "tasks": []any{task(map[string]any{"depends_on": []any{open}, "retry_on_timeout": open})}},
		"the edges":                {"triggers": []any{map[string]any{"continuous": map[string]any{}}}, "tasks": []any{task(map[string]any{"depends_on": open, "max_retries": open})}},
		"the clusters":             {"job_clusters": open, "tasks": []any{task(map[string]any{"job_cluster_key": "x"})}},
		"a cluster":                {"job_clusters": []any{open}, "tasks": []any{task(map[string]any{"job_cluster_key": "x"})}},
		"an environment":           {"environments": []any{map[string]any{"environment_key": open}}, "tasks": []any{task(map[string]any{"environment_key": "x"})}},
		"the type":                 {"tasks": []any{map[string]any{"task_key": "a", "sql_task": open}}},
		"the trigger":              {"trigger": open, "triggers": []any{open, map[string]any{"periodic": open}}},
		"the cron":                 {"triggers": []any{map[string]any{"schedule": map[string]any{"quartz_cron_expression": open, "timezone_id": open}}}},
		"the inner task":           {"tasks": []any{map[string]any{"task_key": "a", "for_each_task": map[string]any{"inputs": open, "task": open}}}},
	} {
		if p := jobspec.Validate(s, jobspec.Attributes{}); len(p) > 0 {
			t.Errorf("%s: %v", name, p)
		}
	}
}

// A field that an attribute owns may stand in settings when it says the same.
func TestValidateOwned(t *testing.T) {
	t.Parallel()
	attributes := func(text string) jobspec.Attributes {
		return jobspec.Attributes{Settings: decode(t, text), PauseStatus: "UNPAUSED"}
	}
	all := `{"name":"n","timeout_seconds":1200,"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC"},"tags":{"watertight_source":"a.b.c"}}`
	for name, c := range map[string]struct {
		settings, attributes string
		want                 []string
	}{
		"says the same": {`{"name":"n","timeout_seconds":1200,"schedule":{"quartz_cron_expression":"0 0 * * * ?","timezone_id":"UTC","pause_status":"UNPAUSED","sql_condition":{"sql_query_id":"q","warehouse_id":"w"}},"tags":{"watertight_source":"a.b.c","team":"t"}}`, all, nil},
		"says another": {`{"name":"m","timeout_seconds":60,"schedule":{"quartz_cron_expression":"0 1 * * * ?","timezone_id":"UTC","pause_status":"PAUSED"},"tags":{"watertight_source":"a.b.d"}}`, all, []string{
			`name: It says m, and the attribute name says n. Leave it out of settings, or write name = "m"`, `schedule.pause_status: pause_status = "PAUSED"`, `schedule.quartz_cron_expression: says 0 1 * * * ?`,
			`tags.watertight_source: says a.b.d`, `timeout_seconds: max_duration = "1m0s"`}},
		"an attribute not set": {`{"name":"n","timeout_seconds":60,"schedule":{"quartz_cron_expression":"0 1 * * * ?","timezone_id":"UTC"},"tags":{"watertight_source":"s"}}`, `{}`, []string{
			`name: Set the attribute, which is what Watertight checks: name = "n"`, `schedule: schedule = { quartz_cron_expression = "0 1 * * * ?", timezone_id = "UTC" }`, `tags.watertight_source: belongs to the attribute source`, `timeout_seconds: max_duration = "1m0s"`}},
		"runs and identities":       {`{"max_concurrent_runs":-1,"run_as":{"user_name":"u","service_principal_name":"s"}}`, `{}`, []string{`max_concurrent_runs: It is -1`, `run_as: It names user_name and service_principal_name. Keep one`}},
		"tags that are reserved":    {`{"tags":{"watertight_custom":"1","watertight_owner":"x"}}`, `{}`, []string{`tags.watertight_custom: is reserved`, `tags.watertight_owner: is reserved`}},
		"only the wrong type":       {`{"name":5,"timeout_seconds":"1200"}`, all, []string{`name: must be a text`, `timeout_seconds: must be a whole number`}},
		"continuous":                {`{"continuous":{"task_retry_mode":"NEVER","pause_status":"UNPAUSED"}}`, `{"continuous":{}}`, nil},
		"continuous, retried":       {`{"continuous":{"task_retry_mode":"ON_FAILURE"}}`, `{"continuous":{}}`, []string{"continuous.task_retry_mode: belongs to the attribute continuous.task_retry_mode"}},
		"continuous, not set":       {`{"continuous":{}}`, `{}`, []string{"continuous: continuous = {}"}},
		"periodic in settings":      {`{"trigger":{"periodic":{"interval":1,"unit":"HOURS"}}}`, `{}`, nil},
		"periodic in both":          {`{"trigger":{"periodic":{"interval":1,"unit":"HOURS"}}}`, `{"trigger":{"periodic":{"interval":1,"unit":"HOURS"}}}`, nil},
		"periodic, another":         {`{"trigger":{"periodic":{"interval":1,"unit":"HOURS"}}}`, `{"trigger":{"periodic":{"interval":2,"unit":"HOURS"}}}`, []string{"trigger.periodic.interval: It says 1, and the attribute periodic.interval says 2"}},
		"triggers that pause":       {`{"triggers":[{"continuous":{},"pause_status":"PAUSED"},{"model":{"condition":"MODEL_CREATED"},"pause_status":"UNPAUSED"}]}`, `{}`, []string{`triggers[0].pause_status: pause_status = "PAUSED"`}},
		"what a bundle has besides": {`{"permissions":[{"level":"CAN_VIEW"}],"lifecycle":{"prevent_destroy":true}}`, `{}`, []string{"lifecycle: is left out", "permissions: is left out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			match(t, jobspec.Validate(decode(t, c.settings), attributes(c.attributes)), c.want)
		})
	}
	s := decode(t, all)
	s["schedule"].(map[string]any)["pause_status"] = "PAUSED"
	open := jobspec.Attributes{PauseStatus: jobspec.Unknown{}, Settings: jobspec.Settings{"name": jobspec.Unknown{}, "timeout_seconds": jobspec.Unknown{}, "schedule": jobspec.Unknown{}, "tags": jobspec.Unknown{}}}
	match(t, jobspec.Validate(s, open), nil)
}

// Large jobs are checked in no time.
func TestValidateThousandTasks(t *testing.T) {
	t.Parallel()
	var tasks []string
	for i := range 1000 {
		task := fmt.Sprintf(`{"task_key":"t%d","notebook_task":{"notebook_path":"/n"},"depends_on":[`, i)
		if i > 0 {
			task += fmt.Sprintf(`{"task_key":"t%d"}`, i-1)
		}
		tasks = append(tasks, task+"]}")
	}
	match(t, jobspec.Validate(decode(t, `{"tasks":[`+strings.Join(tasks, ",")+`]}`), jobspec.Attributes{}), nil)
}

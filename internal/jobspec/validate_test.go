package jobspec_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func TestValidateFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		// want holds place, then words of summary or detail, a problem a line.
		want []string
	}{
		"any task is welcome": {settings: `{"tasks":[{"task_key":"a","notebook_task":{"notebook_path":"/n","base_parameters":{"x":"1"}}},
			{"task_key":"b","depends_on":[{"task_key":"a","outcome":"true"}],"for_each_task":{"inputs":"[1]","concurrency":2,"task":{"task_key":"c","spark_python_task":{"python_file":"f","parameters":["x"]}}}},
			{"task_key":"d","new_cluster":{"spark_version":"15.4.x","num_workers":1,"spark_conf":{"any.key":"v"},"init_scripts":[{"workspace":{"destination":"/i"}}]},"libraries":[{"pypi":{"package":"p"}}]}],
			"job_clusters":[{"job_cluster_key":"k","new_cluster":{"autoscale":{"min_workers":1,"max_workers":2}}}],"tags":{"team":"x"},"parameters":[{"name":"p","default":""}],
			"email_notifications":{"on_failure":["a@x"]},"health":{"rules":[{"metric":"RUN_DURATION_SECONDS","op":"GREATER_THAN","value":60}]},"max_concurrent_runs":1,
			"trigger":{"table_update":{"table_names":["a.b.c"]}},"environments":[{"environment_key":"e","spec":{"client":"1","dependencies":["x"]}}],"run_as":{"user_name":"u"}}`},
		"an unknown field has a nearest name": {settings: `{"taks":[]}`, want: []string{`taks: Did you mean "tasks"?`}},
		"two neighbours swapped":              {settings: `{"tasks":[{"task_key":"a","notebook_tsak":{}}]}`, want: []string{`tasks[0].notebook_tsak: Did you mean "notebook_task"?`}},
		"deep inside for_each":                {settings: `{"tasks":[{"task_key":"a","for_each_task":{"inputs":"","task":{"task_key":"b","sql_task":{"warehouse":"w"}}}}]}`, want: []string{`tasks[0].for_each_task.task.sql_task.warehouse: Did you mean "warehouse_id"?`}},
		"nothing is near":                     {settings: `{"zzzzzzzz":1}`, want: []string{`zzzzzzzz: Its fields are`}},
		"wrong types": {settings: `{"tasks":{"a":1},"max_concurrent_runs":"2","tags":[1],"description":7,"queue":{"enabled":"yes"},"git_source":"url","email_notifications":{"on_start":"a@x"}}`,
			want: []string{`description: must be a text, and is the number 7. Write it in quotes: "7".`, `email_notifications.on_start: must be a list`, `git_source: must be an object`, `max_concurrent_runs: must be a whole number, and is a text. Write it without quotes: 2.`,
				`queue.enabled: must be true or false`, `tags: must be a map`, `tasks: must be a list`}},
		"numbers are whole":                {settings: `{"max_concurrent_runs":1.5}`, want: []string{`max_concurrent_runs: must be a whole number, and is the number 1.5`}},
		"integers above 2^53":              {settings: `{"tasks":[{"task_key":"a","run_job_task":{"job_id":9007199254740993}}]}`},
		"an integer above 2^63":            {settings: `{"tasks":[{"task_key":"a","run_job_task":{"job_id":9223372036854775808}}]}`, want: []string{`tasks[0].run_job_task.job_id: must be a whole number`}},
		"a value in a map of texts":        {settings: `{"tasks":[{"task_key":"a","new_cluster":{"spark_conf":{"x.y":true}}}]}`, want: []string{`tasks[0].new_cluster.spark_conf.x.y: Write it in quotes: "true".`}},
		"an enumeration":                   {settings: `{"tasks":[{"task_key":"a","run_if":"ALL_SUCCES"}]}`, want: []string{`tasks[0].run_if: Did you mean "ALL_SUCCESS"?`}},
		"an enumeration in the wrong case": {settings: `{"trigger":{"periodic":{"interval":1,"unit":"hours"}}}`, want: []string{`trigger.periodic.unit: Did you mean "HOURS"?`}},
		"a task key twice":                 {settings: `{"tasks":[{"task_key":"a"},{"task_key":"a"}]}`, want: []string{`tasks[1].task_key: "a" comes twice`}},
		"the older name of table_update":   {settings: `{"trigger":{"table":{"table_names":["a.b.c"]}}}`},
		"fields of bundles and of answers": {settings: `{"permissions":[],"job_id":1,"notebook_task":{}}`, want: []string{
			`job_id: Give the object under its settings`, `notebook_task: Move it into an element of tasks`, `permissions: belongs to bundles`}},
		"a secret is not printed": {settings: `{"max_concurrent_runs":"hunter2","tasks":[{"task_key":"a","new_cluster":{"docker_image":{"basic_auth":{"password":["hunter2"]}},"spark_env_vars":{"TOKEN":2718281828}},"notebook_task":"hunter2","libraries":"hunter2"}],"queue":{"enabled":"hunter2"}}`, want: []string{
			`max_concurrent_runs: is a text.`, `queue.enabled: is a text.`, `tasks[0].libraries: is a text. Write it in brackets`, `tasks[0].new_cluster.docker_image.basic_auth.password: is a list`, `tasks[0].new_cluster.spark_env_vars.TOKEN: is a number. Write it in quotes.`, `tasks[0].notebook_task: is a text.`}},
		"a field and a value newer than the SDK": {settings: `{"tasks":[{"task_key":"a","agentic_task":{"goal":"g","supervisor_agent":{"agent_id":"1"},"task_output_schema":{"a":"int"}},"compute":{"hardware_accelerator":"GPU_1xH100"}}]}`},
		"an empty enumeration":                   {settings: `{"edit_mode":""}`, want: []string{`edit_mode: or leave it out`}},
		"a bundle's placeholders": {settings: `{"description":"in ${bundle.target}","max_concurrent_runs":"${var.runs}","tasks":[{"task_key":"a","job_cluster_key":"${resources.clusters.c.id}","notebook_task":{"notebook_path":"${workspace.file_path}/x","base_parameters":{"env":"${spark.conf}"}}}]}`, want: []string{
			"description: ${bundle.target}", "max_concurrent_runs: ${var.runs}", "tasks[0].job_cluster_key: ${resources.clusters.c.id}", "tasks[0].notebook_task.notebook_path: ${workspace.file_path}"}},
		// J24 databricks/terraform-provider-databricks#2669: the API takes them and does nothing.
		"J24 retries of a job": {settings: `{"max_retries":3,"min_retry_interval_millis":1,"retry_on_timeout":true}`, want: []string{
			"max_retries: Write it into each task", "min_retry_interval_millis: Write it into each task", "retry_on_timeout: Write it into each task"}},
		"nulls are not written": {settings: `{"name":null,"tasks":[{"task_key":"a","notebook_task":null}]}`},
		"all problems at once":  {settings: `{"taks":1,"queue":{"enable":true},"tasks":[{"run_if":"X"}]}`, want: []string{`queue.enable: "enabled"`, `taks: "tasks"`, `tasks[0].run_if: "X" is not`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := jobspec.ValidateFields(decode(t, c.settings))
			match(t, problems, c.want)
		})
	}
}

// match wants exactly these problems: place, then words of summary or detail. Nothing that could be a secret is in any.
func match(t *testing.T, problems []jobspec.Problem, want []string) {
	t.Helper()
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d", len(problems), len(want))
	}
	for i, p := range problems {
		words := p.Summary + ": " + p.Detail
		if strings.Contains(words, "hunter2") || strings.Contains(words, "2718281828") {
			t.Errorf("a secret is printed: %s", words)
		}
		if i >= len(want) {
			t.Errorf("got also %s: %s", p.Place(), words)
			continue
		}
		if at, part, _ := strings.Cut(want[i], ": "); p.Place() != at || !strings.Contains(words, part) {
			t.Errorf("got %s: %s; want %s", p.Place(), words, want[i])
		}
	}
}

func TestValidateLetsUnknownValuesPass(t *testing.T) {
	t.Parallel()
	s := jobspec.Settings{"description": jobspec.Unknown{}, "queue": jobspec.Unknown{}, "tasks": []any{jobspec.Unknown{}, map[string]any{"task_key": jobspec.Unknown{}, "run_if": jobspec.Unknown{}, "sql_task": jobspec.Unknown{}}}}
	if p := jobspec.Validate(s, jobspec.Attributes{}); len(p) > 0 {
		t.Error(p)
	}
}

// Every field of the SDK's types is understood: a kind that the validation does not know would let anything pass.
func TestValidateKnowsEveryKindOfTheSDK(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type, string)
	walk = func(r reflect.Type, at string) {
		for r.Kind() == reflect.Pointer || r.Kind() == reflect.Slice {
			r = r.Elem()
		}
		switch r.Kind() {
		case reflect.Map:
			walk(r.Elem(), at+".*")
		case reflect.Struct:
			if seen[r] {
				return
			}
			seen[r] = true
			for i := range r.NumField() {
				f := r.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name != "" && name != "-" {
					walk(f.Type, at+"."+name)
				} else if name == "" && f.IsExported() {
					t.Errorf("%s.%s has no JSON name", at, f.Name)
				}
			}
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		default:
			t.Errorf("%s is a %v", at, r)
		}
	}
	walk(reflect.TypeFor[jobs.JobSettings](), "settings")
	if len(seen) < 40 {
		t.Errorf("only %d types were walked", len(seen))
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings, status, trigger string
	}{
		"schedule, nothing said":  {`{"schedule":{"quartz_cron_expression":"x"}}`, "UNPAUSED", "schedule"},
		"schedule, paused":        {`{"schedule":{"pause_status":"PAUSED"}}`, "PAUSED", "schedule"},
		"trigger":                 {`{"trigger":{"pause_status":"PAUSED","periodic":{}}}`, "PAUSED", "trigger"},
		"continuous":              {`{"continuous":{"pause_status":"UNPAUSED"}}`, "UNPAUSED", "continuous"},
		"triggers, one of two":    {`{"triggers":[{"pause_status":"PAUSED"},{"pause_status":"UNPAUSED"}]}`, "UNPAUSED", "triggers"},
		"triggers, both":          {`{"triggers":[{"pause_status":"PAUSED"},{"pause_status":"PAUSED"}]}`, "PAUSED", "triggers"},
		"nothing to pause":        {`{"name":"x"}`, "", ""},
		"a null trigger is none":  {`{"schedule":null}`, "", ""},
		"no elements of triggers": {`{"triggers":[]}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := decode(t, c.settings)
			status, trigger, ok := jobspec.Pause(s)
			if status != c.status || trigger != c.trigger || ok != (c.trigger != "") {
				t.Errorf("got %q, %q, %v", status, trigger, ok)
			}
			for _, want := range []string{jobspec.Paused, jobspec.Unpaused} {
				set, err := jobspec.SetPause(s, want)
				if (err == nil) != ok {
					t.Fatal(err)
				}
				if got, _, _ := jobspec.Pause(set); ok && got != want {
					t.Errorf("set to %s, and got %s", want, got)
				}
			}
			if d := cmp.Diff(decode(t, c.settings), s); d != "" {
				t.Errorf("SetPause changed its argument: %s", d)
			}
		})
	}
	if _, err := jobspec.SetPause(decode(t, `{"schedule":{}}`), "paused"); err == nil {
		t.Error("paused in lower case is no status")
	}
}

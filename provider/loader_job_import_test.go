package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

func importBlock(to, id string) string {
	return fmt.Sprintf("\nimport {\n  to = %s\n  id = %q\n}\n", to, id)
}

// J14 databricks/terraform-provider-databricks#5417, J15 #4255: the configuration that Terraform generates for an import,
// of 150 tasks too, validates as it is and plans nothing but the import.
func TestLoaderJobGeneratedConfiguration(t *testing.T) {
	t.Parallel()
	jobs := map[string]string{
		"plain":      loader("  evidence = \"main.ops\"\n  strict = true"),
		"periodic":   loader("  periodic = { interval = 15, unit = \"MINUTES\" }"),
		"continuous": loader("  continuous = {}\n  pause_status = \"PAUSED\""),
		"trigger in settings": loaderWith("  longest_gap = \"2h\"",
			`{ trigger = { file_arrival = { url = "/Volumes/main/events/in" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/Shared/load" } }] }`),
		"many tasks and everything": loaderWith("", `{
      tasks = [for i in range(150) : { task_key = format("t%03d", i), depends_on = i == 0 ? [] : [{ task_key = "t000" }], job_cluster_key = "c", notebook_task = { notebook_path = "/Shared/${i}", base_parameters = { i = tostring(i) } } }]
      job_clusters = [{ job_cluster_key = "c", new_cluster = { spark_version = "17.3.x-scala2.13", node_type_id = "m5.large", num_workers = 2, spark_conf = { "a.b.c" = "d" } } }]
      email_notifications = { on_failure = ["b@x.org", "a@x.org"] }
      parameters = [{ name = "p", default = "9007199254740993" }]
      tags = { team = "data" }
      max_concurrent_runs = 1
      queue = { enabled = true }
    }`),
	}
	for name, config := range jobs {
		for _, by := range []string{"id", "name"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				t.Parallel()
				if strings.Contains(binary(t), "tofu") && name != "plain" {
					t.Skip("one is enough for a second binary")
				}
				w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 15}})
				newShell(t, with(w, config)).apply()
				id := "load_messages"
				if by == "id" {
					id = strconv.FormatInt(theJob(t, w).ID, 10)
				}
				w.ResetRequests()
				s := newShell(t, with(w, importBlock(loaderAddress, id)))
				if out, code := s.run("plan", "-no-color", "-input=false", "-generate-config-out=generated.tf"); code != 0 || !strings.Contains(out, "1 to import, 0 to add, 0 to change, 0 to destroy") {
					generated, _ := os.ReadFile(filepath.Join(s.dir, "generated.tf"))
					t.Fatalf("exit %d\n%s\n%s", code, out, generated)
				}
				s.must("validate", "-no-color")
				out := s.apply()
				wantAll(t, out, "1 imported, 0 added, 0 changed, 0 destroyed")
				if out, code := s.plan(); code != 0 {
					t.Errorf("the plan after it: exit %d\n%s", code, out)
				}
				if n := writes(w); n != 0 {
					t.Errorf("an import wrote %d times", n)
				}
			})
		}
	}
}

// J39 apache/airflow#21380: names are not unique. Two of one name are told apart by the ids that the error names, with one
// call; a name of nobody is an error as well.
func TestLoaderJobImportByName(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	var ids []string
	for range 2 {
		id, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "load_messages"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	s := newShell(t, with(w, loader("")))
	w.ResetRequests()
	out, code := s.run("import", "-no-color", loaderAddress, "load_messages")
	if code != 1 || w.Count("GET", "jobs/list") != 1 {
		t.Errorf("exit %d, %d lists", code, w.Count("GET", "jobs/list"))
	}
	wantAll(t, prose(out), "Several jobs have this name", ids[0], ids[1])
	out, code = s.run("import", "-no-color", loaderAddress, "nobody")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "There is no such job", `"nobody"`)
}

// A job that Watertight made for something else is no loader, and the error says what it is.
func TestLoaderJobImportOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	for name, c := range map[string]struct {
		tags map[string]any
		want []string
	}{
		"optimize": {map[string]any{"watertight_table": "a.b.t", "watertight_loader": "7"}, []string{"optimizes a.b.t", "watertight_optimize_job"}},
		"purge":    {map[string]any{"watertight_purge": "a.b.s"}, []string{"deletes expired rows from a.b.s", "watertight_retention"}},
	} {
		if _, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": name, "tags": c.tags}); err != nil {
			t.Fatal(err)
		}
		s := newShell(t, with(w, loader("")))
		out, code := s.run("import", "-no-color", loaderAddress, name)
		if code != 1 {
			t.Errorf("%s: exit %d", name, code)
		}
		wantAll(t, prose(out), append(c.want, "The job is of another kind", name)...)
	}
}

// A job that knows nothing of Watertight becomes a loader in place: the contract and the owner are added, nothing else is
// touched, and it keeps its id.
func TestLoaderJobImportOfAPlainJob(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	id, err := outside(t, w).CreateJob(t.Context(), plainJob())
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, with(w, loader("")+importBlock(loaderAddress, strconv.FormatInt(id, 10))))
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "1 to import, 0 to add, 1 to change, 0 to destroy", `+ source = "main.events.stream_messages"`)
	s.apply()
	j := theJob(t, w)
	if tags := tagsOf(j.Settings); j.ID != id || tags["team"] != nil || tags["watertight_target"] != "main.events.messages" || tags["watertight_owner"] == nil {
		t.Errorf("job %d has the tags %v", j.ID, tags)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("the second plan: exit %d\n%s", code, out)
	}
}

// plainJob is the job of loader(""), as somebody would make it without Watertight.
func plainJob() map[string]any {
	return map[string]any{
		"name": "load_messages", "timeout_seconds": 1200,
		"schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC"},
		"queue":    map[string]any{"enabled": false},
		"tasks":    []any{map[string]any{"task_key": "load", "notebook_task": map[string]any{"notebook_path": "/Shared/load"}}},
	}
}

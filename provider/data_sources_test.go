package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// byHand makes a job as a person or another tool would: without a tag of Watertight's.
func byHand(t *testing.T, w *local.Workspace, change ...func(map[string]any)) string {
	t.Helper()
	task := func(key string, after ...string) map[string]any {
		var on []any
		for _, a := range after {
			on = append(on, map[string]any{"task_key": a})
		}
		return map[string]any{"task_key": key, "depends_on": on, "notebook_task": map[string]any{"notebook_path": "/Shared/" + key}}
	}
	settings := map[string]any{"name": "copy_messages", "timeout_seconds": 1200, "max_concurrent_runs": 1, "tags": map[string]any{"team": "events"},
		"schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": "UNPAUSED"},
		"tasks":    []any{task("load", "check", "prepare"), task("prepare"), task("check")}}
	for _, c := range change {
		c(settings)
	}
	id, err := outside(t, w).CreateJob(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(id)
}

// loaderData is the data source of the job that byHand makes, with its contract and the lines of one test.
func loaderData(lines string) string {
	for name, text := range map[string]string{"source": "main.events.source", "target": "main.events.messages", "settle_delay": "30m"} {
		if !strings.Contains(lines, name+" ") {
			lines += fmt.Sprintf("\n  %s = %q", name, text)
		}
	}
	if !strings.Contains(lines, "id ") && !strings.Contains(lines, "name ") {
		lines += "\n  name = \"copy_messages\""
	}
	return "data \"watertight_loader_job\" \"messages\" {\n" + lines + "\n}\n"
}

func retentionData(lines string) string {
	return "data \"watertight_retention\" \"source\" {\n  table = \"main.events.source\"\n" + lines + "\n}\n"
}

const optimizeOfData = `
resource "watertight_optimize_job" "messages" {
  name      = "optimize_messages"
  table     = "main.events.messages"
  loader    = data.watertight_loader_job.messages
  retention = data.watertight_retention.source
  window    = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }
}
output "headroom" {
  value = watertight_optimize_job.messages.headroom
}
output "settings" {
  value = data.watertight_loader_job.messages.settings
}
`

func (s *shell) output(name string, into any) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(s.must("output", "-json", name)), into); err != nil {
		s.t.Fatal(err)
	}
}

// A job and a table that nobody declared with Watertight are linked like any others. The API returns tasks and
// dependencies in another order at each read: no plan shows it.
func TestDataSourcesAreLinks(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{Seed: 7})
	byHand(t, w)
	s := newShell(t, with(w, loaderData("")+retentionData("  rolling_window = \"1 day\"")+optimizeOfData))
	s.apply()
	var headroom string
	var settings map[string]any
	s.output("headroom", &headroom)
	s.output("settings", &settings)
	// 24 h − (30 min settle delay + 20 min: the next start queues behind a run of 20 min + 20 min run). API 2.2 turns the
	// queue on for a job that does not say.
	if headroom != "22h50m" {
		t.Errorf("headroom %s", headroom)
	}
	var order []string
	for _, task := range settings["tasks"].([]any) {
		order = append(order, task.(map[string]any)["task_key"].(string))
	}
	if diff := cmp.Diff([]string{"check", "load", "prepare"}, order); diff != "" {
		t.Error(diff)
	}
	for range 3 {
		if out, code := s.plan(); code != 0 {
			t.Fatalf("next plan: exit %d\n%s", code, out)
		}
	}
}

// A table that a job of somebody else loads is purged by what that job has loaded: the data source is what loaded_by takes.
func TestLoaderDataLoadsATableThatIsPurged(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "CREATE TABLE main.events.messages (p INT, seq BIGINT, at TIMESTAMP)")
	byHand(t, w)
	s := newShell(t, with(w, loaderData("  key = { partition = \"p\", sequence = \"seq\" }\n  event_time = \"at\"")+`
resource "watertight_retention" "source" {
  table          = "main.events.source"
  rolling_window = "24h"
  event_time     = "at"
  expire_by      = "purge_job"
  loaded_by      = data.watertight_loader_job.messages
  purge          = { quartz_cron_expression = "0 0 4 * * ?", timezone_id = "UTC" }
}
output "statement" {
  value = watertight_retention.source.purge_statement
}
`))
	s.apply()
	var statement string
	s.output("statement", &statement)
	if !strings.Contains(statement, "messages") || !strings.Contains(statement, "seq") {
		t.Error(statement)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// F01 hashicorp/terraform-plugin-framework#1103: a job and a window of the same apply are not known at plan. The data
// sources wait, and so does the comparison of what hangs on them.
func TestDataSourcesOfTheSameApply(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	id := byHand(t, w)
	config := func(window string) string {
		return with(w, fmt.Sprintf(`
resource "terraform_data" "made" {
  input = { job = %q, window = %q }
}
`, id, window)+loaderData("  id = terraform_data.made.output.job")+retentionData("  rolling_window = terraform_data.made.output.window")+optimizeOfData)
	}
	s := newShell(t, config("1h"))
	out, code := s.plan()
	if code != 2 || !strings.Contains(out, "+ headroom") || strings.Contains(out, "Error") {
		t.Fatalf("plan: exit %d\n%s", code, out)
	}
	w.ResetRequests()
	// 1 h − (30 min + 40 min) is no headroom: the apply stops before it writes.
	if out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve"); code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
	if n := writes(w); n != 0 {
		t.Errorf("a refused apply wrote %d times", n)
	}
	s.write(config("1 day"))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

// What a watertight_loader_job and a watertight_retention leave behind is all that another configuration needs.
func TestDataSourcesReadWhatResourcesWrote(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	strict := strings.Replace(loader("  strict = true\n  longest_silence = \"2h\"\n  settle_clock = \"newest_event\""), "main.events.stream_messages", "main.events.source", 1)
	newShell(t, with(w, strict+retention("  event_time = \"at\"\n  log_retention = \"60 days\"\n  deleted_file_retention = \"8 days\""))).apply()
	s := newShell(t, with(w, `
data "watertight_loader_job" "messages" {
  name         = "load_messages"
  settle_delay = "1800 s"
}
data "watertight_retention" "source" {
  table = "main.events.source"
}
output "found" {
  value = {
    loader    = { for k, v in data.watertight_loader_job.messages : k => v if !contains(["id", "url", "tags", "settings"], k) }
    retention = { for k, v in data.watertight_retention.source : k => v if !contains(["table_id", "table_properties"], k) }
  }
}
`))
	s.apply()
	var found map[string]map[string]any
	s.output("found", &found)
	want := map[string]map[string]any{
		"loader": {"name": "load_messages", "source": "main.events.source", "target": "main.events.messages", "event_time": "context_updatedAt", "settle_delay": "1800 s",
			"key":          map[string]any{"partition": "technical_partition", "sequence": "technical_sequenceNumber", "columns": nil},
			"settle_clock": "newest_event", "strict": true, "evidence": nil, "reads": "snapshot", "max_duration": "20m", "longest_gap": nil, "longest_silence": "2h",
			"broker_retention": nil, "pause_status": "UNPAUSED", "schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC"},
			"starts": map[string]any{"kind": "schedule", "quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "period_seconds": nil, "on_overlap": "skip", "max_concurrent_runs": 1.0}},
		"retention": {"table": "main.events.source", "rolling_window": "24h", "event_time": "at", "expire_by": "external", "deleted_file_retention": "192h", "log_retention": "1440h", "recoverable_for": "192h"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// Auto-TTL is a rolling window too, and one that nobody has to declare.
func TestRetentionDataOfAutoTTL(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source DELETE ROWS 3 DAYS AFTER at")
	s := newShell(t, with(w, retentionData("")+`
output "found" {
  value = [for k in ["rolling_window", "event_time", "expire_by"] : data.watertight_retention.source[k]]
}
`))
	s.apply()
	var found []string
	s.output("found", &found)
	if diff := cmp.Diff([]string{"72h", "at", "auto_ttl"}, found); diff != "" {
		t.Error(diff)
	}
	if n := len(altered(w)); n != 0 {
		t.Errorf("%d statements woke the warehouse", n)
	}
}

func TestDataSourcesRefuse(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "CREATE VIEW main.events.seen AS SELECT * FROM main.events.source")
	id := byHand(t, w)
	byHand(t, w, func(s map[string]any) { s["name"] = "twice" })
	byHand(t, w, func(s map[string]any) { s["name"] = "twice" })
	byHand(t, w, func(s map[string]any) { s["name"] = "endless"; delete(s, "timeout_seconds") })
	byHand(t, w, func(s map[string]any) {
		s["name"] = "broken"
		s["tags"] = map[string]any{"watertight_source": "events"}
	})
	byHand(t, w, func(s map[string]any) {
		s["name"], s["tags"] = "optimize", map[string]any{"watertight_table": "main.events.source"}
	})
	sql(t, w, "CREATE TABLE main.events.day (p INT) TBLPROPERTIES ('watertight.rolling_window' = '1 day')")
	newShell(t, with(w, strings.Replace(loader(""), "main.events.stream_messages", "main.events.source", 1))).apply()
	named := func(name, lines string) string { return loaderData(fmt.Sprintf("  name = %q\n%s", name, lines)) }
	tests := []struct {
		name, config string
		wanted       []string
	}{
		{"neither id nor name", "data \"watertight_loader_job\" \"messages\" {\n  source = \"main.events.source\"\n}\n", []string{"Set either id or name"}},
		{"id and name", named("copy_messages", "  id = 12"), []string{"Set either id or name"}},
		{"no such name", named("copy_Messages", ""), []string{"There is no such job", `name = "copy_Messages"`}},
		{"a name is no id", named(id, ""), []string{"There is no such job", `name = "` + id + `"`}},
		{"an id is no name", loaderData("  id = \"copy_messages\""), []string{"There is no such job", `id = "copy_messages"`}},
		{"two of a name", named("twice", ""), []string{"Several jobs have this name", "2 jobs have this name"}},
		{"nothing promised", "data \"watertight_loader_job\" \"messages\" {\n  name = \"copy_messages\"\n}\n", []string{`source = "main.events.stream_messages"`, `target = "main.events.messages"`, `settle_delay = "30m"`}},
		{"a wrong promise", loaderData("  target = \"main.events.source\""), []string{"Wrong target", "is the source itself"}},
		{"no bound", named("endless", ""), []string{"A run has no bound", `max_duration = "20m"`, "endless"}},
		{"another bound", loaderData("  max_duration = \"1h\""), []string{`max_duration = "1h"`, `says "20m"`, "copy_messages"}},
		{"another promise", named("load_messages", "  settle_delay = \"1h\""), []string{`settle_delay = "1h"`, `says "30m"`}},
		{"another key", named("load_messages", "  key = { columns = [\"a\"] }"), []string{`key = "columns:a"`, `says "technical_partition,technical_sequenceNumber"`}},
		{"a broken tag", named("broken", ""), []string{"contract in the job's tags cannot be read", "watertight_source", "broken"}},
		{"an optimize job", named("optimize", ""), []string{"The job is no loader", "the optimize job of a table"}},
		{"no table", "data \"watertight_retention\" \"source\" {\n  table = \"main.events.sauce\"\n}\n", []string{"There is no such table", "main.events.sauce"}},
		{"a view", "data \"watertight_retention\" \"source\" {\n  table = \"main.events.seen\"\n  rolling_window = \"1d\"\n}\n", []string{"A view has no retention"}},
		{"no window", retentionData(""), []string{"How long rows stay is not known", `rolling_window = "24h"`}},
		{"another window", "data \"watertight_retention\" \"source\" {\n  table = \"main.events.day\"\n  rolling_window = \"2d\"\n}\n", []string{`rolling_window = "2d"`, `says "24h"`}},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, code := newShell(t, with(w, c.config)).plan()
			for _, part := range c.wanted {
				if !strings.Contains(prose(out), part) {
					t.Errorf("the message does not hold %q", part)
				}
			}
			if code != 1 || t.Failed() {
				t.Errorf("plan: exit %d\n%s", code, out)
			}
		})
	}
}

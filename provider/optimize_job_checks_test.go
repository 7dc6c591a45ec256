package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// handwritten is an optimize job whose links are written out: of the loader with an id, and with the given values in place
// of those under which every check holds.
func handwritten(id int64, values map[string]string) string {
	get := func(name, otherwise string) string {
		if v, ok := values[name]; ok {
			return v
		}
		return otherwise
	}
	return fmt.Sprintf(`
resource "watertight_optimize_job" "messages" {
  name   = "optimize_messages"
  table  = %s
  loader = {
    id           = "%d"
    name         = "load_messages"
    source       = "main.events.stream_messages"
    target       = "main.events.messages"
    settle_delay = "30m"
    schedule     = { quartz_cron_expression = %s, timezone_id = "UTC" }
    max_duration = "20m"
    pause_status = %s
  }
  retention = { table = %s, rolling_window = %s, deleted_file_retention = %s }
  window    = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }
  loader_during_window = "running"
  on_violation         = %s
%s
}
`, get("table", `"main.events.messages"`), id, get("schedule", `"0 0/15 * * * ?"`), get("pause_status", `"UNPAUSED"`), get("retention_table", `"main.events.stream_messages"`),
		get("rolling_window", `"24h"`), get("deleted_file_retention", `"7d"`), get("on_violation", `"error"`), get("lines", "  vacuum = {}"))
}

// foreignLoader is a job that Terraform did not make.
func foreignLoader(t *testing.T, w *local.Workspace, pauseStatus string) int64 {
	t.Helper()
	id, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "load_messages", "timeout_seconds": 1200,
		"schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": pauseStatus},
		"tasks":    []any{map[string]any{"task_key": "load", "notebook_task": map[string]any{"notebook_path": "/Shared/load"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// F01 hashicorp/terraform-plugin-framework#1103, #636: each check, violated when all is known (refused by the plan), and
// violated by a value that only the apply knows (refused before its first write); the same as warnings; and mended.
func TestEachCheckAtPlanAndAtApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, bad, good, summary, at string }{
		{"rolling_window", "45m", "24h", "Rows would expire before they are loaded", "loader"},
		{"pause_status", "PAUSED", "UNPAUSED", "The loader is paused", "loader"},
		{"retention_table", "main.events.other", "main.events.stream_messages", "The retention is of another table", "retention"},
		{"table", "main.events.elsewhere", "main.events.messages", "The table is not the loader's target", "table"},
		{"deleted_file_retention", "24h", "7d", "The retention is short for a table that is vacuumed", "retention"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			makeTarget(t, w, "")
			if err := outside(t, w).Exec(t.Context(), "CREATE TABLE main.events.elsewhere (a INT)"); err != nil {
				t.Fatal(err)
			}
			id := foreignLoader(t, w, "UNPAUSED")
			config := func(value, onViolation string) string {
				return with(w, handwritten(id, map[string]string{c.name: fmt.Sprintf("%q", value), "on_violation": fmt.Sprintf("%q", onViolation)}))
			}
			unknown := func(value, onViolation string) string {
				return with(w, fmt.Sprintf("resource \"terraform_data\" \"value\" {\n  input = %q\n}\n", value)+
					handwritten(id, map[string]string{c.name: "terraform_data.value.output", "on_violation": fmt.Sprintf("%q", onViolation)}))
			}
			at := regexp.MustCompile(`with ` + regexp.QuoteMeta(optimizeAddress) + `, on main.tf line \d+, in resource "watertight_optimize_job" "messages": \d+: ` + c.at)
			refused := func(out string, code int) {
				t.Helper()
				if text := prose(out); code != 1 || !strings.Contains(text, "Error: "+c.summary) || !at.MatchString(text) || writes(w) != 0 {
					t.Errorf("exit %d, %d writes, want 1 and none, with %q at %s\n%s", code, writes(w), c.summary, c.at, out)
				}
			}
			s := newShell(t, config(c.bad, "error"))
			w.ResetRequests()
			refused(s.plan())

			s.write(config(c.bad, "warn"))
			if out, code := s.plan(); code != 2 || !strings.Contains(out, "Warning: "+c.summary) {
				t.Errorf("plan with a warning: exit %d\n%s", code, out)
			}
			s.write(unknown(c.bad, "error"))
			if out, code := s.plan(); code != 2 || strings.Contains(out, c.summary) {
				t.Errorf("plan with an unknown value: exit %d\n%s", code, out)
			}
			refused(s.run("apply", "-no-color", "-input=false", "-auto-approve"))
			refused(s.plan()) // the value is known now

			s.write(unknown(c.bad, "warn"))
			if out := s.apply(); !strings.Contains(out, "Warning: "+c.summary) {
				t.Errorf("apply with a warning:\n%s", out)
			}
			s.write(unknown(c.good, "error"))
			s.apply()
			if out, code := s.plan(); code != 0 {
				t.Errorf("mended: exit %d\n%s", code, out)
			}
		})
	}
}

// T07 delta-io/delta#1470, #1945: what is planned for the retention and for the window is held against each other, not what
// is stored; a refused plan writes nothing.
func TestPlannedRetentionAgainstPlannedWindow(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	source := makeSource(t, w)
	config := func(deleted, cron, more string) string {
		return with(w, strings.Replace(source, `"168h"`, fmt.Sprintf("%q", deleted), 1)+loader("")+optimize("watertight_retention.stream_messages",
			fmt.Sprintf("  window = { quartz_cron_expression = %q, timezone_id = \"Europe/Berlin\", duration = \"2h\" }\n  vacuum = {}\n%s", cron, more)))
	}
	const daily, weekly, monthly = "0 0 2 * * ?", "0 0 2 ? * SUN", "0 0 2 1 * ?"
	s := newShell(t, config("24h", weekly, ""))
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "allow_short_retention") {
		t.Errorf("new: exit %d\n%s", code, out)
	}
	s.write(config("7d", weekly, ""))
	s.apply()
	for _, c := range []struct {
		deleted, cron, more string
		code                int
		wanted              string
	}{
		{"7d", daily, "", 2, ""},
		{"7d", monthly, "", 1, "Up to 31 d lie between two windows"},
		{"29d", monthly, "", 1, "allow_short_retention"},
		{"30d", monthly, "  allow_short_retention = true", 2, ""},
		{"24h", weekly, "", 1, "deleted_file_retention 1 d"},
		{"24h", weekly, "  allow_short_retention = true", 2, ""},
		{"0s", daily, "", 1, "Wrong deleted_file_retention"},
		{"0s", daily, "  allow_short_retention = true", 1, "Wrong deleted_file_retention"},
		{"7d", weekly, "", 0, ""},
	} {
		s.write(config(c.deleted, c.cron, c.more))
		w.ResetRequests()
		if out, code := s.plan(); code != c.code || !strings.Contains(prose(out), c.wanted) || writes(w) != 0 {
			t.Errorf("%s %s %s: exit %d, want %d with %q, %d writes\n%s", c.deleted, c.cron, c.more, code, c.code, c.wanted, writes(w), out)
		}
	}
}

// F01: a whole link that is not known yet is neither an error nor a pass.
func TestUnknownLinks(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	config := func(window string) string {
		return with(w, fmt.Sprintf(`
resource "terraform_data" "loader" {
  input = {
    id = "%d", name = "load_messages", source = "main.events.stream_messages", target = "main.events.messages", settle_delay = "30m", max_duration = "20m"
    schedule = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  }
}

resource "terraform_data" "retention" {
  input = { table = "main.events.stream_messages", rolling_window = %q }
}

resource "watertight_optimize_job" "messages" {
  name      = "optimize_messages"
  table     = "main.events.messages"
  loader    = terraform_data.loader.output
  retention = terraform_data.retention.output
  window    = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "2h" }
  vacuum    = {}
}
`, id, window))
	}
	s := newShell(t, config("45m"))
	w.ResetRequests()
	if out, code := s.plan(); code != 2 || strings.Contains(out, "Rows would expire") {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if out, code := s.tryApply(); code != 1 || !strings.Contains(out, "Error: Rows would expire before they are loaded") || writes(w) != 0 {
		t.Errorf("apply: exit %d, %d writes\n%s", code, writes(w), out)
	}
	s.write(config("24h"))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("mended: exit %d\n%s", code, out)
	}
}

// A plan is judged as a whole: what it makes of both ends at once, and not what one of them would be with the other as it
// is stored.
func TestPlannedValuesAreJudgedTogether(t *testing.T) {
	t.Parallel()
	const hourly, daily = `"0 0 * * * ?"`, `"0 0 4 * * ?"`
	config := func(w *local.Workspace, source, window, schedule string) string {
		l := strings.NewReplacer(`"0 0/15 * * * ?"`, schedule, "main.events.stream_messages", source).Replace(loader(""))
		return with(w, l+optimize(fmt.Sprintf(`{ table = %q, rolling_window = %q }`, source, window), ""))
	}
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	const source = "main.events.stream_messages"
	s := newShell(t, config(w, source, "48h", daily))
	s.apply()

	// 24 h alone would not outlast a day between two runs. With an hourly schedule it does.
	s.write(config(w, source, "24h", daily))
	if out, code := s.plan(); code != 1 {
		t.Errorf("a shorter window alone: exit %d\n%s", code, out)
	}
	s.write(config(w, source, "24h", hourly))
	s.apply()

	// Each of the two alone holds, and both together lose rows.
	for _, c := range []struct {
		window, schedule string
		code             int
	}{{"24h", hourly, 0}, {"48h", daily, 2}, {"48h", hourly, 2}} {
		s.write(config(w, source, c.window, c.schedule))
		if out, code := s.plan(); code != c.code {
			t.Errorf("%s, %s: exit %d\n%s", c.window, c.schedule, code, out)
		}
	}
	w.ResetRequests()
	s.write(config(w, source, "24h", daily))
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "Rows would expire") || writes(w) != 0 {
		t.Errorf("both together: exit %d, %d writes\n%s", code, writes(w), out)
	}
	// Either end renamed alone is of another table; both at once are of the same.
	s.write(config(w, "main.events.renamed", "24h", hourly))
	if out, code := s.plan(); code != 2 {
		t.Errorf("both renamed: exit %d\n%s", code, out)
	}
}

// What Delta would refuse when the job runs is refused by the plan, from Unity Catalog's description of the table: no
// warehouse is asked, and nothing is written.
func TestWhatDeltaWouldRefuseIsRefusedAtPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ layout, lines, at, wanted string }{
		"zorder on a clustered table":                    {"CLUSTER BY (day)", `zorder_by = ["technical_partition"]`, "zorder_by", "DELTA_CLUSTERING_WITH_ZORDER_BY"},
		"zorder on an automatically clustered table":     {"CLUSTER BY AUTO", `zorder_by = ["technical_partition"]`, "zorder_by", "DELTA_CLUSTERING_WITH_ZORDER_BY"},
		"zorder on a partition column":                   {"PARTITIONED BY (day)", `zorder_by = ["DAY"]`, "zorder_by", "DELTA_ZORDERING_ON_PARTITION_COLUMN"},
		"zorder on a column that is not there":           {"", `zorder_by = ["technical_partitoin"]`, "zorder_by", "technical_sequenceNumber"},
		"where on a data column":                         {"PARTITIONED BY (day)", `where = "day = current_date() AND payload = 'x'"`, "where", "payload is none"},
		"where on a column that is not there":            {"PARTITIONED BY (day)", `where = "dya = current_date()"`, "where", "no column dya"},
		"where on a table without partitions":            {"", `where = "day = current_date()"`, "where", "the table has none"},
		"where on a clustered table":                     {"CLUSTER BY (day)", `where = "day = current_date()"`, "where", "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE"},
		"full on a table that is not clustered":          {"", `full = true`, "full", "DELTA_OPTIMIZE_FULL_NOT_SUPPORTED"},
		"T11 delta-io/delta-kernel-rs#522: short RETAIN": {"TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 7 days')", `vacuum = { retain_hours = 24 }`, "vacuum", "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"},
		"short RETAIN, Delta's default":                  {"", `vacuum = { retain_hours = 24 }`, "vacuum", "the table keeps deleted files for 7 d"},
		"T07 a short retention of the table itself":      {"TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 24 hours')", `vacuum = {}`, "vacuum", "allow_short_retention"},
		"lite, rarer than the log":                       {"TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '1 day', 'delta.logRetentionDuration' = '2 days')", "vacuum = { lite = true }\n  allow_short_retention = true", "vacuum", "DELTA_CANNOT_VACUUM_LITE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			makeTarget(t, w, c.layout)
			s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), map[string]string{"lines": "  " + c.lines})))
			w.ResetRequests()
			out, code := s.plan()
			text := prose(out)
			if code != 1 || !strings.Contains(text, c.wanted) || !regexp.MustCompile(`in resource "watertight_optimize_job" "messages": \d+: `+c.at).MatchString(text) {
				t.Errorf("plan: exit %d, want 1 with %q at %s\n%s", code, c.wanted, c.at, out)
			}
			if n, asked := writes(w), w.Count("", "sql/statements"); n != 0 || asked != 0 {
				t.Errorf("%d writes, %d statements", n, asked)
			}
		})
	}
}

// The other way round: what Delta takes is planned, applied, and runs.
func TestWhatDeltaTakesIsRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ layout, lines string }{
		"everything":       {"", "zorder_by = [\"technical_partition\", \"day\"]\n  vacuum = {}\n  analyze = true"},
		"where and zorder": {"PARTITIONED BY (day)", "where = \"day >= current_date() - INTERVAL 7 DAYS\"\n  zorder_by = [\"technical_partition\"]"},
		"full":             {"CLUSTER BY (day)", "full = true\n  vacuum = { lite = true }"},
		"retain":           {"", "vacuum = { retain_hours = 200, full = true }"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			makeTarget(t, w, c.layout)
			s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), map[string]string{"lines": "  " + c.lines})))
			s.apply()
			if out, code := s.plan(); code != 0 {
				t.Fatalf("second plan: exit %d\n%s", code, out)
			}
			c, id := outside(t, w), jobNamed(t, w, "optimize_messages").ID
			if _, err := c.RunNow(t.Context(), workspace.RunNow{JobID: id, Token: "once"}); err != nil {
				t.Fatal(err)
			}
			if err := w.Advance(t.Context(), time.Hour); err != nil {
				t.Fatal(err)
			}
			for r, err := range c.Runs(t.Context(), workspace.RunFilter{JobID: id}) {
				if err != nil || r.Outcome() != "succeeded" {
					t.Errorf("%s %s %v %v", r.Outcome(), r.Message, r.Tasks, err)
				}
			}
		})
	}
}

// A relation that cannot be optimized is refused at its name.
func TestRelationsThatCannotBeOptimized(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	if err := outside(t, w).Exec(t.Context(), "CREATE SCHEMA IF NOT EXISTS main.events"); err != nil {
		t.Fatal(err)
	}
	if err := outside(t, w).Exec(t.Context(), "CREATE VIEW main.events.messages AS SELECT 1 AS technical_partition"); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), map[string]string{"lines": ""})))
	w.ResetRequests()
	out, code := s.plan()
	if text := prose(out); code != 1 || !strings.Contains(text, "it is a VIEW and has no files of its own") || !strings.Contains(text, `: table = "main.events.messages"`) || writes(w) != 0 {
		t.Errorf("a view: exit %d\n%s", code, out)
	}
}

// A table that is not there when planning may be made by the same apply: it is looked for again before the first write.
func TestTableIsMissingAtPlan(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	id := foreignLoader(t, w, "UNPAUSED")
	s := newShell(t, with(w, handwritten(id, map[string]string{"lines": `  zorder_by = ["technical_partition"]`})))
	w.ResetRequests()
	if out, code := s.plan(); code != 2 || strings.Contains(out, "missing") {
		t.Errorf("plan without the table: exit %d\n%s", code, out)
	}
	s.must("plan", "-no-color", "-input=false", "-out", "saved")
	apply := []string{"apply", "-no-color", "-input=false", "saved"}
	if out, code := s.run(apply...); code != 1 || !strings.Contains(out, "Error: The table is missing") || writes(w) != 0 {
		t.Errorf("apply without the table: exit %d, %d writes\n%s", code, writes(w), out)
	}
	// It is there by now, and not as the plan would have it.
	makeTarget(t, w, "CLUSTER BY (day)")
	w.AddFault(local.Fault{Route: "/api/2.1/unity-catalog/tables/{full_name}", Status: 404, Body: `{"error_code":"TABLE_DOES_NOT_EXIST","message":"Table does not exist."}`, Times: 1})
	if out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve"); code != 1 || !strings.Contains(out, "Error: Delta would refuse zorder_by") || writes(w) != 0 {
		t.Errorf("apply on a clustered table: exit %d, %d writes\n%s", code, writes(w), out)
	}
	// One that may not be read is not passed over either.
	w.AddFault(local.Fault{Route: "/api/2.1/unity-catalog/tables/{full_name}", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no SELECT"}`})
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "Warning: The table could not be read") {
		t.Errorf("plan without permission: exit %d\n%s", code, out)
	}
	if out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve"); code != 1 || !strings.Contains(out, "Error: The table cannot be read") || writes(w) != 0 {
		t.Errorf("apply without permission: exit %d, %d writes\n%s", code, writes(w), out)
	}
	s.write(with(w, handwritten(id, map[string]string{"lines": ""})))
	if out := s.apply(); !strings.Contains(out, "Warning: The table cannot be read") {
		t.Errorf("nothing but OPTIMIZE is held against the table:\n%s", out)
	}
}

// T12 databricks/terraform-provider-databricks#2992: only the compute that is named is used, and none named is an error of
// the plan.
func TestOptimizeJobWithoutAWarehouse(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	none := regexp.MustCompile(`(?m)^\s+warehouse_id.*$`)
	s := newShell(t, none.ReplaceAllString(with(w, handwritten(id, nil)), ""))
	w.ResetRequests()
	out, code := s.plan()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, prose(out), "Error: No SQL warehouse", "DATABRICKS_WAREHOUSE_ID")
	s.write(none.ReplaceAllString(with(w, ""), "") + handwritten(id, map[string]string{"lines": fmt.Sprintf("  warehouse_id = %q", w.WarehouseID())}))
	s.apply()
	if out, code := s.plan(); code != 0 || w.Count("", "/api/2.0/sql/*") != 0 || w.Count("", "/api/2.1/clusters/*") != 0 {
		t.Errorf("exit %d, asked %s\n%s", code, asked(w, 9), out)
	}
}

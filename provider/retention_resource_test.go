package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const retentionAddress = "watertight_retention.source"

func retention(lines string) string {
	if !strings.Contains(lines, "rolling_window") {
		lines += "\n  rolling_window = \"24h\""
	}
	if !strings.Contains(lines, "table ") {
		lines += "\n  table = \"main.events.source\""
	}
	return "resource \"watertight_retention\" \"source\" {\n" + lines + "\n}\n"
}

// openTable is a workspace with the table main.events.source and nothing else.
func openTable(t *testing.T, b local.Behaviour) *local.Workspace {
	t.Helper()
	w := open(t, local.Options{Empty: true, Behaviour: b})
	sql(t, w, "CREATE SCHEMA IF NOT EXISTS main.events")
	sql(t, w, "CREATE TABLE main.events.source (p INT, seq BIGINT, at TIMESTAMP)")
	return w
}

func sql(t *testing.T, w *local.Workspace, statement string) {
	t.Helper()
	r, err := w.Exec(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func properties(t *testing.T, w *local.Workspace) map[string]string {
	t.Helper()
	table, err := outside(t, w).Table(t.Context(), "main.events.source")
	if err != nil {
		t.Fatal(err)
	}
	return table.Properties
}

// altered are the statements that were sent since the last reset.
func altered(w *local.Workspace) []string {
	var out []string
	for _, q := range w.Requests() {
		if q.Method == http.MethodPost && strings.HasSuffix(strings.TrimSuffix(q.Path, "/"), "/sql/statements") {
			out = append(out, q.Body)
		}
	}
	return out
}

func TestRetentionLifecycle(t *testing.T) {
	t.Parallel()
	binary(t)
	w := openTable(t, local.Behaviour{})
	full := with(w, retention(`
  event_time             = "at"
  deleted_file_retention = "7d"
  log_retention          = "30d"`))
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				PreConfig:        w.ResetRequests,
				Config:           full,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectKnownValue(retentionAddress, tfjsonpath.New("recoverable_for"), knownvalue.StringExact("168h"))}},
				Check: func(*terraform.State) error {
					sent := altered(w)
					if len(sent) != 1 || !strings.Contains(sent[0], "delta.deletedFileRetentionDuration") || !strings.Contains(sent[0], "delta.logRetentionDuration") {
						return fmt.Errorf("want both durations in the one statement, got %q", sent)
					}
					p := properties(t, w)
					if p["watertight.rolling_window"] != "24h" || p["watertight.event_time"] != "at" || p["watertight.expire_by"] != "external" {
						return fmt.Errorf("the table has %v", p)
					}
					return nil
				},
			},
			{ResourceName: retentionAddress, ImportState: true, ImportStateVerify: true, ImportStateId: "main.events.source",
				// The spelling is the user's; an import has the table's.
				ImportStateVerifyIgnore: []string{"deleted_file_retention", "log_retention"}},
			{
				// Only what is not declared any more is unset.
				PreConfig:        w.ResetRequests,
				Config:           with(w, retention(`  event_time = "at"`)),
				ConfigPlanChecks: action(retentionAddress, plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					p := properties(t, w)
					if p["delta.deletedFileRetentionDuration"]+p["delta.logRetentionDuration"] != "" || p["watertight.event_time"] != "at" {
						return fmt.Errorf("the table has %v after %q", p, altered(w))
					}
					return nil
				},
			},
			{
				PreConfig: func() {
					sql(t, w, "DROP TABLE main.events.source")
					sql(t, w, "CREATE TABLE main.events.source (p INT, seq BIGINT, at TIMESTAMP)")
				},
				Config: with(w, retention(`  event_time = "at"`)), ConfigPlanChecks: action(retentionAddress, plancheck.ResourceActionUpdate),
			},
		},
		CheckDestroy: func(*terraform.State) error {
			for key := range properties(t, w) {
				if strings.HasPrefix(key, "watertight.") {
					return fmt.Errorf("%s is still set", key)
				}
			}
			return nil
		},
	})
	// T05 databricks/terraform-provider-databricks#3822: nothing that loses data was ever sent.
	for _, s := range altered(w) {
		if regexp.MustCompile(`(?i)\b(DROP TABLE|CREATE|REPLACE|DELETE FROM|TRUNCATE)\b`).MatchString(s) {
			t.Errorf("sent %s", s)
		}
	}
}

// T01 databricks/terraform-provider-databricks#3455: the platform adds properties of its own after each ALTER and each read;
// they are no difference, and they are never unset.
func TestRetentionLeavesForeignPropertiesAlone(t *testing.T) {
	t.Parallel()
	binary(t)
	w := openTable(t, local.Behaviour{PlatformProperties: true})
	sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('team' = 'data')")
	config := with(w, retention(`
  deleted_file_retention = "8 days"
  log_retention          = "30 days"`))
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, ConfigPlanChecks: empty, ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(retentionAddress, tfjsonpath.New("table_properties").AtMapKey("team"), knownvalue.StringExact("data"))}},
			{
				PreConfig: func() {
					sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 9 days', 'delta.logRetentionDuration' = 'interval 30 days')")
					w.ResetRequests()
				},
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{onlyDifference("deleted_file_retention", "table_properties", "recoverable_for")}},
				Check: func(*terraform.State) error {
					if sent := altered(w); len(sent) != 1 {
						return fmt.Errorf("sent %q, want one statement", sent)
					}
					return nil
				},
			},
			{Config: config, ConfigPlanChecks: empty},
		},
	})
	for _, s := range altered(w) {
		if strings.Contains(s, "UNSET") && regexp.MustCompile(`delta\.feature|delta\.min|team|lastCommit`).MatchString(s) {
			t.Errorf("a foreign key is unset: %s", s)
		}
	}
	if p := properties(t, w); p["team"] != "data" {
		t.Errorf("after destroy the table has %v", p)
	}
}

// T10 delta-io/delta-kernel-rs#507: intervals have many spellings and are compared as durations.
func TestRetentionSpellings(t *testing.T) {
	t.Parallel()
	binary(t)
	w := openTable(t, local.Behaviour{})
	durations := func(deleted, log string) string {
		return with(w, retention(fmt.Sprintf("  deleted_file_retention = %q\n  log_retention = %q", deleted, log)))
	}
	set := func(text string) func() {
		return func() {
			sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '"+text+"', 'delta.logRetentionDuration' = 'interval 30 days')")
			w.ResetRequests()
		}
	}
	unwritten := func(*terraform.State) error {
		if sent := altered(w); len(sent) != 0 {
			return fmt.Errorf("sent %q for a duration that is the same", sent)
		}
		return nil
	}
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: durations("7 days", "30 days")},
			{PreConfig: set("interval 168 hours"), Config: durations("7 days", "30 days"), ConfigPlanChecks: empty, Check: unwritten},
			{PreConfig: set("INTERVAL 1 week"), Config: durations("7 days", "30 days"), ConfigPlanChecks: empty, Check: unwritten},
			{PreConfig: w.ResetRequests, Config: durations("1 week", "30d"), Check: unwritten},
			{PreConfig: w.ResetRequests, Config: durations("1 month", "30d"), ExpectError: regexp.MustCompile(`(?s)deleted_file_retention.*month`)},
			{Config: durations("1 week", "2 years"), ExpectError: regexp.MustCompile(`(?s)log_retention.*year`)},
			{Config: durations("1 week", "30d")}, // destroy needs a configuration that validates
		},
	})
}

func TestRetentionAutoTTL(t *testing.T) {
	t.Parallel()
	binary(t)
	w := openTable(t, local.Behaviour{})
	ttl := func(window string) string {
		return with(w, retention(fmt.Sprintf("  event_time = \"at\"\n  expire_by = \"auto_ttl\"\n  rolling_window = %q", window)))
	}
	days := func(want string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			if p := properties(t, w); p["autottl.expireInDays"] != want {
				return fmt.Errorf("the table has %v, want %s days", p, want)
			}
			return nil
		}
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: ttl("36h"), ExpectError: regexp.MustCompile(`(?s)rolling_window.*whole number\s+of\s+days`)},
			{Config: ttl("48h"), Check: days("2")},
			{Config: ttl("3 days"), ConfigPlanChecks: action(retentionAddress, plancheck.ResourceActionUpdate), Check: days("3")},
			{PreConfig: func() { sql(t, w, "ALTER TABLE main.events.source DROP ROW DELETION") }, Config: ttl("3 days"), ConfigPlanChecks: action(retentionAddress, plancheck.ResourceActionUpdate), Check: days("3")},
			{Config: with(w, retention("  event_time = \"at\"\n  rolling_window = \"3 days\"")), Check: days("")},
			{Config: ttl("4 days"), Check: days("4")},
		},
		CheckDestroy: func(s *terraform.State) error { return days("")(s) },
	})
}

// What a table cannot take is refused by name, with the way out, and nothing is altered.
func TestRetentionRefusals(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "CREATE VIEW main.events.seen AS SELECT * FROM main.events.source")
	cases := []struct{ name, lines, at, wanted string }{
		{"a view", `  table = "main.events.seen"`, "table", "A view has no retention"},
		{"a name of two parts", `  table = "events.source"`, "table", "catalog.schema.table"},
		{"no length at all", `  rolling_window = "0s"`, "rolling_window", "too short"},
		{"a negative length", `  rolling_window = "-24h"`, "rolling_window", "-24h"},
		{"files kept longer than the log", "  deleted_file_retention = \"40d\"\n  log_retention = \"30d\"", "deleted_file_retention", "The log would forget files"},
		{"files kept longer than the default log", `  deleted_file_retention = "40d"`, "deleted_file_retention", "log_retention is not declared"},
		{"Auto-TTL without a column", "  expire_by = \"auto_ttl\"", "event_time|resource", "event_time is missing"},
		{"the purge job alone", `  expire_by = "purge_job"`, "resource", "loaded_by is missing"},
		{"another word", `  expire_by = "auto-ttl"`, "expire_by", `is written "auto_ttl"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, with(w, retention(c.lines)))
			out, code := s.plan()
			if text := prose(out); code != 1 || !strings.Contains(text, c.wanted) || !regexp.MustCompile(`on main.tf line \d+, in resource "watertight_retention" "source": \d+: (`+c.at+`)`).MatchString(text) {
				t.Errorf("plan: exit %d, want 1 with %q at %s\n%s", code, c.wanted, c.at, out)
			}
		})
	}
	t.Cleanup(func() {
		if sent := altered(w); len(sent) != 0 {
			t.Errorf("refused plans sent %q", sent)
		}
	})
}

// A table may be made by the same apply, so a missing one is refused no sooner than when it would be altered.
func TestRetentionOfMissingTable(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention(`  table = "main.events.nothing"`)))
	if out, code := s.plan(); code != 2 {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve")
	if text := prose(out); code != 1 || !strings.Contains(text, "There is no table main.events.nothing") || !strings.Contains(text, "depends_on") {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
	if sent := altered(w); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

// What the first statement set is in the state when the second fails, and the next apply finishes it.
func TestRetentionFailureHalfway(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("  event_time = \"at\"\n  expire_by = \"auto_ttl\"")))
	w.AddFault(local.Fault{Route: "/api/2.0/sql/statements*", Method: "POST", Call: 2, Times: 1, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no row deletion for you"}`})
	out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve")
	if code != 1 || !strings.Contains(prose(out), "no row deletion for you") {
		t.Fatalf("apply: exit %d\n%s", code, out)
	}
	if out := s.must("state", "list"); !strings.Contains(out, retentionAddress) {
		t.Errorf("the state does not hold what was set:\n%s", out)
	}
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if p := properties(t, w); p["autottl.expireInDays"] != "1" {
		t.Errorf("the table has %v", p)
	}
}

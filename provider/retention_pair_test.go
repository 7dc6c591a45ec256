package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// T07 delta-io/delta#1470: the pair is judged at plan, by the values that will hold: what is declared, else what the table
// has, else Delta's defaults of 7 and 30 days; what is no more declared falls back to them. Delta itself judges a statement
// by its own keys only (delta-io/delta#5025) and an UNSET not at all, so whatever the plan lets through goes in one
// statement that Delta accepts.
func TestRetentionPair(t *testing.T) {
	t.Parallel()
	const deleted, log = "delta.deletedFileRetentionDuration", "delta.logRetentionDuration"
	for _, c := range []struct {
		name              string
		live              map[string]string
		before, after     string // lines of the configuration
		refused           string
		wantDeleted, want string // what the table has in the end
	}{
		{"both", nil, "", "deleted_file_retention = \"7d\"\nlog_retention = \"30d\"", "", "interval 168 hours", "interval 720 hours"},
		{"equal", nil, "", "deleted_file_retention = \"9d\"\nlog_retention = \"9d\"", "", "interval 216 hours", "interval 216 hours"},
		{"longer files", nil, "", "deleted_file_retention = \"31d\"\nlog_retention = \"30d\"", "deleted_file_retention 31 d is longer than log_retention 30 d", "", ""},
		{"longer files than the default log", nil, "", "deleted_file_retention = \"31d\"", "log_retention is not declared", "", ""},
		{"a shorter log than the default files", nil, "", "log_retention = \"6d\"", "deleted_file_retention is not declared", "", ""},
		{"a log of its own", map[string]string{log: "interval 60 days"}, "", "deleted_file_retention = \"45d\"", "", "interval 1080 hours", "interval 60 days"},
		{"a log of its own that is too short", map[string]string{log: "interval 60 days"}, "", "deleted_file_retention = \"61d\"", "log_retention is not declared", "", ""},
		{"files of its own", map[string]string{deleted: "interval 20 days", log: "interval 30 days"}, "", "log_retention = \"10d\"", "deleted_file_retention is not declared", "", ""},
		{"files of its own that fit", map[string]string{deleted: "interval 2 days", log: "interval 30 days"}, "", "log_retention = \"3d\"", "", "interval 2 days", "interval 72 hours"},
		{"both raised", nil, "deleted_file_retention = \"7d\"\nlog_retention = \"30d\"", "deleted_file_retention = \"60d\"\nlog_retention = \"90d\"", "", "interval 1440 hours", "interval 2160 hours"},
		{"both lowered", nil, "deleted_file_retention = \"60d\"\nlog_retention = \"90d\"", "deleted_file_retention = \"1d\"\nlog_retention = \"2d\"", "", "interval 24 hours", "interval 48 hours"},
		{"a log that is dropped", nil, "deleted_file_retention = \"45d\"\nlog_retention = \"60d\"", "deleted_file_retention = \"45d\"", "log_retention is not declared", "", ""},
		{"both dropped", nil, "deleted_file_retention = \"45d\"\nlog_retention = \"60d\"", "", "", "", ""},
		{"the log dropped, the files lowered", nil, "deleted_file_retention = \"45d\"\nlog_retention = \"60d\"", "deleted_file_retention = \"20d\"", "", "interval 480 hours", ""},
		{"the files dropped, the log lowered", nil, "deleted_file_retention = \"45d\"\nlog_retention = \"60d\"", "log_retention = \"10d\"", "", "", "interval 240 hours"},
		{"the log dropped, the files raised", nil, "deleted_file_retention = \"2d\"\nlog_retention = \"3d\"", "deleted_file_retention = \"20d\"", "", "interval 480 hours", ""},
		{"the files dropped", nil, "deleted_file_retention = \"2d\"\nlog_retention = \"3d\"", "log_retention = \"3d\"", "deleted_file_retention is not declared", "", ""},
		{"the longest there is", nil, "", "deleted_file_retention = \"106751 days\"\nlog_retention = \"106751 days\"", "", "interval 2562024 hours", "interval 2562024 hours"},
		{"longer than there is", nil, "", "deleted_file_retention = \"106752 days\"\nlog_retention = \"106752 days\"", "106752 days", "", ""},
		{"nothing at all", nil, "", "deleted_file_retention = \"0s\"", "keeps nothing", "", ""},
		{"a bare nothing", nil, "", "deleted_file_retention = \"0\"\nlog_retention = \"30d\"", "deleted_file_retention", "", ""},
		{"no log at all", nil, "", "log_retention = \"0 hours\"", "keeps nothing", "", ""},
		{"a month", nil, "", "log_retention = \"1 month\"", "month", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := openTable(t, local.Behaviour{})
			if len(c.live) > 0 {
				var pairs []string
				for k, v := range c.live {
					pairs = append(pairs, fmt.Sprintf("'%s' = '%s'", k, v))
				}
				sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ("+strings.Join(pairs, ", ")+")")
			}
			s := newShell(t, with(w, retention(c.before)))
			if c.before != "" {
				s.apply()
				s.write(with(w, retention(c.after)))
			} else {
				s.write(with(w, retention(c.after)))
			}
			w.ResetRequests()
			if c.refused != "" {
				out, code := s.plan()
				if code != 1 || !strings.Contains(prose(out), c.refused) || writes(w) != 0 {
					t.Errorf("exit %d, %d writes, want %q\n%s", code, writes(w), c.refused, out)
				}
				return
			}
			s.apply()
			sets := 0
			for _, q := range statements(w) {
				if strings.HasPrefix(q, "SET (") {
					sets++
				}
			}
			p := properties(t, w)
			if d := cmp.Diff([]string{c.wantDeleted, c.want}, []string{p[deleted], p[log]}); d != "" || sets > 1 {
				t.Errorf("after %q: %s", statements(w), d)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("second plan: exit %d\n%s", code, out)
			}
		})
	}
}

// T02 dbt-labs/dbt-core#16115: what is declared is set, every key of it, in one statement.
func TestRetentionSetsAllThatIsDeclared(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{PlatformProperties: true})
	s := newShell(t, with(w, retention("  event_time = \"at\"\n  expire_by = \"external\"\n  deleted_file_retention = \"8 days\"\n  log_retention = \"9 days\"")))
	w.ResetRequests()
	s.apply()
	want := []string{"SET ('delta.deletedFileRetentionDuration' = 'interval 192 hours', 'delta.logRetentionDuration' = 'interval 216 hours', 'event_time' = 'at', 'expire_by' = 'external', owner, 'rolling_window' = '24h')"}
	if d := cmp.Diff(want, statements(w)); d != "" {
		t.Error(d)
	}
}

// T12 databricks/terraform-provider-databricks#2992: only the warehouse that is named is used. None named is an error of
// the plan, and no cluster is started for it.
func TestRetentionWithoutWarehouse(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	config := with(w, retention(""))
	s := newShell(t, strings.Replace(config, "warehouse_id ", "# ", 1))
	out, code := s.plan()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes\n%s", code, writes(w), out)
	}
	wantAll(t, prose(out), "No SQL warehouse", "DATABRICKS_WAREHOUSE_ID")
	// Reading needs none.
	s.write(config)
	s.apply()
	s.write(strings.Replace(config, "warehouse_id ", "# ", 1))
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.write(config)
}

// S01 databricks/terraform-provider-databricks#5366: a warehouse that starts first takes one statement, however long it is
// waited for.
func TestRetentionColdWarehouse(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{ColdPolls: 3})
	s := newShell(t, with(w, retention("")))
	w.ResetRequests()
	s.apply()
	if n := len(altered(w)); n != 1 {
		t.Errorf("%d statements: %q", n, altered(w))
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// S01: a statement that was given up and had its effect all the same is in the state, and is not sent again.
func TestRetentionGivenUpAndDone(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{ColdPolls: 10_000})
	config := with(w, retention("  timeouts = { create = \"2s\", update = \"2s\" }"))
	s := newShell(t, config)
	w.ResetRequests()
	out, code := s.tryApply()
	if code != 0 || len(altered(w)) != 1 || w.Count("POST", "/api/2.0/sql/statements/{id}/cancel") != 1 {
		t.Errorf("exit %d, sent %q", code, altered(w))
	}
	wantAll(t, out, "A statement failed and has taken effect", "timeouts.create of 2 s ran out")
	w.SetBehaviour(local.Behaviour{})
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// S01, R07: the answer is lost, before or after the statement acted. What the table says decides.
func TestRetentionAnswerLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault local.Fault
		code  int
	}{
		"acted":     {local.Fault{ActThenStatus: true, Status: 504}, 0},
		"cut off":   {local.Fault{ActThenReset: true}, 0},
		"not acted": {local.Fault{Status: 504}, 1},
		"denied":    {local.Fault{Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"MODIFY is missing"}`}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openTable(t, local.Behaviour{})
			s := newShell(t, with(w, retention("")))
			c.fault.Route, c.fault.Method, c.fault.Call = "/api/2.0/sql/statements*", "POST", 1
			w.AddFault(c.fault)
			w.ResetRequests()
			if out, code := s.tryApply(); code != c.code || len(altered(w)) != 1 {
				t.Errorf("exit %d, want %d; sent %q\n%s", code, c.code, altered(w), out)
			}
			if has := s.must("state", "list") != ""; has != (c.code == 0) {
				t.Errorf("in the state: %v", has)
			}
			s.apply()
			if out, code := s.plan(); code != 0 {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// A failure between two statements leaves a state that says what the table has: the next plan goes on from there.
func TestRetentionFailureBetweenStatements(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to string
		route    string
		call     int
		want     map[string]any // of the state after the failure
		sends    []string       // by the next apply
	}{
		"promise kept, row deletion not set": {modes()["external"], modes()["auto_ttl"], "/api/2.0/sql/statements*", 2,
			map[string]any{"expire_by": nil, "rolling_window": "48h"}, []string{"DELETE ROWS 2 DAYS AFTER `at`"}},
		"row deletion dropped, promise not set": {modes()["auto_ttl"], modes()["external"] + "\n  log_retention = \"40 days\"", "/api/2.0/sql/statements*", 2,
			map[string]any{"expire_by": nil, "log_retention": nil}, []string{"SET ('delta.logRetentionDuration' = 'interval 960 hours', 'expire_by' = 'external')"}},
		"a property set, another not unset": {modes()["external"] + "\n  log_retention = \"40 days\"", "  rolling_window = \"72h\"\n  event_time = \"at\"", "/api/2.0/sql/statements*", 2,
			map[string]any{"rolling_window": "72h", "log_retention": "40 days"}, []string{"UNSET IF EXISTS ('delta.logRetentionDuration')"}},
		"promise set, purge job not made": {modes()["external"], modes()["purge"], "jobs/create", 1,
			map[string]any{"expire_by": "purge_job", "purge_job_id": nil, "purge": nil}, nil},
		"purge job deleted, promise not set": {modes()["purge"], modes()["external"], "/api/2.0/sql/statements*", 1,
			map[string]any{"expire_by": "purge_job", "purge_job_id": nil}, []string{"SET ('expire_by' = 'external')"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openPair(t, local.Behaviour{})
			s := newShell(t, with(w, retention(c.from)))
			s.apply()
			s.write(with(w, retention(c.to)))
			w.AddFault(local.Fault{Route: c.route, Method: "POST", Call: c.call, Times: 1, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"not for you"}`})
			if out, code := s.tryApply(); code != 1 || !strings.Contains(out, "not for you") {
				t.Fatalf("exit %d\n%s", code, out)
			}
			got := s.values(retentionAddress)
			for key, want := range c.want {
				if d := cmp.Diff(want, got[key]); d != "" {
					t.Errorf("the state's %s: %s", key, d)
				}
			}
			w.ClearFaults()
			w.ResetRequests()
			s.apply()
			if d := cmp.Diff(c.sends, statements(w)); d != "" {
				t.Errorf("the next apply: %s", d)
			}
			if out, code := s.plan(); code != 0 {
				t.Errorf("exit %d\n%s", code, out)
			}
			s.must("destroy", "-no-color", "-auto-approve")
			for j, err := range outside(t, w).Jobs(t.Context()) {
				t.Errorf("job %v is left: %v", j.Settings["name"], err)
			}
		})
	}
}

// J46 databricks/terraform-provider-databricks#1591: each operation ends in its time, and the message names the option.
func TestRetentionTimeouts(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("  timeouts = { create = \"500ms\", read = \"500ms\", delete = \"500ms\" }")))
	slow := local.Fault{Route: "/api/2.1/unity-catalog/tables/{full_name}", Delay: 2 * time.Second}
	w.AddFault(slow)
	out, code := s.run("apply", "-no-color", "-auto-approve", "-refresh=false")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "timeouts.create of 500 ms ran out", "Raise timeouts.create")
	w.ClearFaults()
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	w.AddFault(slow)
	out, code = s.plan()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "timeouts.read of 500 ms ran out")
	out, code = s.run("destroy", "-no-color", "-auto-approve", "-refresh=false")
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "timeouts.delete of 500 ms ran out")
	w.ClearFaults()
	s.must("destroy", "-no-color", "-auto-approve")
}

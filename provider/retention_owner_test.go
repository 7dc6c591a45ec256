package provider_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// Two resources of one table would change it back and forth forever: the second is refused before it writes, told how to
// take the first one over, and takes it over when it says so; then the first one is refused.
func TestRetentionHasOneOwner(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	first := newShell(t, with(w, retention("  deleted_file_retention = \"8 days\"\n  event_time = \"at\"")))
	first.apply()
	w.ResetRequests()
	second := newShell(t, with(w, retention(`  rolling_window = "48h"`)))
	out, code := second.plan()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, prose(out), "The retention of this table is kept already", `watertight.rolling_window = "24h"`, "by owner@workspace.local", `id = "main.events.source"`, "adopt = true")
	second.write(with(w, retention("  rolling_window = \"48h\"\n  adopt = true")))
	second.apply()
	// What the first one declared under Watertight's own names is gone; Delta's property is its, and stays.
	if p := properties(t, w); p["watertight.event_time"] != "" || p["watertight.rolling_window"] != "48h" || p["delta.deletedFileRetentionDuration"] != "interval 192 hours" {
		t.Errorf("the table has %v", p)
	}
	if out, code := second.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	w.ResetRequests()
	out, code = first.tryApply()
	if code != 1 || writes(w) != 0 {
		t.Errorf("the first one: exit %d, %d writes", code, writes(w))
	}
	wantAll(t, out, "Another Terraform state keeps the retention of this table", "terraform state rm", "adopt = true")
	out = first.must("destroy", "-no-color", "-auto-approve", "-refresh=false") // else it plans first, which is refused
	wantAll(t, prose(out), "The properties of the table were left", "main.events.source belongs to the owner")
	if n := len(altered(w)); n != 0 {
		t.Errorf("destroying the first one sent %q", altered(w))
	}
	if out, code := second.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// In one configuration the second is refused too, whichever comes first.
func TestRetentionTwiceInOneConfiguration(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("")+strings.Replace(retention(`  rolling_window = "48h"`), `"source"`, `"again"`, 1)))
	out, code := s.tryApply()
	if code != 1 || len(altered(w)) != 1 {
		t.Errorf("exit %d, sent %q", code, altered(w))
	}
	wantAll(t, out, "The retention of this table is kept already")
}

// J37: a state that was lost is got back by an import, and the plan is empty.
func TestRetentionStateLost(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("  event_time = \"at\"\n  log_retention = \"60 days\"")))
	s.apply()
	owner := s.values(retentionAddress)["owner"]
	s.must("state", "rm", retentionAddress)
	if out, code := s.plan(); code != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.must("import", "-no-color", retentionAddress, "main.events.source")
	// The table says 1440 hours; 60 days are the same.
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if now := s.values(retentionAddress)["owner"]; now != owner || now == nil {
		t.Errorf("the owner was %v and is %v", owner, now)
	}
}

// The states of the version before have neither an owner nor anything of a purge job: they plan empty, and get an owner
// with the next change.
func TestRetentionOfFormerState(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	config := with(w, retention("  event_time = \"at\"\n  deleted_file_retention = \"8 days\""))
	s := newShell(t, config)
	s.apply()
	sql(t, w, "ALTER TABLE main.events.source UNSET TBLPROPERTIES ('watertight.owner')")
	file := filepath.Join(s.dir, "terraform.tfstate")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	former := regexp.MustCompile(`(?m)^ *"(owner|loaded_by|purge|adopt|cancel_active_runs|purge_job_id|purge_sql_file|purge_statement|changed_outside|timeouts|watertight\.owner)": .*,?\n`).ReplaceAll(content, nil)
	former = regexp.MustCompile(`,(\s*})`).ReplaceAll(former, []byte("$1"))
	if bytes.Contains(former, []byte("owner")) || len(former) >= len(content) {
		t.Fatalf("%s", former)
	}
	if err := os.WriteFile(file, former, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := s.plan(); code != 0 || strings.Contains(out, "Warning") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.write(strings.Replace(config, "8 days", "9 days", 1))
	s.apply()
	if p := properties(t, w); p["watertight.owner"] == "" || p["watertight.owner"] != s.values(retentionAddress)["owner"] {
		t.Errorf("the table has %v", p)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A table that was dropped and made again is named, with when and by whom, and set again.
func TestRetentionOfTableMadeAnew(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	s := newShell(t, with(w, retention("  event_time = \"at\"\n  deleted_file_retention = \"8 days\"")))
	s.apply()
	before := s.values(retentionAddress)["table_id"]
	if err := w.Advance(t.Context(), 3*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.AddUser("hers", "ann@example.com")
	as(t, w, "hers", "DROP TABLE main.events.source")
	as(t, w, "hers", "CREATE TABLE main.events.source (p INT, seq BIGINT, at TIMESTAMP)")
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "The table was made anew", "dropped and made again at 2026-03-02T15:00:0", "by ann@example.com", fmt.Sprint(before), `+ deleted_file_retention = "8 days"`)
	w.ResetRequests()
	s.apply()
	if got := statements(w); len(got) != 1 || !strings.HasPrefix(got[0], "SET (") || strings.Contains(got[0], "CREATE") {
		t.Errorf("sent %q", got)
	}
	if out, code := s.plan(); code != 0 || strings.Contains(out, "Warning") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if after := s.values(retentionAddress)["table_id"]; after == before || after == nil {
		t.Errorf("the state says %v, as before", after)
	}
}

// as runs a statement as another user.
func as(t *testing.T, w *local.Workspace, token, statement string) {
	t.Helper()
	c := outsideAs(t, w, token)
	if err := c.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// A refresh that finds a declared property changed says which, from what to what, when and by whom; one that was never
// declared is nobody's business.
func TestRetentionNamesWhoChangedIt(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	w.AddUser("hers", "ann@example.com")
	s := newShell(t, with(w, retention("  deleted_file_retention = \"8 days\"")))
	s.apply()
	as(t, w, "hers", "ALTER TABLE main.events.source SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 9 days', 'delta.logRetentionDuration' = 'interval 50 days', 'watertight.rolling_window' = '2 days')")
	// What loads the table does not count as a change of it.
	sql(t, w, "INSERT INTO main.events.source VALUES (1, 1, current_timestamp())")
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), `rolling_window: "24h" became "48h"`, `deleted_file_retention: "8 days" became "216h"`, "the last change of the table at 2026-03-02T12:00:0", "by ann@example.com")
	if strings.Contains(out, "log_retention") && !strings.Contains(out, "table_properties") {
		t.Error("a property that was not declared is a difference")
	}
	w.ResetRequests()
	s.apply()
	// The log's retention is hers: it goes with the pair, at the value that she gave it.
	want := []string{"SET ('delta.deletedFileRetentionDuration' = 'interval 192 hours', 'delta.logRetentionDuration' = 'interval 50 days', 'rolling_window' = '24h')"}
	if d := cmp.Diff(want, statements(w)); d != "" {
		t.Error(d)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

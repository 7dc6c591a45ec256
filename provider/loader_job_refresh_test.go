package provider_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const changedOutside = "was changed outside Terraform"

// state is the state file as it lies there, without its serial number.
func (s *shell) state() []byte {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, "terraform.tfstate"))
	if err != nil {
		s.t.Fatal(err)
	}
	return content
}

// rewrite changes the attributes of the only resource in the state file.
func (s *shell) rewrite(change func(attributes map[string]any)) {
	s.t.Helper()
	d := json.NewDecoder(bytes.NewReader(s.state()))
	d.UseNumber()
	var state map[string]any
	if err := d.Decode(&state); err != nil {
		s.t.Fatal(err)
	}
	instance := state["resources"].([]any)[0].(map[string]any)["instances"].([]any)[0].(map[string]any)
	change(instance["attributes"].(map[string]any))
	delete(instance, "private")
	content, err := json.Marshal(state)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "terraform.tfstate"), content, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// When nothing differs a refresh leaves the state as it is, byte for byte, whatever order and defaults the server gives
// back; and it is one call.
func TestLoaderJobRefreshKeepsTheState(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 4}})
	s := newShell(t, with(w, loaderWith("  max_duration = \"20 minutes\"\n  strict = false", `jsondecode(<<-EOT
    {"tasks": [{"task_key": "b", "notebook_task": {"notebook_path": "/b"}, "max_retries": null}, {"task_key": "a", "notebook_task": {"notebook_path": "/a"}, "timeout_seconds": 0}],
     "parameters": [{"name": "big", "default": "9007199254740993"}], "max_concurrent_runs": 1, "tags": {"team": "data"}}
  EOT
  )`)))
	s.apply()
	before := s.state()
	for range 3 {
		w.ResetRequests()
		if out, code := s.plan(); code != 0 || strings.Contains(prose(out), "Warning") {
			t.Fatalf("exit %d\n%s", code, out)
		}
		if n := len(w.Requests()); n != w.Count("GET", "jobs/get")+w.Count("GET", "/.well-known/*") || w.Count("GET", "jobs/get") != 1 {
			t.Errorf("%d requests, %d of them to jobs/get", n, w.Count("GET", "jobs/get"))
		}
	}
	s.must("apply", "-refresh-only", "-auto-approve", "-no-color")
	if after := s.state(); !bytes.Equal(before, after) {
		t.Errorf("the state became\n%s\nfrom\n%s", after, before)
	}
}

// J01 databricks/terraform-provider-databricks#5624 and its kind: a plan names what was changed outside, by path, from
// what to what, and claims nothing about who did it. It says so once: not while nothing differs, and not after the apply.
func TestLoaderJobPlanNamesTheChanges(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loaderWith("", `{ tasks = [{ task_key = "load", notebook_task = { notebook_path = "/Shared/load", base_parameters = { secret = "hunter2" } } }] }`)))
	s.apply()
	edit(t, w, func(m map[string]any) {
		task := m["tasks"].([]any)[0].(map[string]any)
		task["max_retries"] = 3
		task["notebook_task"] = map[string]any{"notebook_path": "/Users/me/load", "base_parameters": map[string]any{"secret": "hunter3"}}
		m["tasks"] = append(m["tasks"].([]any), map[string]any{"task_key": "more", "notebook_task": map[string]any{"notebook_path": "/x"}})
		m["timeout_seconds"] = 60
		m["schedule"].(map[string]any)["quartz_cron_expression"] = "0 0 * * * ?"
		m["tags"].(map[string]any)["watertight_settle_delay"] = "5m"
	})
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d", code)
	}
	text := prose(out)
	wantAll(t, text, changedOutside, "The API does not say who", "tasks[load].max_retries: not set → 3",
		`tasks[load].notebook_task.notebook_path: "/Shared/load" → "/Users/me/load"`, "tasks[more]: not set → set", "timeout_seconds: 1200 → 60",
		`schedule.quartz_cron_expression: "0 0/15 * * * ?" → "0 0 * * * ?"`, `tags.watertight_settle_delay: "30m" → "5m"`, "base_parameters.secret: changed")
	if warning := text[strings.Index(text, changedOutside):]; strings.Contains(warning, "hunter") {
		t.Errorf("a value that may be secret is in the warning:\n%s", warning)
	}
	if out, code := s.tryApply(); code != 0 || strings.Count(out, changedOutside) != 1 {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
	if out, code := s.plan(); code != 0 || strings.Contains(prose(out), changedOutside) {
		t.Errorf("after the apply: exit %d\n%s", code, out)
	}
}

// J37 databricks/cli#3895: two states that manage one job are told so; a tag that Watertight wrote and somebody removed
// comes back with the next change, and is none by itself.
func TestLoaderJobOfAnotherOwner(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	s.apply()
	owner := s.values(loaderAddress)["owner"]
	edit(t, w, func(m map[string]any) { tagsOf(m)["watertight_owner"] = "another" })
	out, code := s.plan()
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "Another state manages this job too", "watertight_owner = another")
	edit(t, w, func(m map[string]any) { delete(tagsOf(m), "watertight_owner") })
	s.write(with(w, loader("  max_duration = \"25m\"")))
	s.apply()
	if got := tagsOf(theJob(t, w).Settings)["watertight_owner"]; got != owner {
		t.Errorf("the tag is %v, the state had %v", got, owner)
	}
}

// J32 databricks/terraform-provider-databricks#2468: who plans makes no difference. J34 databricks/cli#5821: permissions
// are nobody's business here: no route of theirs is called, and the owner stays.
func TestLoaderJobPlanIsIndependentOfTheCaller(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	w.AddUser("other-token", "other@example.com")
	config := with(w, loader(""))
	s := newShell(t, config)
	s.apply()
	creator := theJob(t, w).Creator
	s.write(strings.Replace(config, w.Token(), "other-token", 1))
	if out, code := s.plan(); code != 0 {
		t.Errorf("the other user's plan: exit %d\n%s", code, out)
	}
	s.write(strings.Replace(with(w, loader("  max_duration = \"25m\"")), w.Token(), "other-token", 1))
	s.apply()
	s.write(with(w, loader("  max_duration = \"25m\"")))
	if out, code := s.plan(); code != 0 {
		t.Errorf("the first user's plan: exit %d\n%s", code, out)
	}
	if j := theJob(t, w); j.Creator != creator || j.RunAs != creator {
		t.Errorf("made by %s, runs as %s; it was made by %s", j.Creator, j.RunAs, creator)
	}
	if n := w.Count("", "/api/2.0/permissions/*") + w.Count("", "/api/2.0/preview/scim/*"); n != 0 {
		t.Errorf("%d calls about permissions and users", n)
	}
}

// A state of the version before owner and timeouts refreshes, plans empty, and gets its owner with the next change.
func TestLoaderJobOfAnEarlierState(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	s.apply()
	s.rewrite(func(a map[string]any) {
		for _, name := range []string{"owner", "timeouts", "allow_duplicate_name", "cancel_active_runs"} {
			delete(a, name)
		}
	})
	edit(t, w, func(m map[string]any) { delete(tagsOf(m), "watertight_owner") })
	w.ResetRequests()
	if out, code := s.plan(); code != 0 || strings.Contains(prose(out), "Warning") {
		t.Errorf("exit %d\n%s", code, out)
	}
	// Another spelling is no change either.
	s.write(with(w, loaderWith("", `jsondecode("{\"tasks\":[{\"task_key\":\"load\",\"notebook_task\":{\"notebook_path\":\"/Shared/load\"}}]}")`)))
	if out, code := s.plan(); code != 0 {
		t.Errorf("another spelling: exit %d\n%s", code, out)
	}
	if writes(w) != 0 {
		t.Error("a plan wrote")
	}
	s.write(with(w, loader("  max_duration = \"25m\"")))
	s.apply()
	if tag := tagsOf(theJob(t, w).Settings)["watertight_owner"]; tag == nil || tag != s.values(loaderAddress)["owner"] {
		t.Errorf("the tag is %v, the state has %v", tag, s.values(loaderAddress)["owner"])
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("afterwards: exit %d\n%s", code, out)
	}
}

// F02 hashicorp/terraform-plugin-framework#1117: a task more in an existing job. F04 ClickHouse/terraform-provider-
// clickhouse#611: the server fills defaults into it. The apply is consistent and the id stays.
func TestLoaderJobGetsATaskMore(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 2}})
	task := func(key string) string {
		return `{ task_key = "` + key + `", notebook_task = { notebook_path = "/` + key + `" }, email_notifications = { on_failure = ["b@x.org", "a@x.org"] } }`
	}
	s := newShell(t, with(w, loaderWith("", `{ tasks = [`+task("a")+`] }`)))
	s.apply()
	id := s.values(loaderAddress)["id"]
	s.write(with(w, loaderWith("", `{ tasks = [`+task("b")+`, `+task("a")+`] }`)))
	out := s.apply()
	wantAll(t, out, "1 changed, 0 destroyed")
	if got := s.values(loaderAddress); got["id"] != id || got["url"] == nil || got["owner"] == nil {
		t.Errorf("id %v became %v, url %v, owner %v", id, got["id"], got["url"], got["owner"])
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("the second plan: exit %d\n%s", code, out)
	}
}

const pausedWarning = "The loader job is paused"

// A loader that is paused outside is reported with what it costs: the last read, the deadline, then what is lost. The
// numbers: the last read starts at 12:15, rows settle 30 min, the window is 24 h: the deadline is 11:45 of the next day.
func TestLoaderJobReportsAPause(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	sql(t, w, "ALTER TABLE main.events.stream_messages SET TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	task := `{ tasks = [{ task_key = "load", sql_task = { warehouse_id = "` + w.WarehouseID() + `", file = { path = "/Shared/load_messages.sql" } } }] }`
	s := newShell(t, with(w, loaderWith("", task)))
	s.apply()
	if err := w.Advance(t.Context(), 16*time.Minute); err != nil {
		t.Fatal(err)
	}
	edit(t, w, func(m map[string]any) { m["schedule"].(map[string]any)["pause_status"] = "PAUSED" })
	if err := w.Advance(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	text := prose(out)
	wantAll(t, text, pausedWarning, "it was paused outside Terraform. The API does not say by whom", "The start at 2026-03-02T12:30:00Z did not happen",
		"Deadline: the first unread row expires at 2026-03-03T11:45:00Z", "Nothing has been lost by the pause so far")
	if strings.Contains(text, changedOutside) {
		t.Errorf("the pause is told twice:\n%s", text)
	}
	if err := w.Advance(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	out, _ = s.plan()
	wantAll(t, prose(out), "Already lost", "event times from 2026-03-02T11:45:00Z to 2026-03-02T14:16", "watertight verify load_messages")
}

// A pause of the configuration's own is nobody's doing but its own, also after the state has been refreshed; what cannot
// be found out does not stop the plan.
func TestLoaderJobPausedByItsConfiguration(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	config := with(w, loader(`  pause_status = "PAUSED"`))
	s := newShell(t, config)
	s.apply()
	for range 2 {
		out, code := s.plan()
		if code != 0 {
			t.Errorf("exit %d", code)
		}
		wantAll(t, prose(out), pausedWarning, "as its configuration says", "No run of it that succeeded is on record")
		if strings.Contains(out, "outside") {
			t.Errorf("somebody else is blamed:\n%s", out)
		}
		s.must("apply", "-refresh-only", "-auto-approve", "-no-color")
	}
	w.AddFault(local.Fault{Route: "runs/list", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"not yours"}`})
	out, code := s.plan()
	if code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	wantAll(t, prose(out), "could not be found out", "not yours")
	w.ClearFaults()
	// Taken out of the configuration, it is resumed, and nobody is blamed for it.
	s.write(with(w, loader("")))
	out, code = s.plan()
	if code != 2 || strings.Contains(out, "outside") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.apply()
	// Paused by somebody, accepted into the state by a refresh, and still not the configuration's doing.
	edit(t, w, func(m map[string]any) { m["schedule"].(map[string]any)["pause_status"] = "PAUSED" })
	s.must("apply", "-refresh-only", "-auto-approve", "-no-color")
	out, _ = s.plan()
	wantAll(t, prose(out), "it was paused outside Terraform")
}

// Another warehouse of the provider is a change of the configuration: the plan shows it, and blames nobody.
func TestLoaderJobOfAnotherWarehouse(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	config := with(w, loaderWith("", `{ tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load.sql" } } }] }`))
	s := newShell(t, config)
	s.apply()
	s.write(strings.Replace(config, `"`+w.WarehouseID()+`"`, `"0123456789abcdef"`, 1))
	out, code := s.plan()
	if code != 2 || strings.Contains(prose(out), changedOutside) {
		t.Errorf("exit %d\n%s", code, out)
	}
	edit(t, w, func(m map[string]any) { m["tasks"].([]any)[0].(map[string]any)["max_retries"] = 3 })
	out, _ = s.plan()
	text := prose(out)
	wantAll(t, text, changedOutside, "tasks[load].max_retries: not set → 3")
	if warning := text[strings.Index(text, changedOutside):]; strings.Contains(warning, "warehouse_id:") {
		t.Errorf("the warehouse is among what was changed outside:\n%s", warning)
	}
}

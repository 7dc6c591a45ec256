package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// sqlFiles are the paths of the SQL files in the workspace.
func sqlFiles(t *testing.T, w *local.Workspace) []string {
	t.Helper()
	var out []string
	for _, q := range w.Requests() {
		if strings.HasSuffix(q.Route, "/workspace/import") {
			out = append(out, regexp.MustCompile(`/Shared/[^"]*\.sql`).FindString(q.Body))
		}
	}
	slices.Sort(out)
	c := outside(t, w)
	return slices.DeleteFunc(slices.Compact(out), func(path string) bool {
		_, err := c.ReadFile(t.Context(), path)
		return err != nil
	})
}

// J37 databricks/cli#3895: after the state is lost no second job is made, and not even its file is written.
func TestOptimizeJobIsNeverMadeTwice(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	id := foreignLoader(t, w, "UNPAUSED")
	plain := map[string]string{"lines": ""}
	makeTarget(t, w, "")
	newShell(t, with(w, handwritten(id, plain))).apply()
	first := jobNamed(t, w, "optimize_messages").ID
	s := newShell(t, with(w, handwritten(id, plain)))
	w.ResetRequests()
	out, code := s.tryApply()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, out, "A job of this name exists already", fmt.Sprintf("Job %d has it: its tags say that it optimizes main.events.messages", first),
		"to = watertight_optimize_job.<name>", fmt.Sprintf("id = \"%d\"", first), "allow_duplicate_name")

	// With the flag there are two, each with a file of its own, and destroying one leaves the other's.
	s.write(with(w, handwritten(id, map[string]string{"lines": "  allow_duplicate_name = true"})))
	s.apply()
	kept := outside(t, w)
	files := sqlFiles(t, w)
	if len(files) != 1 || !strings.Contains(files[0], fmt.Sprint(s.values(optimizeAddress)["owner"])) {
		t.Errorf("the second job wrote %v", files)
	}
	if out, code := s.destroy(); code != 0 || len(sqlFiles(t, w)) != 0 {
		t.Errorf("destroy: exit %d, left %v\n%s", code, sqlFiles(t, w), out)
	}
	j, err := kept.Job(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	path := j.Settings["tasks"].([]any)[0].(map[string]any)["sql_task"].(map[string]any)["file"].(map[string]any)["path"].(string)
	if _, err := kept.ReadFile(t.Context(), path); err != nil || path == files[0] {
		t.Errorf("the file of the first job: %s, %v", path, err)
	}
}

// R07 databricks/databricks-sdk-go#733: a lost answer makes neither a second job nor a job that nobody knows.
func TestOptimizeJobOfALostAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault       local.Fault
		code, files int
	}{
		"made, answer lost": {local.Fault{ActThenReset: true}, 0, 1},
		"made, half of it":  {local.Fault{CutBody: true}, 0, 1},
		// It may have been made: the file stays, for the job may run it.
		"not known": {local.Fault{Status: 504}, 1, 1},
		// It surely was not: the file goes again.
		"refused":        {local.Fault{Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no more jobs"}`}, 1, 0},
		"not reasonable": {local.Fault{Status: 400, Body: `{"error_code":"INVALID_PARAMETER_VALUE","message":"nope"}`}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			makeTarget(t, w, "")
			s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), nil)))
			w.ResetRequests()
			c.fault.Route, c.fault.Call = "jobs/create", 1
			w.AddFault(c.fault)
			out, code := s.tryApply()
			if code != c.code || len(sqlFiles(t, w)) != c.files || w.Count("POST", "jobs/create") != 1 {
				t.Errorf("exit %d, files %v, %d creations\n%s", code, sqlFiles(t, w), w.Count("POST", "jobs/create"), out)
			}
			s.apply()
			if out, code := s.plan(); code != 0 {
				t.Errorf("afterwards: exit %d\n%s", code, out)
			}
			if n := jobs(t, w); n != 2 {
				t.Errorf("%d jobs, want the loader and one more", n)
			}
		})
	}
}

// The file is written once the name is known to be free, and before the job: when it cannot be written there is no job.
func TestOptimizeJobWhoseFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), nil)))
	w.AddFault(local.Fault{Route: "workspace/import", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no files"}`})
	out, code := s.tryApply()
	if code != 1 || jobs(t, w) != 1 {
		t.Errorf("exit %d, %d jobs", code, jobs(t, w))
	}
	wantAll(t, out, "The SQL file of the optimize job cannot be written", "no files")
	w.ClearFaults()
	s.apply()
}

// A change that moves the file, by a new name, and fails leaves the old one in use and no other behind.
func TestOptimizeJobChangeFails(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	config := with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), nil))
	s := newShell(t, config)
	s.apply()
	before := sqlFiles(t, w)
	s.write(strings.Replace(config, `"optimize_messages"`, `"renamed"`, 1))
	w.AddFault(local.Fault{Route: "jobs/reset", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no changes"}`})
	if out, code := s.tryApply(); code != 1 || !strings.Contains(out, "no changes") || !slices.Equal(sqlFiles(t, w), before) {
		t.Errorf("exit %d, files %v, before %v\n%s", code, sqlFiles(t, w), before, out)
	}
	w.ClearFaults()
	s.apply()
	if files := sqlFiles(t, w); len(files) != 1 || !strings.Contains(files[0], "/renamed-") {
		t.Errorf("files %v", files)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("afterwards: exit %d\n%s", code, out)
	}
	// Another job's name is not taken.
	s.write(strings.Replace(config, `"optimize_messages"`, `"load_messages"`, 1))
	if out, code := s.tryApply(); code != 1 || !strings.Contains(out, "Another job has this name") || len(sqlFiles(t, w)) != 1 {
		t.Errorf("exit %d, files %v\n%s", code, sqlFiles(t, w), out)
	}
}

// J31 databricks/terraform-provider-databricks#740: what is gone already is destroyed.
func TestOptimizeJobDestroyOfNothing(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), nil)))
	s.apply()
	c := outside(t, w)
	if err := c.DeleteFile(t.Context(), sqlFiles(t, w)[0]); err != nil {
		t.Fatal(err)
	}
	// A file that is gone is a difference, and no error.
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "the file of the statements is gone") {
		t.Errorf("without its file: exit %d\n%s", code, out)
	}
	if err := c.DeleteJob(t.Context(), jobNamed(t, w, "optimize_messages").ID); err != nil {
		t.Fatal(err)
	}
	if out, code := s.run("destroy", "-no-color", "-input=false", "-auto-approve", "-refresh=false"); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// J41 databricks/cli#1515: as for a loader.
func TestOptimizeJobIsNotDestroyedWhileItRuns(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	s := newShell(t, with(w, handwritten(id, nil)))
	s.apply()
	w.SetRunTime("optimize_messages", time.Hour)
	if _, err := outside(t, w).RunNow(t.Context(), workspace.RunNow{JobID: jobNamed(t, w, "optimize_messages").ID, Token: "once"}); err != nil {
		t.Fatal(err)
	}
	before := writes(w)
	out, code := s.destroy()
	if code != 1 || writes(w) != before {
		t.Errorf("exit %d, %d more writes", code, writes(w)-before)
	}
	wantAll(t, out, "The optimize job is running", "cancel_active_runs = true")
	s.write(with(w, handwritten(id, map[string]string{"lines": "  vacuum = {}\n  cancel_active_runs = true"})))
	s.apply()
	if n := writes(w); n != before {
		t.Errorf("applying the flag wrote %d times", n-before)
	}
	if out, code := s.destroy(); code != 0 || jobs(t, w) != 1 || len(sqlFiles(t, w)) != 0 {
		t.Errorf("exit %d, %d jobs, files %v\n%s", code, jobs(t, w), sqlFiles(t, w), out)
	}
}

// J46 databricks/terraform-provider-databricks#1591: the limit that ran out is named.
func TestOptimizeJobTimeouts(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	limited := with(w, handwritten(id, map[string]string{"lines": `  timeouts = { create = "500ms", delete = "500ms" }`}))
	s := newShell(t, limited)
	w.AddFault(local.Fault{Route: "jobs/create", Delay: 2 * time.Second, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"late"}`})
	out, code := s.tryApply()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "timeouts.create of 500 ms ran out", "Raise timeouts.create")
	w.ClearFaults()
	s.write(with(w, handwritten(id, map[string]string{"lines": ""})))
	s.apply()
	s.write(limited)
	s.apply()
	w.AddFault(local.Fault{Route: "workspace/delete", Delay: 2 * time.Second})
	out, code = s.destroy()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "timeouts.delete of 500 ms ran out")
	w.ClearFaults()
	if out, code := s.destroy(); code != 0 || jobs(t, w) != 1 {
		t.Errorf("the second destroy: exit %d\n%s", code, out)
	}
}

// J14 databricks/terraform-provider-databricks#5417, J15 #4255: the configuration that Terraform generates for an import
// is complete, links and statements too: it validates as it is and plans nothing but the import.
func TestOptimizeJobGeneratedConfiguration(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"plain":      "",
		"everything": "  minimum_headroom = \"90m\"\n  pause_status = \"PAUSED\"\n  zorder_by = [\"technical_partition\", \"day\"]\n  vacuum = { retain_hours = 240, full = true }\n  analyze = true",
		"where":      "  where = \"day >= '2026-01-01;'\"\n  vacuum = {}",
	} {
		for _, by := range []string{"id", "name"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				t.Parallel()
				w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{Seed: 7}})
				makeTarget(t, w, map[string]string{"where": "PARTITIONED BY (day)"}[name])
				made := makeSource(t, w) + loader("") + optimize("watertight_retention.stream_messages", lines)
				newShell(t, with(w, made)).apply()
				id := "optimize_messages"
				if by == "id" {
					id = strconv.FormatInt(jobNamed(t, w, id).ID, 10)
				}
				s := newShell(t, with(w, importBlock(optimizeAddress, id)))
				w.ResetRequests()
				generated := func() string {
					text, _ := os.ReadFile(filepath.Join(s.dir, "generated.tf"))
					return string(text)
				}
				if out, code := s.run("plan", "-no-color", "-input=false", "-generate-config-out=generated.tf"); code != 0 || !strings.Contains(out, "1 to import, 0 to add, 0 to change, 0 to destroy") {
					t.Fatalf("exit %d\n%s\n%s", code, out, generated())
				}
				s.must("validate", "-no-color")
				wantAll(t, s.apply(), "1 imported, 0 added, 0 changed, 0 destroyed")
				if out, code := s.plan(); code != 0 {
					t.Errorf("the plan after it: exit %d\n%s\n%s", code, out, generated())
				}
				if got := s.values(optimizeAddress); got["verdict"] != "holds" || got["headroom"] != "22h40m" || got["owner"] == nil || got["statements"] == nil {
					t.Errorf("imported %v", got)
				}
				if n := writes(w); n != 0 {
					t.Errorf("an import wrote %d times", n)
				}
			})
		}
	}
}

// makeSource makes the loader's source, and is the configuration of its retention.
func makeSource(t *testing.T, w *local.Workspace) string {
	t.Helper()
	if err := outside(t, w).Exec(t.Context(), "CREATE TABLE main.events.stream_messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, payload STRING)"); err != nil {
		t.Fatal(err)
	}
	return `
resource "watertight_retention" "stream_messages" {
  table                  = "main.events.stream_messages"
  rolling_window         = "1 day"
  event_time             = "context_updatedAt"
  deleted_file_retention = "168h"
  log_retention          = "30 days"
}
`
}

// An import followed by the configuration that made the job, links to resources and spellings included, plans nothing.
func TestOptimizeJobImportIntoItsConfiguration(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	config := with(w, makeSource(t, w)+loader("")+optimize("watertight_retention.stream_messages",
		`  window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "120m" }`+"\n  minimum_headroom = \"3600s\"\n  zorder_by = [\"day\"]\n  vacuum = {}"))
	s := newShell(t, config)
	s.apply()
	for _, id := range []string{"optimize_messages", strconv.FormatInt(jobNamed(t, w, "optimize_messages").ID, 10)} {
		s.must("state", "rm", optimizeAddress)
		w.ResetRequests()
		s.must("import", "-no-color", "-input=false", optimizeAddress, id)
		out, code := s.plan()
		if code != 0 || writes(w) != 0 {
			t.Errorf("import by %s: exit %d, %d writes\n%s", id, code, writes(w), out)
		}
	}
	// Nothing is lost by it: the next change is one update, of the same file.
	s.write(strings.Replace(config, `"3600s"`, `"2h"`, 1))
	w.ResetRequests()
	wantAll(t, s.apply(), "0 added, 1 changed, 0 destroyed")
	if len(sqlFiles(t, w)) != 1 {
		t.Errorf("files %v", sqlFiles(t, w))
	}
}

// A loader that others declare has no contract in its tags: the links are the configuration's to say, and the plan after the
// import changes nothing in the workspace. One that is gone is no reason to refuse the import.
func TestOptimizeJobImportWithAForeignLoader(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	s := newShell(t, with(w, handwritten(id, nil)))
	s.apply()
	for _, warned := range []string{"The linked loader has no contract", "The linked loader cannot be read"} {
		s.must("state", "rm", optimizeAddress)
		w.ResetRequests()
		if out := s.must("import", "-no-color", "-input=false", optimizeAddress, "optimize_messages"); !strings.Contains(out, "Warning: "+warned) {
			t.Errorf("the import does not say %q:\n%s", warned, out)
		}
		wantAll(t, s.apply(), "0 added, 1 changed, 0 destroyed")
		if out, code := s.plan(); code != 0 || writes(w) != 0 {
			t.Errorf("exit %d, %d writes\n%s", code, writes(w), out)
		}
		if err := outside(t, w).DeleteJob(t.Context(), id); err != nil && !strings.Contains(err.Error(), "does not exist") {
			t.Fatal(err)
		}
	}
}

// A job of another kind is refused by name, and so is one that knows nothing of Watertight: taking it over would replace
// its tasks.
func TestOptimizeJobImportOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")+optimize(dayRetention, "")))
	s.must("apply", "-no-color", "-input=false", "-auto-approve", "-target=watertight_loader_job.messages")
	if _, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "plain"}); err != nil {
		t.Fatal(err)
	}
	for name, wanted := range map[string]string{"load_messages": "is a loader: its tags say that it loads main.events.messages. Import it as a watertight_loader_job", "plain": "has no tags of an optimize job", "nobody": "There is no such job"} {
		out, code := s.run("import", "-no-color", "-input=false", optimizeAddress, name)
		if code != 1 {
			t.Errorf("%s: exit %d", name, code)
		}
		wantAll(t, prose(out), wanted, name)
	}
}

// A state of the version before owners keeps its file until a change, and then gets an owner and a file of its own.
func TestOptimizeJobOfAnEarlierState(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	s := newShell(t, with(w, handwritten(id, nil)))
	s.apply()
	path := withoutOwner(t, s, w)
	w.ResetRequests()
	if out, code := s.plan(); code != 0 || strings.Contains(out, "Warning") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	s.write(with(w, handwritten(id, map[string]string{"lines": "  vacuum = {}\n  analyze = true"})))
	s.apply()
	got := s.values(optimizeAddress)
	owner := fmt.Sprint(got["owner"])
	if file := fmt.Sprint(got["sql_file"]); owner == "" || !strings.Contains(file, owner) {
		t.Errorf("owner %s, file %s", owner, file)
	}
	if _, err := outside(t, w).ReadFile(t.Context(), path); err == nil {
		t.Errorf("the former file %s is still there", path)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("afterwards: exit %d\n%s", code, out)
	}
}

// withoutOwner makes job and state what the version before owners left, and returns the path of the file.
func withoutOwner(t *testing.T, s *shell, w *local.Workspace) string {
	t.Helper()
	path, _, err := maintenance.Job{Name: "optimize_messages", Plan: maintenance.Plan{Table: "main.events.messages"}}.File()
	if err != nil {
		t.Fatal(err)
	}
	c, j := outside(t, w), jobNamed(t, w, "optimize_messages")
	file := j.Settings["tasks"].([]any)[0].(map[string]any)["sql_task"].(map[string]any)["file"].(map[string]any)
	content, err := c.ReadFile(t.Context(), file["path"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ImportFile(t.Context(), path, content, false); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteFile(t.Context(), file["path"].(string)); err != nil {
		t.Fatal(err)
	}
	file["path"] = path
	delete(tagsOf(j.Settings), "watertight_owner")
	if err := c.ResetJob(t.Context(), j.ID, j.Settings); err != nil {
		t.Fatal(err)
	}
	s.rewrite(func(a map[string]any) {
		for _, name := range []string{"owner", "timeouts", "allow_duplicate_name", "cancel_active_runs", "allow_short_retention"} {
			delete(a, name)
		}
		a["sql_file"] = path
	})
	return path
}

package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// asked counts the requests since the last reset, by method and end of route. Configuring a provider looks once at what
// the host is, which is the path that the clock would be asked at too: what is more than that is shown.
func asked(w *local.Workspace, configured int) string {
	counts := map[string]int{}
	for _, q := range w.Requests() {
		counts[q.Method+" "+q.Route[strings.LastIndex(strings.TrimSuffix(q.Route, "/"), "/")+1:]]++
	}
	const host = "GET databricks-config"
	if counts[host] -= configured; counts[host] <= 0 {
		delete(counts, host)
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s ×%d", name, counts[name]))
	}
	return strings.Join(out, ", ")
}

// A plan of an optimize job costs three calls: the job, its file, and the linked loader, to see whether it is paused. The
// time comes from their answers. The table is read once where the statements are new or changed, and at no other plan.
func TestOptimizeJobCalls(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	config := func(lines string) string { return with(w, handwritten(id, map[string]string{"lines": lines})) }
	s := newShell(t, config("  vacuum = {}"))
	plan := func(name, wanted string, code int) {
		t.Helper()
		w.ResetRequests()
		if out, got := s.plan(); got != code {
			t.Errorf("%s: exit %d\n%s", name, got, out)
		}
		if got := asked(w, 1); got != wanted {
			t.Errorf("%s asked %s, want %s", name, got, wanted)
		}
	}
	plan("the first plan", "GET get ×1, GET {full_name} ×1", 2)
	w.ResetRequests()
	s.apply()
	// Terraform plans once more when it applies. The name is looked up before the job is made, and the folder of the file
	// is made where there is none.
	if got, wanted := asked(w, 2), "GET get ×2, GET list ×1, GET {full_name} ×3, POST create ×1, POST import ×2, POST mkdirs ×1"; got != wanted {
		t.Errorf("the first apply asked %s, want %s", got, wanted)
	}
	plan("the second plan", "GET export ×1, GET get ×2", 0)
	s.write(config("  vacuum = {}\n  minimum_headroom = \"1h\""))
	plan("a change of the minimum", "GET export ×1, GET get ×2", 2)
	s.write(config("  vacuum = {}\n  zorder_by = [\"day\"]"))
	plan("a change of the statements", "GET export ×1, GET get ×2, GET {full_name} ×1", 2)
	s.apply()
	// What changes nothing in the workspace writes nothing there.
	s.write(with(w, handwritten(id, map[string]string{"lines": "  vacuum = {}\n  zorder_by = [\"day\"]", "on_violation": `"warn"`})))
	w.ResetRequests()
	s.apply()
	if n := writes(w); n != 0 {
		t.Errorf("a change of on_violation wrote %d times: %s", n, asked(w, 2))
	}
}

// A loader whose job others declare is linked by hand, or by a data source: its tags name it, and the second plan is empty.
func TestOptimizeJobOfAForeignLoader(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "UNPAUSED")
	source := `
data "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  settle_delay = "30m"
}
`
	linked := strings.ReplaceAll(optimize(dayRetention, "  vacuum = {}"), "watertight_loader_job.", "data.watertight_loader_job.")
	s := newShell(t, with(w, source+linked))
	s.apply()
	// The API turns the queue on for a job that says nothing of it: 24 h − (30 min + 20 min + 20 min).
	if got := s.values(optimizeAddress); got["headroom"] != "22h50m" || tagsOf(jobNamed(t, w, "optimize_messages").Settings)["watertight_loader"] != fmt.Sprint(id) {
		t.Errorf("headroom %v, tags %v", got["headroom"], tagsOf(jobNamed(t, w, "optimize_messages").Settings))
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
	// The same, written out, is the same.
	s.write(with(w, handwritten(id, map[string]string{"lines": "  vacuum = {}"})))
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "~ loader ") {
		t.Errorf("by hand: exit %d\n%s", code, out)
	}
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan by hand: exit %d\n%s", code, out)
	}
	for value, wanted := range map[string]string{`"load_messages"`: "is not the id of a job", `"0"`: "is not the id of a job", "null": "loader"} {
		s.write(strings.Replace(with(w, handwritten(id, nil)), fmt.Sprintf("%q", fmt.Sprint(id)), value, 1))
		if out, code := s.run("validate", "-no-color"); code != 1 || !strings.Contains(prose(out), wanted) {
			t.Errorf("loader.id = %s: exit %d\n%s", value, code, out)
		}
	}
	s.write(with(w, handwritten(987654321, nil)))
	if out, code := s.plan(); code != 2 || !strings.Contains(out, "Warning: The linked loader is missing") {
		t.Errorf("a loader of nobody: exit %d\n%s", code, out)
	}
}

// A pause of a loader that this configuration does not hold is not undone by it, and the plan says so.
func TestOptimizeJobOfAForeignLoaderThatIsPaused(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	id := foreignLoader(t, w, "PAUSED")
	s := newShell(t, with(w, handwritten(id, map[string]string{"pause_status": "null"})))
	out, code := s.plan()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "Error: The loader is paused", "Warning: The loader is paused now", fmt.Sprintf("load_messages (job %d) is paused in the workspace, and the job optimize_messages, which optimizes main.events.messages, is linked to it.", id),
		"Nothing in this configuration resumes it", "No run of it that succeeded is on record")
	// A link that says what the job should be may be of a resource that makes it so.
	s.write(with(w, handwritten(id, map[string]string{"pause_status": `"UNPAUSED"`})))
	if out, code = s.plan(); code != 2 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "Warning: The loader is paused now", "If the loader is a resource of this configuration")

	// A data source says what is: a paused loader reads nothing, and the plan is refused.
	s.write(with(w, `
data "watertight_loader_job" "messages" {
  name         = "load_messages"
  source       = "main.events.stream_messages"
  target       = "main.events.messages"
  settle_delay = "30m"
}
`+strings.ReplaceAll(optimize(dayRetention, "  vacuum = {}"), "watertight_loader_job.", "data.watertight_loader_job.")))
	w.ResetRequests()
	out, code = s.plan()
	if code != 1 || writes(w) != 0 {
		t.Errorf("a data source of a paused loader: exit %d, %d writes", code, writes(w))
	}
	wantAll(t, prose(out), "Error: The loader is paused", "This plan keeps it paused.")
}

// Several jobs may optimize the target of one loader; each is judged, written and destroyed by itself.
func TestSeveralOptimizeJobsOfOneLoader(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	second := strings.NewReplacer(`"messages" {`, `"nightly" {`, `"optimize_messages"`, `"optimize_messages_nightly"`, "SUN", "*").Replace(
		optimize(dayRetention, "  zorder_by = [\"day\"]\n  minimum_headroom = \"22h\""))
	first := loader("") + optimize(dayRetention, "  vacuum = {}")
	s := newShell(t, with(w, first+second))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
	if n := len(sqlFiles(t, w)); n != 2 {
		t.Errorf("%d files: %v", n, sqlFiles(t, w))
	}
	// Too little for one of them is an error at that one.
	s.write(with(w, strings.Replace(first+second, `"22h"`, `"23h"`, 1)))
	if out, code := s.plan(); code != 1 || strings.Count(out, "Error: ") != 1 || !strings.Contains(out, "with watertight_optimize_job.nightly") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.write(with(w, first))
	s.apply()
	if out, code := s.plan(); code != 0 || len(sqlFiles(t, w)) != 1 {
		t.Errorf("after one is gone: exit %d, files %v\n%s", code, sqlFiles(t, w), out)
	}
}

// How the loader reads decides which limit holds: the same pause is borne by one and not by another.
func TestOptimizeJobOfEveryWayToRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		loader, retention string
		headroom          string // empty: refused
		says              string
	}{
		// 24 h − (30 min + 50 min), 2 d − 80 min, 1 d − 80 min, 7 d − 80 min, 10 d − 80 min.
		"snapshot":                 {"", `rolling_window = "24h", deleted_file_retention = "2d", log_retention = "3d"`, "22h40m", ""},
		"delta_stream":             {`  reads = "delta_stream"`, `rolling_window = "1h", deleted_file_retention = "2d", log_retention = "3d"`, "46h40m", ""},
		"delta_stream, short log":  {`  reads = "delta_stream"`, `rolling_window = "1h", deleted_file_retention = "2d", log_retention = "1d"`, "22h40m", ""},
		"delta_stream, defaults":   {`  reads = "delta_stream"`, `rolling_window = "1h"`, "166h40m", ""},
		"delta_stream, too short":  {`  reads = "delta_stream"`, `rolling_window = "24h", deleted_file_retention = "1h"`, "", "deleted-file retention 1 h"},
		"change_feed":              {`  reads = "change_feed"`, `rolling_window = "1h", deleted_file_retention = "2d", log_retention = "1h"`, "46h40m", ""},
		"event_hubs":               {"  reads = \"event_hubs\"\n  broker_retention = \"10d\"", `rolling_window = "1h"`, "238h40m", ""},
		"kafka, too short":         {"  reads = \"kafka\"\n  broker_retention = \"75m\"", `rolling_window = "24h"`, "", "broker retention 1 h 15 min"},
		"change_feed, no history":  {`  reads = "change_feed"`, `rolling_window = "24h", deleted_file_retention = "0s"`, "", "deleted_file_retention of main.events.stream_messages is 0"},
		"delta_stream, no history": {`  reads = "delta_stream"`, `rolling_window = "24h", deleted_file_retention = "7d", log_retention = "0 days"`, "", "log_retention of main.events.stream_messages is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, loader(c.loader)+optimize(`{ table = "main.events.stream_messages", `+c.retention+` }`, "")))
			out, code := s.plan()
			switch {
			case c.headroom == "" && (code != 1 || !strings.Contains(prose(out), c.says) || writes(w) != 0):
				t.Errorf("exit %d, want 1 and %q\n%s", code, c.says, out)
			case c.headroom != "" && (code != 2 || !strings.Contains(out, fmt.Sprintf("%q", c.headroom))):
				t.Errorf("exit %d, want a headroom of %s\n%s", code, c.headroom, out)
			}
		})
	}
}

// Since when, until when, and what is lost already, where Terraform itself paused the loader.
func TestOptimizeJobOfALoaderThatTerraformPaused(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Start: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)})
	config := func(status, onViolation string) string {
		return with(w, loaderWith("  pause_status = \""+status+"\"", `{ tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load_messages.sql" } } }] }`)+
			optimize(`{ table = "main.events.stream_messages", rolling_window = "24h", deleted_file_retention = "2d" }`, "  on_violation = \""+onViolation+"\""))
	}
	s := newShell(t, config("UNPAUSED", "error"))
	s.apply()
	advance := func(d time.Duration) {
		if err := w.Advance(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	advance(20 * time.Minute) // one run, at 12:15
	s.write(config("PAUSED", "warn"))
	s.apply()
	advance(25 * time.Hour)
	out, code := s.plan()
	text := prose(out)
	// 12:15 − 30 min, + 24 h, + 2 d.
	wantAll(t, text, "Warning: The loader is paused now", "is paused, as its configuration says", "This plan keeps it paused.", "started at 2026-03-02T12:15:00Z",
		"expires at 2026-03-03T11:45:00Z", "rows with event times from 2026-03-02T11:45:00Z to 2026-03-02T13:2", "can be read back for 2 d", "until 2026-03-05T11:45:00Z")
	if code != 0 || strings.Contains(text, "paused outside") {
		t.Errorf("exit %d\n%s", code, out)
	}
	s.write(config("UNPAUSED", "error"))
	out, code = s.plan()
	if code != 2 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, prose(out), "Applying this plan resumes it.")
}

// What can be told wrong before anything is asked is told with the line to write.
func TestOptimizeJobMessages(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, ""))
	w.ResetRequests()
	for lines, wanted := range map[string]string{
		`zorder_by = []`:                             "zorder_by is an empty list. Name at least one column, or leave the attribute out",
		`where = ""`:                                 `"" is blank: write a predicate on partition columns`,
		`where = "day = '1"`:                         "a quote is not closed",
		`where = "day = 1; DROP"`:                    "it holds a semicolon",
		`minimum_headroom = "-1h"`:                   `"-1h"`,
		`minimum_headroom = "4"`:                     `"4"`,
		`minimum_headroom = "1 month"`:               `"1 month"`,
		`vacuum = { retain_hours = 0 }`:              "every way to bring lost rows back",
		`vacuum = { lite = true, full = true }`:      "a VACUUM is LITE or FULL",
		"full = true\n  zorder_by = [\"a\"]":         "Keep one of full and zorder_by",
		"full = true\n  where = \"a = 1\"":           "Keep one of full and where",
		`zorder_by = ["a", "A"]`:                     "it comes twice",
		`loader_during_window = "stopped"`:           "running, paused",
		`on_violation = "ignore"`:                    "error, warn",
		"zorder_by = [\"technical_partition, day\"]": "it is no column name",
		"vacuum = { retain_hours = -1 }":             "hours cannot be negative",
		"where = \"day = 1 -- yesterday\"":           "it holds a comment",
		"minimum_headroom = \"1500ms\"":              "whole number of seconds",
		"pause_status = \"paused\"":                  `is written "PAUSED"`,
	} {
		s.write(with(w, handwritten(7, map[string]string{"lines": "  " + lines})))
		if strings.Contains(lines, "loader_during_window") || strings.Contains(lines, "on_violation") {
			name, _, _ := strings.Cut(lines, " ")
			var kept []string
			for _, line := range strings.Split(with(w, handwritten(7, map[string]string{"lines": "  " + lines})), "\n") {
				if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name && !strings.Contains(lines, fields[2]) {
					continue
				}
				kept = append(kept, line)
			}
			s.write(strings.Join(kept, "\n"))
		}
		out, code := s.run("validate", "-no-color")
		if code != 1 || !strings.Contains(prose(out), wanted) {
			t.Errorf("%s: exit %d, want %q\n%s", lines, code, wanted, out)
		}
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("validating asked %d times", n)
	}
}

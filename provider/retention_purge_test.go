package provider_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// everyHour is a purge at twenty past every hour.
const everyHour = `  purge = { quartz_cron_expression = "0 20 * * * ?", timezone_id = "UTC" }` + "\n"

// link is a loader written out, for tests that need no job of it.
const link = `  loaded_by = { name = "load", source = "main.events.source", target = "main.events.target", key = { partition = "p", sequence = "seq" } }` + "\n"

const purging = `  event_time = "at"
  expire_by  = "purge_job"
` + everyHour + link

// openPair is openTable with the target of its loader.
func openPair(t *testing.T, b local.Behaviour) *local.Workspace {
	t.Helper()
	w := openTable(t, b)
	sql(t, w, "CREATE TABLE main.events.target (p INT, seq BIGINT, at TIMESTAMP)")
	return w
}

// rows are the rows of a query, as texts in order.
func rows(t *testing.T, w *local.Workspace, query string) []string {
	t.Helper()
	r, err := w.Exec(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var out []string
	for r.Next() {
		var cells []string
		for _, v := range r.Row() {
			if v == nil {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, *v)
			}
		}
		out = append(out, strings.Join(cells, " "))
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	slices.Sort(out)
	return out
}

// runJob runs a job to its end.
func runJob(t *testing.T, w *local.Workspace, name string) {
	t.Helper()
	c := outside(t, w)
	id, err := c.RunNow(t.Context(), workspace.RunNow{JobID: jobNamed(t, w, name).ID, Token: fmt.Sprint(t.Name(), w.Count("POST", "jobs/run-now"))})
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := c.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Outcome(); o.Final() {
			if o != "succeeded" {
				t.Fatalf("the run of %s has %s: %+v", name, o, r)
			}
			return
		}
	}
}

// The job deletes what is past the window and in the target, and nothing else; a second run deletes nothing; destroy takes
// away the job and its file, and no row.
func TestRetentionPurgeJobDeletesWhatIsLoaded(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	at := func(age time.Duration) string { return w.Now().Add(-age).Format("TIMESTAMP'2006-01-02 15:04:05'") }
	old, young := at(25*time.Hour), at(23*time.Hour)
	sql(t, w, fmt.Sprintf("INSERT INTO main.events.source VALUES (0, 1, %[1]s), (0, 2, %[1]s), (0, 3, %[2]s), (0, 4, %[2]s), (1, 1, %[1]s), (0, 1, %[1]s), (0, 5, NULL), (NULL, 6, %[1]s), (0, NULL, %[1]s), (0, 7, %[1]s), (0, 7, %[2]s)", old, young))
	sql(t, w, fmt.Sprintf("INSERT INTO main.events.target VALUES (0, 1, %[1]s), (0, 1, %[1]s), (0, 3, %[1]s), (0, 5, %[1]s), (NULL, 6, %[1]s), (0, NULL, %[1]s), (0, 7, NULL), (9, 9, %[1]s)", old))
	s := newShell(t, with(w, retention(purging)))
	out, _ := s.plan()
	wantAll(t, out, "MERGE INTO `main`.`events`.`source` AS s", "FROM `main`.`events`.`target` AS t", "timestampadd(HOUR, -24, current_timestamp())", "WHEN MATCHED THEN DELETE")
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
	name := "purge main.events.source"
	for range 2 {
		runJob(t, w, name)
		// Gone: both rows (0, 1), and of (0, 7) the one that is old enough.
		want := []string{"0 2 old", "0 3 young", "0 4 young", "0 5 null", "0 7 young", "0 NULL old", "1 1 old", "NULL 6 old"}
		got := rows(t, w, fmt.Sprintf("SELECT p, seq, CASE WHEN at IS NULL THEN 'null' WHEN at = %s THEN 'old' ELSE 'young' END FROM main.events.source", old))
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if n := len(rows(t, w, "SELECT * FROM main.events.target")); n != 8 {
		t.Errorf("the target has %d rows, want all 8", n)
	}
	if got := rows(t, w, "DESCRIBE HISTORY main.events.source"); len(slices.DeleteFunc(got, func(r string) bool { return !strings.Contains(r, "MERGE") })) != 1 {
		t.Errorf("want one merge, the second run deletes nothing: %q", got)
	}
	j := jobNamed(t, w, name)
	file := fileOf(j)
	s.must("destroy", "-no-color", "-auto-approve")
	if _, err := outside(t, w).Job(t.Context(), j.ID); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("the job is left: %v", err)
	}
	if _, err := outside(t, w).ReadFile(t.Context(), file); !errors.Is(err, workspace.ErrNotFound) {
		t.Errorf("the file %s is left: %v", file, err)
	}
	if n := len(rows(t, w, "SELECT * FROM main.events.source")); n != 8 {
		t.Errorf("after destroy the source has %d rows, want 8", n)
	}
}

func fileOf(j workspace.Job) string {
	tasks, _ := j.Settings["tasks"].([]any)
	for _, t := range tasks {
		if f, ok := t.(map[string]any)["sql_task"].(map[string]any)["file"].(map[string]any); ok {
			return f["path"].(string)
		}
	}
	return ""
}

// The incident with a purge job in place of a blind delete: three days by schedule with the loader paused for 25 hours, and
// no event that was ever produced is missing from both tables; what has left the source is exactly what is old and loaded.
func TestRetentionPurgeJobLosesNothingInThePause(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	if err := w.Feed(t.Context(), local.Feed{Seed: 7, Tick: 10 * time.Minute, ExpireBy: "none"}); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, with(w, loaderWith(`  settle_clock = "newest_event"`, `{ tasks = [{ task_key = "load", sql_task = { file = { path = "/Shared/load_messages.sql" } } }] }`)+`
resource "watertight_retention" "source" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
  event_time     = "context_updatedAt"
  expire_by      = "purge_job"
  loaded_by      = watertight_loader_job.messages
`+everyHour+"}\n"))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Fatalf("second plan: exit %d\n%s", code, out)
	}
	advance := func(d time.Duration) {
		t.Helper()
		if err := w.Advance(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, least int) {
		t.Helper()
		now := w.Now()
		source, target := present(t, w, "stream_messages"), present(t, w, "messages")
		gone, stale := 0, 0
		for e := range w.Produced {
			key := fmt.Sprintf("%d %d", e.Partition, e.Sequence)
			switch {
			case !source[key] && !target[key]:
				t.Fatalf("%s: event %s of %s is lost", when, key, e.EventTime)
			case !source[key] && now.Sub(e.EventTime) <= 24*time.Hour:
				t.Errorf("%s: event %s left at an age of %s", when, key, now.Sub(e.EventTime))
			case !source[key]:
				gone++
			case target[key] && now.Sub(e.EventTime) > 25*time.Hour:
				stale++
			}
		}
		if gone < least || stale > 0 {
			t.Errorf("%s: %d rows are gone, want %d or more; %d are old and loaded and still there", when, gone, least, stale)
		}
	}
	advance(24*time.Hour + 30*time.Minute)
	check("after a day", 20_000)
	j := jobNamed(t, w, "load_messages")
	j.Settings["schedule"].(map[string]any)["pause_status"] = "PAUSED"
	if err := outside(t, w).ResetJob(t.Context(), j.ID, j.Settings); err != nil {
		t.Fatal(err)
	}
	advance(25 * time.Hour)
	check("after the pause", 20_000)
	s.apply() // resumes the loader
	advance(2 * time.Hour)
	check("after the resume", 40_000)
}

func present(t *testing.T, w *local.Workspace, table string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, r := range rows(t, w, "SELECT technical_partition, technical_sequenceNumber FROM main.events."+table) {
		out[r] = true
	}
	return out
}

// What somebody changes in the job or its file is shown by its path and repaired; a job that is gone is made again.
func TestRetentionPurgeJobChangedOutside(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	s := newShell(t, with(w, retention(purging)))
	s.apply()
	name := "purge main.events.source"
	edit := func(change func(map[string]any)) func() {
		return func() {
			j := jobNamed(t, w, name)
			change(j.Settings)
			if err := outside(t, w).ResetJob(t.Context(), j.ID, j.Settings); err != nil {
				t.Fatal(err)
			}
		}
	}
	for part, do := range map[string]func(){
		"schedule.quartz_cron_expression": edit(func(s map[string]any) { s["schedule"].(map[string]any)["quartz_cron_expression"] = "0 0 3 ? * SUN" }),
		"schedule.pause_status":           edit(func(s map[string]any) { s["schedule"].(map[string]any)["pause_status"] = "PAUSED" }),
		"tags.watertight_owner":           edit(func(s map[string]any) { s["tags"].(map[string]any)["watertight_owner"] = "me" }),
		"tasks[purge].max_retries":        edit(func(s map[string]any) { s["tasks"].([]any)[0].(map[string]any)["max_retries"] = 4 }),
		"timeout_seconds":                 edit(func(s map[string]any) { s["timeout_seconds"] = 0 }),
		"the statement is not the one": func() {
			if err := outside(t, w).ImportFile(t.Context(), fileOf(jobNamed(t, w, name)), []byte("DELETE FROM main.events.source;\n"), true); err != nil {
				t.Fatal(err)
			}
		},
		"The purge job is gone": func() {
			if err := outside(t, w).DeleteJob(t.Context(), jobNamed(t, w, name).ID); err != nil {
				t.Fatal(err)
			}
		},
	} {
		do()
		out, code := s.plan()
		if code != 2 {
			t.Errorf("%s: the plan's exit is %d", part, code)
		}
		wantAll(t, out, part)
		w.ResetRequests()
		s.apply()
		if sent := altered(w); len(sent) != 0 {
			t.Errorf("%s: the table was altered: %q", part, sent)
		}
		if out, code := s.plan(); code != 0 {
			t.Errorf("%s: the plan after the repair: exit %d\n%s", part, code, out)
		}
	}
	if content, err := outside(t, w).ReadFile(t.Context(), fileOf(jobNamed(t, w, name))); err != nil || !strings.Contains(string(content), "MERGE INTO") {
		t.Errorf("%s, %v", content, err)
	}
}

// J41 databricks/cli#1515: a job whose run is active is not deleted under it.
func TestRetentionPurgeJobIsNotDeletedWhileItRuns(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	s := newShell(t, with(w, retention(purging)))
	s.apply()
	name := "purge main.events.source"
	w.SetRunTime(name, 2*time.Hour)
	if _, err := outside(t, w).RunNow(t.Context(), workspace.RunNow{JobID: jobNamed(t, w, name).ID, Token: "t"}); err != nil {
		t.Fatal(err)
	}
	w.ResetRequests()
	s.write(with(w, retention(`  event_time = "at"`)))
	out, code := s.tryApply()
	if code != 1 || len(altered(w)) != 0 || w.Count("POST", "jobs/delete") != 0 {
		t.Errorf("exit %d, sent %q", code, altered(w))
	}
	wantAll(t, out, "The purge job is running", "cancel_active_runs = true")
	out, code = s.run("destroy", "-no-color", "-auto-approve")
	if code != 1 || len(altered(w)) != 0 {
		t.Errorf("destroy: exit %d, sent %q\n%s", code, altered(w), out)
	}
	s.write(with(w, retention("  event_time = \"at\"\n  cancel_active_runs = true")))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// A purge job is not imported as a loader, nor as an optimize job; its retention is imported by the table, and the
// configuration that Terraform writes for it plans empty.
func TestRetentionPurgeJobImport(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	s := newShell(t, with(w, retention(purging)))
	s.apply()
	id := fmt.Sprint(jobNamed(t, w, "purge main.events.source").ID)
	for _, address := range []string{"watertight_loader_job", "watertight_optimize_job"} {
		other := newShell(t, with(w, fmt.Sprintf("import {\n  to = %s.x\n  id = %q\n}\n", address, id)))
		out, code := other.run("plan", "-no-color", "-generate-config-out=made.tf")
		if code != 1 || !strings.Contains(prose(out), "belongs to the watertight_retention of that table") {
			t.Errorf("%s: exit %d\n%s", address, code, out)
		}
	}
	before := s.values(retentionAddress)
	again := newShell(t, with(w, "import {\n  to = watertight_retention.source\n  id = \"main.events.source\"\n}\n"))
	if out, code := again.run("plan", "-no-color", "-generate-config-out=made.tf"); code != 0 {
		t.Fatalf("generate: exit %d\n%s", code, out)
	}
	w.ResetRequests()
	again.apply()
	if out, code := again.plan(); code != 0 || writes(w) != 0 {
		t.Errorf("plan after the import: exit %d, %d writes\n%s", code, writes(w), out)
	}
	after := again.values(retentionAddress)
	for _, same := range []string{"owner", "purge_job_id", "purge_sql_file", "purge_statement", "purge", "rolling_window", "event_time", "expire_by"} {
		if d := cmp.Diff(before[same], after[same]); d != "" || before[same] == nil {
			t.Errorf("%s: %s", same, d)
		}
	}
}

// The link to a loader that Terraform made comes back from an import as the loader's own, so that the first plan is empty.
func TestRetentionPurgeJobImportFindsTheLoader(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	config := with(w, loader("")+`
resource "watertight_retention" "source" {
  table          = "main.events.stream_messages"
  rolling_window = "24h"
  event_time     = "context_updatedAt"
  expire_by      = "purge_job"
  loaded_by      = watertight_loader_job.messages
  purge          = { quartz_cron_expression = "0 20 * * * ?", timezone_id = "UTC", name = "tidy up", max_duration = "10m" }
}
`)
	s := newShell(t, config)
	s.apply()
	s.must("state", "rm", retentionAddress)
	s.must("import", "-no-color", retentionAddress, "main.events.stream_messages")
	if out, code := s.plan(); code != 0 {
		t.Errorf("plan after the import: exit %d\n%s", code, out)
	}
}

// J37, R07 databricks/databricks-sdk-go#733: the job is made once, whatever happens to the answer.
func TestRetentionPurgeJobIsMadeOnce(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	s := newShell(t, with(w, retention(purging)))
	w.AddFault(local.Fault{Route: "jobs/create", Call: 1, ActThenStatus: true, Status: 504})
	s.apply()
	if n := w.Count("POST", "jobs/create"); n != 1 {
		t.Errorf("%d creates", n)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	// Another table's job of the same name is refused; so is a leftover.
	sql(t, w, "CREATE TABLE main.events.other (p INT, seq BIGINT, at TIMESTAMP)")
	lines := strings.ReplaceAll(purging, "main.events.source", "main.events.other")
	lines = strings.Replace(lines, `timezone_id = "UTC" }`, `timezone_id = "UTC", name = "purge main.events.source" }`, 1)
	two := newShell(t, with(w, retention("  table = \"main.events.other\"\n"+lines)))
	out, code := two.tryApply()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "A job of this name exists already", "deletes expired rows from main.events.source", "purge.name")
	if n := w.Count("POST", "jobs/create"); n != 1 {
		t.Errorf("%d creates", n)
	}
}

// Every way of a purge that the table cannot take is refused at plan, where it stands, and nothing is written.
func TestRetentionPurgeRefusals(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	sql(t, w, "CREATE TABLE main.events.texts (p INT, seq STRING)")
	sql(t, w, "CREATE TABLE main.events.keyless (p INT)")
	swap := func(a, b string) string { return strings.Replace(purging, a, b, 1) }
	w.ResetRequests()
	for name, c := range map[string]struct{ lines, wanted string }{
		"no loader":                  {strings.Replace(purging, link, "", 1), "loaded_by is missing"},
		"no time":                    {strings.Replace(purging, everyHour, "", 1), "purge is missing"},
		"no event time":              {strings.Replace(purging, `event_time = "at"`, "", 1), "event_time is missing"},
		"a time for nothing":         {swap(`"purge_job"`, `"external"`), "There is no purge job to run"},
		"another source":             {swap(`source = "main.events.source"`, `source = "main.events.other"`), "The loader reads another table"},
		"the source as target":       {swap(`target = "main.events.target"`, `target = "main.events.source"`), "is the source itself"},
		"half a key":                 {swap(`partition = "p", `, ""), "key.partition"},
		"a key without its column":   {swap(`sequence = "seq"`, `sequence = "nothing"`), `main.events.source has no column "nothing"`},
		"a target without the key":   {swap(`target = "main.events.target"`, `target = "main.events.keyless"`), `main.events.keyless has no column "seq"`},
		"a key of two types":         {swap(`target = "main.events.target"`, `target = "main.events.texts"`), "The key has two types"},
		"an event time that is none": {swap(`event_time = "at"`, `event_time = "seq"`), "is of type BIGINT"},
		"a wrong schedule":           {swap("0 20 * * * ?", "20 * * * *"), "quartz_cron_expression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, code := newShell(t, with(w, retention(c.lines))).plan()
			if code != 1 || !strings.Contains(prose(out), c.wanted) {
				t.Errorf("exit %d, want %q in\n%s", code, c.wanted, out)
			}
		})
	}
	t.Cleanup(func() {
		if n := writes(w); n != 0 {
			t.Errorf("refused plans wrote %d times", n)
		}
	})
}

// The statement waits for what is not known yet: a table that the same apply makes, a window that it computes.
func TestRetentionPurgeOfUnknowns(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	s := newShell(t, with(w, "resource \"terraform_data\" \"window\" {\n  input = \"36h\"\n}\n"+retention(purging+"  rolling_window = terraform_data.window.output\n")))
	out, code := s.plan()
	if code != 2 || strings.Contains(out, "MERGE INTO") {
		t.Errorf("exit %d\n%s", code, out)
	}
	wantAll(t, prose(out), "purge_statement = (known after apply)")
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	content, err := outside(t, w).ReadFile(t.Context(), fileOf(jobNamed(t, w, "purge main.events.source")))
	if err != nil || strings.Count(string(content), "timestampadd(HOUR, -36, current_timestamp())") != 2 {
		t.Errorf("%s, %v", content, err)
	}
}

// A loader that others declared is linked through its data source.
func TestRetentionPurgeJobOfForeignLoader(t *testing.T) {
	t.Parallel()
	w := openPair(t, local.Behaviour{})
	if _, err := outside(t, w).CreateJob(t.Context(), map[string]any{"name": "theirs", "tasks": []any{}}); err != nil {
		t.Fatal(err)
	}
	s := newShell(t, with(w, `
data "watertight_loader_job" "theirs" {
  name         = "theirs"
  source       = "main.events.source"
  target       = "main.events.target"
  key          = { partition = "p", sequence = "seq" }
  event_time   = "at"
  reads        = "delta_stream"
  max_duration = "20m"
  longest_gap  = "1h"
  settle_delay = "30m"
}
`+retention(strings.Replace(purging, link, "  loaded_by = data.watertight_loader_job.theirs\n", 1))))
	out := s.apply()
	wantAll(t, prose(out), "The loader theirs reads main.events.source as a delta_stream", "skipChangeCommits")
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if j := jobNamed(t, w, "purge main.events.source"); tagsOf(j.Settings)["watertight_purge_loader"] != fmt.Sprint(jobNamed(t, w, "theirs").ID) {
		t.Errorf("the job's tags are %v", j.Settings["tags"])
	}
}

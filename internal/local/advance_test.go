package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"
)

// tick is a job that does nothing but run.
func tick(name, trigger string) string {
	return fmt.Sprintf(`{"name":%q,%s,"tasks":[{"task_key":"a","condition_task":{"left":"1","op":"EQUAL_TO","right":"1"}}]}`, name, trigger)
}

const quarterly = `"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC"}`

// starts are the starts of a job's runs to the second, the oldest first.
func starts(t *testing.T, w *Workspace, job int64) []string {
	t.Helper()
	runs, err := client(t, w).Jobs.ListRunsAll(t.Context(), jobs.ListRunsRequest{JobId: job})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range runs {
		out = append(out, time.UnixMilli(r.StartTime).UTC().Format("02 15:04:05"))
	}
	slices.Reverse(out)
	return out
}

func advance(t *testing.T, w *Workspace, d time.Duration) {
	t.Helper()
	if err := w.Advance(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func TestAdvanceFiresSchedules(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, tick("quarterly", quarterly))
	paused := create(t, w, tick("paused", `"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","pause_status":"PAUSED"}`))
	periodic := create(t, w, tick("periodic", `"trigger":{"periodic":{"interval":40,"unit":"MINUTES"}}`))
	berlin := create(t, w, tick("berlin", `"schedule":{"quartz_cron_expression":"0 30 8 * * ?","timezone_id":"Europe/Berlin"}`))
	advance(t, w, 2*time.Hour)
	for job, want := range map[int64][]string{
		id:       {"02 06:15:00", "02 06:30:00", "02 06:45:00", "02 07:00:00", "02 07:15:00", "02 07:30:00", "02 07:45:00", "02 08:00:00"},
		paused:   nil,
		periodic: {"02 06:40:00", "02 07:20:00", "02 08:00:00"},
		berlin:   {"02 07:30:00"},
	} {
		if diff := cmp.Diff(want, starts(t, w, job)); diff != "" {
			t.Errorf("job %d (-want +got):\n%s", job, diff)
		}
	}
	if n := w.Count("POST", "run-now"); n != 0 {
		t.Errorf("%d run-now requests", n)
	}
}

// J02 databricks/terraform-provider-databricks#2696: fires missed while paused are not caught up, and run-now does not
// resume.
func TestAdvanceOverAPause(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, tick("loader", quarterly))
	pause := func(status string) {
		ok(t, w, "POST", "/api/2.2/jobs/update", fmt.Sprintf(`{"job_id":%d,"new_settings":{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","pause_status":%q}}}`, id, status))
	}
	advance(t, w, 20*time.Minute)
	pause("PAUSED")
	advance(t, w, time.Hour)
	ended(t, w, now(t, w, id, ""))
	advance(t, w, time.Hour)
	pause("UNPAUSED")
	advance(t, w, 30*time.Minute)
	want := []string{"02 06:15:00", "02 07:20:00", "02 08:30:00", "02 08:45:00"}
	if diff := cmp.Diff(want, starts(t, w, id)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAdvanceContinuous(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, tick("always", `"continuous":{}`))
	w.SetRunTime("always", 10*time.Minute)
	advance(t, w, time.Hour)
	got := starts(t, w, id)
	want := []string{"02 06:00:00", "02 06:10:30", "02 06:21:00", "02 06:31:30", "02 06:42:00", "02 06:52:30"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// J07 databricks/cli#1849: run-now cancels the active run and starts one.
	active := now(t, w, id, "")
	eventually(t, "one active run", func() bool {
		r, err := client(t, w).Jobs.ListRunsAll(t.Context(), jobs.ListRunsRequest{JobId: id, ActiveOnly: true})
		return err == nil && len(r) == 1 && r[0].RunId == active
	})
}

// J06 databricks/terraform-provider-databricks#4267: the service starts a continuous job in the same moment, and run-now
// gets a 409.
func TestContinuousRace(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.Behaviour.ContinuousRace = true })
	id := create(t, w, tick("always", `"continuous":{}`))
	if status, body, _ := send(t, w, "POST", "/api/2.2/jobs/run-now", fmt.Sprintf(`{"job_id":%d}`, id)); status != 409 {
		t.Errorf("%d %v", status, body)
	}
	if got := starts(t, w, id); len(got) != 1 {
		t.Errorf("%d runs", len(got))
	}
}

func TestRunTimeOverTheLimit(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, tick("slow", `"timeout_seconds":1200,`+quarterly))
	w.SetRunTime("slow", 2*time.Hour)
	advance(t, w, time.Hour)
	runs, err := client(t, w).Jobs.ListRunsAll(t.Context(), jobs.ListRunsRequest{JobId: id})
	if err != nil || len(runs) != 4 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, fmt.Sprintf("%s %s %d", r.State.LifeCycleState, r.State.ResultState, (r.EndTime-r.StartTime)/1000))
	}
	slices.Sort(got)
	// The run of 06:15 ends at 06:35; that of 06:30 waited and lasts to 06:55; those of 06:45 and 07:00 wait.
	if want := "TERMINATED TIMEDOUT"; !strings.HasPrefix(got[3], want) || !strings.HasPrefix(got[2], want) || !strings.HasPrefix(got[1], "RUNNING") || !strings.HasPrefix(got[0], "QUEUED") {
		t.Errorf("%q", got)
	}
}

func TestAdvanceStopsWithItsContext(t *testing.T) {
	t.Parallel()
	w := open(t)
	create(t, w, tick("loader", quarterly))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Advance(ctx, 100*24*time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if w.Now().Sub(start) > 24*time.Hour {
		t.Errorf("the clock is at %s", w.Now())
	}
}

func TestControlRoutes(t *testing.T) {
	t.Parallel()
	w := open(t)
	id := create(t, w, tick("loader", quarterly))
	if got := ok(t, w, "POST", "/local/v1/advance", `{"seconds":3600}`); got["now"] != "2026-03-02T07:00:00.006Z" && !strings.HasPrefix(text(got["now"]), "2026-03-02T07:00:00") {
		t.Errorf("%v", got)
	}
	ok(t, w, "POST", "/local/v1/clock", `{"now":"2026-03-02T08:00:00.5Z"}`)
	if n := len(starts(t, w, id)); n != 8 {
		t.Errorf("%d runs", n)
	}
	for path, body := range map[string]string{"advance": `{"seconds":-1}`, "clock": `{"now":"2020-01-01T00:00:00Z"}`, "faults": `{"status":1}`, "scripts": `{}`, "feed": `{"table":"a"}`} {
		if status, got, _ := send(t, w, "POST", "/local/v1/"+path, body); status != 400 {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	ok(t, w, "POST", "/local/v1/faults", `[{"route":"jobs/get","status":500}]`)
	if got := list(ok(t, w, "GET", "/local/v1/faults", "")["faults"]); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if status, _, _ := send(t, w, "GET", "/api/2.2/jobs/get?job_id=1", ""); status != 500 {
		t.Errorf("fault added at run time: %d", status)
	}
	ok(t, w, "DELETE", "/local/v1/faults", "")
	ok(t, w, "POST", "/local/v1/scripts", `{"job":"loader","steps":[{"life_cycle":"SKIPPED"}]}`)
	ok(t, w, "POST", "/local/v1/behaviour", `{"missing_job":400}`)
	if w.Behaviour().MissingJob != 400 {
		t.Error("the switch was not set")
	}
	if n := len(w.Requests()); n == 0 || w.Count("", "/local/*") != 0 {
		t.Error("control routes were recorded")
	}
}

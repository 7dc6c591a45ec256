package pipeline_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// planned is a workspace with a source that keeps rows 24 h and a loader every 15 minutes, of at most 20.
func planned(t *testing.T) (*bed, int64) {
	t.Helper()
	b := open(t)
	b.tables("INT", " TBLPROPERTIES ('watertight.rolling_window' = '24h', 'watertight.event_time' = 'u')")
	return b, b.job(promise(coverage.SettleWall), loaderSQL(coverage.SettleWall), func(s map[string]any) {
		s["schedule"].(map[string]any)["pause_status"] = "UNPAUSED"
		s["queue"] = map[string]any{"enabled": false}
	})
}

func (b *bed) maintain(loader int64, m contract.Maintenance) int64 {
	b.t.Helper()
	m.Table, m.LoaderID, m.Expression, m.ZoneID = "main.events.tgt", loader, "0 0 2 ? * SUN", "UTC"
	tags := map[string]any{}
	for k, v := range m.Tags() {
		tags[k] = v
	}
	id, err := b.client.CreateJob(b.t.Context(), map[string]any{"name": "optimize " + m.Duration.String(), "tags": tags,
		"tasks": []any{map[string]any{"task_key": "optimize", "sql_task": map[string]any{"warehouse_id": b.WarehouseID(),
			"file": map[string]any{"path": loaderFile, "source": "WORKSPACE"}}}}})
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// The arithmetic by hand: a run may last 20 minutes, so of the fires every 15 minutes every second one is skipped: the
// wait is 30 min + 20 min, the headroom 24 h − 30 min − 50 min.
func TestCheck(t *testing.T) {
	t.Parallel()
	b, job := planned(t)
	check := func(o pipeline.CheckOptions) pipeline.CheckResult {
		t.Helper()
		r, err := pipeline.Check(t.Context(), b.client, "load", o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := check(pipeline.CheckOptions{})
	if r.Verdict.Answer != coverage.Holds || r.Verdict.LongestWait != 50*time.Minute || r.Verdict.Headroom != 22*time.Hour+40*time.Minute || r.ExitCode() != run.Pass || r.JobID != job || r.Maintenance != nil || !r.Deadline.IsZero() {
		t.Errorf("%+v", r)
	}
	b.exec("INSERT INTO main.events.src VALUES (0, 1, TIMESTAMP'2026-03-02T05:00:00Z')")
	b.advance(time.Minute)
	id := b.load(job)
	one, err := b.client.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if r = check(pipeline.CheckOptions{}); !r.Deadline.Equal(one.Started.Add(23*time.Hour + 30*time.Minute)) {
		t.Errorf("the deadline is %s after a run at %s", r.Deadline, one.Started)
	}
	b.maintain(job, contract.Maintenance{Duration: 2 * time.Hour, LoaderDuringWindow: contract.LoaderPaused})
	harmless := check(pipeline.CheckOptions{})
	if harmless.Verdict.Answer != coverage.Holds || harmless.Maintenance == nil || harmless.Verdict.LongestWait <= 2*time.Hour {
		t.Errorf("a pause of 2 h: %+v", harmless.Verdict)
	}
	long := b.maintain(job, contract.Maintenance{Duration: 25 * time.Hour, LoaderDuringWindow: contract.LoaderPaused})
	r = check(pipeline.CheckOptions{})
	if r.Verdict.Answer != coverage.Violated || r.Verdict.Headroom >= 0 || r.ExitCode() != run.Loss || r.MaintenanceJobID != long {
		t.Errorf("the worse of two maintenance jobs, 25 h: %+v", r)
	}
	if r = check(pipeline.CheckOptions{Pause: 30 * time.Hour}); r.Verdict.Answer != coverage.Violated {
		t.Errorf("a pause at no known time: %+v", r.Verdict)
	}
	if n := b.Count("POST", statements); n != 0 {
		t.Errorf("%d statements were run", n)
	}
}

func TestCheckLowHeadroomWarns(t *testing.T) {
	t.Parallel()
	b, _ := planned(t)
	least := 23 * time.Hour
	r, err := pipeline.Check(t.Context(), b.client, "load", pipeline.CheckOptions{MinimumHeadroom: &least})
	if err != nil || r.Verdict.Answer != coverage.Violated || r.ExitCode() != run.Warning {
		t.Errorf("%+v %v", r, err)
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	b, job := planned(t)
	b.job(promise(coverage.SettleWall), "SELECT 1", func(s map[string]any) { s["name"], s["tags"] = "plain", map[string]any{} })
	if _, err := pipeline.Check(t.Context(), b.client, "plain", pipeline.CheckOptions{}); !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), `job "plain"`) {
		t.Errorf("no contract: %v", err)
	}
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('watertight.rolling_window' = '1 month')")
	if _, err := pipeline.Check(t.Context(), b.client, "load", pipeline.CheckOptions{}); !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), "1 month") || !strings.Contains(err.Error(), "main.events.src") {
		t.Errorf("a month: %v", err)
	}
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	bad := contract.Maintenance{Duration: time.Hour, LoaderDuringWindow: "asleep"}
	b.maintain(job, bad)
	if _, err := pipeline.Check(t.Context(), b.client, "load", pipeline.CheckOptions{}); !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), "asleep") {
		t.Errorf("a broken maintenance: %v", err)
	}
}

// Pausing writes the trigger alone, and nothing when there is nothing to change.
func TestSetPause(t *testing.T) {
	t.Parallel()
	b, job := planned(t)
	before, err := b.client.Job(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	b.load(job)
	const update = "/api/2.2/jobs/update"
	for i, step := range []struct{ paused, changed bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		b.ResetRequests()
		r, err := pipeline.SetPause(t.Context(), b.client, "load", step.paused)
		if err != nil || r.Changed != step.changed || r.Paused != step.paused || r.JobID != job || r.Deadline.IsZero() {
			t.Fatalf("step %d: %+v %v", i, r, err)
		}
		writes := 0
		for _, q := range b.Requests() {
			if q.Method == http.MethodPost {
				writes++
				var body struct {
					Settings map[string]any `json:"new_settings"`
				}
				if err := json.Unmarshal([]byte(q.Body), &body); err != nil || q.Route != update || len(body.Settings) != 1 || body.Settings["schedule"] == nil {
					t.Errorf("step %d: %s %s %v", i, q.Route, q.Body, err)
				}
			}
		}
		if want := map[bool]int{true: 1, false: 0}[step.changed]; writes != want {
			t.Errorf("step %d: %d writes", i, writes)
		}
	}
	after, err := b.client.Job(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if d := jobspec.Compare(before.Settings, after.Settings); len(d) != 0 {
		t.Errorf("the settings changed: %v", d)
	}
	b.job(promise(coverage.SettleWall), "SELECT 1", func(s map[string]any) { s["name"] = "manual"; delete(s, "schedule") })
	if _, err := pipeline.SetPause(t.Context(), b.client, "manual", true); !errors.Is(err, pipeline.ErrConfiguration) {
		t.Errorf("nothing to pause: %v", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	b, job := planned(t)
	b.job(promise(coverage.SettleWall), "SELECT 1", func(s map[string]any) { s["name"], s["tags"] = "plain", map[string]any{} })
	broken := b.job(promise(coverage.SettleWall), "SELECT 1", func(s map[string]any) {
		s["name"] = "broken"
		s["tags"].(map[string]any)["watertight_settle_delay"] = "soon"
	})
	id := b.load(job)
	one, err := b.client.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.SetPause(t.Context(), b.client, "load", true); err != nil {
		t.Fatal(err)
	}
	b.advance(20 * time.Hour)
	all, err := pipeline.Status(t.Context(), b.client, "")
	if err != nil {
		t.Fatal(err)
	}
	byID := map[int64]pipeline.JobStatus{}
	for _, s := range all {
		byID[s.JobID] = s
	}
	if len(all) != 2 || byID[broken].CoverageErr == nil || byID[broken].Name != "broken" {
		t.Errorf("%d loaders: %+v", len(all), byID[broken])
	}
	s := byID[job]
	deadline := one.Started.Add(23*time.Hour + 30*time.Minute)
	if !s.Paused || s.LastSuccess == nil || s.LastSuccess.ID != id || s.LastRun.ID != id || s.Active != nil || !s.NextRun.IsZero() || !s.Deadline.Equal(deadline) || s.Left != deadline.Sub(s.At) || s.Left > 4*time.Hour || s.CoverageErr != nil {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff([]string{"main.events.src", "main.events.tgt", "schedule", "0 0/15 * * * ?", "UTC"}, []string{s.Source, s.Target, s.Trigger, s.Expression, s.ZoneID}); d != "" {
		t.Error(d)
	}
	if _, err := pipeline.SetPause(t.Context(), b.client, "load", false); err != nil {
		t.Fatal(err)
	}
	only, err := pipeline.Status(t.Context(), b.client, "load")
	if err != nil || len(only) != 1 || only[0].Paused || !only[0].NextRun.After(only[0].At) || only[0].NextRun.Sub(only[0].At) > 15*time.Minute {
		t.Errorf("%+v %v", only, err)
	}
}

package maintenance_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func hours(n int) *int { return &n }

func aJob() maintenance.Job {
	return maintenance.Job{
		Name: "optimize_messages",
		Plan: maintenance.Plan{Table: "main.events.messages", Optimize: maintenance.Optimize{ZOrderBy: []string{"technical_partition"}}, Vacuum: &maintenance.Vacuum{}, Analyze: true},
		Promise: contract.Maintenance{Table: "main.events.messages", LoaderID: 7, Expression: "0 0 2 ? * SUN", ZoneID: "UTC", Duration: 2 * time.Hour,
			LoaderDuringWindow: contract.LoaderRunning, MinimumHeadroom: 4 * time.Hour},
		WarehouseID: "w",
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan  maintenance.Plan
		want  []string
		fault string // the field at fault
	}{
		"plain":            {plan: maintenance.Plan{Table: "m.e.t"}, want: []string{"OPTIMIZE `m`.`e`.`t`"}},
		"everything":       {plan: aJob().Plan, want: []string{"OPTIMIZE `main`.`events`.`messages` ZORDER BY (`technical_partition`)", "VACUUM `main`.`events`.`messages`", "ANALYZE TABLE `main`.`events`.`messages` COMPUTE STATISTICS"}},
		"where and zorder": {plan: maintenance.Plan{Table: "m.e.`odd-name`", Optimize: maintenance.Optimize{Where: "day >= '2026;--'", ZOrderBy: []string{"a b", "c.d"}}}, want: []string{"OPTIMIZE `m`.`e`.`odd-name` WHERE day >= '2026;--' ZORDER BY (`a b`, `c`.`d`)"}},
		"full, lite":       {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Full: true}, Vacuum: &maintenance.Vacuum{Lite: true, RetainHours: hours(240)}}, want: []string{"OPTIMIZE `m`.`e`.`t` FULL", "VACUUM `m`.`e`.`t` LITE RETAIN 240 HOURS"}},
		"no table":         {plan: maintenance.Plan{Table: "t"}, fault: "table"},
		"full with where":  {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Full: true, Where: "a = 1"}}, fault: "full"},
		"full with zorder": {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Full: true, ZOrderBy: []string{"a"}}}, fault: "full"},
		"zorder twice":     {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{ZOrderBy: []string{"a", "A"}}}, fault: "zorder_by"},
		"zorder by two":    {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{ZOrderBy: []string{"a, b"}}}, fault: "zorder_by"},
		"lite and full":    {plan: maintenance.Plan{Table: "m.e.t", Vacuum: &maintenance.Vacuum{Lite: true, Full: true}}, fault: "vacuum.lite"},
		"T07 delta-io/delta#1470: zero retention": {plan: maintenance.Plan{Table: "m.e.t", Vacuum: &maintenance.Vacuum{RetainHours: hours(0)}}, fault: "vacuum.retain_hours"},
		"negative retention":                      {plan: maintenance.Plan{Table: "m.e.t", Vacuum: &maintenance.Vacuum{RetainHours: hours(-1)}}, fault: "vacuum.retain_hours"},
		"a second statement":                      {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Where: "a = 1; DROP TABLE t"}}, fault: "where"},
		"a comment":                               {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Where: "a = 1 -- x"}}, fault: "where"},
		"an open quote":                           {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Where: `a = 'x\'`}}, fault: "where"},
		"an open parenthesis":                     {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Where: "(a = 1"}}, fault: "where"},
		"a closed one":                            {plan: maintenance.Plan{Table: "m.e.t", Optimize: maintenance.Optimize{Where: "a) OR (b"}}, fault: "where"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.plan.Statements()
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if err == nil {
				again(t, c.plan)
			}
			var fault contract.Problem
			if (err != nil) != (c.fault != "") || err != nil && (!errors.As(err, &fault) || fault.Field != c.fault || fault.Hint == "" || fault.Reason == "") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// again reads the file of a plan back: an import has nothing else.
func again(t *testing.T, p maintenance.Plan) {
	t.Helper()
	_, content, err := maintenance.Job{Name: "n", Plan: p}.File()
	if err != nil {
		t.Fatal(err)
	}
	got, ok := maintenance.ReadFile(content)
	p.Table = strings.ReplaceAll(p.Table, "`", "")
	if !ok || cmp.Diff(p, got) != "" {
		t.Errorf("read back: %v %s\n%s", ok, cmp.Diff(p, got), content)
	}
	for _, wrong := range []string{"", "SELECT 1;\n", string(content) + "SELECT 1;\n", strings.TrimSuffix(string(content), ";\n"), strings.ToLower(string(content))} {
		if _, ok := maintenance.ReadFile([]byte(wrong)); ok {
			t.Errorf("read %q", wrong)
		}
	}
}

// T11 delta-io/delta-kernel-rs#522: a RETAIN of its own must not cut into what the table promises.
func TestRetainAgainstTheTable(t *testing.T) {
	t.Parallel()
	for hour, bad := range map[int]bool{24: true, 167: true, 168: false, 1000: false, 1 << 62: false} {
		p := maintenance.Plan{Table: "m.e.t", Vacuum: &maintenance.Vacuum{RetainHours: hours(hour)}}
		if got := p.ValidateAgainst(7 * 24 * time.Hour); (len(got) > 0) != bad {
			t.Errorf("RETAIN %d HOURS: %v", hour, got)
		}
	}
	if got := (maintenance.Plan{Table: "m.e.t", Vacuum: &maintenance.Vacuum{}}).ValidateAgainst(time.Hour); got != nil {
		t.Errorf("the table's own retention: %v", got)
	}
}

func TestJobSettings(t *testing.T) {
	t.Parallel()
	j := aJob()
	s, err := maintenance.JobSettings(j)
	if err != nil {
		t.Fatal(err)
	}
	if p := jobspec.ValidateFields(s); len(p) > 0 {
		t.Errorf("the Jobs API has no such settings: %v", p)
	}
	if got, ok, err := maintenance.FromSettings(s); !ok || err != nil || cmp.Diff(j.Promise, got) != "" {
		t.Errorf("%v, %v: %s", ok, err, cmp.Diff(j.Promise, got))
	}
	path, content, err := j.File()
	if err != nil || maintenance.FilePath(s) != path || !strings.HasPrefix(path, maintenance.Directory+"/optimize_messages-") {
		t.Errorf("%s, %s, %v", path, maintenance.FilePath(s), err)
	}
	if strings.HasPrefix(string(content), "-- Databricks notebook source") || strings.Count(string(content), ";\n") != 3 {
		t.Errorf("%s", content)
	}
	moved := s["schedule"].(map[string]any)
	moved["quartz_cron_expression"] = "0 0 3 ? * MON"
	if got, _, err := maintenance.FromSettings(s); err != nil || got.Expression != "0 0 3 ? * MON" {
		t.Errorf("the live schedule opens the window, and not the tag: %+v, %v", got, err)
	}
	if _, ok, err := maintenance.FromSettings(jobspec.Settings{"schedule": moved}); ok || err != nil {
		t.Errorf("a job without tags: %v, %v", ok, err)
	}
	for name, change := range map[string]func(*maintenance.Job){
		"no warehouse": func(j *maintenance.Job) { j.WarehouseID = "" }, "no name": func(j *maintenance.Job) { j.Name = " " },
		"no window": func(j *maintenance.Job) { j.Promise.Duration = 0 }, "a wrong schedule": func(j *maintenance.Job) { j.Promise.Expression = "0 2 * * 7" },
		"a wrong zone": func(j *maintenance.Job) { j.Promise.ZoneID = "Mars" }, "a wrong plan": func(j *maintenance.Job) { j.Plan.Table = "t" },
	} {
		j := aJob()
		change(&j)
		if s, err := maintenance.JobSettings(j); err == nil || s != nil {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	j.Promise.LoaderDuringWindow = contract.LoaderPaused
	if s, err := maintenance.JobSettings(j); !errors.Is(err, maintenance.ErrPausesLoader) || s != nil {
		t.Errorf("a job that cannot pause its loader was made: %v, %v", s, err)
	}
	if w, err := j.Promise.Window(); err != nil || !w.LoaderPaused {
		t.Errorf("its window can still be judged: %+v, %v", w, err)
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{"a/b", "a_b", "a b", "ä", strings.Repeat("n", 300), "../../etc", "x\ny"} {
		j := aJob()
		j.Name = name
		path, content, err := j.File()
		if err != nil || seen[path] != "" || strings.Contains(path, "..") || len(path) > 150 || strings.ContainsAny(path, " \n") {
			t.Errorf("%q: %s, %v", name, path, err)
		}
		if first, _, _ := strings.Cut(string(content), "\n"); !strings.HasSuffix(first, "writes it again.") {
			t.Errorf("%q breaks out of its comment: %s", name, content)
		}
		seen[path] = name
	}
	mine, yours := aJob(), aJob()
	mine.Owner, yours.Owner = "6e9d7c1e", "0b34f7aa"
	a, _, errA := mine.File()
	b, _, errB := yours.File()
	if errA != nil || errB != nil || a == b || !strings.Contains(a, mine.Owner) || a != maintenance.OwnFile(mine.Name, mine.Owner) {
		t.Errorf("two owners: %s, %s, %v, %v", a, b, errA, errB)
	}
	j := aJob()
	first, _, _ := j.File()
	j.Plan.Table = "main.events.other"
	if second, _, err := j.File(); err != nil || first == second {
		t.Errorf("two tables share the file %s, %v", second, err)
	}
}

// The job does what it says: made through the API, it runs its file on the warehouse.
func TestJobRuns(t *testing.T) {
	t.Parallel()
	w, err := local.Open(t.Context(), local.Options{Empty: true, Token: "secret", Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	c, err := workspace.New(workspace.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", WarehouseID: w.WarehouseID(), RateLimit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, sql := range []string{"CREATE SCHEMA IF NOT EXISTS main.events", "CREATE TABLE main.events.messages (technical_partition INT, payload STRING)", "INSERT INTO main.events.messages VALUES (1, 'x')"} {
		if err := c.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	j := aJob()
	j.WarehouseID = w.WarehouseID()
	path, content, err := j.File()
	if err != nil {
		t.Fatal(err)
	}
	settings, err := maintenance.JobSettings(j)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ImportFile(ctx, path, content, true); err != nil {
		t.Fatal(err)
	}
	id, err := c.CreateJob(ctx, settings)
	if err != nil {
		t.Fatal(err)
	}
	live, err := c.Job(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if d := jobspec.Compare(settings, live.Settings); len(d) > 0 {
		t.Errorf("what was written differs from what is read: %v", d)
	}
	runID, err := c.RunNow(ctx, workspace.RunNow{JobID: id, Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := c.Run(ctx, runID)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome().Final() {
			if r.Outcome() != run.Succeeded {
				t.Errorf("%s: %+v", r.Outcome(), r.Tasks)
			}
			break
		}
	}
	rows, err := c.Query(ctx, "DESCRIBE HISTORY main.events.messages")
	if err != nil {
		t.Fatal(err)
	}
	operations := map[string]bool{}
	for rows.Next() {
		for i, col := range rows.Columns() {
			if v := rows.Row()[i]; col.Name == "operation" && v != nil {
				operations[*v] = true
			}
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || !operations["OPTIMIZE"] || !operations["VACUUM END"] {
		t.Errorf("the table has seen %v, %v", operations, err)
	}
}

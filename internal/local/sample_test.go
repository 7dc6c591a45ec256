package local

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/databricks/databricks-sdk-go/service/catalog"
	"github.com/databricks/databricks-sdk-go/service/jobs"
	"github.com/google/go-cmp/cmp"
)

// rows runs a query and joins its cells.
func rows(t *testing.T, w *Workspace, sql string) []string {
	t.Helper()
	r, err := w.Exec(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	for r.Next() {
		var cells []string
		for _, c := range r.Row() {
			if c == nil {
				cells = append(cells, "NULL")
				continue
			}
			cells = append(cells, *c)
		}
		out = append(out, strings.Join(cells, " "))
	}
	if err := r.Err(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if err := r.Close(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func execute(t *testing.T, w *Workspace, sql string) { t.Helper(); rows(t, w, sql) }

func sample(t *testing.T, change ...func(*Options)) *Workspace {
	t.Helper()
	return open(t, append([]func(*Options){func(o *Options) { o.Empty = false }}, change...)...)
}

func loader(more string) string {
	return fmt.Sprintf(`{"name":"load_messages",%s%s,"tasks":[{"task_key":"load","sql_task":{"warehouse_id":%q,"file":{"path":%q,"source":"WORKSPACE"}}}]}`, quarterly, more, warehouseID, LoaderPath)
}

// summary is count and checksums of a set of rows, by partition.
func summary(events func(yield func(Event) bool), keep func(Event) bool) []string {
	type sum struct{ n, sequences, millis int64 }
	sums := map[int]*sum{}
	for e := range events {
		if !keep(e) {
			continue
		}
		s := sums[e.Partition]
		if s == nil {
			s = &sum{}
			sums[e.Partition] = s
		}
		s.n++
		s.sequences += e.Sequence
		s.millis += e.EventTime.UnixMilli()
	}
	var out []string
	for p := range 1024 {
		if s := sums[p]; s != nil {
			out = append(out, fmt.Sprintf("%d %d %d %d", p, s.n, s.sequences, s.millis))
		}
	}
	return out
}

func tableSummary(t *testing.T, w *Workspace, table string) []string {
	t.Helper()
	return rows(t, w, "SELECT technical_partition, count(*), sum(technical_sequenceNumber), sum(unix_millis(context_updatedAt)) FROM "+table+" GROUP BY technical_partition ORDER BY technical_partition")
}

// The sample: a day of events that the feed knows, and a loader that loads what is due and nothing else.
func TestSampleDay(t *testing.T) {
	t.Parallel()
	w := sample(t)
	if got := w.Now().Sub(start); got < 0 || got > time.Minute {
		t.Errorf("the sample's clock is at %s", w.Now())
	}
	all := func(Event) bool { return true }
	if diff := cmp.Diff(summary(w.Produced, all), tableSummary(t, w, "main.events.stream_messages")); diff != "" {
		t.Errorf("source (-feed +table):\n%s", diff)
	}
	run := now(t, w, create(t, w, loader("")), "")
	r := ended(t, w, run)
	if !strings.HasPrefix(states(r), "TERMINATED/SUCCESS ") {
		t.Fatalf("%s: %v", states(r), r["state"])
	}
	var newest time.Time
	for e := range w.Produced {
		if e.EventTime.After(newest) {
			newest = e.EventTime
		}
	}
	due := func(e Event) bool { return e.EventTime.Before(newest.Add(-30 * time.Minute)) }
	if diff := cmp.Diff(summary(w.Produced, due), tableSummary(t, w, "main.events.messages")); diff != "" {
		t.Errorf("target (-feed +table):\n%s", diff)
	}
	// The run begins after every earlier commit and before its own.
	millis, _ := integer(r["start_time"])
	if at := lastCommit(t, w, "main.events.stream_messages"); at.UnixMilli() >= millis {
		t.Errorf("the source's last commit is at %d, the run's start at %d", at.UnixMilli(), millis)
	}
	if at := lastCommit(t, w, "main.events.messages"); at.UnixMilli() <= millis {
		t.Errorf("the target's commit is at %d, the run's start at %d", at.UnixMilli(), millis)
	}
}

func lastCommit(t *testing.T, w *Workspace, table string) time.Time {
	t.Helper()
	r, err := w.Exec(t.Context(), "DESCRIBE HISTORY "+table+" LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, c := range r.Columns() {
		if c.Name == "timestamp" && r.Next() {
			at, err := time.Parse("2006-01-02 15:04:05.999999", *r.Row()[i])
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatalf("no history of %s", table)
	return time.Time{}
}

// A week at the loader's pace: nothing is lost, and the source holds its window.
func TestSampleWeek(t *testing.T) {
	t.Parallel()
	w := sample(t)
	id := create(t, w, loader(""))
	clock := time.Now()
	advance(t, w, 7*24*time.Hour)
	t.Logf("a week in %s", time.Since(clock).Round(time.Millisecond))
	runs, err := client(t, w).Jobs.ListRunsAll(t.Context(), jobs.ListRunsRequest{JobId: id})
	if err != nil || len(runs) != 7*96 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if r.State.ResultState != jobs.RunResultStateSuccess {
			t.Fatalf("run %d: %+v", r.RunId, r.State)
		}
	}
	// The last run read what had been committed at its start.
	last := time.UnixMilli(runs[0].StartTime)
	var newest time.Time
	for e := range w.Produced {
		if !e.Arrived.After(last) && e.EventTime.After(newest) {
			newest = e.EventTime
		}
	}
	due := func(e Event) bool { return e.EventTime.Before(newest.Add(-30 * time.Minute)) }
	if diff := cmp.Diff(summary(w.Produced, due), tableSummary(t, w, "main.events.messages")); diff != "" {
		t.Errorf("target (-feed +table):\n%s", diff)
	}
	expired := w.Now().Truncate(time.Hour).Add(-24 * time.Hour)
	held := func(e Event) bool { return !e.EventTime.Before(expired) }
	if diff := cmp.Diff(summary(w.Produced, held), tableSummary(t, w, "main.events.stream_messages")); diff != "" {
		t.Errorf("source (-feed +table):\n%s", diff)
	}
}

// The incident: paused for 25 hours, the loader never sees the rows that expired meanwhile.
func TestSamplePause(t *testing.T) {
	t.Parallel()
	w := sample(t)
	id := create(t, w, loader(""))
	advance(t, w, 2*time.Hour)
	ok(t, w, "POST", "/api/2.2/jobs/update", fmt.Sprintf(`{"job_id":%d,"new_settings":{"schedule":{"quartz_cron_expression":"0 0/15 * * * ?","timezone_id":"UTC","pause_status":"PAUSED"}}}`, id))
	advance(t, w, 25*time.Hour)
	ended(t, w, now(t, w, id, ""))
	loaded := 0
	if _, err := fmt.Sscan(rows(t, w, "SELECT count(*) FROM main.events.messages")[0], &loaded); err != nil {
		t.Fatal(err)
	}
	produced := 0
	for range w.Produced {
		produced++
	}
	lost := produced - loaded - 8*30*60/25 // all but what is still in flight
	if lost < 8*3600/25 || lost > 8*4*3600/25 {
		t.Errorf("%d produced, %d loaded: about %d lost", produced, loaded, lost)
	}
}

func TestSQLTaskWithParameters(t *testing.T) {
	t.Parallel()
	w := open(t)
	execute(t, w, "CREATE SCHEMA main.ops")
	put := func(path, sql string) {
		t.Helper()
		if err := client(t, w).Workspace.Upload(t.Context(), path, strings.NewReader(sql)); err != nil {
			t.Fatal(err)
		}
	}
	put("/Shared/a.sql", "-- two ; statements\nUSE SCHEMA ops;\nCREATE TABLE IF NOT EXISTS seen (who STRING, run STRING, note STRING);\n"+
		"INSERT INTO seen VALUES (:who, :run, 'a;b''c -- d');\n/* ; */ SELECT count(*) FROM seen;")
	put("/Shared/bad.sql", "INSERT INTO main.ops.seen VALUES ('x','y','z');\n\nSELECT * FROM main.ops.missing;\nINSERT INTO main.ops.seen VALUES ('never','y','z')")
	task := func(path string) string {
		return fmt.Sprintf(`{"parameters":[{"name":"who","default":"nobody"}],"tasks":[{"task_key":"t","sql_task":{"warehouse_id":%q,"file":{"path":%q},"parameters":{"run":"{{job.run_id}}","who":"task"}}}]}`, warehouseID, path)
	}
	id := create(t, w, task("/Shared/a.sql"))
	run := now(t, w, id, `,"job_parameters":{"who":"me"}`)
	if r := ended(t, w, run); !strings.HasPrefix(states(r), "TERMINATED/SUCCESS ") {
		t.Fatalf("%v", r["state"])
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("me %d a;b'c -- d", run)}, rows(t, w, "SELECT * FROM main.ops.seen")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r := ended(t, w, now(t, w, create(t, w, task("/Shared/bad.sql")), ""))
	output := ok(t, w, "GET", fmt.Sprintf("/api/2.2/jobs/runs/get-output?run_id=%v", object(list(r["tasks"])[0])["run_id"]), "")
	if !strings.HasPrefix(text(output["error"]), "[TABLE_OR_VIEW_NOT_FOUND]") || !strings.Contains(text(output["error_trace"]), "line 3") {
		t.Errorf("%v", output)
	}
	if got := rows(t, w, "SELECT who FROM main.ops.seen ORDER BY who"); !cmp.Equal(got, []string{"me", "x"}) {
		t.Errorf("what came before the failure stays, and nothing runs after it: %v", got)
	}
}

func TestSQLNotebook(t *testing.T) {
	t.Parallel()
	w := open(t)
	put := func(name, source string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err := w.put(name, []byte(source), notebookKind, "SQL", true); err != nil {
			t.Fatal(err)
		}
	}
	put("/Shared/n", "-- Databricks notebook source\n-- MAGIC %md\n-- MAGIC # Title\n\n-- COMMAND ----------\n\nCREATE TABLE main.default.n AS SELECT :x AS x\n\n-- COMMAND ----------\n\nINSERT INTO main.default.n SELECT 'two'\n")
	put("/Shared/p", "-- Databricks notebook source\nSELECT 1\n\n-- COMMAND ----------\n\n-- MAGIC %python\n-- MAGIC print(1)\n")
	run := func(path string) map[string]any {
		return ended(t, w, now(t, w, create(t, w, fmt.Sprintf(`{"tasks":[{"task_key":"t","notebook_task":{"notebook_path":%q,"base_parameters":{"x":"one"}}}]}`, path)), ""))
	}
	if r := run("/Shared/n"); !strings.HasPrefix(states(r), "TERMINATED/SUCCESS ") {
		t.Fatalf("%v", r["state"])
	}
	if got := rows(t, w, "SELECT x FROM main.default.n ORDER BY x"); !cmp.Equal(got, []string{"one", "two"}) {
		t.Errorf("%v", got)
	}
	if r := run("/Shared/p"); !strings.Contains(text(object(r["state"])["state_message"]), "%python") {
		t.Errorf("%v", r["state"])
	}
}

// T01 databricks/terraform-provider-databricks#3455: the platform writes properties of its own.
func TestTablesAPI(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.Behaviour.PlatformProperties = true })
	execute(t, w, "CREATE TABLE main.default.a (id BIGINT NOT NULL, p INT, amount DECIMAL(10,2)) PARTITIONED BY (p) COMMENT 'mine' TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	execute(t, w, "CREATE VIEW main.default.v AS SELECT id FROM main.default.a")
	c := client(t, w)
	a, err := c.Tables.GetByFullName(t.Context(), "main.default.a")
	if err != nil {
		t.Fatal(err)
	}
	if a.TableType != catalog.TableTypeManaged || a.DataSourceFormat != "DELTA" || a.Comment != "mine" || a.Properties["watertight.rolling_window"] != "24h" || a.TableId == "" {
		t.Errorf("%+v", a)
	}
	var columns []string
	for _, c := range a.Columns {
		columns = append(columns, fmt.Sprint(c.Name, " ", c.TypeText, " ", c.TypeName, " ", c.Nullable))
	}
	if diff := cmp.Diff([]string{"id bigint LONG false", "p int INT true", "amount decimal(10,2) DECIMAL true"}, columns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	before := len(a.Properties)
	submit(t, w, "ALTER TABLE main.default.a SET TBLPROPERTIES ('x' = '1')", "")
	first, err := c.Tables.GetByFullName(t.Context(), "main.default.a")
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Tables.GetByFullName(t.Context(), "main.default.a")
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Properties) < before+6 || len(second.Properties) != len(first.Properties)+1 || second.Properties["x"] != "1" {
		t.Errorf("%d, %d, %d properties", before, len(first.Properties), len(second.Properties))
	}
	if err := c.Tables.Update(t.Context(), catalog.UpdateTableRequest{FullName: "main.default.a", Owner: "team"}); err != nil {
		t.Error(err)
	}
	tables, err := c.Tables.ListAll(t.Context(), catalog.ListTablesRequest{CatalogName: "main", SchemaName: "default", MaxResults: 1})
	if err != nil || len(tables) != 2 || tables[0].Owner != "team" || tables[1].TableType != catalog.TableTypeView {
		t.Errorf("%+v %v", tables, err)
	}
	for path, code := range map[string]string{"tables/main.default.none": "TABLE_DOES_NOT_EXIST", "tables?catalog_name=main&schema_name=none": "SCHEMA_DOES_NOT_EXIST"} {
		if status, body, _ := send(t, w, "GET", "/api/2.1/unity-catalog/"+path, ""); status != 404 || body["error_code"] != code {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
}

// A restart goes on with the tables, the feed and the clock as they were.
func TestSampleSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := sample(t, func(o *Options) { o.Dir = dir })
	advance(t, w, time.Hour)
	before := tableSummary(t, w, "main.events.stream_messages")
	// A process that dies between a commit and its state: the table is ahead of the feed.
	w.mu.Lock()
	s := w.currentFeed()
	kept := append([]int64(nil), s.Next...)
	for p := range s.Next {
		s.Next[p] -= 5
	}
	w.mu.Unlock()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again := sample(t, func(o *Options) { o.Dir = dir })
	if diff := cmp.Diff(kept, again.currentFeed().Next); diff != "" {
		t.Errorf("feed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, tableSummary(t, again, "main.events.stream_messages")); diff != "" {
		t.Errorf("source (-before +after):\n%s", diff)
	}
	advance(t, again, 26*time.Hour)
	held := again.Now().Truncate(time.Hour).Add(-24 * time.Hour)
	if diff := cmp.Diff(summary(again.Produced, func(e Event) bool { return !e.EventTime.Before(held) }), tableSummary(t, again, "main.events.stream_messages")); diff != "" {
		t.Errorf("source a day later (-feed +table):\n%s", diff)
	}
}

func TestFeedIsReplaced(t *testing.T) {
	t.Parallel()
	w := sample(t)
	advance(t, w, time.Hour)
	ok(t, w, "POST", "/local/v1/feed", `{"every":"5s","disorder":"2m","tick":"5m","window":"6h"}`)
	advance(t, w, 8*time.Hour)
	if got := rows(t, w, "SELECT count(*) - count(DISTINCT technical_partition, technical_sequenceNumber) FROM main.events.stream_messages"); got[0] != "0" {
		t.Errorf("%s keys twice", got[0])
	}
	var n int
	if _, err := fmt.Sscan(rows(t, w, "SELECT count(*) FROM main.events.stream_messages")[0], &n); err != nil || n < 8*6*720-200 || n > 8*7*720 {
		t.Errorf("%d rows in a window of 6 h at one every 5 s", n)
	}
}

func TestAutoTTL(t *testing.T) {
	t.Parallel()
	w := open(t)
	execute(t, w, "CREATE TABLE main.default.e (id INT, at TIMESTAMP)")
	execute(t, w, "INSERT INTO main.default.e VALUES (1, TIMESTAMP '2026-02-20 00:00:00'), (2, TIMESTAMP '2026-03-02 05:00:00')")
	execute(t, w, "ALTER TABLE main.default.e DELETE ROWS 3 DAYS AFTER at")
	advance(t, w, 24*time.Hour)
	if got := rows(t, w, "SELECT id FROM main.default.e"); !cmp.Equal(got, []string{"2"}) {
		t.Errorf("%v", got)
	}
}

package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

var start = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

// clock is time that passes when somebody sleeps.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// bed is a workspace of its own with a client.
type bed struct {
	*local.Workspace
	client *workspace.Client
	t      testing.TB
	loads  int
}

func open(t testing.TB, change ...func(*local.Options)) *bed {
	t.Helper()
	o := local.Options{Start: start, Empty: true, Log: t.Output()}
	for _, c := range change {
		c(&o)
	}
	w, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	nap := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	client, err := workspace.New(workspace.Config{Host: w.Host(), Token: w.Token(), AuthType: "pat", WarehouseID: w.WarehouseID(), RateLimit: 10000,
		RetryTimeout: time.Minute, UserAgent: "watertight/test", Sleep: nap})
	if err != nil {
		t.Fatal(err)
	}
	return &bed{Workspace: w, client: client, t: t}
}

func (b *bed) exec(format string, args ...any) [][]string {
	b.t.Helper()
	sql := fmt.Sprintf(format, args...)
	rows, err := b.Exec(b.t.Context(), sql)
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out [][]string
	for rows.Next() {
		var one []string
		for _, cell := range rows.Row() {
			if cell == nil {
				one = append(one, "NULL")
			} else {
				one = append(one, *cell)
			}
		}
		out = append(out, one)
	}
	if err := rows.Err(); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func (b *bed) advance(d time.Duration) {
	b.t.Helper()
	if err := b.Advance(b.t.Context(), d); err != nil {
		b.t.Fatal(err)
	}
}

func promise(clock coverage.Clock) contract.Contract {
	return contract.Contract{Source: "main.events.src", Target: "main.events.tgt", Key: contract.Key{Partition: "p", Sequence: "seq"}, EventTime: "u",
		SettleDelay: 30 * time.Minute, SettleClock: clock, Strict: true, Reads: coverage.ReadsSnapshot}
}

const loaderFile = "/Shared/load.sql"

// loaderSQL is the incident's rule, with the position read from the target.
func loaderSQL(clock coverage.Clock) string {
	now := "current_timestamp()"
	if clock == coverage.SettleNewestEvent {
		now = "(SELECT max(u) FROM main.events.src)"
	}
	return `INSERT INTO main.events.tgt SELECT s.p, s.seq, s.u FROM main.events.src AS s
LEFT JOIN (SELECT p, max(seq) AS last FROM main.events.tgt GROUP BY p) AS t ON t.p = s.p
WHERE s.seq > coalesce(t.last, -1) AND s.u < ` + now + ` - INTERVAL 30 MINUTES`
}

// tables makes an empty source and target, with properties of the source.
func (b *bed) tables(kind, properties string) {
	b.t.Helper()
	b.exec("CREATE SCHEMA IF NOT EXISTS main.events")
	b.exec("CREATE TABLE main.events.src (p %s, seq BIGINT, u TIMESTAMP)%s", kind, properties)
	b.exec("CREATE TABLE main.events.tgt (p %s, seq BIGINT, u TIMESTAMP)", kind)
}

// job makes the loader of a contract; its settings can be changed.
func (b *bed) job(c contract.Contract, sql string, change ...func(map[string]any)) int64 {
	b.t.Helper()
	if err := b.client.ImportFile(b.t.Context(), loaderFile, []byte(sql), true); err != nil {
		b.t.Fatal(err)
	}
	tags := map[string]any{}
	for k, v := range c.Tags() {
		tags[k] = v
	}
	settings := map[string]any{"name": "load", "tags": tags, "max_concurrent_runs": 1, "timeout_seconds": 1200,
		"schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC", "pause_status": "PAUSED"},
		"tasks": []any{map[string]any{"task_key": "load", "sql_task": map[string]any{"warehouse_id": b.WarehouseID(),
			"file": map[string]any{"path": loaderFile, "source": "WORKSPACE"}}}}}
	for _, f := range change {
		f(settings)
	}
	id, err := b.client.CreateJob(b.t.Context(), settings)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// load runs the loader once, through its end, and returns the run's id.
func (b *bed) load(job int64) int64 {
	b.t.Helper()
	b.loads++
	id, err := b.client.RunNow(b.t.Context(), workspace.RunNow{JobID: job, Token: fmt.Sprint("load-", b.loads)})
	if err != nil {
		b.t.Fatal(err)
	}
	for range 100 {
		r, err := b.client.Run(b.t.Context(), id)
		if err != nil {
			b.t.Fatal(err)
		}
		if r.Outcome().Final() {
			if r.Outcome() != "succeeded" {
				b.t.Fatalf("run %d: %s: %s %+v", id, r.Outcome(), r.Message, r.Tasks)
			}
			return id
		}
		b.advance(time.Second)
	}
	b.t.Fatalf("run %d does not end", id)
	return 0
}

type key struct {
	p   string
	seq int64
}

// listed are the keys of a verification by their state.
func listed(t testing.TB, v reconcile.Verification) map[key]reconcile.State {
	t.Helper()
	out := map[key]reconcile.State{}
	for r, err := range v.Missing.All() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows != r.To-r.From+1 {
			t.Errorf("range %+v has %d rows", r, r.Rows)
		}
		for s := r.From; s <= r.To; s++ {
			k := key{r.Partition, s}
			if was, twice := out[k]; twice {
				t.Errorf("%v is listed twice: %s and %s", k, was, r.State)
			}
			out[k] = r.State
		}
	}
	return out
}

// show writes listed keys for a comparison.
func show(keys map[key]reconcile.State) string {
	var all []string
	for k, s := range keys {
		all = append(all, fmt.Sprintf("%s/%09d %s", k.p, k.seq, s))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

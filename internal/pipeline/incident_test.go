package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// incident is the sample workspace with its real loader, on its schedule.
func incident(t *testing.T) (*bed, int64) {
	t.Helper()
	b := open(t, func(o *local.Options) { o.Empty = false })
	c := contract.Contract{Source: "main.events.stream_messages", Target: "main.events.messages", Key: contract.Key{Partition: "technical_partition", Sequence: "technical_sequenceNumber"},
		EventTime: "context_updatedAt", SettleDelay: 30 * time.Minute, SettleClock: coverage.SettleNewestEvent, Strict: true, Reads: coverage.ReadsSnapshot}
	tags := map[string]any{}
	for k, v := range c.Tags() {
		tags[k] = v
	}
	id, err := b.client.CreateJob(t.Context(), map[string]any{"name": "load_messages", "tags": tags, "timeout_seconds": 1200,
		"schedule": map[string]any{"quartz_cron_expression": "0 0/15 * * * ?", "timezone_id": "UTC"},
		"tasks": []any{map[string]any{"task_key": "load", "sql_task": map[string]any{"warehouse_id": b.WarehouseID(),
			"file": map[string]any{"path": "/Shared/load_messages.sql", "source": "WORKSPACE"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return b, id
}

// The incident itself: days by schedule, then a pause of 25 h. Verification lists exactly the events that the feed knows
// it produced and that are in neither table, and each of them can be read where it says.
func TestIncident(t *testing.T) {
	t.Parallel()
	b, job := incident(t)
	b.advance(48 * time.Hour)
	healthy := b.verify(pipeline.VerifyRequest{Job: "load_messages", RunID: b.load(job)})
	if healthy.Verdict != reconcile.Pass || healthy.Counts.Due == 0 || healthy.Missing.Len() != 0 {
		t.Fatalf("before the pause: %s %+v %v", healthy.Verdict, healthy.Counts, healthy.Reasons)
	}
	if _, err := pipeline.SetPause(t.Context(), b.client, "load_messages", true); err != nil {
		t.Fatal(err)
	}
	b.advance(25 * time.Hour)
	b.ResetRequests()
	v := b.verify(pipeline.VerifyRequest{Job: "load_messages", RunID: b.load(job)})
	gone := map[key]reconcile.State{}
	for e := range b.Produced {
		gone[key{fmt.Sprint(e.Partition), e.Sequence}] = reconcile.Expired
	}
	for _, table := range []string{"stream_messages", "messages"} {
		for _, r := range b.exec("SELECT technical_partition, technical_sequenceNumber FROM main.events.%s", table) {
			delete(gone, key{r[0], number(t, r[1])})
		}
	}
	if len(gone) < 500 {
		t.Fatalf("only %d rows are gone", len(gone))
	}
	if d := cmp.Diff(show(gone), show(listed(t, v))); d != "" {
		t.Errorf("gone (-feed +listed):\n%s", d)
	}
	if v.Verdict != reconcile.Fail || run.Verified(v) != run.Loss || v.Counts.Expired != int64(len(gone)) {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	for r, err := range v.Missing.All() {
		if err != nil {
			t.Fatal(err)
		}
		var version int64
		if _, err := fmt.Sscanf(r.RecoverFrom, "source VERSION AS OF %d", &version); err != nil {
			t.Fatal(err)
		}
		rows := b.exec("SELECT count(*) FROM main.events.stream_messages VERSION AS OF %d WHERE technical_partition = %s AND technical_sequenceNumber BETWEEN %d AND %d", version, r.Partition, r.From, r.To)
		if number(t, rows[0][0]) != r.Rows || !r.RecoverableUntil.After(b.Now()) || r.Proof == "" {
			t.Errorf("%+v: version %d holds %s", r, version, rows[0][0])
		}
	}
	if n := b.Count("POST", statements); n > 30 {
		t.Errorf("%d statements were run", n)
	}
}

package pipeline_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// azure-event-hubs-spark#315, azure-sdk-for-net#53741: a hub that is made anew gives sequence numbers anew. Equal keys are
// other rows then, and none of the new ones that has the number of an old one is ever read: that must not pass, whichever
// part of the window the new rows are.
func TestSequencesBeginAnew(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, since, fresh int // rows a minute: of before, hours between, of after
	}{
		"both in the window":           {2000, 1, 200},
		"half and half":                {1000, 1, 600},
		"the old ones have left":       {1000, 26, 600},
		"the new ones have overtaken":  {500, 26, 900},
		"overtaken in the same window": {700, 1, 800},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.tables("INT", "")
			job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
			load := func(from time.Time, rows int) {
				b.exec("INSERT INTO main.events.src SELECT CAST(id %% 2 AS INT), id DIV 2, timestampadd(MINUTE, CAST(id DIV 2 AS INT), TIMESTAMP'%s') FROM range(%d)", from.Format(time.RFC3339), 2*rows)
			}
			first := start.Add(-10 * 24 * time.Hour)
			load(first, tt.old) // ten days ago
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src")
			b.exec("DELETE FROM main.events.src")
			end := start.Add(-24 * time.Hour)
			b.exec("INSERT INTO main.events.src SELECT CAST(id %% 2 AS INT), %d + id DIV 2, timestampadd(MINUTE, CAST(id DIV 2 AS INT), TIMESTAMP'%s') FROM range(%d)", tt.old, end.Format(time.RFC3339), 400)
			b.load(job)
			b.advance(time.Duration(tt.since) * time.Hour)
			load(end.Add(200*time.Minute).Add(time.Duration(tt.since)*time.Hour), tt.fresh)
			b.exec("DELETE FROM main.events.src WHERE u < TIMESTAMP'%s'", end.Add(time.Duration(tt.since+tt.fresh/60-20)*time.Hour).Format(time.RFC3339))
			v := b.verify(pipeline.VerifyRequest{RunID: b.load(job), Block: 64})
			if v.Verdict == reconcile.Pass || !has(v, reconcile.CodeKeyEpoch, "begun anew") && !has(v, reconcile.CodeKeyEpoch, "began anew") {
				t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
			}
		})
	}
}

package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// A manifest of a version that the history does not reach any more still tells when its rows were due.
func TestListedBeforeTheHistory(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.advance(2 * time.Hour)
	b.produce(1000, 1100)
	c := promise(coverage.SettleNewestEvent)
	c.Evidence = "main.ops"
	if _, kept, err := pipeline.KeepManifest(t.Context(), b.client, c, ""); err != nil || !kept {
		t.Fatal(kept, err)
	}
	b.exec("DELETE FROM main.events.src WHERE seq < 1100")
	b.advance(10 * 24 * time.Hour)
	b.produce(1100, 1200)
	b.load(job)
	v := b.verify(r)
	if v.Verdict != reconcile.Fail || v.Counts.Lost == 0 || v.Counts.Undecidable != 0 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	for _, m := range all(t, v.Missing) {
		if strings.Contains(m.Proof, "without event times") {
			t.Errorf("%+v", m)
		}
	}
}

// An UPDATE of a key takes it from the target as a DELETE does.
func TestKeyUpdatedInTarget(t *testing.T) {
	t.Parallel()
	b, _, r := remembering(t)
	b.exec("UPDATE main.events.tgt SET seq = 6 WHERE p = 0 AND seq = 5")
	v := b.verify(r)
	missing := all(t, v.Missing)
	if v.Verdict != reconcile.Fail || len(missing) != 1 || missing[0].From != 5 || missing[0].Cause != reconcile.CauseDeleted || !strings.Contains(missing[0].Proof, "UPDATE") {
		t.Errorf("%s %+v", v.Verdict, missing)
	}
}

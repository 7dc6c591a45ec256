package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Small pipelines with every trouble that a loader can have, mixed at random: what verification lists is the truth, row
// by row, and its verdict follows from it. Blocks of 16 sequences put every edge of the screen into reach.
func TestVerifyRandomPipelines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.tables("INT", "")
			w := newWorld(b, seed)
			w.job = b.job(promise(w.clock), loaderSQL(w.clock))
			id := w.play(60)
			r, err := b.client.Run(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			want := w.truth(r.Started)
			v, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", RunID: id, Block: 16})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			judge(t, w, v, want)
			if t.Failed() {
				for _, line := range w.script {
					t.Log(line)
				}
			}
		})
	}
}

func judge(t *testing.T, w *world, v reconcile.Verification, want expected) {
	t.Helper()
	got := listed(t, v)
	for k, s := range got {
		if s == reconcile.Undecidable {
			t.Errorf("%v is undecidable although the source's whole history can be read", k)
		}
	}
	if d := cmp.Diff(show(want.missing), show(got)); d != "" {
		t.Errorf("missing (-truth +listed):\n%s", d)
	}
	nullsLoaded := w.b.exec("SELECT 1 FROM main.events.tgt WHERE p IS NULL")
	verdict := reconcile.Pass
	switch {
	case len(want.missing) > 0:
		verdict = reconcile.Fail
	case want.due == 0 || want.nulls > 0 || len(nullsLoaded) > 0:
		verdict = reconcile.Inconclusive
	}
	if v.Verdict != verdict {
		t.Errorf("verdict %s, want %s: %v", v.Verdict, verdict, v.Reasons)
	}
	c := v.Counts
	if c.Due != int64(want.due) || c.InFlight != int64(want.inFlight) || c.Duplicates != int64(want.surplus) {
		t.Errorf("due %d, in flight %d, duplicates %d; want %d, %d, %d", c.Due, c.InFlight, c.Duplicates, want.due, want.inFlight, want.surplus)
	}
	states := map[reconcile.State]int64{}
	for _, s := range got {
		states[s]++
	}
	if c.Late != states[reconcile.Late] || c.Skipped != states[reconcile.Skipped] || c.Expired != states[reconcile.Expired] || c.Doomed != states[reconcile.Doomed] ||
		c.Missing != c.Late+c.Skipped+c.Expired || c.Due != c.Loaded+c.Missing {
		t.Errorf("counts %+v do not add up to what is listed: %v", c, states)
	}
	var sum reconcile.Day
	for _, d := range v.ByDay {
		sum.Due, sum.Loaded, sum.Missing, sum.InFlight = sum.Due+d.Due, sum.Loaded+d.Loaded, sum.Missing+d.Missing, sum.InFlight+d.InFlight
	}
	if sum.Due != c.Due || sum.Loaded != c.Loaded || sum.Missing != c.Missing || sum.InFlight != c.InFlight {
		t.Errorf("days %+v do not add up to %+v", v.ByDay, c)
	}
}

//go:build cgo

package pipeline_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/truth"
)

// Random pipelines of whose missing rows some are accepted: those are in no count but their own, and everything else is as
// it would be had they never been.
func TestTruthOfAccepted(t *testing.T) {
	t.Parallel()
	number := flag.Lookup("pipelines").Value.(flag.Getter).Get().(int) / 20
	first := flag.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	var all tallies
	t.Run("pipelines", func(t *testing.T) {
		for seed := first; seed < first+uint64(number); seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				p := truth.New(seed)
				x := &player{bed: open(t, func(o *local.Options) { o.Start = p.Start.Add(-1) }), Pipeline: p, t: t, name: "load", runs: map[int]int64{}}
				x.causes = func(x *player, _ reconcile.Verification, want truth.Expected) { x.accept(want, &all) }
				x.play(&tallies{})
			})
		}
	})
	t.Log(all.String())
}

// accept verifies once more, with ranges accepted at random: parts of what is missing, and of what is not.
func (x *player) accept(want truth.Expected, all *tallies) {
	x.t.Helper()
	if want.Unstarted {
		return
	}
	r := rand.New(rand.NewPCG(x.Seed, uint64(len(want.Ranges))))
	request := pipeline.VerifyRequest{Job: x.name, Block: x.Block, EvidencePath: filepath.Join(x.t.TempDir(), "kept")}
	if run := want.Check().Run; run != nil {
		request.RunID = x.runs[run.Number]
	}
	for _, m := range want.Ranges {
		if r.IntN(2) == 0 {
			from := m.From + r.Int64N(5) - 2
			request.Accept = append(request.Accept, pipeline.Accepted{Partition: m.Partition, From: from, To: max(from, m.To+r.Int64N(5)-2), Reason: "drawn"})
		}
	}
	for _, d := range want.Duplicates {
		if r.IntN(2) == 0 {
			request.Accept = append(request.Accept, pipeline.Accepted{Partition: d.Partition, From: d.From, To: d.From + r.Int64N(9), Reason: "drawn"})
		}
	}
	if len(request.Accept) == 0 {
		return
	}
	accepted := func(k truth.Key) bool {
		return slices.ContainsFunc(request.Accept, func(a pipeline.Accepted) bool {
			return a.Partition == k.Partition && a.From <= k.Seq && k.Seq <= a.To
		})
	}
	want = want.Check().ExpectAccepting(x.unreadable(want.Check()), accepted)
	n := want.Counts
	if n["late"] > 0 { // seen for the first time
		want.Doubts = append(want.Doubts, reconcile.CodeSuspect)
		slices.Sort(want.Doubts)
		if n["missing"] == n["late"] && n["doomed"] == 0 {
			want.Verdict = truth.Inconclusive
		}
	}
	v, err := pipeline.Verify(x.t.Context(), x.client, request)
	if err != nil {
		x.t.Errorf("verify: %v", err)
		return
	}
	x.compare(v, want)
	if v.Counts.Accepted != n[truth.Accepted] {
		x.t.Errorf("%d accepted, want %d", v.Counts.Accepted, n[truth.Accepted])
	}
	listed := int64(0)
	for a, err := range v.Accepted.All() {
		if err != nil {
			x.t.Fatal(err)
		}
		listed += a.Rows
		for s := a.From; ; s++ {
			if !accepted(truth.Key{Partition: a.Partition, Seq: s}) {
				x.t.Errorf("%+v was not accepted", a)
			}
			if s == a.To {
				break
			}
		}
	}
	if listed != v.Counts.Accepted {
		x.t.Errorf("%d are listed as accepted, and %d counted", listed, v.Counts.Accepted)
	}
	all.add(want.Verdict, 1)
	all.add("accepted", int(n[truth.Accepted]))
	if err := v.Close(); err != nil {
		x.t.Error(err)
	}
}

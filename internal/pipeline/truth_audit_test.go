//go:build cgo

package pipeline_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/truth"
)

// Random pipelines whose truth is known: an audit never passes over a gap of the target or a key that it has twice, lists
// every gap of a partition whose gaps it believes, and calls nothing lost that never was in the source; with evidence and
// without, wholly and above what was verified.
func TestTruthOfAudit(t *testing.T) {
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
				if seed%2 == 1 {
					x.evidence = filepath.Join(t.TempDir(), "evidence.jsonl")
				}
				x.causes = func(x *player, _ reconcile.Verification, want truth.Expected) {
					for _, full := range []bool{false, true} {
						x.audit(want.Check().Target(), full, &all)
					}
				}
				x.play(&tallies{})
			})
		}
	})
	t.Log(all.String())
}

// audit holds an audit to what the target has, and the source ever had.
func (x *player) audit(target truth.Target, full bool, all *tallies) {
	x.t.Helper()
	a, err := pipeline.Audit(x.t.Context(), x.client, pipeline.AuditRequest{Job: x.name, Block: x.Block, EvidencePath: x.evidence, Full: full})
	if err != nil {
		x.t.Errorf("audit: %v", err)
		return
	}
	defer func() {
		if err := a.Close(); err != nil {
			x.t.Error(err)
		}
	}()
	off := auditHas(a, reconcile.CodeNotContiguous) || auditHas(a, reconcile.CodeNoProof) || auditHas(a, reconcile.CodeKeyEpoch)
	listed := map[truth.Key]reconcile.State{}
	for r, err := range a.Missing.All() {
		if err != nil {
			x.t.Fatal(err)
		}
		if first := target.Low(r.Partition); r.State == reconcile.Undecidable && r.To == first-1 {
			all.add("prefix", 1) // which may be long
			continue
		}
		for s := r.From; ; s++ {
			k := truth.Key{Partition: r.Partition, Seq: s}
			if _, twice := listed[k]; twice {
				x.t.Errorf("%v is listed twice", k)
			}
			if listed[k] = r.State; r.State != reconcile.Undecidable && !target.Ever(k) {
				x.t.Errorf("%v is called %s (%s: %s), and never was in the source", k, r.State, r.Cause, r.Proof)
			}
			if target.Has(k) {
				x.t.Errorf("%v is called %s, and is in the target", k, r.State)
			}
			all.add(string(r.State), 1)
			if s == r.To {
				break
			}
		}
	}
	lost := 0
	for _, k := range target.Absent() {
		_, is := listed[k]
		if target.Ever(k) {
			lost++
		}
		switch {
		case !is && !off && target.Ever(k):
			x.t.Errorf("%v was in the source, is absent, and is not listed", k)
		case !is && !off && x.evidence == "":
			x.t.Errorf("%v is absent, and is not listed", k)
		}
	}
	if lost > 0 && a.Verdict == reconcile.Pass || target.Surplus() > 0 && a.Verdict == reconcile.Pass && !a.Warning {
		x.t.Errorf("%s with %d rows lost and %d too many: %+v %v", a.Verdict, lost, target.Surplus(), a.Counts, a.Reasons)
	}
	if a.Counts.Duplicates != target.Surplus() || a.Counts.Gaps != target.Gaps() || a.Counts.Rows-a.Counts.NullKeys != target.Rows() {
		x.t.Errorf("%+v, want %d too many, %d gaps, %d rows", a.Counts, target.Surplus(), target.Gaps(), target.Rows())
	}
	all.add(string(a.Verdict), 1)
	if off {
		all.add("off", 1)
	}
	if slices.ContainsFunc(a.Through, func(t reconcile.Through) bool { return t.Recalled > 0 }) {
		all.add("recalled", 1)
	}
}

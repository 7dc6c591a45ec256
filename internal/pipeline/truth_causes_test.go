package pipeline_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/truth"
)

// Random pipelines whose faults are known: no cause that is named is wrong, with evidence and without. With manifests after
// every run and during pauses none is open either, but for rows that became due while a run was reading. Each is played once
// and verified without what was kept and with it.
func TestTruthOfCauses(t *testing.T) {
	t.Parallel()
	number := flag.Lookup("causes").Value.(flag.Getter).Get().(int)
	first := flag.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	var all tallies
	t.Run("pipelines", func(t *testing.T) {
		for from, to := first, uint64(0); from < first+uint64(number); from = to {
			to = min(from-from%truth.Together+truth.Together, first+uint64(number))
			t.Run(fmt.Sprintf("%d-%d", from, to-1), func(t *testing.T) {
				t.Parallel()
				group(t, from, to, func(t *testing.T, b *bed, p *truth.Pipeline) {
					x := &player{bed: b, Pipeline: p, t: t, name: fmt.Sprintf("load-%d", p.Seed), runs: map[int]int64{}, evidence: filepath.Join(t.TempDir(), "evidence.jsonl")}
					x.causes = func(x *player, v reconcile.Verification, want truth.Expected) { x.judge(v, want, &all) }
					x.play(&tallies{})
				})
			})
		}
	})
	t.Log(all.String())
}

// remember keeps evidence of what has just happened: a verification of each run, a manifest of each change of the source.
func (x *player) remember(s truth.Step) {
	if x.evidence == "" {
		return
	}
	switch {
	case s.End != nil && !s.End.Failed:
		v, err := pipeline.Verify(x.t.Context(), x.client, pipeline.VerifyRequest{Job: x.name, RunID: x.runs[s.End.Number], Block: x.Block, EvidencePath: x.evidence})
		if err != nil {
			x.t.Fatal(err)
		}
		if err := v.Close(); err != nil {
			x.t.Error(err)
		}
	case strings.HasPrefix(s.SQL, "INSERT INTO "+x.Source):
		if _, _, err := pipeline.KeepManifest(x.t.Context(), x.client, x.contract(), x.evidence); err != nil {
			x.t.Fatal(err)
		}
	}
}

// judge holds causes to the truth.
func (x *player) judge(v reconcile.Verification, want truth.Expected, all *tallies) {
	x.t.Helper()
	mode := map[bool]string{false: "bare ", true: "kept "}[x.kept]
	x.judgeDuplicates(v, want, mode, all)
	for r, err := range v.Missing.All() {
		if err != nil {
			x.t.Fatal(err)
		}
		for s := r.From; ; s++ {
			k := truth.Key{Partition: r.Partition, Seq: s}
			x.judgeKey(k, r, want, mode, all)
			if s == r.To {
				break
			}
		}
	}
}

// judgeKey holds the cause of one key to the truth.
func (x *player) judgeKey(k truth.Key, r reconcile.Range, want truth.Expected, mode string, all *tallies) {
	x.t.Helper()
	if r.State == reconcile.Undecidable {
		all.add(mode+"no state", 1)
		if x.kept {
			x.t.Errorf("%v has no state: %s; troubles %v", k, r.Proof, x.Troubles)
		}
		return
	}
	is, unsure := want.Cause(k)
	intents := want.Intents(k)
	if !slices.Contains(intents, is) {
		all.add(mode+"shows as "+is+", meant as "+strings.Join(intents, "/"), 1)
		if testing.Verbose() {
			x.t.Logf("%v shows as %s, meant as %v; %s: %s, troubles %v", k, is, intents, r.Cause, r.Proof, x.Troubles)
		}
	}
	switch {
	case r.Cause == reconcile.CauseUndecidable:
		all.add(mode+"undecidable, is "+is, 1)
		if x.kept && !unsure && !x.isMurky() {
			x.t.Errorf("%v is %s, open: %s; it is %s, meant as %v, troubles %v", k, r.State, r.Proof, is, intents, x.Troubles)
		}
	case is == reconcile.CauseIdlePartition && r.Cause == reconcile.CauseUnread && r.State == reconcile.Late && !x.kept:
		all.add(mode+"unread, is "+is, 1) // which says less, and nothing wrong
	case is != r.Cause && x.isMurky():
		all.add(mode+"murky", 1)
	case is != r.Cause:
		x.t.Errorf("%v is %s, %s: %s; it is %s, meant as %v, troubles %v", k, r.State, r.Cause, r.Proof, is, intents, x.Troubles)
	default:
		all.add(mode+"right "+r.Cause, 1)
	}
}

// judgeDuplicates does so with the causes of duplicates.
func (x *player) judgeDuplicates(v reconcile.Verification, want truth.Expected, mode string, all *tallies) {
	x.t.Helper()
	surplus := int64(0)
	for d, err := range v.Duplicates.All() {
		if err != nil {
			x.t.Fatal(err)
		}
		surplus += d.Surplus
		if d.Keys != d.To-d.From+1 {
			x.t.Errorf("%+v", d)
		}
		for s := d.From; ; s++ {
			k := truth.Key{Partition: d.Partition, Seq: s}
			switch may := want.DuplicateCauses(k); {
			case d.Cause == reconcile.CauseUndecidable:
				all.add(mode+"duplicate undecidable", 1)
			case !slices.Contains(may, d.Cause) && x.isMurky():
			case !slices.Contains(may, d.Cause):
				x.t.Errorf("%v is doubled, %s: %s; it may be %v", k, d.Cause, d.Proof, may)
			default:
				all.add(mode+d.Cause, 1)
			}
			if s == d.To {
				break
			}
		}
	}
	if surplus != v.Counts.Duplicates {
		x.t.Errorf("%d rows too many are listed, %d counted", surplus, v.Counts.Duplicates)
	}
}

// isMurky tells that others may write to the target while a run goes on: such a commit looks as if it were the run's.
func (x *player) isMurky() bool {
	return (x.Has(truth.Repairs) || x.Has(truth.TargetRepeats) || x.Has(truth.TargetRestore)) && (x.Has(truth.LongRuns) || x.Has(truth.Overlap))
}

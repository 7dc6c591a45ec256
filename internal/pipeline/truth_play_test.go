//go:build cgo

package pipeline_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/duck"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/truth"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func TestMain(m *testing.M) {
	number, causes := 1000, 96
	if raceDetector {
		number, causes = 60, 4 // races need no more of them; make test plays all of them without the detector
	}
	flag.Int("pipelines", number, "how many random pipelines TestTruth verifies")
	flag.Int("causes", causes, "how many TestTruthOfCauses does")
	flag.Uint64("seed", 0, "the seed of the first of either")
	os.Exit(m.Run())
}

// Random pipelines whose truth is known row by row: no verdict is wrong, every range, every count and every day is right,
// and INCONCLUSIVE is said only where nothing more can be known.
func TestTruth(t *testing.T) {
	t.Parallel()
	number := flag.Lookup("pipelines").Value.(flag.Getter).Get().(int)
	first := flag.Lookup("seed").Value.(flag.Getter).Get().(uint64)
	var all tallies
	t.Run("pipelines", func(t *testing.T) {
		for from, to := first, uint64(0); from < first+uint64(number); from = to {
			to = min(from-from%truth.Together+truth.Together, first+uint64(number))
			t.Run(fmt.Sprintf("%d-%d", from, to-1), func(t *testing.T) {
				t.Parallel()
				group(t, from, to, func(t *testing.T, b *bed, p *truth.Pipeline) { play(t, b, p, &all) })
			})
		}
	})
	t.Log(all.String())
}

// group plays the pipelines of some seeds on one workspace.
func group(t *testing.T, from, to uint64, each func(*testing.T, *bed, *truth.Pipeline)) {
	var pipelines []*truth.Pipeline
	for seed := from; seed < to; seed++ {
		pipelines = append(pipelines, truth.New(seed))
	}
	engine, err := duck.Open(t.Context(), duck.Options{Threads: 1}) // tables are small, and groups run side by side
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	b := open(t, func(o *local.Options) { o.Start, o.Engine = pipelines[0].Start.Add(-time.Hour), engine })
	for _, p := range pipelines {
		t.Run(fmt.Sprint(p.Seed), func(t *testing.T) {
			b.t = t
			each(t, b, p)
		})
	}
	b.t = t
}

// tallies count what was met, so that a generator that makes nothing of a kind is seen.
type tallies struct {
	mu    sync.Mutex
	count map[string]int
}

func (a *tallies) add(what string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == nil {
		a.count = map[string]int{}
	}
	a.count[what] += n
}

func (a *tallies) String() string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(a.count)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, a.count[k]))
	}
	return strings.Join(parts, ", ")
}

// player is a pipeline on a workspace.
type player struct {
	*bed
	*truth.Pipeline
	t      *testing.T
	job    int64
	name   string
	runs   map[int]int64
	script []string
	// causes, when set, judges causes instead of everything else; evidence is where it keeps some.
	causes   func(x *player, v reconcile.Verification, want truth.Expected)
	evidence string
	kept     bool // whether the verification at hand was given it
}

func play(t *testing.T, b *bed, p *truth.Pipeline, all *tallies) {
	x := &player{bed: b, Pipeline: p, t: t, name: fmt.Sprintf("load-%d", p.Seed), runs: map[int]int64{}}
	x.play(all)
}

func (x *player) play(all *tallies) {
	t, b, p := x.t, x.bed, x.Pipeline
	x.job = b.job(x.contract(), "SELECT 1", func(s map[string]any) { s["name"], s["max_concurrent_runs"] = x.name, 1000 })
	all.add("pipelines", 1)
	for _, s := range p.Steps {
		b.advance(s.At.Sub(b.Now()))
		if now := b.Now(); !now.Equal(s.At) {
			t.Fatalf("seed %d: it is %s before %s", p.Seed, now, s)
		}
		x.script = append(x.script, s.String())
		switch {
		case s.Begin != nil:
			x.begin(s.Begin)
		case s.End != nil:
			x.end(s.End)
			x.remember(s)
		case s.Check != nil:
			x.check(s.Check, all)
		default:
			b.exec("%s", s.SQL)
			x.remember(s)
		}
		if t.Failed() {
			t.Logf("%+v\n%s\nagain with: go test ./internal/pipeline -run 'TestTruth$' -count=1 -pipelines 1 -seed %d", p.Settings, strings.Join(x.script, "\n"), p.Seed)
			break
		}
	}
	b.exec("DROP SCHEMA %s CASCADE", p.Schema)
}

// begin starts a run that does nothing itself; the pipeline's statements are what it does.
func (x *player) begin(r *truth.Run) {
	steps := []local.Step{{LifeCycle: "RUNNING"}, {LifeCycle: "RUNNING"}}
	if result := map[bool]string{false: "SUCCESS", true: "FAILED"}[r.Failed]; r.Ended() {
		steps = append(steps, local.Step{LifeCycle: "TERMINATED", Result: result})
	}
	x.AddScript(local.Script{Job: x.name, Steps: steps})
	id, err := x.client.RunNow(x.t.Context(), workspace.RunNow{JobID: x.job, Token: fmt.Sprint(x.name, "-", r.Number)})
	if err != nil {
		x.t.Fatal(err)
	}
	x.runs[r.Number] = id
}

// end asks for the run until it has ended, for a scripted run goes on by being asked for.
func (x *player) end(r *truth.Run) {
	for range 10 {
		got, err := x.client.Run(x.t.Context(), x.runs[r.Number])
		if err != nil {
			x.t.Fatal(err)
		}
		if !got.Started.Equal(r.Started) {
			x.t.Fatalf("run %d started at %s, not %s", r.Number, got.Started, r.Started)
		}
		if got.Outcome().Final() {
			return
		}
	}
	x.t.Fatalf("run %d does not end", r.Number)
}

func (x *player) contract() contract.Contract {
	c := promise(coverage.SettleWall)
	c.Source, c.Target, c.SettleDelay, c.Strict = x.Source, x.Target, x.Delay, x.Strict
	if x.Newest {
		c.SettleClock = coverage.SettleNewestEvent
	}
	if x.Kind == "" {
		c.Key.Partition = ""
	}
	return c
}

func (x *player) check(c *truth.Check, all *tallies) {
	x.t.Helper()
	want := c.Expect(x.unreadable(c))
	request := pipeline.VerifyRequest{Job: x.name, Block: x.Block}
	if c.Run != nil {
		request.RunID = x.runs[c.Run.Number]
	}
	times := 1
	if c.Again || x.evidence != "" {
		times = 2
	}
	for n := range times {
		if x.kept = n == 1 && x.evidence != ""; x.kept {
			request.EvidencePath = x.evidence
		}
		v, err := pipeline.Verify(x.t.Context(), x.client, request)
		if err != nil {
			x.t.Errorf("verify: %v", err)
			return
		}
		if x.causes != nil {
			x.causes(x, v, want)
		} else {
			x.compare(v, want)
		}
		if err := v.Close(); err != nil {
			x.t.Error(err)
		}
	}
	all.add(want.Verdict, 1)
	for _, d := range want.Doubts {
		all.add("doubt:"+d, 1)
	}
	for _, s := range want.Missing {
		all.add("rows:"+s, 1)
	}
}

// unreadable tells which versions of the source the workspace cannot read any more, where VACUUM had its way.
func (x *player) unreadable(c *truth.Check) func(int) bool {
	if !x.Has(truth.Vacuum) {
		return nil
	}
	broken := map[int]bool{}
	for v := range c.Versions() {
		rows, err := x.Exec(x.t.Context(), fmt.Sprintf("SELECT * FROM %s VERSION AS OF %d", x.Source, v))
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			_ = rows.Close()
		}
		broken[v] = err != nil
	}
	return func(v int) bool { return broken[v] }
}

// compare holds a verification to the truth.
func (x *player) compare(v reconcile.Verification, want truth.Expected) {
	x.t.Helper()
	t := x.t
	if string(v.Verdict) != want.Verdict {
		t.Errorf("verdict %s, want %s", v.Verdict, want.Verdict)
	}
	if d := cmp.Diff(want.Doubts, doubts(v)); d != "" {
		t.Errorf("doubts (-truth +said): %s\n%v", d, v.Reasons)
	}
	ranges := x.ranges(v, want)
	if d := cmp.Diff(want.Ranges, ranges); d != "" {
		t.Errorf("ranges (-truth +listed):\n%s", d)
	}
	if want.Unstarted {
		return
	}
	if !v.ReadAt.Equal(want.ReadAt) || int(v.Source.Version) != want.Source {
		t.Errorf("read at %s, source version %d; want %s, %d", v.ReadAt, v.Source.Version, want.ReadAt, want.Source)
	}
	if !want.Cutoff.IsZero() && !v.Cutoff.Equal(want.Cutoff) {
		t.Errorf("cutoff %s, want %s", v.Cutoff, want.Cutoff)
	}
	n := want.Counts
	counts := reconcile.Counts{Due: n["due"], Loaded: n["loaded"], Missing: n["missing"], InFlight: n["in_flight"], Late: n["late"], Doomed: n["doomed"],
		Skipped: n["skipped"], Expired: n["expired"], Lost: n["lost"], Undecidable: n["undecidable"], Accepted: n[truth.Accepted], Duplicates: want.Surplus}
	if d := cmp.Diff(counts, v.Counts); d != "" {
		t.Errorf("counts (-truth +said):\n%s", d)
	}
	days := map[string]truth.Day{}
	for _, d := range v.ByDay {
		days[d.Day] = truth.Day{Due: d.Due, Loaded: d.Loaded, Missing: d.Missing, InFlight: d.InFlight}
	}
	if d := cmp.Diff(want.Days, days); d != "" {
		t.Errorf("days (-truth +said):\n%s", d)
	}
	var repeats []truth.Duplicate
	for d, err := range v.Duplicates.All() {
		if err != nil {
			t.Fatal(err)
		}
		// A range is cut where another commit wrote; the truth knows nothing of that.
		if n := len(repeats) - 1; n >= 0 && repeats[n].Partition == d.Partition && repeats[n].To == d.From-1 {
			r := &repeats[n]
			r.To, r.Keys, r.SurplusOfKeys = d.To, r.Keys+d.Keys, r.SurplusOfKeys+d.Surplus
			continue
		}
		repeats = append(repeats, truth.Duplicate{Partition: d.Partition, From: d.From, To: d.To, Keys: d.Keys, SurplusOfKeys: d.Surplus})
	}
	if d := cmp.Diff(want.Duplicates, repeats); d != "" {
		t.Errorf("duplicates (-truth +listed):\n%s", d)
	}
}

// doubts are the codes of the reasons that keep a verification from passing.
func doubts(v reconcile.Verification) []string {
	var codes []string
	for _, r := range v.Reasons {
		switch r.Code {
		case reconcile.CodeMissing, reconcile.CodeDoomed, reconcile.CodeDuplicates, reconcile.CodeUpstreamGap, reconcile.CodeNotContiguous,
			reconcile.CodeMetrics, reconcile.CodeOtherCommits, reconcile.CodeActiveRun, reconcile.CodeReadAt, reconcile.CodeCauses, reconcile.CodeAdvice, reconcile.CodeFuture, reconcile.CodeAccepted:
		default:
			if !slices.Contains(codes, r.Code) {
				codes = append(codes, r.Code)
			}
		}
	}
	slices.Sort(codes)
	return codes
}

// ranges are the listed ranges in the order of their keys. Those that differ only in where they can be read are joined.
func (x *player) ranges(v reconcile.Verification, want truth.Expected) []truth.Range {
	x.t.Helper()
	var out []truth.Range
	var before reconcile.Range
	for r, err := range v.Missing.All() {
		if err != nil {
			x.t.Fatal(err)
		}
		if r.Rows != r.To-r.From+1 {
			x.t.Errorf("range %+v has %d rows", r, r.Rows)
		}
		if r.Partition == before.Partition && r.State == before.State && r.Cause == before.Cause && r.Proof == before.Proof && r.RecoverFrom == before.RecoverFrom && r.From == before.To+1 {
			x.t.Errorf("%+v continues %+v", r, before)
		}
		before = r
		x.readable(r, want)
		out = append(out, truth.Range{Partition: r.Partition, From: r.From, To: r.To, State: string(r.State)})
	}
	slices.SortStableFunc(out, func(a, b truth.Range) int {
		if n := strings.Compare(a.Partition, b.Partition); n != 0 {
			return n
		}
		return int(min(max(a.From-b.From, -1), 1))
	})
	var joined []truth.Range
	for _, r := range out {
		if n := len(joined) - 1; n >= 0 && joined[n].Partition == r.Partition && joined[n].State == r.State && joined[n].To == r.From-1 && r.State != truth.Undecidable {
			joined[n].To = r.To
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// readable checks that a range can be read where it says.
func (x *player) readable(r reconcile.Range, want truth.Expected) {
	x.t.Helper()
	if r.State == reconcile.Undecidable {
		if r.RecoverFrom != "" || !r.RecoverableUntil.IsZero() {
			x.t.Errorf("%+v claims to be readable", r)
		}
		return
	}
	if r.State == reconcile.Lost {
		return
	}
	var version int
	if _, err := fmt.Sscanf(r.RecoverFrom, "source VERSION AS OF %d", &version); err != nil {
		x.t.Errorf("%+v does not say where it can be read", r)
		return
	}
	for s := r.From; s <= r.To; s++ {
		if !want.Holds(version, truth.Key{Partition: r.Partition, Seq: s}) {
			x.t.Errorf("%+v: version %d does not hold %d", r, version, s)
			return
		}
	}
}

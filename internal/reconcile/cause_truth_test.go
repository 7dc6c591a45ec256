package reconcile

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/truth"
)

func TestMain(m *testing.M) {
	number := 1500
	if raceDetector {
		number = 100
	}
	flag.Int("papers", number, "how many random pipelines TestTruthOnPaper judges")
	flag.Uint64("paper-seed", 0, "the seed of the first of them")
	os.Exit(m.Run())
}

// Random pipelines on paper, many more than can be played on a workspace: no cause that is named is wrong, and none is open
// when everything was kept, but for rows that became due while a run was reading. Which commit is whose is known here.
func TestTruthOnPaper(t *testing.T) {
	t.Parallel()
	number := flag.Lookup("papers").Value.(flag.Getter).Get().(int)
	first := flag.Lookup("paper-seed").Value.(flag.Getter).Get().(uint64)
	told := map[string]int{}
	for seed := first; seed < first+uint64(number); seed++ {
		p := truth.New(seed)
		if p.Has(truth.NullKeys) || p.Has(truth.NullTimes) || p.Has(truth.Overlap) {
			continue // what has no key or time is no range's; of runs at once the order is not told
		}
		told["pipelines"]++
		for _, s := range p.Steps {
			if s.Check == nil {
				continue
			}
			e := s.Check.Expect(nil)
			for _, kept := range []bool{false, true} {
				if !e.Unstarted && !onPaper(t, p, e, kept, told) {
					t.Errorf("seed %d: again with go test ./internal/reconcile -run TestTruthOnPaper -papers 1 -paper-seed %[1]d", seed)
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%6d %s", told[k], k)
	}
}

func onPaper(t *testing.T, p *truth.Pipeline, e truth.Expected, kept bool, told map[string]int) (ok bool) {
	t.Helper()
	ok = true
	w, cut := paperOf(p, e, kept)
	q := w.inquiry()
	q.SetDeleted(deletedOf(e.World()))
	said, err := w.findBy(q, cut)
	if err != nil {
		t.Fatal(err)
	}
	mode := map[bool]string{false: "bare", true: "kept"}[kept]
	for _, k := range slices.Sorted(maps.Keys(said)) {
		key, text := keyOf(k), said[k]
		want, unsure := e.Cause(key)
		words := strings.Fields(text)
		state, got := words[0], strings.TrimSuffix(words[1], ":")
		switch {
		case got == CauseUndecidable && (unsure || !kept):
			told[mode+" undecidable, is "+want]++
		case got == CauseUnread && want == CauseIdlePartition && state == string(Late) && !kept:
			told[mode+" unread, is "+want]++
		case got != want:
			ok = false
			t.Errorf("seed %d, %s: %s is %s; want %s, meant as %v, troubles %v", p.Seed, mode, k, text, want, e.Intents(key), p.Troubles)
		default:
			told[mode+" "+got]++
		}
	}
	return ok
}

func keyOf(k string) truth.Key {
	i := strings.LastIndex(k, "/")
	var seq int64
	fmt.Sscan(k[i+1:], &seq)
	return truth.Key{Partition: k[:i], Seq: seq}
}

// paperOf writes a pipeline down as it was at a check.
func paperOf(p *truth.Pipeline, e truth.Expected, kept bool) (w *paper, cut func(*Inquiry) map[string]string) {
	world := e.World()
	w = &paper{wall: !p.Newest, kept: kept, verified: world.Verified, readable: world.Readable, came: func(k paperKey) bool { return world.Came[truth.Key{Partition: k.p, Seq: k.seq}] }}
	if p.Declared {
		w.window = p.Window
	}
	w.source, w.target = paperVersions(world.Source), paperVersions(world.Target)
	w.loads = loadsOf(world, w)
	w.edit = func(q *Inquiry) {
		q.Strict, q.Delay = p.Strict, p.Delay
		q.DueBelow = q.edge(e.Cutoff.UnixMicro())
		for k := range world.Target[world.TargetVersion].Rows {
			x, ok := q.Extents[k.Partition]
			if !ok {
				x = &Extent{InTarget: true, TargetLow: k.Seq}
				q.Extents[k.Partition] = x
			}
			x.TargetLow = min(x.TargetLow, k.Seq)
		}
	}
	return w, func(q *Inquiry) map[string]string { return cutBy(q, w, world, e) }
}

func paperVersions(all []truth.Version) []paperVersion {
	var out []paperVersion
	for n, v := range all {
		c := Commit{Version: int64(n), At: v.At, Operation: "WRITE", Mode: "Append", BlindAppend: true}
		switch {
		case n == 0:
			c = Commit{At: v.At, Operation: "CREATE TABLE"}
		case v.Rewrites:
			c = Commit{Version: int64(n), At: v.At, Operation: "WRITE", Mode: "Overwrite"}
		case v.Removes:
			c = Commit{Version: int64(n), At: v.At, Operation: "DELETE"}
		}
		rows := map[paperKey]int64{}
		for k, u := range v.Rows {
			rows[paperKey{k.Partition, k.Seq}] = u.UnixMicro()
		}
		out = append(out, paperVersion{Commit: c, newest: v.Newest, rows: rows, foreign: map[paperKey]bool{}})
	}
	return out
}

func loadsOf(world truth.World, w *paper) []Load {
	marks := func(version int) map[string]int64 {
		m := map[string]int64{}
		for k := range world.Target[version].Rows {
			if high, ok := m[k.Partition]; !ok || k.Seq > high {
				m[k.Partition] = k.Seq
			}
		}
		return m
	}
	source := &Timeline{}
	for _, v := range slices.Backward(w.source) {
		source.Add(v.Commit)
	}
	var loads []Load
	for _, r := range world.Runs {
		l := Load{RunID: int64(r.Number), Failed: r.Failed, Foreign: r.Failed && len(r.Commits) > 0, From: r.Started, To: r.Done, Target: -1, Wrote: map[string]Reach{}}
		l.First, l.Pinned = source.At(l.From)
		l.Last, _ = source.At(l.To)
		if n := len(r.Commits); n > 0 {
			l.Before, l.Target = int64(r.Commits[0]-1), int64(r.Commits[n-1])
			l.Marks = marks(r.Commits[n-1])
		} else {
			last := 0
			for n, v := range world.Target {
				if !v.At.After(r.Done) {
					last = n
				}
			}
			l.Marks = marks(last)
		}
		for p, reach := range r.Reach {
			l.Wrote[p] = Reach{reach[0], reach[1]}
		}
		loads = append(loads, l)
	}
	for _, n := range world.Foreign {
		at := world.Target[n].At
		loads = append(loads, Load{Foreign: true, From: at, To: at, Target: int64(n), Before: int64(n - 1), Marks: marks(n)})
	}
	slices.SortStableFunc(loads, func(a, b Load) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.RunID, b.RunID)) })
	return loads
}

// deletedOf lists what versions of the target held before rows were removed from them, and the last one lacks.
func deletedOf(world truth.World) list[Sight] {
	newest := map[truth.Key]int64{}
	for n, v := range world.Target {
		if !v.Removes || n == 0 {
			continue
		}
		for k := range world.Target[n-1].Rows {
			if _, still := world.Target[world.TargetVersion].Rows[k]; !still {
				newest[k] = int64(n - 1)
			}
		}
	}
	var all list[Sight]
	for k, n := range newest {
		all = append(all, Sight{Span{Partition: k.Partition, From: k.Seq, To: k.Seq}, n})
	}
	slices.SortFunc(all, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From))
	})
	return all
}

// cutBy cuts what is known to be missing, each key alone.
func cutBy(q *Inquiry, w *paper, world truth.World, e truth.Expected) map[string]string {
	said := map[string]string{}
	keys := map[paperKey]int64{} // with the last versions that can be read, and held them
	for n := range world.SourceVersion + 1 {
		for k := range w.source[n].rows {
			if v := int64(n); w.canRead(v) || n == world.SourceVersion {
				keys[k] = v
			} else if _, ok := keys[k]; !ok {
				keys[k] = -1
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b paperKey) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.seq, b.seq)) }) {
		state, missing := e.Missing[truth.Key{Partition: k.p, Seq: k.seq}]
		parts := q.Neither(Gap{Span: Span{Partition: k.p, From: k.seq, To: k.seq}})
		switch version := keys[k]; {
		case state == truth.Lost, !missing && version >= 0, !missing && !w.kept:
			continue
		case missing:
			u := instant(w.source[version].rows[k])
			parts = q.Cut(Range{Partition: k.p, From: k.seq, To: k.seq, Rows: 1, State: State(state), Version: version, Held: true, Earliest: u, Latest: u})
		default:
			if _, loaded := world.Target[world.TargetVersion].Rows[truth.Key{Partition: k.p, Seq: k.seq}]; loaded {
				continue
			}
		}
		for r := range parts {
			said[fmt.Sprintf("%s/%d", k.p, k.seq)] = fmt.Sprintf("%s %s: %s", r.State, r.Cause, r.Proof)
		}
	}
	return said
}

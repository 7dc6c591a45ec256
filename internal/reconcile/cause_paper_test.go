package reconcile

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// paper is two tables with all their versions, and the runs of a loader, by hand: nothing is asked of a warehouse. Instants
// and event times are minutes since 06:00. The settle delay is 30 minutes by the newest event, or by the wall clock, whose
// guard is a minute; a row exactly on the cutoff is not due.
type paper struct {
	wall           bool
	window         time.Duration
	source, target []paperVersion
	loads          []Load
	// verified is the number of the run that is verified, counted from 1; 0 is the last one that succeeded.
	verified int
	// unreadable are the versions of the source before this one; readable tells it of each, when set.
	unreadable int
	readable   func(version int) bool
	// came tells whether loads brought a key, when set.
	came      func(k paperKey) bool
	kept      bool // manifests of all versions
	forgotten bool // runs before the first are not on record
	edit      func(q *Inquiry)
}

type paperVersion struct {
	Commit
	rows map[paperKey]int64 // event times in microseconds
	// newest is the newest event time, when it is not that of a row.
	newest time.Time
	// foreign are the rows that no run brought.
	foreign map[paperKey]bool
}

type paperKey struct {
	p   string
	seq int64
}

func minute(m int) time.Time { return time.Date(2026, 3, 2, 6, m, 0, 0, time.UTC) }

func newPaper() *paper {
	w := &paper{window: 2 * time.Hour}
	for _, t := range []*[]paperVersion{&w.source, &w.target} {
		*t = []paperVersion{{Commit: Commit{At: minute(-1), Operation: "CREATE TABLE"}, rows: map[paperKey]int64{}, foreign: map[paperKey]bool{}}}
	}
	return w
}

// commit adds a version to a table: the last one, changed.
func commit(t *[]paperVersion, at int, operation string, change func(v paperVersion)) {
	last := (*t)[len(*t)-1]
	v := paperVersion{Commit: Commit{Version: last.Version + 1, At: minute(at), Operation: operation, BlindAppend: operation == "WRITE", Mode: "Append"}, rows: maps.Clone(last.rows), foreign: maps.Clone(last.foreign)}
	change(v)
	*t = append(*t, v)
}

// come lets rows from one sequence to another into a partition of the source; a row's event time is its sequence.
func (w *paper) come(at int, p string, from, to int64) {
	commit(&w.source, at, "WRITE", func(v paperVersion) {
		for s := from; s <= to; s++ {
			v.rows[paperKey{p, s}] = micros(int(s))
		}
	})
}

// set gives a row an event time of its own.
func (w *paper) set(at int, p string, seq int64, u int) {
	operation := "WRITE"
	if _, there := w.source[len(w.source)-1].rows[paperKey{p, seq}]; there {
		operation = "UPDATE"
	}
	commit(&w.source, at, operation, func(v paperVersion) { v.rows[paperKey{p, seq}] = micros(u) })
}

// leave takes rows older than an event time out of the source.
func (w *paper) leave(at, before int) {
	commit(&w.source, at, "DELETE", func(v paperVersion) {
		maps.DeleteFunc(v.rows, func(_ paperKey, u int64) bool { return u < micros(before) })
	})
}

// run reads and writes rows, given as partition, lowest and highest sequence.
func (w *paper) run(at int, rows ...any) { w.load(at, Load{}, rows...) }

func (w *paper) load(at int, l Load, rows ...any) {
	l.RunID, l.From, l.To, l.Target = int64(len(w.loads)+1), minute(at), minute(at), -1
	l.First = int64(len(w.source) - 1)
	l.Last, l.Pinned = l.First, true
	if len(rows) > 0 {
		l.Before = int64(len(w.target) - 1)
		w.write(at, l.Foreign, rows...)
		l.Target = l.Before + 1
	}
	l.Marks = map[string]int64{}
	for k := range w.target[len(w.target)-1].rows {
		if high, ok := l.Marks[k.p]; !ok || k.seq > high {
			l.Marks[k.p] = k.seq
		}
	}
	w.loads = append(w.loads, l)
}

// others write rows that no run did.
func (w *paper) others(at int, rows ...any) { w.load(at, Load{Foreign: true}, rows...) }

func (w *paper) write(at int, foreign bool, rows ...any) {
	commit(&w.target, at, "WRITE", func(v paperVersion) {
		for i := 0; i < len(rows); i += 3 {
			for s := rows[i+1].(int); s <= rows[i+2].(int); s++ {
				k := paperKey{rows[i].(string), int64(s)}
				if _, there := v.rows[k]; foreign && !there {
					v.foreign[k] = true
				}
				v.rows[k] = micros(s)
			}
		}
	})
}

// list is a list in memory.
type list[T any] []T

func (l list[T]) Len() int64 { return int64(len(l)) }

func (l list[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range l {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func micros(u int) int64 { return minute(u).UnixMicro() }

func (w *paper) newest(version int64) (micro *int64) {
	if n := w.source[version].newest; !n.IsZero() {
		m := n.UnixMicro()
		return &m
	}
	for _, u := range w.source[version].rows {
		if micro == nil || u > *micro {
			micro = &u
		}
	}
	return micro
}

// inquiry puts everything together that a verification knows.
func (w *paper) inquiry() *Inquiry {
	q := &Inquiry{Source: &Timeline{}, Target: &Timeline{}, TargetVersion: int64(len(w.target) - 1), NewestEvent: !w.wall, Strict: true, Delay: 30 * time.Minute, Window: w.window,
		TargetRetention: 7 * 24 * time.Hour, Extents: map[string]*Extent{}, Restarted: map[string]string{}}
	if w.wall {
		q.Guard = time.Minute
	}
	q.Loads = Loads{All: slices.Clone(w.loads), Complete: !w.forgotten}
	for i := range q.Loads.All {
		l := &q.Loads.All[i]
		l.Mixed = slices.ContainsFunc(w.loads[:i], func(l Load) bool { return l.Foreign })
		if l.Mixed && l.Target >= 0 && l.Wrote == nil {
			l.Wrote = w.wrote(l.Before, l.Target)
		}
		if !l.Failed && !l.Foreign && (w.verified == 0 || int(l.RunID) == w.verified) {
			q.Verified, q.SourceVersion = i, l.First
		}
	}
	for _, t := range []struct {
		from []paperVersion
		to   *Timeline
	}{{w.source, q.Source}, {w.target, q.Target}} {
		for _, v := range slices.Backward(t.from) {
			t.to.Add(v.Commit)
		}
	}
	q.Search = &Search{Complete: true, read: map[int64]bool{}, order: map[int64]int{}}
	for v := q.SourceVersion; v > 0; v-- {
		if c := w.source[v].Commit; c.Removes() && w.canRead(v-1) {
			q.Search.Candidates = append(q.Search.Candidates, Candidate{Version: v - 1, RemovedBy: c})
			q.Search.read[v-1] = true
		}
	}
	q.Begin()
	if w.kept {
		w.keep(q)
	}
	q.DueBelow = w.cutoff(q)
	if w.edit != nil {
		w.edit(q)
	}
	return q
}

func (w *paper) wrote(before, after int64) map[string]Reach {
	wrote := map[string]Reach{}
	for k := range w.target[after].rows {
		if _, old := w.target[before].rows[k]; old {
			continue
		}
		r, ok := wrote[k.p]
		if !ok {
			r = Reach{k.seq, k.seq}
		}
		wrote[k.p] = Reach{min(r.Low, k.seq), max(r.High, k.seq)}
	}
	return wrote
}

func (w *paper) cutoff(q *Inquiry) int64 {
	at := q.Loads.All[q.Verified].From.Add(-q.Guard).UnixMicro()
	if n := w.newest(q.SourceVersion); !w.wall && n != nil {
		at = *n
	}
	return at - q.Delay.Microseconds()
}

// keep gives the manifests of all versions, each key a range of its own.
func (w *paper) keep(q *Inquiry) {
	var seen list[evidence.Manifest]
	for _, v := range w.source[:q.SourceVersion+1] {
		kept := evidence.Kept{SourceVersion: v.Version, SeenAt: v.At}
		if !v.newest.IsZero() {
			kept.Latest = v.newest
		}
		for k, u := range v.rows {
			seen = append(seen, evidence.Manifest{SourceVersion: v.Version, SeenAt: v.At, Partition: k.p, Low: k.seq, High: k.seq, Earliest: instant(u), Latest: instant(u)})
			if kept.Latest.Before(instant(u)) {
				kept.Latest = instant(u)
			}
		}
		q.Kept = append(q.Kept, kept)
	}
	slices.SortFunc(seen, func(a, b evidence.Manifest) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), cmp.Compare(a.SourceVersion, b.SourceVersion))
	})
	q.SetSeen(seen)
}

// find gives what is said of each missing key: state, cause and proof.
func (w *paper) find() (map[string]string, error) {
	return w.findBy(w.inquiry(), w.cut)
}

// findBy does so with what a cut gives.
func (w *paper) findBy(q *Inquiry, cut func(*Inquiry) map[string]string) (map[string]string, error) {
	for round := 0; ; round++ {
		said := cut(q)
		wants := q.Wants()
		if wants.None() {
			return said, q.Close()
		}
		if round == 40 {
			return nil, fmt.Errorf("asks without end: %+v", wants)
		}
		w.answer(q, wants)
	}
}

func (w *paper) cut(q *Inquiry) map[string]string {
	said := map[string]string{}
	note := func(ranges iter.Seq[Range]) {
		for r := range ranges {
			for s := r.From; s <= r.To; s++ {
				said[fmt.Sprintf("%s/%d", r.Partition, s)] = fmt.Sprintf("%s %s: %s", r.State, r.Cause, r.Proof)
			}
		}
	}
	keys := map[paperKey]int64{} // with their last versions
	for _, v := range w.source[:q.SourceVersion+1] {
		for k := range v.rows {
			keys[k] = v.Version
		}
	}
	high := map[string]int64{}
	for _, v := range w.target {
		for k := range v.rows {
			high[k.p] = max(high[k.p], k.seq)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b paperKey) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.seq, b.seq)) }) {
		if _, loaded := w.target[len(w.target)-1].rows[k]; loaded {
			continue
		}
		version := keys[k]
		if version < q.SourceVersion && !w.canRead(version) {
			note(q.Neither(Gap{Span: Span{Partition: k.p, From: k.seq, To: k.seq}}))
			continue
		}
		u := w.source[version].rows[k]
		r := Range{Partition: k.p, From: k.seq, To: k.seq, Rows: 1, Version: version, Held: true, Earliest: instant(u), Latest: instant(u)}
		switch isDue, under := u < q.DueBelow, k.seq <= high[k.p]; {
		case version < q.SourceVersion && isDue:
			r.State = Expired
		case version < q.SourceVersion || !isDue && under:
			r.State = Doomed
		case !isDue:
			continue // in flight
		case under:
			r.State = Skipped
		default:
			r.State = Late
		}
		note(q.Cut(r))
	}
	return said
}

func (w *paper) answer(q *Inquiry, wants Wants) {
	readable := func(version int64) bool {
		if !w.canRead(version) {
			q.SetBroken(version)
		}
		return w.canRead(version)
	}
	for _, v := range wants.Newest {
		if readable(v) {
			q.SetNewest(v, w.newest(v))
		}
	}
	for i, v := range wants.Views {
		if readable(v.Version) {
			q.SetView(v, wants.Spans[i], w.sights(v))
		}
	}
	for _, b := range wants.Batches {
		switch {
		case b.Listed:
			q.SetBatch(b, w.count(b, func(k paperKey) bool { return k.seq <= b.High }))
		case readable(b.Version):
			q.SetBatch(b, w.count(b, func(k paperKey) bool {
				u, there := w.source[b.Version].rows[k]
				return there && u < b.Sure
			}))
		}
	}
}

func (w *paper) canRead(version int64) bool {
	if w.readable != nil {
		return w.readable(int(version))
	}
	return version >= int64(w.unreadable)
}

func (w *paper) sights(v View) list[Sight] {
	var all list[Sight]
	for k, u := range w.source[v.Version].rows {
		if _, loaded := w.target[len(w.target)-1].rows[k]; loaded {
			continue
		}
		st := either
		switch {
		case u < v.Sure:
			st = due
		case u >= v.Never:
			st = young
		}
		all = append(all, Sight{Span{Partition: k.p, From: k.seq, To: k.seq}, int64(st)})
	}
	slices.SortFunc(all, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From))
	})
	return all
}

// count counts a batch: keys of the source for which a condition holds, and those of them that loads brought; of a batch that
// a manifest lists, keys of the target.
func (w *paper) count(b Batch, is func(paperKey) bool) Batched {
	n := Batched{Keys: b.Keys, High: b.High}
	last := w.target[len(w.target)-1]
	rows := map[paperKey]int64{}
	for _, v := range w.target {
		maps.Copy(rows, v.rows)
	}
	if !b.Listed {
		rows = w.source[b.Version].rows
	}
	for k := range rows {
		if k.p != b.Partition || !b.Whole && k.seq <= b.Above || b.Prefix && k.seq >= b.Below || !is(k) {
			continue
		}
		if !b.Listed {
			if n.Keys++; n.Keys == 1 || k.seq > n.High {
				n.High = k.seq
			}
		}
		_, loaded := last.rows[k]
		if w.came != nil {
			loaded = w.came(k)
		}
		if loaded && !last.foreign[k] {
			n.Loaded++
		}
	}
	return n
}

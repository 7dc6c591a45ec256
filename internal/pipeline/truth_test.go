package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// row is a row of the source as the test knows it: nothing of it is read back.
type row struct {
	key
	u                time.Time
	arrived, removed time.Time // removed is zero while it is there
}

// world is a small pipeline whose every row is known.
type world struct {
	b       *bed
	r       *rand.Rand
	clock   coverage.Clock
	job     int64
	window  time.Duration
	next    []int64 // per partition
	silent  []bool
	held    []row // to arrive late
	rows    []*row
	nulls   []*row // rows without a partition
	trouble map[string]bool
	script  []string
}

const tick = 5 * time.Minute

func newWorld(b *bed, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 7))
	w := &world{b: b, r: r, window: 2 * time.Hour, trouble: map[string]bool{}, clock: coverage.SettleNewestEvent}
	if r.IntN(3) == 0 {
		w.clock = coverage.SettleWall
	}
	for range 1 + r.IntN(4) {
		first := int64(0)
		if r.IntN(3) == 0 {
			first = int64(r.IntN(100_000))
		}
		w.next = append(w.next, first)
		w.silent = append(w.silent, false)
	}
	for _, t := range []string{"pause", "stragglers", "new partition", "deletes", "duplicates", "upstream gaps", "tail", "source duplicates"} {
		w.trouble[t] = r.IntN(4) == 0
	}
	w.trouble["null keys"] = r.IntN(12) == 0
	return w
}

func (w *world) note(format string, args ...any) {
	w.script = append(w.script, w.b.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// arrive commits what a tick brings.
func (w *world) arrive() {
	now := w.b.Now()
	var rows []row
	for p := range w.next {
		if w.silent[p] {
			continue
		}
		for range w.r.IntN(6) {
			if w.trouble["upstream gaps"] && w.r.IntN(40) == 0 {
				w.next[p] += 1 + int64(w.r.IntN(3))
			}
			u := now.Add(-time.Duration(w.r.IntN(60)) * time.Second).Truncate(time.Second)
			if w.trouble["stragglers"] && w.r.IntN(20) == 0 {
				u = u.Add(time.Duration(w.r.IntN(50)-10) * time.Minute) // far behind, or far ahead of its neighbours
			}
			one := row{key: key{fmt.Sprint(p), w.next[p]}, u: u}
			w.next[p]++
			if w.trouble["stragglers"] && w.r.IntN(30) == 0 {
				w.held = append(w.held, one)
				continue
			}
			rows = append(rows, one)
		}
	}
	for len(w.held) > 0 && w.r.IntN(6) == 0 {
		rows, w.held = append(rows, w.held[0]), w.held[1:]
	}
	w.insert(rows)
}

func (w *world) insert(rows []row) {
	var values []string
	for i := range rows {
		r := rows[i]
		copies := 1
		if w.trouble["source duplicates"] && w.r.IntN(60) == 0 {
			copies = 2
		}
		for range copies {
			values = append(values, fmt.Sprintf("(%s, %d, TIMESTAMP'%s')", r.p, r.seq, r.u.Format("2006-01-02T15:04:05Z")))
		}
		w.rows = append(w.rows, &r)
	}
	if w.trouble["null keys"] && w.r.IntN(10) == 0 {
		lost := &row{u: w.b.Now().Add(-time.Minute).Truncate(time.Second)}
		values = append(values, fmt.Sprintf("(NULL, 5, TIMESTAMP'%s')", lost.u.Format("2006-01-02T15:04:05Z")))
		defer func() {
			lost.arrived = w.b.Now()
			w.nulls = append(w.nulls, lost)
		}()
	}
	if len(values) == 0 {
		return
	}
	w.b.exec("INSERT INTO main.events.src VALUES %s", strings.Join(values, ", "))
	for _, r := range w.rows[len(w.rows)-len(rows):] {
		r.arrived = w.b.Now()
	}
}

// expire deletes what has left the window.
func (w *world) expire() {
	edge := w.b.Now().Add(-w.window).Truncate(time.Second)
	w.b.exec("DELETE FROM main.events.src WHERE u < TIMESTAMP'%s'", edge.Format("2006-01-02T15:04:05Z"))
	for _, r := range slices.Concat(w.rows, w.nulls) {
		if r.removed.IsZero() && r.u.Before(edge) {
			r.removed = w.b.Now()
		}
	}
}

func (w *world) spoilTarget() {
	rows := w.b.exec("SELECT p, seq FROM main.events.tgt ORDER BY p, seq")
	if len(rows) == 0 {
		return
	}
	at := w.r.IntN(len(rows))
	first := rows[at]
	last := rows[min(len(rows)-1, at+w.r.IntN(5))]
	where := fmt.Sprintf("p = %s AND seq BETWEEN %s AND %s", first[0], first[1], first[1])
	if last[0] == first[0] {
		where = fmt.Sprintf("p = %s AND seq BETWEEN %s AND %s", first[0], first[1], last[1])
	}
	if w.trouble["deletes"] && w.r.IntN(12) == 0 {
		w.note("delete from the target %s", where)
		w.b.exec("DELETE FROM main.events.tgt WHERE %s", where)
	}
	if w.trouble["duplicates"] && w.r.IntN(12) == 0 {
		w.note("repeat in the target %s", where)
		w.b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE %s", where)
	}
}

// play lets hours pass and returns the last run.
func (w *world) play(ticks int) int64 {
	paused := -1
	if w.trouble["pause"] {
		paused = w.r.IntN(ticks)
	}
	var last int64
	for i := range ticks {
		w.b.advance(tick)
		if w.trouble["new partition"] && i == ticks/2 {
			w.next, w.silent = append(w.next, int64(w.r.IntN(3))), append(w.silent, false)
		}
		if w.trouble["tail"] && w.r.IntN(ticks) == 0 {
			p := w.r.IntN(len(w.silent))
			w.silent[p] = !w.silent[p]
			w.note("partition %d silent: %t", p, w.silent[p])
		}
		w.arrive()
		if i%4 == 3 {
			w.expire()
		}
		if pausedNow := paused >= 0 && i >= paused && i < paused+int((w.window+time.Hour)/tick); !pausedNow && i%3 == 2 {
			last = w.b.load(w.job)
			w.note("run %d", last)
		}
		w.spoilTarget()
	}
	w.b.advance(time.Second)
	last = w.b.load(w.job)
	w.note("run %d, to be verified", last)
	if w.r.IntN(3) == 0 { // what happens after the run must not matter
		w.b.advance(tick)
		w.arrive()
		w.expire()
	}
	return last
}

// expected is what a verification of a run must find.
type expected struct {
	missing  map[key]reconcile.State
	due      int
	inFlight int
	surplus  int
	nulls    int
}

// truth says what is missing for a run that began at an instant, by the definitions alone.
func (w *world) truth(began time.Time) expected {
	loaded := map[key]int{}
	highest := map[string]int64{}
	for _, r := range w.b.exec("SELECT p, seq FROM main.events.tgt WHERE p IS NOT NULL") {
		k := key{r[0], number(w.b.t, r[1])}
		loaded[k]++
		if high, ok := highest[k.p]; !ok || k.seq > high {
			highest[k.p] = k.seq
		}
	}
	now := began.Add(-reconcile.SkewGuard)
	if w.clock == coverage.SettleNewestEvent {
		now = time.Time{}
		for _, r := range slices.Concat(w.rows, w.nulls) {
			if w.there(r, began) && r.u.After(now) {
				now = r.u
			}
		}
	}
	cutoff := now.Add(-30 * time.Minute)
	e := expected{missing: map[key]reconcile.State{}}
	for _, n := range loaded {
		e.surplus += n - 1
	}
	for _, r := range w.nulls {
		if w.there(r, began) {
			e.nulls++
		}
	}
	for _, r := range w.rows {
		if r.arrived.After(began) {
			continue
		}
		high, some := highest[r.p]
		under := some && r.seq <= high
		due, there, in := r.u.Before(cutoff), w.there(r, began), loaded[r.key] > 0
		switch {
		case due && (there || !in):
			e.due++
		case !due && there && !in && !under:
			e.inFlight++
		}
		switch {
		case in:
		case !there && due:
			e.missing[r.key] = reconcile.Expired
		case !there:
		case due && under:
			e.missing[r.key] = reconcile.Skipped
		case due:
			e.missing[r.key] = reconcile.Late
		case under:
			e.missing[r.key] = reconcile.Doomed
		}
	}
	return e
}

func (w *world) there(r *row, at time.Time) bool {
	return !r.arrived.After(at) && (r.removed.IsZero() || r.removed.After(at))
}

func show(keys map[key]reconcile.State) string {
	var all []string
	for k, s := range keys {
		all = append(all, fmt.Sprintf("%s/%09d %s", k.p, k.seq, s))
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

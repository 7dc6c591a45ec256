package truth

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// The states of what is missing.
const (
	Late        = "late"
	Skipped     = "skipped"
	Doomed      = "doomed"
	Expired     = "expired"
	Lost        = "lost"
	Undecidable = "undecidable"
	Accepted    = "accepted"
)

// The verdicts.
const (
	Pass         = "PASS"
	Fail         = "FAIL"
	Inconclusive = "INCONCLUSIVE"
)

// Range is a run of consecutive keys of one partition in one state.
type Range struct {
	Partition string
	From, To  int64
	State     string
}

// Duplicate is a run of consecutive keys that the target holds more than once.
type Duplicate struct {
	Partition           string
	From, To            int64
	Keys, SurplusOfKeys int64
}

// Day holds the counts of a day.
type Day struct{ Due, Loaded, Missing, InFlight int64 }

// Expected is what a verification must say, all of it.
type Expected struct {
	Verdict string
	// Unstarted says that there is nothing to compare.
	Unstarted bool
	// Doubts are the codes of what keeps it from passing, sorted.
	Doubts         []string
	Source         int // version
	ReadAt, Cutoff time.Time
	Counts         map[string]int64
	Surplus        int64 // rows of the target that are too many
	Days           map[string]Day
	Ranges         []Range
	Duplicates     []Duplicate
	// Missing are the keys of Ranges, but for the undecidable ones.
	Missing map[Key]string
	// Lost are the keys that are due and nowhere any more: no claim that nothing is missing may span them.
	Lost map[Key]bool

	check *Check
	view  *view
}

// Check is the moment that it is of.
func (e Expected) Check() *Check { return e.check }

// Holds tells whether a version of the source holds a key.
func (e Expected) Holds(version int, k Key) bool {
	for r := range e.check.g.source.holds(version) {
		if !r.keyless && r.Key == k {
			return true
		}
	}
	return false
}

// view is what an expectation is worked out from.
type view struct {
	*Check
	e        *Expected
	accepted func(Key) bool
	readable func(int) bool
	run      *Run
	since    time.Time
	source   int
	target   int
	settled  func(u time.Time) bool
	there    map[Key]time.Time // keys of the source, with their earliest event time
	untimed  map[Key]bool      // those without one
	loaded   map[Key]int64
	high     map[string]int64
	ever     map[string]int64 // the highest the target ever held
	was      map[Key]bool     // keys that it held once
	removed  map[Key]gone
	runs     []*Run
	owns     map[*Run]map[string][2]int64 // the reach of what runs wrote
	came     map[Key]bool                 // what runs brought to the target
	vanished map[Key]bool                 // removed, and in no version that can be read
}

// gone is a key that left the source.
type gone struct {
	version int // the newest that holds it and can be read
	u       time.Time
}

// Expect works out what must come out of the check. broken tells which versions of the source cannot be read since
// their files are gone; nil: none.
func (c *Check) Expect(broken func(version int) bool) Expected {
	return c.ExpectAccepting(broken, func(Key) bool { return false })
}

// ExpectAccepting works it out where some keys need not be in the target.
func (c *Check) ExpectAccepting(broken func(version int) bool, accepted func(Key) bool) Expected {
	e := Expected{check: c, Counts: map[string]int64{}, Days: map[string]Day{}, Missing: map[Key]string{}, Lost: map[Key]bool{}, Verdict: Inconclusive, Unstarted: true}
	run, previous, active := c.subject()
	if run == nil {
		e.Doubts = []string{"no_run"}
		return e
	}
	v := &view{Check: c, e: &e, accepted: accepted, run: run, since: c.g.target.commits[0].at, readable: func(n int) bool { return c.readable(n) && (broken == nil || !broken(n)) }}
	e.view = v
	if previous != nil {
		v.since = previous.Started
	}
	v.source = c.g.source.at(run.Started)
	e.ReadAt, e.Source = run.Started, v.source
	if !v.readable(v.source) {
		e.Doubts = []string{"unreadable"}
		return e
	}
	e.Unstarted = false
	target := c.target
	if active != nil {
		for target > 0 && !c.g.target.commits[target].at.Before(active.Started) {
			target--
		}
	}
	v.loadedAt(target)
	v.target = target
	v.thereAt()
	v.cut()
	v.present()
	v.gone()
	v.gaps()
	v.judge()
	return e
}

func (v *view) loadedAt(target int) {
	v.loaded, v.high, v.ever, v.was = map[Key]int64{}, map[string]int64{}, map[string]int64{}, map[Key]bool{}
	for _, r := range v.g.target.rows {
		if r.keyless || r.from > target {
			continue
		}
		v.was[r.Key] = true
		if high, ok := v.ever[r.Partition]; !ok || r.Seq > high {
			v.ever[r.Partition] = r.Seq
		}
	}
	for r := range v.g.target.holds(target) {
		v.loaded[r.Key]++
		if high, ok := v.high[r.Partition]; !ok || r.Seq > high {
			v.high[r.Partition] = r.Seq
		}
	}
	for _, k := range sorted(v.loaded) {
		n := v.loaded[k]
		if n == 1 {
			continue
		}
		if v.accepted(k) {
			v.e.Counts[Accepted] += n - 1
			continue
		}
		v.e.Surplus += n - 1
		if last := len(v.e.Duplicates) - 1; last >= 0 && v.e.Duplicates[last].Partition == k.Partition && v.e.Duplicates[last].To == k.Seq-1 {
			d := &v.e.Duplicates[last]
			d.To, d.Keys, d.SurplusOfKeys = k.Seq, d.Keys+1, d.SurplusOfKeys+n-1
			continue
		}
		v.e.Duplicates = append(v.e.Duplicates, Duplicate{k.Partition, k.Seq, k.Seq, 1, n - 1})
	}
}

// sorted are the keys of a map by partition and sequence.
func sorted[V any](m map[Key]V) []Key {
	return slices.SortedFunc(maps.Keys(m), func(a, b Key) int { return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Seq, b.Seq)) })
}

func (v *view) thereAt() {
	v.there, v.untimed = map[Key]time.Time{}, map[Key]bool{}
	keyless, untimed := 0, 0
	for r := range v.g.source.holds(v.source) {
		switch {
		case r.keyless:
			keyless++
		case r.u.IsZero():
			untimed++
			v.untimed[r.Key] = true
		default:
			if u, ok := v.there[r.Key]; !ok || r.u.Before(u) {
				v.there[r.Key] = r.u
			}
		}
	}
	if keyless > 0 {
		v.doubt("null_keys")
	}
	if untimed > 0 {
		v.doubt("null_event_time")
	}
}

func (v *view) doubt(code string) {
	if !slices.Contains(v.e.Doubts, code) {
		v.e.Doubts = append(v.e.Doubts, code)
		slices.Sort(v.e.Doubts)
	}
}

// cut finds the cutoff: a minute is taken off a wall clock.
func (v *view) cut() {
	now := v.run.Started.Add(-time.Minute)
	if v.g.Newest {
		now = time.Time{}
		for r := range v.g.source.holds(v.source) {
			if r.u.After(now) {
				now = r.u
			}
		}
		if now.IsZero() {
			v.doubt("no_newest_event")
			v.settled = func(time.Time) bool { return false }
			return
		}
	}
	cutoff := now.Add(-v.g.Delay)
	v.e.Cutoff = cutoff
	v.settled = func(u time.Time) bool { return u.Before(cutoff) || !v.g.Strict && u.Equal(cutoff) }
}

// present says what is true of the keys that the source holds.
func (v *view) present() {
	for k, u := range v.there {
		high, some := v.high[k.Partition]
		under, in := some && k.Seq <= high, v.loaded[k] > 0
		ever, once := v.ever[k.Partition]
		switch {
		case v.settled(u) && in:
			v.count(u, "loaded")
		case v.settled(u) && (under || once && k.Seq <= ever):
			v.miss(k, u, Skipped)
		case v.settled(u):
			v.miss(k, u, Late)
		case in:
		case under:
			v.miss(k, u, Doomed)
		default:
			v.count(u, "in_flight")
		}
	}
}

func (v *view) miss(k Key, u time.Time, state string) {
	if v.accepted(k) {
		v.e.Counts[Accepted]++
		return
	}
	v.e.Missing[k] = state
	v.count(u, state)
}

func (v *view) count(u time.Time, what string) {
	day := u.UTC().Format("2006-01-02")
	d := v.e.Days[day]
	v.e.Counts[what]++
	switch what {
	case "in_flight":
		d.InFlight++
	case "loaded":
		d.Due++
		d.Loaded++
		v.e.Counts["due"]++
	case Lost: // its day is not known any more
		v.e.Counts["due"]++
		v.e.Counts["missing"]++
	case Late, Skipped, Expired:
		d.Due++
		d.Missing++
		v.e.Counts["due"]++
		v.e.Counts["missing"]++
	}
	if d != (Day{}) {
		v.e.Days[day] = d
	}
}

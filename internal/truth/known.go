package truth

import (
	"cmp"
	"slices"
	"time"
)

// gone says what is true of the keys that left the source before it was read.
func (v *view) gone() {
	v.removed, v.vanished = map[Key]gone{}, map[Key]bool{}
	for _, r := range v.g.source.rows {
		if r.keyless || r.u.IsZero() || r.until > v.source || v.loaded[r.Key] > 0 || v.untimed[r.Key] {
			continue
		}
		if _, there := v.there[r.Key]; there {
			continue
		}
		if v.g.source.commits[r.until].at.Before(v.g.target.commits[0].at) {
			continue // nobody's to load
		}
		last := r.until - 1
		if !v.readable(last) {
			v.vanished[r.Key] = true
			continue
		}
		if old, ok := v.removed[r.Key]; !ok || last > old.version || last == old.version && r.u.Before(old.u) {
			v.removed[r.Key] = gone{last, r.u}
		}
	}
	for k, g := range v.removed {
		delete(v.vanished, k)
		if v.settled(g.u) {
			v.miss(k, g.u, Expired)
		} else {
			v.miss(k, g.u, Doomed)
		}
	}
}

// gaps finds the sequences that nothing readable holds, between keys that are known to have been.
func (v *view) gaps() {
	known := map[Key]time.Time{} // with their newest event time
	add := func(k Key, u time.Time) {
		if old, ok := known[k]; !ok || u.After(old) {
			known[k] = u
		}
	}
	for r := range v.g.target.holds(v.target) {
		add(r.Key, r.u)
	}
	for r := range v.g.source.holds(v.source) {
		if !r.keyless {
			add(r.Key, r.u)
		}
	}
	for k, g := range v.removed {
		add(k, g.u)
	}
	keys := sorted(known)
	for i := 1; i < len(keys); i++ {
		a, b := keys[i-1], keys[i]
		if a.Partition != b.Partition || a.Seq == b.Seq-1 {
			continue
		}
		if r := (Range{a.Partition, a.Seq + 1, b.Seq - 1, Undecidable}); !v.neverThere(r, known[a], known[b]) {
			v.undecided(r)
		} else {
			v.upstream(r)
		}
	}
	if v.e.Counts[Undecidable] > 0 {
		v.doubt("undecidable")
	}
}

func (v *view) upstream(r Range) {
	for s := r.From; ; s++ {
		if v.accepted(Key{r.Partition, s}) {
			v.e.Counts[Accepted]++
		} else {
			v.e.Counts["upstream_gap"]++
		}
		if s == r.To {
			return
		}
	}
}

// undecided takes a gap that nothing readable of the source fills. What the target held once was there.
func (v *view) undecided(r Range) {
	from := r.From
	add := func(to int64) {
		if from <= to {
			v.e.Ranges = append(v.e.Ranges, Range{r.Partition, from, to, Undecidable})
			v.e.Counts[Undecidable] += to - from + 1
		}
	}
	for s := r.From; ; s++ {
		k := Key{r.Partition, s}
		if v.was[k] || v.accepted(k) {
			add(s - 1)
			from = s + 1
		}
		switch {
		case v.was[k]:
			v.miss(k, time.Unix(0, 0), Lost)
		case v.accepted(k):
			v.e.Counts[Accepted]++
		}
		if s == r.To {
			break
		}
	}
	add(r.To)
}

// neverThere tells whether it is known that sequences were never in the source. Rows that came and went before the
// oldest version that can be read leave no trace; but sequences are given in order, so that what follows a row did not
// exist in a version of before that row's event.
func (v *view) neverThere(r Range, below, above time.Time) bool {
	for k := range v.vanished {
		if k.Partition == r.Partition && r.From <= k.Seq && k.Seq <= r.To {
			return false // whatever the rule says
		}
	}
	if v.blind() < 0 {
		return true
	}
	for n := v.source; n >= 0 && v.readable(n) && !below.IsZero() && !above.IsZero(); n-- {
		if !v.g.source.commits[n].at.After(below) && v.below(n, r) {
			return true
		}
	}
	return false
}

// below tells whether a version holds nothing of a partition from the key before a range on.
func (v *view) below(version int, r Range) bool {
	for s := range v.g.source.holds(version) {
		if !s.keyless && s.Partition == r.Partition && s.Seq >= r.From-1 {
			return false
		}
	}
	return true
}

// blind is the newest version that took rows away which cannot be looked at; −1: none.
func (v *view) blind() int {
	for n := v.source; n > 0; n-- {
		if c := v.g.source.commits[n]; c.removes && !c.at.Before(v.g.target.commits[0].at) && !v.readable(n-1) {
			return n
		}
	}
	return -1
}

// judge folds the ranges and names the verdict.
func (v *view) judge() {
	if n := v.blind(); n >= 0 && v.g.source.commits[n].at.After(v.since) {
		v.doubt("unreadable")
	}
	if v.e.Counts["due"] == 0 && !slices.Contains(v.e.Doubts, "no_newest_event") {
		v.doubt("nothing_due")
	}
	for _, k := range sorted(v.e.Missing) {
		state := v.e.Missing[k]
		if last := len(v.e.Ranges) - 1; last >= 0 && v.e.Ranges[last].Partition == k.Partition && v.e.Ranges[last].To == k.Seq-1 && v.e.Ranges[last].State == state {
			v.e.Ranges[last].To = k.Seq
			continue
		}
		v.e.Ranges = append(v.e.Ranges, Range{k.Partition, k.Seq, k.Seq, state})
	}
	slices.SortFunc(v.e.Ranges, func(a, b Range) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From))
	})
	switch {
	case len(v.e.Missing) > 0:
		v.e.Verdict = Fail
	case len(v.e.Doubts) > 0:
		v.e.Verdict = Inconclusive
	default:
		v.e.Verdict = Pass
	}
}

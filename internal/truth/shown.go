package truth

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// reads are the runs that read before the check, in the order of their reading.
func (v *view) reads() []*Run {
	var all []*Run
	for _, r := range v.g.runs {
		if !r.readAt.IsZero() && r.readAt.Before(v.now) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b *Run) int { return cmp.Compare(a.readAt.UnixNano(), b.readAt.UnixNano()) })
	return all
}

// dueAt tells whether the source held a key when a run read it, and it was due.
func (v *view) dueAt(k Key, r *Run) bool {
	u, there := v.timeOf(k, v.g.source.at(r.readAt))
	return there && !r.cutoff.IsZero() && (u.Before(r.cutoff) || !v.g.Strict && u.Equal(r.cutoff))
}

// loads are the runs among them that ended well before the check.
func (v *view) loads() []*Run {
	if v.runs == nil {
		for _, r := range v.reads() {
			if !r.Failed && slices.Contains(v.ended, r) {
				v.runs = append(v.runs, r)
			}
		}
	}
	return v.runs
}

// stand is how a key stood in a version of the source to a cutoff.
func (v *view) stand(k Key, version int, cutoff time.Time) stand {
	u, there := v.timeOf(k, version)
	switch {
	case there && !cutoff.IsZero() && (u.Before(cutoff) || !v.g.Strict && u.Equal(cutoff)):
		return due
	case there:
		return young
	case slices.ContainsFunc(v.g.source.rows, func(s *row) bool { return !s.keyless && s.Key == k && s.until <= version }):
		return left
	}
	return absent
}

// unsure tells whether a key stood otherwise to what a run may have read than to what it did; or whether its event time may
// have been changed since manifests showed it, and no version does.
func (v *view) unsure(k Key) bool {
	if v.vanished[k] && (v.g.Has(ChangedInPlace) || v.astray(k)) {
		return true
	}
	guard := time.Duration(0)
	if !v.g.Newest {
		guard = time.Minute
		if last := v.lastWith(k); last >= 0 && last < v.g.source.version() {
			u, _ := v.timeOf(k, last)
			if u.Sub(v.g.source.commits[last+1].at.Add(-v.g.Delay)).Abs() <= guard {
				return true // it became due about when it left
			}
		}
	}
	for _, r := range v.reads() {
		if !slices.Contains(v.ended, r) {
			continue
		}
		st := v.stand(k, v.g.source.at(r.readAt), r.cutoff)
		if st == due && slices.ContainsFunc(v.g.runs, func(o *Run) bool { return o != r && o.ended && !o.Started.After(r.end) && !r.Started.After(o.end) }) {
			return true // which of two that went on at once wrote what is not told
		}
		for version := v.g.source.at(r.Started); version <= v.g.source.at(r.end); version++ {
			for _, at := range []time.Time{r.Started.Add(-guard), r.end.Add(guard)} {
				if v.stand(k, version, v.cutoffAt(at, version)) != st {
					return true
				}
			}
		}
	}
	return false
}

// astray tells whether a key's event time is far from those of the rows that it came with: a manifest, which keeps ranges of
// keys, tells it no closer than theirs.
func (v *view) astray(k Key) bool {
	return slices.ContainsFunc(v.g.source.rows, func(s *row) bool {
		return !s.keyless && s.Key == k && s.u.Sub(v.g.source.commits[s.from].at).Abs() > v.g.tick
	})
}

// cutoffAt is the cutoff of a run that reads a version at an instant.
func (v *view) cutoffAt(at time.Time, version int) time.Time {
	if v.g.Newest {
		at = time.Time{}
		for r := range v.g.source.holds(version) {
			if r.u.After(at) {
				at = r.u
			}
		}
		if at.IsZero() {
			return at
		}
	}
	return at.Add(-v.g.Delay)
}

// own are the lowest and the highest sequence that a run wrote in a partition.
func (v *view) own(p string, r *Run) (low, high int64, some bool) {
	if v.owns == nil {
		v.owns = map[*Run]map[string][2]int64{}
		for _, r := range v.loads() {
			v.owns[r] = map[string][2]int64{}
			for _, s := range v.g.target.rows {
				if s.keyless || s.from > v.target || !slices.Contains(r.commits, s.from) {
					continue
				}
				reach, ok := v.owns[r][s.Partition]
				if !ok {
					reach = [2]int64{s.Seq, s.Seq}
				}
				v.owns[r][s.Partition] = [2]int64{min(reach[0], s.Seq), max(reach[1], s.Seq)}
			}
		}
	}
	reach, some := v.owns[r][p]
	return reach[0], reach[1], some
}

// position is the highest sequence that runs before one wrote in a partition.
func (v *view) position(p string, before int) (at *int64) {
	for _, r := range v.loads()[:before] {
		if _, high, some := v.own(p, r); some && (at == nil || high > *at) {
			at = &high
		}
	}
	return at
}

// wrote tells whether a run moved a partition on.
func (v *view) wrote(p string, i int) bool {
	before := v.position(p, i)
	_, high, some := v.own(p, v.loads()[i])
	return some && (before == nil || high > *before)
}

// isBlank tells whether a run wrote nothing.
func (v *view) isBlank(i int) bool { return len(v.loads()[i].commits) == 0 }

// marked tells whether the target had ever had a row of a partition when a run ended.
func (v *view) marked(p string, i int) bool {
	version := v.g.target.at(v.loads()[i].end)
	return slices.ContainsFunc(v.g.target.rows, func(s *row) bool { return !s.keyless && s.Partition == p && s.from <= version })
}

// heldBefore are the rows that the target ever held before a run wrote to it.
func (v *view) heldBefore(r *Run) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		for _, s := range v.g.target.rows {
			if len(r.commits) > 0 && s.from < r.commits[0] && !s.keyless && !yield(s) {
				return
			}
		}
	}
}

// dueAbove are the sequences of a partition that a run had due above a position, whenever in its time it read.
func (v *view) dueAbove(p string, r *Run, above *int64) []int64 {
	var all []int64
	version := v.g.source.at(r.Started)
	cutoff := v.cutoffAt(r.Started.Add(-time.Minute), version)
	if v.g.Newest {
		done := r.end
		for _, c := range r.commits {
			done = v.g.target.commits[c].at
		}
		if later := v.cutoffAt(done, v.g.source.at(done)); later.Before(cutoff) {
			cutoff = later
		}
	}
	for s := range v.g.source.holds(version) {
		if !s.keyless && s.Partition == p && (above == nil || s.Seq > *above) && v.stand(s.Key, version, cutoff) == due {
			all = append(all, s.Seq)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tail is what a run left of a partition.
func (v *view) tail(p string, i int) []int64 { return v.dueAbove(p, v.loads()[i], v.position(p, i+1)) }

// fresh is the part of it above all that the run before left.
func (v *view) fresh(p string, i int) []int64 {
	rows := v.tail(p, i)
	if i == 0 {
		return rows
	}
	older := v.tail(p, i-1)
	return slices.DeleteFunc(rows, func(s int64) bool { return len(older) > 0 && s <= older[len(older)-1] })
}

// ownRows are those among which a key first was due: what is fresh, or all, for a key below something that is not.
func (v *view) ownRows(k Key, i int) []int64 {
	if rows := v.fresh(k.Partition, i); slices.Contains(rows, k.Seq) {
		return rows
	}
	return v.tail(k.Partition, i)
}

// anyCame tells whether runs brought one of some sequences.
func (v *view) anyCame(p string, rows []int64) bool {
	if v.came == nil {
		v.came = map[Key]bool{}
		for _, r := range v.loads() {
			for _, s := range v.g.target.rows {
				if s.from <= v.target && slices.Contains(r.commits, s.from) {
					v.came[s.Key] = true
				}
			}
		}
	}
	return slices.ContainsFunc(rows, func(s int64) bool { return v.came[Key{p, s}] })
}

package truth

import (
	"cmp"
	"slices"
	"time"
)

// The causes, as reconcile names them.
const (
	CauseUnread          = "unread"
	CauseWatermarkPassed = "watermark_passed"
	CauseBatchLost       = "batch_lost"
	CauseIsolated        = "isolated"
	CauseExpiredUnread   = "expired_unread"
	CauseNewPartition    = "new_partition"
	CauseIdlePartition   = "idle_partition"
	CauseSilence         = "silence"
	CauseSourceShrank    = "source_shrank"
	CauseDeleted         = "deleted_in_target"
	CauseSameRun         = "duplicate_same_run"
	CauseTwoRuns         = "duplicate_two_runs"
)

// Causes are those that may be named for a missing key: what truly became of it, and what that looks like to somebody who
// sees the tables and the runs' times only. None of them is named where nobody can tell.
func (e Expected) Causes(k Key) []string {
	may := e.view.causes(k)
	if _, there := e.view.there[k]; !there && !e.view.passed(k) && !slices.Contains(may, CauseDeleted) {
		may = append(may, CauseExpiredUnread) // whatever the loader's own position was, the target's was below it
	}
	return may
}

// passed tells whether the target held a row above a key while the source held the key.
func (v *view) passed(k Key) bool {
	for n, c := range v.g.target.commits[:v.target+1] {
		if _, there := v.timeOf(k, v.g.source.at(c.at)); !there {
			continue
		}
		for r := range v.g.target.holds(n) {
			if r.Partition == k.Partition && r.Seq > k.Seq {
				return true
			}
		}
	}
	return false
}

func (v *view) causes(k Key) []string {
	if v.was[k] {
		return []string{CauseDeleted}
	}
	state := v.e.Missing[k]
	var waited []*Run // runs at which the key was due, and which read on without it
	for _, r := range v.reads() {
		picked := slices.ContainsFunc(r.picked, func(s row) bool { return s.Key == k })
		last, some := r.last[k.Partition]
		switch {
		case r.Failed:
		case picked && slices.Contains(r.dropped, k):
			return v.orLate(state, CauseIsolated)
		case picked && !r.saved: // written, so that the target held it; or yet to be
			return []string{CauseUnread}
		case picked:
			return v.orLate(state, CauseBatchLost)
		case some && last >= k.Seq && r.saved && v.dueAt(k, r):
			return v.orLate(state, CauseNewPartition) // as StartsLatest does
		case some && last >= k.Seq && r.saved && v.wasGone(k, r):
			return v.unread(k, state, waited)
		case some && last >= k.Seq && r.saved:
			if _, known := r.before[k.Partition]; !known && v.g.Has(StartsLatest) {
				return []string{CauseWatermarkPassed, CauseNewPartition}
			}
			return v.orLate(state, CauseWatermarkPassed)
		case v.dueAt(k, r) && r.saved:
			waited = append(waited, r)
		}
	}
	return v.unread(k, state, waited)
}

// orLate adds what a row looks like as long as the target holds nothing above it.
func (v *view) orLate(state, cause string) []string {
	if state == Late {
		return []string{cause, CauseUnread, CauseNewPartition, CauseIdlePartition}
	}
	return []string{cause}
}

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

// wasGone tells whether a key had left the source when a run read it.
func (v *view) wasGone(k Key, r *Run) bool {
	version := v.g.source.at(r.readAt)
	if _, there := v.timeOf(k, version); there {
		return false
	}
	return slices.ContainsFunc(v.g.source.rows, func(s *row) bool { return !s.keyless && s.Key == k && s.until <= version })
}

// timeOf is the earliest event time of a key in a version.
func (v *view) timeOf(k Key, version int) (u time.Time, there bool) {
	for r := range v.g.source.holds(version) {
		if !r.keyless && r.Key == k && !r.u.IsZero() && (!there || r.u.Before(u)) {
			u, there = r.u, true
		}
	}
	return u, there
}

// unread is for keys that no run read, nor passed.
func (v *view) unread(k Key, state string, waited []*Run) []string {
	_, there := v.there[k]
	stopped := v.g.Has(StopsIdle) && v.g.stopped[k.Partition]
	switch {
	case there && stopped: // new, as long as the target has never had a row of it
		return []string{CauseIdlePartition, CauseUnread, CauseNewPartition}
	case there && state == Doomed: // what is above it in the target is no run's
		return []string{CauseWatermarkPassed}
	case there:
		return []string{CauseUnread}
	case len(waited) > 0 && stopped:
		return []string{CauseIdlePartition, CauseExpiredUnread, CauseNewPartition}
	case len(waited) > 0:
		return []string{CauseExpiredUnread}
	}
	return v.expired(k)
}

// expired is for keys that left the source before any run could have read them.
func (v *view) expired(k Key) []string {
	last := v.lastWith(k)
	if last < 0 {
		return nil
	}
	u, _ := v.timeOf(k, last)
	removed := v.g.source.commits[last+1].at
	next := time.Time{}
	for _, r := range v.g.runs {
		if !r.Failed && r.ended && !r.Started.Before(removed) && (next.IsZero() || r.Started.Before(next)) {
			next = r.Started
		}
	}
	// Its window would have reached to the next read.
	if v.g.Declared && !next.IsZero() && !next.Add(-v.g.Window).After(u) {
		return []string{CauseSourceShrank}
	}
	if v.dueBy(u, last, removed) {
		return []string{CauseExpiredUnread}
	}
	kept := v.g.Delay
	if v.g.Declared {
		kept = v.g.Window
	}
	if v.g.Newest && u.Before(removed.Add(-kept)) {
		return []string{CauseSilence}
	}
	return []string{CauseSourceShrank}
}

// lastWith is the newest version of the source that holds a key.
func (v *view) lastWith(k Key) int {
	last := -1
	for _, r := range v.g.source.rows {
		if !r.keyless && r.Key == k && r.from <= v.source {
			last = max(last, min(r.until-1, v.source))
		}
	}
	return last
}

// dueBy tells whether a run right before a removal would have read a row.
func (v *view) dueBy(u time.Time, version int, removed time.Time) bool {
	now := removed
	if v.g.Newest {
		now = time.Time{}
		for r := range v.g.source.holds(version) {
			if r.u.After(now) {
				now = r.u
			}
		}
	}
	cutoff := now.Add(-v.g.Delay)
	return u.Before(cutoff) || !v.g.Strict && u.Equal(cutoff)
}

// DuplicateCauses are those that may be named for a key that the target holds more than once.
func (e Expected) DuplicateCauses(k Key) []string {
	v := e.view
	var versions []int
	for r := range v.g.target.holds(v.target) {
		if !r.keyless && r.Key == k {
			versions = append(versions, r.from)
		}
	}
	slices.Sort(versions)
	if v.g.Has(TargetRestore) || v.g.Has(TargetDeletes) || len(versions) > 2 {
		return []string{CauseSameRun, CauseTwoRuns} // more than one story
	}
	by := func(version int) int {
		return slices.IndexFunc(v.g.runs, func(r *Run) bool { return slices.Contains(r.commits, version) })
	}
	if a, b := by(versions[0]), by(versions[1]); versions[0] == versions[1] || a >= 0 && a == b {
		return []string{CauseSameRun}
	}
	return []string{CauseTwoRuns}
}

package truth

import "slices"

// Intents are what truly became of a missing key, and what that looks like to somebody who
// sees the tables and the runs' times only. None of them is named where nobody can tell.
func (e Expected) Intents(k Key) []string {
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

// wasGone tells whether a key had left the source when a run read it.
func (v *view) wasGone(k Key, r *Run) bool {
	version := v.g.source.at(r.readAt)
	if _, there := v.timeOf(k, version); there {
		return false
	}
	return slices.ContainsFunc(v.g.source.rows, func(s *row) bool { return !s.keyless && s.Key == k && s.until <= version })
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

package truth

import "time"

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
		if !r.keyless && r.Key == k {
			last = max(last, min(r.until-1, v.g.source.version()))
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

// timeOf is the earliest event time of a key in a version.
func (v *view) timeOf(k Key, version int) (u time.Time, there bool) {
	for r := range v.g.source.holds(version) {
		if !r.keyless && r.Key == k && !r.u.IsZero() && (!there || r.u.Before(u)) {
			u, there = r.u, true
		}
	}
	return u, there
}

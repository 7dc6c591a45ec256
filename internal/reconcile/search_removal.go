package reconcile

// removal bounds the commit that took away a row which was found in a version: the earliest and the latest it can have
// been. Versions that had been read by then lack the row; those that were read later may hold it.
func (s *Search) removal(version int64) (first, last Commit, known bool) {
	for i, c := range s.Candidates {
		if c.Version != version {
			continue
		}
		first, last = c.RemovedBy, c.RemovedBy
		for i--; i >= 0 && !s.readBy(s.Candidates[i].Version, version); i-- {
			last = s.Candidates[i].RemovedBy
		}
		return first, last, true
	}
	return Commit{}, Commit{}, false
}

// readBy reports whether a version was read when another one was, or before it.
func (s *Search) readBy(version, other int64) bool {
	return s.read[version] && s.order[version] <= s.order[other]
}

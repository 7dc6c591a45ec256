package reconcile

import "fmt"

// Unread counts the versions that may hold rows of a gap and were not read although reading on could explain it.
func (s *Search) Unread(g Gap) int64 {
	if !s.Reachable(g) {
		return 0
	}
	n := int64(0)
	for _, c := range s.Candidates {
		switch {
		case s.broken[c.Version]:
		case !s.lacks(c.Version, g):
			n++
		case s.before(Commit{Version: c.Version, At: c.Committed}, g):
			return n
		}
	}
	return n
}

func unreadText(versions int64) string {
	return fmt.Sprintf("%d versions of the source that may hold them were not read, since a verification reads %d and looks for the extents of %d", versions, mostRead, mostSampled)
}

package reconcile

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"
)

// Gap is a run of sequences that neither table holds.
type Gap struct {
	Span
	// Earlier and Later are the event times of the rows before and after it, in microseconds, when Timed.
	Earlier, Later int64
	Timed          bool
	// Listed says that only what a manifest lists of it counts: whether the rest ever was is not asked. Below says that it
	// lies under the target's lowest sequence, where rows are gone that had their time.
	Listed, Below bool
	// Unread is how many versions of the source may hold rows of it and were not read, since the bound was reached.
	Unread int64
}

// Gaps reads the rows of Gaps and drops those that bridge two of its spans.
func Gaps(rows Rows, segments []Span) iter.Seq2[Gap, error] {
	bridges := map[Span]bool{}
	for i := 1; i < len(segments); i++ {
		if a, b := segments[i-1], segments[i]; a.Partition == b.Partition {
			bridges[Span{a.Partition, a.To + 1, b.From - 1}] = true
		}
	}
	return func(yield func(Gap, error) bool) {
		for g, err := range Decoded(rows, ReadGap) {
			if err == nil && bridges[g.Span] {
				continue
			}
			if !yield(g, err) {
				return
			}
		}
	}
}

// VersionExtent is what one version of the source has of one partition.
type VersionExtent struct {
	Version   int64
	Partition string
	Rows      int64
	Low, High int64
}

// Search looks for rows that left the source: which versions to read, what they prove, and what stays undecidable.
type Search struct {
	// Candidates are the readable versions, newest first.
	Candidates []Candidate
	// Complete says that nothing left the source before the oldest candidate.
	Complete bool
	// First is the oldest version that can be read, whether or not it lost rows.
	First Commit
	// Retention is how long an overwritten version stays readable after it was committed.
	Retention time.Duration
	// Window is how long rows stay in the source by event time, declared or estimated; 0: unknown.
	Window time.Duration
	// Extents are those of the screen.
	Extents map[string]*Extent

	sampled map[int64]map[string]VersionExtent
	read    map[int64]bool
	order   map[int64]int // in which reading each was read
	reads   int
	broken  map[int64]bool
	outside spanSet
	beyond  map[int64]bool
	gaps    spanSet
}

const (
	// BatchVersions is how many versions one statement reads.
	BatchVersions = 16
	// mostSampled and mostRead bound a search: versions whose extents are asked for, and versions read. A loader can pause
	// for as long as versions stay readable, a week by default, while the source is trimmed hourly.
	mostSampled = 1024
	mostRead    = 256
	// mostRecent is how many versions since the previous run are sampled without a gap to look for.
	mostRecent = 96
	// mostCoarse is how many older ones are.
	mostCoarse = 16
)

// Begin makes a search ready.
func (s *Search) Begin() {
	s.sampled, s.read, s.broken, s.beyond = map[int64]map[string]VersionExtent{}, map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	s.order = map[int64]int{}
}

// Sample picks the versions whose extents are asked for first: all that lost rows since an instant, and older ones
// spread so that a row that stayed its whole window was in one of them.
func (s *Search) Sample(since time.Time) []int64 {
	var pick []int64
	var older []Candidate
	for _, c := range s.Candidates {
		if len(pick) < mostRecent && c.RemovedBy.At.After(since) {
			pick = append(pick, c.Version)
			continue
		}
		older = append(older, c)
	}
	if len(older) <= mostCoarse {
		for _, c := range older {
			pick = append(pick, c.Version)
		}
		return pick
	}
	step := max(s.Window/2, older[0].Committed.Sub(older[len(older)-1].Committed)/mostCoarse)
	next := older[0].Committed
	for _, c := range older {
		if !c.Committed.After(next) {
			pick = append(pick, c.Version)
			next = c.Committed.Add(-step)
		}
	}
	return pick
}

// Sampled says that the extents of these versions were read, and gives them.
func (s *Search) Sampled(versions []int64, extents iter.Seq2[VersionExtent, error]) error {
	for _, v := range versions {
		s.sampled[v] = map[string]VersionExtent{}
	}
	for e, err := range extents {
		if err != nil {
			return err
		}
		s.sampled[e.Version][e.Partition] = e
		s.look(e)
	}
	return nil
}

// look notes rows beyond everything that either table shows of their partition.
func (s *Search) look(e VersionExtent) {
	known, ok := s.Extents[e.Partition]
	if !ok {
		s.outside.add(e.Partition, e.Low, e.High)
		s.beyond[e.Version] = true
		return
	}
	low, high := known.hull()
	if e.High > high {
		s.outside.add(e.Partition, high, e.High)
		s.beyond[e.Version] = true
	}
	if e.Low < low {
		s.outside.add(e.Partition, e.Low, low)
		s.beyond[e.Version] = true
	}
}

// Segments adds to spans in which sequences may be absent from both tables those between the tables and what lies beyond.
// Their ends are keys that exist once Next has nothing left that lies beyond.
func (s *Search) Segments(spans []Span) []Span {
	return coarsen(slices.Concat(spans, s.outside.spans), mostSpans)
}

func (e Extent) hull() (low, high int64) {
	switch {
	case !e.InSource:
		return e.TargetLow, e.TargetHigh
	case !e.InTarget:
		return e.SourceLow, e.SourceHigh
	}
	return min(e.SourceLow, e.TargetLow), max(e.SourceHigh, e.TargetHigh)
}

// Want tells the gaps that are to be explained, and returns the versions that most likely hold their rows, the best
// first. Rows beyond the tables' extents, found by sampling, are wanted too.
func (s *Search) Want(gaps iter.Seq2[Gap, error]) ([]int64, error) {
	s.gaps = spanSet{}
	votes := map[int64]uint64{}
	for g, err := range gaps {
		if err != nil {
			return nil, err
		}
		s.gaps.add(g.Partition, g.From, g.To)
		for _, v := range s.guess(g) {
			votes[v] += distance(Span{To: g.From}, Span{From: g.To}) + 1
		}
	}
	for v := range s.beyond {
		votes[v]++
	}
	pick := slices.DeleteFunc(slices.Collect(maps.Keys(votes)), func(v int64) bool { return s.read[v] || s.broken[v] })
	slices.SortFunc(pick, func(a, b int64) int { return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(b, a)) })
	return pick[:min(len(pick), BatchVersions)], nil
}

// Reachable reports whether a row of the gap can be in a readable version at all, had it left the source roughly when
// its neighbours did: two windows and a day after their event times at the latest. It saves reading versions for gaps
// of long ago, again and again.
func (s *Search) Reachable(g Gap) bool {
	if len(s.Candidates) == 0 {
		return false
	}
	const margin = 24 * time.Hour
	oldest := s.Candidates[len(s.Candidates)-1]
	return !g.Timed || s.Window == 0 || !instant(max(g.Earlier, g.Later)).Add(2*s.Window+margin).Before(oldest.Committed)
}

// guess picks the versions before the commits that took the gap's rows away, if they left the source as their
// neighbours did: one window after their event time.
func (s *Search) guess(g Gap) []int64 {
	if !s.Reachable(g) {
		return nil
	}
	if !g.Timed || s.Window == 0 {
		return []int64{s.Candidates[0].Version}
	}
	from, to := instant(min(g.Earlier, g.Later)).Add(s.Window), instant(max(g.Earlier, g.Later)).Add(s.Window)
	var pick []int64
	for _, c := range slices.Backward(s.Candidates) { // oldest first
		if c.RemovedBy.At.Before(from) {
			continue
		}
		pick = append(pick, c.Version)
		if c.RemovedBy.At.After(to) || len(pick) == BatchVersions {
			break
		}
	}
	if len(pick) == 0 {
		pick = append(pick, s.Candidates[0].Version)
	}
	return pick
}

// Spans are where the wanted rows would be.
func (s *Search) Spans() []Span {
	return coarsen(slices.Concat(s.gaps.spans, s.outside.spans), mostSpans)
}

// Done says that these versions were read.
func (s *Search) Done(versions []int64) {
	s.reads++
	for _, v := range versions {
		s.read[v], s.order[v] = true, s.reads
		delete(s.beyond, v)
	}
}

// Undo takes Done back, for versions whose reading failed.
func (s *Search) Undo(versions []int64) {
	for _, v := range versions {
		delete(s.read, v)
	}
}

// Unreadable says that a version cannot be read.
func (s *Search) Unreadable(version int64) {
	s.broken[version] = true
	delete(s.beyond, version)
}

// Read are the versions read so far, newest first.
func (s *Search) Read() []int64 {
	read := slices.Sorted(maps.Keys(s.read))
	slices.Reverse(read)
	return read
}

// Unsampled are the next versions whose extents are needed to go on, newest first and the oldest readable one last; none
// but that one when the bound is reached.
func (s *Search) Unsampled() []int64 {
	var next []int64
	for _, c := range s.Candidates {
		if len(s.sampled)+len(next) >= mostSampled || len(next) == BatchVersions {
			break
		}
		if s.sampled[c.Version] == nil && !s.read[c.Version] && !s.broken[c.Version] {
			next = append(next, c.Version)
		}
	}
	if c, needed := s.oldest(); needed && len(next) == 0 && s.sampled[c.Version] == nil && !s.broken[c.Version] {
		next = append(next, c.Version)
	}
	return next
}

// Next are unread versions that hold rows beyond the tables' extents, or may hold rows of the wanted gaps, newest first;
// none of the latter when the bound is reached.
func (s *Search) Next() []int64 {
	var next []int64
	for _, c := range s.Candidates {
		switch {
		case len(next) == BatchVersions:
			return next
		case s.read[c.Version], s.broken[c.Version], s.sampled[c.Version] == nil:
		case s.beyond[c.Version], len(s.read)+len(next) < mostRead && s.overlaps(c.Version):
			next = append(next, c.Version)
		}
	}
	return next
}

func (s *Search) overlaps(version int64) bool {
	for _, g := range s.gaps.spans {
		if e, ok := s.sampled[version][g.Partition]; ok && e.Low <= g.To && g.From <= e.High {
			return true
		}
	}
	return false
}

// Broken are the versions found unreadable whose rows left after an instant, newest first.
func (s *Search) Broken(since time.Time) []int64 {
	var versions []int64
	for _, c := range s.Candidates {
		if s.broken[c.Version] && c.RemovedBy.At.After(since) {
			versions = append(versions, c.Version)
		}
	}
	return versions
}

// NeverThere reports whether a gap that no version read so far explains was never in the source at all: no version that
// lost rows holds it, back to the table's beginning or to a version of before it.
func (s *Search) NeverThere(g Gap) bool {
	for _, c := range s.Candidates {
		switch {
		case s.broken[c.Version]:
			return s.before(c.RemovedBy, g)
		case !s.lacks(c.Version, g):
			return false
		case s.before(Commit{Version: c.Version, At: c.Committed}, g):
			return true
		}
	}
	return s.Complete || s.before(s.First, g)
}

// lacks reports whether a version is known to hold nothing of a gap that is left.
func (s *Search) lacks(version int64, g Gap) bool {
	if s.read[version] {
		return true
	}
	extents := s.sampled[version]
	e, ok := extents[g.Partition]
	return extents != nil && (!ok || e.Low > g.To || g.From > e.High)
}

// before reports whether a version is of before a gap: made before the event of the row below the gap, and without that
// row. Sequences are given in the order of events, so what lies above that row had not come then either. That nothing
// above it is there proves nothing by itself: it may have come and gone.
func (s *Search) before(c Commit, g Gap) bool {
	extents := s.sampled[c.Version]
	e, ok := extents[g.Partition]
	return extents != nil && g.Timed && c.At.UnixMicro() <= g.Earlier && (!ok || e.High < g.From-1)
}

// oldest is the oldest version that can be read, as far as is known; none is needed where nothing older lost rows.
func (s *Search) oldest() (c Commit, needed bool) {
	for _, c := range s.Candidates {
		if s.broken[c.Version] {
			return c.RemovedBy, true
		}
	}
	return s.First, !s.Complete
}

// MayBeBefore reports whether the oldest version that can be read was not looked at yet, and may be of before a gap.
func (s *Search) MayBeBefore(g Gap) bool {
	c, needed := s.oldest()
	return needed && g.Timed && c.At.UnixMicro() <= g.Earlier && s.sampled[c.Version] == nil && !s.broken[c.Version]
}

// proof says where a row was seen last, and until when it can be read there.
func (s *Search) proof(version int64) (string, time.Time) {
	for i, c := range s.Candidates {
		if c.Version != version {
			continue
		}
		until := c.Committed.Add(s.Retention)
		// The version before the next removal lacks the row, so nothing but this commit can have taken it away. After
		// the newest candidate that version is the pinned one, which was compared.
		if i == 0 || s.read[s.Candidates[i-1].Version] {
			return fmt.Sprintf("in source version %d until commit %d (%s at %s)", version, c.RemovedBy.Version, c.RemovedBy.Operation, c.RemovedBy.At.Format(time.RFC3339)), until
		}
		return fmt.Sprintf("in source version %d, and in no version after commit %d at %s that was read", version, c.RemovedBy.Version, c.RemovedBy.At.Format(time.RFC3339)), until
	}
	return fmt.Sprintf("in source version %d", version), time.Time{}
}

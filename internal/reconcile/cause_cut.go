package reconcile

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// Cut divides a missing range by state and cause. While Wants is not empty afterwards, nothing of it counts yet.
func (q *Inquiry) Cut(r Range) iter.Seq[Range] {
	if q.Silent {
		return func(yield func(Range) bool) { yield(r) }
	}
	return joinedAlike(func(yield func(Range) bool) {
		for at := r.From; ; {
			s := &stretch{Range: r, at: at, to: r.To, version: r.Version, held: r.Held, readable: r.Held}
			s.setTimes(r.Earliest, r.Latest)
			f := q.settle(s, q.decide(s))
			if !yield(s.asRange(f)) || s.to >= r.To {
				return
			}
			at = s.to + 1
		}
	})
}

// settle ends the waiting for what nobody will tell any more.
func (q *Inquiry) settle(s *stretch, f finding) finding {
	if q.Closed && s.wants {
		return open(s, "finding out takes more statements than a verification makes")
	}
	return f
}

func (s *stretch) setTimes(earliest, latest time.Time) {
	if s.timed = !earliest.IsZero() && !latest.IsZero(); s.timed {
		s.earliest, s.latest = earliest.UnixMicro(), latest.UnixMicro()
	}
}

// asRange is the stretch with what was decided of it.
func (s *stretch) asRange(f finding) Range {
	r := s.Range
	r.From, r.To, r.Rows = s.at, s.to, s.to-s.at+1
	r.State, r.Cause = f.state, f.cause
	switch {
	case r.Proof == "":
		r.Proof = f.proof
	case f.proof != "":
		r.Proof = f.proof + "; " + r.Proof
	}
	if r.RecoverFrom == "" {
		r.RecoverFrom, r.RecoverableUntil = f.from, f.until
	}
	return r
}

// joinedAlike joins neighbours that say the same.
func joinedAlike(ranges iter.Seq[Range]) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		var open *Range
		for r := range ranges {
			if open != nil && open.State == r.State && open.Cause == r.Cause && open.Proof == r.Proof && open.Earliest.Equal(r.Earliest) && open.Latest.Equal(r.Latest) && open.To+1 == r.From {
				open.To, open.Rows = r.To, open.Rows+r.Rows
				continue
			}
			if open != nil && !yield(*open) {
				return
			}
			open = &r
		}
		if open != nil {
			yield(*open)
		}
	}
}

// Neither divides sequences that neither table and no readable version of the source holds. Those that were never in the
// source come with CauseUpstreamGap, and are no loss.
func (q *Inquiry) Neither(g Gap) iter.Seq[Range] {
	return joinedAlike(func(yield func(Range) bool) {
		for at := g.From; ; {
			s := &stretch{Range: Range{Partition: g.Partition, State: Lost, Unread: g.Unread}, at: at, to: g.To}
			f := q.neither(s)
			if f = q.settle(s, f); f.state == "" {
				f.state = Undecidable
			}
			r := s.asRange(f)
			if f.state != Undecidable || f.cause != CauseUndecidable {
				r.Unread = 0
			}
			if f.state == Undecidable && g.Timed {
				r.Earliest, r.Latest = instant(min(g.Earlier, g.Later)), instant(max(g.Earlier, g.Later))
			}
			left := g.Listed && f.state == Undecidable && len(s.cover) == 0 || g.Below && f.cause == CauseDeleted
			if !left && !yield(r) || s.to >= g.To {
				return
			}
			at = s.to + 1
		}
	})
}

// listing gives the manifests that list a key.
func (q *Inquiry) listing(partition string, sequence int64) []evidence.Manifest {
	if q.cover == nil {
		return nil
	}
	ranges, _ := q.cover.at(partition, sequence)
	return slices.Clone(ranges)
}

func (q *Inquiry) neither(s *stretch) finding {
	if f, ok := q.wasInTarget(s); ok {
		f.state = Lost // it was there, so it was due
		return f
	}
	traceless := "in neither table and in no version of the source that was read: never there, or lost without a trace"
	if s.Unread > 0 {
		traceless = "in neither table and in no version of the source that was read; " + unreadText(s.Unread)
	}
	if q.cover == nil {
		return finding{state: Undecidable, cause: CauseUndecidable, proof: traceless + "; manifests of the source, kept while it held them, would have decided"}
	}
	ranges, to := q.cover.at(s.Partition, s.at)
	s.upTo(to)
	if len(ranges) == 0 {
		if proof, ok := q.neverCame(s); ok {
			return finding{state: Undecidable, cause: CauseUpstreamGap, proof: proof}
		}
		return finding{state: Undecidable, cause: CauseUndecidable, proof: traceless + "; no manifest lists them, but none was kept right before and right after they would have come, which would have decided"}
	}
	s.cover = slices.Clone(ranges)
	return q.listedOnce(s, s.cover)
}

// listedOnce is for sequences that manifests list.
func (q *Inquiry) listedOnce(s *stretch, ranges []evidence.Manifest) finding {
	s.held = true
	oldest := ranges[0].SourceVersion
	for _, m := range ranges {
		s.version, oldest = max(s.version, m.SourceVersion), min(oldest, m.SourceVersion)
	}
	if q.rewritten(oldest, s.version) {
		ranges = slices.DeleteFunc(slices.Clone(ranges), func(m evidence.Manifest) bool { return q.rewritten(m.SourceVersion, s.version) })
	}
	s.earliest, s.latest, s.timed = bounds(ranges)
	seen := fmt.Sprintf("listed by %d manifests, last of source version %d (%s)", len(s.cover), s.version, instantText(q.seenAt(s.version)))
	if !s.timed {
		return finding{state: Undecidable, cause: CauseUndecidable, proof: seen + ", without event times: whether they were due is not known"}
	}
	if s.latest >= q.DueBelow { // not known to have been due, and no run will read them
		s.State = Doomed
	}
	s.Earliest, s.Latest = instant(s.earliest), instant(s.latest)
	f := q.decide(s)
	f.proof += "; " + seen
	return f
}

func (q *Inquiry) seenAt(version int64) time.Time {
	if i, ok := q.kept(version); ok {
		return q.Kept[i].SeenAt
	}
	return time.Time{}
}

// neverCame proves that sequences which no manifest lists never were in the source: a manifest of before they could come,
// and those after it, lie closer together than a row stays.
func (q *Inquiry) neverCame(s *stretch) (proof string, ok bool) {
	if s.to == maxSequence {
		return "", false
	}
	after := maxSequence
	for _, m := range q.listing(s.Partition, s.to+1) {
		after = min(after, m.SourceVersion)
	}
	i, found := q.kept(after)
	if !found || i == 0 {
		return "", false
	}
	before := q.Kept[i-1]
	between := fmt.Sprintf("not in the manifests of source versions %d (%s) and %d (%s), between which their neighbour %d came", before.SourceVersion, instantText(before.SeenAt), q.Kept[i].SourceVersion, instantText(q.Kept[i].SeenAt), s.to+1)
	if removals, since := q.Source.Removals(q.SourceVersion); since <= before.SourceVersion && (len(removals) == 0 || removals[0].Version <= before.SourceVersion) {
		return between + ", and nothing has left the source since", true
	}
	if q.sawAll(before.SourceVersion) {
		return between + ", and a manifest was kept before each commit since that took rows away", true
	}
	if q.Window == 0 || q.Shrank {
		return "", false
	}
	for j := i - 1; j+1 < len(q.Kept) && q.Kept[j].SeenAt.Before(q.Kept[i].SeenAt.Add(q.Window/2)) && q.Kept[j].SourceVersion < q.SourceVersion; j++ {
		if q.Kept[j+1].SeenAt.Sub(q.Kept[j].SeenAt) > q.Window/2 {
			return "", false
		}
	}
	return between + fmt.Sprintf(", nor in a later one, and the source promises to keep rows for %s", gapText(q.Window)), true
}

// sawAll reports whether manifests show all that left the source since a version: there is one of right before each commit
// that took rows away, or before others that brought none.
func (q *Inquiry) sawAll(from int64) bool {
	removals, since := q.Source.Removals(q.SourceVersion)
	if since > from {
		return false
	}
	brings := func(version int64) bool {
		i := slices.IndexFunc(removals, func(c Commit) bool { return c.Version == version })
		return i < 0 || removals[i].Deletes() && removals[i].Rewrites()
	}
	for _, c := range removals { // newest first
		if c.Version <= from {
			break
		}
		before := c.Version - 1
		for _, kept := q.kept(before); c.Deletes() && !kept; _, kept = q.kept(before) {
			if before <= from || brings(before) {
				return false
			}
			before--
		}
	}
	return true
}

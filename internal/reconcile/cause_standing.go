package reconcile

import (
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// stretch is part of a missing range of which everything said so far holds alike: from at to to.
type stretch struct {
	Range
	at, to int64
	// earliest and latest bound the event times, when timed.
	earliest, latest int64
	timed            bool
	// version is the last of the source that is known to have held the rows, when held; readable tells whether it can be
	// read, or only a manifest lists them.
	version        int64
	held, readable bool
	// cover are the manifests that list the rows.
	cover []evidence.Manifest
	// wants says that the answer has to wait.
	wants bool
}

func (s *stretch) upTo(to int64) { s.to = min(s.to, to) }

// noTime is before every event time, and can be written in SQL.
const noTime = -62135596800000000

// edge is the event time, in microseconds, below which rows are due at a cutoff.
func (q *Inquiry) edge(cutoff int64) int64 {
	if q.Strict {
		return cutoff
	}
	return cutoff + 1
}

func (q *Inquiry) newestOf(s *stretch, version int64) (n newest, known bool) {
	if n, ok := q.newest[version]; ok {
		return n, true
	}
	if q.broken[version] {
		if i, ok := q.kept(version); ok { // without an event time where none of its rows had one
			return newest{q.Kept[i].Latest.UnixMicro(), !q.Kept[i].Latest.IsZero()}, true
		}
		return newest{}, false
	}
	q.wants.newest[version] = true
	s.wants = true
	return newest{}, false
}

// cut finds the bounds of a load's cutoff.
func (q *Inquiry) cut(s *stretch, l *Load) bool {
	switch {
	case l.Cut:
		return true
	case !q.NewestEvent:
		l.Sure = q.edge(l.From.Add(-q.Delay - q.Guard).UnixMicro())
		l.Never = q.edge(l.To.Add(q.Guard - q.Delay).UnixMicro())
	case !l.Pinned:
		return false
	default:
		first, ok := q.newestOf(s, l.First)
		last, ok2 := first, ok
		if l.Last != l.First {
			last, ok2 = q.newestOf(s, l.Last)
		}
		if !ok || !ok2 {
			return false
		}
		l.Sure, l.Never = q.dueBelow(first), q.dueBelow(last)
		l.Sure, l.Never = min(l.Sure, l.Never), max(l.Sure, l.Never)
	}
	l.Cut = true
	return true
}

func (q *Inquiry) dueBelow(n newest) int64 {
	if !n.some {
		return noTime
	}
	return q.edge(n.micros - q.Delay.Microseconds())
}

// stands tells how the rows stood to a load.
func (q *Inquiry) stands(s *stretch, load int) standing {
	l := &q.Loads.All[load]
	if !q.cut(s, l) {
		return unknownUnless(s.wants)
	}
	if s.timed && s.earliest >= l.Never && l.Pinned && s.held && !q.rewritten(l.First, s.version) {
		return young
	}
	if !l.Pinned {
		return unknown
	}
	if q.NewestEvent && l.Last-l.First < mostBetween {
		return q.standsBetween(s, l)
	}
	first := q.stood(s, View{l.First, l.Sure, l.Never})
	if l.Last == l.First {
		return first
	}
	return alike(first, q.stood(s, View{l.Last, l.Sure, l.Never}))
}

// mostBetween is how many versions are looked at one by one, of which a load read one.
const mostBetween = 8

// standsBetween is for a load of which it is not known which of several versions it read. By the newest event each has a
// cutoff of its own.
func (q *Inquiry) standsBetween(s *stretch, l *Load) standing {
	all := unknown
	for v := l.First; v <= l.Last; v++ {
		n, ok := q.newestOf(s, v)
		if !ok {
			if !s.wants {
				return unknown
			}
			all = pending
			continue
		}
		st := q.stood(s, View{v, q.dueBelow(n), q.dueBelow(n)})
		if v == l.First {
			all = st
			continue
		}
		all = alike(all, st)
	}
	return all
}

// alike is how rows stood to a load that read one of two versions.
func alike(a, b standing) standing {
	switch {
	case a == b:
		return a
	case a == pending || b == pending:
		return pending
	case a == unknown || b == unknown:
		return unknown
	case (a == absent || a == young) && (b == absent || b == young):
		return young
	}
	return either
}

func unknownUnless(waiting bool) standing {
	if waiting {
		return pending
	}
	return unknown
}

func (q *Inquiry) rewritten(a, b int64) bool {
	return q.Source.Rewritten(min(a, b), max(a, b))
}

// stood tells how the rows stood in a view: by their event times, by the manifest of its version, or by reading it.
func (q *Inquiry) stood(s *stretch, v View) standing {
	if s.held && s.version == v.Version && s.timed {
		if st := byTime(s.earliest, s.latest, v); st != either || v.Sure == v.Never && !s.readable {
			return st
		}
	}
	st := q.listed(s, v)
	if st == due || st == young || st == absent || s.held && !s.readable {
		return st
	}
	if a, ok := q.views[v]; ok && a.covers(s) {
		sight, some, to := a.at(s.Partition, s.at)
		s.upTo(to)
		if !some {
			return absent
		}
		return standing(sight.Standing)
	}
	if q.broken[v.Version] {
		return st
	}
	spans, ok := q.wants.views[v]
	if !ok {
		spans = &spanSet{}
		q.wants.views[v] = spans
	}
	spans.add(s.Partition, s.at, s.to)
	s.wants = true
	return pending
}

// covers reports whether the view was asked about the stretch, and shortens that to what it was asked about.
func (a answered) covers(s *stretch) bool {
	for _, span := range a.spans {
		if span.Partition == s.Partition && span.From <= s.at && s.at <= span.To {
			s.upTo(span.To)
			return true
		}
	}
	return false
}

func byTime(earliest, latest int64, v View) standing {
	switch {
	case latest < v.Sure:
		return due
	case earliest >= v.Never:
		return young
	}
	return either
}

// listed tells how the rows stood by the manifest of a version.
func (q *Inquiry) listed(s *stretch, v View) standing {
	if q.cover == nil {
		return unknown
	}
	if _, ok := q.kept(v.Version); !ok {
		return unknown
	}
	ranges, to := q.cover.at(s.Partition, s.at)
	s.upTo(to)
	own := of(ranges, v.Version)
	if len(own) == 0 {
		return absent
	}
	earliest, latest, some := bounds(own)
	if !some {
		return either
	}
	if s.timed && s.held && !q.rewritten(v.Version, s.version) {
		earliest, latest = max(earliest, s.earliest), min(latest, s.latest)
	}
	return byTime(earliest, latest, v)
}

// removal is how long after its last version a row can have left the source.
type removal struct {
	first, last Commit
	// exact says that they are one.
	exact, known bool
}

func (q *Inquiry) removal(s *stretch) removal {
	if s.readable {
		first, last, ok := q.Search.removal(s.version)
		return removal{first, last, ok && first.Version == last.Version, ok}
	}
	i, ok := q.kept(s.version)
	if !ok {
		return removal{}
	}
	r := removal{first: Commit{Version: s.version + 1, At: q.Kept[i].SeenAt}, known: true}
	r.last = Commit{Version: q.SourceVersion, At: q.Source.Committed(q.SourceVersion)}
	if q.Verified >= 0 {
		r.last.At = q.Loads.All[q.Verified].From
	}
	if i+1 < len(q.Kept) && q.Kept[i+1].SourceVersion <= q.SourceVersion {
		r.last = Commit{Version: q.Kept[i+1].SourceVersion, At: q.Kept[i+1].SeenAt}
	}
	q.narrow(&r, s.version)
	return r
}

// narrow looks the removal up in the history, which tells more than the manifests before and after it.
func (q *Inquiry) narrow(r *removal, version int64) {
	commits, since := q.Source.Removals(r.last.Version)
	if since > version {
		return
	}
	for i, c := range commits { // newest first
		if c.Version <= version {
			break
		}
		if i == 0 {
			r.last = c
		}
		r.first = c
	}
	r.exact = r.first.Version == r.last.Version
}

// lastCutoff is the cutoff that a run would have had right before the rows left.
func (q *Inquiry) lastCutoff(s *stretch, r removal) (v View, known bool) {
	v.Version = s.version
	if !q.NewestEvent {
		v.Sure = q.edge(r.first.At.Add(-q.Delay - q.Guard).UnixMicro())
		v.Never = q.edge(r.last.At.Add(q.Guard - q.Delay).UnixMicro())
		return v, true
	}
	n, ok := q.newestOf(s, s.version)
	if !ok {
		return v, false
	}
	v.Sure = q.dueBelow(n)
	v.Never = v.Sure
	if r.exact && (s.readable || r.first.Version == s.version+1) {
		return v, true
	}
	// Other versions may have followed before the rows left.
	i, ok := q.kept(s.version)
	if !ok && !s.readable {
		return v, false
	}
	after := q.SourceVersion
	if ok && i+1 < len(q.Kept) {
		after = min(after, q.Kept[i+1].SourceVersion)
	}
	if n, ok = q.newestOf(s, after); !ok {
		return v, false
	}
	v.Never = max(v.Never, q.dueBelow(n))
	return v, true
}

// before splits the rows at an event time: due is before it, young at or after it.
func (q *Inquiry) before(s *stretch, at time.Time) standing {
	edge := at.UnixMicro()
	return q.stood(s, View{s.version, edge, edge})
}

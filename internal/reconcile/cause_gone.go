package reconcile

import (
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// gone is for rows that are no longer in the source. One of the loads from first to last passed them, if last is one.
func (q *Inquiry) gone(s *stretch, first, last int) finding {
	r := q.removal(s)
	if !r.known {
		return open(s, "when they left the source is not known: a manifest of it would have decided")
	}
	reader, next, f, ok := q.readers(s, r)
	if !ok {
		return f
	}
	switch {
	case last >= 0 && last <= reader:
		return q.skipped(s, first, last)
	case last >= 0 && reader >= 0 && first <= reader && !q.notDue(s, reader):
		return open(s, "passed by one of several runs, some of which read them and some of which came too late: records of every run would have decided")
	case reader < 0 && !q.Loads.Complete:
		return open(s, "no run on record read the source while they were there; records of the runs before %s would have decided", instantText(r.first.At))
	case reader < 0:
		return q.unreadWhileThere(s, r, reader, next)
	}
	switch q.stands(s, reader) {
	case absent, young:
		return q.unreadWhileThere(s, r, reader, next)
	case either:
		return q.within(s, reader)
	case unknown:
		return q.unseen(s, reader)
	}
	return q.leftUnread(s, reader, instantText(r.last.At))
}

func (q *Inquiry) notDue(s *stretch, load int) bool {
	st := q.stands(s, load)
	return st == young || st == absent
}

// readers finds the last load that read the source while the rows were there, and the first one after that; -1 none.
func (q *Inquiry) readers(s *stretch, r removal) (reader, next int, f finding, ok bool) {
	reader, next = -1, -1
	for k, l := range q.Loads.All {
		if l.Failed || l.Foreign {
			continue // nobody expects rows of it
		}
		before, after := l.To.Before(r.first.At), !l.From.Before(r.last.At)
		if l.Pinned {
			before, after = l.Last < r.first.Version, l.First >= r.last.Version
		}
		switch {
		case before:
			reader = k
			continue
		case after:
			return reader, k, f, true
		}
		switch q.stands(s, k) {
		case absent:
			return reader, k, f, true
		case young, due:
			reader = k
		case either:
			return 0, 0, open(s, "they left the source, or became due, while %s may have been reading it (%s to %s)", l.name(), instantText(l.From), instantText(l.To)), false
		default:
			return 0, 0, open(s, "whether they had left the source when %s read it is not known: a manifest of that version would have decided", l.name()), false
		}
	}
	return reader, next, f, true
}

// unreadWhileThere is for rows that were due at no load as long as they were there.
func (q *Inquiry) unreadWhileThere(s *stretch, r removal, reader, next int) finding {
	if !r.exact && s.readable {
		then, exact, ok := q.removedIn(s, r.first.Version-1, r.last.Version)
		switch {
		case s.wants:
			return finding{}
		case ok:
			f := q.unreadWhileThere(&then, exact, reader, next)
			s.wants, s.to = then.wants, then.to
			return f
		}
	}
	if q.Window > 0 && next >= 0 && q.before(s, q.Loads.All[next].From.Add(-q.Window)) == young {
		return found(s, CauseSourceShrank, "left the source at %s (commit %d, %s), younger than the %s promised; %s would have found them there", instantText(r.last.At), r.last.Version, r.last.Operation, interval.Short(q.Window), q.Loads.All[next].read())
	}
	v, ok := q.lastCutoff(s, r)
	if !ok {
		return open(s, "whether they were due when they left cannot be told: source version %d cannot be read", s.version)
	}
	switch q.stood(s, v) {
	case due:
		return q.expired(s, r, reader, next)
	case young:
		return q.expiredUndue(s, r, v)
	}
	return open(s, "they became due about when they left the source (%s); whether a run right before could have read them is not known", instantText(r.last.At))
}

// expired is for rows that a run could have read, and none did: they left too early, or no run came.
func (q *Inquiry) expired(s *stretch, r removal, reader, next int) finding {
	if next < 0 {
		return found(s, CauseExpiredUnread, "%s; no run has read the source since", q.unreadSince(r, reader))
	}
	l := q.Loads.All[next]
	if q.Window > 0 {
		switch q.before(s, l.From.Add(-q.Window)) {
		case due, pending:
		default:
			return open(s, "whether they left the source before the %s promised cannot be told: their event times are not known exactly", interval.Short(q.Window))
		}
	}
	wait := ""
	if reader >= 0 {
		wait = fmt.Sprintf(", %s later", gapText(l.From.Sub(q.Loads.All[reader].From)))
	}
	if failed := q.failures(reader, next); failed > 0 {
		wait += fmt.Sprintf(" (%d runs between them failed)", failed)
	}
	return found(s, CauseExpiredUnread, "%s; the next, %s, came%s", q.unreadSince(r, reader), l.read(), wait)
}

func (q *Inquiry) unreadSince(r removal, reader int) string {
	left := fmt.Sprintf("they left the source at %s", instantText(r.last.At))
	if !r.exact {
		left = fmt.Sprintf("they left the source between %s and %s", instantText(r.first.At), instantText(r.last.At))
	}
	if reader < 0 {
		return "no run read the source while they were there: " + left
	}
	l := q.Loads.All[reader]
	return fmt.Sprintf("%s took event times before %s; %s", l.read(), timeText(l.Never), left)
}

// failures counts the runs between two that failed.
func (q *Inquiry) failures(a, b int) int {
	n := 0
	for i := a + 1; i < b; i++ {
		if q.Loads.All[i].Failed && !q.Loads.All[i].Foreign {
			n++
		}
	}
	return n
}

// expiredUndue is for rows that were not due when they left: the clock stood still, or they left too early.
func (q *Inquiry) expiredUndue(s *stretch, r removal, v View) finding {
	kept := q.Window
	if kept == 0 {
		kept = q.Delay
	}
	sure, never := r.first.At.Add(-kept).UnixMicro(), r.last.At.Add(-kept).UnixMicro()
	st := q.stood(s, View{s.version, min(sure, never), never})
	switch {
	case q.NewestEvent && st == due:
		return found(s, CauseSilence, "they left the source at %s, and were not due then: with the newest event at %s, only event times before %s were; no run could have read them", instantText(r.last.At), timeText(v.Sure+q.Delay.Microseconds()), timeText(v.Sure))
	case q.Window == 0 && (st == young || !q.NewestEvent):
		return found(s, CauseSourceShrank, "left the source at %s (commit %d, %s), before they were due: the source keeps rows for less than the settle delay of %s", instantText(r.last.At), r.last.Version, r.last.Operation, interval.Short(q.Delay))
	case st == young, !q.NewestEvent && q.Window > q.Delay:
		return found(s, CauseSourceShrank, "left the source at %s (commit %d, %s), before they were due, and younger than the %s promised", instantText(r.last.At), r.last.Version, r.last.Operation, interval.Short(q.Window))
	}
	return open(s, "they left the source at %s before they were due; how long the source promises to keep rows is not declared, and would have decided", instantText(r.last.At))
}

func gapText(d time.Duration) string { return interval.Short(d.Truncate(time.Second)) }

// leftSince is for rows that were there when the load that is verified read, and had left when a later one passed them.
func (q *Inquiry) leftSince(s *stretch, by int) finding {
	reader, next := q.previous(by), by
	for ; reader >= 0; next, reader = reader, q.previous(reader) {
		st := q.stands(s, reader)
		if first := q.Loads.All[reader].First; st == absent || st == young && first > s.version {
			switch q.stood(s, View{first, noTime, noTime}) {
			case absent:
				continue
			case pending:
				return finding{}
			}
		}
		switch st {
		case pending:
			return finding{}
		case due:
			return q.leftUnread(s, reader, instantText(q.Loads.All[next].From))
		case either:
			return q.within(s, reader)
		case unknown:
			return q.unseen(s, reader)
		}
		break
	}
	then, r, ok := q.removedIn(s, s.version, q.Loads.All[next].Last)
	if !ok {
		if s.wants {
			return finding{}
		}
		return open(s, "gone from the source when %s read it, and since when cannot be read any more: a manifest of each version would have decided", q.Loads.All[next].read())
	}
	f := q.unreadWhileThere(&then, r, reader, next)
	s.wants, s.to = then.wants, then.to
	return f
}

// removedIn finds the commit by which rows left the source, between a version that held them and one that does not. then are
// the rows as they were right before it.
func (q *Inquiry) removedIn(s *stretch, from, to int64) (then stretch, r removal, ok bool) {
	commits, since := q.Source.Removals(to)
	if since > from {
		return then, r, false
	}
	for _, c := range slices.Backward(commits) { // the oldest first
		if c.Version <= from || !c.Deletes() {
			continue
		}
		switch q.stood(s, View{c.Version, noTime, noTime}) {
		case absent:
			then = *s
			then.version, then.timed = c.Version-1, s.timed && !q.rewritten(s.version, c.Version-1)
			return then, removal{first: c, last: c, exact: true, known: true}, true
		case pending, unknown:
			return then, r, false
		}
	}
	return then, r, false
}

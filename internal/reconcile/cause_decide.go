package reconcile

import (
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// finding is what was decided of a stretch.
type finding struct {
	state        State
	cause, proof string
	// from is where the rows can be read, until an instant, when the source does not hold them.
	from  string
	until time.Time
}

func found(s *stretch, cause, format string, args ...any) finding {
	return finding{state: s.State, cause: cause, proof: fmt.Sprintf(format, args...)}
}

func open(s *stretch, format string, args ...any) finding {
	return finding{state: s.State, cause: CauseUndecidable, proof: fmt.Sprintf(format, args...)}
}

// decide walks the tree. When s.wants is set afterwards, the answer counts for nothing yet.
func (q *Inquiry) decide(s *stretch) finding {
	if proof, ok := q.Restarted[s.Partition]; ok {
		return found(s, CauseKeyEpoch, "%s", proof)
	}
	if f, ok := q.wasDeleted(s); ok {
		return f
	}
	f := q.undeleted(s)
	q.Shrank = q.Shrank || f.cause == CauseSourceShrank && !s.wants
	switch f.cause {
	case CauseUnread, CauseIsolated, CauseBatchLost, CauseNewPartition, CauseIdlePartition:
		if u := q.Unlooked; u != nil && (!s.timed || u.At.UnixMicro() >= s.earliest) {
			f.cause = CauseUndecidable
			f.proof = fmt.Sprintf("never loaded, or deleted from the target: what it held before commit %d (%s at %s) cannot be read; a ledger of what was verified by then would have decided", u.Version, u.Operation, instantText(u.At))
		}
	}
	return f
}

func (q *Inquiry) undeleted(s *stretch) finding {
	first, last, to := q.Loads.passed(s.Partition, s.at)
	s.upTo(to)
	switch {
	case !s.readable || s.version != q.SourceVersion:
		return q.gone(s, first, last)
	case last < 0 && q.leftLater(s):
		return q.leftSince(s, q.previous(len(q.Loads.All)))
	case last < 0 && s.wants:
		return finding{}
	case s.State == Late && last < 0:
		return q.unread(s)
	case last < 0:
		return q.passedLater(s, first)
	}
	q.restate(s)
	return q.skipped(s, first, last)
}

// leftLater reports whether rows that were there for the load that is verified had left when the last one read.
func (q *Inquiry) leftLater(s *stretch) bool {
	last := q.previous(len(q.Loads.All))
	if last <= q.Verified || !q.Loads.All[last].Pinned || q.Loads.All[last].First <= s.version {
		return false
	}
	return q.stood(s, View{q.Loads.All[last].First, noTime, noTime}) == absent
}

// wasDeleted looks for the rows in what the target held before rows were removed from it, and in the ledger.
func (q *Inquiry) wasDeleted(s *stretch) (finding, bool) {
	if f, ok := q.wasInTarget(s); ok {
		return f, true
	}
	if q.Unlooked == nil {
		return finding{}, false
	}
	i, _ := slices.BinarySearchFunc(q.Ledger, s, func(v evidence.Verified, s *stretch) int {
		if v.Partition < s.Partition || v.Partition == s.Partition && v.Low <= s.at {
			return -1
		}
		return 1
	})
	if i < len(q.Ledger) && q.Ledger[i].Partition == s.Partition {
		s.upTo(q.Ledger[i].Low - 1)
	}
	if i--; i < 0 || q.Ledger[i].Partition != s.Partition || q.Ledger[i].High < s.at || q.Unlooked.Version <= q.Ledger[i].TargetVersion {
		return finding{}, false
	}
	v := q.Ledger[i]
	s.upTo(v.High)
	q.restate(s)
	return found(s, CauseDeleted, "verified at target version %d (%s), before commit %d (%s at %s)", v.TargetVersion, instantText(v.VerifiedAt), q.Unlooked.Version, q.Unlooked.Operation, instantText(q.Unlooked.At)), true
}

// wasInTarget reads it from versions of the target.
func (q *Inquiry) wasInTarget(s *stretch) (finding, bool) {
	if q.deleted == nil {
		return finding{}, false
	}
	sight, some, to := q.deleted.at(s.Partition, s.at)
	s.upTo(to)
	if !some {
		return finding{}, false
	}
	q.restate(s)
	by := Commit{Version: sight.Standing + 1}
	removals, _ := q.Target.Removals(q.TargetVersion)
	for _, c := range removals {
		if c.Version == by.Version {
			by = c
		}
	}
	f := found(s, CauseDeleted, "in target version %d until commit %d (%s at %s); a loader that keeps a position of its own does not read them again", sight.Standing, by.Version, by.Operation, instantText(by.At))
	if at := q.Target.Committed(sight.Standing); !at.IsZero() {
		f.from, f.until = fmt.Sprintf("target VERSION AS OF %d", sight.Standing), at.Add(q.TargetRetention)
	}
	return f, true
}

// restate: what was in the target lies under the loader's position, whatever the target's highest sequence is now.
func (q *Inquiry) restate(s *stretch) {
	if s.State == Late {
		s.State = Skipped
	}
}

// unread is for rows that are due, in the source and above every watermark. They were due at the load that is verified.
func (q *Inquiry) unread(s *stretch) finding {
	n := q.Verified
	if n < 0 {
		return found(s, CauseUnread, "due, and above the highest sequence of the target; the next run can read them")
	}
	l := q.Loads.All[n]
	blank, told := q.Loads.blank(n)
	wrote, known := q.Loads.wrote(s.Partition, n)
	if known && told && !wrote && !blank {
		if q.Loads.absent(s.Partition, n) {
			return found(s, CauseNewPartition, "%s wrote other partitions, and the target has never had a row of this one; make the loader start unknown partitions at their first sequence", l.read())
		}
		stuck, f, ok := q.stuckBefore(s, n+1)
		if s.wants || !ok && q.evident() {
			return f
		}
		if ok && len(stuck) > 0 {
			if f, idle, _ := q.idle(s, stuck); idle || s.wants {
				return f
			}
		}
	}
	switch {
	case known && wrote:
		return found(s, CauseUnread, "%s stopped at sequence %d of the partition: a limit, or an error it passed over; the next run can read them", l.read(), q.Loads.in(s.Partition)[n].high)
	case known:
		return found(s, CauseUnread, "%s wrote nothing in the partition although these rows were due; the next run can read them unless a position of its own has moved past them", l.read())
	}
	return found(s, CauseUnread, "due at %s, and above the highest sequence of the target; the next run can read them", l.read())
}

// previous is the load before one that did not fail; -1 none.
func (q *Inquiry) previous(load int) int {
	for load--; load >= 0 && (q.Loads.All[load].Failed || q.Loads.All[load].Foreign); load-- {
	}
	return load
}

// skipped is for rows that one of the loads from first to last passed; they may have left the source after that.
func (q *Inquiry) skipped(s *stretch, first, last int) finding {
	l := q.Loads.All[last]
	for k := max(first, 0); k < last; k++ {
		if q.Loads.All[k].Foreign || q.Loads.All[k].Failed {
			continue
		}
		if last-k > mostUnknown {
			return open(s, "one of %d runs up to %s passed them, and it is not known which: records of every run would have decided", last-k, l.read())
		}
		if st := q.stands(s, k); st != young && st != absent && st != pending && first >= 0 {
			return open(s, "one of %s to %s passed them, and it is not known which: records of every run would have decided", q.Loads.All[k].read(), l.read())
		}
	}
	switch q.stands(s, last) {
	case young:
		if f := q.changed(s, last); f != nil {
			return *f
		}
		return q.passedOver(s, last)
	case absent:
		if s.readable && s.version == q.SourceVersion && l.First > s.version {
			return q.leftSince(s, last)
		}
		return found(s, CauseWatermarkPassed, "%s had moved the partition to sequence %d before these rows were in the source: they came later than their event times say; a longer settle delay, or reading again what is behind the watermark, would have read them", l.read(), q.Loads.in(s.Partition)[last].high)
	case either:
		return q.within(s, last)
	case unknown:
		return q.guess(s, last)
	}
	switch {
	case first < 0:
		return open(s, "they were due at %s, but which run passed them is not known: records of the runs before it would have decided", l.read())
	case first != last && q.previous(last) >= first:
		return open(s, "one of %s to %s passed them, and it is not known which: records of every run would have decided", q.Loads.All[first].read(), l.read())
	}
	return q.dueAt(s, last)
}

// mostUnknown is how many loads are looked at of which one passed the same rows.
const mostUnknown = 3

// leftUnread is for rows that were due at a load, and had left the source by the time of the next.
func (q *Inquiry) leftUnread(s *stretch, reader int, left string) finding {
	stuck, f, ok := q.stuckBefore(s, reader+1)
	switch {
	case !ok:
		return f
	case len(stuck) == 0:
		return found(s, CauseExpiredUnread, "due at %s, which stopped at sequence %d of the partition: a limit, or an error it passed over; they left the source at %s, before the next read", q.Loads.All[reader].read(), q.Loads.in(s.Partition)[reader].high, left)
	}
	if f := q.stalled(s, stuck, left); f != nil {
		return *f
	}
	if f := q.blame(s, stuck); f != nil {
		return *f
	}
	return found(s, CauseExpiredUnread, "due at %s, which wrote nothing in the partition, and gone from the source at %s, before a run that loaded all of it", q.Loads.All[stuck[0]].read(), left)
}

// stalled is the finding for rows that were due at several loads which wrote nothing at all: unless a later one has moved
// past what was left then, the loader did nothing. Nil where it has, or where they were due at one only.
func (q *Inquiry) stalled(s *stretch, stuck []int, left string) *finding {
	if len(stuck) < 2 {
		return nil
	}
	for _, d := range stuck {
		if blank, known := q.Loads.blank(d); !known || !blank {
			return nil
		}
	}
	f := found(s, CauseExpiredUnread, "due at %d runs from %s to %s, all of which wrote nothing, and gone from the source at %s, before one that loaded any of it", len(stuck), q.Loads.All[stuck[len(stuck)-1]].read(), q.Loads.All[stuck[0]].read(), left)
	for next := q.next(stuck[0]); next >= 0; next = q.next(next) {
		wrote, known := q.Loads.wrote(s.Partition, next)
		if !known {
			f = open(s, "due at %d runs that wrote nothing, and what %s wrote after them is not on record: evidence of every run would have decided", len(stuck), q.Loads.All[next].name())
			return &f
		}
		if !wrote {
			continue
		}
		return q.resumed(s, stuck[0], next, f)
	}
	return &f
}

// resumed is nil where a load has moved past what one before had left; else what is said already.
func (q *Inquiry) resumed(s *stretch, before, next int, f finding) *finding {
	n, known := q.tail(s, before, s.Partition)
	if known && n.Loaded == 0 {
		var there bool
		if there, known = q.wasDue(s, next, n.High); there {
			return nil
		}
	}
	if !known {
		f = q.unseen(s, next)
	}
	return &f
}

// next is the load after one that did not fail; -1 none.
func (q *Inquiry) next(load int) int {
	for load++; load < len(q.Loads.All); load++ {
		if l := q.Loads.All[load]; !l.Failed && !l.Foreign {
			return load
		}
	}
	return -1
}

// putPast is for rows that no run has passed, under the target's highest sequence: a commit that no run made put it there.
func (q *Inquiry) putPast(s *stretch) finding {
	positions := q.Loads.in(s.Partition)
	for i, l := range q.Loads.All {
		if p := positions[i]; p.marked && p.mark >= s.at {
			s.upTo(p.mark)
			return found(s, CauseWatermarkPassed, "%s (%s), which no run that succeeded made, put the partition at sequence %d: a loader that takes its position from the target does not read below it", l.name(), instantText(l.From), p.mark)
		}
	}
	return q.notOnRecord(s)
}

func (q *Inquiry) passedOver(s *stretch, load int) finding {
	l := q.Loads.All[load]
	return found(s, CauseWatermarkPassed, "%s moved the partition to sequence %d and took event times before %s only: these rows were not due; advance the watermark no further than the first row that is not due", l.read(), q.Loads.in(s.Partition)[load].high, timeText(l.Never))
}

func timeText(micros int64) string { return instant(micros).Format("2006-01-02T15:04:05.999999Z") }

// guess decides what the run's version would have shown by what is left: a row that is not due now was not due before.
func (q *Inquiry) guess(s *stretch, load int) finding {
	l := q.Loads.All[load]
	if s.State == Doomed && l.Pinned && !q.rewritten(l.First, q.SourceVersion) {
		return found(s, CauseWatermarkPassed, "%s moved the partition to sequence %d, and these rows are not due yet; advance the watermark no further than the first row that is not due", l.read(), q.Loads.in(s.Partition)[load].high)
	}
	return open(s, "what the source held when %s read it cannot be read any more, and no manifest of it was kept", l.name())
}

// passedLater is for rows under the target's highest sequence that no load is known to have passed: others wrote above them,
// or loads are not on record.
func (q *Inquiry) passedLater(s *stretch, first int) finding {
	n := q.Verified
	positions := q.Loads.in(s.Partition)
	switch {
	case n < 0:
		return q.notOnRecord(s)
	case len(positions) > 0 && positions[len(positions)-1].known && first == len(positions):
		return q.putPast(s)
	case s.State == Doomed && n == len(positions)-1:
		if st := q.stands(s, n); st == young || st == absent || st == pending {
			return found(s, CauseWatermarkPassed, "not due at %s, and a row above them is in the target at version %d; no run will read them unless it looks behind the watermark", q.Loads.All[n].read(), q.TargetVersion)
		}
	}
	return q.notOnRecord(s)
}

func (q *Inquiry) notOnRecord(s *stretch) finding {
	return open(s, "under the highest sequence of the target, and no run on record passed them: with evidence kept since before they came, the run that did would be known")
}

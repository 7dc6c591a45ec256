package reconcile

import "fmt"

// finding is what was decided of a stretch.
type finding struct {
	state        State
	cause, proof string
}

func found(s *stretch, cause, format string, args ...any) finding {
	return finding{s.State, cause, fmt.Sprintf(format, args...)}
}

func open(s *stretch, format string, args ...any) finding {
	return finding{s.State, CauseUndecidable, fmt.Sprintf(format, args...)}
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
	switch s.State {
	case Late:
		if last < 0 {
			return q.unread(s)
		}
		s.State = Skipped
		return q.skipped(s, first, last)
	case Skipped, Doomed:
		if last < 0 {
			return q.passedLater(s, first)
		}
		return q.skipped(s, first, last)
	}
	return q.gone(s, first, last)
}

// wasDeleted looks for the rows in what the target held before rows were removed from it, and in the ledger.
func (q *Inquiry) wasDeleted(s *stretch) (finding, bool) {
	if f, ok := q.wasInTarget(s); ok {
		return f, true
	}
	v, ok := q.Ledger[s.Partition]
	switch {
	case !ok || s.at > v.High || q.Unlooked == nil || q.Unlooked.Version <= v.TargetVersion:
		return finding{}, false
	case s.at < v.Low:
		s.upTo(v.Low - 1)
		return finding{}, false
	}
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
	return found(s, CauseDeleted, "in target version %d until commit %d (%s at %s); a loader that keeps a position of its own does not read them again", sight.Standing, by.Version, by.Operation, instantText(by.At)), true
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
	positions := q.Loads.in(s.Partition)
	wrote, known := q.Loads.wrote(s.Partition, n)
	switch {
	case q.Loads.absent(s.Partition, n):
		if q.Loads.others(s.Partition, n) {
			return found(s, CauseNewPartition, "%s wrote other partitions, and the target has never had a row of this one; make the loader start unknown partitions at their first sequence", l.read())
		}
		if b := q.previous(n); b >= 0 && q.Loads.absent(s.Partition, b) && q.wasDue(s, b) {
			return found(s, CauseNewPartition, "due at %s and at %s already, and the target has never had a row of the partition", q.Loads.All[b].read(), l.read())
		}
	case known && !wrote && q.Loads.others(s.Partition, n):
		if b := q.previous(n); b >= 0 && q.wasStill(s, b) && q.wasDue(s, b) {
			return found(s, CauseIdlePartition, "due at %s and at %s, which wrote other partitions: the watermark of this one stands at %d", q.Loads.All[b].read(), l.read(), positions[n].own)
		}
	}
	switch {
	case known && wrote:
		return found(s, CauseUnread, "%s stopped at sequence %d of the partition: a limit, or an error it passed over; the next run can read them", l.read(), positions[n].own)
	case known:
		return found(s, CauseUnread, "%s wrote nothing in the partition although these rows were due; the next run can read them unless a position of its own has moved past them", l.read())
	}
	return found(s, CauseUnread, "due at %s, and above the highest sequence of the target; the next run can read them", l.read())
}

// previous is the load before one that did not fail; -1 none.
func (q *Inquiry) previous(load int) int {
	for load--; load >= 0 && q.Loads.All[load].Failed; load-- {
	}
	return load
}

func (q *Inquiry) wasStill(s *stretch, load int) bool {
	wrote, known := q.Loads.wrote(s.Partition, load)
	return known && !wrote
}

func (q *Inquiry) wasDue(s *stretch, load int) bool {
	st := q.stands(s, load)
	return st == due || st == pending
}

// skipped is for rows that one of the loads from first to last passed; they may have left the source after that.
func (q *Inquiry) skipped(s *stretch, first, last int) finding {
	l := q.Loads.All[last]
	switch q.stands(s, last) {
	case young:
		return q.passedOver(s, last)
	case absent:
		return found(s, CauseWatermarkPassed, "%s had moved the partition to sequence %d before these rows were in the source: they came later than their event times say; a longer settle delay, or reading again what is behind the watermark, would have read them", l.read(), q.Loads.in(s.Partition)[last].high)
	case either:
		return open(s, "their event times lie within the time in which %s may have read (%s to %s): whether they were due then is not known", l.name(), instantText(l.From), instantText(l.To))
	case unknown:
		return q.guess(s, last)
	}
	if first != last {
		if first < 0 {
			return open(s, "they were due at %s, but which run passed them is not known: records of the runs before it would have decided", l.read())
		}
		return open(s, "one of %s and %s passed them, and it is not known which: records of every run would have decided", q.Loads.All[first].read(), l.read())
	}
	return q.dueAt(s, last)
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

// passedLater is for rows under the target's highest sequence that no load is known to have passed: between known loads
// others write, or loads are not on record.
func (q *Inquiry) passedLater(s *stretch, first int) finding {
	n := q.Verified
	switch {
	case n < 0:
		return q.notOnRecord(s)
	case s.State == Doomed:
		if st := q.stands(s, n); st == young || st == absent || st == pending {
			return found(s, CauseWatermarkPassed, "not due at %s, and a row above them is in the target at version %d; no run will read them unless it looks behind the watermark", q.Loads.All[n].read(), q.TargetVersion)
		}
		return q.notOnRecord(s)
	case first <= n:
		return q.skipped(s, first, n)
	case n+1 < len(q.Loads.All):
		return q.notOnRecord(s)
	}
	// The load that is verified did not pass them, and had them due: others wrote above them since.
	stuck, f, ok := q.stuckBefore(s, n+1, true)
	switch {
	case !ok:
		return f
	case len(stuck) == 0:
		return q.notOnRecord(s)
	}
	return q.blame(s, stuck, -1)
}

func (q *Inquiry) notOnRecord(s *stretch) finding {
	return open(s, "under the highest sequence of the target, and no run on record passed them: with evidence kept since before they came, the run that did would be known")
}

// dueAt is for rows that were due at a load which passed them without loading them. It looks at the loads before it at
// which they were due too, and which wrote nothing in the partition.
func (q *Inquiry) dueAt(s *stretch, load int) finding {
	stuck, f, ok := q.stuckBefore(s, load, true)
	switch {
	case !ok:
		return f
	case len(stuck) == 0:
		return q.isolated(s, load)
	}
	return q.blame(s, stuck, load)
}

func (q *Inquiry) isolated(s *stretch, load int) finding {
	return found(s, CauseIsolated, "due at %s, which wrote the partition up to sequence %d without these rows: a filter, a deduplication or the condition of a MERGE takes them out", q.Loads.All[load].read(), q.Loads.in(s.Partition)[load].high)
}

const mostStuck = 3

// stuckBefore collects the loads right before one at which the rows were due and which wrote nothing in their partition,
// the latest first; those that failed only when asked to, since they are not expected to write. Where it cannot be told,
// ok is false.
func (q *Inquiry) stuckBefore(s *stretch, load int, failed bool) (stuck []int, f finding, ok bool) {
	for d := load - 1; d >= 0 && len(stuck) < mostStuck; d-- {
		if q.Loads.All[d].Failed && !failed {
			continue
		}
		wrote, known := q.Loads.wrote(s.Partition, d)
		if known && wrote {
			break
		}
		switch st := q.stands(s, d); {
		case st == absent || st == young:
			return stuck, f, true
		case st == due && known:
			stuck = append(stuck, d)
		case st == due:
			return nil, open(s, "due at %s, and what it wrote is not on record: evidence of every run would have decided", q.Loads.All[d].read()), false
		case st == either:
			return nil, open(s, "their event times lie within the time in which %s may have read (%s to %s): whether they were its to load is not known", q.Loads.All[d].name(), instantText(q.Loads.All[d].From), instantText(q.Loads.All[d].To)), false
		default:
			return nil, open(s, "what the source held when %s read it cannot be read any more, and no manifest of it was kept", q.Loads.All[d].name()), false
		}
	}
	return stuck, f, true
}

// blame is for rows that were due at loads which wrote nothing in their partition, and that were passed or expired later.
func (q *Inquiry) blame(s *stretch, stuck []int, load int) finding {
	first := stuck[len(stuck)-1]
	for i := len(stuck) - 1; i >= 0; i-- {
		if !q.Loads.idle(stuck[i]) {
			continue
		}
		switch n, known := q.batch(s, stuck[i]); {
		case known && n.Keys > 0 && n.Loaded == 0:
			return q.batchLost(s, stuck[i], n)
		case !known && !s.wants:
			return q.unreadBatch(s, stuck[i])
		}
	}
	e := q.Extents[s.Partition]
	if q.Loads.absent(s.Partition, first) && (e == nil || !e.InTarget || s.at < e.TargetLow) {
		if e != nil && e.InTarget {
			s.upTo(e.TargetLow - 1)
		}
		return found(s, CauseNewPartition, "due at %s, when the target had no row of the partition yet: the loader began it above these rows; make it start unknown partitions at their first sequence", q.Loads.All[first].read())
	}
	for _, d := range stuck {
		if len(stuck) > 1 && q.Loads.others(s.Partition, d) {
			return found(s, CauseIdlePartition, "due at %s and at %s, which wrote other partitions: the watermark of this one stood at %d", q.Loads.All[first].read(), q.Loads.All[stuck[0]].read(), q.Loads.in(s.Partition)[first].own)
		}
	}
	switch n, known := q.batch(s, first); {
	case known && n.Keys > 1 && n.Loaded == 0:
		return q.batchLost(s, first, n)
	case !known && !s.wants:
		return q.unreadBatch(s, first)
	}
	if load >= 0 {
		return q.isolated(s, load)
	}
	return q.notLoaded(s, stuck[0])
}

func (q *Inquiry) notLoaded(s *stretch, load int) finding {
	if s.State == Expired || s.State == Lost {
		return found(s, CauseExpiredUnread, "due at %s, which did not load them, and gone from the source before a run that could have", q.Loads.All[load].read())
	}
	return found(s, CauseUnread, "due at %s, which did not load them", q.Loads.All[load].read())
}

func (q *Inquiry) batchLost(s *stretch, load int, n Batched) finding {
	l := q.Loads.All[load]
	ended := "ended well"
	if l.Failed {
		ended = "failed"
	}
	return found(s, CauseBatchLost, "%s %s and wrote nothing in the partition: none of the %d rows that it had to load there is in the target; write rows and position in one commit", l.read(), ended, n.Keys)
}

func (q *Inquiry) unreadBatch(s *stretch, load int) finding {
	return open(s, "due at %s, which wrote nothing in the partition; whether anything of its batch was loaded later cannot be told: source version %d cannot be read any more", q.Loads.All[load].read(), q.Loads.All[load].First)
}

// batch counts what a load had to read in the partition, and what of it is in the target.
func (q *Inquiry) batch(s *stretch, load int) (n Batched, known bool) {
	l := q.Loads.All[load]
	b := Batch{Version: l.First, Sure: l.Sure, Partition: s.Partition, Whole: true}
	if load > 0 {
		if p := q.Loads.in(s.Partition)[load-1]; p.some {
			b.Above, b.Whole = p.high, false
		}
	}
	if n, ok := q.batches[b]; ok {
		if n == nil {
			return Batched{}, false
		}
		return *n, true
	}
	if q.broken[b.Version] {
		return Batched{}, false
	}
	q.wants.batches[b] = true
	s.wants = true
	return Batched{}, false
}

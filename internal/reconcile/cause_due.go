package reconcile

import "fmt"

// dueAt is for rows that were due at a load which passed them without loading them. It looks at the loads before it at
// which they were due too, and which wrote nothing of the partition: the first of them is to blame, unless rows that it had
// to load were loaded later.
func (q *Inquiry) dueAt(s *stretch, load int) finding {
	stuck, f, ok := q.stuckBefore(s, load)
	if !ok {
		return f
	}
	first := load
	if len(stuck) > 0 {
		first = stuck[len(stuck)-1]
	}
	if f := q.passedUnseen(s, q.previous(first), load); f != nil {
		return *f
	}
	if len(stuck) > 0 {
		if f := q.blame(s, stuck); f != nil {
			return *f
		}
		return q.isolated(s, load)
	}
	for _, other := range []func(*stretch, int) *finding{q.failedBefore, q.begunAbove, q.passedByOthers} {
		if f := other(s, load); f != nil {
			return *f
		}
	}
	return q.isolated(s, load)
}

// begunAbove is the finding for rows below all that the target has of their partition, which a load was the first to write,
// and had several of them to load. Nil where that is not so.
func (q *Inquiry) begunAbove(s *stretch, load int) *finding {
	e := q.Extents[s.Partition]
	if e == nil || !e.InTarget || s.at >= e.TargetLow || !q.Loads.absent(s.Partition, load-1) {
		return nil
	}
	s.upTo(e.TargetLow - 1)
	l := &q.Loads.All[load]
	n, known := q.batch(s, Batch{Version: l.First, Sure: l.Sure, Partition: s.Partition, Whole: true, Prefix: true, Below: e.TargetLow})
	f := found(s, CauseNewPartition, "due at %s, which was the first to write the partition, and began it at sequence %d; make the loader start unknown partitions at their first sequence", l.read(), e.TargetLow)
	switch {
	case s.wants:
	case !known:
		f = q.unseen(s, load)
	case n.Keys < 2 || n.Loaded > 0:
		return nil
	}
	return &f
}

func (q *Inquiry) isolated(s *stretch, load int) finding {
	if p := q.Loads.in(s.Partition)[load]; !p.wrote {
		return found(s, CauseIsolated, "due at %s, and the only row of the partition that was: it wrote others and not this one; a filter, a deduplication or the condition of a MERGE takes it out", q.Loads.All[load].read())
	}
	return found(s, CauseIsolated, "due at %s, which wrote the partition up to sequence %d without these rows: a filter, a deduplication or the condition of a MERGE takes them out", q.Loads.All[load].read(), q.Loads.in(s.Partition)[load].high)
}

// stuckBefore collects the loads right before one at which the rows were due and which wrote nothing of their partition, the
// latest first; those that failed are not expected to write. Where it cannot be told, ok is false.
func (q *Inquiry) stuckBefore(s *stretch, load int) (stuck []int, f finding, ok bool) {
	var still []int
	doubt := -1
	for d := q.previous(load); d >= 0; d = q.previous(d) {
		wrote, known := q.Loads.wrote(s.Partition, d)
		if known && wrote {
			break
		}
		still = append(still, d)
		if !known {
			doubt = d
			break
		}
		if len(still) > mostLooked && q.changing(still) {
			doubt = d
			break
		}
	}
	n, f, ok := q.firstNotDue(s, still)
	switch stuck = still[:n]; {
	case !ok:
		return nil, f, false
	case n > mostLooked && still[n-1] == doubt:
		return nil, open(s, "due at more than %d runs that wrote nothing of the partition, %s the latest, while event times were changed: more than a verification looks at", mostLooked, q.Loads.All[still[0]].read()), false
	case n > 0 && still[n-1] == doubt:
		return nil, open(s, "due at %s, and what it wrote is not on record: evidence of every run would have decided", q.Loads.All[doubt].read()), false
	case n == len(still) && !q.Loads.Complete && (n == 0 && q.previous(load) < 0 || n > 0 && q.previous(still[n-1]) < 0):
		return nil, open(s, "which runs read them before %s is not known: records of those would have decided", q.Loads.All[load].read()), false
	}
	return stuck, f, true
}

// mostLooked is how many loads are looked at one by one, where event times may have been changed between them.
const mostLooked = 100

// changing reports whether event times may have been changed between loads, the latest first.
func (q *Inquiry) changing(loads []int) bool {
	if len(loads) == 0 {
		return false
	}
	a, z := q.Loads.All[loads[len(loads)-1]], q.Loads.All[loads[0]]
	return a.Pinned && z.Pinned && q.rewritten(a.First, z.First)
}

// firstNotDue counts the loads, the latest first, up to one at which the rows were not due. Rows that are due stay so until
// they leave, or are changed: few loads are looked at, each twice as far back as the one before.
func (q *Inquiry) firstNotDue(s *stretch, loads []int) (n int, f finding, ok bool) {
	isDue := func(i int) bool {
		switch st := q.stands(s, loads[i]); st {
		case due:
			return true
		case absent, young:
		case pending:
			ok = false
		case either:
			f, ok = q.within(s, loads[i]), false
		default:
			f, ok = q.unseen(s, loads[i]), false
		}
		return false
	}
	ok = true
	low, high := -1, len(loads) // due up to low, not due at high
	if q.changing(loads) {
		for low+1 < high && ok && isDue(low+1) {
			low++
		}
		for i := low + 2; s.wants && i < min(high, 2*low+4); i++ { // what is asked for grows with what was found
			q.stands(s, loads[i])
		}
		return low + 1, f, ok
	}
	for step := 1; ok && low+step < high; step *= 2 {
		if !isDue(low + step) {
			high = low + step
			break
		}
		low += step
	}
	for ok && low+1 < high {
		if m := (low + high) / 2; isDue(m) {
			low = m
		} else {
			high = m
		}
	}
	return low + 1, f, ok
}

// within is the finding for rows that became due, or left, while a load may have been reading.
func (q *Inquiry) within(s *stretch, load int) finding {
	l := q.Loads.All[load]
	return open(s, "their event times lie within the time in which %s may have read (%s to %s): whether they were its to load is not known", l.name(), instantText(l.From), instantText(l.To))
}

func (q *Inquiry) unseen(s *stretch, load int) finding {
	return open(s, "what the source held when %s read it cannot be read any more, and no manifest of it was kept", q.Loads.All[load].name())
}

// blame is for rows that were due at loads which wrote nothing of their partition, the latest first. It is nil where rows
// that the first of them had to load were loaded later: it had not moved on then.
func (q *Inquiry) blame(s *stretch, stuck []int) *finding {
	first := stuck[len(stuck)-1]
	n, known := q.own(s, first)
	blank, told := q.Loads.blank(first)
	var f finding
	switch {
	case s.wants:
	case !known || !told:
		f = open(s, "due at %s, which wrote nothing of the partition; what else it had to load cannot be read any more, and no manifest of it was kept", q.Loads.All[first].read())
	case n.Loaded > 0:
		return nil
	case blank:
		f = q.blank(s, first, n)
	default:
		f = q.leftOut(s, stuck, n)
	}
	return &f
}

// blank is for the rows of a load that wrote nothing at all.
func (q *Inquiry) blank(s *stretch, load int, n Batched) finding {
	l := q.Loads.All[load]
	p := q.Loads.in(s.Partition)[load]
	switch {
	case !p.sure:
		return open(s, "due at %s, which wrote nothing; whether the target had a row of the partition then is not known: records of the runs before it would have decided", l.read())
	case p.marked:
		return q.batchLost(s, load, n)
	}
	for _, partition := range q.Loads.partitions(load - 1) {
		other, known := q.tail(s, load, partition)
		switch {
		case s.wants:
			return finding{}
		case !known:
			return open(s, "due at %s, which wrote nothing; whether it had rows of other partitions to load cannot be read any more, and no manifest of it was kept", l.read())
		case other.Keys > 0 && other.Loaded == 0:
			return q.batchLost(s, load, n)
		}
	}
	return found(s, CauseNewPartition, "due at %s, when the target had no row of the partition yet, and had all of the others: the loader began it above these rows; make it start unknown partitions at their first sequence, and write rows and position in one commit", l.read())
}

// leftOut is for the rows of a load that wrote other partitions.
func (q *Inquiry) leftOut(s *stretch, stuck []int, n Batched) finding {
	first := stuck[len(stuck)-1]
	l := q.Loads.All[first]
	p := q.Loads.in(s.Partition)[first]
	switch {
	case !p.sure:
		return open(s, "due at %s, which wrote other partitions; whether the target had a row of this one then is not known: records of the runs before it would have decided", l.read())
	case !p.marked:
		return found(s, CauseNewPartition, "due at %s, which wrote other partitions, when the target had no row of this one yet: the loader began it above these rows; make it start unknown partitions at their first sequence", l.read())
	}
	if f := q.leftOutBefore(s, first); f != nil {
		return *f
	}
	f, idle, known := q.idle(s, stuck)
	switch {
	case s.wants:
		return finding{}
	case idle:
		return f
	case !known:
		return open(s, "due at %s, which wrote other partitions; how many rows waited at the runs around it cannot be read any more, and no manifest of them was kept", l.read())
	case n.Keys == 1:
		return q.isolated(s, first)
	}
	return q.batchLost(s, first, n)
}

// leftOutBefore is the finding for a row that a load before wrote the partition without, and nothing else: it is the one that
// left it out. Nil where there is none.
func (q *Inquiry) leftOutBefore(s *stretch, first int) *finding {
	before := q.previous(first)
	if before < 0 {
		return nil
	}
	switch older, known := q.tail(s, before, s.Partition); {
	case !known || older.Keys != 1 || older.High != s.at:
		return nil // told already
	}
	f := q.isolated(s, before)
	return &f
}

func (q *Inquiry) batchLost(s *stretch, load int, n Batched) finding {
	l := q.Loads.All[load]
	ended := "ended well"
	if l.Failed {
		ended = "failed"
	}
	rows := fmt.Sprintf("none of the %d rows that it had to load there is in the target", n.Keys)
	if n.Keys == 1 {
		rows = "the only row that it had to load there is not in the target"
	}
	return found(s, CauseBatchLost, "%s %s and wrote nothing in the partition: %s; write rows and position in one commit", l.read(), ended, rows)
}

// failedBefore is the finding for rows that a load which failed may have moved past: all that it had to load, more than one
// row, is missing. Nil where none did.
func (q *Inquiry) failedBefore(s *stretch, load int) *finding {
	for d := load - 1; d > q.previous(load); d-- {
		if l := q.Loads.All[d]; !l.Failed || l.Foreign {
			continue
		}
		switch st := q.stands(s, d); {
		case s.wants:
			return &finding{}
		case st == absent || st == young:
			return nil
		case st != due:
			f := q.within(s, d)
			return &f
		}
		n, known := q.own(s, d)
		switch {
		case s.wants:
			return &finding{}
		case !known:
			f := q.unseen(s, d)
			return &f
		case n.Keys > 1 && n.Loaded == 0:
			f := q.batchLost(s, d, n)
			return &f
		}
	}
	return nil
}

// passedByOthers is the finding for rows that a commit which no run made had put the watermark past before a load read:
// one that takes its position from the target did not read below. Nil where there is none, or where the load did.
func (q *Inquiry) passedByOthers(s *stretch, load int) *finding {
	l := q.Loads.All[load]
	if load == 0 || !l.Mixed {
		return nil
	}
	p := q.Loads.in(s.Partition)[load-1]
	if wrote, ok := l.Wrote[s.Partition]; !p.marked || p.mark < s.at || !ok || wrote.Low <= p.mark {
		return nil
	}
	s.upTo(p.mark)
	f := q.putPast(s)
	return &f
}

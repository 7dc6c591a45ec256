package reconcile

import (
	"fmt"
	"slices"
)

// passedUnseen is the finding for rows that were not due at a load and that it moved past all the same, which the target
// does not show: by a row further up that it had to load, that the target never had, and that was still there for another
// load, which passed it. Nil where it did not.
func (q *Inquiry) passedUnseen(s *stretch, load, by int) *finding {
	if load < 0 {
		if q.Loads.Complete {
			return nil
		}
		f := open(s, "how far the loader had come before the first run on record is not known")
		return &f
	}
	var f finding
	n, known := q.tail(s, load, s.Partition)
	switch {
	case s.wants:
		return &f
	case !known:
		f = open(s, "how far %s had come is not known: a record of it, and of the source's version that it read, would have decided", q.Loads.All[load].name())
		return &f
	case n.Keys == 0 || n.High < s.at || n.Loaded > 0:
		return nil
	}
	s.upTo(n.High)
	switch st := q.stands(s, load); {
	case st == due: // it left them out, or the next one did
		return nil
	case s.wants:
		return &f
	case st == either:
		f = q.within(s, load)
		return &f
	}
	switch there, known := q.wasDue(s, by, n.High); {
	case s.wants:
	case !known:
		f = q.unseen(s, by)
	case !there:
		return nil
	default:
		f = found(s, CauseWatermarkPassed, "%s had sequence %d of the partition to load, which has never been in the target, and %s did not read it either: the loader's position had moved past these rows before they were due; advance it no further than the first row that is not due", q.Loads.All[load].read(), n.High, q.Loads.All[by].read())
	}
	return &f
}

// wasDue tells whether a load had a sequence of the rows' partition due, whoever brought that to the target.
func (q *Inquiry) wasDue(s *stretch, load int, sequence int64) (was, known bool) {
	l := &q.Loads.All[load]
	if !l.Pinned || !q.cut(s, l) {
		return false, false
	}
	b := Batch{Version: l.First, Sure: l.Sure, Partition: s.Partition, Above: sequence - 1, Prefix: true, Below: sequence + 1}
	if sequence == maxSequence {
		b.Prefix, b.Below = false, 0
	}
	n, known := q.batch(s, b)
	return n.Keys > 0, known
}

// idle finds that a partition's watermark stood while others moved: loads in a row, two at least, at which rows of it were
// due, wrote others and nothing of it, and at one of them more than one row was new. One row at a time a loader can have left
// out. The loads at which the rows in question were due come the latest first.
func (q *Inquiry) idle(s *stretch, stuck []int) (f finding, idle, known bool) {
	first := stuck[len(stuck)-1]
	var row []int // the latest first
	for _, d := range stuck {
		if q.leftIt(s.Partition, d) {
			row = append(row, d)
		}
	}
	for d, n := q.previous(first), 0; d >= 0 && n < mostBetween && q.leftIt(s.Partition, d); d, n = q.previous(d), n+1 {
		waiting, ok := q.tail(s, d, s.Partition)
		if !ok || waiting.Keys == 0 {
			break
		}
		row = append(row, d)
	}
	if len(row) < 2 {
		return f, false, !s.wants
	}
	known = true
	for i, d := range slices.Backward(row) {
		if i > mostFresh {
			continue
		}
		switch n, ok := q.fresh(s, d); {
		case !ok:
			known = false
		case n.Keys > 1:
			a, b := row[len(row)-1], row[0]
			return found(s, CauseIdlePartition, "rows of the partition were due at %s, and at %s, both of which wrote other partitions: its watermark stood at %s", q.Loads.All[a].read(), q.Loads.All[b].read(), q.markText(s.Partition, b)), true, true
		}
	}
	return f, false, known
}

// mostFresh is how many loads are asked for what was new.
const mostFresh = 16

// leftIt reports whether a load wrote other partitions and nothing of this one.
func (q *Inquiry) leftIt(partition string, load int) bool {
	wrote, known := q.Loads.wrote(partition, load)
	blank, told := q.Loads.blank(load)
	return known && told && !wrote && !blank
}

func (q *Inquiry) markText(partition string, load int) string {
	if p := q.Loads.in(partition)[load]; p.some {
		return fmt.Sprint(p.high)
	}
	return "nothing"
}

// changed is the finding for rows that were not due when a load passed them, and had been due before that: somebody changed
// their event times in between. Nil where nobody did.
func (q *Inquiry) changed(s *stretch, load int) *finding {
	d := q.previous(load)
	if d < 0 || !q.Loads.All[d].Pinned || !q.rewritten(q.Loads.All[d].First, q.Loads.All[load].First) {
		return nil
	}
	stuck, f, ok := q.stuckBefore(s, load)
	switch {
	case !ok:
		return &f
	case len(stuck) == 0:
		return nil
	}
	return q.blame(s, stuck)
}

// tail is what a load left unread of a partition, or had to load and did not: what was due above the highest sequence that
// loads had written by then.
func (q *Inquiry) tail(s *stretch, load int, partition string) (Batched, bool) {
	l := &q.Loads.All[load]
	p := q.position(partition, load)
	if !p.known || !l.Pinned || !q.cut(s, l) {
		return Batched{}, false
	}
	return q.batch(s, Batch{Version: l.First, Sure: l.Sure, Partition: partition, Above: p.high, Whole: !p.some})
}

// position is the one in any partition, without making those of the current one anew.
func (q *Inquiry) position(partition string, load int) position {
	if partition == q.Loads.partition && q.Loads.positions != nil {
		return q.Loads.positions[load]
	}
	last := position{known: q.Loads.Complete, sure: q.Loads.Complete}
	for _, l := range q.Loads.All[:load+1] {
		last = q.Loads.after(l, last, partition)
	}
	return last
}

// fresh is the part of a load's tail that was not due at the load before it: what is above all that was.
func (q *Inquiry) fresh(s *stretch, load int) (Batched, bool) {
	before := q.previous(load)
	if before < 0 {
		if !q.Loads.Complete {
			return Batched{}, false
		}
		return q.tail(s, load, s.Partition)
	}
	older, known := q.tail(s, before, s.Partition)
	l := &q.Loads.All[load]
	p := q.Loads.in(s.Partition)[load]
	if !known || !p.known || !l.Pinned || !q.cut(s, l) {
		return Batched{}, false
	}
	b := Batch{Version: l.First, Sure: l.Sure, Partition: s.Partition, Above: p.high, Whole: !p.some}
	if older.Keys > 0 && (b.Whole || older.High > b.Above) {
		b.Above, b.Whole = older.High, false
	}
	return q.batch(s, b)
}

// own is what a load had to load and did not of the rows' like: what was not due before, or, for rows below something that
// was, all.
func (q *Inquiry) own(s *stretch, load int) (Batched, bool) {
	if before := q.previous(load); before >= 0 {
		older, known := q.tail(s, before, s.Partition)
		if !known {
			return Batched{}, false
		}
		if older.Keys > 0 && s.at <= older.High {
			s.upTo(older.High)
			return q.tail(s, load, s.Partition)
		}
	}
	return q.fresh(s, load)
}

// batch counts what was due in a partition, and what of it is in the target.
func (q *Inquiry) batch(s *stretch, b Batch) (n Batched, known bool) {
	if q.Blurred {
		return Batched{}, false
	}
	if q.broken[b.Version] || s.held && !s.readable {
		if b, known = q.listedBatch(b); !known {
			return Batched{}, false
		}
		if !b.Listed {
			return Batched{}, true // nothing was due
		}
	}
	if n, ok := q.batches[b]; ok {
		if n == nil {
			return Batched{}, false
		}
		return *n, true
	}
	q.wants.batches[b] = true
	s.wants = true
	return Batched{}, false
}

// listedBatch makes a batch of what a manifest lists: its keys, and the highest of them.
func (q *Inquiry) listedBatch(b Batch) (listed Batch, known bool) {
	if _, ok := q.kept(b.Version); !ok || q.cover == nil {
		return b, false
	}
	if kept, ok := q.listedBatches[b]; ok {
		return kept, true
	}
	kept, end := b, b.Above
	for m, err := range q.cover.list.All() {
		if err != nil {
			return b, false
		}
		if m.SourceVersion != b.Version || m.Partition != b.Partition || !b.Whole && m.High <= b.Above || b.Prefix && m.Low >= b.Below || m.Latest.IsZero() || m.Latest.UnixMicro() >= b.Sure {
			continue
		}
		low := m.Low
		if b.Prefix {
			m.High = min(m.High, b.Below-1)
		}
		if !b.Whole || kept.Listed { // a version that is kept twice is counted once
			low = max(low, end+1)
		}
		if m.High >= low {
			kept.Keys, kept.High, end = kept.Keys+m.High-low+1, m.High, m.High
		}
		kept.Listed = true
	}
	q.listedBatches[b] = kept
	return kept, true
}

package reconcile

import "fmt"

// hidden reports whether a load can have moved past rows without the target showing it: by one that it had to write,
// further up, and that the target did not have after it. ok is false where nobody can tell, or not yet.
func (q *Inquiry) hidden(s *stretch, load int) (hidden, ok bool) {
	for load >= 0 && (q.Loads.All[load].Failed || q.Loads.All[load].Foreign) {
		load--
	}
	if load < 0 {
		return false, q.Loads.Complete
	}
	left, ok := q.remain(s, load)
	if !ok {
		return false, false
	}
	l, some := left[s.Partition]
	if !some || l.High < s.at {
		return false, true
	}
	s.upTo(l.High)
	return true, true
}

// remain finds what a load may have left unread, by partition.
func (q *Inquiry) remain(s *stretch, load int) (left map[string]Left, ok bool) {
	if left, ok := q.remains[load]; ok {
		return left, left != nil
	}
	l := &q.Loads.All[load]
	if !l.Pinned || l.Marks == nil || !q.cut(s, l) {
		return nil, false
	}
	if q.broken[l.Last] || s.held && !s.readable {
		if left, ok := q.listedRemain(l); ok {
			q.remains[load] = left
			return left, true
		}
		if q.broken[l.Last] {
			return nil, false
		}
	}
	var marks []Mark
	for p := range l.Marks {
		marks = append(marks, Mark{p, l.Marks[p]})
	}
	q.wants.remains[load] = Remain{load, l.Last, l.Never, marks}
	s.wants = true
	return nil, false
}

// listedRemain finds it in the manifest of the version.
func (q *Inquiry) listedRemain(l *Load) (left map[string]Left, ok bool) {
	if _, ok := q.kept(l.Last); !ok || q.cover == nil {
		return nil, false
	}
	left = map[string]Left{}
	for m, err := range q.cover.list.All() {
		if err != nil {
			return nil, false
		}
		mark, some := l.Marks[m.Partition]
		if m.SourceVersion != l.Last || some && m.High <= mark || !m.Earliest.IsZero() && m.Earliest.UnixMicro() >= l.Never {
			continue
		}
		low := m.Low
		if some {
			low = max(low, mark+1)
		}
		old, ok := left[m.Partition]
		if !ok || m.High > old.High {
			old.High = m.High
		}
		old.Keys += m.High - low + 1
		left[m.Partition] = old
	}
	return left, true
}

// idle finds that two loads in a row wrote others and nothing of the partition, at the second of which more of it was due
// than at the first: no position can have passed that. It looks at pairs with one of the loads in them. A partition that
// the target has never had is not idle, but new.
func (q *Inquiry) idle(s *stretch, loads ...int) (finding, bool) {
	for _, d := range loads {
		for _, pair := range [][2]int{{q.previous(d), d}, {d, q.next(d)}} {
			if !q.stoodStill(s, pair[0], pair[1]) {
				continue
			}
			if q.Loads.absent(s.Partition, pair[1]) {
				return found(s, CauseNewPartition, "rows of the partition were due at %s, and more at %s, both of which wrote other partitions, and the target had never had a row of this one; make the loader start unknown partitions at their first sequence", q.Loads.All[pair[0]].read(), q.Loads.All[pair[1]].read()), true
			}
			return found(s, CauseIdlePartition, "rows of the partition were due at %s, and more at %s, both of which wrote other partitions: its watermark stood at %s", q.Loads.All[pair[0]].read(), q.Loads.All[pair[1]].read(), q.markText(s.Partition, pair[1])), true
		}
	}
	return finding{}, false
}

func (q *Inquiry) stoodStill(s *stretch, a, b int) bool {
	if a < 0 || b < 0 || !q.wasStill(s, a) || !q.wasStill(s, b) || !q.Loads.others(s.Partition, a) || !q.Loads.others(s.Partition, b) {
		return false
	}
	before, ok := q.remain(s, a)
	after, ok2 := q.remain(s, b)
	if !ok || !ok2 {
		return false
	}
	x, some := before[s.Partition]
	y := after[s.Partition]
	return some && y.High > x.High && y.Keys > 1
}

func (q *Inquiry) markText(partition string, load int) string {
	if p := q.Loads.in(partition)[load]; p.ownSome {
		return fmt.Sprint(p.own)
	}
	return "nothing"
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

// doubted is the finding for rows that a load may have moved past unseen; nil where it cannot have.
func (q *Inquiry) doubted(s *stretch, load int) *finding {
	hidden, ok := q.hidden(s, load)
	switch {
	case s.wants:
		return &finding{}
	case !ok && load < 0:
		f := open(s, "how far the loader had come before the first run on record is not known")
		return &f
	case !ok:
		f := open(s, "how far %s had come is not known: a record of it, and of the source's version that it read, would have decided", q.Loads.All[load].name())
		return &f
	case hidden:
		f := open(s, "not loaded by %s, which had a row further up due that the target did not have after it: if the loader keeps a position of its own, that may have moved past these", q.Loads.All[load].read())
		return &f
	}
	return nil
}

// changed is the finding for rows that were not due when a load passed them, and had been due before that: somebody changed
// their event times in between. Nil where nobody did.
func (q *Inquiry) changed(s *stretch, load int) *finding {
	for d, looked := q.previous(load), 0; d >= 0 && looked < mostLooked; d, looked = q.previous(d), looked+1 {
		if !q.Loads.All[d].Pinned || !q.rewritten(q.Loads.All[d].First, q.Loads.All[load].First) {
			return nil
		}
		if st := q.stands(s, d); st == due || st == either {
			f := open(s, "not due at %s, which passed them, but due at %s: their event times were changed in between", q.Loads.All[load].read(), q.Loads.All[d].read())
			return &f
		}
		if wrote, known := q.Loads.wrote(s.Partition, d); s.wants || known && wrote {
			return nil
		}
	}
	return nil
}

// mostLooked is how many loads are looked at for event times that were changed.
const mostLooked = 8

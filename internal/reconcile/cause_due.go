package reconcile

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
		if q.Loads.All[d].Foreign || q.Loads.All[d].Failed && !failed {
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
	if f, ok := q.idle(s, stuck); ok {
		return f
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

// idle finds that the partition had due rows at two loads in a row which wrote others and nothing of it: these rows at
// both, or others of it at one.
func (q *Inquiry) idle(s *stretch, stuck []int) (finding, bool) {
	for _, d := range stuck {
		q.noteStuck(s.Partition, d)
	}
	for _, d := range stuck {
		b := q.previous(d)
		if b >= 0 && q.stuck[stuckLoad{s.Partition, d}] && q.stuck[stuckLoad{s.Partition, b}] {
			return found(s, CauseIdlePartition, "rows of the partition were due at %s and at %s, which wrote other partitions: its watermark stood at %d", q.Loads.All[b].read(), q.Loads.All[d].read(), q.Loads.in(s.Partition)[b].own), true
		}
	}
	for d := stuck[0] + 1; d < len(q.Loads.All); d++ {
		if q.Loads.All[d].Failed || q.Loads.All[d].Foreign {
			continue
		}
		if q.stuck[stuckLoad{s.Partition, stuck[0]}] && q.stuck[stuckLoad{s.Partition, d}] {
			return found(s, CauseIdlePartition, "rows of the partition were due at %s and at %s, which wrote other partitions: its watermark stood at %d", q.Loads.All[stuck[0]].read(), q.Loads.All[d].read(), q.Loads.in(s.Partition)[d].own), true
		}
		break
	}
	return finding{}, false
}

// stuckLoad is a load that had due rows of a partition, wrote others, and nothing of it.
type stuckLoad struct {
	partition string
	load      int
}

func (q *Inquiry) noteStuck(partition string, load int) {
	if wrote, known := q.Loads.wrote(partition, load); known && !wrote && q.Loads.others(partition, load) {
		q.stuck[stuckLoad{partition, load}] = true
	}
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
	if q.broken[b.Version] || s.held && !s.readable {
		if b, known = q.listedBatch(b); !known {
			return Batched{}, false
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
func (q *Inquiry) listedBatch(b Batch) (Batch, bool) {
	if _, ok := q.kept(b.Version); !ok || q.cover == nil {
		return b, false
	}
	if kept, ok := q.listedBatches[b]; ok {
		return kept, kept.Listed
	}
	kept := b
	for m, err := range q.cover.list.All() {
		if err != nil {
			break
		}
		if m.SourceVersion != b.Version || m.Partition != b.Partition || !b.Whole && m.High <= b.Above || m.Latest.IsZero() || m.Latest.UnixMicro() >= b.Sure {
			continue
		}
		low := m.Low
		if !b.Whole {
			low = max(low, b.Above+1)
		}
		if !kept.Listed || m.High > kept.High {
			kept.High = m.High
		}
		kept.Keys, kept.Listed = kept.Keys+m.High-low+1, true
	}
	q.listedBatches[b] = kept
	return kept, kept.Listed
}

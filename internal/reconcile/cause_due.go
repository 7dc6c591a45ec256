package reconcile

// dueAt is for rows that were due at a load which passed them without loading them. It looks at the loads before it at
// which they were due too, and which wrote nothing in the partition.
func (q *Inquiry) dueAt(s *stretch, load int) finding {
	stuck, f, ok := q.stuckBefore(s, load, true)
	if !ok {
		return f
	}
	before := load - 1
	if len(stuck) > 0 {
		before = stuck[len(stuck)-1] - 1
	}
	if len(stuck) < mostStuck {
		if doubt := q.doubted(s, before); doubt != nil {
			return *doubt
		}
	}
	if len(stuck) == 0 {
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

// blame is for rows that were due at loads which wrote nothing in their partition, before another one passed them.
func (q *Inquiry) blame(s *stretch, stuck []int, load int) finding {
	first := stuck[len(stuck)-1]
	begun := q.begunAbove(s, first)
	for i := len(stuck) - 1; i >= 0; i-- {
		if !q.Loads.idle(stuck[i]) {
			continue
		}
		switch n, known := q.batch(s, stuck[i]); {
		case known && n.Keys > 0 && n.Loaded == 0 && !begun:
			if q.lose(s, stuck[i], n.Keys) < 2 {
				return open(s, "the only row that was due at %s, which wrote nothing: whether its write was lost, or the row left out, is not known; the position that the loader keeps would have decided", q.Loads.All[stuck[i]].read())
			}
			return q.batchLost(s, stuck[i], n)
		case known && n.Keys > 0 && n.Loaded == 0 && len(q.lost[stuck[i]]) > 0:
			return q.batchLost(s, stuck[i], n)
		case known && n.Keys > 0 && n.Loaded == 0:
			return open(s, "due at %s, which wrote nothing at all, and nothing of their partition was in the target before: either its write was lost, or the loader began the partition above these rows; another partition of which it lost rows would have decided", q.Loads.All[stuck[i]].read())
		case known && n.Prefix > 1 && s.at < n.Low:
			s.upTo(n.Low - 1)
			return found(s, CauseBatchLost, "%s ended without writing anything: the first %d rows of the partition that it had to load are not in the target, those above them are; write rows and position in one commit", q.Loads.All[stuck[i]].read(), n.Prefix)
		case known && !q.Loads.All[stuck[i]].Failed:
			return open(s, "due at %s, which ended well and wrote nothing at all, while others that it had due are in the target: whether it lost its write, or a later run left these out, is not known; the position that the loader keeps would have decided", q.Loads.All[stuck[i]].read())
		case !known && !s.wants:
			return q.unreadBatch(s, stuck[i])
		}
	}
	if begun {
		if n, known := q.batch(s, first); known && n.Keys == 1 || !known && s.wants {
			return open(s, "due at %s as the only row of a partition that the target did not have yet: either the loader began the partition above it, or that run left it out", q.Loads.All[first].read())
		}
		return found(s, CauseNewPartition, "due at %s, when the target had no row of the partition yet: the loader began it above these rows; make it start unknown partitions at their first sequence", q.Loads.All[first].read())
	}
	if f, ok := q.idle(s, stuck...); ok {
		return f
	}
	switch n, known := q.batch(s, first); {
	case known && n.Keys > 1 && n.Loaded == 0:
		return q.batchLost(s, first, n)
	case !known && !s.wants:
		return q.unreadBatch(s, first)
	}
	return q.isolated(s, load)
}

// lose notes what a load lost of a partition that the target had rows of, and counts what it lost of all of them.
func (q *Inquiry) lose(s *stretch, load int, keys int64) int64 {
	if q.lost[load] == nil {
		q.lost[load] = map[string]int64{}
	}
	q.lost[load][s.Partition] = keys
	all := int64(0)
	for _, n := range q.lost[load] {
		all += n
	}
	return all
}

// begunAbove reports whether the target had nothing of the partition after a load, and begins it above the rows now.
func (q *Inquiry) begunAbove(s *stretch, load int) bool {
	e := q.Extents[s.Partition]
	if !q.Loads.absent(s.Partition, load) || e != nil && e.InTarget && s.at >= e.TargetLow {
		return false
	}
	if e != nil && e.InTarget {
		s.upTo(e.TargetLow - 1)
	}
	return true
}

// stalled is for rows that were due at loads which wrote nothing in their partition, and that no load passed before they
// left the source, or while they are there.
func (q *Inquiry) stalled(s *stretch, stuck []int) finding {
	if f, ok := q.idle(s, stuck...); ok {
		return f
	}
	if s.readable && s.version == q.SourceVersion {
		return found(s, CauseUnread, "due at %s, which did not load them", q.Loads.All[stuck[0]].read())
	}
	return found(s, CauseExpiredUnread, "due at %s, which wrote nothing in the partition, and gone from the source before a run that loaded any of it", q.Loads.All[stuck[0]].read())
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

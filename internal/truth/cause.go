package truth

import (
	"cmp"
	"math"
	"slices"
)

// The causes, as reconcile names them.
const (
	CauseUnread          = "unread"
	CauseWatermarkPassed = "watermark_passed"
	CauseBatchLost       = "batch_lost"
	CauseIsolated        = "isolated"
	CauseExpiredUnread   = "expired_unread"
	CauseNewPartition    = "new_partition"
	CauseIdlePartition   = "idle_partition"
	CauseSilence         = "silence"
	CauseSourceShrank    = "source_shrank"
	CauseDeleted         = "deleted_in_target"
	CauseSameRun         = "duplicate_same_run"
	CauseTwoRuns         = "duplicate_two_runs"
)

// Cause is the cause of a missing key, by what the tables and the runs' times show: what a loader has in mind nobody sees.
// A run moves a partition on when it writes in it above all that runs wrote before; that, and rows that no run after it
// reads although they are due, show how far it had come. unsure says that a run may have read before or after the key
// became due, or left: then nobody can tell.
//
// The first run that moves past a key is asked. It was not due then, or not there yet: watermark_passed. It was due: the run
// left it out, isolated, or new_partition where it began the partition above several rows; unless it was due before at runs that wrote nothing of the partition and of whose rows nothing came
// later. Of these the first is to blame: it wrote nothing at all, batch_lost, or new_partition where the target had no row
// of the partition before and it lost none of another; it wrote others, new_partition again, idle_partition where several
// rows waited at two such runs, isolated when it was the only row, batch_lost otherwise. Keys that left before a run moved
// past them are judged by the runs at which they were due in the same way, but for expired_unread where several wrote nothing
// at all and none has moved on since, or where the run wrote rows below them; those that were due at none by why they left.
func (e Expected) Cause(k Key) (cause string, unsure bool) {
	return e.view.cause(k), e.view.unsure(k)
}

// stand is how a key stood to a run's read.
type stand int

const (
	absent stand = iota // not there yet
	young
	due
	left
)

func (v *view) cause(k Key) string {
	if v.was[k] {
		return CauseDeleted
	}
	var stuck []int
	runs := v.loads()
	for i, r := range runs {
		st := v.stand(k, v.g.source.at(r.readAt), r.cutoff)
		if st == left {
			return v.unreadWhenLeft(k, i, stuck)
		}
		if _, high, some := v.own(k.Partition, r); some && high > k.Seq {
			return v.passedBy(k, i, stuck, st)
		}
		if st != due || v.wrote(k.Partition, i) {
			stuck = nil
		}
		if st == due && !v.wrote(k.Partition, i) {
			stuck = append(stuck, i)
		}
	}
	if v.e.Missing[k] == Late {
		return v.late(k)
	}
	return CauseWatermarkPassed // by somebody else
}

// passedBy is for keys that a run moved past.
func (v *view) passedBy(k Key, by int, stuck []int, st stand) string {
	if st != due {
		if cause := v.blame(k, stuck); cause != "" {
			return cause // its event time was changed since
		}
		return CauseWatermarkPassed
	}
	first := by
	if len(stuck) > 0 {
		first = stuck[0]
	}
	if v.passedUnseen(k, first-1, by) {
		return CauseWatermarkPassed
	}
	if len(stuck) > 0 {
		return cmp.Or(v.blame(k, stuck), CauseIsolated)
	}
	if v.failedBefore(k, by) {
		return CauseBatchLost
	}
	if v.begunAbove(k, by) {
		return CauseNewPartition
	}
	// Others put the target past the key, and the run read nothing below that.
	low, _, _ := v.own(k.Partition, v.loads()[by])
	for r := range v.heldBefore(v.loads()[by]) {
		if r.Partition == k.Partition && r.Seq > k.Seq && r.Seq >= low {
			return CauseIsolated
		}
	}
	for r := range v.heldBefore(v.loads()[by]) {
		if r.Partition == k.Partition && r.Seq > k.Seq {
			return CauseWatermarkPassed
		}
	}
	return CauseIsolated
}

// begunAbove tells whether a run was the first to write a partition, and left out several rows at its beginning.
func (v *view) begunAbove(k Key, by int) bool {
	r := v.loads()[by]
	version := v.g.target.at(r.Started)
	low := int64(math.MaxInt64)
	for s := range v.g.target.holds(v.target) {
		if s.Partition == k.Partition && !s.keyless {
			low = min(low, s.Seq)
		}
	}
	if k.Seq >= low || slices.ContainsFunc(v.g.target.rows, func(s *row) bool { return s.Partition == k.Partition && !s.keyless && s.from <= version }) {
		return false
	}
	rows := slices.DeleteFunc(v.dueAbove(k.Partition, r, nil), func(s int64) bool { return s >= low })
	return len(rows) > 1 && !v.anyCame(k.Partition, rows)
}

// passedUnseen tells whether a run moved past a key that was not due, by one further up that nobody ever brought, and that
// was still due at another run, which moved past it too.
func (v *view) passedUnseen(k Key, run, by int) bool {
	if run < 0 {
		return false
	}
	tail := v.tail(k.Partition, run)
	if slices.Contains(tail, k.Seq) {
		return false // it left it out, or the next one did
	}
	if len(tail) == 0 || tail[len(tail)-1] < k.Seq || v.anyCame(k.Partition, tail) {
		return false
	}
	return slices.Contains(v.dueAbove(k.Partition, v.loads()[by], nil), tail[len(tail)-1])
}

// failedBefore tells whether a run that failed right before another had a key due, and others, of which nothing came.
func (v *view) failedBefore(k Key, by int) bool {
	runs := v.loads()
	for _, f := range v.reads() {
		if !f.Failed || len(f.commits) > 0 || !slices.Contains(v.ended, f) || !f.readAt.Before(runs[by].readAt) || by > 0 && f.readAt.Before(runs[by-1].readAt) {
			continue
		}
		if v.stand(k, v.g.source.at(f.readAt), f.cutoff) != due {
			continue
		}
		rows := v.dueAbove(k.Partition, f, v.position(k.Partition, by))
		if by > 0 {
			if tail := v.tail(k.Partition, by-1); len(tail) > 0 && k.Seq > tail[len(tail)-1] {
				rows = slices.DeleteFunc(rows, func(s int64) bool { return s <= tail[len(tail)-1] })
			}
		}
		if len(rows) > 1 && !v.anyCame(k.Partition, rows) {
			return true
		}
	}
	return false
}

// blame is for keys that were due at runs which wrote nothing of their partition. It is empty where the first of them is not
// to blame.
func (v *view) blame(k Key, stuck []int) string {
	if len(stuck) == 0 {
		return ""
	}
	first := stuck[0]
	rows := v.ownRows(k, first)
	before := v.marked(k.Partition, first)
	switch {
	case v.anyCame(k.Partition, rows):
		return ""
	case !v.isBlank(first) && !before:
		return CauseNewPartition
	case !v.isBlank(first) && first > 0 && slices.Equal(v.tail(k.Partition, first-1), []int64{k.Seq}):
		return CauseIsolated // at the run before
	case !v.isBlank(first) && v.isIdle(k.Partition, stuck):
		return CauseIdlePartition
	case !v.isBlank(first) && len(rows) == 1:
		return CauseIsolated
	case !v.isBlank(first) || before:
		return CauseBatchLost
	}
	for _, p := range v.g.names {
		if tail := v.tail(p, first); v.marked(p, first) && len(tail) > 0 && !v.anyCame(p, tail) {
			return CauseBatchLost
		}
	}
	return CauseNewPartition
}

// isIdle tells whether rows of a partition waited at runs in a row that wrote others, several of them new at one.
func (v *view) isIdle(p string, stuck []int) bool {
	leftIt := func(i int) bool { return !v.wrote(p, i) && !v.isBlank(i) }
	row := slices.DeleteFunc(slices.Clone(stuck), func(i int) bool { return !leftIt(i) })
	for i, n := stuck[0]-1, 0; i >= 0 && n < 8 && leftIt(i) && len(v.tail(p, i)) > 0; i, n = i-1, n+1 {
		row = append(row, i)
	}
	return len(row) > 1 && slices.ContainsFunc(row, func(i int) bool { return len(v.fresh(p, i)) > 1 })
}

func (v *view) unreadWhenLeft(k Key, by int, stuck []int) string {
	runs := v.loads()
	if by > 0 && v.stand(k, v.g.source.at(runs[by-1].readAt), runs[by-1].cutoff) == due {
		if v.isStalled(k.Partition, stuck) {
			return CauseExpiredUnread
		}
		return cmp.Or(v.blame(k, stuck), CauseExpiredUnread)
	}
	return v.expired(k)[0]
}

// isStalled tells whether several runs wrote nothing at all, and none has since moved past what they left.
func (v *view) isStalled(p string, stuck []int) bool {
	if len(stuck) < 2 || slices.ContainsFunc(stuck, func(i int) bool { return !v.isBlank(i) }) {
		return false
	}
	last := stuck[len(stuck)-1]
	tail := v.tail(p, last)
	for i := last + 1; i < len(v.loads()); i++ {
		if r := v.loads()[i]; v.wrote(p, i) {
			return v.anyCame(p, tail) || len(tail) > 0 && !slices.Contains(v.dueAbove(p, r, nil), tail[len(tail)-1])
		}
	}
	return true
}

// late is for keys that the next run can read.
func (v *view) late(k Key) string {
	n := slices.Index(v.loads(), v.run)
	if n < 0 || v.wrote(k.Partition, n) || v.isBlank(n) {
		return CauseUnread
	}
	if !v.marked(k.Partition, n) {
		return CauseNewPartition
	}
	var stuck []int
	for i := n; i >= 0; i-- {
		r := v.loads()[i]
		if v.wrote(k.Partition, i) || v.stand(k, v.g.source.at(r.readAt), r.cutoff) != due {
			break
		}
		stuck = append([]int{i}, stuck...)
	}
	if len(stuck) > 0 && v.isIdle(k.Partition, stuck) {
		return CauseIdlePartition
	}
	return CauseUnread
}

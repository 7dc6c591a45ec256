package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Load is one run of the loader, as far as it is known.
type Load struct {
	// RunID is 0 where nobody knows the run: then Target, the version it made, names it.
	RunID int64
	// Failed says that the run did not succeed.
	Failed bool
	// Foreign is a commit to the target after which the loader's position is not known from the target: one that no run
	// made, or that of a run which failed.
	Foreign bool
	// Shared says that other runs went on at the same time, and which commit is whose is not known.
	Shared bool
	// From and To bound the instant at which it read the source.
	From, To time.Time
	// First and Last are the versions that the source had then; they mean nothing unless Pinned.
	First, Last int64
	Pinned      bool
	// A row whose event time, in microseconds, lay below Sure was due, one at or above Never was not; one in between may
	// have been. They mean nothing unless Cut.
	Sure, Never int64
	Cut         bool
	// Target is the version of the target after it; -1 unknown.
	Target int64
	// Before is the version of the target before its first commit; it means nothing unless Target is known.
	Before int64
	// Marks are the highest sequences of the target after it, by partition, whoever wrote them; nil unknown.
	Marks map[string]int64
	// Mixed says that others have written to the target before, so that Marks do not tell what the load wrote.
	Mixed bool
	// Wrote are the sequences it wrote itself, the lowest and the highest by partition; nil unknown.
	Wrote map[string]Reach
}

// Reach is from one sequence to another.
type Reach struct{ Low, High int64 }

const instantLayout = "2006-01-02T15:04:05Z"

func instantText(t time.Time) string { return t.UTC().Format(instantLayout) }

func (l Load) name() string {
	switch {
	case l.Foreign && l.Target >= 0:
		return "target version " + strconv.FormatInt(l.Target, 10)
	case l.RunID != 0:
		return "run " + strconv.FormatInt(l.RunID, 10)
	case l.Target >= 0:
		return "the load of target version " + strconv.FormatInt(l.Target, 10)
	}
	return "the load"
}

// read names a load, the earliest instant at which it can have read, and what it read, as far as that is known.
func (l Load) read() string {
	text := l.name() + " (read " + instantText(l.From)
	switch {
	case l.Pinned && l.First == l.Last:
		text += fmt.Sprintf(", source version %d", l.First)
	case l.Pinned:
		text += fmt.Sprintf(" or later, source version %d to %d", l.First, l.Last)
	}
	if l.Cut && l.Never > noTime {
		text += ", event times before " + timeText(l.Never)
	}
	return text + ")"
}

// Loads are runs of one loader in the order in which they read.
type Loads struct {
	All []Load
	// Complete says that there was none before the first.
	Complete bool

	partition string
	positions []position
}

// position is how far the loads had come in one partition after one of them.
type position struct {
	// high is the highest sequence that any load so far has written, if known; some says that one has written any.
	known, some bool
	high        int64
	// wrote says that this load raised it, if that is told.
	wrote, told bool
	// mark is the highest sequence that the target has ever had so far, whoever wrote it; marked says that it had any, and
	// sure that this is known.
	mark         int64
	marked, sure bool
}

// Sort orders the loads. It must be called once they are complete.
func (l *Loads) Sort() {
	slices.SortStableFunc(l.All, func(a, b Load) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.RunID, b.RunID)) })
	l.partition, l.positions = "", nil
}

// Raise adds what the target held at an instant, before rows were removed from it.
func (l *Loads) Raise(at time.Time, marks map[string]int64) {
	for i := len(l.All) - 1; i >= 0; i-- {
		if l.All[i].To.After(at) {
			continue
		}
		if l.All[i].Marks != nil {
			raised := maps.Clone(l.All[i].Marks)
			for p, high := range marks {
				if old, ok := raised[p]; !ok || high > old {
					raised[p] = high
				}
			}
			l.All[i].Marks = raised
		}
		break
	}
	l.partition, l.positions = "", nil
}

// in gives the positions in a partition; they are made anew when the partition changes, and ranges come by partition.
func (l *Loads) in(partition string) []position {
	if l.positions != nil && l.partition == partition {
		return l.positions
	}
	l.partition, l.positions = partition, make([]position, len(l.All))
	last := position{known: l.Complete, sure: l.Complete}
	for i, load := range l.All {
		last = l.after(load, last, partition)
		l.positions[i] = last
	}
	return l.positions
}

// after is the position after a load, by that before it. Without commits of others what the target lacks it never had.
func (l *Loads) after(load Load, before position, partition string) position {
	p := load.after(before, partition)
	p.sure = p.sure || l.Complete && load.Marks != nil && !load.Mixed && !load.Foreign
	return p
}

// after is the position after a load, by that before it.
func (l Load) after(before position, partition string) position {
	p := before
	p.wrote, p.told = false, false
	mark, marked := l.Marks[partition]
	if p.sure = l.Marks != nil && (marked || before.sure); marked && (!p.marked || mark > p.mark) {
		p.mark, p.marked = mark, true
	}
	own, wrote := l.Wrote[partition]
	switch {
	case l.Foreign:
		return p
	case l.Target < 0 && !l.Shared: // it made no commit
		p.told = true
		return p
	case l.Wrote != nil:
		p.known, p.told = before.known || wrote, before.known || !wrote
	case l.Marks == nil || l.Mixed:
		p.known = false
		return p
	default:
		own.High, wrote = mark, marked
		p.known, p.told = true, before.known
	}
	if wrote && (!p.some || own.High > p.high) {
		p.high, p.some = own.High, true
		p.wrote = before.known
	}
	return p
}

// passed finds the loads of which one was the first after which the target reached a sequence: those from first to last.
// last is -1 when no known load did; first is -1 when it may have been one before all that are known. What is said holds
// up to a sequence.
func (l *Loads) passed(partition string, sequence int64) (first, last int, to int64) {
	positions := l.in(partition)
	before := -1
	for i, p := range positions {
		switch {
		case !p.known:
		case p.some && p.high >= sequence:
			switch {
			case before >= 0:
				return before + 1, i, p.high
			case l.Complete:
				return 0, i, p.high
			}
			return -1, i, p.high
		default:
			before = i
		}
	}
	return before + 1, -1, maxSequence
}

const maxSequence = int64(^uint64(0) >> 1)

// wrote reports whether a load wrote anything in a partition above what loads before it had written.
func (l *Loads) wrote(partition string, i int) (wrote, known bool) {
	p := l.in(partition)[i]
	return p.wrote, p.told
}

// absent reports whether the target is known to never have had a row of a partition until after a load; -1 is before the
// first.
func (l *Loads) absent(partition string, i int) bool {
	if i < 0 {
		return l.Complete
	}
	p := l.in(partition)[i]
	return p.sure && !p.marked
}

// blank reports whether a load wrote nothing in any partition.
func (l *Loads) blank(i int) (blank, known bool) {
	load := l.All[i]
	switch {
	case load.Target < 0 && !load.Shared:
		return true, true
	case load.Wrote != nil:
		return len(load.Wrote) == 0, true
	case load.Marks == nil || load.Mixed || load.Shared:
		return false, false
	case i == 0:
		return len(load.Marks) == 0, l.Complete
	}
	before := l.All[i-1].Marks
	return false, before != nil && !maps.Equal(before, load.Marks)
}

// partitions are those that the target is known to have had until after a load, in order.
func (l *Loads) partitions(i int) []string {
	had := map[string]bool{}
	for _, load := range l.All[:i+1] {
		for p := range load.Marks {
			had[p] = true
		}
	}
	return slices.Sorted(maps.Keys(had))
}

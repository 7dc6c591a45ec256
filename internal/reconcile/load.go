package reconcile

import (
	"cmp"
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
	// Marks are the highest sequences of the target after it, by partition; nil unknown.
	Marks map[string]int64
}

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

// read names a load and the earliest instant at which it can have read.
func (l Load) read() string { return l.name() + " (read " + instantText(l.From) + ")" }

// Loads are runs of one loader in the order in which they read.
type Loads struct {
	All []Load
	// Complete says that there was none before the first.
	Complete bool

	partition string
	positions []position
}

// position is how far the target went in one partition.
type position struct {
	known, some bool
	high        int64 // the highest sequence of any load so far that is known
	own         int64 // the highest sequence after this load
	ownSome     bool
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
	var last position
	for i, load := range l.All {
		p := position{high: last.high, some: last.some}
		if load.Marks != nil {
			p.known = true
			p.own, p.ownSome = load.Marks[partition], false
			if high, ok := load.Marks[partition]; ok {
				p.own, p.ownSome = high, true
				if !p.some || high > p.high {
					p.high, p.some = high, true
				}
			}
		}
		l.positions[i], last = p, p
	}
	return l.positions
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

// wrote reports whether a load wrote anything in a partition, as far as the target's highest sequences tell. They tell
// nothing when they fell.
func (l *Loads) wrote(partition string, i int) (wrote, known bool) {
	positions := l.in(partition)
	after := positions[i]
	var before position
	switch {
	case i > 0:
		before = positions[i-1]
	case l.Complete:
		before.known = true
	}
	if !before.known || !after.known || before.ownSome && (!after.ownSome || after.own < before.own) {
		return false, false
	}
	return after.ownSome && (!before.ownSome || after.own > before.own), true
}

// absent reports whether the target is known to never have had a row of a partition until after a load; -1 is before the
// first.
func (l *Loads) absent(partition string, i int) bool {
	if i < 0 {
		return l.Complete
	}
	p := l.in(partition)[i]
	return p.known && !p.some
}

// idle reports whether a load wrote nothing in any partition; others whether it wrote in some other one.
func (l *Loads) idle(i int) bool {
	if i == 0 {
		return l.Complete && l.All[0].Marks != nil && len(l.All[0].Marks) == 0
	}
	a, b := l.All[i-1].Marks, l.All[i].Marks
	if a == nil || b == nil || len(a) != len(b) {
		return false
	}
	for p, high := range a {
		if other, ok := b[p]; !ok || other != high {
			return false
		}
	}
	return true
}

func (l *Loads) others(partition string, i int) bool {
	b := l.All[i].Marks
	var a map[string]int64
	if i > 0 {
		a = l.All[i-1].Marks
	} else if !l.Complete {
		return false
	}
	if b == nil || i > 0 && a == nil {
		return false
	}
	for p, high := range b {
		if before, ok := a[p]; p != partition && (!ok || high > before) {
			return true
		}
	}
	return false
}

package truth

import (
	"iter"
	"math"
	"time"
)

// Key is a partition's name and a sequence.
type Key struct {
	Partition string
	Seq       int64
}

// row is a row of a table from one version to another. A row that is changed ends, and another begins.
type row struct {
	Key
	keyless     bool // its partition is null
	u           time.Time
	from, until int // until is the first version without it
}

const forever = math.MaxInt

// commit is a version of a table.
type commit struct {
	at time.Time
	// removes says that the history shows it as one that may take rows away.
	removes bool
}

// table is a table with all its versions.
type table struct {
	commits []commit
	rows    []*row
}

func newTable(at time.Time) *table { return &table{commits: []commit{{at: at}}} }

func (t *table) version() int { return len(t.commits) - 1 }

// at is the last version committed at or before an instant, or −1.
func (t *table) at(instant time.Time) int {
	v := t.version()
	for v >= 0 && t.commits[v].at.After(instant) {
		v--
	}
	return v
}

// holds are the rows of a version.
func (t *table) holds(version int) iter.Seq[*row] {
	return func(yield func(*row) bool) {
		for _, r := range t.rows {
			if r.from <= version && version < r.until && !yield(r) {
				return
			}
		}
	}
}

func (t *table) commit(at time.Time, removes bool) int {
	t.commits = append(t.commits, commit{at, removes})
	return t.version()
}

// insert adds rows in a commit of their own.
func (t *table) insert(at time.Time, rows ...row) {
	t.put(t.commit(at, false), rows...)
}

func (t *table) put(version int, rows ...row) {
	for _, r := range rows {
		r.from, r.until = version, forever
		t.rows = append(t.rows, &r)
	}
}

// matching are the rows of the newest version for which a predicate holds.
func (t *table) matching(is func(*row) bool) []*row {
	var out []*row
	for r := range t.holds(t.version()) {
		if is(r) {
			out = append(out, r)
		}
	}
	return out
}

// remove takes rows away in a commit of its own.
func (t *table) remove(at time.Time, rows []*row) {
	v := t.commit(at, true)
	for _, r := range rows {
		r.until = v
	}
}

// restore makes an older version the newest.
func (t *table) restore(at time.Time, version int) {
	var back []row
	for r := range t.holds(version) {
		if r.until <= t.version() {
			back = append(back, *r)
		}
	}
	var gone []*row
	for r := range t.holds(t.version()) {
		if r.from > version {
			gone = append(gone, r)
		}
	}
	t.remove(at, gone)
	t.put(t.version(), back...)
}

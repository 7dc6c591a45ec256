package reconcile

import (
	"fmt"
	"slices"
	"strings"
)

// Copies tells when keys of the target inside the spans that occur more than once came to be there, by some of its
// versions, of which the pinned one must be one: partition, lowest and highest sequence, keys, surplus rows, the first
// version that holds them, the last that holds each once (-1: none), the first that holds each more than once; by partition
// and sequence. Accepted keys are left out.
func (s Statements) Copies(versions []int64, spans []Span) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL%s", v, s.among(s.keys(s.Target, v), spans), s.unaccepted()))
	}
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, low, high, n, surplus, first, once, twice
FROM (SELECT p, first, once, twice, min(seq) AS low, max(seq) AS high, count(*) AS n, sum(extra) AS surplus
FROM (SELECT p, seq, first, once, twice, extra, seq - (row_number() OVER (PARTITION BY p, first, once, twice ORDER BY seq) - 1) AS island
FROM (SELECT p, seq, min(version) AS first, coalesce(max(CASE WHEN n = 1 THEN version END), -1) AS once, min(CASE WHEN n > 1 THEN version END) AS twice, max(CASE WHEN version = %[2]d THEN n END) - 1 AS extra
FROM (SELECT version, p, seq, count(*) AS n FROM (%[1]s) AS a GROUP BY version, p, seq) AS c
GROUP BY p, seq HAVING max(CASE WHEN version = %[2]d THEN n END) > 1) AS d) AS i
GROUP BY p, first, once, twice, island) AS g
ORDER BY part, low`, strings.Join(parts, "\nUNION ALL "), s.Target.Version)
}

// Doubling is a row of Copies.
type Doubling struct {
	Duplicate
	First, Once, Twice int64
}

// ReadDoubling reads a row of Copies.
func ReadDoubling(row []*string) (Doubling, error) {
	r := reader{row: row}
	d := Doubling{Duplicate: Duplicate{Partition: strings.Clone(r.word()), From: r.number(), To: r.number(), Keys: r.number(), Surplus: r.number()},
		First: r.number(), Once: r.number(), Twice: r.number()}
	return d, r.err
}

// Writes are the commits that wrote to the target, the oldest first, as far back as its versions can be read, and the runs
// that each may be of.
type Writes struct {
	Commits []Commit
	// Base is the version before the first of them, if it can be read; -1 when there is none, for the first made the table.
	Base int64
	// Runs gives the runs that a commit may be of, by their ids; nil when runs are not known.
	Runs func(Commit) []int64
	// Sampled are the versions that were asked about, ascending.
	Sampled []int64
}

// mostSampledCopies is how many versions one statement counts copies at.
const mostSampledCopies = 16

// Sample picks versions to begin with: spread over all writes, with the base and the pinned version.
func (w *Writes) Sample(pinned int64) {
	picked := []int64{pinned}
	if w.Base >= 0 {
		picked = append(picked, w.Base)
	}
	step := max(1, len(w.Commits)/(mostSampledCopies-2))
	for i := 0; i < len(w.Commits) && len(picked) < mostSampledCopies; i += step {
		picked = append(picked, w.Commits[i].Version)
	}
	slices.Sort(picked)
	w.Sampled = slices.Compact(picked)
}

// bracket is the writes of which one brought a copy: those after one version, up to another. unbounded says that it may
// also have been an older one.
func (w *Writes) bracket(after, to int64) (commits []Commit, unbounded bool) {
	for _, c := range w.Commits {
		if c.Version > after && c.Version <= to {
			commits = append(commits, c)
		}
	}
	return commits, after < 0 && w.Base >= 0
}

// before is the version sampled before another; -1 none.
func (w *Writes) before(version int64) int64 {
	i, _ := slices.BinarySearch(w.Sampled, version)
	if i == 0 {
		return -1
	}
	return w.Sampled[i-1]
}

// brackets are the writes that may have brought the first copy of keys, and their second.
func (w *Writes) brackets(d Doubling) (first, second []Commit, older bool) {
	first, older = w.bracket(w.before(d.First), d.First)
	second, _ = w.bracket(max(d.Once, w.before(d.Twice)), d.Twice)
	return first, second, older
}

// Refine picks further versions between those sampled, where a doubling lies between. It reports whether there are any.
func (w *Writes) Refine(all []Doubling, pinned int64) bool {
	var wanted []int64
	for _, d := range all {
		first, second, _ := w.brackets(d)
		for _, commits := range [][]Commit{first, second} {
			if len(commits) < 2 {
				continue
			}
			step := max(1, len(commits)/(mostSampledCopies/2))
			for i := 0; i < len(commits)-1; i += step {
				wanted = append(wanted, commits[i].Version)
			}
			wanted = append(wanted, w.before(commits[0].Version), commits[len(commits)-1].Version)
		}
	}
	slices.Sort(wanted)
	wanted = slices.DeleteFunc(slices.Compact(wanted), func(v int64) bool { return v < 0 })
	if !slices.ContainsFunc(wanted, func(v int64) bool { return !slices.Contains(w.Sampled, v) }) {
		return false
	}
	// What is settled stays settled, as long as its versions are asked about again.
	w.Sampled = append(w.Sampled, wanted...)
	slices.Sort(w.Sampled)
	if w.Sampled = slices.Compact(w.Sampled); len(w.Sampled) > 3*mostSampledCopies {
		return false
	}
	return true
}

// Cause says whether a run wrote keys twice, or two runs did.
func (w *Writes) Cause(d Doubling) Duplicate {
	out := d.Duplicate
	out.Cause = CauseUndecidable
	first, second, older := w.brackets(d)
	switch {
	case d.Once < 0 && d.First == w.Base, d.Once < 0 && older:
		out.Proof = fmt.Sprintf("there more than once in target version %d already, the oldest that can be read: a verification right after they came would have told", d.First)
	case d.Once < 0 && len(second) == 1:
		out.Cause, out.Proof = CauseSameRun, "written more than once by "+w.commitText(second[0])
	case d.Once < 0:
		out.Proof = fmt.Sprintf("written by one of %d commits after target version %d: more than a verification looks at", len(second), w.before(d.Twice))
	default:
		w.two(&out, d, first, second)
	}
	return out
}

// two is for keys that a version held once and a later one more often.
func (w *Writes) two(out *Duplicate, d Doubling, first, second []Commit) {
	text := fmt.Sprintf("once in target version %d, more often in version %d", d.Once, d.Twice)
	if len(second) == 1 {
		text = fmt.Sprintf("once in target version %d, again by %s", d.Once, w.commitText(second[0]))
	}
	if w.Runs == nil {
		out.Cause, out.Proof = CauseTwoRuns, text
		return
	}
	shared, all := false, len(first) == 1 && len(second) == 1
	for _, b := range second {
		for _, a := range first {
			x, y := w.Runs(a), w.Runs(b)
			both := slices.ContainsFunc(x, func(id int64) bool { return slices.Contains(y, id) })
			shared = shared || both
			all = all && len(x) == 1 && len(y) == 1 && both
		}
	}
	switch {
	case all:
		out.Cause, out.Proof = CauseSameRun, fmt.Sprintf("written by %s and again by %s, both of run %d", w.commitText(first[0]), w.commitText(second[0]), w.Runs(first[0])[0])
	case shared:
		out.Proof = text + ": whether by one run or by two cannot be told, since runs overlap or commits are too many"
	default:
		out.Cause, out.Proof = CauseTwoRuns, text
	}
}

func (w *Writes) commitText(c Commit) string {
	text := fmt.Sprintf("commit %d (%s at %s", c.Version, c.Operation, instantText(c.At))
	if w.Runs == nil {
		return text + ")"
	}
	switch runs := w.Runs(c); len(runs) {
	case 0:
		return text + ", of no run of the loader)"
	case 1:
		return fmt.Sprintf("%s, run %d)", text, runs[0])
	}
	return text + ")"
}

package reconcile

import (
	"fmt"
	"iter"
	"strings"
)

// View is how one version of the source stood to a cutoff: which of its keys, among those that the target lacks, were
// due. Sure and Never are as in Load.
type View struct{ Version, Sure, Never int64 }

// standing is how a key stood in a view.
type standing int

const (
	// unknown: nobody can tell. pending: it takes a statement that is wanted now.
	unknown standing = iota
	pending
	// absent: the version did not hold the key.
	absent
	// young: it held it, and it was not due; or it was not due whether held or not.
	young
	// due: it held it, and it was due.
	due
	// either: the loader may have read before or after it became due, or left.
	either
)

// Sight is a stretch of keys that stood alike in a view.
type Sight struct {
	Span
	Standing int64
}

// Sights lists the keys inside each view's spans that the target lacks, folded to stretches: view, partition, lowest and
// highest sequence, standing; by view, partition and sequence. There are as many span lists as views.
func (s Statements) Sights(views []View, spans [][]Span) string {
	var parts []string
	var all []Span
	for i, v := range views {
		parts = append(parts, fmt.Sprintf("SELECT %d AS view, p, seq, CASE WHEN min(u) < %s THEN %d WHEN min(u) >= %s THEN %d ELSE %d END AS standing FROM (%s) AS r WHERE %s AND %s GROUP BY p, seq",
			i, literalTime(v.Sure), due, literalTime(v.Never), young, either, s.rows(s.Source, v.Version), known, s.within(spans[i])))
		all = append(all, spans[i]...)
	}
	return fmt.Sprintf(`WITH v AS (%s),
t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL AND %s),
m AS (SELECT v.view AS view, v.p AS p, v.seq AS seq, v.standing AS standing FROM v LEFT ANTI JOIN t ON v.p = t.p AND v.seq = t.seq)
SELECT view, CAST(p AS STRING) AS part, low, high, standing
FROM (SELECT view, p, standing, min(seq) AS low, max(seq) AS high
FROM (SELECT view, p, seq, standing, seq - (row_number() OVER (PARTITION BY view, p, standing ORDER BY seq) - 1) AS island FROM m) AS i
GROUP BY view, p, standing, island) AS g
ORDER BY view, part, low`, strings.Join(parts, "\nUNION ALL "), s.keys(s.Target, s.Target.Version), s.within(coarsen(all, mostSpans)))
}

// ReadSight reads a row of Sights: the view it belongs to, and the stretch.
func ReadSight(row []*string) (int64, Sight, error) {
	r := reader{row: row}
	view := r.number()
	s := Sight{Span: Span{Partition: strings.Clone(r.word()), From: r.number(), To: r.number()}, Standing: r.number()}
	return view, s, r.err
}

// Deleted lists the keys inside the spans that versions of the target held and the pinned one lacks: partition, lowest and
// highest sequence, the newest of the versions that held it; by partition and sequence.
func (s Statements) Deleted(versions []int64, spans []Span) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL AND %s", v, s.keys(s.Target, v), s.within(spans)))
	}
	return fmt.Sprintf(`WITH o AS (SELECT p, seq, max(version) AS newest FROM (%s) AS a GROUP BY p, seq),
t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL AND %s),
m AS (SELECT o.p AS p, o.seq AS seq, o.newest AS newest FROM o LEFT ANTI JOIN t ON o.p = t.p AND o.seq = t.seq)
SELECT CAST(p AS STRING) AS part, low, high, newest
FROM (SELECT p, newest, min(seq) AS low, max(seq) AS high
FROM (SELECT p, seq, newest, seq - (row_number() OVER (PARTITION BY p, newest ORDER BY seq) - 1) AS island FROM m) AS i
GROUP BY p, newest, island) AS g
ORDER BY part, low`, strings.Join(parts, "\nUNION ALL "), s.keys(s.Target, s.Target.Version), s.within(spans))
}

// ReadDeleted reads a row of Deleted; the version is where a sight has its standing.
func ReadDeleted(row []*string) (Sight, error) {
	r := reader{row: row}
	s := Sight{Span: Span{Partition: strings.Clone(r.word()), From: r.number(), To: r.number()}, Standing: r.number()}
	return s, r.err
}

// Peaks lists the highest sequence of each partition at versions of the target: version, partition, sequence.
func (s Statements) Peaks(versions []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, CAST(p AS STRING) AS part, max(seq) AS high FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p", v, s.keys(s.Target, v)))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// Left is what a load may have left unread of a partition.
type Left struct{ High, Keys int64 }

// ReadRemain reads a row of Remains: which of those asked for, the partition, what is left of it.
func ReadRemain(row []*string) (remain int64, partition string, left Left, err error) {
	r := reader{row: row}
	remain, partition, left = r.number(), strings.Clone(r.word()), Left{r.number(), r.number()}
	return remain, partition, left, r.err
}

// Peak is a row of Peaks.
type Peak struct {
	Version   int64
	Partition string
	High      int64
}

// ReadPeak reads a row of Peaks.
func ReadPeak(row []*string) (Peak, error) {
	r := reader{row: row}
	p := Peak{Version: r.number(), Partition: strings.Clone(r.word()), High: r.number()}
	return p, r.err
}

// Newest lists the newest event time at versions of the source, in microseconds: version, event time.
func (s Statements) Newest(versions []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, unix_micros(max(%s)) AS newest FROM %s", v, s.Columns.EventTime, s.Source.at(v)))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// ReadNewest reads a row of Newest; none says that the version had no event time.
func ReadNewest(row []*string) (version int64, newest *int64, err error) {
	r := reader{row: row}
	version, newest = r.number(), r.optional()
	return version, newest, r.err
}

// Batch is what a load had to read in one partition: the due rows of a version above a sequence.
type Batch struct {
	Version, Sure int64
	Partition     string
	Above         int64
	// Whole says that there is no such sequence: all due rows of the partition.
	Whole bool
	// Listed says that the version cannot be read, and a manifest lists so many Keys of the batch, up to the sequence High.
	// What the target has between is taken for its rows.
	Listed     bool
	Keys, High int64
}

// Batches counts, for each batch, its keys, those of them that the target has, those below the lowest of these, and tells
// that one: batch, keys, loaded, prefix, low.
func (s Statements) Batches(batches []Batch) string {
	var parts []string
	for i, b := range batches {
		where := "p = " + s.Columns.Literal(b.Partition)
		if !b.Whole {
			where += fmt.Sprintf(" AND seq > %d", b.Above)
		}
		if b.Listed {
			parts = append(parts, fmt.Sprintf("SELECT %d AS batch, %d AS n, count(*) AS loaded, 0 AS prefix, min(seq) AS low FROM (SELECT seq FROM (%s) AS r WHERE seq <= %d AND %s GROUP BY seq) AS s",
				i, b.Keys, s.keys(s.Target, s.Target.Version), b.High, where))
			continue
		}
		parts = append(parts, fmt.Sprintf(`SELECT %d AS batch, count(*) AS n, count(loaded) AS loaded, count(CASE WHEN seq < low THEN 1 END) AS prefix, min(low) AS low
FROM (SELECT s.seq AS seq, t.seq AS loaded, min(t.seq) OVER () AS low
FROM (SELECT seq FROM (%s) AS r WHERE seq IS NOT NULL AND %s GROUP BY seq HAVING min(u) < %s) AS s
LEFT JOIN (SELECT seq FROM (%s) AS r WHERE seq IS NOT NULL AND %s GROUP BY seq) AS t ON s.seq = t.seq) AS b`,
			i, s.rows(s.Source, b.Version), where, literalTime(b.Sure), s.keys(s.Target, s.Target.Version), where))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// Batched is a row of Batches. Low means nothing when none is loaded.
type Batched struct{ Batch, Keys, Loaded, Prefix, Low int64 }

// ReadBatched reads a row of Batches.
func ReadBatched(row []*string) (Batched, error) {
	r := reader{row: row}
	b := Batched{r.number(), r.number(), r.number(), r.number(), r.orZero()}
	return b, r.err
}

// Remain asks what a load may have left unread: rows that were due and above the target's highest sequences after it. A
// position of its own can have moved past such rows.
type Remain struct {
	Load           int
	Version, Never int64
	Marks          []Mark
}

// Remains lists such rows of each partition that has some: number, partition, the highest sequence, keys.
func (s Statements) Remains(all []Remain) string {
	var parts []string
	for i, r := range all {
		parts = append(parts, fmt.Sprintf("SELECT %d AS remain, CAST(p AS STRING) AS part, max(seq) AS high, count(DISTINCT seq) AS n FROM (%s) AS r WHERE %s AND u < %s AND %s GROUP BY p",
			i, s.rows(s.Source, r.Version), known, literalTime(r.Never), s.above(r.Marks)))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// cursor finds stretches in a list that is ordered by partition and sequence. It goes forward; asked for a key before the
// last one it begins anew.
type cursor struct {
	list List[Sight]
	next func() (Sight, error, bool)
	stop func()
	now  Sight
	some bool
	err  error

	partition string
	sequence  int64
}

func (c *cursor) begin() {
	c.close()
	c.next, c.stop = iter.Pull2(c.list.All())
	c.step()
}

func (c *cursor) close() {
	if c.stop != nil {
		c.stop()
	}
	c.next, c.stop, c.some = nil, nil, false
}

func (c *cursor) step() {
	s, err, ok := c.next()
	if ok && err != nil && c.err == nil {
		c.err = err
	}
	c.now, c.some = s, ok && err == nil
}

// at finds the stretch with a key. What it says holds up to a sequence.
func (c *cursor) at(partition string, sequence int64) (found Sight, some bool, to int64) {
	if c.next == nil || partition < c.partition || partition == c.partition && sequence < c.sequence {
		c.begin()
	}
	c.partition, c.sequence = partition, sequence
	for c.some && (c.now.Partition < partition || c.now.Partition == partition && c.now.To < sequence) {
		c.step()
	}
	switch {
	case !c.some || c.now.Partition != partition:
		return Sight{}, false, maxSequence
	case c.now.From > sequence:
		return Sight{}, false, c.now.From - 1
	}
	return c.now, true, c.now.To
}

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
		parts = append(parts, fmt.Sprintf("SELECT %d AS view, p, seq, CASE WHEN min(u) < %s THEN %d WHEN min(u) >= %s THEN %d ELSE %d END AS standing FROM (%s) AS r WHERE %s GROUP BY p, seq",
			i, literalTime(v.Sure), due, literalTime(v.Never), young, either, s.among(s.rows(s.Source, v.Version), spans[i]), known))
		all = append(all, spans[i]...)
	}
	return fmt.Sprintf(`WITH v AS (%s),
t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL),
m AS (SELECT v.view AS view, v.p AS p, v.seq AS seq, v.standing AS standing FROM v LEFT ANTI JOIN t ON v.p = t.p AND v.seq = t.seq)
SELECT view, CAST(p AS STRING) AS part, low, high, standing
FROM (SELECT view, p, standing, min(seq) AS low, max(seq) AS high
FROM (SELECT view, p, seq, standing, seq - (row_number() OVER (PARTITION BY view, p, standing ORDER BY seq) - 1) AS island FROM m) AS i
GROUP BY view, p, standing, island) AS g
ORDER BY view, part, low`, strings.Join(parts, "\nUNION ALL "), s.among(s.keys(s.Target, s.Target.Version), coarsen(all, mostSpans)))
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
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL", v, s.among(s.keys(s.Target, v), spans)))
	}
	return fmt.Sprintf(`WITH o AS (SELECT p, seq, max(version) AS newest FROM (%s) AS a GROUP BY p, seq),
t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL),
m AS (SELECT o.p AS p, o.seq AS seq, o.newest AS newest FROM o LEFT ANTI JOIN t ON o.p = t.p AND o.seq = t.seq)
SELECT CAST(p AS STRING) AS part, low, high, newest
FROM (SELECT p, newest, min(seq) AS low, max(seq) AS high
FROM (SELECT p, seq, newest, seq - (row_number() OVER (PARTITION BY p, newest ORDER BY seq) - 1) AS island FROM m) AS i
GROUP BY p, newest, island) AS g
ORDER BY part, low`, strings.Join(parts, "\nUNION ALL "), s.among(s.keys(s.Target, s.Target.Version), spans))
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

// Batch is the due rows of a version of the source above a sequence, in one partition.
type Batch struct {
	Version, Sure int64
	Partition     string
	Above         int64
	// Whole says that there is no such sequence: all due rows of the partition; or those below Below, where Prefix is set.
	Whole, Prefix bool
	Below         int64
	// Listed says that the version cannot be read, and a manifest lists so many Keys of the batch, up to the sequence High.
	// What the target has between is taken for its rows.
	Listed     bool
	Keys, High int64
}

// Batches counts, for each batch, its keys, those of them that loads brought to the target, and tells the highest: batch,
// keys, loaded, high.
func (s Statements) Batches(batches []Batch, came Came) string {
	var parts []string
	for i, b := range batches {
		where := "p = " + s.Columns.Literal(b.Partition)
		if !b.Whole {
			where += fmt.Sprintf(" AND seq > %d", b.Above)
		}
		if b.Prefix {
			where += fmt.Sprintf(" AND seq < %d", b.Below)
		}
		loaded := fmt.Sprintf("SELECT DISTINCT p, seq FROM (%s) AS r WHERE seq IS NOT NULL AND %s", s.came(came), where)
		if b.Listed {
			parts = append(parts, fmt.Sprintf("SELECT %d AS batch, %d AS n, count(*) AS loaded, %d AS high FROM (%s) AS s WHERE seq <= %d", i, b.Keys, b.High, loaded, b.High))
			continue
		}
		parts = append(parts, fmt.Sprintf(`SELECT %d AS batch, count(*) AS n, count(t.seq) AS loaded, max(s.seq) AS high
FROM (SELECT p, seq FROM (%s) AS r WHERE seq IS NOT NULL AND %s GROUP BY p, seq HAVING min(u) < %s) AS s
LEFT JOIN (%s) AS t ON s.p = t.p AND s.seq = t.seq`,
			i, s.rows(s.Source, b.Version), where, literalTime(b.Sure), loaded))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// Came is where to look for the rows that loads brought to the target: in the pinned version, and in older ones from which
// rows were removed. What others wrote, between a version and the one before it, does not count.
type Came struct{ Removed, Foreign []int64 }

func (s Statements) came(c Came) string {
	if len(c.Removed)+len(c.Foreign) == 0 {
		return s.keys(s.Target, s.Target.Version)
	}
	all := []string{s.keys(s.Target, s.Target.Version)}
	for _, v := range c.Removed {
		all = append(all, s.keys(s.Target, v))
	}
	sql := fmt.Sprintf("SELECT a.p AS p, a.seq AS seq FROM (%s) AS a", strings.Join(all, " UNION ALL "))
	for i, v := range c.Foreign {
		before := []string{s.keys(s.Target, v-1)}
		for _, old := range c.Removed {
			if old < v-1 {
				before = append(before, s.keys(s.Target, old))
			}
		}
		sql += fmt.Sprintf(" LEFT ANTI JOIN (SELECT n.p AS p, n.seq AS seq FROM (%s) AS n LEFT ANTI JOIN (%s) AS o ON n.p = o.p AND n.seq = o.seq) AS f%d ON a.p = f%[3]d.p AND a.seq = f%[3]d.seq", s.keys(s.Target, v), strings.Join(before, " UNION ALL "), i)
	}
	return sql
}

// Batched is a row of Batches. High means nothing when there are no keys.
type Batched struct{ Batch, Keys, Loaded, High int64 }

// ReadBatched reads a row of Batches.
func ReadBatched(row []*string) (Batched, error) {
	r := reader{row: row}
	b := Batched{r.number(), r.number(), r.number(), r.orZero()}
	return b, r.err
}

// Commits are the versions of the target before and after the commits of a load.
type Commits struct{ Before, After int64 }

// Wrote lists what loads wrote, rows that the target had before among them: number, partition, lowest and highest
// sequence.
func (s Statements) Wrote(all []Commits) string {
	var parts []string
	for i, c := range all {
		parts = append(parts, fmt.Sprintf(`SELECT %d AS load, CAST(p AS STRING) AS part, min(seq) AS low, max(seq) AS high
FROM (SELECT p, seq FROM (SELECT p, seq, 1 AS n FROM (%s) AS a UNION ALL SELECT p, seq, -1 AS n FROM (%s) AS b) AS u WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p, seq HAVING sum(n) > 0) AS d GROUP BY p`,
			i, s.keys(s.Target, c.After), s.keys(s.Target, c.Before)))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// ReadWrote reads a row of Wrote.
func ReadWrote(row []*string) (load int64, partition string, wrote Reach, err error) {
	r := reader{row: row}
	load, partition, wrote = r.number(), strings.Clone(r.word()), Reach{r.number(), r.number()}
	return load, partition, wrote, r.err
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

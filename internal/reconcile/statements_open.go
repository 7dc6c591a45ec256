package reconcile

import (
	"fmt"
	"strings"
)

const known = "p IS NOT NULL AND seq IS NOT NULL AND u IS NOT NULL"

// Split counts the rows of the source inside the spans: partition, block, due (1 or 0), day, rows, rows above the
// watermark, lowest and highest sequence; by partition and block.
func (s Statements) Split(spans []Span, marks []Mark) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, block, due, day, n, above, low, high
FROM (SELECT p, block, due, day, count(*) AS n, sum(CASE WHEN fresh THEN 1 ELSE 0 END) AS above, min(seq) AS low, max(seq) AS high
FROM (SELECT p, seq, seq DIV %d AS block, CASE WHEN %s THEN 1 ELSE 0 END AS due, %s AS day, %s AS fresh
FROM (%s) AS r WHERE %s) AS d
GROUP BY p, block, due, day) AS g
ORDER BY part, block, due, day`, s.block(), s.isDue("u"), day, s.above(marks), s.among(s.rows(s.Source, s.Source.Version), spans), known)
}

// SourceSurplus counts the rows of the source inside the spans that repeat a key, but for the earliest of each: due,
// day, above (1 or 0), rows.
func (s Statements) SourceSurplus(spans []Span, marks []Mark) string {
	return fmt.Sprintf(`SELECT due, day, fresh, count(*) AS n
FROM (SELECT CASE WHEN %s THEN 1 ELSE 0 END AS due, %s AS day, CASE WHEN %s THEN 1 ELSE 0 END AS fresh, nth
FROM (SELECT p, seq, u, row_number() OVER (PARTITION BY p, seq ORDER BY u) AS nth FROM (%s) AS r WHERE %s) AS o) AS d
WHERE nth > 1 GROUP BY due, day, fresh ORDER BY due, day, fresh`, s.isDue("u"), day, s.above(marks), s.among(s.rows(s.Source, s.Source.Version), spans), known)
}

// Missing lists what the source has inside the spans and the target has not, as ranges cut by day: partition, state,
// island, day, lowest and highest sequence, rows, earliest and latest event time. Rows that are neither due nor under
// the watermark are in flight and left out. Pieces of one island are neighbours.
func (s Statements) Missing(spans []Span, marks []Mark) string {
	with, relation := s.marked("c", "state")
	return fmt.Sprintf(`WITH t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL),
m AS (SELECT p, seq, min(u) AS u FROM (SELECT s.p AS p, s.seq AS seq, s.u AS u FROM (%s) AS s LEFT ANTI JOIN t ON s.p = t.p AND s.seq = t.seq) AS r WHERE %s GROUP BY p, seq),
c AS (SELECT p, seq, u, CASE WHEN NOT due THEN 'doomed' WHEN fresh THEN 'late' ELSE 'skipped' END AS state FROM (SELECT p, seq, u, %s AS fresh, %s AS due FROM m) AS d WHERE due OR NOT fresh)%s
%s`, s.among(s.keys(s.Target, s.Target.Version), spans), s.among(s.rows(s.Source, s.Source.Version), spans), known,
		s.above(marks), s.isDue("u"), with, islands(relation, "state"))
}

// islands folds the rows of a relation with p, seq, u and one more column into ranges cut by day. Keys are distinct, so the
// nth of a partition is at least n - 1 above the lowest BIGINT: the difference cannot overflow.
func islands(relation, kind string) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, %[2]s, island, day, low, high, n, unix_micros(earliest) AS earliest, unix_micros(latest) AS latest
FROM (SELECT p, %[2]s, island, day, min(seq) AS low, max(seq) AS high, count(*) AS n, min(u) AS earliest, max(u) AS latest
FROM (SELECT p, %[2]s, seq, u, %[3]s AS day, seq - (row_number() OVER (PARTITION BY p, %[2]s ORDER BY seq) - 1) AS island FROM %[1]s) AS i
GROUP BY p, %[2]s, island, day) AS g
ORDER BY %[2]s, part, island, day`, relation, kind, day)
}

// Duplicates lists the keys of the target inside the spans that occur more than once, as ranges: partition, lowest and
// highest sequence, keys, surplus rows.
func (s Statements) Duplicates(spans []Span) string {
	return s.duplicates(s.among(s.keys(s.Target, s.Target.Version), spans), s.unaccepted())
}

func (s Statements) duplicates(relation, condition string) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, min(seq) AS low, max(seq) AS high, count(*) AS n, sum(copies - 1) AS surplus
FROM (SELECT p, seq, copies, seq - (row_number() OVER (PARTITION BY p ORDER BY seq) - 1) AS island
FROM (SELECT p, seq, count(*) AS copies FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL%s GROUP BY p, seq HAVING count(*) > 1) AS d) AS i
GROUP BY p, island ORDER BY part, low`, relation, condition)
}

// Gaps lists the sequences that neither table holds between the keys inside the spans: partition, first and last
// sequence, event times of the rows before and after. A gap that bridges two spans is listed too, and is to be dropped
// by the caller: both ends of a span are keys that exist, so a bridge begins right after one and ends right before the
// next.
//
// Versions of the source that were read already count as tables too.
func (s Statements) Gaps(spans []Span, read []int64) string {
	parts := []string{s.among(s.rows(s.Target, s.Target.Version), spans), s.among(s.rows(s.Source, s.Source.Version), spans)}
	for _, v := range read {
		parts = append(parts, s.among(s.rows(s.Source, v), spans))
	}
	return gapsOf(strings.Join(parts, "\nUNION ALL "))
}

// Extents asks older versions of the source for the extent of each partition: version, partition, rows, lowest and highest
// sequence.
func (s Statements) Extents(versions []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, CAST(p AS STRING) AS part, count(*) AS n, min(seq) AS low, max(seq) AS high FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p",
			v, s.keys(s.Source, v)))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// Removed lists the rows inside the spans that versions of the source hold and neither table has, as ranges cut by day:
// partition, version, island, day, lowest and highest sequence, rows, earliest and latest event time. A row is listed
// once, at the newest of the versions that hold it and with its event time there, and not at all when a version that was
// read before holds it. The version is -1 - version for rows that are not due by the cutoff.
func (s Statements) Removed(versions []int64, spans []Span, before []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, p, seq, u FROM (%s) AS r WHERE %s", v, s.among(s.rows(s.Source, v), spans), known))
	}
	with, relation := s.marked("c", "version")
	present := []string{s.among(s.keys(s.Target, s.Target.Version), spans), s.among(s.keys(s.Source, s.Source.Version), spans)}
	for _, v := range before {
		present = append(present, s.among(s.keys(s.Source, v), spans))
	}
	return fmt.Sprintf(`WITH o AS (SELECT p, seq, max_by(u, version) AS u, max(version) AS newest FROM (SELECT p, seq, version, min(u) AS u FROM (%s) AS a GROUP BY p, seq, version) AS v GROUP BY p, seq),
t AS (SELECT p, seq FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL),
c AS (SELECT o.p AS p, o.seq AS seq, o.u AS u, CASE WHEN %s THEN o.newest ELSE -1 - o.newest END AS version FROM o LEFT ANTI JOIN t ON o.p = t.p AND o.seq = t.seq)%s
%s`, strings.Join(parts, "\nUNION ALL "), strings.Join(present, "\nUNION ALL "), s.isDue("o.u"), with, islands(relation, "version"))
}

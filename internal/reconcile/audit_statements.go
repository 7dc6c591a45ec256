package reconcile

import (
	"fmt"
	"strings"
)

// TimedGaps lists, as Gaps does, what neither the target holds nor, with an event time, the source: a row without one never becomes due,
// and Missing does not list it.
func (s Statements) TimedGaps(spans []Span) string {
	return gapsOf(s.among(s.rows(s.Target, s.Target.Version), spans) + "\nUNION ALL SELECT p, seq, u FROM (" + s.among(s.rows(s.Source, s.Source.Version), spans) + ") AS s WHERE u IS NOT NULL")
}

// SourceGaps lists the sequences that none of some versions of the source holds between the keys inside the spans.
func (s Statements) SourceGaps(versions []int64, spans []Span) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, s.among(s.rows(s.Source, v), spans))
	}
	return gapsOf(strings.Join(parts, "\nUNION ALL "))
}

func gapsOf(rows string) string {
	return fmt.Sprintf(`WITH k AS (SELECT p, seq, max(u) AS u FROM (%s) AS b WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p, seq),
g AS (SELECT p, seq, u, lead(seq) OVER (PARTITION BY p ORDER BY seq) AS follower, lead(u) OVER (PARTITION BY p ORDER BY seq) AS later FROM k)
SELECT CAST(p AS STRING) AS part, seq + 1 AS low, follower - 1 AS high, unix_micros(u) AS earlier, unix_micros(later) AS later
FROM g WHERE follower - 1 > seq ORDER BY part, low`, rows)
}

// SourceStretches scans the source: partition, block, rows, lowest and highest sequence, mixed XOR, the highest sequence
// that has settled, the earliest event time in microseconds and the lowest sequence that has it; by partition and block.
//
// min_by picks any of several rows, and Spark another than DuckDB: the sequence's offset tells those of one event time apart,
// in a decimal, which needs no sort as a struct would.
func (s Statements) SourceStretches() string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, block, n, low, high, mix, settled, unix_micros(earliest) AS earliest, oldest
FROM (SELECT p, seq DIV %[1]d AS block, count(*) AS n, min(seq) AS low, max(seq) AS high, %[2]s AS mix, max(CASE WHEN %[3]s THEN seq END) AS settled, min(u) AS earliest, min_by(seq, CAST(unix_micros(u) AS DECIMAL(20, 0)) * %[5]d + seq %% %[1]d) AS oldest
FROM (%[4]s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p, seq DIV %[1]d) AS b
ORDER BY part, block`, s.block(), s.mix(), s.isDue("u"), s.rows(s.Source, s.Source.Version), 2*s.block())
}

// Stretch is a row of SourceStretches.
type Stretch struct {
	Partition string
	Rows      int64
	Low, High int64
	Mix       int64
	Settled   *int64
	Earliest  *int64
	Oldest    *int64
}

// ReadStretch reads a row of SourceStretches.
func ReadStretch(row []*string) (Stretch, error) {
	r := reader{row: row}
	s := Stretch{Partition: strings.Clone(r.word())}
	r.number()
	s.Rows, s.Low, s.High, s.Mix = r.number(), r.number(), r.number(), r.number()
	s.Settled, s.Earliest, s.Oldest = r.optional(), r.optional(), r.optional()
	return s, r.err
}

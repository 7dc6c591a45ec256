package reconcile

import (
	"fmt"
	"maps"
	"slices"
)

// Restarted are the partitions whose source ends below the target, as spans of the source: their sequences may have
// begun anew, and then equal keys are different rows.
func (s *Screen) Restarted() []Span {
	var spans []Span
	for _, p := range slices.Sorted(maps.Keys(s.Extents)) {
		if e := s.Extents[p]; e.InSource && e.InTarget && e.SourceHigh < e.TargetHigh {
			spans = append(spans, Span{p, e.SourceLow, e.SourceHigh})
		}
	}
	return coarsen(spans, mostSpans)
}

// SameKeys counts the keys inside the spans that both tables hold, and those of them whose event times differ by more
// than a day: partition, both, different.
func (s Statements) SameKeys(spans []Span) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, count(*) AS shared, count(CASE WHEN apart > %d THEN 1 END) AS different
FROM (SELECT s.p AS p, abs(unix_micros(s.u) - unix_micros(t.u)) AS apart
FROM (SELECT p, seq, max(u) AS u FROM (%s) AS r WHERE %s AND %s GROUP BY p, seq) AS s
JOIN (SELECT p, seq, max(u) AS u FROM (%s) AS r WHERE %s AND %s GROUP BY p, seq) AS t ON s.p = t.p AND s.seq = t.seq) AS j
GROUP BY p ORDER BY part`, int64(microsPerDay), s.rows(s.Source, s.Source.Version), known, s.within(spans), s.rows(s.Target, s.Target.Version), known, s.within(spans))
}

// Sameness is a row of SameKeys.
type Sameness struct {
	Partition       string
	Both, Different int64
}

// ReadSameness reads a row of SameKeys.
func ReadSameness(row []*string) (Sameness, error) {
	r := reader{row: row}
	s := Sameness{Partition: r.word(), Both: r.number(), Different: r.number()}
	return s, r.err
}

// Restart reports whether equal keys are different rows: most of them are more than a day apart.
func (s Sameness) Restart() bool { return s.Different*2 > s.Both }

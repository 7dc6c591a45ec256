package reconcile

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
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

// MostProbes is how many keys one statement asks for.
const MostProbes = 256

// Probe is a key of the source with the day of its event, whose event time in the target tells whether it is the same row.
type Probe struct {
	Span
	Day int64
}

// probes are the lowest keys of a partition's oldest and newest stretches of event time: rows of sequences that began anew
// lie there, under those of before or instead of them.
func (s *Screen) probes(p string, e *Extent) {
	groups := slices.DeleteFunc(slices.Clone(e.groups), func(g SlotGroup) bool { return !g.Timed })
	slices.SortFunc(groups, func(a, b SlotGroup) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Low, b.Low)) })
	for i, g := range groups {
		if e.InTarget && e.TargetLow <= g.Low && g.Low <= e.TargetHigh && (i < 2 || i >= len(groups)-3) {
			s.Probes = append(s.Probes, Probe{Span{p, g.Low, g.Low}, g.Day})
		}
	}
}

// TimesOf asks the target for the event times of some keys: partition, sequence, event time in microseconds.
func (s Statements) TimesOf(probes []Probe) string {
	var sequences []int64
	var keys []string
	for _, p := range probes {
		sequences, keys = append(sequences, p.From), append(keys, fmt.Sprintf("(%s, %d)", s.Columns.Literal(p.Partition), p.From))
	}
	slices.Sort(sequences)
	slices.Sort(keys)
	return fmt.Sprintf("SELECT CAST(p AS STRING) AS part, seq, unix_micros(max(u)) AS latest FROM (SELECT r.* FROM (%s) AS r LEFT SEMI JOIN (SELECT * FROM VALUES %s AS v(part, low)) AS v ON r.p = v.part AND r.seq = v.low WHERE r.seq IN (%s)) AS r WHERE %s GROUP BY p, seq",
		s.rows(s.Target, s.Target.Version), strings.Join(slices.Compact(keys), ", "), join(slices.Compact(sequences)), known)
}

// KeyTime is a row of TimesOf.
type KeyTime struct {
	Partition   string
	Seq, Micros int64
}

// ReadKeyTime reads a row of TimesOf.
func ReadKeyTime(row []*string) (KeyTime, error) {
	r := reader{row: row}
	k := KeyTime{Partition: strings.Clone(r.word()), Seq: r.number(), Micros: r.number()}
	return k, r.err
}

// Apart are the spans of the source, from a probe on, whose rows seem to be others than those of the target: more than a
// day lies between the two.
func (s *Screen) Apart(times iter.Seq2[KeyTime, error]) ([]Span, error) {
	days := map[blockID][]int64{}
	for _, p := range s.Probes {
		id := blockID{p.Partition, p.From}
		days[id] = append(days[id], p.Day)
	}
	var spans []Span
	for k, err := range times {
		if err != nil {
			return nil, err
		}
		for _, day := range days[blockID{k.Partition, k.Seq}] {
			if d := dayOf(k.Micros); d < day-1 || d > day+1 {
				high := s.Extents[k.Partition].SourceHigh
				if distance(Span{To: k.Seq}, Span{From: high}) >= DefaultBlock {
					high = k.Seq + DefaultBlock - 1
				}
				spans = append(spans, Span{k.Partition, k.Seq, high})
			}
		}
	}
	return spans, nil
}

// SameKeys counts the keys inside the spans that both tables hold, and those of them whose event times differ by more
// than a day: partition, both, different.
func (s Statements) SameKeys(spans []Span) string {
	spans = union(spans)
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, count(*) AS shared, count(CASE WHEN apart > %d THEN 1 END) AS different
FROM (SELECT s.p AS p, abs(unix_micros(s.u) - unix_micros(t.u)) AS apart
FROM (SELECT p, seq, max(u) AS u FROM (%s) AS r WHERE %s GROUP BY p, seq) AS s
JOIN (SELECT p, seq, max(u) AS u FROM (%s) AS r WHERE %s GROUP BY p, seq) AS t ON s.p = t.p AND s.seq = t.seq) AS j
GROUP BY p ORDER BY part`, int64(microsPerDay), s.among(s.rows(s.Source, s.Source.Version), spans), known, s.among(s.rows(s.Target, s.Target.Version), spans), known)
}

// Sameness is a row of SameKeys. Apart says that a probe found a key of another row.
type Sameness struct {
	Partition       string
	Both, Different int64
	Apart           bool
}

// ReadSameness reads a row of SameKeys.
func ReadSameness(row []*string) (Sameness, error) {
	r := reader{row: row}
	s := Sameness{Partition: r.word(), Both: r.number(), Different: r.number()}
	return s, r.err
}

// Restart reports whether equal keys are different rows: most of them are more than a day apart, or one that a probe found
// and perhaps no more yet.
func (s Sameness) Restart() bool { return s.Different*2 > s.Both || s.Apart && s.Different > 0 }

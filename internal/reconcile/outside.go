package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostHerds is how many parts a scan of what is not trusted has.
const mostHerds = 16

// herd is partitions that are trusted over much the same sequences: low … high in all of them.
type herd struct {
	low, high int64
	spans     []Span
}

// herds puts partitions together whose longest trusted stretches overlap by half at least.
func (t Trusted) herds() []herd {
	var all []herd
	for i := 0; i < len(t.spans); {
		h := herd{}
		for p := t.spans[i].Partition; i < len(t.spans) && t.spans[i].Partition == p; i++ {
			if s := t.spans[i]; len(h.spans) == 0 || s.To-s.From > h.high-h.low {
				h.low, h.high = s.From, s.To
			}
			h.spans = append(h.spans, t.spans[i])
		}
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b herd) int { return cmp.Compare(a.high, b.high) })
	var out []herd
	for _, h := range all {
		if n := len(out) - 1; n >= 0 {
			low, high := max(out[n].low, h.low), min(out[n].high, h.high)
			if half := max(out[n].high-out[n].low, h.high-h.low) / 2; low <= high && high-low >= half || n+1 == mostHerds {
				out[n] = herd{low, high, append(out[n].spans, h.spans...)}
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// Outside scans the target as TargetBlocks does, but for what is trusted. Each part of it begins with conditions on one
// column, by which files and row groups of long ago are left out.
func (s Statements) Outside(t Trusted) string {
	if t.IsEmpty() {
		return s.TargetBlocks(nil)
	}
	keys := s.keys(s.Target, s.Target.Version)
	parts := []string{
		s.blocksOf(keys, " WHERE p IS NULL OR seq IS NULL"), // in no stretch, and to be counted
		s.blocksOf(keys, " WHERE seq IS NOT NULL AND ("+s.noneOf(t.spans)+")"),
	}
	for _, h := range t.herds() {
		var values, partitions []string
		for _, span := range h.spans {
			of := s.Columns.Literal(span.Partition)
			values = append(values, fmt.Sprintf("(%s, %d, %d)", of, span.From, span.To))
			partitions = append(partitions, of)
		}
		bounds := ""
		if h.low <= h.high {
			bounds = fmt.Sprintf(" AND (r.seq < %d OR r.seq > %d)", h.low, h.high)
		}
		parts = append(parts, s.blocksOf(fmt.Sprintf("SELECT r.* FROM (%s) AS r LEFT ANTI JOIN (SELECT * FROM VALUES %s AS v(part, low, high)) AS v ON r.p = v.part AND r.seq >= v.low AND r.seq <= v.high WHERE r.seq IS NOT NULL AND r.p IN (%s)%s",
			keys, strings.Join(values, ", "), strings.Join(slices.Compact(partitions), ", "), bounds), ""))
	}
	return s.ordered(strings.Join(parts, "\nUNION ALL "))
}

// noneOf is true for the partitions that no span is of. Numbers are told apart by the ranges between them: statistics
// answer those.
func (s Statements) noneOf(spans []Span) string {
	var numbers []int64
	var texts []string
	for _, span := range spans {
		texts = append(texts, s.Columns.Literal(span.Partition))
		if n, err := strconv.ParseInt(span.Partition, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	if s.Columns.Textual || len(numbers) < len(texts) {
		return "p NOT IN (" + strings.Join(slices.Compact(texts), ", ") + ")"
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	parts := []string{fmt.Sprintf("p < %d", numbers[0])}
	for i, n := range numbers[1:] {
		if numbers[i]+1 < n {
			parts = append(parts, fmt.Sprintf("p BETWEEN %d AND %d", numbers[i]+1, n-1))
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("p > %d", numbers[len(numbers)-1])), " OR ")
}

package recovery

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// MostRanges is how many ranges one statement names. Every range is named: a wider condition could bring back what
// somebody deleted on purpose, or what the loader is yet to read.
const MostRanges = 500

// Target is the table that rows are brought back to.
type Target struct {
	// SQL is its name, quoted for SQL.
	SQL string
	// Columns are those that both tables have, unquoted, in the target's order.
	Columns []string
	Key     reconcile.Columns
}

// Shared lists the columns of the target that the source has too, in the target's order, and those that it lacks.
func Shared(target, source []string) (shared, lacking []string) {
	for _, c := range target {
		if slices.ContainsFunc(source, func(s string) bool { return strings.EqualFold(s, c) }) {
			shared = append(shared, c)
		} else {
			lacking = append(lacking, c)
		}
	}
	return shared, lacking
}

// Probe lists what a place holds of the ranges and the target lacks, folded to ranges: partition, lowest and highest
// sequence, and 1 where no place before it holds them, else 0; by partition and sequence. The ranges are at most
// MostRanges.
func (t Target) Probe(p Place, before []Place, ranges []Range) string {
	fresh := "1"
	join := ""
	if len(before) > 0 {
		var parts []string
		for _, b := range before {
			parts = append(parts, t.keys(b.From, b.condition, ranges))
		}
		fresh = "CASE WHEN b.seq IS NULL THEN 1 ELSE 0 END"
		join = fmt.Sprintf(" LEFT JOIN (SELECT DISTINCT p, seq FROM (%s) AS u) AS b ON k.p = b.p AND k.seq = b.seq", strings.Join(parts, "\nUNION ALL "))
	}
	return fmt.Sprintf(`WITH k AS (SELECT DISTINCT s.p AS p, s.seq AS seq FROM (%s) AS s LEFT ANTI JOIN (%s) AS t ON s.p = t.p AND s.seq = t.seq)
SELECT CAST(p AS STRING) AS part, min(seq) AS low, max(seq) AS high, fresh
FROM (SELECT p, seq, fresh, seq - (row_number() OVER (PARTITION BY p, fresh ORDER BY seq) - 1) AS island
FROM (SELECT k.p AS p, k.seq AS seq, %s AS fresh FROM k%s) AS f) AS i
GROUP BY p, fresh, island ORDER BY part, low`, t.keys(p.From, p.condition, ranges), t.keys(t.SQL, "", ranges), fresh, join)
}

// Found is a row of Probe.
type Found struct {
	Partition string
	From, To  int64
	// Fresh says that no place before holds these keys.
	Fresh bool
}

// ReadFound reads a row of Probe.
func ReadFound(row []*string) (Found, error) {
	var f Found
	if len(row) != 4 || row[0] == nil || row[1] == nil || row[2] == nil || row[3] == nil {
		return f, fmt.Errorf("probe: %d values, or null among them", len(row))
	}
	f.Partition, f.Fresh = strings.Clone(*row[0]), *row[3] == "1"
	var err, other error
	f.From, err = strconv.ParseInt(*row[1], 10, 64)
	f.To, other = strconv.ParseInt(*row[2], 10, 64)
	return f, errors.Join(err, other)
}

// Present lists what the target at a version has of the ranges, as Probe lists: fresh are the keys that occur once.
func (t Target) Present(version int64, ranges []Range) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, min(seq) AS low, max(seq) AS high, fresh
FROM (SELECT p, seq, fresh, seq - (row_number() OVER (PARTITION BY p, fresh ORDER BY seq) - 1) AS island
FROM (SELECT p, seq, CASE WHEN count(*) = 1 THEN 1 ELSE 0 END AS fresh FROM (%s) AS k GROUP BY p, seq) AS f) AS i
GROUP BY p, fresh, island ORDER BY part, low`, t.keys(at(t.SQL, version), "", ranges))
}

func (t Target) keys(from, condition string, ranges []Range) string {
	return fmt.Sprintf("SELECT %s AS p, CAST(%s AS BIGINT) AS seq FROM %s WHERE %s", t.Key.Of(), t.Key.Sequence, from, t.where(condition, ranges))
}

// Insert brings back what a place holds of the ranges and the target lacks: once, also when the place holds it twice, and
// not again when it is run again.
func (t Target) Insert(p Place, ranges []Range) string {
	var names, values []string
	for _, c := range t.Columns {
		names, values = append(names, contract.Quote(c)), append(values, "s."+contract.Quote(c))
	}
	key := "s." + t.Key.Sequence + " = t." + t.Key.Sequence
	by := t.Key.Sequence
	if t.Key.Partition != "" {
		key = "s." + t.Key.Partition + " = t." + t.Key.Partition + " AND " + key
		by = t.Key.Partition + ", " + by
	}
	return fmt.Sprintf(`INSERT INTO %s (%s)
SELECT %s
FROM (SELECT %s, row_number() OVER (PARTITION BY %s ORDER BY %s) AS watertight_copy FROM %s WHERE %s) AS s
LEFT ANTI JOIN %s AS t ON %s
WHERE s.watertight_copy = 1`, t.SQL, strings.Join(names, ", "), strings.Join(values, ", "), strings.Join(names, ", "), by, t.Key.EventTime,
		p.From, t.where(p.condition, ranges), t.SQL, key)
}

// where holds for the keys of the ranges and no others.
func (t Target) where(condition string, ranges []Range) string {
	var b strings.Builder
	if condition != "" {
		b.WriteString(condition + " AND ")
	}
	b.WriteByte('(')
	for i, r := range ranges {
		if i > 0 {
			b.WriteString(" OR ")
		}
		if t.Key.Partition != "" {
			fmt.Fprintf(&b, "%s = %s AND ", t.Key.Partition, t.Key.Literal(r.Partition))
		}
		if r.From == r.To {
			fmt.Fprintf(&b, "%s = %d", t.Key.Sequence, r.From)
		} else {
			fmt.Fprintf(&b, "%s BETWEEN %d AND %d", t.Key.Sequence, r.From, r.To)
		}
	}
	b.WriteByte(')')
	return b.String()
}

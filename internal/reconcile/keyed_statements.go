package reconcile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Keys writes the statements of a verification whose keys are columns. A block is the rows whose hash shares twelve bits, a
// slice those of a block whose event time lies in one hour. Hashes choose slices and decide nothing: only slices of the
// source that the target does not show alike are opened, and opened rows are compared by the columns themselves.
type Keys struct {
	Statements
	Key []KeyColumn
	// Earliest is the earliest event time of the source, in microseconds; nothing is due before it.
	Earliest int64
	// Held are versions of the target of before a commit that may have taken keys from it.
	Held []int64
}

const (
	keyBlocks = 4096
	// mostListed is how many slices or blocks a condition names; beyond it the statement reads more than it must.
	mostListed = 1000
	// hourOf counts the hours of u since 1970, negative before, as day counts days.
	hourOf = "unix_micros(u) DIV 3600000000 - CASE WHEN unix_micros(u) % 3600000000 < 0 THEN 1 ELSE 0 END"
)

// blocks is how many blocks there are.
func (k Keys) blocks() int64 {
	if k.Block > 0 {
		return min(k.Block, keyBlocks)
	}
	return keyBlocks
}

func (k Keys) each(write func(i int, name string) string, separator string) string {
	var parts []string
	for i := range k.Key {
		parts = append(parts, write(i, "k"+strconv.Itoa(i+1)))
	}
	return strings.Join(parts, separator)
}

// names are the key's columns in all statements: k1, k2 …
func (k Keys) names() string { return k.each(func(_ int, name string) string { return name }, ", ") }

// known is true for keys without a null.
func (k Keys) known() string {
	return k.each(func(_ int, name string) string { return name + " IS NOT NULL" }, " AND ")
}

// Equal compares keys of two relations of Select, nulls being equal.
func (k Keys) Equal(a, b string) string {
	return k.each(func(_ int, name string) string { return a + "." + name + " <=> " + b + "." + name }, " AND ")
}

func (k Keys) printed() string {
	return k.each(func(i int, name string) string { return k.Key[i].printed(name) + " AS t" + strconv.Itoa(i+1) }, ", ")
}

// Select selects the key and the event time u of the rows of a table for which a condition holds; empty: of all.
func (k Keys) Select(from, condition string) string {
	if condition != "" {
		from += " WHERE " + condition
	}
	return fmt.Sprintf("SELECT %s, %s AS u FROM %s", k.each(func(i int, name string) string {
		if c := k.Key[i]; c.Kind != KeyWhole {
			return c.SQL + " AS " + name
		}
		return "CAST(" + k.Key[i].SQL + " AS BIGINT) AS " + name
	}, ", "), k.Columns.EventTime, from)
}

func (k Keys) rows(side Side, version int64) string { return k.Select(side.at(version), "") }

// hashed adds the hash h of a key and its block. Nulls are passed over by xxhash64, so such keys are left out or not told
// by it.
func (k Keys) hashed(side Side, version int64) string {
	return fmt.Sprintf("SELECT %[1]s, u, h, (h DIV 4294967296) & %[2]d AS block FROM (SELECT %[1]s, u, xxhash64(%[1]s) AS h FROM (%[3]s) AS r) AS a",
		k.names(), k.blocks()-1, k.rows(side, version))
}

// Repeats scans the target once: block, keys that seem to occur more than once, and those of them that do so in the time of
// the source. Block -1 counts rows with a null key.
func (k Keys) Repeats() string {
	return fmt.Sprintf(`SELECT block, count(*) AS n, sum(CASE WHEN near > 1 THEN 1 ELSE 0 END) AS near
FROM (SELECT block, h, count(*) AS copies, sum(CASE WHEN u >= %s AND %s THEN 1 ELSE 0 END) AS near FROM (%s) AS t WHERE %s GROUP BY block, h) AS c
WHERE copies > 1 GROUP BY block
UNION ALL SELECT CAST(-1 AS BIGINT) AS block, count(*) AS n, CAST(0 AS BIGINT) AS near FROM (%s) AS t WHERE NOT (%s)`,
		literalTime(k.Earliest), k.isDue("u"), k.hashed(k.Target, k.Target.Version), k.known(), k.rows(k.Target, k.Target.Version), k.known())
}

// The kinds of rows that Slices counts.
const (
	sliceDue = iota
	sliceNullKey
	sliceNoTime
	sliceLater
)

// Slices scans the source once, and the target in the time of it, and compares them slice by slice: kind, hour, block, rows.
// Due rows of slices that are alike, in blocks whose slices all are, are added up under block -1; those of other alike
// slices under -2. A slice that differs, or is in one of the blocks named, stands alone. Two slices are taken for alike when
// they have equally many rows, and equal sums of the low halves of two hashes and equal XORs of one of them: slices that
// differ pass for alike with a probability below 2^-64 each.
//
// The target's filter by event time cuts no match: a row that it hides makes its slice differ, and differing slices are
// compared without it.
func (k Keys) Slices(repeated []int64) string {
	const sums = "count(*) AS n, sum(h & 4294967295) AS a, sum(g & 4294967295) AS b, bit_xor(g) AS x"
	// Rows that are not due have block -1, which the target has not: a condition on their kind would make engines join by a
	// loop over all pairs.
	g := "xxhash64(1, " + k.names() + ") AS g"
	alike := "t.n IS NOT NULL AND t.n = s.n AND t.a = s.a AND t.b = s.b AND t.x = s.x"
	switch {
	case len(repeated) > mostListed:
		alike = "FALSE"
	case len(repeated) > 0:
		alike += " AND s.block NOT IN (" + numbers(repeated) + ")"
	}
	return fmt.Sprintf(`WITH s AS (SELECT kind, hour, block, %[1]s
FROM (SELECT kind, %[2]s AS hour, CASE WHEN kind = 0 THEN block ELSE -1 END AS block, h, g
FROM (SELECT CASE WHEN NOT (%[3]s) THEN 1 WHEN u IS NULL THEN 2 WHEN %[4]s THEN 0 ELSE 3 END AS kind, u, h, %[5]s, block FROM (%[6]s) AS r) AS d) AS e
GROUP BY kind, hour, block),
t AS (SELECT hour, block, %[1]s FROM (SELECT %[2]s AS hour, block, h, %[5]s FROM (%[7]s) AS r WHERE u >= %[8]s AND %[4]s AND %[3]s) AS e GROUP BY hour, block),
c AS (SELECT s.kind AS kind, s.hour AS hour, s.block AS block, s.n AS n, CASE WHEN s.kind > 0 OR %[9]s THEN 1 ELSE 0 END AS same
FROM s LEFT JOIN t ON s.hour = t.hour AND s.block = t.block),
w AS (SELECT kind, hour, n, CASE WHEN same = 0 THEN block WHEN min(same) OVER (PARTITION BY block) = 1 THEN -1 ELSE -2 END AS block FROM c)
SELECT kind, hour, block, sum(n) AS n FROM w GROUP BY kind, hour, block`,
		sums, hourOf, k.known(), k.isDue("u"), g, k.hashed(k.Source, k.Source.Version), k.hashed(k.Target, k.Target.Version), literalTime(k.Earliest), alike)
}

// Opened is what Slices left to compare by the columns.
type Opened struct {
	// Slices are hour and block in one number, Blocks all blocks of them, both ascending.
	Slices, Blocks []int64
	// Nulls says that there are due rows with a null in their key.
	Nulls bool
}

// None reports whether nothing is left.
func (o Opened) None() bool { return len(o.Slices) == 0 && !o.Nulls }

// slice is the number of a slice.
func (k Keys) slice(hour, block int64) int64 { return hour*keyBlocks + block }

// inSource is true for the rows of slices that are opened, and perhaps for others.
func (k Keys) inSource(o Opened) string {
	switch {
	case len(o.Slices) == 0:
		return "FALSE"
	case len(o.Slices) > mostListed:
		return inBlocks(o.Blocks)
	}
	return fmt.Sprintf("(%s) * %d + block IN (%s)", hourOf, keyBlocks, numbers(o.Slices))
}

func inBlocks(blocks []int64) string {
	switch {
	case len(blocks) == 0:
		return "FALSE"
	case len(blocks) > mostListed:
		return "TRUE"
	}
	return "block IN (" + numbers(blocks) + ")"
}

func numbers(all []int64) string {
	var parts []string
	for _, n := range all {
		parts = append(parts, strconv.FormatInt(n, 10))
	}
	return strings.Join(parts, ", ")
}

// held selects, from the keys of a relation m, also the newest of the versions Held that has the key; null for none.
func (k Keys) held(columns string) string {
	if len(k.Held) == 0 {
		return columns + ", CAST(NULL AS BIGINT) AS held FROM m"
	}
	var parts []string
	for _, v := range k.Held {
		parts = append(parts, fmt.Sprintf("SELECT CAST(%d AS BIGINT) AS version, %s FROM (%s) AS r", v, k.names(), k.rows(k.Target, v)))
	}
	return fmt.Sprintf("%s, h.version AS held FROM m LEFT JOIN (SELECT %s, max(version) AS version FROM (%s) AS a GROUP BY %s) AS h ON %s",
		columns, k.names(), strings.Join(parts, "\nUNION ALL "), k.names(), k.Equal("m", "h"))
}

// Absent lists the due keys of opened slices that the target lacks, each once and with its earliest event time: the key's
// columns, event time in microseconds, version of the target that had it; by key.
func (k Keys) Absent(o Opened) string {
	source, target := fmt.Sprintf("(%s AND %s)", k.known(), k.inSource(o)), fmt.Sprintf("(%s AND %s)", k.known(), inBlocks(o.Blocks))
	if o.Nulls {
		source += " OR NOT (" + k.known() + ")"
		target += " OR NOT (" + k.known() + ")"
	}
	return fmt.Sprintf(`WITH s AS (SELECT %[1]s, min(u) AS u FROM (%[2]s) AS r WHERE u IS NOT NULL AND %[3]s AND (%[4]s) GROUP BY %[1]s),
t AS (SELECT %[1]s FROM (%[5]s) AS r WHERE %[6]s),
m AS (SELECT %[7]s, s.u AS u FROM s LEFT ANTI JOIN t ON %[8]s),
f AS (SELECT %[9]s)
SELECT %[10]s, unix_micros(u) AS micros, held FROM f ORDER BY %[1]s`, k.names(), k.hashed(k.Source, k.Source.Version), k.isDue("u"), source,
		k.hashed(k.Target, k.Target.Version), target, k.of("s"), k.Equal("s", "t"), k.held(k.of("m")+", m.u AS u"), k.printed())
}

// of selects the key of a relation.
func (k Keys) of(relation string) string {
	return k.each(func(_ int, name string) string { return relation + "." + name + " AS " + name }, ", ")
}

// DueKeys counts the due keys of blocks by the day of their earliest due row: day, keys.
func (k Keys) DueKeys(blocks []int64) string {
	return fmt.Sprintf(`SELECT day, count(*) AS n FROM (SELECT %s AS day FROM (SELECT min(u) AS u FROM (%s) AS r WHERE u IS NOT NULL AND %s AND %s AND %s GROUP BY %s) AS k) AS d GROUP BY day`,
		day, k.hashed(k.Source, k.Source.Version), k.isDue("u"), k.known(), inBlocks(blocks), k.names())
}

// LaterKeys counts by day the keys of the source of which no row is due: day, keys, and keys to take off again because an
// earlier row of them is.
func (k Keys) LaterKeys() string {
	source := k.rows(k.Source, k.Source.Version)
	return fmt.Sprintf(`WITH f AS (SELECT %[1]s, min(u) AS u FROM (%[2]s) AS r WHERE NOT (%[3]s) AND %[4]s GROUP BY %[1]s),
b AS (SELECT DISTINCT %[5]s, f.u AS u FROM (SELECT %[1]s FROM (%[2]s) AS r WHERE %[3]s AND %[4]s) AS d INNER JOIN f ON %[6]s)
SELECT day, sum(n) AS n, sum(r) AS r FROM (SELECT %[7]s AS day, CAST(1 AS BIGINT) AS n, CAST(0 AS BIGINT) AS r FROM f
UNION ALL SELECT %[7]s AS day, CAST(0 AS BIGINT) AS n, CAST(1 AS BIGINT) AS r FROM b) AS x GROUP BY day`,
		k.names(), source, k.isDue("u"), k.known(), k.of("f"), k.each(func(_ int, name string) string { return "d." + name + " = f." + name }, " AND "), day)
}

// Doubled lists the keys of blocks of the target that occur more than once: the key's columns, copies; by key.
func (k Keys) Doubled(blocks []int64) string {
	return fmt.Sprintf("SELECT %s, copies FROM (SELECT %[2]s, count(*) AS copies FROM (%[3]s) AS r WHERE %[4]s AND %[5]s GROUP BY %[2]s HAVING count(*) > 1) AS d ORDER BY %[2]s",
		k.printed(), k.names(), k.hashed(k.Target, k.Target.Version), k.known(), inBlocks(blocks))
}

// Left lists the keys that versions of the source hold and neither table has, each at the newest of the versions that hold
// it: the key's columns, event time there in microseconds, version, due (1 or 0), version of the target that had it; by key.
// Keys that versions read before hold are left out.
func (k Keys) Left(versions, before []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT CAST(%d AS BIGINT) AS version, %s, u FROM (%s) AS r WHERE u IS NOT NULL", v, k.names(), k.rows(k.Source, v)))
	}
	present := []string{k.rows(k.Target, k.Target.Version), k.rows(k.Source, k.Source.Version)}
	for _, v := range before {
		present = append(present, k.rows(k.Source, v))
	}
	for i := range present {
		present[i] = fmt.Sprintf("SELECT %s FROM (%s) AS r", k.names(), present[i])
	}
	return fmt.Sprintf(`WITH o AS (SELECT %[1]s, max_by(u, version) AS u, max(version) AS version FROM (SELECT %[1]s, version, min(u) AS u FROM (%[2]s) AS a GROUP BY %[1]s, version) AS v GROUP BY %[1]s),
t AS (%[3]s),
m AS (SELECT %[4]s, o.u AS u, o.version AS version FROM o LEFT ANTI JOIN t ON %[5]s),
f AS (SELECT %[8]s)
SELECT %[6]s, unix_micros(u) AS micros, version, CASE WHEN %[7]s THEN 1 ELSE 0 END AS due, held FROM f ORDER BY %[1]s`,
		k.names(), strings.Join(parts, "\nUNION ALL "), strings.Join(present, "\nUNION ALL "), k.of("o"), k.Equal("o", "t"), k.printed(), k.isDue("u"), k.held(k.of("m")+", m.u AS u, m.version AS version"))
}

// Listed selects some keys with their numbers in the list, nth.
func (k Keys) Listed(keys [][]KeyValue) string {
	var parts []string
	for i, values := range keys {
		parts = append(parts, fmt.Sprintf("SELECT CAST(%d AS BIGINT) AS nth, %s", i, k.each(func(j int, name string) string { return k.Key[j].literal(values[j]) + " AS " + name }, ", ")))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// Among is true for rows of the tables with one of some keys.
func (k Keys) Among(keys [][]KeyValue) string {
	var parts []string
	for _, values := range keys {
		parts = append(parts, k.each(func(j int, _ string) string { return k.Key[j].SQL + " <=> " + k.Key[j].literal(values[j]) }, " AND "))
	}
	return strings.Join(parts, "\nOR ")
}

// Present lists which of some keys the target holds: the number of the key in the list, its rows.
func (k Keys) Present(keys [][]KeyValue) string {
	return fmt.Sprintf("WITH w AS (%s)\nSELECT nth, count(*) AS n FROM (SELECT w.nth AS nth FROM (%s) AS t INNER JOIN w ON %s) AS f GROUP BY nth",
		k.Listed(keys), k.rows(k.Target, k.Target.Version), k.Equal("t", "w"))
}

// sortedSet sorts numbers and keeps each once.
func sortedSet(all []int64) []int64 {
	slices.Sort(all)
	return slices.Compact(all)
}

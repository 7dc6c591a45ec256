package reconcile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Side is a table pinned to a version. SQL is its name, quoted for SQL.
type Side struct {
	SQL     string
	Version int64
}

func (s Side) at(version int64) string {
	return s.SQL + " VERSION AS OF " + strconv.FormatInt(version, 10)
}

// Columns names the key and the event time, quoted for SQL, the same in both tables.
type Columns struct {
	// Partition is empty where one sequence runs through the whole table.
	Partition, Sequence, EventTime string
	// Textual says that partitions are texts; otherwise they are whole numbers.
	Textual bool
}

// Of selects the partition: the column, or the one partition of a table without.
func (c Columns) Of() string {
	if c.Partition == "" {
		return "0"
	}
	return c.Partition
}

// Statements writes the statements of one verification. Every one of them reads pinned versions only.
type Statements struct {
	Source, Target Side
	Columns        Columns
	Cutoff         Cutoff
	// Behind is how far behind the newest event, in microseconds, event times are due by that clock.
	Behind int64
	// Block is how many sequences a block spans; 0: DefaultBlock.
	Block int64
	// Accepted need not be in the target, by partition and sequence, without overlap.
	Accepted []Span
}

func (s Statements) block() int64 {
	if s.Block > 0 {
		return s.Block
	}
	return DefaultBlock
}

// keys selects p and seq of a table at a version; rows adds the event time u. Casting lets narrow integers be squared.
func (s Statements) keys(side Side, version int64) string {
	return fmt.Sprintf("SELECT %s AS p, CAST(%s AS BIGINT) AS seq FROM %s", s.Columns.Of(), s.Columns.Sequence, side.at(version))
}

func (s Statements) rows(side Side, version int64) string {
	return fmt.Sprintf("SELECT %s AS p, CAST(%s AS BIGINT) AS seq, %s AS u FROM %s", s.Columns.Of(), s.Columns.Sequence, s.Columns.EventTime, side.at(version))
}

// Span asks for the earliest and the latest event time of the source, in microseconds; null when it has none.
func (s Statements) Span() string {
	return fmt.Sprintf("SELECT unix_micros(min(u)) AS earliest, unix_micros(max(u)) AS latest FROM (SELECT %s AS u FROM %s) AS r", s.Columns.EventTime, s.Source.at(s.Source.Version))
}

// mix is the aggregate that tells whole blocks. The block must be a power of two.
func (s Statements) mix() string {
	return fmt.Sprintf("bit_xor((seq & %d) * %d)", s.block()-1, int64(mixer))
}

// TargetBlocks scans the target once: partition, block, rows, lowest and highest sequence, mixed XOR; by partition and
// block. No spans is everything.
func (s Statements) TargetBlocks(spans []Span) string {
	return s.ordered(s.blocksOf(s.among(s.keys(s.Target, s.Target.Version), spans), ""))
}

// blocksOf groups the rows of a relation by block; ordered puts such groups in order.
func (s Statements) blocksOf(relation, where string) string {
	return fmt.Sprintf("SELECT p, seq DIV %[1]d AS block, count(*) AS n, min(seq) AS low, max(seq) AS high, %[2]s AS mix\nFROM (%[3]s) AS r%[4]s GROUP BY p, seq DIV %[1]d",
		s.block(), s.mix(), relation, where)
}

func (s Statements) ordered(groups string) string {
	return "SELECT CAST(p AS STRING) AS part, block, n, low, high, mix\nFROM (" + groups + ") AS b\nORDER BY part, block"
}

// SourceBlocks scans the source inside the spans: partition, block, rows, rows with an event time, lowest and highest
// sequence, earliest and latest event time, mixed XOR; by partition and block.
func (s Statements) SourceBlocks(spans []Span) string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, block, n, timed, low, high, unix_micros(earliest) AS earliest, unix_micros(latest) AS latest, mix
FROM (SELECT p, seq DIV %[1]d AS block, count(*) AS n, count(u) AS timed, min(seq) AS low, max(seq) AS high, min(u) AS earliest, max(u) AS latest, %[2]s AS mix
FROM (%[3]s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p, seq DIV %[1]d) AS b
ORDER BY part, block`, s.block(), s.mix(), s.among(s.rows(s.Source, s.Source.Version), spans))
}

// Literal writes a partition as it stands in the column.
func (c Columns) Literal(partition string) string {
	if !c.Textual || c.Partition == "" {
		return partition
	}
	return contract.QuoteText(partition)
}

// isDue compares an event time with the cutoff.
func (s Statements) isDue(u string) string {
	return u + " " + s.Cutoff.operator() + " " + literalTime(s.Cutoff.Micros)
}

func literalTime(micros int64) string { return contract.QuoteInstant(instant(micros)) }

// day counts the days of u since 1970. DIV truncates toward zero, so one is taken off before 1970. Adding what makes every
// event time positive instead would refuse the whole statement for one row of the year 292278: ARITHMETIC_OVERFLOW.
const day = "unix_micros(u) DIV 86400000000 - CASE WHEN unix_micros(u) % 86400000000 < 0 THEN 1 ELSE 0 END"

// above is true where seq lies above the watermark of its partition: the highest sequence of the target, or none.
func (s Statements) above(marks []Mark) string {
	if len(marks) == 0 {
		return "TRUE"
	}
	var b strings.Builder
	b.WriteString("CASE")
	for _, m := range marks {
		fmt.Fprintf(&b, " WHEN p = %s THEN seq > %d", s.Columns.Literal(m.Partition), m.High)
	}
	b.WriteString(" ELSE TRUE END")
	return b.String()
}

// Mark is the watermark of a partition, as far as the target shows it.
type Mark struct {
	Partition string
	High      int64
}

// Written counts the target's rows before and after each of some versions: version, before, after; by version.
func (s Statements) Written(versions []int64) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, fmt.Sprintf("SELECT %d AS version, (SELECT count(*) FROM %s) AS rows_before, (SELECT count(*) FROM %s) AS rows_after", v, s.Target.at(v-1), s.Target.at(v)))
	}
	return strings.Join(parts, "\nUNION ALL ") + "\nORDER BY version"
}

// Unread asks a version of the source for the lowest sequence of each partition above the watermark: partition, lowest
// sequence.
func (s Statements) Unread(version int64, marks []Mark) string {
	return fmt.Sprintf("SELECT CAST(p AS STRING) AS part, min(seq) AS low FROM (%s) AS r WHERE p IS NOT NULL AND seq IS NOT NULL AND %s GROUP BY p",
		s.keys(s.Source, version), s.above(marks))
}

// Lowest is a row of Unread.
type Lowest struct {
	Partition string
	Sequence  int64
}

// ReadLowest reads a row of Unread.
func ReadLowest(row []*string) (Lowest, error) {
	r := reader{row: row}
	l := Lowest{Partition: strings.Clone(r.word()), Sequence: r.number()}
	return l, r.err
}

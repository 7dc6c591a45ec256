package reconcile

import (
	"fmt"
	"strconv"
	"strings"
)

// reader reads the texts of one row in order and keeps the first mistake. Numbers are whole and exact, or an error.
type reader struct {
	row []*string
	at  int
	err error
}

func (r *reader) text() *string {
	if r.at >= len(r.row) {
		r.fail("the row has %d values", len(r.row))
		return nil
	}
	r.at++
	return r.row[r.at-1]
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d: %s", r.at, fmt.Sprintf(format, args...))
	}
}

func (r *reader) optional() *int64 {
	t := r.text()
	if t == nil {
		return nil
	}
	n, err := strconv.ParseInt(*t, 10, 64)
	if err != nil {
		r.fail("%q is not a whole number of 64 bits", *t)
	}
	return &n
}

func (r *reader) number() int64 {
	n := r.optional()
	if n == nil {
		r.fail("null where a number belongs")
		return 0
	}
	return *n
}

// orZero is for a column that is null in groups where it means nothing.
func (r *reader) orZero() int64 {
	if n := r.optional(); n != nil {
		return *n
	}
	return 0
}

func (r *reader) word() string {
	t := r.text()
	if t == nil {
		r.fail("null where a text belongs")
		return ""
	}
	return *t
}

// ReadSourceBlock reads a row of SourceBlocks.
func ReadSourceBlock(row []*string) (SourceBlock, error) {
	r := reader{row: row}
	b := SourceBlock{Partition: copied(r.text()), Block: r.optional(), Rows: r.number(), Timed: r.number(),
		Low: r.orZero(), High: r.orZero(), Earliest: r.orZero(), Latest: r.orZero(), Mix: r.orZero()}
	return b, r.err
}

// ReadTargetBlock reads a row of TargetBlocks.
func ReadTargetBlock(row []*string) (TargetBlock, error) {
	r := reader{row: row}
	b := TargetBlock{Partition: copied(r.text()), Block: r.optional(), Rows: r.number(), Low: r.orZero(), High: r.orZero(), Mix: r.orZero()}
	return b, r.err
}

// copied keeps a text beyond the row it came in.
func copied(t *string) *string {
	if t == nil {
		return nil
	}
	c := strings.Clone(*t)
	return &c
}

// TimeSpan is the row of Span.
type TimeSpan struct {
	Earliest, Latest int64
	// Some is false when no row has an event time.
	Some bool
}

// ReadTimeSpan reads the row of Span.
func ReadTimeSpan(row []*string) (TimeSpan, error) {
	r := reader{row: row}
	earliest, latest := r.optional(), r.optional()
	if earliest == nil || latest == nil {
		return TimeSpan{}, r.err
	}
	return TimeSpan{*earliest, *latest, true}, r.err
}

// ReadCount reads a row of one number.
func ReadCount(row []*string) (int64, error) {
	r := reader{row: row}
	n := r.number()
	return n, r.err
}

// ReadPair reads a row of two counts.
func ReadPair(row []*string) ([2]int64, error) {
	r := reader{row: row}
	n := [2]int64{r.number(), r.number()}
	return n, r.err
}

// ReadText reads a row of one text.
func ReadText(row []*string) (string, error) {
	r := reader{row: row}
	t := strings.Clone(r.word())
	return t, r.err
}

// ReadWritten reads a row of Written.
func ReadWritten(row []*string) (Written, error) {
	r := reader{row: row}
	l := Written{Version: r.number(), Before: r.number(), After: r.number()}
	return l, r.err
}

// ReadGroup reads a row of Split.
func ReadGroup(row []*string) (Group, error) {
	r := reader{row: row}
	g := Group{Partition: r.word(), Block: r.number(), Due: r.number() == 1, Day: r.number(), Rows: r.number(), Above: r.number(), Low: r.number(), High: r.number()}
	return g, r.err
}

// ReadSurplus reads a row of SourceSurplus.
func ReadSurplus(row []*string) (Surplus, error) {
	r := reader{row: row}
	s := Surplus{Due: r.number() == 1, Day: r.number(), Above: r.number() == 1, Rows: r.number()}
	return s, r.err
}

// ReadDuplicate reads a row of Duplicates.
func ReadDuplicate(row []*string) (Duplicate, error) {
	r := reader{row: row}
	d := Duplicate{Partition: r.word(), From: r.number(), To: r.number(), Keys: r.number(), Surplus: r.number()}
	d.Partition = strings.Clone(d.Partition)
	return d, r.err
}

// ReadGap reads a row of Gaps.
func ReadGap(row []*string) (Gap, error) {
	r := reader{row: row}
	g := Gap{Span: Span{Partition: strings.Clone(r.word()), From: r.number(), To: r.number()}}
	if earlier, later := r.optional(), r.optional(); earlier != nil && later != nil {
		g.Earlier, g.Later, g.Timed = *earlier, *later, true
	}
	return g, r.err
}

// ReadVersionExtent reads a row of Extents.
func ReadVersionExtent(row []*string) (VersionExtent, error) {
	r := reader{row: row}
	e := VersionExtent{Version: r.number(), Partition: strings.Clone(r.word()), Rows: r.number(), Low: r.number(), High: r.number()}
	return e, r.err
}

// piece is what an island has on one day.
type piece struct {
	partition, kind  string
	island, day      int64
	low, high, rows  int64
	earliest, latest int64
}

func readPiece(row []*string) (piece, error) {
	r := reader{row: row}
	p := piece{partition: r.word(), kind: r.word(), island: r.number(), day: r.number(), low: r.number(), high: r.number(), rows: r.number(),
		earliest: r.number(), latest: r.number()}
	p.partition, p.kind = strings.Clone(p.partition), strings.Clone(p.kind)
	return p, r.err
}

package reconcile

import (
	"fmt"
	"slices"
	"strings"
)

// Slot is a stretch of event time, [From, To) in microseconds, on one side of the cutoff and within one day.
type Slot struct {
	From, To int64
	Due      bool
	Day      int64
}

// mostSlots is how many stretches the first scan names one by one; sources that span more days are grouped by day.
const mostSlots = 10

// Slots cuts the event times earliest … latest at the cutoff and at every midnight. Nil: there are too many.
func (c Cutoff) Slots(earliest, latest int64) []Slot {
	if dayOf(latest)-dayOf(earliest) >= mostSlots {
		return nil
	}
	edge := c.Micros
	if !c.Strict {
		edge++
	}
	edges := []int64{earliest, latest + 1}
	for d := dayOf(earliest) + 1; d <= dayOf(latest); d++ {
		edges = append(edges, d*microsPerDay)
	}
	if earliest < edge && edge <= latest {
		edges = append(edges, edge)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var slots []Slot
	for i := 1; i < len(edges); i++ {
		slots = append(slots, Slot{From: edges[i-1], To: edges[i], Due: edges[i-1] < edge, Day: dayOf(edges[i-1])})
	}
	return slots
}

// SlotGroup is one group of the source's first scan: the rows of a partition in one slot.
type SlotGroup struct {
	// Partition is nil in the group of rows whose partition is null.
	Partition *string
	// Timed is false in the groups of rows without an event time; Due and Day mean nothing there.
	Timed, Due bool
	Day        int64
	// Rows counts rows; Keyed those with a sequence.
	Rows, Keyed int64
	Low, High   int64
	// Mix is the mixed XOR of the sequences.
	Mix int64
}

// SourceSlots scans the source once, stretch by stretch: partition, timed, due, day, rows, rows with a sequence, lowest
// and highest sequence, mixed XOR.
func (s Statements) SourceSlots(slots []Slot) string {
	group := func(timed, due int, day string, where, by string) string {
		return fmt.Sprintf("SELECT CAST(p AS STRING) AS part, %d AS timed, %d AS due, %s AS day, n, keyed, low, high, mix "+
			"FROM (SELECT p%s, count(*) AS n, count(seq) AS keyed, min(seq) AS low, max(seq) AS high, bit_xor((seq & %d) * %d) AS mix FROM (%s) AS r WHERE %s GROUP BY p%s) AS g",
			timed, due, day, by, int64(wideMask), int64(wideMixer), s.rows(s.Source, s.Source.Version), where, strings.ReplaceAll(by, " AS day", ""))
	}
	parts := []string{group(0, 0, "0", "u IS NULL", "")}
	for _, slot := range slots {
		due := 0
		if slot.Due {
			due = 1
		}
		parts = append(parts, group(1, due, fmt.Sprint(slot.Day), fmt.Sprintf("u >= %s AND u < %s", literalTime(slot.From), literalTime(slot.To)), ""))
	}
	if len(slots) == 0 {
		parts = append(parts, group(1, 1, "day", s.isDue("u"), ", "+day+" AS day"), group(1, 0, "day", "NOT ("+s.isDue("u")+")", ", "+day+" AS day"))
	}
	return strings.Join(parts, "\nUNION ALL ")
}

// ReadSlotGroup reads a row of SourceSlots.
func ReadSlotGroup(row []*string) (SlotGroup, error) {
	r := reader{row: row}
	g := SlotGroup{Partition: copied(r.text()), Timed: r.number() == 1, Due: r.number() == 1, Day: r.number(), Rows: r.number(), Keyed: r.number(),
		Low: r.orZero(), High: r.orZero(), Mix: r.orZero()}
	return g, r.err
}

func floorDiv(a, b int64) int64 {
	d := a / b
	if a%b < 0 {
		d--
	}
	return d
}

package reconcile

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
)

// KeyRepeat is a row of Repeats.
type KeyRepeat struct{ Block, Keys, Near int64 }

// ReadKeyRepeat reads a row of Repeats.
func ReadKeyRepeat(row []*string) (KeyRepeat, error) {
	r := reader{row: row}
	k := KeyRepeat{Block: r.number(), Keys: r.number(), Near: r.number()}
	return k, r.err
}

// KeySlice is a row of Slices.
type KeySlice struct {
	Kind        int64
	Hour, Block int64
	Rows        int64
}

// ReadKeySlice reads a row of Slices. Rows without an event time have no hour.
func ReadKeySlice(row []*string) (KeySlice, error) {
	r := reader{row: row}
	s := KeySlice{Kind: r.number(), Hour: r.orZero(), Block: r.number(), Rows: r.number()}
	return s, r.err
}

// KeyScreen is what the scans tell of keys that are columns, and what is left to ask.
type KeyScreen struct {
	Screen
	// Repeated are blocks of the target in which keys seem to occur more than once, Near those in which they do so in the
	// time of the source.
	Repeated, Near []int64
	Opened         Opened
	// Later says that the source has rows that are not due.
	Later bool
}

// NewKeyScreen begins a comparison.
func NewKeyScreen() *KeyScreen {
	return &KeyScreen{Screen: Screen{Extents: map[string]*Extent{}, Due: map[int64]int64{}, InFlight: map[int64]int64{}}}
}

// Target reads the rows of Repeats.
func (s *KeyScreen) Target(all iter.Seq2[KeyRepeat, error]) error {
	for r, err := range all {
		switch {
		case err != nil:
			return err
		case r.Block < 0:
			s.TargetNullKeys = r.Keys
			continue
		case r.Near > 0:
			s.Near = append(s.Near, r.Block)
		}
		s.Repeated = append(s.Repeated, r.Block)
	}
	s.Repeated, s.Near = sortedSet(s.Repeated), sortedSet(s.Near)
	return nil
}

// mostSlicesHeld is how many slices are kept in mind; beyond it all of their blocks are opened, whatever the hour.
const mostSlicesHeld = 1 << 16

// Compare reads the rows of Slices.
func (s *KeyScreen) Compare(k Keys, all iter.Seq2[KeySlice, error]) error {
	blocks := map[int64]bool{}
	for r, err := range all {
		if err != nil {
			return err
		}
		s.SourceRows += r.Rows
		switch {
		case r.Kind == sliceNullKey:
			s.NullKeys += r.Rows
			s.Opened.Nulls = true
		case r.Kind == sliceNoTime:
			s.NullTimes += r.Rows
		case r.Kind == sliceLater:
			s.Later = true
		case r.Block == -1:
			s.Due[floorDiv(r.Hour, 24)] += r.Rows
		case r.Block >= 0:
			blocks[r.Block] = true
			if len(s.Opened.Slices) < mostSlicesHeld {
				s.Opened.Slices = append(s.Opened.Slices, k.slice(r.Hour, r.Block))
			}
		}
	}
	for b := range blocks {
		s.Opened.Blocks = append(s.Opened.Blocks, b)
	}
	s.Opened.Slices, s.Opened.Blocks = sortedSet(s.Opened.Slices), sortedSet(s.Opened.Blocks)
	return nil
}

// KeyDay is a row of DueKeys or LaterKeys.
type KeyDay struct{ Day, Keys, Off int64 }

// ReadKeyDay reads a row of DueKeys or LaterKeys.
func ReadKeyDay(row []*string) (KeyDay, error) {
	r := reader{row: row}
	d := KeyDay{Day: r.number(), Keys: r.number()}
	if len(row) > 2 {
		d.Off = r.number()
	}
	return d, r.err
}

// AddDays adds keys to counts by day.
func AddDays(to map[int64]int64, all iter.Seq2[KeyDay, error]) error {
	for d, err := range all {
		if err != nil {
			return err
		}
		to[d.Day] += d.Keys - d.Off
	}
	return nil
}

// AbsentKey is a row of Absent or Left.
type AbsentKey struct {
	Key []KeyValue
	// At is the event time, in microseconds.
	At int64
	// Version of the source holds it, as read by Left; Due says that it was due.
	Version int64
	Due     bool
	// Held is the newest version of the target that had it, of those that were asked; -1 none.
	Held int64
}

// ReadAbsent reads a row of Absent.
func (k Keys) ReadAbsent(row []*string) (AbsentKey, error) {
	r := reader{row: row}
	a := AbsentKey{Key: k.readKey(&r), At: r.number(), Due: true, Held: r.orNone()}
	return a, r.err
}

// ReadLeft reads a row of Left.
func (k Keys) ReadLeft(row []*string) (AbsentKey, error) {
	r := reader{row: row}
	a := AbsentKey{Key: k.readKey(&r), At: r.number(), Version: r.number(), Due: r.number() == 1, Held: r.orNone()}
	return a, r.err
}

// ReadDoubled reads a row of Doubled.
func (k Keys) ReadDoubled(row []*string) (Duplicate, error) {
	r := reader{row: row}
	d := Duplicate{Key: k.readKey(&r), Keys: 1, Surplus: r.number() - 1}
	return d, r.err
}

// orNone is -1 for null.
func (r *reader) orNone() int64 {
	if n := r.optional(); n != nil {
		return *n
	}
	return -1
}

func (k Keys) readKey(r *reader) []KeyValue {
	key := make([]KeyValue, len(k.Key))
	for i, c := range k.Key {
		key[i] = c.keyValue(r)
	}
	return key
}

// ReadKeyText reads what KeyText wrote; false when it is of other columns.
func (k Keys) ReadKeyText(text string) ([]KeyValue, bool) {
	var members map[string]*string
	if json.Unmarshal([]byte(text), &members) != nil || len(members) != len(k.Key) {
		return nil, false
	}
	var key []KeyValue
	for _, c := range k.Key {
		v, ok := members[c.Name]
		switch {
		case !ok:
			return nil, false
		case v == nil:
			key = append(key, KeyValue{Null: true})
		default:
			key = append(key, KeyValue{Text: *v})
		}
	}
	return key, true
}

func jsonText(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

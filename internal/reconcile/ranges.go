package reconcile

import (
	"fmt"
	"iter"
	"strconv"
	"time"
)

// Rows are the rows of a statement, as texts; a row is valid until the next.
type Rows = iter.Seq2[[]*string, error]

// Decoded reads every row of a statement.
func Decoded[T any](rows Rows, read func([]*string) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		n := 0
		for row, err := range rows {
			n++
			var v T
			if err == nil {
				if v, err = read(row); err != nil {
					err = fmt.Errorf("row %d: %w", n, err)
				}
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// MissingRanges joins the rows of Missing to ranges. The rows are still in the source, at the pinned version.
func MissingRanges(rows Rows, source Pinned, retention time.Duration) iter.Seq2[Range, error] {
	return joined(rows, func(p piece, r *Range) error {
		kind, accepted := markOf(p.kind)
		r.State, r.Accepted = State(kind), accepted
		r.RecoverFrom = fmt.Sprintf("source VERSION AS OF %d", source.Version)
		r.Version, r.Held = source.Version, true
		if !source.Committed.IsZero() {
			r.RecoverableUntil = source.Committed.Add(retention)
		}
		return nil
	})
}

// joined folds the pieces of each island, which are neighbours, to one range.
func joined(rows Rows, fill func(piece, *Range) error) iter.Seq2[Range, error] {
	return func(yield func(Range, error) bool) {
		var open *Range
		var last piece
		for p, err := range Decoded(rows, readPiece) {
			if err == nil && open != nil && p.partition == last.partition && p.kind == last.kind && p.island == last.island {
				extend(open, p)
				continue
			}
			if open != nil && !yield(*open, nil) {
				return
			}
			if err != nil {
				yield(Range{}, err)
				return
			}
			open, last = &Range{Partition: p.partition, From: p.low, To: p.high, Earliest: instant(p.earliest), Latest: instant(p.latest), Days: map[string]int64{}}, p
			extend(open, p)
			if err := fill(p, open); err != nil {
				yield(Range{}, err)
				return
			}
		}
		if open != nil {
			yield(*open, nil)
		}
	}
}

func extend(r *Range, p piece) {
	r.From, r.To = min(r.From, p.low), max(r.To, p.high)
	r.Rows += p.rows
	r.Days[dayName(p.day)] += p.rows
	if e := instant(p.earliest); e.Before(r.Earliest) {
		r.Earliest = e
	}
	if l := instant(p.latest); l.After(r.Latest) {
		r.Latest = l
	}
}

// ExpiredRanges joins the rows of Removed to ranges. Rows that were not due are doomed: they left the source before
// anybody could have read them.
func ExpiredRanges(rows Rows, s *Search) iter.Seq2[Range, error] {
	return joined(rows, func(p piece, r *Range) error {
		kind, accepted := markOf(p.kind)
		version, err := strconv.ParseInt(kind, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a version", p.kind)
		}
		r.State, r.Accepted = Expired, accepted
		if version < 0 {
			r.State, version = Doomed, -1-version
		}
		r.Proof, r.RecoverableUntil = s.proof(version)
		r.RecoverFrom = fmt.Sprintf("source VERSION AS OF %d", version)
		r.Version, r.Held = version, true
		return nil
	})
}

// OnItsDay counts the rows of a range that is known from records alone by day of event time, where that is one day.
func (r Range) OnItsDay() Range {
	if r.Earliest.IsZero() || r.Latest.IsZero() || len(r.Days) > 0 {
		return r
	}
	if first, last := dayOf(r.Earliest.UnixMicro()), dayOf(r.Latest.UnixMicro()); first == last {
		r.Days = map[string]int64{dayName(first): r.Rows}
	}
	return r
}

package evidence

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Listed is as Place.Listed asks.
func (l *Log) Listed(scope, id string, bounds []Bound) []Range {
	var out []Range
	for m := range l.seen(scope, id) {
		out = append(out, Range{m.Partition, m.Low, m.High, m.SeenAt, m.SeenAt, m.Earliest, m.Latest})
	}
	return joined(out, bounds)
}

// Unlisted is as Place.Unlisted asks.
func (l *Log) Unlisted(scope, id string, bounds []Bound) []Range {
	type one struct {
		version   int64
		partition string
	}
	ranges := map[one][]Manifest{}
	for m := range l.seen(scope, id) {
		ranges[one{m.SourceVersion, m.Partition}] = append(ranges[one{m.SourceVersion, m.Partition}], m)
	}
	var out []Range
	for _, of := range ranges {
		slices.SortFunc(of, func(a, b Manifest) int { return cmp.Compare(a.Low, b.Low) })
		for i := 1; i < len(of); i++ {
			if before, after := of[i-1], of[i]; after.Low-1 > before.High {
				out = append(out, Range{before.Partition, before.High + 1, after.Low - 1, before.SeenAt, before.SeenAt, before.Latest, after.Earliest})
			}
		}
	}
	return joined(out, bounds)
}

func (l *Log) seen(scope, id string) iter.Seq[Manifest] {
	return func(yield func(Manifest) bool) {
		for m := range of(l.manifests, scope) {
			if m.SourceID == id && !yield(m) {
				return
			}
		}
	}
}

// joined folds overlapping and touching ranges to one.
func joined(all []Range, bounds []Bound) []Range {
	all = slices.DeleteFunc(all, func(r Range) bool { return !isWithin(r, bounds) })
	slices.SortFunc(all, func(a, b Range) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
	})
	var out []Range
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && out[n].Partition == r.Partition && (r.Low <= out[n].High || r.Low-1 == out[n].High) {
			out[n] = union(out[n], r)
			continue
		}
		out = append(out, r)
	}
	return out
}

func union(a, b Range) Range {
	a.High = max(a.High, b.High)
	if b.FirstSeen.Before(a.FirstSeen) {
		a.FirstSeen = b.FirstSeen
	}
	if b.LastSeen.After(a.LastSeen) {
		a.LastSeen = b.LastSeen
	}
	if a.Earliest.IsZero() || !b.Earliest.IsZero() && b.Earliest.Before(a.Earliest) {
		a.Earliest = b.Earliest
	}
	if b.Latest.After(a.Latest) {
		a.Latest = b.Latest
	}
	return a
}

func isWithin(r Range, bounds []Bound) bool {
	if len(bounds) == 0 || len(bounds) > mostBounds {
		return true
	}
	for _, b := range bounds {
		if b.Partition == r.Partition && r.Low <= b.High && r.High >= b.Low {
			return true
		}
	}
	return false
}

// Has is as Place.Has asks.
func (l *Log) Has(scope, id string, version int64, at time.Time) bool {
	for m := range l.seen(scope, id) {
		if m.SourceVersion == version && (at.IsZero() || m.SeenAt.Equal(at)) {
			return true
		}
	}
	return false
}

package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Kept is a manifest as a whole.
type Kept struct {
	SourceVersion int64
	SeenAt        time.Time
	// Earliest and Latest are event times; zero when no row had one.
	Earliest, Latest time.Time
}

// Kept lists the manifests of a source: version, seen, earliest, latest in microseconds; by version.
func (p Place) Kept(scope, id string) string {
	return fmt.Sprintf(`SELECT source_version, unix_micros(min(seen_at)) AS seen_at, unix_micros(min(earliest)) AS earliest, unix_micros(max(latest)) AS latest
FROM (%s) AS k GROUP BY source_version ORDER BY source_version`, p.manifests(scope, id))
}

// ReadKept reads a row of Kept.
func ReadKept(row []*string) (Kept, error) {
	r := reader{row: row}
	v := Kept{SourceVersion: r.number(-1), SeenAt: r.instant(), Earliest: r.instant(), Latest: r.instant()}
	return v, r.err
}

// Seen lists the ranges of every manifest within the bounds, as they were kept: version, seen, part, low, high, earliest,
// latest in microseconds; by partition, low and version. Listed joins them, Seen tells when each key was there.
func (p Place) Seen(scope, id string, bounds []Bound) string {
	return fmt.Sprintf(`SELECT source_version, unix_micros(seen_at) AS seen_at, part, low, high, unix_micros(earliest) AS earliest, unix_micros(latest) AS latest
FROM (SELECT DISTINCT source_version, seen_at, part, low, high, earliest, latest FROM (%s) AS k WHERE %s) AS d ORDER BY part, low, source_version, high, seen_at`, p.manifests(scope, id), within(bounds))
}

// ReadSeen reads a row of Seen.
func ReadSeen(row []*string) (Manifest, error) {
	r := reader{row: row}
	v := Manifest{SourceVersion: r.number(-1), SeenAt: r.instant(), Partition: r.text(), Low: r.number(0), High: r.number(0), Earliest: r.instant(), Latest: r.instant()}
	return v, r.err
}

// Beyond joins the ranges of manifests that are not wholly within the bounds, as Listed joins those within. No bounds, or
// too many, is everything.
func (p Place) Beyond(scope, id string, bounds []Bound) string {
	var parts []string
	for _, b := range bounds {
		parts = append(parts, fmt.Sprintf("part = %s AND low >= %d AND high <= %d", contract.QuoteText(b.Partition), b.Low, b.High))
	}
	where := "TRUE"
	if len(parts) > 0 && len(parts) <= mostBounds {
		where = "NOT (" + strings.Join(parts, " OR ") + ")"
	}
	return merged(fmt.Sprintf("SELECT part, low, high, seen_at AS first_seen, seen_at AS last_seen, earliest, latest FROM (%s) AS k WHERE %s", p.manifests(scope, id), where))
}

// Kept is as Place.Kept asks.
func (l *Log) Kept(scope, id string) []Kept {
	all := map[int64]Kept{}
	for m := range l.seen(scope, id) {
		k, ok := all[m.SourceVersion]
		if !ok {
			k = Kept{SourceVersion: m.SourceVersion, SeenAt: m.SeenAt}
		}
		if m.SeenAt.Before(k.SeenAt) {
			k.SeenAt = m.SeenAt
		}
		if k.Earliest.IsZero() || !m.Earliest.IsZero() && m.Earliest.Before(k.Earliest) {
			k.Earliest = m.Earliest
		}
		if m.Latest.After(k.Latest) {
			k.Latest = m.Latest
		}
		all[m.SourceVersion] = k
	}
	return sorted(all, func(a, b Kept) int { return cmp.Compare(a.SourceVersion, b.SourceVersion) })
}

// Seen is as Place.Seen asks.
func (l *Log) Seen(scope, id string, bounds []Bound) []Manifest {
	var out []Manifest
	for m := range l.seen(scope, id) {
		if isWithin(Range{Partition: m.Partition, Low: m.Low, High: m.High}, bounds) {
			m.SourceID = ""
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b Manifest) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Low, b.Low), cmp.Compare(a.SourceVersion, b.SourceVersion), cmp.Compare(a.High, b.High), a.SeenAt.Compare(b.SeenAt))
	})
	return slices.Compact(out)
}

// Beyond is as Place.Beyond asks.
func (l *Log) Beyond(scope, id string, bounds []Bound) []Range {
	var out []Range
	for m := range l.seen(scope, id) {
		if len(bounds) > mostBounds || !slices.ContainsFunc(bounds, func(b Bound) bool { return b.Partition == m.Partition && m.Low >= b.Low && m.High <= b.High }) {
			out = append(out, Range{m.Partition, m.Low, m.High, m.SeenAt, m.SeenAt, m.Earliest, m.Latest})
		}
	}
	return joined(out, nil)
}

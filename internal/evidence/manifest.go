package evidence

import (
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Source is the source at one version, as a manifest sees it.
type Source struct {
	// SQL is the table's name, quoted for SQL; Partition, Sequence and EventTime are its columns, quoted too. Partition is
	// empty where one sequence runs through the whole table.
	SQL                            string
	Partition, Sequence, EventTime string
	ID                             string
	Version                        int64
	Committed                      time.Time
	// Cuts are event times, in microseconds: no range holds keys from both sides of one. Cut at the cutoff of the run that
	// read the version, a manifest tells which of its keys were due. Behind are cuts that far behind the newest event.
	Cuts, Behind []int64
}

func (s Source) partition() string {
	if s.Partition == "" {
		return "0"
	}
	return s.Partition
}

// ranges folds the keys of the source to ranges inside the warehouse: part, low, high, earliest, latest.
func (s Source) ranges() string {
	return fmt.Sprintf(`SELECT CAST(p AS STRING) AS part, min(seq) AS low, max(seq) AS high, min(u) AS earliest, max(u) AS latest
FROM (SELECT p, seq, u, side, seq - (row_number() OVER (PARTITION BY p, side ORDER BY seq) - 1) AS island
FROM (SELECT p, seq, u, %s AS side FROM (SELECT p, seq, min(u) AS u FROM (SELECT %s AS p, CAST(%s AS BIGINT) AS seq, %s AS u FROM %s VERSION AS OF %d) AS r
WHERE p IS NOT NULL AND seq IS NOT NULL GROUP BY p, seq) AS k) AS d) AS i
GROUP BY p, side, island`, s.side(), s.partition(), s.Sequence, s.EventTime, s.SQL, s.Version)
}

// side numbers the stretches of event time between the cuts.
func (s Source) side() string {
	parts := []string{"0"}
	for _, cut := range s.Cuts {
		parts = append(parts, fmt.Sprintf("CASE WHEN u < %s THEN 1 ELSE 0 END", contract.QuoteInstant(time.UnixMicro(cut))))
	}
	for _, behind := range s.Behind {
		parts = append(parts, fmt.Sprintf("CASE WHEN unix_micros(u) < max(unix_micros(u)) OVER () - %d THEN 1 ELSE 0 END", behind))
	}
	return strings.Join(parts, " + ")
}

// Ranges reads a manifest without keeping it: partition, low, high, earliest, latest in microseconds.
func (s Source) Ranges() string {
	return fmt.Sprintf("SELECT part, low, high, unix_micros(earliest) AS earliest, unix_micros(latest) AS latest FROM (%s) AS m ORDER BY part, low", s.ranges())
}

// Keep appends the manifest of a version in one statement: nothing of it leaves the warehouse.
func (p Place) Keep(scope string, s Source) string {
	return fmt.Sprintf("INSERT INTO %s (%s)\nSELECT CAST(%d AS INT), %s, %s, %d, %s, part, low, high, earliest, latest FROM (%s) AS m",
		p.SQL(Manifests), strings.Join(Manifests.Names(), ", "), Schema, contract.QuoteText(scope), contract.QuoteText(s.ID), s.Version, literal(s.Committed), s.ranges())
}

// manifests selects what is kept of a source, but for what an older table of the same name left behind.
func (p Place) manifests(scope, id string) string {
	return fmt.Sprintf("SELECT source_version, seen_at, part, low, high, earliest, latest FROM %s WHERE scope = %s AND source_id = %s AND schema_version <= %d",
		p.SQL(Manifests), contract.QuoteText(scope), contract.QuoteText(id), Schema)
}

// Listed joins what any manifest ever listed, within the bounds of each partition: part, low, high, first seen, last seen,
// earliest, latest in microseconds; by partition and low. Ranges that touch or overlap are one, so there are as many rows
// as there are gaps, however many manifests are kept.
func (p Place) Listed(scope, id string, bounds []Bound) string {
	return merged(fmt.Sprintf("SELECT part, low, high, seen_at AS first_seen, seen_at AS last_seen, earliest, latest FROM (%s) AS k WHERE %s", p.manifests(scope, id), within(bounds)))
}

// Unlisted joins the gaps that manifests show: sequences that lay between two listed ranges of one manifest. A gap after
// which rows still arrived is among them too: what is Listed was there, whatever else says that it was not. A version may be
// kept twice, and then the lowest BIGINT may follow itself: less one, it is ARITHMETIC_OVERFLOW.
func (p Place) Unlisted(scope, id string, bounds []Bound) string {
	return merged(fmt.Sprintf(`SELECT part, low, high, seen_at AS first_seen, seen_at AS last_seen, latest AS earliest, later AS latest
FROM (SELECT part, high + 1 AS low, follower - 1 AS high, seen_at, latest, later
FROM (SELECT part, high, latest, seen_at, lead(low) OVER (PARTITION BY source_version, part ORDER BY low) AS follower, lead(earliest) OVER (PARTITION BY source_version, part ORDER BY low) AS later
FROM (%s) AS k) AS f WHERE CASE WHEN follower > high THEN follower - 1 > high ELSE FALSE END) AS g WHERE %s`, p.manifests(scope, id), within(bounds)))
}

// merged folds overlapping and touching ranges of a relation to one. Equal ranges are one before anything is ordered: two
// windows need not order equals alike.
func merged(relation string) string {
	return fmt.Sprintf(`SELECT part, min(low) AS low, max(high) AS high, unix_micros(min(first_seen)) AS first_seen, unix_micros(max(last_seen)) AS last_seen, unix_micros(min(earliest)) AS earliest, unix_micros(max(latest)) AS latest
FROM (SELECT part, low, high, first_seen, last_seen, earliest, latest, sum(fresh) OVER (PARTITION BY part ORDER BY low, high ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS island
FROM (SELECT part, low, high, first_seen, last_seen, earliest, latest, CASE WHEN reach IS NULL THEN 1 WHEN low <= reach THEN 0 WHEN low - 1 = reach THEN 0 ELSE 1 END AS fresh
FROM (SELECT part, low, high, first_seen, last_seen, earliest, latest, max(high) OVER (PARTITION BY part ORDER BY low, high ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
FROM (SELECT part, low, high, min(first_seen) AS first_seen, max(last_seen) AS last_seen, min(earliest) AS earliest, max(latest) AS latest FROM (%s) AS u GROUP BY part, low, high) AS d) AS r) AS f) AS s
GROUP BY part, island ORDER BY part, low`, relation)
}

// Bound limits what is read of a partition. No bounds is everything.
type Bound struct {
	Partition string
	Low, High int64
}

// mostBounds is how many a condition names; beyond it everything is read, which costs time and changes no answer.
const mostBounds = 1000

func within(bounds []Bound) string {
	if len(bounds) == 0 || len(bounds) > mostBounds {
		return "TRUE"
	}
	var parts []string
	for _, b := range bounds {
		parts = append(parts, fmt.Sprintf("part = %s AND low <= %d AND high >= %d", contract.QuoteText(b.Partition), b.High, b.Low))
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// Has has a row when a manifest of a version is kept: one seen at an instant, unless that is zero.
func (p Place) Has(scope, id string, version int64, at time.Time) string {
	seen := ""
	if !at.IsZero() {
		seen = " AND seen_at = " + literal(at)
	}
	return fmt.Sprintf("SELECT source_version FROM (%s) AS k WHERE source_version = %d%s LIMIT 1", p.manifests(scope, id), version, seen)
}

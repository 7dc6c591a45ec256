package maintenance

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// Purge is the statement that deletes from a source the rows that are older than its window and in the target. A row whose
// event time or a part of whose key is null stays: nothing tells how old it is, or that it is the one in the target.
type Purge struct {
	contract.Purge
	// EventTimeType is the column's type in Spark's spelling: timestamp, timestamp_ntz or date. Dates and times without a
	// zone are taken as UTC.
	EventTimeType string
	// Pin fixes what the statement reads, for one that runs now; nil for one that a job runs again and again.
	Pin *Pin
}

// Pin is a version of the target and an instant for now, so that numbers counted before a purge are those of the purge.
type Pin struct {
	TargetVersion int64
	Now           time.Time
}

// Validate finds everything wrong, by attribute.
func (p Purge) Validate() []contract.Problem {
	problems := p.Purge.Validate()
	if p.boundary() == "" {
		problems = append(problems, contract.Problem{Field: "event_time", Value: p.EventTime, Reason: "it is " + orUnknown(p.EventTimeType) + ", and rows grow old by a DATE, TIMESTAMP or TIMESTAMP_NTZ only",
			Hint: "Name the column that says when the row's event happened"})
	}
	return problems
}

func orUnknown(kind string) string {
	if kind == "" {
		return "of an unknown type"
	}
	return "a column of type " + kind
}

// Statement is the one statement that does it. Delta takes no subquery in a DELETE (DELTA_UNSUPPORTED_SUBQUERY), so it is a
// MERGE with a DELETE and nothing else; one such clause without a condition of its own may match a row any number of times.
// The rows that are old enough come first in the join with the target, so that the target, which may be large, is read for
// their keys and not sorted. A fault that Validate finds is an error.
func (p Purge) Statement() (string, error) {
	var errs []error
	for _, problem := range p.Validate() {
		errs = append(errs, problem)
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	source, loaded, inSource, err := p.loaded()
	if err != nil {
		return "", err
	}
	return "MERGE INTO " + source + " AS s\n" +
		"USING (\n" + loaded + "\n) AS loaded\n" +
		"ON " + inSource + " AND s." + p.old() + "\n" +
		"WHEN MATCHED THEN DELETE", nil
}

// Numbers counts the rows of a version of the source that are older than the window, and those of them that the target has:
// the ones that the statement deletes.
func (p Purge) Numbers(sourceVersion int64) (string, error) {
	source, loaded, inSource, err := p.loaded()
	if err != nil {
		return "", err
	}
	return "SELECT count(*) AS old, count(loaded.k1) AS loaded\n" +
		"FROM (SELECT * FROM " + source + fmt.Sprintf(" VERSION AS OF %d", sourceVersion) + " AS r WHERE r." + p.old() + ") AS s\n" +
		"LEFT JOIN (\n" + loaded + "\n) AS loaded\n" +
		"ON " + inSource, nil
}

func (p Purge) old() string { return quoteField(p.EventTime) + " < " + p.boundary() }

// loaded selects the keys of the target that an old row of the source has, as k1, k2 …; with the source's name and the
// condition that joins the two.
func (p Purge) loaded() (from, keysLoaded, join string, err error) {
	source, err := contract.ParseTable(p.Source)
	if err != nil {
		return "", "", "", err
	}
	target, err := contract.ParseTable(p.Target)
	if err != nil {
		return "", "", "", err
	}
	pinned := target.SQL()
	if p.Pin != nil {
		pinned += fmt.Sprintf(" VERSION AS OF %d", p.Pin.TargetVersion)
	}
	var keys, inTarget, inSource []string
	for i, name := range p.Key.Names() {
		column, alias := quoteField(name), fmt.Sprintf("k%d", i+1)
		keys = append(keys, "t."+column+" AS "+alias)
		// Equal, and not null-safe equal: two rows with a null in their keys need not be one.
		inTarget = append(inTarget, "t."+column+" = e."+column)
		inSource = append(inSource, "s."+column+" = loaded."+alias)
	}
	return source.SQL(), "  SELECT DISTINCT " + strings.Join(keys, ", ") + "\n" +
		"  FROM " + pinned + " AS t\n" +
		"  LEFT SEMI JOIN " + source.SQL() + " AS e\n" +
		"  ON " + strings.Join(inTarget, " AND ") + " AND e." + p.old(), strings.Join(inSource, " AND "), nil
}

// boundary is the instant before which a row is older than the window, in the type of its column, so that the column stands
// bare on the other side and files are left out by their statistics. It is the same throughout a statement. Days and
// intervals are not used: a day of the session's zone may have 23 hours.
func (p Purge) boundary() string {
	if p.Pin != nil {
		return p.fixedBoundary()
	}
	seconds := int64(p.Window / time.Second)
	switch p.EventTimeType {
	case "timestamp":
		unit, n := "SECOND", seconds
		switch {
		case seconds%3600 == 0:
			unit, n = "HOUR", seconds/3600
		case seconds%60 == 0:
			unit, n = "MINUTE", seconds/60
		}
		return fmt.Sprintf("timestampadd(%s, -%d, current_timestamp())", unit, n)
	case "timestamp_ntz":
		return fmt.Sprintf("TIMESTAMP_NTZ'1970-01-01 00:00:00' + make_dt_interval(0, 0, 0, CAST(unix_seconds(current_timestamp()) - %d AS DECIMAL(18, 6)))", seconds)
	case "date":
		// A day has passed the window only when its last instant has.
		return fmt.Sprintf("date_add(DATE'1970-01-01', CAST((unix_seconds(current_timestamp()) - %d) DIV 86400 AS INT))", seconds)
	}
	return ""
}

func (p Purge) fixedBoundary() string {
	limit := p.Pin.Now.Add(-p.Window).UTC()
	switch p.EventTimeType {
	case "timestamp":
		return contract.QuoteInstant(limit)
	case "timestamp_ntz":
		return "TIMESTAMP_NTZ'" + limit.Format("2006-01-02T15:04:05.000000") + "'"
	case "date":
		return "DATE'" + limit.Format("2006-01-02") + "'"
	}
	return ""
}

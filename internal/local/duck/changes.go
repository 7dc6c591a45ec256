//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// Changes gives the row changes of a range of versions, for table_changes.
func (w *work) Changes(ctx context.Context, s dialect.Changes) (dialect.Relation, error) {
	t, err := w.findTable(s.Name, "table_changes")
	if err != nil {
		return dialect.Relation{}, err
	}
	from, to, err := w.changeRange(ctx, t, s)
	if err != nil {
		return dialect.Relation{}, err
	}
	if err := w.checkChanges(t, from, to); err != nil {
		return dialect.Relation{}, err
	}
	m := t.meta()
	columns := append(m.engineColumns(), columnsOf("_change_type", "string", "_commit_version", "bigint", "_commit_timestamp", "timestamp")...)
	return dialect.Relation{SQL: t.changesSQL(from, to), Columns: columns}, nil
}

func (w *work) changeRange(ctx context.Context, t *table, s dialect.Changes) (from, to int64, err error) {
	latest := t.version()
	to = latest
	if s.Start != nil {
		from = *s.Start
	} else {
		at, err := w.instant(ctx, s.StartTimestampSQL)
		if err != nil {
			return 0, 0, err
		}
		from = latest + 1
		for i := len(t.commits) - 1; i >= 0 && !t.commits[i].Time.Before(at); i-- {
			from = t.commits[i].Version
		}
	}
	if from > latest {
		return 0, 0, newError("DELTA_CDC_START_VERSION_AFTER_LATEST", "Provided Start version(%d) for reading change data is invalid. Start version cannot be greater than the latest version of the table(%d).", from, latest)
	}
	switch {
	case s.End != nil:
		to = *s.End
	case s.EndTimestampSQL != "":
		at, err := w.instant(ctx, s.EndTimestampSQL)
		if err != nil {
			return 0, 0, err
		}
		to = -1
		for _, c := range t.commits {
			if !c.Time.After(at) {
				to = c.Version
			}
		}
	}
	if to < from {
		return 0, 0, newError("DELTA_INVALID_CDC_RANGE", "CDC range from start %d to end %d was invalid. End cannot be before start.", from, to)
	}
	return from, min(to, latest), nil
}

func (w *work) checkChanges(t *table, from, to int64) error {
	first := t.at(from)
	if first == nil {
		return newError("DELTA_VERSION_NOT_FOUND", "Cannot time travel Delta table to version %d. Available versions: [%d, %d].", from, t.earliest().Version, t.version())
	}
	retention := t.meta().retention(deletedFileRetention)
	if from != t.version() && first.Time.Before(w.now.Add(-retention)) {
		return errBeyondRetention(retention)
	}
	store := t.meta().Store
	for v := from; v <= to; v++ {
		if !t.at(v).ChangeFeed {
			return newError("DELTA_MISSING_CHANGE_DATA", "Error getting change data for range [%d, %d] as change data was not\nrecorded for version [%d]. If you've enabled change data feed on this table,\nuse `DESCRIBE HISTORY` to see when it was first enabled.\nOtherwise, to start recording change data, use `ALTER TABLE table_name SET TBLPROPERTIES\n(delta.enableChangeDataFeed=true)`.", from, to, v)
		}
		if t.metaAt(v).Store != store {
			return newError("DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE", "Retrieving table changes between version %d and %d failed because the table was replaced in between.", from, to)
		}
	}
	for _, f := range t.files {
		if f.Vacuumed && (f.Added >= from && f.Added <= to || f.Removed >= from && f.Removed <= to) {
			return errFileMissing(t, f)
		}
	}
	return nil
}

func (t *table) changesSQL(from, to int64) string {
	m := t.meta()
	var times []string
	for v := from; v <= to; v++ {
		if c := t.at(v); c.Adds || c.Removes {
			times = append(times, fmt.Sprintf("(CAST(%d AS BIGINT), TIMESTAMP %s)", v, quoteText(c.Time.UTC().Format("2006-01-02 15:04:05.000"))))
		}
	}
	if len(times) == 0 {
		times = []string{"(CAST(-1 AS BIGINT), TIMESTAMP " + quoteText(time.Unix(0, 0).UTC().Format("2006-01-02 15:04:05")) + ")"}
	}
	came := fmt.Sprintf("CASE came WHEN %d THEN 'update_postimage' ELSE 'insert' END AS __type, added AS __version", cameUpdated)
	went := fmt.Sprintf("CASE went WHEN %d THEN 'update_preimage' ELSE 'delete' END AS __type, removed AS __version", wentUpdated)
	list := strings.Join(m.physical(), ", ")
	rows := fmt.Sprintf("SELECT %[1]s, %[2]s FROM %[3]s UNION ALL SELECT %[1]s, %[2]s FROM %[4]s UNION ALL SELECT %[1]s, %[5]s FROM %[4]s", list, came, m.rowsTable(), m.removedTable(), went)
	return fmt.Sprintf(`(SELECT %s, __type AS "_change_type", __version AS "_commit_version", k.since AS "_commit_timestamp" FROM (%s) AS r JOIN (VALUES %s) AS k(v, since) ON k.v = r.__version)`,
		m.selected(), rows, strings.Join(times, ", "))
}

//go:build cgo

package duck

import (
	"context"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// travel is the version that VERSION AS OF or TIMESTAMP AS OF means, if it may be read.
func (w *work) travel(ctx context.Context, t *table, version *int64, timestampSQL string) (int64, error) {
	v, err := w.resolve(ctx, t, version, timestampSQL)
	if err != nil {
		return 0, err
	}
	return v, w.readable(t, v)
}

func (w *work) resolve(ctx context.Context, t *table, version *int64, timestampSQL string) (int64, error) {
	if version == nil {
		at, err := w.instant(ctx, timestampSQL)
		if err != nil {
			return 0, err
		}
		return w.versionAt(t, at)
	}
	if t.at(*version) == nil {
		return 0, newError("DELTA_VERSION_NOT_FOUND", "Cannot time travel Delta table to version %d. Available versions: [%d, %d].", *version, t.earliest().Version, t.version())
	}
	return *version, nil
}

// instant evaluates a DuckDB expression of a TIMESTAMP in UTC.
func (w *work) instant(ctx context.Context, sql string) (time.Time, error) {
	var at *string
	err := w.conn.each(ctx, "SELECT epoch_us(CAST("+sql+" AS TIMESTAMP))", func(v []*string) error { at = v[0]; return nil })
	if err != nil {
		return time.Time{}, err
	}
	if at == nil {
		return time.Time{}, newError("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", "The time travel timestamp expression is invalid. Cannot be casted to the \"TIMESTAMP\" type.")
	}
	us, err := parseWhole(at)
	return time.UnixMicro(us).UTC(), err
}

// versionAt is the last commit at or before an instant. Delta refuses one after the last commit.
func (w *work) versionAt(t *table, at time.Time) (int64, error) {
	if first := t.earliest(); at.Before(first.Time) {
		return 0, newError("DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
			"The provided timestamp (%s) is before the earliest version available to this table (%s). Please use a timestamp after %s.", w.show(at), quoteSparkName(t.Name), w.show(first.Time))
	}
	if last := t.latest(); at.After(last.Time) {
		return 0, newError("DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
			"The provided timestamp (%s) is after the latest version available to this table (%s). Please use a timestamp before or at %s.", w.show(at), quoteSparkName(t.Name), w.show(last.Time))
	}
	v := t.earliest().Version
	for _, c := range t.commits {
		if c.Time.After(at) {
			break
		}
		v = c.Version
	}
	return v, nil
}

func (w *work) show(at time.Time) string { return timeText(at.UnixMicro(), w.zone) }

// readable applies the rule of delta.deletedFileRetentionDuration: a version older than it is not read even when its
// files are still there. The latest version always is.
func (w *work) readable(t *table, version int64) error {
	if version == t.version() {
		return nil
	}
	retention := t.meta().retention(deletedFileRetention)
	if t.at(version).Time.Before(w.now.Add(-retention)) {
		return errBeyondRetention(retention)
	}
	return nil
}

func errBeyondRetention(retention time.Duration) error {
	return newError("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
		"Cannot time travel beyond delta.deletedFileRetentionDuration (%d HOURS) set on the table.", int64(retention/time.Hour))
}

// asOf resolves the clause of RESTORE.
func (w *work) asOf(ctx context.Context, t *table, a dialect.AsOf) (int64, error) {
	if a.Version != nil {
		return w.travel(ctx, t, a.Version, "")
	}
	r, err := w.rewriter()
	if err != nil {
		return 0, err
	}
	sql, err := r.Timestamp(ctx, a.Timestamp)
	if err != nil {
		return 0, err
	}
	return w.travel(ctx, t, nil, sql)
}

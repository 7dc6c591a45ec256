//go:build cgo

package duck

import (
	"context"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// vacuum runs VACUUM: files removed longer ago than the retention are gone, and with them the versions that read them.
// RETAIN is ignored but for 0, as Delta does since 4.1 (delta-io/delta#5028).
func (w *work) vacuum(ctx context.Context, st *dialect.Vacuum) (*answer, error) {
	t, err := w.findTable(st.Name, "VACUUM")
	if err != nil {
		return nil, err
	}
	retention := t.meta().retention(deletedFileRetention)
	if st.RetainHours != nil && *st.RetainHours == 0 {
		if retention > 0 {
			return nil, newError("DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
				"Are you sure you would like to vacuum files with such a low retention period? If you have writers that are currently writing to this table, there is a risk that you may corrupt the state of your Delta table. If you are certain that there are no operations being performed on this table, such as insert/upsert/delete/optimize, then you may turn off this check by setting: spark.databricks.delta.retentionDurationCheck.enabled = false. If you are not sure, please use a value not less than \"%d hours\".", int64(retention/time.Hour))
		}
	}
	stale, last := t.staleFiles(w.now.Add(-retention))
	a := &answer{columns: columnsOf("path", "string")}
	if st.DryRun {
		for _, f := range stale {
			a.add(fmt.Sprintf("%s/part-%05d.snappy.parquet", t.location(), f.Number))
		}
		return a, nil
	}
	t = w.change(t)
	w.vacuumCommits(t, st, retention, stale)
	if err := w.purge(ctx, t, last); err != nil {
		return nil, err
	}
	a.add(t.location())
	return a, nil
}

// staleFiles are the files removed before a moment and not yet deleted, and the last version that removed one, or −1.
func (t *table) staleFiles(cutoff time.Time) ([]*file, int64) {
	var out []*file
	last := int64(-1)
	stale := func(f *file) bool {
		if f.Removed == live {
			return false
		}
		c := t.at(f.Removed)
		return c == nil || c.Time.Before(cutoff)
	}
	kept := map[int64]bool{}
	for _, f := range t.files {
		if !stale(f) {
			kept[f.Path] = true
		}
	}
	for _, f := range t.files {
		if f.Vacuumed || !stale(f) || kept[f.Path] {
			continue
		}
		out = append(out, f)
		last = max(last, f.Removed)
	}
	return out, last
}

func (w *work) vacuumCommits(t *table, st *dialect.Vacuum, retention time.Duration, stale []*file) {
	start := w.draft(t, "VACUUM START")
	start.Isolation, start.BlindAppend = "SnapshotIsolation", true
	start.Parameters["retentionCheckEnabled"] = "true"
	start.Parameters["defaultRetentionMillis"] = cellText(retention.Milliseconds())
	if st.RetainHours != nil {
		start.Parameters["specifiedRetentionMillis"] = cellText(int64(*st.RetainHours * 3600_000))
	}
	var bytes int64
	for _, f := range stale {
		bytes += f.Bytes
	}
	start.metric("numFilesToDelete", len(stale))
	start.metric("sizeOfDataToDelete", bytes)
	t.add(start)
	for i, f := range t.files {
		for _, s := range stale {
			if s == f {
				gone := *f
				gone.Vacuumed = true
				t.files[i] = &gone
			}
		}
	}
	end := w.draft(t, "VACUUM END")
	end.Isolation, end.BlindAppend = "SnapshotIsolation", true
	end.Parameters["status"] = "COMPLETED"
	end.metric("numDeletedFiles", len(stale))
	end.metric("numVacuumedDirectories", 1)
	t.add(end)
}

// purge drops the rows that no version can read any more. A row goes when its file does, so once every file removed up
// to a version is deleted, no version that had a row removed up to then can be read. A removed file may still be there:
// a deletion vector or a RESTORE keeps its path in use.
func (w *work) purge(ctx context.Context, t *table, last int64) error {
	for _, f := range t.files {
		if f.Removed != live && !f.Vacuumed {
			last = min(last, f.Removed-1)
		}
	}
	if last < 0 {
		return nil
	}
	for _, c := range t.commits {
		if c.Meta == nil {
			continue
		}
		if closed, ok := t.Closed[c.Meta.Store]; ok && closed <= last {
			if _, err := w.conn.exec(ctx, fmt.Sprintf("DELETE FROM %s; DELETE FROM %s", c.Meta.rowsTable(), c.Meta.removedTable())); err != nil {
				return err
			}
		}
	}
	_, err := w.conn.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE removed <= %d", t.meta().removedTable(), last))
	return err
}

// analyze runs ANALYZE TABLE, which on Databricks succeeds and leaves nothing to see in the history.
func (w *work) analyze(_ context.Context, st *dialect.Analyze) (*answer, error) {
	t, err := w.findTable(st.Name, "ANALYZE TABLE")
	if err != nil {
		return nil, err
	}
	for _, name := range st.Columns {
		if t.meta().column(name) == nil {
			return nil, newError("UNRESOLVED_COLUMN.WITH_SUGGESTION", "A column, variable, or function parameter with name `%s` cannot be resolved.", name)
		}
	}
	return nil, nil
}

//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// restore runs RESTORE: the rows, files and metadata of an older version become the newest.
func (w *work) restore(ctx context.Context, st *dialect.Restore) (*answer, error) {
	t, err := w.findTable(st.Name, "RESTORE")
	if err != nil {
		return nil, err
	}
	version, err := w.asOf(ctx, t, st.Version)
	if err != nil {
		return nil, err
	}
	if gone := t.missingFile(version); gone != nil {
		return nil, errFileMissing(t, gone)
	}
	t = w.change(t)
	c := w.draft(t, "RESTORE")
	before, after := t.meta(), t.metaAt(version)
	if after.Store == before.Store {
		err = w.restoreRows(ctx, t, c, version)
	} else {
		err = w.restoreStore(ctx, t, c, version)
	}
	if err != nil {
		return nil, err
	}
	if after != before && c.Meta == nil {
		c.Meta = after.clone()
		c.Meta.NextColumn = max(before.NextColumn, after.NextColumn)
	}
	var e effect
	t.restoreFiles(&e, version, c.Version)
	if st.Version.Version != nil {
		c.Parameters["version"] = cellText(*st.Version.Version)
	} else {
		c.Parameters["timestamp"] = t.at(version).Time.In(w.zone).Format("2006-01-02 15:04:05.999")
	}
	files, size := t.liveFiles(c.Version), int64(0)
	for _, f := range files {
		size += f.Bytes
	}
	a := &answer{columns: columnsOf("table_size_after_restore", "bigint", "num_of_files_after_restore", "bigint", "num_removed_files", "bigint",
		"num_restored_files", "bigint", "removed_files_size", "bigint", "restored_files_size", "bigint")}
	a.add(size, len(files), len(e.removed), len(e.added), e.removedBytes, e.addedBytes)
	c.metric("tableSizeAfterRestore", size)
	c.metric("numOfFilesAfterRestore", len(files))
	c.metric("numRemovedFiles", len(e.removed))
	c.metric("numRestoredFiles", len(e.added))
	c.metric("removedFilesSize", e.removedBytes)
	c.metric("restoredFilesSize", e.addedBytes)
	t.add(c)
	return a, nil
}

// restoreRows buries the rows that came since and brings back those that went.
func (w *work) restoreRows(ctx context.Context, t *table, c *commit, version int64) error {
	m := t.meta()
	if err := w.scratch(ctx, "wt_back", fmt.Sprintf("SELECT * FROM %s WHERE added <= %d AND removed > %[2]d", m.removedTable(), version)); err != nil {
		return err
	}
	if _, err := w.conn.exec(ctx, m.buryWhere(c.Version, wentDeleted, fmt.Sprintf("added > %d", version))); err != nil {
		return err
	}
	went, err := w.conn.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE added > %d", m.rowsTable(), version))
	if err != nil {
		return err
	}
	list := m.stored()
	came, err := w.conn.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s, added, file, came) SELECT %[2]s, %d, file, %d FROM temp.wt_back", m.rowsTable(), list, c.Version, cameInserted))
	c.Adds, c.Removes = came > 0, went > 0
	return err
}

// restoreStore brings back a version from before the table was replaced, in a new store.
func (w *work) restoreStore(ctx context.Context, t *table, c *commit, version int64) error {
	old := t.metaAt(version)
	m := old.clone()
	m.Store, m.NextColumn = w.catalog.next, 0
	w.catalog.next++
	columns := m.Columns
	m.Columns = nil
	for _, c := range columns {
		m.addColumn(c)
	}
	if err := w.makeStore(ctx, m); err != nil {
		return err
	}
	selected := strings.Join(append(old.physical(), fmt.Sprint(c.Version), "file", fmt.Sprint(cameInserted)), ", ")
	came, err := w.conn.exec(ctx, m.into()+t.rowsSQL(version, selected))
	if err != nil {
		return err
	}
	if t.Closed == nil {
		t.Closed = map[int64]int64{}
	}
	t.Closed[t.meta().Store] = c.Version
	c.Meta, c.Adds, c.Removes = m, came > 0, true
	return nil
}

// restoreFiles ends the files that came since and brings back those that went. What OPTIMIZE packed since is unpacked.
func (t *table) restoreFiles(e *effect, version, at int64) {
	if t.Restores == nil {
		t.Restores = map[int64]int64{}
	}
	t.Restores[at] = version
	t.packed = t.packedAt(version)
	for _, f := range t.liveFiles(at - 1) {
		if !f.liveAt(version) {
			t.removeFile(e, f, at)
		}
	}
	for _, f := range t.liveFiles(version) {
		if f.Removed == live {
			continue
		}
		t.Next++
		back := *f
		back.Number, back.Added, back.Removed, back.Into = t.Next, at, live, 0
		t.files = append(t.files, &back)
		e.add(&back)
	}
}

//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// current is the live rows as expressions over the target see them: as t, with the row's place and lineage.
func (m *metadata) current() string {
	return fmt.Sprintf("(SELECT rowid AS __row, file AS __file, %s FROM %s) AS t", m.selected(), m.rowsTable())
}

// removeWhere moves the live rows of a predicate over t ("" is all) to the removed ones.
func (w *work) removeWhere(ctx context.Context, t *table, e *effect, version int64, predicate string, went int) (int64, error) {
	if predicate == "" {
		return w.removeAll(ctx, t, e, version, went)
	}
	m := t.meta()
	if err := w.scratch(ctx, "wt_hit", fmt.Sprintf("SELECT __row AS r FROM %s WHERE %s", m.current(), predicate)); err != nil {
		return 0, err
	}
	delta, rows, err := w.removeHit(ctx, t, version, went)
	if err != nil || rows == 0 {
		return 0, err
	}
	e.copied += t.rewrite(e, version, delta)
	return rows, nil
}

// removeHit moves the rows listed in wt_hit and says how many each lineage loses, as negative numbers.
func (w *work) removeHit(ctx context.Context, t *table, version int64, went int) (map[int64]int64, int64, error) {
	m := t.meta()
	delta := map[int64]int64{}
	var rows int64
	const inHit = "rowid IN (SELECT r FROM temp.wt_hit)"
	err := w.conn.each(ctx, fmt.Sprintf("SELECT file, count(*) FROM %s WHERE %s GROUP BY file", m.rowsTable(), inHit), func(v []*string) error {
		lineage, _ := parseWhole(v[0])
		n, err := parseWhole(v[1])
		delta[lineage] -= n
		rows += n
		return err
	})
	if err != nil || rows == 0 {
		return nil, 0, err
	}
	if _, err := w.conn.exec(ctx, m.buryWhere(version, went, inHit)); err != nil {
		return nil, 0, err
	}
	_, err = w.conn.exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s", m.rowsTable(), inHit))
	return delta, rows, err
}

// buryWhere copies live rows to the removed ones.
func (m *metadata) buryWhere(version int64, went int, where string) string {
	list := m.stored() + ", added, file, came"
	return fmt.Sprintf("INSERT INTO %s (%s, removed, went) SELECT %[2]s, %d, %d FROM %s WHERE %s", m.removedTable(), list, version, went, m.rowsTable(), where)
}

func (w *work) removeAll(ctx context.Context, t *table, e *effect, version int64, went int) (int64, error) {
	m := t.meta()
	if _, err := w.conn.exec(ctx, m.buryWhere(version, went, "true")); err != nil {
		return 0, err
	}
	rows, err := w.conn.exec(ctx, "DELETE FROM "+m.rowsTable())
	if err != nil {
		return 0, err
	}
	t.removeAll(e, version)
	return rows, nil
}

// delete runs DELETE FROM.
func (w *work) delete(ctx context.Context, st *dialect.Delete) (*answer, error) {
	t, err := w.findTable(st.Table, "DELETE")
	if err != nil {
		return nil, err
	}
	if t.meta().is(appendOnly) {
		return nil, errAppendOnly(t)
	}
	predicate := ""
	if st.Where != nil {
		if dialect.HasSubquery(st.Where) {
			return nil, w.errSubquery("DELETE", st.Where)
		}
		r, err := w.rewriter()
		if err != nil {
			return nil, err
		}
		target := t.target()
		target.As = st.Alias
		if predicate, err = r.Predicate(ctx, target, st.Where); err != nil {
			return nil, err
		}
	}
	t = w.change(t)
	c := w.draft(t, "DELETE")
	var e effect
	rows, err := w.removeWhere(ctx, t, &e, c.Version, predicate, wentDeleted)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: columnsOf("num_affected_rows", "bigint")}
	a.add(rows)
	if rows == 0 {
		w.unchange(t)
		return a, nil
	}
	c.Removes = true
	c.Parameters["predicate"] = "[]"
	if st.Where != nil {
		c.Parameters["predicate"] = compactJSON([]string{w.expressionText(st.Where, predicate)})
		c.metric("numCopiedRows", e.copied)
		c.metric("numAddedFiles", len(e.added))
		c.metric("numAddedBytes", e.addedBytes)
	}
	c.metric("numDeletedRows", rows)
	c.removeMetrics(&e)
	t.add(c)
	return a, nil
}

func (c *commit) removeMetrics(e *effect) {
	marked := 0
	for _, f := range e.added {
		if f.Path != f.Number {
			marked++
		}
	}
	c.metric("numRemovedFiles", len(e.removed)-marked)
	c.metric("numRemovedBytes", e.removedBytes)
	c.metric("numDeletionVectorsAdded", marked)
	c.metric("numAddedChangeFiles", 0)
	for _, m := range []string{"numDeletionVectorsRemoved", "numDeletionVectorsUpdated", "executionTimeMs", "scanTimeMs", "rewriteTimeMs"} {
		c.metric(m, 0)
	}
}

// unchange takes back the statement's copy of a table that it has not changed after all.
func (w *work) unchange(t *table) {
	w.catalog.tables[tableKey(t.Name)] = w.before.tables[tableKey(t.Name)]
}

// truncate runs TRUNCATE TABLE.
func (w *work) truncate(ctx context.Context, st *dialect.Truncate) (*answer, error) {
	t, err := w.findTable(st.Name, "TRUNCATE TABLE")
	if err != nil {
		return nil, err
	}
	if t.meta().is(appendOnly) {
		return nil, errAppendOnly(t)
	}
	t = w.change(t)
	c := w.draft(t, "TRUNCATE")
	var e effect
	rows, err := w.removeAll(ctx, t, &e, c.Version, wentDeleted)
	if err != nil {
		return nil, err
	}
	c.Removes = rows > 0
	c.metric("numRemovedFiles", len(e.removed))
	t.add(c)
	return nil, nil
}

// update runs UPDATE.
func (w *work) update(ctx context.Context, st *dialect.Update) (*answer, error) {
	t, err := w.findTable(st.Table, "UPDATE")
	if err != nil {
		return nil, err
	}
	if t.meta().is(appendOnly) {
		return nil, errAppendOnly(t)
	}
	if st.Where != nil && dialect.HasSubquery(st.Where) {
		return nil, w.errSubquery("UPDATE", st.Where)
	}
	r, err := w.rewriter()
	if err != nil {
		return nil, err
	}
	parts, err := r.Update(ctx, st, t.target())
	if err != nil {
		return nil, err
	}
	t = w.change(t)
	m := t.meta()
	where := "true"
	if parts.Where != "" {
		where = parts.Where
	}
	query := fmt.Sprintf("SELECT t.__row AS r, t.__file AS file, %s FROM %s WHERE %s", m.valueList(parts.Values), m.current(), where)
	c := w.draft(t, "UPDATE")
	var e effect
	rows, err := w.replaceRows(ctx, t, &e, c.Version, query)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: columnsOf("num_affected_rows", "bigint")}
	a.add(rows)
	if rows == 0 {
		w.unchange(t)
		return a, nil
	}
	c.Adds, c.Removes = true, true
	c.Parameters["predicate"] = "[]"
	if st.Where != nil {
		c.Parameters["predicate"] = compactJSON([]string{w.expressionText(st.Where, parts.Where)})
	}
	c.metric("numUpdatedRows", rows)
	c.metric("numCopiedRows", max(0, e.copied-rows))
	c.metric("numAddedFiles", len(e.added))
	c.metric("numAddedBytes", e.addedBytes)
	c.removeMetrics(&e)
	t.add(c)
	return a, nil
}

// valueList names the values of a row by the table's physical columns.
func (m *metadata) valueList(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v + " AS " + m.Columns[i].Physical
	}
	return strings.Join(out, ", ")
}

// replaceRows removes rows and adds others in their place. The query gives r, the row's place, file, its lineage, and
// the new values under their physical names.
func (w *work) replaceRows(ctx context.Context, t *table, e *effect, version int64, query string) (int64, error) {
	m := t.meta()
	query, err := w.generate(ctx, t, query, false, "r", "file")
	if err != nil {
		return 0, err
	}
	if err := w.scratch(ctx, "wt_changed", query); err != nil {
		return 0, err
	}
	if err := w.scratch(ctx, "wt_hit", "SELECT r FROM temp.wt_changed"); err != nil {
		return 0, err
	}
	delta, rows, err := w.removeHit(ctx, t, version, wentUpdated)
	if err != nil || rows == 0 {
		return 0, err
	}
	if len(m.PartitionBy) > 0 {
		e.copied += t.rewrite(e, version, delta)
		_, err := w.appendRows(ctx, t, e, version, "SELECT "+strings.Join(m.physical(), ", ")+" FROM temp.wt_changed", cameUpdated)
		return rows, err
	}
	for lineage := range delta {
		delta[lineage] = 0
	}
	e.copied += t.rewrite(e, version, delta)
	_, err = w.conn.exec(ctx, m.into()+fmt.Sprintf("SELECT %s, %d, q.file, %d FROM temp.wt_changed AS q", m.checked(), version, cameUpdated))
	return rows, err
}

func (w *work) errSubquery(operation string, where dialect.Expr) error {
	return dialect.NewError("DELTA_UNSUPPORTED_SUBQUERY", fmt.Sprintf("Subqueries are not supported in the %s (condition = (%s)).", operation, w.expressionText(where, "")))
}

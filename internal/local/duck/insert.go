//go:build cgo

package duck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// How a row came and how it went, as the change feed tells them apart.
const (
	cameInserted = 0
	cameUpdated  = 1
	wentDeleted  = 0
	wentUpdated  = 1
)

func (w *work) rewriter() (*dialect.Rewriter, error) { return dialect.NewRewriter(w.session, w) }

func (w *work) compile(ctx context.Context, q *dialect.Query) (dialect.Compiled, error) {
	r, err := w.rewriter()
	if err != nil {
		return dialect.Compiled{}, err
	}
	return r.Query(ctx, q)
}

// insert runs INSERT INTO, OVERWRITE and REPLACE WHERE.
func (w *work) insert(ctx context.Context, st *dialect.Insert) (*answer, error) {
	t, err := w.findTable(st.Table, "INSERT")
	if err != nil {
		return nil, err
	}
	r, err := w.rewriter()
	if err != nil {
		return nil, err
	}
	compiled, err := r.Insert(ctx, st, t.target())
	if err != nil {
		return nil, err
	}
	query, err := w.generate(ctx, t, compiled.SQL, true)
	if err != nil {
		return nil, err
	}
	if st.Overwrite || st.ReplaceWhere != nil {
		return inserted(), w.overwrite(ctx, t, st, query)
	}
	t = w.change(t)
	c := w.draft(t, "WRITE")
	var e effect
	rows, err := w.appendRows(ctx, t, &e, c.Version, query, cameInserted)
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		w.unchange(t)
		return inserted(), nil
	}
	c.Adds, c.BlindAppend = true, true
	c.writeParameters("Append", t.meta(), "")
	c.writeMetrics(&e, rows)
	t.add(c)
	return inserted(), nil
}

// inserted is what Spark answers to an INSERT: nothing.
func inserted() *answer { return &answer{} }

func (c *commit) writeParameters(mode string, m *metadata, predicate string) {
	c.Parameters["mode"] = mode
	c.Parameters["partitionBy"] = partitionJSON(m)
	if predicate != "" {
		c.Parameters["predicate"] = predicate
	}
}

func partitionJSON(m *metadata) string {
	if len(m.PartitionBy) == 0 {
		return "[]"
	}
	return compactJSON(m.PartitionBy)
}

func (c *commit) writeMetrics(e *effect, rows int64) {
	c.metric("numFiles", len(e.added))
	c.metric("numOutputRows", rows)
	c.metric("numOutputBytes", e.addedBytes)
}

// overwrite replaces all rows, or those of a predicate. The new rows are computed before the old ones go.
func (w *work) overwrite(ctx context.Context, t *table, st *dialect.Insert, query string) error {
	if t.meta().is(appendOnly) {
		return errAppendOnly(t)
	}
	if err := w.scratch(ctx, "wt_new", query); err != nil {
		return err
	}
	predicate := ""
	if st.ReplaceWhere != nil {
		r, err := w.rewriter()
		if err != nil {
			return err
		}
		if predicate, err = r.Predicate(ctx, t.target(), st.ReplaceWhere); err != nil {
			return err
		}
		if err := w.checkReplaceWhere(ctx, t, predicate); err != nil {
			return err
		}
	}
	t = w.change(t)
	c := w.draft(t, "WRITE")
	var e effect
	went, err := w.removeWhere(ctx, t, &e, c.Version, predicate, wentDeleted)
	if err != nil {
		return err
	}
	rows, err := w.appendRows(ctx, t, &e, c.Version, "SELECT * FROM temp.wt_new", cameInserted)
	if err != nil {
		return err
	}
	c.Adds, c.Removes = rows > 0, went > 0
	shown := ""
	if st.ReplaceWhere != nil {
		shown = w.expressionText(st.ReplaceWhere, predicate)
	}
	c.writeParameters("Overwrite", t.meta(), shown)
	c.writeMetrics(&e, rows)
	c.metric("numRemovedFiles", len(e.removed))
	c.metric("numRemovedBytes", e.removedBytes)
	if st.ReplaceWhere != nil {
		c.metric("numDeletedRows", went)
	}
	t.add(c)
	return nil
}

func (w *work) checkReplaceWhere(ctx context.Context, t *table, predicate string) error {
	names := make([]string, 0, len(t.meta().Columns))
	for _, c := range t.meta().Columns {
		names = append(names, quoteName(c.Name))
	}
	n, err := w.conn.number(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT * FROM temp.wt_new) AS t(%s) WHERE (%s) IS NOT TRUE", strings.Join(names, ", "), predicate))
	if err != nil || n == 0 {
		return err
	}
	return newError("DELTA_REPLACE_WHERE_MISMATCH", "Written data does not conform to partial table overwrite condition or constraint '%s'.", predicate)
}

// appendRows adds the rows of a query, which gives the table's columns in order, as one new file per partition.
func (w *work) appendRows(ctx context.Context, t *table, e *effect, version int64, query string, came int) (int64, error) {
	m := t.meta()
	if len(m.PartitionBy) > 0 {
		return w.appendPartitioned(ctx, t, e, version, query, came)
	}
	lineage := t.newLineage()
	rows, err := w.conn.exec(ctx, m.into()+fmt.Sprintf("SELECT %s, %d, %d, %d FROM (%s) AS q(%s)",
		m.checked(), version, lineage, came, query, strings.Join(m.physical(), ", ")))
	if err != nil {
		return 0, err
	}
	if rows > 0 {
		t.newFile(e, lineage, version, rows, "")
	}
	return rows, nil
}

func (w *work) appendPartitioned(ctx context.Context, t *table, e *effect, version int64, query string, came int) (int64, error) {
	m := t.meta()
	err := w.scratch(ctx, "wt_rows", fmt.Sprintf("SELECT * FROM (%s) AS q(%s)", query, strings.Join(m.physical(), ", ")))
	if err != nil {
		return 0, err
	}
	keys := m.partitionKeys()
	err = w.scratch(ctx, "wt_parts", fmt.Sprintf("SELECT %s, count(*) AS n, row_number() OVER (ORDER BY %[1]s) + %d AS lineage FROM temp.wt_rows GROUP BY %[1]s",
		strings.Join(keys, ", "), t.Next))
	if err != nil {
		return 0, err
	}
	var rows, last int64
	err = w.conn.each(ctx, fmt.Sprintf("SELECT n, lineage, %s FROM temp.wt_parts ORDER BY lineage", m.partitionLabel("")), func(v []*string) error {
		n, _ := parseWhole(v[0])
		lineage, _ := parseWhole(v[1])
		t.Next = max(t.Next, lineage)
		rows, last = rows+n, lineage
		return nil
	})
	if err != nil || rows == 0 {
		return 0, err
	}
	t.Next = last
	err = w.conn.each(ctx, fmt.Sprintf("SELECT n, lineage, %s FROM temp.wt_parts ORDER BY lineage", m.partitionLabel("")), func(v []*string) error {
		n, _ := parseWhole(v[0])
		lineage, _ := parseWhole(v[1])
		t.newFile(e, lineage, version, n, *v[2])
		return nil
	})
	if err != nil {
		return 0, err
	}
	var on []string
	for _, k := range keys {
		on = append(on, fmt.Sprintf("q.%s IS NOT DISTINCT FROM p.%s", k, k))
	}
	_, err = w.conn.exec(ctx, m.into()+fmt.Sprintf("SELECT %s, %d, p.lineage, %d FROM temp.wt_rows AS q JOIN temp.wt_parts AS p ON %s",
		m.checked(), version, came, strings.Join(on, " AND ")))
	return rows, err
}

// partitionKeys are the DuckDB columns of the partitioning.
func (m *metadata) partitionKeys() []string {
	var out []string
	for _, p := range m.PartitionBy {
		if c := m.column(p); c != nil {
			out = append(out, c.Physical)
		}
	}
	return out
}

// partitionLabel is DuckDB SQL of a text that is the same for rows of one partition.
func (m *metadata) partitionLabel(alias string) string {
	var out []string
	for _, k := range m.partitionKeys() {
		out = append(out, fmt.Sprintf("coalesce('=' || CAST(%s%s AS VARCHAR), '')", alias, k))
	}
	return strings.Join(out, " || '/' || ")
}

const notNullMark = "WT_NOT_NULL:"

// checked selects the physical columns of q, refusing NULL where the table does.
func (m *metadata) checked() string {
	out := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		out[i] = "q." + c.Physical
		if c.NotNull {
			out[i] = fmt.Sprintf("CASE WHEN %s IS NULL THEN error(%s) ELSE %[1]s END", out[i], quoteText(notNullMark+c.Name+notNullMark))
		}
	}
	return strings.Join(out, ", ")
}

const generatedMark = "WT_GENERATED:"

// generate computes the generated columns of a query that gives the table's columns in order, after the columns named
// before them. With check, a value that was given must be the generated one.
func (w *work) generate(ctx context.Context, t *table, query string, check bool, before ...string) (string, error) {
	m := t.meta()
	generated := false
	for _, c := range m.Columns {
		generated = generated || c.Generated != ""
	}
	if !generated {
		return query, nil
	}
	r, err := w.rewriter()
	if err != nil {
		return "", err
	}
	expressions, err := r.Generated(ctx, t.target())
	if err != nil {
		return "", err
	}
	names, items := slices.Clone(before), slices.Clone(before)
	for i, c := range m.Columns {
		item := "t." + quoteName(c.Name)
		if expressions[i] != "" {
			given := item
			item = expressions[i]
			if check {
				item = fmt.Sprintf("CASE WHEN %s IS NOT NULL AND %[1]s IS DISTINCT FROM (%s) THEN error(%s) ELSE %[2]s END", given, item, quoteText(generatedMark+c.Name+generatedMark))
			}
		}
		names = append(names, quoteName(c.Name))
		items = append(items, item+" AS "+c.Physical)
	}
	return fmt.Sprintf("SELECT %s FROM (%s) AS t(%s)", strings.Join(items, ", "), query, strings.Join(names, ", ")), nil
}

// expressionText is an expression as a history shows it.
func (w *work) expressionText(e dialect.Expr, sql string) string {
	if text := dialect.Text(w.statement.Text, e); text != "" {
		return text
	}
	return sql
}

//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// merging is a MERGE at work.
type merging struct {
	*work
	t     *table
	m     *metadata
	parts dialect.MergeSQL
	c     *commit
	e     effect

	source, updated, deleted, inserted int64
}

// merge runs MERGE INTO. The source is read once; every source and target row is then judged by the first clause of
// its kind whose condition holds.
func (w *work) merge(ctx context.Context, st *dialect.Merge) (*answer, error) {
	t, err := w.findTable(st.Target, "MERGE")
	if err != nil {
		return nil, err
	}
	if st.SchemaEvolution {
		return nil, refuse("MERGE WITH SCHEMA EVOLUTION")
	}
	r, err := w.rewriter()
	if err != nil {
		return nil, err
	}
	parts, err := r.Merge(ctx, st, t.target())
	if err != nil {
		return nil, err
	}
	if t.meta().is(appendOnly) {
		for _, k := range parts.Clauses {
			if k.Action != dialect.MergeInsert {
				return nil, errAppendOnly(t)
			}
		}
	}
	t = w.change(t)
	g := &merging{work: w, t: t, m: t.meta(), parts: parts, c: w.draft(t, "MERGE")}
	if err := g.run(ctx); err != nil {
		return nil, err
	}
	a := &answer{columns: columnsOf("num_affected_rows", "bigint", "num_updated_rows", "bigint", "num_deleted_rows", "bigint", "num_inserted_rows", "bigint")}
	a.add(g.updated+g.deleted+g.inserted, g.updated, g.deleted, g.inserted)
	if g.updated+g.deleted+g.inserted == 0 {
		w.unchange(t)
		return a, nil
	}
	g.describe(st)
	t.add(g.c)
	return a, nil
}

func (g *merging) clauses(kind dialect.MergeKind) []dialect.MergeClauseSQL {
	var out []dialect.MergeClauseSQL
	for _, k := range g.parts.Clauses {
		if k.Kind == kind {
			out = append(out, k)
		}
	}
	return out
}

// firstOf is DuckDB SQL of the index of the first clause whose condition holds, or NULL.
func firstOf(clauses []dialect.MergeClauseSQL) string {
	if len(clauses) == 0 {
		return "CAST(NULL AS INTEGER)"
	}
	var b strings.Builder
	b.WriteString("CASE")
	for i, k := range clauses {
		condition := k.Condition
		if condition == "" {
			condition = "true"
		}
		fmt.Fprintf(&b, " WHEN %s THEN %d", condition, i)
	}
	return b.String() + " END"
}

const sourceRows = "(SELECT rowid AS __row, * FROM temp.wt_source) AS s"

func (g *merging) run(ctx context.Context) error {
	if err := g.scratch(ctx, "wt_source", "SELECT * FROM "+g.parts.Source.SQL+" AS s"); err != nil {
		return err
	}
	var err error
	if g.source, err = g.conn.number(ctx, "SELECT count(*) FROM temp.wt_source"); err != nil {
		return err
	}
	if err := g.pair(ctx); err != nil {
		return err
	}
	if err := g.gather(ctx); err != nil {
		return err
	}
	return g.apply(ctx)
}

// pair joins source and target: r and q are the rows' places, a the clause that takes the pair.
func (g *merging) pair(ctx context.Context) error {
	matched, bySource := g.clauses(dialect.Matched), g.clauses(dialect.NotMatchedBySource)
	if len(matched)+len(bySource) == 0 {
		return g.scratch(ctx, "wt_pair", fmt.Sprintf("SELECT CAST(NULL AS BIGINT) AS r, s.__row AS q, CAST(NULL AS INTEGER) AS a FROM %s SEMI JOIN %s ON %s", sourceRows, g.m.current(), g.parts.On))
	}
	if err := g.scratch(ctx, "wt_pair", fmt.Sprintf("SELECT t.__row AS r, s.__row AS q, %s AS a FROM %s JOIN %s ON %s", firstOf(matched), g.m.current(), sourceRows, g.parts.On)); err != nil {
		return err
	}
	if len(matched) == 1 && matched[0].Action == dialect.MergeDelete && matched[0].Condition == "" {
		// Delta lets one unconditional DELETE match twice: the outcome is the same.
		return nil
	}
	n, err := g.conn.number(ctx, "SELECT count(*) FROM (SELECT r FROM temp.wt_pair WHERE a IS NOT NULL GROUP BY r HAVING count(*) > 1 LIMIT 1)")
	if err != nil || n == 0 {
		return err
	}
	return newError("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
		"Cannot perform Merge as multiple source rows matched and attempted to modify the same target row in the Delta table in possibly conflicting ways. By SQL semantics of Merge, when multiple source rows match on the same target row, the result may be ambiguous as it is unclear which source row should be used to update or delete the matching target row. You can preprocess the source table to eliminate the possibility of multiple matches.")
}

// gather computes what to do, from the rows as they were: wt_gone (r), wt_updates (r, file, values), wt_inserts (values).
func (g *merging) gather(ctx context.Context) error {
	matched, bySource := g.clauses(dialect.Matched), g.clauses(dialect.NotMatchedBySource)
	if len(bySource) > 0 {
		if err := g.scratch(ctx, "wt_alone", fmt.Sprintf("SELECT t.__row AS r, %s AS a FROM %s WHERE t.__row NOT IN (SELECT r FROM temp.wt_pair)", firstOf(bySource), g.m.current())); err != nil {
			return err
		}
	}
	var gone, updates []string
	collect := func(clauses []dialect.MergeClauseSQL, from, join string) {
		for i, k := range clauses {
			if k.Action == dialect.MergeDelete {
				gone = append(gone, fmt.Sprintf("SELECT DISTINCT r FROM temp.%s WHERE a = %d", from, i))
				continue
			}
			updates = append(updates, fmt.Sprintf("SELECT t.__row AS r, t.__file AS file, %s FROM temp.%s AS p JOIN %s ON t.__row = p.r %s WHERE p.a = %d",
				g.m.valueList(k.Values), from, g.m.current(), join, i))
		}
	}
	collect(matched, "wt_pair", "JOIN "+sourceRows+" ON s.__row = p.q")
	collect(bySource, "wt_alone", "")
	if len(updates) > 0 {
		query, err := g.generate(ctx, g.t, strings.Join(updates, " UNION ALL "), false, "r", "file")
		if err != nil {
			return err
		}
		if err := g.scratch(ctx, "wt_updates", query); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		if err := g.scratch(ctx, "wt_gone", strings.Join(gone, " UNION ")); err != nil {
			return err
		}
	}
	return g.gatherInserts(ctx)
}

func (g *merging) gatherInserts(ctx context.Context) error {
	clauses := g.clauses(dialect.NotMatched)
	if len(clauses) == 0 {
		return nil
	}
	if err := g.scratch(ctx, "wt_unmatched", fmt.Sprintf("SELECT s.__row AS q, %s AS a FROM %s WHERE s.__row NOT IN (SELECT q FROM temp.wt_pair)", firstOf(clauses), sourceRows)); err != nil {
		return err
	}
	var inserts []string
	for i, k := range clauses {
		inserts = append(inserts, fmt.Sprintf("SELECT %s FROM temp.wt_unmatched AS p JOIN %s ON s.__row = p.q WHERE p.a = %d", g.m.valueList(k.Values), sourceRows, i))
	}
	query, err := g.generate(ctx, g.t, strings.Join(inserts, " UNION ALL "), true)
	if err != nil {
		return err
	}
	return g.scratch(ctx, "wt_inserts", query)
}

func (g *merging) made(name string) bool {
	for _, n := range g.temporary {
		if n == name {
			return true
		}
	}
	return false
}

func (g *merging) apply(ctx context.Context) error {
	var err error
	delta := map[int64]int64{}
	if g.made("wt_gone") {
		if err := g.scratch(ctx, "wt_hit", "SELECT r FROM temp.wt_gone"); err != nil {
			return err
		}
		if delta, g.deleted, err = g.removeHit(ctx, g.t, g.c.Version, wentDeleted); err != nil {
			return err
		}
	}
	if g.made("wt_updates") {
		if err := g.applyUpdates(ctx, &delta); err != nil {
			return err
		}
	}
	g.e.copied += g.t.rewrite(&g.e, g.c.Version, delta)
	if g.made("wt_inserts") {
		g.inserted, err = g.appendRows(ctx, g.t, &g.e, g.c.Version, "SELECT * FROM temp.wt_inserts", cameInserted)
	}
	return err
}

// applyUpdates removes the old rows and adds the new ones; delta takes what the lineages lose in all.
func (g *merging) applyUpdates(ctx context.Context, delta *map[int64]int64) error {
	if err := g.scratch(ctx, "wt_hit", "SELECT r FROM temp.wt_updates"); err != nil {
		return err
	}
	lost, rows, err := g.removeHit(ctx, g.t, g.c.Version, wentUpdated)
	if err != nil || rows == 0 {
		return err
	}
	g.updated = rows
	partitioned := len(g.m.PartitionBy) > 0
	if *delta == nil {
		*delta = map[int64]int64{}
	}
	for lineage, n := range lost {
		if !partitioned {
			n = 0
		}
		(*delta)[lineage] += n
	}
	if partitioned {
		_, err := g.appendRows(ctx, g.t, &g.e, g.c.Version, "SELECT "+strings.Join(g.m.physical(), ", ")+" FROM temp.wt_updates", cameUpdated)
		return err
	}
	_, err = g.conn.exec(ctx, g.m.into()+fmt.Sprintf("SELECT %s, %d, q.file, %d FROM temp.wt_updates AS q", g.m.checked(), g.c.Version, cameUpdated))
	return err
}

// describe fills the commit.
func (g *merging) describe(st *dialect.Merge) {
	c := g.c
	c.Adds, c.Removes = g.updated+g.inserted > 0, g.updated+g.deleted > 0
	c.Parameters["predicate"] = compactJSON([]string{g.expressionText(st.On, g.parts.On)})
	kinds := map[dialect.MergeKind]string{dialect.Matched: "matchedPredicates", dialect.NotMatched: "notMatchedPredicates", dialect.NotMatchedBySource: "notMatchedBySourcePredicates"}
	actions := map[dialect.MergeAction]string{dialect.MergeUpdate: "update", dialect.MergeDelete: "delete", dialect.MergeInsert: "insert"}
	for kind, key := range kinds {
		shown := []map[string]string{}
		for i, k := range st.Clauses {
			if k.Kind != kind {
				continue
			}
			entry := map[string]string{"actionType": actions[k.Action]}
			if k.Condition != nil {
				entry["predicate"] = g.expressionText(k.Condition, g.parts.Clauses[i].Condition)
			}
			shown = append(shown, entry)
		}
		c.Parameters[key] = compactJSON(shown)
	}
	copied := max(0, g.e.copied-g.updated)
	c.metric("numSourceRows", g.source)
	c.metric("numTargetRowsInserted", g.inserted)
	c.metric("numTargetRowsUpdated", g.updated)
	c.metric("numTargetRowsDeleted", g.deleted)
	c.metric("numTargetRowsCopied", copied)
	c.metric("numOutputRows", copied+g.inserted+g.updated)
	c.metric("numTargetFilesAdded", len(g.e.added))
	c.metric("numTargetFilesRemoved", len(g.e.removed))
	c.metric("numTargetBytesAdded", g.e.addedBytes)
	c.metric("numTargetBytesRemoved", g.e.removedBytes)
	for _, m := range []string{"numTargetChangeFilesAdded", "numTargetDeletionVectorsAdded", "numTargetDeletionVectorsRemoved", "numTargetDeletionVectorsUpdated", "executionTimeMs", "scanTimeMs", "rewriteTimeMs"} {
		c.metric(m, 0)
	}
}

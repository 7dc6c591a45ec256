//go:build cgo

package duck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// fullFile is the size from which OPTIMIZE leaves a file alone (spark.databricks.delta.optimize.maxFileSize).
const fullFile = 1 << 30

// optimize runs OPTIMIZE. Rows stay where they are; only the files of the model are packed.
func (w *work) optimize(ctx context.Context, st *dialect.Optimize) (*answer, error) {
	t, err := w.findTable(st.Name, "OPTIMIZE")
	if err != nil {
		return nil, err
	}
	if err := w.checkOptimize(t.meta(), st); err != nil {
		return nil, err
	}
	candidates, predicate, err := w.filesWhere(ctx, t, st.Where)
	if err != nil {
		return nil, err
	}
	t = w.change(t)
	c := w.draft(t, "OPTIMIZE")
	zorder := len(st.ZOrderBy) > 0
	minimum := 2
	if zorder || st.Full {
		minimum = 1
	}
	p := t.pack(c.Version, candidates, minimum)
	if len(p.removed) == 0 {
		w.unchange(t)
	} else {
		c.Isolation = "SnapshotIsolation"
		c.Parameters["predicate"] = "[]"
		if predicate != "" {
			c.Parameters["predicate"] = compactJSON([]string{predicate})
		}
		c.Parameters["zOrderBy"] = compactJSON(append([]string{}, st.ZOrderBy...))
		c.Parameters["auto"] = "false"
		if m := t.meta(); len(m.ClusterBy) > 0 {
			c.Parameters["clusterBy"] = compactJSON(m.ClusterBy)
			c.Parameters["isFull"] = fmt.Sprint(st.Full)
		}
		c.packMetrics(&p.effect)
		t.add(c)
	}
	return w.packed(t, p, len(candidates), zorder), nil
}

func (w *work) checkOptimize(m *metadata, st *dialect.Optimize) error {
	clustered := len(m.ClusterBy) > 0 || m.ClusterAuto
	switch {
	case clustered && len(st.ZOrderBy) > 0:
		return newError("DELTA_CLUSTERING_WITH_ZORDER_BY", "OPTIMIZE command for Delta table with Liquid clustering cannot specify ZORDER BY. Please remove ZORDER BY (%s).", strings.Join(st.ZOrderBy, ", "))
	case clustered && st.Where != nil:
		return newError("DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", "OPTIMIZE command for Delta table with Liquid clustering doesn't support partition predicates. Please remove the predicates: %s.", w.expressionText(st.Where, ""))
	case st.Full && !clustered:
		return newError("DELTA_OPTIMIZE_FULL_NOT_SUPPORTED", "OPTIMIZE FULL is only supported for clustered tables with non-empty clustering columns.")
	}
	for _, name := range st.ZOrderBy {
		switch {
		case m.column(name) == nil:
			return newError("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "ZOrdering column %s does not exist in data schema.", name)
		case m.partitioned(name):
			return newError("DELTA_ZORDERING_ON_PARTITION_COLUMN", "%s is a partition column. Z-Ordering can only be performed on data columns.", name)
		}
	}
	return nil
}

// filesWhere are the live files of the partitions that a predicate takes. The predicate may name partition columns only.
func (w *work) filesWhere(ctx context.Context, t *table, where dialect.Expr) ([]*file, string, error) {
	files := t.liveFiles(t.version())
	if where == nil {
		return files, "", nil
	}
	m := t.meta()
	target := t.target()
	target.Columns = slices.DeleteFunc(target.Columns, func(c dialect.TargetColumn) bool { return !m.partitioned(c.Name) })
	r, err := w.rewriter()
	if err != nil {
		return nil, "", err
	}
	predicate, err := r.Predicate(ctx, target, where)
	if err != nil {
		if other, err := w.rewriter(); err == nil {
			if _, err := other.Predicate(ctx, t.target(), where); err == nil {
				return nil, "", newError("DELTA_NON_PARTITION_COLUMN_REFERENCE", "Predicate references non-partition column. Only the partition columns may be referenced: [%s].", strings.Join(m.PartitionBy, ", "))
			}
		}
		return nil, "", err
	}
	lineages, err := w.conn.numbers(ctx, fmt.Sprintf("SELECT DISTINCT __file FROM %s WHERE %s", m.current(), predicate))
	if err != nil {
		return nil, "", err
	}
	taken := map[int64]bool{}
	for _, l := range lineages {
		taken[t.lineage(l)] = true
	}
	files = slices.DeleteFunc(files, func(f *file) bool { return !taken[f.Lineage] })
	return files, w.expressionText(where, predicate), nil
}

// packing is what an OPTIMIZE did.
type packing struct {
	effect
	partitions int
}

// pack turns the files of each partition into one, where there are at least so many that are not full.
func (t *table) pack(version int64, candidates []*file, minimum int) *packing {
	p := &packing{}
	byPartition := map[string][]*file{}
	for _, f := range candidates {
		if f.Bytes < fullFile {
			byPartition[f.Partition] = append(byPartition[f.Partition], f)
		}
	}
	for _, partition := range slices.Sorted(maps.Keys(byPartition)) {
		files := byPartition[partition]
		if len(files) < minimum {
			continue
		}
		p.partitions++
		into := t.newLineage()
		var rows int64
		for _, f := range files {
			t.removeFile(&p.effect, f, version).Into = into
			rows += f.Rows
		}
		t.newFile(&p.effect, into, version, rows, partition)
	}
	t.packed = t.packedAt(version)
	return p
}

func sizes(files []*file) []int64 {
	out := make([]int64, len(files))
	for i, f := range files {
		out[i] = f.Bytes
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

func (c *commit) packMetrics(e *effect) {
	c.metric("numAddedFiles", len(e.added))
	c.metric("numRemovedFiles", len(e.removed))
	c.metric("numAddedBytes", e.addedBytes)
	c.metric("numRemovedBytes", e.removedBytes)
	c.metric("numDeletionVectorsRemoved", 0)
	s := sizes(e.added)
	for name, share := range map[string]int{"minFileSize": 0, "p25FileSize": 25, "p50FileSize": 50, "p75FileSize": 75, "maxFileSize": 100} {
		c.metric(name, s[(len(s)-1)*share/100])
	}
}

const sizeStats = "struct<min:bigint,max:bigint,avg:double,totalFiles:bigint,totalSize:bigint>"

func packedType() string {
	return "struct<numFilesAdded:bigint,numFilesRemoved:bigint,filesAdded:" + sizeStats + ",filesRemoved:" + sizeStats +
		",partitionsOptimized:bigint,zOrderStats:struct<strategyName:string,inputCubeFiles:struct<num:bigint,size:bigint>,inputOtherFiles:struct<num:bigint,size:bigint>,inputNumCubes:bigint,mergedFiles:struct<num:bigint,size:bigint>,numOutputCubes:bigint,mergedNumCubes:bigint>" +
		",numBatches:bigint,totalConsideredFiles:bigint,totalFilesSkipped:bigint,preserveInsertionOrder:boolean,numTableColumns:bigint,numTableColumnsWithStats:bigint>"
}

// packed is the row that OPTIMIZE and REORG answer with.
func (w *work) packed(t *table, p *packing, considered int, zorder bool) *answer {
	zstats := "null"
	if zorder {
		zstats = fmt.Sprintf(`{"strategyName": "all", "inputCubeFiles": {"num": 0, "size": 0}, "inputOtherFiles": {"num": %d, "size": %d}, "inputNumCubes": 0, "mergedFiles": {"num": %[1]d, "size": %[2]d}, "numOutputCubes": %d, "mergedNumCubes": null}`,
			len(p.removed), p.removedBytes, p.partitions)
	}
	columns := len(t.meta().Columns)
	metrics := fmt.Sprintf(`{"numFilesAdded": %d, "numFilesRemoved": %d, "filesAdded": %s, "filesRemoved": %s, "partitionsOptimized": %d, "zOrderStats": %s, "numBatches": 1, "totalConsideredFiles": %d, "totalFilesSkipped": %d, "preserveInsertionOrder": %t, "numTableColumns": %d, "numTableColumnsWithStats": %d}`,
		len(p.added), len(p.removed), statsJSON(p.added), statsJSON(p.removed), p.partitions, zstats, considered, considered-len(p.removed), !zorder, columns, min(columns, 32))
	a := &answer{columns: columnsOf("path", "string", "metrics", packedType())}
	a.add(t.location(), metrics)
	return a
}

func statsJSON(files []*file) string {
	s := sizes(files)
	if len(s) == 0 {
		return `{"min": null, "max": null, "avg": 0.0, "totalFiles": 0, "totalSize": 0}`
	}
	var total int64
	for _, n := range s {
		total += n
	}
	return fmt.Sprintf(`{"min": %d, "max": %d, "avg": %s, "totalFiles": %d, "totalSize": %d}`, s[0], s[len(s)-1], floatText(float64(total)/float64(len(s)), 64), len(s), total)
}

// reorg runs REORG … APPLY (PURGE): it rewrites the files that hold deleted rows. Without deletion vectors none does.
func (w *work) reorg(ctx context.Context, st *dialect.Reorg) (*answer, error) {
	t, err := w.findTable(st.Name, "REORG")
	if err != nil {
		return nil, err
	}
	files, predicate, err := w.filesWhere(ctx, t, st.Where)
	if err != nil {
		return nil, err
	}
	if !t.meta().is(deletionVectors) {
		return w.packed(t, &packing{}, 0, false), nil
	}
	files = slices.DeleteFunc(files, func(f *file) bool { return f.Deleted == 0 })
	t = w.change(t)
	c := w.draft(t, "REORG")
	p := &packing{}
	partitions := map[string]bool{}
	for _, f := range files {
		t.removeFile(&p.effect, f, c.Version)
		if f.Rows > 0 {
			t.newFile(&p.effect, f.Lineage, c.Version, f.Rows, f.Partition)
		}
		partitions[f.Partition] = true
	}
	p.partitions = len(partitions)
	if len(p.removed) == 0 {
		w.unchange(t)
		return w.packed(t, p, len(files), false), nil
	}
	c.Isolation = "SnapshotIsolation"
	c.Parameters["predicate"] = "[]"
	if predicate != "" {
		c.Parameters["predicate"] = compactJSON([]string{predicate})
	}
	c.Parameters["applyPurge"] = "true"
	if len(p.added) > 0 {
		c.packMetrics(&p.effect)
	}
	c.metric("numDeletionVectorsRemoved", len(files))
	t.add(c)
	return w.packed(t, p, len(files), false), nil
}

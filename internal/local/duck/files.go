//go:build cgo

package duck

import "strings"

// Sizes of the model: what a Parquet file costs without rows, and a value of a type.
const fileOverhead = 512

func (m *metadata) rowBytes() int64 {
	var n int64
	for _, c := range m.Columns {
		switch {
		case c.Type == "boolean", c.Type == "tinyint":
			n++
		case c.Type == "smallint":
			n += 2
		case c.Type == "int", c.Type == "float", c.Type == "date":
			n += 4
		case strings.HasPrefix(c.Type, "decimal"):
			n += 16
		case c.Type == "string", c.Type == "binary", strings.ContainsRune(c.Type, '<'):
			n += 32
		default:
			n += 8
		}
	}
	return n
}

func (m *metadata) fileBytes(rows int64) int64 { return fileOverhead + rows*m.rowBytes() }

// effect is what a commit does to the files.
type effect struct {
	added, removed           []*file
	addedBytes, removedBytes int64
	// copied counts rows that only moved to a new file.
	copied int64
}

func (e *effect) add(f *file)    { e.added = append(e.added, f); e.addedBytes += f.Bytes }
func (e *effect) remove(f *file) { e.removed = append(e.removed, f); e.removedBytes += f.Bytes }

// newFile adds a file of a lineage at a version.
func (t *table) newFile(e *effect, lineage, version, rows int64, partition string) {
	t.Next++
	f := &file{Number: t.Next, Path: t.Next, Lineage: lineage, Partition: partition, Added: version, Removed: live, Rows: rows, Bytes: t.meta().fileBytes(rows)}
	t.files = append(t.files, f)
	e.add(f)
}

// hideRows marks rows of a file as deleted: the file stays, with a deletion vector.
func (t *table) hideRows(e *effect, f *file, version, rows int64) {
	t.Next++
	marked := *f
	marked.Number, marked.Added, marked.Removed = t.Next, version, live
	marked.Rows, marked.Deleted = f.Rows-rows, f.Deleted+rows
	t.files = append(t.files, &marked)
	e.add(&marked)
}

// newLineage reserves a number for files to come.
func (t *table) newLineage() int64 {
	t.Next++
	return t.Next
}

// removeFile ends a file at a version and gives the ended one.
func (t *table) removeFile(e *effect, f *file, version int64) *file {
	for i := range t.files {
		if t.files[i] == f {
			gone := *f
			gone.Removed = version
			t.files[i] = &gone
			e.remove(f)
			return &gone
		}
	}
	return f
}

// packedAt says which lineage held the rows of another at a version: what OPTIMIZE packed on the way there, where a
// RESTORE goes back to the version it restored.
func (t *table) packedAt(version int64) map[int64]int64 {
	out := map[int64]int64{}
	for {
		restored := int64(-1)
		for v := range t.Restores {
			if v <= version && v > restored {
				restored = v
			}
		}
		for _, f := range t.files {
			if f.Into != 0 && f.Removed > restored && f.Removed <= version {
				out[f.Lineage] = f.Into
			}
		}
		if restored < 0 {
			return out
		}
		version = t.Restores[restored]
	}
}

// rewrite replaces the files of lineages, changing their number of rows. A file left without rows is only removed.
func (t *table) rewrite(e *effect, version int64, delta map[int64]int64) (copied int64) {
	resolved := map[int64]int64{}
	for lineage, n := range delta {
		resolved[t.lineage(lineage)] += n
	}
	for _, f := range t.liveFiles(version - 1) {
		n, hit := resolved[f.Lineage]
		if !hit {
			continue
		}
		t.removeFile(e, f, version)
		switch rows := f.Rows + n; {
		case rows > 0 && n < 0 && t.meta().is(deletionVectors):
			t.hideRows(e, f, version, -n)
		case rows > 0:
			t.newFile(e, f.Lineage, version, rows, f.Partition)
			copied += rows
		}
	}
	return copied
}

// removeAll ends every live file.
func (t *table) removeAll(e *effect, version int64) {
	for _, f := range t.liveFiles(version - 1) {
		t.removeFile(e, f, version)
	}
}

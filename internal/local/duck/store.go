//go:build cgo

package duck

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// layout is the version of the tables below. A state of another version is refused.
const layout = "1"

func layoutSQL() []string {
	return []string{
		"CREATE SCHEMA IF NOT EXISTS wt",
		"CREATE SCHEMA IF NOT EXISTS data",
		"CREATE TABLE IF NOT EXISTS wt.objects (kind VARCHAR, number BIGINT, doc VARCHAR)",
		"CREATE TABLE IF NOT EXISTS wt.commits (number BIGINT, version BIGINT, doc VARCHAR)",
		"CREATE TABLE IF NOT EXISTS wt.files (number BIGINT, file BIGINT, doc VARCHAR)",
	}
}

// settings is the one document that is not a table's.
type settings struct {
	Layout   string
	Catalogs []string
	Schemas  []*schema
	Next     int64
}

// load reads the catalog, creating it in an empty database.
func load(ctx context.Context, c *connection) (*catalog, error) {
	for _, s := range layoutSQL() {
		if _, err := c.exec(ctx, s); err != nil {
			return nil, err
		}
	}
	cat := newCatalog()
	docs, err := c.texts(ctx, "SELECT doc FROM wt.objects WHERE kind = 'settings'")
	if err != nil {
		return nil, err
	}
	if len(docs) == 0 {
		cat.addCatalog(mainCatalog)
		cat.addCatalog(sparkCatalog)
		return cat, saveSettings(ctx, c, cat)
	}
	var s settings
	if err := json.Unmarshal([]byte(docs[0]), &s); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	if s.Layout != layout {
		return nil, fmt.Errorf("the state has layout %q, this version reads %q", s.Layout, layout)
	}
	cat.next = s.Next
	for _, name := range s.Catalogs {
		cat.catalogs[fold(name)] = name
	}
	for _, sc := range s.Schemas {
		cat.addSchema(sc)
	}
	return cat, loadTables(ctx, c, cat)
}

func loadTables(ctx context.Context, c *connection, cat *catalog) error {
	byNumber := map[int64]*table{}
	err := c.each(ctx, "SELECT doc FROM wt.objects WHERE kind = 'table' ORDER BY number", func(v []*string) error {
		t := &table{}
		if err := json.Unmarshal([]byte(*v[0]), t); err != nil {
			return fmt.Errorf("read table: %w", err)
		}
		byNumber[t.Number] = t
		cat.tables[tableKey(t.Name)] = t
		return nil
	})
	if err != nil {
		return err
	}
	err = c.each(ctx, "SELECT number, doc FROM wt.commits ORDER BY number, version", func(v []*string) error {
		n, _ := parseWhole(v[0])
		k := &commit{}
		if err := json.Unmarshal([]byte(*v[1]), k); err != nil {
			return fmt.Errorf("read commit: %w", err)
		}
		if t := byNumber[n]; t != nil {
			t.join(k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = c.each(ctx, "SELECT number, doc FROM wt.files ORDER BY number, file", func(v []*string) error {
		n, _ := parseWhole(v[0])
		f := &file{}
		if err := json.Unmarshal([]byte(*v[1]), f); err != nil {
			return fmt.Errorf("read file: %w", err)
		}
		if t := byNumber[n]; t != nil {
			t.files = append(t.files, f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range byNumber {
		if t.View == nil && (len(t.commits) == 0 || t.earliest().meta == nil) {
			return fmt.Errorf("table %s has no commits, or none with its columns", t.Name)
		}
		if t.View == nil {
			t.packed = t.packedAt(t.version())
		}
	}
	return nil
}

func saveSettings(ctx context.Context, c *connection, cat *catalog) error {
	s := settings{Layout: layout, Next: cat.next}
	for _, name := range cat.catalogs {
		s.Catalogs = append(s.Catalogs, name)
	}
	for _, sc := range cat.schemas {
		s.Schemas = append(s.Schemas, sc)
	}
	sort.Strings(s.Catalogs)
	sort.Slice(s.Schemas, func(i, j int) bool {
		return fold(s.Schemas[i].Catalog, s.Schemas[i].Name) < fold(s.Schemas[j].Catalog, s.Schemas[j].Name)
	})
	if _, err := c.exec(ctx, "DELETE FROM wt.objects WHERE kind = 'settings'"); err != nil {
		return err
	}
	return insertDoc(ctx, c, "wt.objects", "'settings', 0", s)
}

func saveTable(ctx context.Context, c *connection, t *table) error {
	if _, err := c.exec(ctx, fmt.Sprintf("DELETE FROM wt.objects WHERE kind = 'table' AND number = %d", t.Number)); err != nil {
		return err
	}
	return insertDoc(ctx, c, "wt.objects", fmt.Sprintf("'table', %d", t.Number), t)
}

func insertDoc(ctx context.Context, c *connection, into, key string, doc any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	_, err = c.exec(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%s, %s)", into, key, quoteText(string(b))))
	return err
}

// saveFiles writes the files that are new or changed since before.
func saveFiles(ctx context.Context, c *connection, before, t *table) error {
	known := map[int64]*file{}
	if before != nil {
		for _, f := range before.files {
			known[f.Number] = f
		}
	}
	var stale, values []string
	for _, f := range t.files {
		old := known[f.Number]
		delete(known, f.Number)
		if old == f {
			continue
		}
		if old != nil {
			stale = append(stale, fmt.Sprint(f.Number))
		}
		b, err := json.Marshal(f)
		if err != nil {
			return err
		}
		values = append(values, fmt.Sprintf("(%d, %d, %s)", t.Number, f.Number, quoteText(string(b))))
	}
	for n := range known {
		stale = append(stale, fmt.Sprint(n))
	}
	if len(stale) > 0 {
		if _, err := c.exec(ctx, fmt.Sprintf("DELETE FROM wt.files WHERE number = %d AND file IN (%s)", t.Number, strings.Join(stale, ", "))); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return nil
	}
	_, err := c.exec(ctx, "INSERT INTO wt.files VALUES "+strings.Join(values, ", "))
	return err
}

// saveCommits writes the commits after before's last and forgets the ones no longer kept.
func saveCommits(ctx context.Context, c *connection, before, t *table) error {
	last, first := int64(-1), int64(0)
	if before != nil && len(before.commits) > 0 {
		last, first = before.version(), before.earliest().Version
	}
	for _, k := range t.commits {
		if k.Version > last {
			if err := insertDoc(ctx, c, "wt.commits", fmt.Sprintf("%d, %d", t.Number, k.Version), k); err != nil {
				return err
			}
		}
	}
	if len(t.commits) == 0 || t.earliest().Version <= first {
		return nil
	}
	e := t.earliest()
	if _, err := c.exec(ctx, fmt.Sprintf("DELETE FROM wt.commits WHERE number = %d AND version <= %d", t.Number, e.Version)); err != nil {
		return err
	}
	return insertDoc(ctx, c, "wt.commits", fmt.Sprintf("%d, %d", t.Number, e.Version), e)
}

func forgetTable(ctx context.Context, c *connection, t *table) error {
	for _, s := range []string{"DELETE FROM wt.objects WHERE kind = 'table' AND number = %d", "DELETE FROM wt.commits WHERE number = %d", "DELETE FROM wt.files WHERE number = %d"} {
		if _, err := c.exec(ctx, fmt.Sprintf(s, t.Number)); err != nil {
			return err
		}
	}
	return nil
}

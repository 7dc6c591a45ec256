//go:build cgo

package duck

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// Engine is an engine.Engine on DuckDB. Readers run side by side; statements that commit run one after the other.
type Engine struct {
	db *database
	// writer holds one token: the right to commit.
	writer chan struct{}
	// gate makes DuckDB's commit and the publication of the catalog one step for whoever begins to read.
	gate    sync.RWMutex
	current *catalog
	// inMemory has no file that DuckDB would pack by itself; written counts rows since it was last packed.
	inMemory bool
	written  int64
}

var _ engine.Engine = (*Engine)(nil)

// Open opens the engine of a folder, or one in memory. Two processes cannot open one folder.
func Open(ctx context.Context, o Options) (*Engine, error) {
	db, err := openDatabase(ctx, o, dialect.Macros())
	if err != nil {
		return nil, err
	}
	e := &Engine{db: db, writer: make(chan struct{}, 1), inMemory: o.Dir == ""}
	c, err := db.acquire(ctx)
	if err != nil {
		return nil, errors.Join(err, db.close())
	}
	e.current, err = load(ctx, c)
	db.release(c)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open engine %s: %w", o.Dir, err), db.close())
	}
	return e, nil
}

// Kind names the engine.
func (e *Engine) Kind() string { return "duckdb" }

// Close waits for statements in flight. Results that were not closed block it.
func (e *Engine) Close() error { return e.db.close() }

func (e *Engine) snapshot() *catalog {
	e.gate.RLock()
	defer e.gate.RUnlock()
	return e.current
}

// Table describes a table or view.
func (e *Engine) Table(_ context.Context, name engine.Name) (engine.Table, error) {
	t := e.snapshot().tables[tableKey(name)]
	if t == nil {
		return engine.Table{}, fmt.Errorf("table %s: %w", name, engine.ErrNotFound)
	}
	return t.describe(), nil
}

// Tables lists the tables and views of a schema by name.
func (e *Engine) Tables(_ context.Context, catalog, schema string) ([]engine.Table, error) {
	c := e.snapshot()
	if c.schemas[schemaKey(catalog, schema)] == nil {
		return nil, fmt.Errorf("schema %s.%s: %w", catalog, schema, engine.ErrNotFound)
	}
	var out []engine.Table
	for _, t := range c.tablesIn(catalog, schema) {
		out = append(out, t.describe())
	}
	return out, nil
}

// Schemas lists the schemas of a catalog by name.
func (e *Engine) Schemas(_ context.Context, catalog string) ([]string, error) {
	c := e.snapshot()
	if _, ok := c.catalogs[fold(catalog)]; !ok {
		return nil, fmt.Errorf("catalog %s: %w", catalog, engine.ErrNotFound)
	}
	return c.schemasIn(catalog), nil
}

func (c *catalog) schemasIn(catalog string) []string {
	var out []string
	for _, s := range c.schemas {
		if strings.EqualFold(s.Catalog, catalog) {
			out = append(out, s.Name)
		}
	}
	sort.Strings(out)
	return out
}

func (c *catalog) tablesIn(catalog, schema string) []*table {
	var out []*table
	for _, t := range c.tables {
		if strings.EqualFold(t.Name.Catalog, catalog) && strings.EqualFold(t.Name.Schema, schema) {
			out = append(out, t)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name.Table < out[j].Name.Table })
	return out
}

func (t *table) describe() engine.Table {
	out := engine.Table{Name: t.Name, ID: t.ID, Created: t.Created, Updated: t.Updated, Owner: t.Owner, Altered: t.Altered, AlteredBy: t.AlteredBy, CreatedBy: t.CreatedBy}
	if t.View != nil {
		out.Type, out.ViewDefinition = "VIEW", t.View.Text
		out.Properties = t.View.Properties
		out.Columns = (&metadata{Columns: t.View.Columns}).engineColumns()
		out.Comment = orEmpty(t.View.Comment)
		return out
	}
	m := t.meta()
	out.Type, out.Format, out.Version = "MANAGED", "DELTA", t.version()
	out.Columns = m.engineColumns()
	out.PartitionColumns, out.ClusteringColumns, out.ClusterAuto = m.PartitionBy, m.ClusterBy, m.ClusterAuto
	out.Comment = orEmpty(m.Comment)
	out.Properties = m.shownProperties()
	return out
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

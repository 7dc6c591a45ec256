//go:build cgo

package duck

import (
	"context"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// schemaName completes the name of a schema.
func (w *work) schemaName(n dialect.Name) (catalog, name string, err error) {
	switch len(n.Parts) {
	case 1:
		return w.session.Catalog, strings.ToLower(n.Parts[0]), nil
	case 2:
		return n.Parts[0], strings.ToLower(n.Parts[1]), nil
	}
	return "", "", dialect.NewError("REQUIRES_SINGLE_PART_NAMESPACE", "spark_catalog requires a single-part namespace, but got "+n.String()+".")
}

func (w *work) createSchema(_ context.Context, st *dialect.CreateSchema) (*answer, error) {
	catalog, name, err := w.schemaName(st.Name)
	if err != nil {
		return nil, err
	}
	known, ok := w.catalog.catalogs[fold(catalog)]
	if !ok {
		return nil, errNoCatalog(catalog)
	}
	if w.catalog.schemas[schemaKey(catalog, name)] != nil {
		if st.IfNotExists {
			return nil, nil
		}
		return nil, newError("SCHEMA_ALREADY_EXISTS", "Cannot create schema %s because it already exists. Choose a different name, drop the existing schema, or add the IF NOT EXISTS clause to tolerate pre-existing schema.", quoteSpark(name))
	}
	w.catalog.addSchema(&schema{Catalog: known, Name: name, Comment: st.Comment})
	return nil, nil
}

func (w *work) createCatalog(_ context.Context, st *dialect.CreateCatalog) (*answer, error) {
	if _, ok := w.catalog.catalogs[fold(st.Name)]; ok {
		if st.IfNotExists {
			return nil, nil
		}
		return nil, newError("CATALOG_ALREADY_EXISTS", "Catalog %s already exists.", quoteSpark(st.Name))
	}
	w.catalog.addCatalog(strings.ToLower(st.Name))
	return nil, nil
}

func (w *work) dropTable(ctx context.Context, st *dialect.DropTable) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		if st.IfExists && isMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	if t.View != nil {
		return nil, newError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "'DROP TABLE' expects a table but %s is a view.", quoteSparkName(t.Name))
	}
	return nil, w.drop(ctx, t)
}

func (w *work) dropView(ctx context.Context, st *dialect.DropView) (*answer, error) {
	t, err := w.find(st.Name)
	if err != nil {
		if st.IfExists && isMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	if t.View == nil {
		return nil, newError("EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE", "'DROP VIEW' expects a view but %s is a table.", quoteSparkName(t.Name))
	}
	return nil, w.drop(ctx, t)
}

// drop forgets a table and drops its stores.
func (w *work) drop(ctx context.Context, t *table) error {
	delete(w.catalog.tables, tableKey(t.Name))
	stores := map[int64]bool{}
	for _, c := range t.commits {
		if c.Meta != nil {
			stores[c.Meta.Store] = true
		}
	}
	for n := range stores {
		if _, err := w.conn.exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS data.d%d; DROP TABLE IF EXISTS data.x%[1]d", n)); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) dropSchema(ctx context.Context, st *dialect.DropSchema) (*answer, error) {
	catalog, name, err := w.schemaName(st.Name)
	if err != nil {
		return nil, err
	}
	key := schemaKey(catalog, name)
	if w.catalog.schemas[key] == nil {
		if st.IfExists {
			return nil, nil
		}
		return nil, errNoSchema(catalog, name)
	}
	tables := w.catalog.tablesIn(catalog, name)
	if len(tables) > 0 && !st.Cascade {
		return nil, newError("SCHEMA_NOT_EMPTY", "Cannot drop a schema %s because it contains objects. Use DROP SCHEMA ... CASCADE to drop the schema and all its objects.", quoteSpark(name))
	}
	for _, t := range tables {
		if err := w.drop(ctx, t); err != nil {
			return nil, err
		}
	}
	delete(w.catalog.schemas, key)
	return nil, nil
}

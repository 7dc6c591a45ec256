package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// catalogs asks the engine; one that cannot list them has main.
func (w *Workspace) catalogs(ctx context.Context) []string {
	result, err := w.engine.Run(ctx, engine.Statement{Text: "SHOW CATALOGS", Now: w.clock.Now(), User: ownerName})
	if err != nil {
		return []string{"main"}
	}
	var names []string
	for result.Next() {
		if row := result.Row(); len(row) > 0 && row[0] != nil {
			names = append(names, *row[0])
		}
	}
	if errors.Join(result.Err(), result.Close()) != nil || len(names) == 0 {
		return []string{"main"}
	}
	slices.Sort(names)
	return names
}

func (w *Workspace) listCatalogs(ctx context.Context, _ *call) (any, error) {
	var out []any
	for _, n := range w.catalogs(ctx) {
		out = append(out, map[string]any{"name": n, "full_name": n, "owner": ownerName, "catalog_type": "MANAGED_CATALOG"})
	}
	return map[string]any{"catalogs": out}, nil
}

func schemaView(catalog, name string) map[string]any {
	return map[string]any{"name": name, "catalog_name": catalog, "full_name": catalog + "." + name, "owner": ownerName}
}

func (w *Workspace) listSchemas(ctx context.Context, c *call) (any, error) {
	catalog := c.query("catalog_name")
	names, err := w.engine.Schemas(ctx, catalog)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, &apiError{404, "CATALOG_DOES_NOT_EXIST", fmt.Sprintf("Catalog '%s' does not exist.", catalog)}
	}
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	var views []any
	for _, n := range names {
		views = append(views, schemaView(catalog, n))
	}
	if views != nil {
		out["schemas"] = views
	}
	return out, nil
}

func (w *Workspace) getSchema(ctx context.Context, c *call) (any, error) {
	full := c.PathValue("full_name")
	for _, catalog := range w.catalogs(ctx) {
		names, err := w.engine.Schemas(ctx, catalog)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if catalog+"."+n == full {
				return schemaView(catalog, n), nil
			}
		}
	}
	return nil, &apiError{404, "SCHEMA_DOES_NOT_EXIST", fmt.Sprintf("Schema '%s' does not exist.", full)}
}

// listTables pages by max_results; 0 or none means a page of the server's choice, which is all.
func (w *Workspace) listTables(ctx context.Context, c *call) (any, error) {
	tables, err := w.engine.Tables(ctx, c.query("catalog_name"), c.query("schema_name"))
	if errors.Is(err, engine.ErrNotFound) {
		return nil, &apiError{404, "SCHEMA_DOES_NOT_EXIST", fmt.Sprintf("Schema '%s.%s' does not exist.", c.query("catalog_name"), c.query("schema_name"))}
	}
	if err != nil {
		return nil, err
	}
	size, offset := len(tables), 0
	if n, err := strconv.Atoi(c.query("max_results")); err == nil && n > 0 {
		size = n
	}
	if t := c.query("page_token"); t != "" {
		p, err := parsePage(t)
		if err != nil {
			return nil, err
		}
		offset = p.offset
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string]any{}
	from, to := min(offset, len(tables)), min(offset+size, len(tables))
	var views []any
	for _, t := range tables[from:to] {
		views = append(views, w.tableView(t))
	}
	if views != nil {
		out["tables"] = views
	}
	if to < len(tables) {
		out["next_page_token"] = page{1, to}.token()
	}
	return out, nil
}

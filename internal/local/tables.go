package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func parseName(full string) (engine.Name, error) {
	parts := strings.Split(full, ".")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return engine.Name{}, badRequest("%q is not a full table name: catalog.schema.table.", full)
	}
	return engine.Name{Catalog: parts[0], Schema: parts[1], Table: parts[2]}, nil
}

func (w *Workspace) tableOf(ctx context.Context, c *call) (engine.Table, error) {
	name, err := parseName(c.PathValue("full_name"))
	if err != nil {
		return engine.Table{}, err
	}
	t, err := w.engine.Table(ctx, name)
	if errors.Is(err, engine.ErrNotFound) {
		return t, &apiError{404, "TABLE_DOES_NOT_EXIST", fmt.Sprintf("Table '%s' does not exist.", name)}
	}
	return t, err
}

func (w *Workspace) getTable(ctx context.Context, c *call) (any, error) {
	t, err := w.tableOf(ctx, c)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tableView(t), nil
}

func (w *Workspace) tableExists(ctx context.Context, c *call) (any, error) {
	_, err := w.tableOf(ctx, c)
	var missing *apiError
	if errors.As(err, &missing) && missing.Status == 404 {
		return map[string]any{"table_exists": false}, nil
	}
	return map[string]any{"table_exists": err == nil}, err
}

// patchTable changes the owner, and nothing else: that is all the API offers.
func (w *Workspace) patchTable(ctx context.Context, c *call) (any, error) {
	t, err := w.tableOf(ctx, c)
	if err != nil {
		return nil, err
	}
	var body struct {
		Owner string `json:"owner"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if body.Owner == "" {
		return nil, badRequest("PATCH of a table changes its owner only: owner is required.")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.book.Owners[t.Name.String()] = body.Owner
	w.changed()
	return w.tableView(t), nil
}

// tableView is a table as Unity Catalog shows it. The caller holds w.mu.
func (w *Workspace) tableView(t engine.Table) map[string]any {
	full := t.Name.String()
	owner := t.Owner
	if o := w.book.Owners[full]; o != "" {
		owner = o
	}
	if owner == "" {
		owner = ownerName
	}
	var columns []any
	for i, c := range t.Columns {
		v := columnView(c, i)
		v["type_text"] = strings.ToLower(c.Type)
		v["nullable"] = c.Nullable
		for p, name := range t.PartitionColumns {
			if name == c.Name {
				v["partition_index"] = p
			}
		}
		columns = append(columns, v)
	}
	v := map[string]any{
		"name": t.Name.Table, "catalog_name": t.Name.Catalog, "schema_name": t.Name.Schema, "full_name": full, "table_type": t.Type,
		"table_id": t.ID, "owner": owner, "created_by": orOwner(t.CreatedBy), "created_at": t.Created.UnixMilli(), "updated_at": t.Updated.UnixMilli(),
		"updated_by": orOwner(t.AlteredBy), "metastore_id": "local", "properties": w.tableProperties(full, t),
	}
	if !t.Altered.IsZero() {
		v["updated_at"] = t.Altered.UnixMilli()
	}
	if t.Format != "" {
		v["data_source_format"] = t.Format
		v["storage_location"] = "local:/" + strings.Join([]string{t.Name.Catalog, t.Name.Schema, t.Name.Table}, "/")
	}
	if columns != nil {
		v["columns"] = columns
	}
	if t.Comment != "" {
		v["comment"] = t.Comment
	}
	if t.ViewDefinition != "" {
		v["view_definition"] = t.ViewDefinition
	}
	w.behaviour.Relations[full].show(v)
	return v
}

func orOwner(user string) string {
	if user == "" {
		return ownerName
	}
	return user
}

// Relation is what Unity Catalog says of a table that no statement here can make: one that a pipeline, another system or
// another format keeps.
type Relation struct {
	Type       string `json:"table_type,omitempty"`
	Format     string `json:"data_source_format,omitempty"`
	PipelineID string `json:"pipeline_id,omitempty"`
	ID         string `json:"table_id,omitempty"`
	// PredictiveOptimization is ENABLE or DISABLE. Where it is disabled, Auto-TTL silently deletes nothing.
	PredictiveOptimization string `json:"predictive_optimization,omitempty"`
}

func (r Relation) show(view map[string]any) {
	for key, text := range map[string]string{"table_type": r.Type, "data_source_format": r.Format, "pipeline_id": r.PipelineID, "table_id": r.ID} {
		if text != "" {
			view[key] = text
		}
	}
	if r.PredictiveOptimization != "" {
		view["effective_predictive_optimization_flag"] = map[string]any{"value": r.PredictiveOptimization}
	}
}

// addClustering shows liquid clustering as Unity Catalog does: among the properties, each column as the path to it.
func addClustering(properties map[string]string, t engine.Table) {
	var paths [][]string
	for _, name := range t.ClusteringColumns {
		paths = append(paths, []string{name})
	}
	if text, err := json.Marshal(paths); err == nil && paths != nil {
		properties["clusteringColumns"] = string(text)
	}
	if t.ClusterAuto {
		properties["clusterByAuto"] = "true"
	}
}

// tableProperties adds, when asked to, what the platform writes into a table's properties by itself.
func (w *Workspace) tableProperties(full string, t engine.Table) map[string]string {
	out := maps.Clone(t.Properties)
	if out == nil {
		out = map[string]string{}
	}
	key := strings.ToLower(full)
	alters := w.altered[key]
	addClustering(out, t)
	if !w.behaviour.PlatformProperties || alters == 0 {
		return out
	}
	reads := w.altered[key+"\x00reads"] + 1
	w.altered[key+"\x00reads"] = reads
	platform := map[string]string{
		"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.feature.appendOnly": "supported",
		"delta.feature.deletionVectors": "supported", "delta.lastUpdateVersion": strconv.FormatInt(t.Version, 10),
		"delta.lastCommitTimestamp": strconv.FormatInt(t.Updated.UnixMilli(), 10),
	}
	for i := range reads {
		platform[fmt.Sprintf("delta.feature.platformFeature%d", i+1)] = "supported"
	}
	for k, v := range platform {
		if _, ok := out[k]; !ok {
			out[k] = v
		}
	}
	return out
}

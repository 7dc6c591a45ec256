package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Table is a table or view as Unity Catalog describes it. Type is MANAGED, EXTERNAL, VIEW, STREAMING_TABLE and so on;
// Format is DELTA for Delta tables. ID changes when the table is dropped and created again.
type Table struct {
	FullName, ID, Type, Format, Owner, PipelineID string
	Properties                                    map[string]string
	Columns                                       []Column
	// PartitionColumns are in the order of the partitioning; ClusteringColumns are those of liquid clustering, a nested
	// field with dots.
	PartitionColumns, ClusteringColumns []string
	// ClusterAuto says that Databricks chooses the clustering columns; it may not have chosen any yet.
	ClusterAuto bool
	// PredictiveOptimization is ENABLE, DISABLE, or empty where the API does not say.
	PredictiveOptimization string
	Created, Updated       time.Time
	// CreatedBy and UpdatedBy are empty where the API does not say.
	CreatedBy, UpdatedBy string
}

// Column is a column of a table or result; Type is Spark's spelling in lower case, as bigint or decimal(20,0). Results do
// not say whether a column is nullable.
type Column struct {
	Name, Type string
	Nullable   bool
}

// IsView tells that the object has no versions of its own.
func (t Table) IsView() bool {
	return t.Type == "VIEW" || t.Type == "METRIC_VIEW" || t.Type == "MATERIALIZED_VIEW"
}

// IsClustered tells whether the table has liquid clustering.
func (t Table) IsClustered() bool { return len(t.ClusteringColumns) > 0 || t.ClusterAuto }

// IsUnclustered tells whether the table surely has none. What writes a table outside of Databricks may leave its
// properties in Unity Catalog behind, so a table that shows no property of Delta's own is neither.
func (t Table) IsUnclustered() bool {
	if t.IsClustered() {
		return false
	}
	_, told := t.property(propertyClustering)
	_, feature := t.property("delta.feature.clustering")
	_, version := t.property("delta.minWriterVersion")
	return told || version && !feature
}

// Properties of liquid clustering as Unity Catalog shows them: columns as a JSON list of paths, [["id"],["address","city"]]
// (Delta's connector for Unity Catalog, extractClusteringProperties).
const (
	propertyClustering  = "clusteringColumns"
	propertyClusterAuto = "clusterByAuto"
)

func (t Table) property(key string) (string, bool) {
	if v, ok := t.Properties[key]; ok {
		return v, true
	}
	for k, v := range t.Properties {
		if strings.EqualFold(k, key) {
			return v, true
		}
	}
	return "", false
}

// clustering reads the columns. A list that cannot be read is one column of that text: the table is clustered, by whatever.
func (t Table) clustering() []string {
	text, ok := t.property(propertyClustering)
	if !ok || strings.TrimSpace(text) == "" {
		return nil
	}
	var paths [][]string
	if err := json.Unmarshal([]byte(text), &paths); err != nil {
		return []string{text}
	}
	var columns []string
	for _, path := range paths {
		columns = append(columns, strings.Join(path, "."))
	}
	return columns
}

// Table reads the description of a table; no warehouse is needed. The name has three parts, joined by dots, unquoted. A
// missing table, schema or catalog is ErrNotFound.
func (c *Client) Table(ctx context.Context, fullName string) (Table, error) {
	var t struct {
		FullName   string            `json:"full_name"`
		ID         string            `json:"table_id"`
		Type       string            `json:"table_type"`
		Format     string            `json:"data_source_format"`
		Owner      string            `json:"owner"`
		PipelineID string            `json:"pipeline_id"`
		Properties map[string]string `json:"properties"`
		Created    int64             `json:"created_at"`
		Updated    int64             `json:"updated_at"`
		CreatedBy  string            `json:"created_by"`
		UpdatedBy  string            `json:"updated_by"`
		Predictive struct {
			Value string `json:"value"`
		} `json:"effective_predictive_optimization_flag"`
		Columns []tableColumn `json:"columns"`
	}
	path := "/api/2.1/unity-catalog/tables/" + url.PathEscape(fullName)
	if err := c.read(ctx, get("read table", fullName, path, nil), &t); err != nil {
		var e *Error
		if errors.As(err, &e) && e.Hint == "" && errors.Is(err, ErrNotFound) {
			e.Hint = "Check the name. A temporary table or view is only there in the session that made it."
		}
		return Table{}, err
	}
	out := Table{FullName: t.FullName, ID: t.ID, Type: t.Type, Format: t.Format, Owner: t.Owner, PipelineID: t.PipelineID,
		Properties: t.Properties, PredictiveOptimization: t.Predictive.Value, Created: millis(t.Created), Updated: millis(t.Updated),
		CreatedBy: t.CreatedBy, UpdatedBy: t.UpdatedBy}
	if out.Properties == nil {
		out.Properties = map[string]string{}
	}
	for _, col := range t.Columns {
		out.Columns = append(out.Columns, Column{Name: col.Name, Type: col.Type, Nullable: col.Nullable == nil || *col.Nullable})
	}
	out.PartitionColumns = partitioning(t.Columns)
	auto, _ := out.property(propertyClusterAuto)
	out.ClusteringColumns, out.ClusterAuto = out.clustering(), strings.EqualFold(auto, "true")
	return out, nil
}

// tableColumn is a column in the answer of the API.
type tableColumn struct {
	Name      string `json:"name"`
	Type      string `json:"type_text"`
	Nullable  *bool  `json:"nullable"`
	Partition *int   `json:"partition_index"`
}

func partitioning(columns []tableColumn) []string {
	var parts []tableColumn
	for _, c := range columns {
		if c.Partition != nil {
			parts = append(parts, c)
		}
	}
	slices.SortStableFunc(parts, func(a, b tableColumn) int { return *a.Partition - *b.Partition })
	var names []string
	for _, c := range parts {
		names = append(names, c.Name)
	}
	return names
}

package workspace

import (
	"context"
	"net/url"
	"time"
)

// Table is a table or view as Unity Catalog describes it. Type is MANAGED, EXTERNAL, VIEW, STREAMING_TABLE and so on;
// Format is DELTA for Delta tables. ID changes when the table is dropped and created again.
type Table struct {
	FullName, ID, Type, Format, Owner, PipelineID string
	Properties                                    map[string]string
	Columns                                       []Column
	Created, Updated                              time.Time
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
		Columns    []struct {
			Name     string `json:"name"`
			Type     string `json:"type_text"`
			Nullable *bool  `json:"nullable"`
		} `json:"columns"`
	}
	path := "/api/2.1/unity-catalog/tables/" + url.PathEscape(fullName)
	if err := c.read(ctx, get("read table", fullName, path, nil), &t); err != nil {
		return Table{}, err
	}
	out := Table{FullName: t.FullName, ID: t.ID, Type: t.Type, Format: t.Format, Owner: t.Owner, PipelineID: t.PipelineID,
		Properties: t.Properties, Created: millis(t.Created), Updated: millis(t.Updated)}
	if out.Properties == nil {
		out.Properties = map[string]string{}
	}
	for _, col := range t.Columns {
		out.Columns = append(out.Columns, Column{Name: col.Name, Type: col.Type, Nullable: col.Nullable == nil || *col.Nullable})
	}
	return out, nil
}

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// MoveState takes over the properties of a databricks_sql_table, and nothing else of it: the table stays as it is, and
// nothing of Terraform's keeps it any more. Of the state only the name is read; the refresh that follows reads the
// properties from the table itself, so that the plan shows an update in place of what differs.
func (r *retention) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: r.moveTable}}
}

// isDatabricks tells Databricks' own provider by its address, of which OpenTofu gives the last part alone.
func isDatabricks(address string) bool {
	return address == "databricks" || strings.HasSuffix(address, "/databricks/databricks")
}

func (r *retention) moveTable(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if req.SourceTypeName != "databricks_sql_table" || !isDatabricks(req.SourceProviderAddress) {
		return
	}
	var source struct {
		ID        string `json:"id"`
		Catalog   string `json:"catalog_name"`
		Schema    string `json:"schema_name"`
		Name      string `json:"name"`
		TableType string `json:"table_type"`
	}
	if req.SourceRawState == nil || json.Unmarshal(req.SourceRawState.JSON, &source) != nil {
		resp.Diagnostics.AddError("The state of the databricks_sql_table cannot be read", fmt.Sprintf("It is of schema version %d. Forget the old resource with a removed block (lifecycle { destroy = false }), and declare the watertight_retention anew: it sets properties of the existing table and makes none.", req.SourceSchemaVersion))
		return
	}
	if source.TableType == "VIEW" || source.TableType == "MATERIALIZED_VIEW" || source.TableType == "STREAMING_TABLE" {
		resp.Diagnostics.AddError("A view has no retention", fmt.Sprintf("%s is a %s in the state of the databricks_sql_table. Only the properties of a Delta table can be taken over.", source.ID, source.TableType))
		return
	}
	name, err := contract.ParseTable(source.ID)
	if err != nil {
		name, err = contract.Table{Catalog: source.Catalog, Schema: source.Schema, Name: source.Name}, nil
		if source.Catalog == "" || source.Schema == "" || source.Name == "" {
			_, err = contract.ParseTable(source.ID)
		}
	}
	if err != nil {
		resp.Diagnostics.AddError("The state of the databricks_sql_table names no table", sentence(err.Error()))
		return
	}
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("id"), name.String())...)
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("table"), name.String())...)
}

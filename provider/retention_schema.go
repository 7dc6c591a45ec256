package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// retentionModel is the state. A null duration is not declared: the table's own value, or Delta's default, stands.
type retentionModel struct {
	ID                   types.String `tfsdk:"id"`
	Table                types.String `tfsdk:"table"`
	RollingWindow        types.String `tfsdk:"rolling_window"`
	EventTime            types.String `tfsdk:"event_time"`
	ExpireBy             types.String `tfsdk:"expire_by"`
	DeletedFileRetention types.String `tfsdk:"deleted_file_retention"`
	LogRetention         types.String `tfsdk:"log_retention"`
	RecoverableFor       types.String `tfsdk:"recoverable_for"`
	TableID              types.String `tfsdk:"table_id"`
	TableProperties      types.Map    `tfsdk:"table_properties"`
}

func (r *retention) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How long rows stay in a table, how they leave it, and how long they can be read afterwards through time travel.\n\n" +
			"Written with SQL on the provider's `warehouse_id`, both Delta durations in one statement; read through Unity Catalog, so that a refresh wakes no warehouse. Only what is declared is compared, as durations and not as text; properties that others set are never touched. Destroying it unsets what it set: it never touches rows, and never drops, replaces or rewrites the table.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "The table's name."},
			"table": schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "The Delta table, `catalog.schema.table`. It must exist; views, foreign tables and tables of a pipeline are refused. Another name: unset there, set here."},
			"rolling_window": schema.StringAttribute{Required: true, Validators: []validator.String{aDuration(time.Second)},
				MarkdownDescription: "How long a row is sure to stay in the table after its event time, as a duration (`24h`, `7 days`). With `auto_ttl` a whole number of days."},
			"event_time": schema.StringAttribute{Optional: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Column by which rows expire, DATE or TIMESTAMP. Needed with `auto_ttl`."},
			"expire_by": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("external"), Validators: []validator.String{oneOf("external", "auto_ttl", "purge_job")},
				MarkdownDescription: "What removes expired rows: `external` (default), something outside Terraform that keeps `rolling_window`; `auto_ttl`, Databricks' Auto-TTL, set here with `ALTER TABLE ... DELETE ROWS n DAYS AFTER column`; `purge_job`, not built yet and refused."},
			"deleted_file_retention": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "`delta.deletedFileRetentionDuration`: how long a removed file can be read, as a duration. It may not exceed the log's retention. Unset: left alone (Delta's default is 7 days)."},
			"log_retention": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "`delta.logRetentionDuration`: how long versions of the table are known, as a duration. Unset: left alone (Delta's default is 30 days)."},
			"recoverable_for":  schema.StringAttribute{Computed: true, MarkdownDescription: "How long an expired row stays readable through time travel, as a duration: the shorter of the two retentions that hold for the table."},
			"table_id":         schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Unity Catalog's id of the table. It changes when the table is dropped and made again."},
			"table_properties": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All properties of the table as last read, also those that the platform or others set. They are shown, never compared."},
		},
	}
}

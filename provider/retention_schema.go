package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	ID                   types.String   `tfsdk:"id"`
	Table                types.String   `tfsdk:"table"`
	RollingWindow        types.String   `tfsdk:"rolling_window"`
	EventTime            types.String   `tfsdk:"event_time"`
	ExpireBy             types.String   `tfsdk:"expire_by"`
	LoadedBy             types.Object   `tfsdk:"loaded_by"`
	Purge                types.Object   `tfsdk:"purge"`
	DeletedFileRetention types.String   `tfsdk:"deleted_file_retention"`
	LogRetention         types.String   `tfsdk:"log_retention"`
	Adopt                types.Bool     `tfsdk:"adopt"`
	CancelActiveRuns     types.Bool     `tfsdk:"cancel_active_runs"`
	Owner                types.String   `tfsdk:"owner"`
	PurgeJobID           types.String   `tfsdk:"purge_job_id"`
	PurgeSQLFile         types.String   `tfsdk:"purge_sql_file"`
	PurgeStatement       types.String   `tfsdk:"purge_statement"`
	ChangedOutside       types.List     `tfsdk:"changed_outside"`
	RecoverableFor       types.String   `tfsdk:"recoverable_for"`
	TableID              types.String   `tfsdk:"table_id"`
	TableProperties      types.Map      `tfsdk:"table_properties"`
	Timeouts             timeouts.Value `tfsdk:"timeouts"`
}

// loadedByModel is what a link to the loader of the table carries.
type loadedByModel struct {
	ID        types.String `tfsdk:"id"`
	Name      types.String `tfsdk:"name"`
	Source    types.String `tfsdk:"source"`
	Target    types.String `tfsdk:"target"`
	Key       types.Object `tfsdk:"key"`
	EventTime types.String `tfsdk:"event_time"`
	Reads     types.String `tfsdk:"reads"`
}

// purgeModel says when and where the purge job runs.
type purgeModel struct {
	Expression  types.String `tfsdk:"quartz_cron_expression"`
	ZoneID      types.String `tfsdk:"timezone_id"`
	Name        types.String `tfsdk:"name"`
	MaxDuration types.String `tfsdk:"max_duration"`
	WarehouseID types.String `tfsdk:"warehouse_id"`
}

func loadedByKinds() map[string]attr.Type {
	return map[string]attr.Type{"id": types.StringType, "name": types.StringType, "source": types.StringType, "target": types.StringType,
		"key": types.ObjectType{AttrTypes: keyKinds()}, "event_time": types.StringType, "reads": types.StringType}
}

func purgeKinds() map[string]attr.Type {
	return map[string]attr.Type{"quartz_cron_expression": types.StringType, "timezone_id": types.StringType, "name": types.StringType,
		"max_duration": types.StringType, "warehouse_id": types.StringType}
}

func (r *retention) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How long rows stay in a table, how they leave it, and how long they can be read afterwards through time travel.\n\n" +
			"Written with SQL on the provider's `warehouse_id`, both Delta durations in one statement; read through Unity Catalog, so that a refresh wakes no warehouse. Only what is declared is compared, as durations and not as text; properties that others set are never touched. Destroying it unsets what it set, and deletes its purge job: it never touches rows, and never drops, replaces or rewrites the table. A row deletion (Auto-TTL) that was not set here stays; where it is shorter than `rolling_window`, a refresh shows its days as `rolling_window`, and a plan that promises more is refused, also the one that precedes `terraform destroy`, unless with `-refresh=false`.\n\n" +
			"A table that is dropped and made again has lost what was set: the plan says so, with the time and the user where Unity Catalog gives them, and sets it again. A change of properties is a commit of the table's metadata, which can end a running stream that reads the table; the plan warns of it when `loaded_by` names such a loader.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "The table's name."},
			"table": schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()},
				PlanModifiers:       []planmodifier.String{sameTableName(), stringplanmodifier.RequiresReplaceIf(isAnotherTable, "Another table.", "Another table.")},
				MarkdownDescription: "The Delta table, `catalog.schema.table`. It must exist; views, materialized views, foreign and Iceberg tables and tables of a pipeline are refused. Another name: unset there, set here."},
			"rolling_window": schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{sameDuration()}, Validators: []validator.String{aDuration(time.Second)},
				MarkdownDescription: "How long a row is sure to stay in the table after its event time, as a duration (`24h`, `7 days`). With `auto_ttl` a whole number of days."},
			"event_time": schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{sameColumnName()}, Validators: []validator.String{someText()},
				MarkdownDescription: "Column by which rows expire, a DATE, TIMESTAMP or TIMESTAMP_NTZ. Needed with `auto_ttl` and `purge_job`. It may be another than the loader's own event time."},
			"expire_by": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("external"), Validators: []validator.String{oneOf("external", "auto_ttl", "purge_job")},
				MarkdownDescription: "What removes expired rows: `external` (default), something outside Terraform that keeps `rolling_window`; `auto_ttl`, Databricks' Auto-TTL of managed tables with predictive optimization, set here with `ALTER TABLE ... DELETE ROWS n DAYS AFTER column`; `purge_job`, a job made here that deletes only the rows that are older than `rolling_window` **and** are in the target of `loaded_by`."},
			"loaded_by": loadedByAttribute(),
			"purge":     purgeAttribute(),
			"deleted_file_retention": schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{sameDuration()}, Validators: []validator.String{aRetention()},
				MarkdownDescription: "`delta.deletedFileRetentionDuration`: how long a removed file can be read, as a duration. It may not exceed the log's retention. Unset: left alone (Delta's default is 7 days)."},
			"log_retention": schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{sameDuration()}, Validators: []validator.String{aRetention()},
				MarkdownDescription: "`delta.logRetentionDuration`: how long versions of the table are known, as a duration. Unset: left alone (Delta's default is 30 days)."},
			"adopt": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to take over a table whose retention another Terraform state keeps. Otherwise that is refused: two of them would change the table back and forth forever. Take it out of the other state too. Default: false."},
			"cancel_active_runs": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether the active runs of the purge job are cancelled, and waited for, before the job is deleted. Default: false: that is refused while a run is active. A destroy reads it from the state, so apply it before."},
			"owner": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
				MarkdownDescription: "Random id by which the table's properties and the purge job are known to be this resource's."},
			"purge_job_id":     schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the purge job. Null without one."},
			"purge_sql_file":   schema.StringAttribute{Computed: true, MarkdownDescription: "Workspace file that holds the statement of the purge job. Null without one."},
			"purge_statement":  schema.StringAttribute{Computed: true, MarkdownDescription: "The one SQL statement that the purge job runs. A row whose event time or a part of whose key is null is never deleted. Null without a purge job."},
			"changed_outside":  schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What differs in the live purge job or its SQL file from what was written. The next apply writes it again. Null when nothing differs."},
			"recoverable_for":  schema.StringAttribute{Computed: true, MarkdownDescription: "How long an expired row stays readable through time travel, as a duration: the shorter of the two retentions that hold for the table."},
			"table_id":         schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Unity Catalog's id of the table. It changes when the table is dropped and made again."},
			"table_properties": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All properties of the table as last read, also those that the platform or others set. They are shown, never compared."},
			"timeouts":         timeoutsAttribute(ctx),
		},
	}
}

func loadedByAttribute() schema.Attribute {
	text := func(description string, checks ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: checks}
	}
	key, _ := loaderKeyAttribute().(schema.SingleNestedAttribute)
	key.MarkdownDescription = "What identifies a row in the table and in its target: `partition` and `sequence`, or `columns`."
	return schema.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "The loader that reads the table: `watertight_loader_job.<name>`, the whole resource. Terraform keeps what is named here and drops the rest. Required with `expire_by = \"purge_job\"`.",
		Attributes: map[string]schema.Attribute{
			"id":         text("The job's id."),
			"name":       text("The job's name."),
			"source":     schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()}, MarkdownDescription: "Table it reads: this one."},
			"target":     schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()}, MarkdownDescription: "Table it writes, whose key columns have the same names."},
			"key":        key,
			"event_time": text("Column by which the loader lets rows settle."),
			"reads":      text("`snapshot` (default), `delta_stream`, `change_feed`, `event_hubs` or `kafka`.", oneOf("snapshot", "delta_stream", "change_feed", "event_hubs", "kafka")),
		}}
}

func purgeAttribute() schema.Attribute {
	s := scheduleAttribute("When and where the purge job runs. Required with `expire_by = \"purge_job\"`.")
	s.Attributes["name"] = schema.StringAttribute{Optional: true, Validators: []validator.String{someText()},
		MarkdownDescription: "Name of the job. Default: `purge ` and the table's name."}
	s.Attributes["max_duration"] = schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{sameDuration()}, Validators: []validator.String{aDuration(time.Second)},
		MarkdownDescription: "The longest a run may take, as a duration. Sent as `timeout_seconds`. Default: `1h`."}
	s.Attributes["warehouse_id"] = schema.StringAttribute{Optional: true, Validators: []validator.String{someText()},
		MarkdownDescription: "SQL warehouse that runs the statement. Unset: the provider's `warehouse_id`."}
	return s
}

package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// optimizeJobModel is the state. The links hold the values the verdict was made of.
type optimizeJobModel struct {
	ID                 types.String `tfsdk:"id"`
	Name               types.String `tfsdk:"name"`
	Table              types.String `tfsdk:"table"`
	Loader             types.Object `tfsdk:"loader"`
	Retention          types.Object `tfsdk:"retention"`
	Window             types.Object `tfsdk:"window"`
	LoaderDuringWindow types.String `tfsdk:"loader_during_window"`
	MinimumHeadroom    types.String `tfsdk:"minimum_headroom"`
	OnViolation        types.String `tfsdk:"on_violation"`
	PauseStatus        types.String `tfsdk:"pause_status"`
	WarehouseID        types.String `tfsdk:"warehouse_id"`
	Where              types.String `tfsdk:"where"`
	Full               types.Bool   `tfsdk:"full"`
	ZOrderBy           types.List   `tfsdk:"zorder_by"`
	Vacuum             types.Object `tfsdk:"vacuum"`
	Analyze            types.Bool   `tfsdk:"analyze"`
	Verdict            types.String `tfsdk:"verdict"`
	Headroom           types.String `tfsdk:"headroom"`
	LongestWait        types.String `tfsdk:"longest_wait"`
	NextWindow         types.String `tfsdk:"next_window"`
	Statements         types.List   `tfsdk:"statements"`
	SQLFile            types.String `tfsdk:"sql_file"`
	ChangedOutside     types.List   `tfsdk:"changed_outside"`
	URL                types.String `tfsdk:"url"`
}

type windowModel struct {
	Expression types.String `tfsdk:"quartz_cron_expression"`
	ZoneID     types.String `tfsdk:"timezone_id"`
	Duration   types.String `tfsdk:"duration"`
}

type vacuumModel struct {
	RetainHours types.Int64 `tfsdk:"retain_hours"`
	Lite        types.Bool  `tfsdk:"lite"`
	Full        types.Bool  `tfsdk:"full"`
}

func (r *optimizeJob) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A Databricks job that optimizes the target of a loader, at times and in a way under which no row of the loader's source expires unread.\n\n" +
			"Every plan compares the rolling window of the source with the longest time a row can wait for the loader. The comparison has three answers. Violated: the plan is refused, with the arithmetic and the smallest changes that would satisfy it, before anything is written. Not known yet, because a value is known only after apply: the plan goes on, and the same comparison stops the apply of this job before its first write. A loader found paused is reported with the instant from which its rows expire.\n\n" +
			"Reading it is one call for the job and one for its SQL file; planning reads the loader's pause once. Destroying it deletes the job and the file.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "The job's id."},
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Name of the job."},
			"table": schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()},
				MarkdownDescription: "The table to optimize, `catalog.schema.table`: the loader's target."},
			"loader":    loaderLinkAttribute(),
			"retention": retentionLinkAttribute(),
			"window":    windowAttribute(),
			"loader_during_window": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("running"), Validators: []validator.String{oneOf("running", "paused")},
				MarkdownDescription: "`running` (default): the loader goes on during the window. `paused`: it is paused for the window's duration; that is judged, but the job that pauses and resumes is not built yet, and asking for it is refused."},
			"minimum_headroom": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("0s"), Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "Least headroom, as a duration: rolling window − (settle delay + longest wait). Default: `0s`."},
			"on_violation": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("error"), Validators: []validator.String{oneOf("error", "warn")},
				MarkdownDescription: "`error` (default) refuses a plan under which rows would be lost; `warn` reports it and goes on."},
			"pause_status": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("UNPAUSED"), Validators: []validator.String{oneOf("UNPAUSED", "PAUSED")},
				MarkdownDescription: "`UNPAUSED` (default) or `PAUSED`: of this job, not of the loader."},
			"warehouse_id": schema.StringAttribute{Optional: true, Validators: []validator.String{someText()},
				MarkdownDescription: "SQL warehouse that runs the statements. Unset: the provider's `warehouse_id`."},
			"where": schema.StringAttribute{Optional: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Predicate over partition columns that limits OPTIMIZE. Unset: the whole table."},
			"full": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to rewrite all files of a clustered table (`OPTIMIZE ... FULL`). Default: false."},
			"zorder_by": schema.ListAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Columns to order by (`ZORDER BY`), not of a clustered table. Unset: none."},
			"vacuum": vacuumAttribute(),
			"analyze": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to compute statistics afterwards (`ANALYZE TABLE`). Default: false."},
			"verdict":         schema.StringAttribute{Computed: true, MarkdownDescription: "`holds`, `violated` (with `on_violation = \"warn\"`) or `unknown`: what the comparison said when the inputs last changed."},
			"headroom":        schema.StringAttribute{Computed: true, MarkdownDescription: "Rolling window − (settle delay + longest wait), as a duration; negative when rows would be lost. Known at plan when its inputs are."},
			"longest_wait":    schema.StringAttribute{Computed: true, MarkdownDescription: "The longest time between two reads of the source, pauses and a run's duration counted in, as a duration."},
			"next_window":     schema.StringAttribute{Computed: true, MarkdownDescription: "Start of the next window after the last refresh, RFC 3339 in UTC. Null when none is left, or while this job is paused."},
			"statements":      schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The SQL statements the job runs, in order."},
			"sql_file":        schema.StringAttribute{Computed: true, MarkdownDescription: "Workspace file that holds the statements."},
			"changed_outside": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What differs in the live job or its SQL file from what was written and has no attribute of its own. The next apply writes it again. Null when nothing differs."},
			"url":             schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Address of the job in the workspace."},
		},
	}
}

func windowAttribute() schema.Attribute {
	s := scheduleAttribute("When the job starts, and how long it is given.")
	s.Optional, s.Required = false, true
	s.Attributes["duration"] = schema.StringAttribute{Required: true, Validators: []validator.String{aDuration(time.Second)},
		MarkdownDescription: "How long the window lasts, as a duration (`2h`). Sent as `timeout_seconds`: Databricks ends a run that takes longer."}
	return s
}

func vacuumAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Removes files that no version within the retention needs, after OPTIMIZE (`vacuum = {}`). Unset: no VACUUM.", Attributes: map[string]schema.Attribute{
		"retain_hours": schema.Int64Attribute{Optional: true, MarkdownDescription: "Hours to keep (`RETAIN n HOURS`). Unset: the table's `delta.deletedFileRetentionDuration`."},
		"lite":         schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to find the files in the log alone (`VACUUM ... LITE`). Default: false."},
		"full":         schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to list all files of the table (`VACUUM ... FULL`). Default: false; Delta then decides."},
	}}
}

package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
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

	AllowShortRetention types.Bool     `tfsdk:"allow_short_retention"`
	Owner               types.String   `tfsdk:"owner"`
	AllowDuplicateName  types.Bool     `tfsdk:"allow_duplicate_name"`
	CancelActiveRuns    types.Bool     `tfsdk:"cancel_active_runs"`
	Timeouts            timeouts.Value `tfsdk:"timeouts"`
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

func (r *optimizeJob) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A Databricks job that optimizes the target of a loader, at times and in a way under which no row of the loader's source expires unread.\n\n" +
			"Every plan compares the rolling window of the source with the longest time a row can wait for the loader. The comparison has three answers. Violated: the plan is refused, with the arithmetic and the smallest changes that would satisfy it, before anything is written. Not known yet, because a value is known only after apply: the plan goes on, and the same comparison stops the apply of this job before its first write. A loader found paused is reported with the instant from which its rows expire.\n\n" +
			"What Delta would refuse when the job runs (`ZORDER BY` of a clustered table or on a partition column, `WHERE` on a data column, `FULL` without clustering, `RETAIN` below the table's own retention) is refused by the plan, where the table can be read through Unity Catalog; no warehouse is woken. A table that is missing is looked for again before the first write of the apply.\n\n" +
			"Reading it is one call for the job and one for its SQL file; planning reads the loader once, and the table where the statements change. Destroying it deletes the job and its own file; it is refused while a run is active. Terraform plans the configuration before it plans a destroy, and cannot say what for, so a violated configuration also stops `terraform destroy`: `terraform destroy -refresh=false` goes on.\n\n" +
			"An import fills the links from the loader that the job's tags name and from that loader's source, so that the configuration Terraform generates is complete. Put `watertight_loader_job.<name>` and `watertight_retention.<name>` in their place.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "The job's id."},
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Name of the job."},
			"table": schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()},
				MarkdownDescription: "The table to optimize, `catalog.schema.table`: the loader's target."},
			"loader":    optimizeLoaderAttribute(),
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
			"where": schema.StringAttribute{Optional: true, Validators: []validator.String{aPredicate()},
				MarkdownDescription: "Predicate over partition columns that limits OPTIMIZE; not of a clustered table. Unset: the whole table."},
			"full": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to rewrite all files of a clustered table (`OPTIMIZE ... FULL`). Default: false."},
			"zorder_by": schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{someColumns{}},
				MarkdownDescription: "Data columns to order by (`ZORDER BY`), not of a clustered table. Unset: none."},
			"vacuum": vacuumAttribute(),
			"analyze": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether to compute statistics afterwards (`ANALYZE TABLE`). Default: false."},
			"verdict":         schema.StringAttribute{Computed: true, MarkdownDescription: "`holds`, `violated` (with `on_violation = \"warn\"`) or `unknown`: what the comparison said when the inputs last changed."},
			"headroom":        schema.StringAttribute{Computed: true, MarkdownDescription: "Rolling window − (settle delay + longest wait), and − `longest_silence` too where `settle_clock` is `newest_event`, as a duration; negative when rows would be lost. Known at plan when its inputs are."},
			"longest_wait":    schema.StringAttribute{Computed: true, MarkdownDescription: "The longest time between two reads of the source, pauses and a run's duration counted in, as a duration."},
			"next_window":     schema.StringAttribute{Computed: true, MarkdownDescription: "Start of the next window after the last refresh, RFC 3339 in UTC. Null when none is left, or while this job is paused."},
			"statements":      schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The SQL statements the job runs, in order."},
			"sql_file":        schema.StringAttribute{Computed: true, MarkdownDescription: "Workspace file that holds the statements; the `owner` in its path makes it this job's alone."},
			"changed_outside": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What differs in the live job or its SQL file from what was written and has no attribute of its own. The next apply writes it again. Null when nothing differs."},
			"url":             schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Address of the job in the workspace."},
			"allow_short_retention": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether `vacuum` is accepted although a retention is below 168 hours, or does not reach from one window to the next: rolling window + `deleted_file_retention` (and `log_retention`) ≥ longest time between two windows + settle delay + longest wait. Default: false. A retention of 0 is never accepted."},
			"owner": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
				MarkdownDescription: "A random text, also in the job's tag `watertight_owner` and in the path of its SQL file, by which the job is known as this resource's. A job that was imported keeps its own; one without gets it at its next change."},
			"allow_duplicate_name": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to create the job although another job has its name. Default: false: a job of that name may be this one itself, made before a state was lost."},
			"cancel_active_runs": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether destroying cancels the active runs, and waits until they have ended, before it deletes the job. Default: false: destroying is refused while a run is active. It is read from the state, so apply it before the destroy."},
			"timeouts": timeoutsAttribute(ctx),
		},
	}
}

// optimizeLoaderAttribute is the link with the job's id: the tags carry it, by which the command line finds the window of a
// loader.
func optimizeLoaderAttribute() schema.Attribute {
	link, ok := loaderLinkAttribute().(schema.SingleNestedAttribute)
	if ok {
		link.Attributes["id"] = schema.StringAttribute{Required: true, Validators: []validator.String{aJobID()}, MarkdownDescription: "The job's id."}
	}
	return link
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

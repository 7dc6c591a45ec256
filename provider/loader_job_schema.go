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

// loaderJobModel is the state. Null: left to the API's default. Unknown: not known before apply.
type loaderJobModel struct {
	ID              types.String  `tfsdk:"id"`
	Name            types.String  `tfsdk:"name"`
	Source          types.String  `tfsdk:"source"`
	Target          types.String  `tfsdk:"target"`
	Key             types.Object  `tfsdk:"key"`
	EventTime       types.String  `tfsdk:"event_time"`
	SettleDelay     types.String  `tfsdk:"settle_delay"`
	SettleClock     types.String  `tfsdk:"settle_clock"`
	Strict          types.Bool    `tfsdk:"strict"`
	Evidence        types.String  `tfsdk:"evidence"`
	Reads           types.String  `tfsdk:"reads"`
	Schedule        types.Object  `tfsdk:"schedule"`
	Periodic        types.Object  `tfsdk:"periodic"`
	Continuous      types.Object  `tfsdk:"continuous"`
	PauseStatus     types.String  `tfsdk:"pause_status"`
	MaxDuration     types.String  `tfsdk:"max_duration"`
	LongestGap      types.String  `tfsdk:"longest_gap"`
	LongestSilence  types.String  `tfsdk:"longest_silence"`
	BrokerRetention types.String  `tfsdk:"broker_retention"`
	Settings        types.Dynamic `tfsdk:"settings"`
	Starts          types.Object  `tfsdk:"starts"`
	URL             types.String  `tfsdk:"url"`

	Owner              types.String   `tfsdk:"owner"`
	AllowDuplicateName types.Bool     `tfsdk:"allow_duplicate_name"`
	CancelActiveRuns   types.Bool     `tfsdk:"cancel_active_runs"`
	Timeouts           timeouts.Value `tfsdk:"timeouts"`
}

type keyModel struct {
	Partition types.String `tfsdk:"partition"`
	Sequence  types.String `tfsdk:"sequence"`
	Columns   types.List   `tfsdk:"columns"`
}

type scheduleModel struct {
	Expression types.String `tfsdk:"quartz_cron_expression"`
	ZoneID     types.String `tfsdk:"timezone_id"`
}

type periodicModel struct {
	Interval types.Int64  `tfsdk:"interval"`
	Unit     types.String `tfsdk:"unit"`
}

type continuousModel struct {
	TaskRetryMode types.String `tfsdk:"task_retry_mode"`
}

// startsModel is what coverage needs of the job and the settings hold: a link can carry it, and not the settings.
type startsModel struct {
	Kind              types.String `tfsdk:"kind"`
	Expression        types.String `tfsdk:"quartz_cron_expression"`
	ZoneID            types.String `tfsdk:"timezone_id"`
	PeriodSeconds     types.Int64  `tfsdk:"period_seconds"`
	OnOverlap         types.String `tfsdk:"on_overlap"`
	MaxConcurrentRuns types.Int64  `tfsdk:"max_concurrent_runs"`
}

func keyKinds() map[string]attr.Type {
	return map[string]attr.Type{"partition": types.StringType, "sequence": types.StringType, "columns": types.ListType{ElemType: types.StringType}}
}

func scheduleKinds() map[string]attr.Type {
	return map[string]attr.Type{"quartz_cron_expression": types.StringType, "timezone_id": types.StringType}
}

func periodicKinds() map[string]attr.Type {
	return map[string]attr.Type{"interval": types.Int64Type, "unit": types.StringType}
}

func continuousKinds() map[string]attr.Type {
	return map[string]attr.Type{"task_retry_mode": types.StringType}
}

func startsKinds() map[string]attr.Type {
	return map[string]attr.Type{"kind": types.StringType, "quartz_cron_expression": types.StringType, "timezone_id": types.StringType,
		"period_seconds": types.Int64Type, "on_overlap": types.StringType, "max_concurrent_runs": types.Int64Type}
}

func (r *loaderJob) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	length := func(description string, least time.Duration) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: []validator.String{aDuration(least)}}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A Databricks job that moves rows from a table with a rolling window to a permanent one.\n\n" +
			"Typed attributes hold what Watertight reasons about; `settings` holds everything else the Jobs API 2.2 knows, written as in the API, in a bundle, or in `databricks jobs get`. The contract (source, target, key, event time, settle delay) is also written to the job's tags, so that `watertight run` and `watertight verify` need nothing but the job's name. Exactly one of `schedule`, `periodic`, `continuous`, or `trigger`/`triggers` in `settings` says when it starts.\n\n" +
			"Reading it is one call; a job that is found paused is asked for its runs, and its source for its rolling window, to say until when nothing is lost. What was changed outside Terraform is listed in a warning, by path. A job deleted outside Terraform is planned anew; a job that may not be read stays in the state. A job is created only when no other job has its name. Nothing waits for a run to end. A `databricks_job` becomes one by a `moved` block (`from = databricks_job.x`), and any other job by an import: the contract is then added in place. Destroying it deletes the job and no rows, and is refused while a run is active.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "The job's id."},
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Name of the job. The CLI finds it by this name, so keep it unique in the workspace."},
			"source": schema.StringAttribute{Required: true,
				MarkdownDescription: "The table with the rolling window, `catalog.schema.table`."},
			"target": schema.StringAttribute{Required: true,
				MarkdownDescription: "The permanent table, `catalog.schema.table`."},
			"key":        loaderKeyAttribute(),
			"event_time": schema.StringAttribute{Required: true, MarkdownDescription: "Column of the source that says when a row's event happened, a TIMESTAMP. Rows expire by it and settle by it."},
			"settle_delay": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("0s"), Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "Age a row must have before the loader may read it, as a duration (`30m`). Default: `0s`."},
			"settle_clock": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("wall"),
				MarkdownDescription: "What that age is measured from: `wall`, the clock on the wall (default), or `newest_event`, the newest event time the loader sees. With `newest_event` the last rows before a silence are read only when events resume."},
			"strict": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the loader reads rows *strictly* older than the settle delay (`<`), rather than as old (`<=`). Default: false."},
			"evidence": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Schema, `catalog.schema`, in which verification keeps what it saw. Unset: every verification stands alone."},
			"reads": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("snapshot"),
				MarkdownDescription: "How the loader reads: `snapshot` (default; a query over the rows now in the source), `delta_stream`, `change_feed`, `event_hubs`, `kafka`. It decides which limit a pause must stay under: the rolling window; log and deleted-file retention; deleted-file retention; `broker_retention`."},
			"schedule":   scheduleAttribute("Starts the job by a Quartz cron expression. Starts missed in a pause are not caught up."),
			"periodic":   periodicAttribute(),
			"continuous": continuousAttribute(),
			"pause_status": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("UNPAUSED"), Validators: []validator.String{oneOf("UNPAUSED", "PAUSED")},
				MarkdownDescription: "`UNPAUSED` (default) or `PAUSED`, written into whichever trigger the job has. A pause made outside Terraform is a difference, and the plan undoes it; so does taking `PAUSED` out of the configuration."},
			"max_duration": schema.StringAttribute{Required: true, Validators: []validator.String{aDuration(time.Second)},
				MarkdownDescription: "The longest a run may take, as a duration (`20m`). Sent as `timeout_seconds`: Databricks ends a run that takes longer."},
			"longest_gap":      length("The longest time between two starts, as a duration, of a job started by file arrival, table updates or models, which have no bound of their own. Unset: coverage of such a job cannot be told.", time.Second),
			"longest_silence":  length("The longest time in which no event arrives, as a duration. It matters with `settle_clock = \"newest_event\"`. Unset: the verdict names the longest silence it can bear, as an assumption.", 0),
			"broker_retention": length("How long the broker keeps an event, as a duration. Needed with `reads` `event_hubs` and `kafka`.", time.Second),
			"settings": schema.DynamicAttribute{Required: true,
				MarkdownDescription: "Every other field of the job, as an object: an HCL literal, `jsondecode(file(...))` of a job's settings, or `yamldecode(file(\"databricks.yml\")).resources.jobs.<name>`. Nulls are left out. An unknown field, a wrong type, a value that an enumeration does not have, or what Databricks would refuse (a task without a type, a dependency on no task, two triggers) is an error at its path while validating. A field that an attribute above owns may stand here as long as both say the same, so that a whole job of a bundle can be given; `permissions` and `lifecycle` of a bundle are left out. A field written here is compared with the live job, lists by their keys and not by position; a field not written is a difference when its live value is not the API's default; what Databricks chooses for a cluster (node types, cloud attributes, disks, access mode) and for a task (`retry_on_timeout`) is compared only where it is written, and so is `run_as`, which Databricks keeps when a write does not name it: to change it back, name the other identity. `queue` is sent as disabled unless written here: the API would turn it on. A `sql_task` without `warehouse_id` runs on the provider's."},
			"starts": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "How the job starts and what it does when a run is still active, read from the attributes and from `settings`. Links carry it to other resources.", Attributes: map[string]schema.Attribute{
				"kind":                   schema.StringAttribute{Computed: true, MarkdownDescription: "`schedule`, `periodic`, `continuous`, `file_arrival`, `table_update`, `model` or `triggers`."},
				"quartz_cron_expression": schema.StringAttribute{Computed: true, MarkdownDescription: "Its schedule's Quartz cron expression; otherwise null."},
				"timezone_id":            schema.StringAttribute{Computed: true, MarkdownDescription: "Its schedule's time zone id; otherwise null."},
				"period_seconds":         schema.Int64Attribute{Computed: true, MarkdownDescription: "Seconds between two starts of a periodic job; otherwise null."},
				"on_overlap":             schema.StringAttribute{Computed: true, MarkdownDescription: "`skip` or `queue`: what happens to a start while as many runs as allowed are active."},
				"max_concurrent_runs":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of runs that may be active at once."},
			}},
			"url": schema.StringAttribute{Computed: true, PlanModifiers: keep, MarkdownDescription: "Address of the job in the workspace."},
			"owner": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
				MarkdownDescription: "A random text, also in the job's tag `watertight_owner`, by which the job is known as this resource's: a creation whose answer was lost is found by it. A job that was imported keeps its own; one without gets it at its next change."},
			"allow_duplicate_name": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether to create the job although another job has its name. Default: false: a job of that name may be this loader itself, made before a state was lost, and two loaders would load twice."},
			"cancel_active_runs": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether destroying cancels the active runs, and waits until they have ended, before it deletes the job. Default: false: destroying is refused while a run is active. It is read from the state, so apply it before the destroy."},
			"timeouts": timeoutsAttribute(ctx),
		},
	}
}

func loaderKeyAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true, MarkdownDescription: "What identifies a row: `partition` and `sequence`, or `columns`.", Attributes: map[string]schema.Attribute{
		"partition": schema.StringAttribute{Optional: true, MarkdownDescription: "Column with the partition of the event stream."},
		"sequence":  schema.StringAttribute{Optional: true, MarkdownDescription: "Column with the sequence number, which grows within its partition."},
		"columns":   schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Columns that identify a row of a source without sequence numbers."},
	}}
}

func scheduleAttribute(description string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"quartz_cron_expression": schema.StringAttribute{Required: true, Validators: []validator.String{aCron()}, MarkdownDescription: "Quartz cron expression with six or seven fields, seconds first (`0 0/15 * * * ?`)."},
		"timezone_id":            schema.StringAttribute{Required: true, Validators: []validator.String{aZone()}, MarkdownDescription: "Time zone id (`UTC`, `Europe/Berlin`)."},
	}}
}

func periodicAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Starts the job at an interval, at a phase that Databricks chooses.", Attributes: map[string]schema.Attribute{
		"interval": schema.Int64Attribute{Required: true, MarkdownDescription: "Number of units between two starts, 1 or more."},
		"unit":     schema.StringAttribute{Required: true, Validators: []validator.String{oneOf("MINUTES", "HOURS", "DAYS", "WEEKS")}, MarkdownDescription: "`MINUTES`, `HOURS`, `DAYS` or `WEEKS`."},
	}}
}

func continuousAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "Starts the next run within a minute of the end of the last (`continuous = {}`).", Attributes: map[string]schema.Attribute{
		"task_retry_mode": schema.StringAttribute{Optional: true, Validators: []validator.String{oneOf("NEVER", "ON_FAILURE")}, MarkdownDescription: "`NEVER` or `ON_FAILURE`. Unset: the API's default, `NEVER`."},
	}}
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// loaderJobSource is an existing job, whoever made it: jobs/get by id (all pages), or jobs/list filtered by name. Its
// contract is read from its tags, or is the configuration's. Null is what neither says.
type loaderJobSource struct{ source }

var (
	_ datasource.DataSourceWithConfigure      = (*loaderJobSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*loaderJobSource)(nil)
)

func newLoaderJobSource() datasource.DataSource { return &loaderJobSource{} }

type loaderJobSourceModel struct {
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
	MaxDuration     types.String  `tfsdk:"max_duration"`
	LongestGap      types.String  `tfsdk:"longest_gap"`
	LongestSilence  types.String  `tfsdk:"longest_silence"`
	BrokerRetention types.String  `tfsdk:"broker_retention"`
	Schedule        types.Object  `tfsdk:"schedule"`
	Starts          types.Object  `tfsdk:"starts"`
	PauseStatus     types.String  `tfsdk:"pause_status"`
	Settings        types.Dynamic `tfsdk:"settings"`
	Tags            types.Map     `tfsdk:"tags"`
	URL             types.String  `tfsdk:"url"`
}

func (d *loaderJobSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_loader_job"
}

func (d *loaderJobSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string, checks ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: description, Validators: checks}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "An existing job that loads rows, whoever made it: another configuration, a bundle, the databricks provider, a person. The result is what `loader` of `watertight_optimize_job` and `watertight_coverage`, and `loaded_by` of `watertight_retention`, take.\n\n" +
			"What the loader promises (`source` to `broker_retention`) is read from the tags that a `watertight_loader_job` leaves on its job. A job without them gets its promise here: `source`, `target` and `settle_delay` are then needed. A promise that is written here and in the tags must be the same in both; a data source overrides nothing.\n\n" +
			"Reading it is one call (by `id` one for every 100 tasks).",
		Attributes: map[string]schema.Attribute{
			"id":           text("The job's id. Either this or `name`."),
			"name":         text("The job's exact name. Either this or `id`. A name that no job or several jobs have is an error that names them.", someText()),
			"source":       text("Table the loader reads, `catalog.schema.table`.", aTableName()),
			"target":       text("Table the loader writes, `catalog.schema.table`.", aTableName()),
			"key":          loaderSourceKeyAttribute(),
			"event_time":   text("Timestamp column of the source that ages a row. `loaded_by` needs it.", someText()),
			"settle_delay": text("Age a row must have before the loader may read it, as a duration.", aDuration(0)),
			"settle_clock": text("What that age is measured from: `wall` (default) or `newest_event`.", oneOf("wall", "newest_event")),
			"strict": schema.BoolAttribute{Optional: true, Computed: true,
				MarkdownDescription: "Whether the loader reads rows *strictly* older than the settle delay. Default: false."},
			"evidence":         text("Schema, `catalog.schema`, in which verification keeps what it saw."),
			"reads":            text("How the loader reads: `snapshot` (default), `delta_stream`, `change_feed`, `event_hubs` or `kafka`.", oneOf("snapshot", "delta_stream", "change_feed", "event_hubs", "kafka")),
			"max_duration":     text("The longest a run may take, as a duration: the job's `timeout_seconds`. A job without a timeout needs it here; nothing enforces it then.", aDuration(time.Second)),
			"longest_gap":      text("The longest time between two starts, as a duration, of a job without a bound of its own.", aDuration(time.Second)),
			"longest_silence":  text("The longest time in which no event arrives, as a duration.", aDuration(0)),
			"broker_retention": text("How long the broker keeps an event, as a duration.", aDuration(time.Second)),
			"schedule": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "Its schedule; null when it starts in another way.", Attributes: map[string]schema.Attribute{
				"quartz_cron_expression": schema.StringAttribute{Computed: true, MarkdownDescription: "Quartz cron expression."},
				"timezone_id":            schema.StringAttribute{Computed: true, MarkdownDescription: "Time zone id."},
			}},
			"starts": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "How the job starts and what it does when a run is still active.", Attributes: map[string]schema.Attribute{
				"kind":                   schema.StringAttribute{Computed: true, MarkdownDescription: "`schedule`, `periodic`, `continuous`, `file_arrival`, `table_update`, `model`, `triggers` or `manual`."},
				"quartz_cron_expression": schema.StringAttribute{Computed: true, MarkdownDescription: "Its schedule's Quartz cron expression; otherwise null."},
				"timezone_id":            schema.StringAttribute{Computed: true, MarkdownDescription: "Its schedule's time zone id; otherwise null."},
				"period_seconds":         schema.Int64Attribute{Computed: true, MarkdownDescription: "Seconds between two starts of a periodic job; otherwise null."},
				"on_overlap":             schema.StringAttribute{Computed: true, MarkdownDescription: "`skip` or `queue`: what happens to a start while as many runs as allowed are active."},
				"max_concurrent_runs":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of runs that may be active at once."},
			}},
			"pause_status": schema.StringAttribute{Computed: true, MarkdownDescription: "`UNPAUSED` or `PAUSED`, as the job is now. Null for a job that nothing starts."},
			"settings":     schema.DynamicAttribute{Computed: true, MarkdownDescription: "All settings of the job that are not the API's defaults, as an object. Keyed lists are in the order of their keys, so that two readings of one job are the same."},
			"tags":         schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The job's tags."},
			"url":          schema.StringAttribute{Computed: true, MarkdownDescription: "Address of the job in the workspace."},
		},
	}
}

func loaderSourceKeyAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, Computed: true, MarkdownDescription: "What identifies a row: `partition` and `sequence`, or `columns`. `loaded_by` needs it.", Attributes: map[string]schema.Attribute{
		"partition": schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Column with the partition of the event stream."},
		"sequence":  schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "Column with the sequence number, which grows within its partition."},
		"columns":   schema.ListAttribute{Optional: true, Computed: true, ElementType: types.StringType, MarkdownDescription: "Columns that identify a row of a source without sequence numbers."},
	}}
}

// ValidateConfig wants exactly one way to find the job. An unknown one counts: it will be known when it is read.
func (d *loaderJobSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var config loaderJobSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() && config.ID.IsNull() == config.Name.IsNull() && isKnown(config.ID, config.Name) {
		resp.Diagnostics.AddAttributeError(path.Root("id"), "Which job?", "Set either id or name, and not both: id = \"123\", or name = \"load_messages\".")
	}
}

func (d *loaderJobSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model loaderJobSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	client := d.client(req, resp)
	if client == nil {
		return
	}
	job, ok := model.find(ctx, client, &resp.Diagnostics)
	if !ok {
		return
	}
	model.read(ctx, job, &resp.Diagnostics)
	model.URL = jobURL(client, job.ID)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	}
}

// find reads the job by its id or, never taking a name for an id, by its name.
func (m *loaderJobSourceModel) find(ctx context.Context, client *workspace.Client, diags *diag.Diagnostics) (workspace.Job, bool) {
	at, wanted := path.Root("id"), m.ID.ValueString()
	if m.ID.IsNull() {
		at, wanted = path.Root("name"), m.Name.ValueString()
	}
	job, err := client.FindJob(ctx, wanted)
	switch {
	case errors.Is(err, workspace.ErrNotFound), err == nil && m.ID.IsNull() && jobspec.Name(job.Settings) != wanted, err == nil && !m.ID.IsNull() && jobID(job.ID) != m.ID:
		diags.AddAttributeError(at, "There is no such job", fmt.Sprintf(
			"No job with %s = %q is in %s, or may be seen with these credentials. Names are compared with their case. For a job that the same apply makes, use its id (databricks_job.load.id).", at, wanted, client.Host()))
	case errors.Is(err, workspace.ErrAmbiguous):
		diags.AddAttributeError(at, "Several jobs have this name", sentence(err.Error())+"\n\nName the one that is meant by its id.")
	case err != nil:
		addError(diags, "The job cannot be read", err)
	default:
		return job, true
	}
	return job, false
}

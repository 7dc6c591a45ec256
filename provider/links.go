package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// loaderLink is what a link to a loader carries.
type loaderLink struct {
	ID              types.String `tfsdk:"id"`
	Name            types.String `tfsdk:"name"`
	Source          types.String `tfsdk:"source"`
	Target          types.String `tfsdk:"target"`
	SettleDelay     types.String `tfsdk:"settle_delay"`
	SettleClock     types.String `tfsdk:"settle_clock"`
	Reads           types.String `tfsdk:"reads"`
	Schedule        types.Object `tfsdk:"schedule"`
	Starts          types.Object `tfsdk:"starts"`
	PauseStatus     types.String `tfsdk:"pause_status"`
	MaxDuration     types.String `tfsdk:"max_duration"`
	LongestGap      types.String `tfsdk:"longest_gap"`
	LongestSilence  types.String `tfsdk:"longest_silence"`
	BrokerRetention types.String `tfsdk:"broker_retention"`
}

// retentionLink is what a link to a retention carries.
type retentionLink struct {
	Table                types.String `tfsdk:"table"`
	RollingWindow        types.String `tfsdk:"rolling_window"`
	DeletedFileRetention types.String `tfsdk:"deleted_file_retention"`
	LogRetention         types.String `tfsdk:"log_retention"`
}

func loaderLinkAttribute() schema.Attribute {
	text := func(description string, checks ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: checks}
	}
	required := func(description string, checks ...validator.String) schema.Attribute {
		return schema.StringAttribute{Required: true, MarkdownDescription: description, Validators: checks}
	}
	return schema.SingleNestedAttribute{Required: true,
		MarkdownDescription: "The loader: `watertight_loader_job.<name>`, the whole resource. Terraform keeps what is named here and drops the rest.",
		Attributes: map[string]schema.Attribute{
			"id":           text("The job's id."),
			"name":         required("The job's name."),
			"source":       required("Table it reads.", aTableName()),
			"target":       required("Table it writes.", aTableName()),
			"settle_delay": text("Age a row must have before it is read, as a duration. Default: `0s`.", aDuration(0)),
			"settle_clock": text("`wall` (default) or `newest_event`.", oneOf("wall", "newest_event")),
			"reads":        text("`snapshot` (default), `delta_stream`, `change_feed`, `event_hubs` or `kafka`.", oneOf("snapshot", "delta_stream", "change_feed", "event_hubs", "kafka")),
			"schedule":     scheduleAttribute("Its schedule; null when it starts in another way."),
			"starts": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: "How it starts, when not by `schedule`, and what it does when a run is still active.", Attributes: map[string]schema.Attribute{
				"kind":                   text("`schedule`, `periodic`, `continuous`, `file_arrival`, `table_update`, `model` or `triggers`."),
				"quartz_cron_expression": text("Its schedule's Quartz cron expression.", aCron()),
				"timezone_id":            text("Its schedule's time zone id.", aZone()),
				"period_seconds":         schema.Int64Attribute{Optional: true, MarkdownDescription: "Seconds between two starts of a periodic job."},
				"on_overlap":             text("`skip` (default) or `queue`.", oneOf("skip", "queue")),
				"max_concurrent_runs":    schema.Int64Attribute{Optional: true, MarkdownDescription: "Runs that may be active at once. Default: 1."},
			}},
			"pause_status":     text("`UNPAUSED` (default) or `PAUSED`.", oneOf("UNPAUSED", "PAUSED")),
			"max_duration":     required("The longest a run may take, as a duration.", aDuration(0)),
			"longest_gap":      text("The longest time between two starts, as a duration, of a job without a bound of its own.", aDuration(0)),
			"longest_silence":  text("The longest time in which no event arrives, as a duration.", aDuration(0)),
			"broker_retention": text("How long the broker keeps an event, as a duration.", aDuration(0)),
		}}
}

func retentionLinkAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true,
		MarkdownDescription: "The retention of the loader's source: `watertight_retention.<name>`, the whole resource. Terraform keeps what is named here and drops the rest.",
		Attributes: map[string]schema.Attribute{
			"table":                  schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()}, MarkdownDescription: "The table: the loader's source."},
			"rolling_window":         schema.StringAttribute{Required: true, Validators: []validator.String{aDuration(0)}, MarkdownDescription: "How long a row is sure to stay after its event time, as a duration."},
			"deleted_file_retention": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)}, MarkdownDescription: "How long a removed file can be read, as a duration. Unset: Delta's default, 7 days."},
			"log_retention":          schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)}, MarkdownDescription: "How long versions of the table are known, as a duration. Unset: Delta's default, 30 days."},
		}}
}

// loaderLinkKinds and retentionLinkKinds are the types of the links.
func loaderLinkKinds() map[string]attr.Type {
	return linkKinds(loaderLinkAttribute())
}

func retentionLinkKinds() map[string]attr.Type {
	return linkKinds(retentionLinkAttribute())
}

func linkKinds(link schema.Attribute) map[string]attr.Type {
	if o, ok := link.GetType().(types.ObjectType); ok {
		return o.AttrTypes
	}
	return nil
}

// isKnown tells whether a value and all that is inside it is known.
func isKnown(values ...attr.Value) bool {
	for _, v := range values {
		if v.IsUnknown() {
			return false
		}
		if o, ok := v.(types.Object); ok {
			for _, e := range o.Attributes() {
				if !isKnown(e) {
					return false
				}
			}
		}
		if l, ok := v.(types.List); ok && !isKnown(l.Elements()...) {
			return false
		}
	}
	return true
}

// fields reads an object into a struct. A null object leaves the struct as it is.
func fields(ctx context.Context, o types.Object, into any, diags *diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return
	}
	diags.Append(o.As(ctx, into, basetypes.ObjectAsOptions{})...)
}

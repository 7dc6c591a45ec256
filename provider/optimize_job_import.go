package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// takeOver fills the state of an import with what the job does not hold in attributes of its own: the statements from its
// file, the links from the loader that its tags name and from that loader's source. It costs two calls.
func (r *optimizeJob) takeOver(ctx context.Context, m *optimizeJobModel, job workspace.Job, file []byte, diags *diag.Diagnostics) {
	m.OnViolation = types.StringValue("error")
	m.Owner = optional(jobspec.Tags(job.Settings)[contract.TagOwner])
	m.takeStatements(ctx, file, diags)
	if id := warehouseOf(job.Settings); id != r.session.client.WarehouseID() {
		m.WarehouseID = optional(id)
	}
	promise, ok, err := maintenance.FromSettings(job.Settings)
	if err != nil || !ok {
		return // refresh warns of it
	}
	m.LoaderDuringWindow, m.MinimumHeadroom = types.StringValue(promise.LoaderDuringWindow), types.StringValue(interval.Short(promise.MinimumHeadroom))
	loader, err := r.session.client.Job(ctx, promise.LoaderID)
	if err != nil {
		m.Loader = loaderJobModel{ID: jobID(promise.LoaderID)}.link()
		diags.AddAttributeWarning(path.Root("loader"), "The linked loader cannot be read", fmt.Sprintf("The tags of the job name the loader %d. %s\n\nSet loader and retention in the configuration.", promise.LoaderID, explain(err)))
		return
	}
	var live loaderJobModel
	live.refresh(ctx, loader, r.session.client.WarehouseID(), diags)
	m.Loader = live.link()
	if live.Source.IsNull() {
		diags.AddAttributeWarning(path.Root("loader"), "The linked loader has no contract", fmt.Sprintf("The job %d carries no tags of a loader, so its source, target and settle delay are not known. Set loader and retention in the configuration.", promise.LoaderID))
		return
	}
	source, err := r.session.client.Table(ctx, live.Source.ValueString())
	if err != nil {
		diags.AddAttributeWarning(path.Root("retention"), "The loader's source cannot be read", explain(err)+"\n\nSet retention in the configuration.")
		return
	}
	m.Retention = retentionOf(live.Source, source.Properties)
	m.Verdict, m.Headroom, m.LongestWait = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.Statements = types.ListUnknown(types.StringType)
}

// takeStatements reads the file that Watertight wrote. One that somebody else changed is drift, which the plan shows.
func (m *optimizeJobModel) takeStatements(ctx context.Context, file []byte, diags *diag.Diagnostics) {
	p, ok := maintenance.ReadFile(file)
	if !ok {
		diags.AddWarning("The SQL file of the job cannot be read back", "It is gone, or it does not hold the statements as Watertight writes them. Set where, zorder_by, full, vacuum and analyze in the configuration; the first apply writes the file again.")
	}
	m.Where, m.Full, m.Analyze = optional(p.Optimize.Where), types.BoolValue(p.Optimize.Full), types.BoolValue(p.Analyze)
	m.ZOrderBy = types.ListNull(types.StringType)
	if len(p.Optimize.ZOrderBy) > 0 {
		list, d := types.ListValueFrom(ctx, types.StringType, p.Optimize.ZOrderBy)
		diags.Append(d...)
		m.ZOrderBy = list
	}
	m.Vacuum = types.ObjectNull(vacuumKinds())
	if v := p.Vacuum; v != nil {
		m.Vacuum = types.ObjectValueMust(vacuumKinds(), map[string]attr.Value{"retain_hours": optionalHours(v.RetainHours), "lite": optionalTrue(v.Lite), "full": optionalTrue(v.Full)})
	}
}

func vacuumKinds() map[string]attr.Type {
	return map[string]attr.Type{"retain_hours": types.Int64Type, "lite": types.BoolType, "full": types.BoolType}
}

func optionalHours(hours *int) types.Int64 {
	if hours == nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(*hours))
}

func optionalTrue(v bool) types.Bool {
	if !v {
		return types.BoolNull()
	}
	return types.BoolValue(true)
}

func warehouseOf(live jobspec.Settings) string {
	tasks, _ := live["tasks"].([]any)
	for _, t := range tasks {
		task, _ := t.(map[string]any)
		sql, _ := task["sql_task"].(map[string]any)
		if id, _ := sql["warehouse_id"].(string); id != "" {
			return id
		}
	}
	return ""
}

// link is what a link to the loader carries.
func (m loaderJobModel) link() types.Object {
	schedule, starts := m.Schedule, m.Starts
	if schedule.IsNull() {
		schedule = types.ObjectNull(scheduleKinds())
	}
	if starts.IsNull() {
		starts = types.ObjectNull(startsKinds())
	}
	return types.ObjectValueMust(loaderLinkKinds(), map[string]attr.Value{
		"id": m.ID, "name": m.Name, "source": m.Source, "target": m.Target, "settle_delay": m.SettleDelay, "settle_clock": m.SettleClock, "reads": m.Reads,
		"schedule": schedule, "starts": starts, "pause_status": m.PauseStatus, "max_duration": m.MaxDuration, "longest_gap": m.LongestGap,
		"longest_silence": m.LongestSilence, "broker_retention": m.BrokerRetention})
}

// retentionOf is the link to the retention of a table, as far as its properties declare one.
func retentionOf(table types.String, properties map[string]string) types.Object {
	length := func(key string) types.String { return refreshDuration(types.StringNull(), properties, key, true) }
	return types.ObjectValueMust(retentionLinkKinds(), map[string]attr.Value{
		"table": table, "rolling_window": length(contract.PropertyRollingWindow),
		"deleted_file_retention": length(contract.PropertyDeletedFileRetention), "log_retention": length(contract.PropertyLogRetention)})
}

// keepSpelling keeps the state's text of a length in a link that means the same in the configuration: neither an import
// nor another spelling in the linked resource is a change of this job.
func (m *optimizeJobModel) keepSpelling(ctx context.Context, state optimizeJobModel, diags *diag.Diagnostics) {
	m.Loader = keepLengths(ctx, m.Loader, state.Loader, diags, "settle_delay", "max_duration", "longest_gap", "longest_silence", "broker_retention")
	m.Retention = keepLengths(ctx, m.Retention, state.Retention, diags, "rolling_window", "deleted_file_retention", "log_retention")
	m.Window = keepLengths(ctx, m.Window, state.Window, diags, "duration")
	m.MinimumHeadroom = keepLength(m.MinimumHeadroom, state.MinimumHeadroom)
}

func keepLengths(ctx context.Context, planned, prior types.Object, diags *diag.Diagnostics, names ...string) types.Object {
	if planned.IsNull() || planned.IsUnknown() || prior.IsNull() {
		return planned
	}
	values, before := planned.Attributes(), prior.Attributes()
	for _, name := range names {
		a, isText := values[name].(types.String)
		b, wasText := before[name].(types.String)
		if isText && wasText {
			values[name] = keepLength(a, b)
		}
	}
	out, d := types.ObjectValue(planned.AttributeTypes(ctx), values)
	diags.Append(d...)
	return out
}

func keepLength(planned, prior types.String) types.String {
	if planned.IsNull() || planned.IsUnknown() || prior.IsNull() || prior.IsUnknown() {
		return planned
	}
	a, err := interval.Parse(planned.ValueString())
	b, err2 := interval.Parse(prior.ValueString())
	if err != nil || err2 != nil || a != b {
		return planned
	}
	return prior
}

// hasInputsOf tells whether everything that a configuration says is as in the state.
func (m optimizeJobModel) hasInputsOf(state optimizeJobModel) bool {
	a, b := m.inputs(), state.inputs()
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

func (m optimizeJobModel) inputs() []attr.Value {
	return []attr.Value{m.Name, m.Table, m.Loader, m.Retention, m.Window, m.LoaderDuringWindow, m.MinimumHeadroom, m.OnViolation, m.PauseStatus, m.WarehouseID,
		m.Where, m.Full, m.ZOrderBy, m.Vacuum, m.Analyze, m.AllowShortRetention, m.AllowDuplicateName, m.CancelActiveRuns, m.Timeouts}
}

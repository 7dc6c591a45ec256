package provider

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// refresh takes over what the live job says. What means the same keeps the value of the state itself, type and text;
// what the job does not have is null.
func (m *loaderJobModel) refresh(ctx context.Context, job workspace.Job, warehouse string, diags *diag.Diagnostics) {
	live := job.Settings
	prior := *m
	m.ID = jobID(job.ID)
	m.Name = liveText(live["name"])
	m.refreshTrigger(ctx, prior, live, diags)
	if status, _, ok := jobspec.Pause(live); ok {
		m.PauseStatus = types.StringValue(status)
	}
	m.MaxDuration = types.StringNull()
	if n, ok := live["timeout_seconds"].(json.Number); ok && n.String() != "0" {
		if seconds, err := n.Int64(); err == nil {
			m.MaxDuration = keepText(prior.MaxDuration, time.Duration(seconds)*time.Second)
		}
	}
	m.refreshContract(ctx, prior, live, diags)
	m.refreshSettings(ctx, prior, live, warehouse, diags)
	m.Starts = m.starts(ctx, diags)
}

func liveText(v any) types.String {
	text, ok := v.(string)
	if !ok {
		return types.StringNull()
	}
	return types.StringValue(text)
}

// refreshTrigger reads the typed triggers. A trigger that was written in settings stays there.
func (m *loaderJobModel) refreshTrigger(ctx context.Context, prior loaderJobModel, live jobspec.Settings, diags *diag.Diagnostics) {
	m.Schedule, m.Periodic, m.Continuous = types.ObjectNull(scheduleKinds()), types.ObjectNull(periodicKinds()), types.ObjectNull(continuousKinds())
	if s, ok := live["schedule"].(map[string]any); ok {
		m.Schedule = types.ObjectValueMust(scheduleKinds(), map[string]attr.Value{
			"quartz_cron_expression": liveText(s["quartz_cron_expression"]), "timezone_id": liveText(s["timezone_id"])})
	}
	if t, ok := livePeriodic(live); ok && !prior.writesPeriodic(diags) {
		count := types.Int64Null()
		if n, ok := t["interval"].(json.Number); ok {
			if i, err := n.Int64(); err == nil {
				count = types.Int64Value(i)
			}
		}
		m.Periodic = types.ObjectValueMust(periodicKinds(), map[string]attr.Value{"interval": count, "unit": liveText(t["unit"])})
	}
	if c, ok := live["continuous"].(map[string]any); ok {
		var was continuousModel
		fields(ctx, prior.Continuous, &was, diags)
		mode := liveText(c["task_retry_mode"])
		if was.TaskRetryMode.IsNull() && mode.ValueString() == "NEVER" {
			mode = types.StringNull()
		}
		m.Continuous = types.ObjectValueMust(continuousKinds(), map[string]attr.Value{"task_retry_mode": mode})
	}
}

// livePeriodic is the periodic part of a trigger that has no other; a condition may stand beside it.
func livePeriodic(live jobspec.Settings) (map[string]any, bool) {
	trigger, _ := live["trigger"].(map[string]any)
	periodic, ok := trigger["periodic"].(map[string]any)
	for name := range trigger {
		ok = ok && (name == "periodic" || name == "pause_status" || name == "sql_condition")
	}
	return periodic, ok
}

// writesPeriodic tells that the settings say it, and the attribute does not.
func (m loaderJobModel) writesPeriodic(diags *diag.Diagnostics) bool {
	trigger, _ := m.written(diags).settings["trigger"].(map[string]any)
	return trigger["periodic"] != nil && m.Periodic.IsNull()
}

// refreshContract reads the tags. A contract that cannot be read is null, so that the plan writes it again.
func (m *loaderJobModel) refreshContract(ctx context.Context, prior loaderJobModel, live jobspec.Settings, diags *diag.Diagnostics) {
	found, ok, err := contract.FromTags(jobspec.Tags(live))
	if err != nil {
		diags.AddAttributeWarning(path.Root("settings").AtName("tags"), "The contract in the job's tags cannot be read", sentence(err.Error())+"\n\nThe plan writes it again from the configuration.")
	}
	if err != nil || !ok {
		m.Source, m.Target, m.EventTime, m.Evidence = types.StringNull(), types.StringNull(), types.StringNull(), types.StringNull()
		m.SettleDelay, m.SettleClock, m.Reads = types.StringNull(), types.StringNull(), types.StringNull()
		m.BrokerRetention, m.LongestGap, m.LongestSilence = types.StringNull(), types.StringNull(), types.StringNull()
		m.Key, m.Strict = types.ObjectNull(keyKinds()), types.BoolNull()
		return
	}
	m.Source, m.Target, m.EventTime = types.StringValue(found.Source), types.StringValue(found.Target), types.StringValue(found.EventTime)
	m.Evidence = optional(found.Evidence)
	m.SettleDelay = keepText(prior.SettleDelay, found.SettleDelay)
	m.BrokerRetention = keepDeclared(prior.BrokerRetention, found.BrokerRetention)
	m.LongestGap = keepDeclared(prior.LongestGap, found.LongestGap)
	m.LongestSilence = keepDeclared(prior.LongestSilence, found.LongestSilence)
	m.SettleClock, m.Reads = types.StringValue(string(found.SettleClock)), types.StringValue(string(found.Reads))
	if found.Strict || prior.Strict.ValueBool() {
		m.Strict = types.BoolValue(found.Strict)
	}
	columns := types.ListNull(types.StringType)
	if len(found.Key.Columns) > 0 {
		list, d := types.ListValueFrom(ctx, types.StringType, found.Key.Columns)
		diags.Append(d...)
		columns = list
	}
	m.Key = types.ObjectValueMust(keyKinds(), map[string]attr.Value{
		"partition": optional(found.Key.Partition), "sequence": optional(found.Key.Sequence), "columns": columns})
}

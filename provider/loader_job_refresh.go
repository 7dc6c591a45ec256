package provider

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
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
	if t, ok := livePeriodic(live); ok && !prior.writesTrigger(diags) {
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

// livePeriodic is the periodic part of a trigger that has no other.
func livePeriodic(live jobspec.Settings) (map[string]any, bool) {
	trigger, _ := live["trigger"].(map[string]any)
	periodic, ok := trigger["periodic"].(map[string]any)
	for name := range trigger {
		ok = ok && (name == "periodic" || name == "pause_status")
	}
	return periodic, ok
}

func (m loaderJobModel) writesTrigger(diags *diag.Diagnostics) bool {
	_, ok := m.written(diags).settings["trigger"]
	return ok
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

// refreshSettings keeps the value of the state when nothing differs, else changes it at the places that do.
func (m *loaderJobModel) refreshSettings(ctx context.Context, prior loaderJobModel, live jobspec.Settings, warehouse string, diags *diag.Diagnostics) {
	var now jobspec.Settings
	if prior.Settings.IsNull() {
		now = jobspec.Written(m.unowned(live))
		dropQueue(now)
	} else {
		written := prior.written(diags)
		if diags.HasError() {
			return
		}
		now = asLive(withQueue(written.settings), jobspec.Compare(withQueue(written.settings), withoutWarehouse(m.unowned(live), written.settings, warehouse)))
		if _, ok := written.settings["queue"]; !ok {
			dropQueue(now)
		}
		if reflect.DeepEqual(any(now), any(written.settings)) {
			return
		}
	}
	value, err := fromRaw(ctx, now)
	if err != nil {
		diags.AddError("The job's settings cannot be read", sentence(err.Error()))
		return
	}
	m.Settings = value
}

// withQueue says what is left out: API 2.2 turns the queue on where a write says nothing (TF jobs_api_go_sdk.go), so
// the loader always says it.
func withQueue(s jobspec.Settings) jobspec.Settings {
	out := maps.Clone(s)
	if _, ok := out["queue"]; !ok {
		out["queue"] = map[string]any{"enabled": false}
	}
	return out
}

func dropQueue(s jobspec.Settings) {
	if reflect.DeepEqual(s["queue"], any(map[string]any{"enabled": false})) {
		delete(s, "queue")
	}
}

// unowned is a live job without what typed attributes own.
func (m *loaderJobModel) unowned(live jobspec.Settings) jobspec.Settings {
	out := withQueue(live)
	for _, name := range []string{"name", "timeout_seconds", "schedule", "continuous"} {
		delete(out, name)
	}
	if !m.Periodic.IsNull() {
		delete(out, "trigger")
	}
	for _, name := range []string{"trigger", "triggers"} {
		if v, ok := out[name]; ok {
			out[name] = withoutPause(v)
		}
	}
	if tags, ok := out["tags"].(map[string]any); ok {
		tags = maps.Clone(tags)
		maps.DeleteFunc(tags, func(k string, _ any) bool { return strings.HasPrefix(k, contract.TagPrefix) })
		out["tags"] = tags
	}
	return out
}

func withoutPause(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		delete(out, "pause_status")
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = withoutPause(e)
		}
		return out
	}
	return v
}

// keepSettings plans the value of the state where the configuration means the same: another spelling of a job (a list
// for a tuple, a default written out) changes nothing.
func (m *loaderJobModel) keepSettings(state loaderJobModel, diags *diag.Diagnostics) {
	if m.Settings.IsUnknown() || state.Settings.IsNull() {
		return
	}
	planned, stored := m.written(diags), state.written(diags)
	if diags.HasError() || !planned.known || !stored.known {
		return
	}
	if reflect.DeepEqual(planned.settings, stored.settings) {
		m.Settings = state.Settings
	}
}

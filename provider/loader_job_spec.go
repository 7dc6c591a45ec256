package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// toSettings is the body of jobs/create: what the configuration wrote, plus what the typed attributes own. Everything is
// known by then.
func (m loaderJobModel) toSettings(ctx context.Context, warehouse string, diags *diag.Diagnostics) jobspec.Settings {
	written := m.written(diags)
	if diags.HasError() {
		return nil
	}
	s := withQueue(withWarehouse(written.settings, warehouse))
	s["name"] = m.Name.ValueString()
	if d := duration(m.MaxDuration); d > 0 {
		s["timeout_seconds"] = jobspec.Int(int64(d / time.Second))
	}
	tags := map[string]any{}
	if own, ok := s["tags"].(map[string]any); ok {
		maps.Copy(tags, own)
	}
	for k, v := range m.toContract(ctx, diags).Tags() {
		tags[k] = v
	}
	s["tags"] = tags
	setOwner(s, m.Owner)
	m.setTrigger(ctx, s, diags)
	paused, err := jobspec.SetPause(s, m.PauseStatus.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("pause_status"), "The job has nothing to pause", sentence(err.Error()))
		return nil
	}
	return paused
}

func (m loaderJobModel) setTrigger(ctx context.Context, s jobspec.Settings, diags *diag.Diagnostics) {
	switch {
	case !m.Schedule.IsNull():
		var v scheduleModel
		fields(ctx, m.Schedule, &v, diags)
		s["schedule"] = map[string]any{"quartz_cron_expression": v.Expression.ValueString(), "timezone_id": v.ZoneID.ValueString()}
	case !m.Periodic.IsNull():
		var v periodicModel
		fields(ctx, m.Periodic, &v, diags)
		s["trigger"] = map[string]any{"periodic": map[string]any{"interval": jobspec.Int(v.Interval.ValueInt64()), "unit": v.Unit.ValueString()}}
	case !m.Continuous.IsNull():
		var v continuousModel
		fields(ctx, m.Continuous, &v, diags)
		continuous := map[string]any{}
		if !v.TaskRetryMode.IsNull() {
			continuous["task_retry_mode"] = v.TaskRetryMode.ValueString()
		}
		s["continuous"] = continuous
	}
}

// writtenSettings are the settings as the user wrote them, nulls left out.
type writtenSettings struct {
	settings jobspec.Settings
	// known is false when something inside is not known yet.
	known bool
}

func (m loaderJobModel) written(diags *diag.Diagnostics) writtenSettings {
	if m.Settings.IsNull() {
		return writtenSettings{settings: jobspec.Settings{}, known: true}
	}
	r, err := toRaw(m.Settings)
	if err != nil {
		diags.AddAttributeError(path.Root("settings"), "Wrong settings", sentence("settings."+err.Error()))
		return writtenSettings{settings: jobspec.Settings{}}
	}
	settings, ok := jobspec.Prune(r.value).(map[string]any)
	if !ok && r.known {
		diags.AddAttributeError(path.Root("settings"), "Wrong settings", fmt.Sprintf("settings must be an object, as in settings = { tasks = [...] }; this is %s.", kindName(r.value)))
	}
	if settings == nil {
		settings = jobspec.Settings{}
	}
	return writtenSettings{settings: settings, known: r.known}
}

func kindName(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	}
	return "empty"
}

// toContract is what the loader promises. Unknown parts are empty.
func (m loaderJobModel) toContract(ctx context.Context, diags *diag.Diagnostics) contract.Contract {
	var key keyModel
	if isKnown(m.Key) {
		fields(ctx, m.Key, &key, diags)
	}
	var columns []string
	if !key.Columns.IsNull() && !key.Columns.IsUnknown() {
		diags.Append(key.Columns.ElementsAs(ctx, &columns, false)...)
	}
	return contract.Contract{
		Source: m.Source.ValueString(), Target: m.Target.ValueString(),
		Key:       contract.Key{Partition: key.Partition.ValueString(), Sequence: key.Sequence.ValueString(), Columns: columns},
		EventTime: m.EventTime.ValueString(), SettleDelay: duration(m.SettleDelay), SettleClock: coverage.Clock(m.SettleClock.ValueString()),
		Strict: m.Strict.ValueBool(), Evidence: m.Evidence.ValueString(), Reads: coverage.Reads(m.Reads.ValueString()),
		BrokerRetention: duration(m.BrokerRetention), LongestGap: duration(m.LongestGap), LongestSilence: duration(m.LongestSilence),
	}
}

// starts follows from the trigger and the settings, as far as they are known.
func (m loaderJobModel) starts(ctx context.Context, diags *diag.Diagnostics) types.Object {
	s := withQueue(m.written(diags).settings)
	decides := []any{s["queue"], s["max_concurrent_runs"], s["trigger"], s["triggers"]}
	if m.Settings.IsUnknown() || !isRawKnown(decides) || !isKnown(m.Periodic, m.Schedule) || m.Continuous.IsUnknown() || diags.HasError() {
		return types.ObjectUnknown(startsKinds())
	}
	m.setTrigger(ctx, s, diags)
	return startsOf(ctx, s, diags)
}

// startsOf reads from settings how the job starts.
func startsOf(ctx context.Context, s jobspec.Settings, diags *diag.Diagnostics) types.Object {
	v := startsModel{OnOverlap: types.StringValue(string(jobspec.Overlap(s))), MaxConcurrentRuns: types.Int64Value(int64(max(0, jobspec.MaxConcurrentRuns(s))))}
	trigger, err := jobspec.Trigger(s)
	if err != nil {
		diags.AddError("The job's trigger cannot be read", sentence(err.Error()))
	}
	v.Kind, v.Expression, v.ZoneID = optional(trigger.Kind), optional(trigger.Expression), optional(trigger.ZoneID)
	if trigger.Periodic > 0 {
		v.PeriodSeconds = types.Int64Value(int64(trigger.Periodic / time.Second))
	}
	out, d := types.ObjectValueFrom(ctx, startsKinds(), v)
	diags.Append(d...)
	return out
}

package provider

import (
	"context"
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
	s := jobspec.With(withQueue(withWarehouse(written.settings, warehouse)), m.attributes(ctx, diags))
	setOwner(s, m.Owner)
	paused, err := jobspec.SetPause(s, m.PauseStatus.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("pause_status"), "The job has nothing to pause", sentence(err.Error()))
		return nil
	}
	return paused
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
	s := jobspec.With(withQueue(m.written(diags).settings), m.attributes(ctx, diags))
	decides := []any{s["queue"], s["max_concurrent_runs"], s["schedule"], s["trigger"], s["triggers"]}
	if m.Settings.IsUnknown() || !isRawKnown(decides) || m.Continuous.IsUnknown() || diags.HasError() {
		return types.ObjectUnknown(startsKinds())
	}
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

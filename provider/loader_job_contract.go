package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// read takes over what the job says of itself.
func (m *loaderJobSourceModel) read(ctx context.Context, job workspace.Job, diags *diag.Diagnostics) {
	live := job.Settings
	tags := jobspec.Tags(live)
	if kind, _ := contract.KindOf(tags); kind == contract.KindOptimize || kind == contract.KindPurge {
		diags.AddError("The job is no loader", fmt.Sprintf("The job %q (%d) is the %s job of a table, as its tags say. Name the job that loads the table.", jobspec.Name(live), job.ID, kind))
		return
	}
	found, ok, err := contract.FromTags(tags)
	if err != nil {
		diags.AddError("The contract in the job's tags cannot be read", fmt.Sprintf("Job %q (%d): %s", jobspec.Name(live), job.ID, sentence(err.Error())))
		return
	}
	where := fmt.Sprintf("the job %q (%d)", jobspec.Name(live), job.ID)
	if ok {
		m.agree(ctx, found, where, diags)
	} else {
		m.declare(ctx, where, diags)
	}
	m.ID, m.Name = jobID(job.ID), liveText(live["name"])
	limit := jobspec.MaxDuration(live)
	m.MaxDuration = agreedLength(path.Root("max_duration"), m.MaxDuration, limit, where, diags)
	if m.MaxDuration.IsNull() {
		diags.AddAttributeError(path.Root("max_duration"), "A run has no bound", fmt.Sprintf(
			"A run of %s may take any time, since the job has no timeout, and so long a row may wait. Set its timeout_seconds; or, if something else bounds its runs, declare that bound here: max_duration = \"20m\".", where))
	}
	m.Starts = startsOf(ctx, live, diags)
	m.Schedule = types.ObjectNull(scheduleKinds())
	if s, ok := live["schedule"].(map[string]any); ok {
		m.Schedule = types.ObjectValueMust(scheduleKinds(), map[string]attr.Value{
			"quartz_cron_expression": liveText(s["quartz_cron_expression"]), "timezone_id": liveText(s["timezone_id"])})
	}
	m.PauseStatus = types.StringNull()
	if status, _, ok := jobspec.Pause(live); ok {
		m.PauseStatus = types.StringValue(status)
	}
	m.Tags = textMap(tags)
	settings, err := fromRaw(ctx, jobspec.Sorted(jobspec.Written(live)))
	if err != nil {
		diags.AddError("The job's settings cannot be read", sentence(err.Error()))
	}
	m.Settings = settings
}

// agree takes the contract from the tags, and refuses a declaration that says something else.
func (m *loaderJobSourceModel) agree(ctx context.Context, found contract.Contract, where string, diags *diag.Diagnostics) {
	where = "a tag of " + where
	text := func(v *types.String, name, found string) { *v = agreedText(path.Root(name), *v, found, where, diags) }
	text(&m.Source, "source", found.Source)
	text(&m.Target, "target", found.Target)
	text(&m.EventTime, "event_time", found.EventTime)
	text(&m.Evidence, "evidence", found.Evidence)
	text(&m.SettleClock, "settle_clock", string(found.SettleClock))
	text(&m.Reads, "reads", string(found.Reads))
	if !m.SettleDelay.IsNull() && duration(m.SettleDelay) != found.SettleDelay {
		addDisagreement(path.Root("settle_delay"), m.SettleDelay.ValueString(), keepText(types.StringNull(), found.SettleDelay).ValueString(), where, diags)
	}
	m.SettleDelay = keepText(m.SettleDelay, found.SettleDelay)
	m.BrokerRetention = agreedLength(path.Root("broker_retention"), m.BrokerRetention, found.BrokerRetention, where, diags)
	m.LongestGap = agreedLength(path.Root("longest_gap"), m.LongestGap, found.LongestGap, where, diags)
	m.LongestSilence = agreedLength(path.Root("longest_silence"), m.LongestSilence, found.LongestSilence, where, diags)
	if !m.Strict.IsNull() && m.Strict.ValueBool() != found.Strict {
		addDisagreement(path.Root("strict"), fmt.Sprint(m.Strict.ValueBool()), fmt.Sprint(found.Strict), where, diags)
	}
	m.Strict = types.BoolValue(found.Strict)
	if declared := keyOf(ctx, m.Key, diags); !m.Key.IsNull() && !slices.Equal(declared.Names(), found.Key.Names()) {
		addDisagreement(path.Root("key"), declared.String(), found.Key.String(), where, diags)
	}
	if m.Key.IsNull() {
		m.Key = keyObject(ctx, found.Key, diags)
	}
}

// declare takes the contract from the configuration alone.
func (m *loaderJobSourceModel) declare(ctx context.Context, where string, diags *diag.Diagnostics) {
	for _, needed := range []struct {
		name, example string
		value         types.String
	}{{"source", "main.events.stream_messages", m.Source}, {"target", "main.events.messages", m.Target}, {"settle_delay", "30m", m.SettleDelay}} {
		if needed.value.IsNull() {
			diags.AddAttributeError(path.Root(needed.name), needed.name+" is missing", fmt.Sprintf(
				"No tag of %s says what it promises, so that must be written here: %s = %q.", where, needed.name, needed.example))
		}
	}
	if m.SettleClock.IsNull() {
		m.SettleClock = types.StringValue(string(coverage.SettleWall))
	}
	if m.Reads.IsNull() {
		m.Reads = types.StringValue(string(coverage.ReadsSnapshot))
	}
	if m.Strict.IsNull() {
		m.Strict = types.BoolValue(false)
	}
	key := keyOf(ctx, m.Key, diags)
	declared := contract.Contract{Source: m.Source.ValueString(), Target: m.Target.ValueString(), Key: key, EventTime: m.EventTime.ValueString(), Evidence: m.Evidence.ValueString()}
	written := map[string]attr.Value{"source": m.Source, "target": m.Target, "key": m.Key, "event_time": m.EventTime, "evidence": m.Evidence}
	for _, p := range declared.Validate() {
		if v, ok := written[rootOf(p.Field)]; ok && !v.IsNull() {
			diags.AddAttributeError(contractPath(p.Field), "Wrong "+p.Field, contractText(p))
		}
	}
}

func keyOf(ctx context.Context, o types.Object, diags *diag.Diagnostics) contract.Key {
	var key keyModel
	fields(ctx, o, &key, diags)
	var columns []string
	if !key.Columns.IsNull() && !key.Columns.IsUnknown() {
		diags.Append(key.Columns.ElementsAs(ctx, &columns, false)...)
	}
	return contract.Key{Partition: key.Partition.ValueString(), Sequence: key.Sequence.ValueString(), Columns: columns}
}

func keyObject(ctx context.Context, key contract.Key, diags *diag.Diagnostics) types.Object {
	columns := types.ListNull(types.StringType)
	if len(key.Columns) > 0 {
		list, d := types.ListValueFrom(ctx, types.StringType, key.Columns)
		diags.Append(d...)
		columns = list
	}
	return types.ObjectValueMust(keyKinds(), map[string]attr.Value{
		"partition": optional(key.Partition), "sequence": optional(key.Sequence), "columns": columns})
}

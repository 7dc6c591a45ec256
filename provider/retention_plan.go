package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// ModifyPlan refuses what the table cannot take, when the table can be read: it is read when something is to change, and
// the state's properties do otherwise. A table that is missing may be made by the same apply, so only Create refuses it.
func (r *retention) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	var state *retentionModel
	if !req.State.Raw.IsNull() {
		state = &retentionModel{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
		if !sameTable(state.Table.ValueString(), plan.Table.ValueString()) && !plan.Table.IsUnknown() {
			state = nil // to be replaced
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	plan.validate(ctx, &resp.Diagnostics)
	r.refuseNoWarehouse(plan, state, &resp.Diagnostics)
	table, known := r.lookAt(ctx, plan, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if owner, _ := property(table.Properties, contract.PropertyOwner); known && !(state == nil && r.session.owners.has(owner)) {
		// A resource that is to be made again is planned like a new one, and unset before it is set.
		plan.refuseOthers(state, table, &resp.Diagnostics)
	}
	if known || plan.declaresBoth() {
		plan.validatePair(state, table.Properties, &resp.Diagnostics)
	}
	plan.complete(state, table, known)
	r.planPurge(ctx, &plan, state, table, &resp.Diagnostics)
	if known {
		plan.warnStreams(ctx, state, table, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// settled tells that nothing is to change: the table need not be looked at.
func (m retentionModel) settled(state *retentionModel) bool {
	if state == nil || !state.ChangedOutside.IsNull() || m.purges() && (state.PurgeJobID.IsNull() || state.PurgeStatement.IsNull()) {
		return false
	}
	return m.Table.Equal(state.Table) && m.RollingWindow.Equal(state.RollingWindow) && m.EventTime.Equal(state.EventTime) && m.ExpireBy.Equal(state.ExpireBy) &&
		m.LoadedBy.Equal(state.LoadedBy) && m.Purge.Equal(state.Purge) && m.DeletedFileRetention.Equal(state.DeletedFileRetention) && m.LogRetention.Equal(state.LogRetention)
}

// refuseNoWarehouse says so while planning: statements run on the warehouse that is named, and no other compute is started.
func (r *retention) refuseNoWarehouse(plan retentionModel, state *retentionModel, diags *diag.Diagnostics) {
	if plan.settled(state) || r.isDeferred() || r.session.client.WarehouseID() != "" {
		return
	}
	diags.AddError("No SQL warehouse", "Properties are set with SQL, which needs a SQL warehouse, and no other compute is ever started. Set warehouse_id of the provider, or DATABRICKS_WAREHOUSE_ID.")
}

// lookAt is the table as it is, where that can be told.
func (r *retention) lookAt(ctx context.Context, plan retentionModel, state *retentionModel, diags *diag.Diagnostics) (workspace.Table, bool) {
	if plan.settled(state) && !state.TableProperties.IsNull() {
		return workspace.Table{FullName: state.ID.ValueString(), Properties: stringMap(ctx, state.TableProperties, diags)}, true
	}
	if plan.Table.IsUnknown() || r.isDeferred() {
		return workspace.Table{}, false
	}
	name, err := contract.ParseTable(plan.Table.ValueString())
	if err != nil {
		return workspace.Table{}, false
	}
	table, err := r.session.client.Table(ctx, name.FullName())
	if isMissing(err) {
		return table, false
	}
	if err != nil {
		addError(diags, "The table cannot be read", err)
		return table, false
	}
	refuseTable(table, diags)
	plan.validateColumns(table, diags)
	plan.validateTTL(table, diags)
	plan.refuseCut(state, table, diags)
	if plan.purges() && plan.purgeKnown(ctx, diags) && !diags.HasError() {
		r.checkTarget(ctx, plan, table, diags)
	}
	return table, true
}

// complete fills the computed attributes that follow from the table. Where nothing differs they are those of the state.
func (m *retentionModel) complete(state *retentionModel, table workspace.Table, known bool) {
	m.ChangedOutside = types.ListNull(types.StringType)
	if m.ID.IsUnknown() && !m.Table.IsUnknown() {
		m.ID = m.Table
	}
	if m.settled(state) {
		m.RecoverableFor = state.RecoverableFor
		if m.Adopt.Equal(state.Adopt) && m.CancelActiveRuns.Equal(state.CancelActiveRuns) && m.Timeouts.Equal(state.Timeouts) {
			// Nothing but spelling differs, so there will be no Update that reads the table again.
			m.TableProperties, m.Owner, m.TableID = state.TableProperties, state.Owner, state.TableID
		}
		return
	}
	if state != nil && !state.ChangedOutside.IsNull() {
		m.TableProperties = types.MapUnknown(types.StringType)
	}
	if m.RecoverableFor.IsUnknown() && m.durationsKnown() && (known || m.declaresBoth()) {
		m.RecoverableFor = m.recoverableFor(state, table.Properties)
	}
}

// planPurge shows the statement as soon as its parts and the type of its column are known.
func (r *retention) planPurge(ctx context.Context, plan, state *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	if plan.ExpireBy.IsUnknown() {
		return
	}
	if !plan.purges() {
		plan.PurgeJobID, plan.PurgeSQLFile, plan.PurgeStatement = types.StringNull(), types.StringNull(), types.StringNull()
		return
	}
	if plan.settled(state) {
		plan.PurgeJobID, plan.PurgeSQLFile, plan.PurgeStatement = state.PurgeJobID, state.PurgeSQLFile, state.PurgeStatement
		return
	}
	if state == nil || state.PurgeJobID.IsNull() {
		plan.PurgeJobID, plan.TableProperties = types.StringUnknown(), types.MapUnknown(types.StringType)
	} else {
		plan.PurgeJobID = state.PurgeJobID
	}
	plan.PurgeSQLFile, plan.PurgeStatement = types.StringUnknown(), types.StringUnknown()
	if !plan.Owner.IsUnknown() && !plan.Owner.IsNull() {
		plan.PurgeSQLFile = types.StringValue(maintenance.PurgeFile(plan.Owner.ValueString()))
	}
	column, ok := columnOf(table, plan.EventTime.ValueString())
	if !ok || !plan.purgeKnown(ctx, diags) || diags.HasError() {
		return
	}
	statement, err := plan.purge(ctx, column.Type, diags).Statement()
	if err != nil {
		diags.AddAttributeError(path.Root("purge"), "The purge job cannot be made", sentence(err.Error()))
		return
	}
	plan.PurgeStatement = types.StringValue(statement)
}

// warnStreams names a loader whose stream the change would end. Any change of properties is a commit of the table's
// metadata, after which Databricks lets streaming reads fail and has them restarted
// (https://docs.databricks.com/optimizations/isolation-level.html); a commit that removes rows ends a stream that does not
// skip it (delta-io/delta DeltaSource.scala: DELTA_SOURCE_IGNORE_DELETE, DELTA_SOURCE_TABLE_IGNORE_CHANGES).
func (m retentionModel) warnStreams(ctx context.Context, state *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	if m.LoadedBy.IsNull() || m.LoadedBy.IsUnknown() || m.settled(state) || !isKnown(m.RollingWindow, m.EventTime, m.ExpireBy, m.DeletedFileRetention, m.LogRetention) {
		return
	}
	var l loadedByModel
	fields(ctx, m.LoadedBy, &l, diags)
	reads := coverage.Reads(l.Reads.ValueString())
	if reads != coverage.ReadsDeltaStream && reads != coverage.ReadsChangeFeed {
		return
	}
	if m.Owner.IsUnknown() {
		m.Owner = types.StringValue("new")
	}
	if n := len(m.toAlterations(state, table.Properties)); n > 0 {
		diags.AddAttributeWarning(path.Root("loaded_by"), "A running stream may end", fmt.Sprintf(
			"The loader %s reads %s as a %s. This plan changes the table's properties, which is a commit of its metadata: Databricks ends streaming reads at such a commit, and they have to be started again.\n\nApply it while the loader is paused and no run of it is active.",
			quoted(l.Name.ValueString()), table.FullName, reads))
	}
	deletes := m.ExpireBy.ValueString() != contract.ExpireExternal && (state == nil || !state.ExpireBy.Equal(m.ExpireBy))
	if deletes && reads == coverage.ReadsDeltaStream {
		diags.AddAttributeWarning(path.Root("expire_by"), "The stream must skip deletes", fmt.Sprintf(
			"expire_by = %q removes rows of %s, and the loader %s reads it as a stream: without the option skipChangeCommits its next run after a deletion fails.",
			m.ExpireBy.ValueString(), table.FullName, quoted(l.Name.ValueString())))
	}
}

func stringMap(ctx context.Context, m types.Map, diags *diag.Diagnostics) map[string]string {
	out := map[string]string{}
	diags.Append(m.ElementsAs(ctx, &out, false)...)
	return out
}

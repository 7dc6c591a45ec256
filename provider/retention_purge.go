package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const defaultPurgeDuration = time.Hour

func (m retentionModel) purges() bool { return m.ExpireBy.ValueString() == contract.ExpirePurgeJob }

// purge is what the job deletes, by an event time of the given type. Unknown parts are empty.
func (m retentionModel) purge(ctx context.Context, kind string, diags *diag.Diagnostics) maintenance.Purge {
	var l loadedByModel
	if !m.LoadedBy.IsUnknown() {
		fields(ctx, m.LoadedBy, &l, diags)
	}
	loader := int64(0)
	if !l.ID.IsNull() && !l.ID.IsUnknown() {
		loader = parseJobID(l.ID, diags)
	}
	var key contract.Key
	if !l.Key.IsNull() && isKnown(l.Key) {
		key = keyOf(ctx, l.Key, diags)
	}
	return maintenance.Purge{EventTimeType: kind, Purge: contract.Purge{
		Source: m.Table.ValueString(), Target: l.Target.ValueString(), Key: key,
		EventTime: m.EventTime.ValueString(), Window: duration(m.RollingWindow), LoaderID: loader,
	}}
}

// purgeKnown tells whether everything that the statement is made of is known.
func (m retentionModel) purgeKnown(ctx context.Context, diags *diag.Diagnostics) bool {
	if m.LoadedBy.IsUnknown() || m.LoadedBy.IsNull() || !isKnown(m.Table, m.RollingWindow, m.EventTime) {
		return false
	}
	var l loadedByModel
	fields(ctx, m.LoadedBy, &l, diags)
	return isKnown(l.Target, l.Key)
}

// purgeSpec is what is written for the purge job: its SQL file, and the job that runs it.
type purgeSpec struct {
	path, statement string
	file            []byte
	settings        jobspec.Settings
}

// toPurgeSpec is everything that is written. Everything is known by then.
func (m retentionModel) toPurgeSpec(ctx context.Context, table workspace.Table, warehouse string, diags *diag.Diagnostics) purgeSpec {
	var p purgeModel
	fields(ctx, m.Purge, &p, diags)
	if id := p.WarehouseID.ValueString(); id != "" {
		warehouse = id
	}
	if warehouse == "" {
		diags.AddAttributeError(path.Root("purge").AtName("warehouse_id"), "No SQL warehouse",
			"The purge job needs a SQL warehouse, and no other compute is ever started. Set purge.warehouse_id, warehouse_id of the provider, or DATABRICKS_WAREHOUSE_ID.")
	}
	limit := defaultPurgeDuration
	if !p.MaxDuration.IsNull() {
		limit = duration(p.MaxDuration)
	}
	column, _ := columnOf(table, m.EventTime.ValueString())
	job := maintenance.PurgeJob{
		Name: m.purgeName(p), Purge: m.purge(ctx, column.Type, diags), Owner: m.Owner.ValueString(),
		Expression: p.Expression.ValueString(), ZoneID: p.ZoneID.ValueString(), MaxDuration: limit, WarehouseID: warehouse,
	}
	if diags.HasError() {
		return purgeSpec{}
	}
	var spec purgeSpec
	var err error
	if spec.settings, err = job.Settings(); err == nil {
		spec.statement, err = job.Purge.Statement()
	}
	if err == nil {
		spec.path, spec.file, err = job.File()
	}
	if err != nil {
		diags.AddAttributeError(path.Root("purge"), "The purge job cannot be made", sentence(err.Error()))
	}
	return spec
}

func (m retentionModel) purgeName(p purgeModel) string {
	if !p.Name.IsNull() {
		return p.Name.ValueString()
	}
	return "purge " + m.Table.ValueString()
}

// purgeChanges lists what differs in the live purge job, by path, and in its file.
func (r *retention) purgeChanges(ctx context.Context, m retentionModel, table workspace.Table, job workspace.Job, diags *diag.Diagnostics) types.List {
	none := types.ListNull(types.StringType)
	if m.LoadedBy.IsNull() || m.Purge.IsNull() || !m.purges() {
		return none
	}
	var unbuilt diag.Diagnostics
	spec := m.toPurgeSpec(ctx, table, r.session.client.WarehouseID(), &unbuilt)
	if unbuilt.HasError() {
		return none
	}
	file, err := r.session.client.ReadFile(ctx, maintenance.PurgeFilePath(job.Settings))
	if err != nil && !isMissing(err) {
		addError(diags, "The SQL file of the purge job cannot be read", err)
		return none
	}
	var changed []string
	for _, d := range jobspec.Compare(spec.settings, job.Settings) {
		changed = append(changed, describe(d))
	}
	if string(file) != string(spec.file) {
		changed = append(changed, spec.path+": the statement is not the one that was written")
	}
	if len(changed) == 0 {
		return none
	}
	list, d := types.ListValueFrom(ctx, types.StringType, changed)
	diags.Append(d...)
	return list
}

// checkTarget looks whether the key stands in both tables, with types that can be compared: a MERGE would fail, or worse,
// find rows equal that are not.
func (r *retention) checkTarget(ctx context.Context, m retentionModel, source workspace.Table, diags *diag.Diagnostics) {
	p := m.purge(ctx, "", diags)
	name, err := contract.ParseTable(p.Target)
	if err != nil || diags.HasError() || len(source.Columns) == 0 {
		return
	}
	target, err := r.session.client.Table(ctx, name.FullName())
	if isMissing(err) {
		return // made by the same apply, perhaps
	}
	if err != nil {
		addError(diags, "The target of the loader cannot be read", err)
		return
	}
	at := path.Root("loaded_by").AtName("key")
	for _, column := range p.Key.Names() {
		a, inSource := columnOf(source, rootOf(column))
		b, inTarget := columnOf(target, rootOf(column))
		switch {
		case !inSource:
			diags.AddAttributeError(at, "The table has no such column", fmt.Sprintf("%s has no column %q. Its columns are %s.", source.FullName, column, columnNames(source)))
		case !inTarget && len(target.Columns) > 0:
			diags.AddAttributeError(at, "The target has no such column", fmt.Sprintf("%s has no column %q. Its columns are %s.", target.FullName, column, columnNames(target)))
		case inTarget && kindOf(a.Type) != kindOf(b.Type):
			diags.AddAttributeError(at, "The key has two types", fmt.Sprintf("The column %s is %s in %s and %s in %s. Rows would be compared by a conversion, and a purge must not guess.", column, a.Type, source.FullName, b.Type, target.FullName))
		}
	}
}

// kindOf puts types together that compare exactly.
func kindOf(kind string) string {
	switch kind {
	case "tinyint", "smallint", "int", "bigint":
		return "whole number"
	}
	return kind
}

package provider

import (
	"bytes"
	"context"
	"errors"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
)

// optimizeSpec is what is written: the SQL file, and the job that runs it.
type optimizeSpec struct {
	path     string
	file     []byte
	settings jobspec.Settings
}

// toPlan is what is to be done to the table. Unknown parts are left out.
func (m optimizeJobModel) toPlan(ctx context.Context, diags *diag.Diagnostics) maintenance.Plan {
	p := maintenance.Plan{
		Table:    m.Table.ValueString(),
		Optimize: maintenance.Optimize{Where: m.Where.ValueString(), Full: m.Full.ValueBool()},
		Analyze:  m.Analyze.ValueBool(),
	}
	if !m.ZOrderBy.IsNull() && isKnown(m.ZOrderBy) {
		diags.Append(m.ZOrderBy.ElementsAs(ctx, &p.Optimize.ZOrderBy, false)...)
	}
	if m.Vacuum.IsNull() || !isKnown(m.Vacuum) {
		return p
	}
	var v vacuumModel
	fields(ctx, m.Vacuum, &v, diags)
	p.Vacuum = &maintenance.Vacuum{Lite: v.Lite.ValueBool(), Full: v.Full.ValueBool()}
	if !v.RetainHours.IsNull() {
		hours := int(v.RetainHours.ValueInt64())
		p.Vacuum.RetainHours = &hours
	}
	return p
}

func (m optimizeJobModel) statementAttributes() map[string]attr.Value {
	return map[string]attr.Value{"table": m.Table, "where": m.Where, "full": m.Full, "zorder_by": m.ZOrderBy, "vacuum": m.Vacuum, "analyze": m.Analyze}
}

// validate checks what needs no workspace. What is unknown is not judged yet.
func (m optimizeJobModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	attributes := m.statementAttributes()
	for _, p := range m.toPlan(ctx, diags).Validate() {
		if v, ok := attributes[rootOf(p.Field)]; ok && isKnown(v) {
			diags.AddAttributeError(path.Root(rootOf(p.Field)), "Wrong "+p.Field, contractText(p))
		}
	}
}

// refusePausing stands behind the judgement: a window that loses rows is the greater fault, and is named first.
func (m optimizeJobModel) refusePausing(diags *diag.Diagnostics) {
	if m.LoaderDuringWindow.ValueString() != contract.LoaderPaused || diags.HasError() {
		return
	}
	diags.AddAttributeError(path.Root("loader_during_window"), "A job that pauses its loader is not built yet",
		"Coverage holds for this window, and loader_during_window = \"paused\" still cannot be applied: the job would have to pause the loader, resume it whatever happens, and run it, and this version of the provider cannot make such a job yet. A job without that would leave the loader running in a window that was planned without it.\n\n"+maintenance.PausesLoaderHint)
}

// warehouse is the one that runs the statements: the job's own, or the provider's.
func (m optimizeJobModel) warehouse(otherwise string, diags *diag.Diagnostics) string {
	id := m.WarehouseID.ValueString()
	if id == "" && !m.WarehouseID.IsUnknown() {
		id = otherwise
	}
	if id == "" && !m.WarehouseID.IsUnknown() {
		diags.AddAttributeError(path.Root("warehouse_id"), "No SQL warehouse",
			"The statements need a SQL warehouse, and no other compute is ever started. Set warehouse_id here or in the provider, or DATABRICKS_WAREHOUSE_ID.")
	}
	return id
}

// toSpec is everything that is written. Everything is known by then, but for the loader's id in a refresh.
func (m optimizeJobModel) toSpec(ctx context.Context, warehouse string, diags *diag.Diagnostics) optimizeSpec {
	l := m.read(ctx, diags)
	warehouse = m.warehouse(warehouse, diags)
	loaderID := int64(0)
	if !l.loader.ID.IsNull() {
		loaderID = parseJobID(l.loader.ID, diags)
	}
	if diags.HasError() {
		return optimizeSpec{}
	}
	job := maintenance.Job{
		Name: m.Name.ValueString(), Plan: m.toPlan(ctx, diags), WarehouseID: warehouse, PauseStatus: m.PauseStatus.ValueString(), Owner: m.Owner.ValueString(),
		Promise: contract.Maintenance{Table: m.Table.ValueString(), LoaderID: loaderID, Expression: l.window.Expression.ValueString(),
			ZoneID: l.window.ZoneID.ValueString(), Duration: duration(l.window.Duration), LoaderDuringWindow: m.LoaderDuringWindow.ValueString(),
			MinimumHeadroom: duration(m.MinimumHeadroom)},
	}
	var spec optimizeSpec
	var err, fileErr error
	spec.settings, err = maintenance.JobSettings(job)
	spec.path, spec.file, fileErr = job.File()
	if err := errors.Join(err, fileErr); err != nil {
		diags.AddError("The optimize job cannot be made", sentence(err.Error()))
	}
	return spec
}

// wrote tells whether a spec is what the state says was written, and nothing differs outside.
func (m optimizeJobModel) wrote(ctx context.Context, spec optimizeSpec, warehouse string) bool {
	var unbuilt diag.Diagnostics
	before := m.toSpec(ctx, warehouse, &unbuilt)
	return !unbuilt.HasError() && m.ChangedOutside.IsNull() && before.path == spec.path && bytes.Equal(before.file, spec.file) && reflect.DeepEqual(before.settings, spec.settings)
}

// statements are what the file will hold; unknown while an attribute they are made of is.
func (m optimizeJobModel) statements(ctx context.Context, diags *diag.Diagnostics) types.List {
	for _, v := range m.statementAttributes() {
		if !isKnown(v) {
			return types.ListUnknown(types.StringType)
		}
	}
	statements, err := m.toPlan(ctx, diags).Statements()
	if err != nil {
		diags.AddError("The optimize job cannot be made", sentence(err.Error()))
		return types.ListUnknown(types.StringType)
	}
	list, d := types.ListValueFrom(ctx, types.StringType, statements)
	diags.Append(d...)
	return list
}

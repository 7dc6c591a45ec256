package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// retention is a set of properties of an existing Delta table and, with expire_by = "purge_job", a job of the Jobs API 2.2
// with its SQL file. Create and Update read the table, alter it with at most one statement that sets properties, one that
// unsets and one for Auto-TTL, write the job, and read the table again; Read is one call to Unity Catalog, and two for the
// job. Null is a property that is not declared: neither compared nor written. Delete deletes the job and its file, unsets
// the properties that were set and drops the row deletion that was set. No statement of it drops, replaces or rewrites a
// table, or changes a row.
type retention struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*retention)(nil)
	_ resource.ResourceWithValidateConfig = (*retention)(nil)
	_ resource.ResourceWithModifyPlan     = (*retention)(nil)
	_ resource.ResourceWithImportState    = (*retention)(nil)
	_ resource.ResourceWithIdentity       = (*retention)(nil)
	_ resource.ResourceWithMoveState      = (*retention)(nil)
)

func newRetention() resource.Resource { return &retention{} }

func (r *retention) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_retention"
}

// IdentitySchema says what names the object: the table.
func (r *retention) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityOf("table", "Name of the table, catalog.schema.table.")
}

func (r *retention) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config retentionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.validate(ctx, &resp.Diagnostics)
}

func (r *retention) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, done := bounded(ctx, plan.Timeouts, creating, &resp.Diagnostics)
	defer done()
	if resp.Diagnostics.HasError() {
		return
	}
	r.write(ctx, &plan, nil, &resp.State, &resp.Diagnostics)
	if !resp.State.Raw.IsNull() {
		r.identify(ctx, "table", plan.Table, resp.Identity, &resp.Diagnostics)
	}
}

func (r *retention) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state retentionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.identify(ctx, "table", state.ID, resp.Identity, &resp.Diagnostics)
	ctx, done := bounded(ctx, state.Timeouts, reading, &resp.Diagnostics)
	defer done()
	if resp.Diagnostics.HasError() || r.isDeferred() {
		return
	}
	r.session.owners.see(state.Owner)
	name, err := contract.ParseTable(state.ID.ValueString())
	if err != nil {
		resp.Diagnostics.AddError("Wrong table in the state", sentence(err.Error()))
		return
	}
	table, err := r.session.client.Table(ctx, name.FullName())
	if isMissing(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The retention cannot be read", err)
		return
	}
	if summary, text := unfit(table); summary != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root("table"), summary, text+"\n\nThe table that was under this name is gone, and its retention with it.")
		resp.State.RemoveResource(ctx)
		return
	}
	prior := state
	state.refresh(table)
	state.report(prior, table, &resp.Diagnostics)
	if prior.isImported() {
		r.importPurge(ctx, &state, table, &resp.Diagnostics)
	}
	r.refreshPurge(ctx, &state, table, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *retention) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, done := bounded(ctx, plan.Timeouts, updating, &resp.Diagnostics)
	defer done()
	if resp.Diagnostics.HasError() {
		return
	}
	r.write(ctx, &plan, &state, &resp.State, &resp.Diagnostics)
	r.identify(ctx, "table", state.ID, resp.Identity, &resp.Diagnostics)
}

func (r *retention) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state retentionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, done := bounded(ctx, state.Timeouts, deleting, &resp.Diagnostics)
	defer done()
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.deletePurge(ctx, state, state.CancelActiveRuns.ValueBool(), &resp.Diagnostics) {
		return
	}
	name, err := contract.ParseTable(state.ID.ValueString())
	if err != nil {
		return
	}
	live, err := client.Table(ctx, name.FullName())
	if isMissing(err) {
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The retention cannot be unset", err)
		return
	}
	if summary, _ := unfit(live); summary != "" {
		return // another object under the table's name
	}
	if owner, _ := property(live.Properties, contract.PropertyOwner); state.isTakenOver(live.Properties) {
		resp.Diagnostics.AddWarning("The properties of the table were left", fmt.Sprintf(
			"%s belongs to the owner %s now, and this resource was the owner %s: nothing of the table was unset. If no other state keeps its retention, unset its watertight.* properties by hand.",
			name, owner, orNone(state.Owner.ValueString())))
		return
	}
	for _, a := range state.toUnset(live.Properties) {
		if err := client.Exec(ctx, a.statement); err != nil {
			addError(&resp.Diagnostics, "The retention cannot be unset", fmt.Errorf("%s: %w", a.statement, err))
			return
		}
	}
}

// readTable reads the table that is about to be altered, or says why it cannot be.
func (r *retention) readTable(ctx context.Context, plan retentionModel, state *retentionModel, diags *diag.Diagnostics) workspace.Table {
	client := r.client(diags)
	if diags.HasError() {
		return workspace.Table{}
	}
	plan.validate(ctx, diags)
	name, err := contract.ParseTable(plan.Table.ValueString())
	if err != nil || diags.HasError() {
		return workspace.Table{}
	}
	table, err := client.Table(ctx, name.FullName())
	if isMissing(err) {
		diags.AddAttributeError(path.Root("table"), "The table is missing", fmt.Sprintf(
			"There is no table %s in the workspace %s, or the caller may not see it.\n\nMake it first (a resource that makes it can be named in depends_on), or correct the name.", name, client.Host()))
		return table
	}
	if err != nil {
		addError(diags, "The table cannot be read", err)
		return table
	}
	refuseTable(table, diags)
	plan.validateColumns(table, diags)
	plan.validateTTL(table, diags)
	plan.refuseCut(state, table, diags)
	plan.validatePair(state, table.Properties, diags)
	plan.refuseOthers(state, table, diags)
	if plan.purges() && !diags.HasError() {
		r.checkTarget(ctx, plan, table, diags)
	}
	return table
}

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// retention is a set of properties of an existing Delta table. Create and Update read the table, alter it with at most
// one statement for properties and one for Auto-TTL, and read it again; Read is one call to Unity Catalog. Null is a
// property that is not declared: neither compared nor written. Delete unsets the properties that were set and drops the
// row deletion that was set. No statement of it drops, replaces or rewrites a table, or changes a row.
type retention struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*retention)(nil)
	_ resource.ResourceWithValidateConfig = (*retention)(nil)
	_ resource.ResourceWithModifyPlan     = (*retention)(nil)
	_ resource.ResourceWithImportState    = (*retention)(nil)
)

func newRetention() resource.Resource { return &retention{} }

func (r *retention) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_retention"
}

func (r *retention) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config retentionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.validate(&resp.Diagnostics)
}

// ModifyPlan refuses what the table cannot take, when the table can be read. One that is missing may be made by the same
// apply, so only Create refuses it.
func (r *retention) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.validate(&resp.Diagnostics)
	live, known := r.liveProperties(ctx, req.State, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if known || plan.declaresBoth() {
		plan.validatePair(live, &resp.Diagnostics)
	}
	if plan.ID.IsUnknown() && !plan.Table.IsUnknown() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.Table)...)
	}
	if plan.RecoverableFor.IsUnknown() && plan.durationsKnown() && (known || plan.declaresBoth()) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("recoverable_for"), plan.recoverableFor(live))...)
	}
}

// liveProperties are the table's as the refresh left them, or for a table that is new to the state as they are now.
func (r *retention) liveProperties(ctx context.Context, prior tfsdk.State, plan retentionModel, diags *diag.Diagnostics) (map[string]string, bool) {
	if !prior.Raw.IsNull() {
		var state retentionModel
		diags.Append(prior.Get(ctx, &state)...)
		if state.Table.Equal(plan.Table) && !state.TableProperties.IsNull() {
			return stringMap(ctx, state.TableProperties, diags), true
		}
	}
	if plan.Table.IsUnknown() || r.isDeferred() {
		return nil, false
	}
	table, err := r.session.client.Table(ctx, plan.Table.ValueString())
	if isMissing(err) {
		return nil, false
	}
	if err != nil {
		addError(diags, "The table cannot be read", err)
		return nil, false
	}
	refuseTable(table, diags)
	return table.Properties, true
}

func (r *retention) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	table := r.readTable(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.write(ctx, plan, nil, table, &resp.State, &resp.Diagnostics)
}

func (r *retention) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state retentionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.isDeferred() {
		return
	}
	table, err := r.session.client.Table(ctx, state.ID.ValueString())
	if isMissing(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The retention cannot be read", err)
		return
	}
	state.refresh(table, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *retention) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state retentionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	table := r.readTable(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.write(ctx, plan, &state, table, &resp.State, &resp.Diagnostics)
}

func (r *retention) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state retentionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	live, err := client.Table(ctx, state.ID.ValueString())
	if isMissing(err) {
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The retention cannot be unset", err)
		return
	}
	for _, statement := range state.toUnset(live.Properties) {
		if err := client.Exec(ctx, statement); err != nil {
			addError(&resp.Diagnostics, "The retention cannot be unset", fmt.Errorf("%s: %w", statement, err))
			return
		}
	}
}

// ImportState takes the table's name.
func (r *retention) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if _, err := contract.ParseTable(req.ID); err != nil {
		resp.Diagnostics.AddError("Wrong import id", fmt.Sprintf("A retention is imported by the name of its table: %s", sentence(err.Error())))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), req.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("table"), req.ID)...)
}

// readTable reads the table that is about to be altered, or says why it cannot be.
func (r *retention) readTable(ctx context.Context, plan retentionModel, diags *diag.Diagnostics) workspace.Table {
	client := r.client(diags)
	if diags.HasError() {
		return workspace.Table{}
	}
	plan.validate(diags)
	name := plan.Table.ValueString()
	table, err := client.Table(ctx, name)
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
	plan.validatePair(table.Properties, diags)
	return table
}

// write brings the table from what it is to what is planned. The state is saved as soon as the first statement has
// taken effect, and again with what the table says of itself.
func (r *retention) write(ctx context.Context, plan retentionModel, state *retentionModel, table workspace.Table, out *tfsdk.State, diags *diag.Diagnostics) {
	client := r.session.client
	for i, statement := range plan.toStatements(state, table.Properties) {
		if err := client.Exec(ctx, statement); err != nil {
			addError(diags, "The table cannot be altered", fmt.Errorf("%s: %w", statement, err))
			return
		}
		if i == 0 {
			plan.complete(table)
			diags.Append(out.Set(ctx, plan)...)
		}
	}
	after, err := client.Table(ctx, plan.Table.ValueString())
	if err != nil {
		// An error would taint what was just set; the next refresh reads it anyway.
		diags.AddWarning("The table was altered but not read again", explain(err))
		after = table
	}
	plan.complete(after)
	diags.Append(out.Set(ctx, plan)...)
}

func stringMap(ctx context.Context, m types.Map, diags *diag.Diagnostics) map[string]string {
	out := map[string]string{}
	diags.Append(m.ElementsAs(ctx, &out, false)...)
	return out
}

package provider

import (
	"context"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// loaderJob is a job of the Jobs API 2.2. Create looks the name up (jobs/list) and is jobs/create, Read is jobs/get (all
// pages; of a paused job also its runs and its source), Update is jobs/reset with the whole settings, Delete is
// jobs/delete unless a run is active. None of them waits for a run's work. Null is a field left to the API's default.
// Delete removes the job and its run history, and no rows.
type loaderJob struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*loaderJob)(nil)
	_ resource.ResourceWithValidateConfig = (*loaderJob)(nil)
	_ resource.ResourceWithModifyPlan     = (*loaderJob)(nil)
	_ resource.ResourceWithImportState    = (*loaderJob)(nil)
	_ resource.ResourceWithIdentity       = (*loaderJob)(nil)
	_ resource.ResourceWithMoveState      = (*loaderJob)(nil)
)

func newLoaderJob() resource.Resource { return &loaderJob{} }

func (r *loaderJob) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_loader_job"
}

func (r *loaderJob) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityOf("id", "Id of the job.")
}

func (r *loaderJob) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config loaderJobModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(ctx, &resp.Diagnostics)
	}
}

// ModifyPlan validates again, since values that were unknown may be known now, and completes what follows from them. Where
// nothing changes there is nothing to do.
func (r *loaderJob) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	var plan loaderJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.validate(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !req.State.Raw.IsNull() {
		var state loaderJobModel
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		plan.keepSettings(ctx, state, importedSettings(ctx, req.Private, &resp.Diagnostics), r.warehouse(), &resp.Diagnostics)
	}
	plan.Starts = plan.starts(ctx, &resp.Diagnostics)
	owner := plan.Owner
	if !req.State.Raw.IsNull() && owner.IsUnknown() {
		// A job without an owner gets one when something else changes, and is no change by itself.
		plan.Owner = types.StringNull()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		if resp.Plan.Raw.Equal(req.State.Raw) {
			return
		}
		plan.Owner = owner
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *loaderJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan loaderJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, done := bounded(ctx, plan.Timeouts, creating, &resp.Diagnostics)
	defer done()
	plan.Owner = newOwner()
	settings := plan.toSettings(ctx, client.WarehouseID(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, ok := r.createJob(ctx, newJob{what: "watertight_loader_job", noun: "loader job", settings: settings, allowDuplicateName: plan.AllowDuplicateName.ValueBool()}, &resp.Diagnostics)
	if !ok {
		return
	}
	plan.ID, plan.URL = jobID(id), jobURL(client, id)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.identify(ctx, "id", plan.ID, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(keepApplied(ctx, resp.Private, plan, client.WarehouseID())...)
}

func (r *loaderJob) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state loaderJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.identify(ctx, "id", state.ID, resp.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.isDeferred() {
		return
	}
	ctx, done := bounded(ctx, state.Timeouts, reading, &resp.Diagnostics)
	defer done()
	job, ok := r.readJob(ctx, state.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !ok {
		resp.State.RemoveResource(ctx)
		return
	}
	client, prior := r.session.client, state
	state.URL = jobURL(client, job.ID)
	found := state.follow(ctx, job, client.WarehouseID(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	keepImported(ctx, req.Private, resp.Private, prior.Settings.IsNull(), job.Settings, &resp.Diagnostics)
	if applied := appliedWarehouse(ctx, req.Private, client.WarehouseID(), &resp.Diagnostics); applied != client.WarehouseID() {
		found.differences = prior.differences(ctx, job, applied)
	}
	state.reportChanges(ctx, prior, job, found, &resp.Diagnostics)
	r.reportPaused(ctx, state, appliedPause(ctx, req.Private, prior, &resp.Diagnostics), job, &resp.Diagnostics)
	if found.same && state.URL.Equal(prior.URL) {
		return // the prior value itself
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *loaderJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state loaderJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, done := bounded(ctx, plan.Timeouts, updating, &resp.Diagnostics)
	defer done()
	if plan.Owner.ValueString() == "" {
		plan.Owner = newOwner()
	}
	settings := plan.toSettings(ctx, client.WarehouseID(), &resp.Diagnostics)
	id := parseJobID(plan.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Name.ValueString() != state.Name.ValueString() && !plan.AllowDuplicateName.ValueBool() && !r.isNameFree(ctx, settings, id, &resp.Diagnostics) {
		return
	}
	if !state.hasSettings(ctx, settings, client.WarehouseID()) {
		if err := client.ResetJob(ctx, id, settings); err != nil {
			addWriteError(&resp.Diagnostics, "The loader job cannot be changed", err)
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.identify(ctx, "id", plan.ID, resp.Identity, &resp.Diagnostics)
	resp.Diagnostics.Append(keepApplied(ctx, resp.Private, plan, client.WarehouseID())...)
}

func (r *loaderJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state loaderJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, done := bounded(ctx, state.Timeouts, deleting, &resp.Diagnostics)
	defer done()
	id := parseJobID(state.ID, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.deleteJob(ctx, id, "loader job", state.CancelActiveRuns.ValueBool(), &resp.Diagnostics)
	}
}

// ImportState takes the job's id or its exact name.
func (r *loaderJob) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.importJob(ctx, req, resp, contract.KindLoader)
}

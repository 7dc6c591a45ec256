package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// loaderJob is a job of the Jobs API 2.2. Create is jobs/create, Read is jobs/get (all pages), Update is jobs/reset with
// the whole settings, Delete is jobs/delete; none of them waits for a run. Null is a field left to the API's default.
// Delete removes the job and its run history, and no rows.
type loaderJob struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*loaderJob)(nil)
	_ resource.ResourceWithValidateConfig = (*loaderJob)(nil)
	_ resource.ResourceWithModifyPlan     = (*loaderJob)(nil)
	_ resource.ResourceWithImportState    = (*loaderJob)(nil)
)

func newLoaderJob() resource.Resource { return &loaderJob{} }

func (r *loaderJob) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_loader_job"
}

func (r *loaderJob) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config loaderJobModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(ctx, &resp.Diagnostics)
	}
}

// ModifyPlan validates again, since values that were unknown may be known now, and completes what follows from them.
func (r *loaderJob) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
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
		plan.keepSettings(state, &resp.Diagnostics)
	}
	plan.Starts = plan.starts(ctx, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *loaderJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan loaderJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := plan.toSettings(ctx, client.WarehouseID(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id, err := client.CreateJob(ctx, settings)
	if err != nil {
		addError(&resp.Diagnostics, "The loader job cannot be created", err)
		return
	}
	plan.ID, plan.URL = jobID(id), jobURL(client, id)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *loaderJob) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state loaderJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || r.isDeferred() {
		return
	}
	job, ok := r.readJob(ctx, state.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !ok {
		resp.State.RemoveResource(ctx)
		return
	}
	state.refresh(ctx, job, r.session.client.WarehouseID(), &resp.Diagnostics)
	state.URL = jobURL(r.session.client, job.ID)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *loaderJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan loaderJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := plan.toSettings(ctx, client.WarehouseID(), &resp.Diagnostics)
	id := parseJobID(plan.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.ResetJob(ctx, id, settings); err != nil {
		addError(&resp.Diagnostics, "The loader job cannot be changed", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *loaderJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state loaderJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client := r.client(&resp.Diagnostics)
	id := parseJobID(state.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.DeleteJob(ctx, id); err != nil && !isMissing(err) {
		addError(&resp.Diagnostics, "The loader job cannot be deleted", err)
	}
}

// ImportState takes the job's id or its exact name.
func (r *loaderJob) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.importJob(ctx, req, resp)
}

// readJob reads a job of the state. It is not there: false and no error.
func (b *base) readJob(ctx context.Context, id types.String, diags *diag.Diagnostics) (workspace.Job, bool) {
	n := parseJobID(id, diags)
	if diags.HasError() {
		return workspace.Job{}, false
	}
	job, err := b.session.client.Job(ctx, n)
	if isMissing(err) {
		return job, false
	}
	if err != nil {
		addError(diags, "The job cannot be read", err)
	}
	return job, err == nil
}

func (b *base) importJob(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	client := b.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	job, err := client.FindJob(ctx, req.ID)
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		resp.Diagnostics.AddError("There is no such job", fmt.Sprintf("No job in the workspace %s has the id or the exact name %q. Import takes either; names are compared with their case.", client.Host(), req.ID))
	case errors.Is(err, workspace.ErrAmbiguous):
		resp.Diagnostics.AddError("Several jobs have this name", sentence(err.Error())+"\n\nImport the one that is meant by its id.")
	case err != nil:
		addError(&resp.Diagnostics, "The job cannot be imported", err)
	default:
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), jobID(job.ID))...)
	}
}

func jobID(id int64) types.String { return types.StringValue(strconv.FormatInt(id, 10)) }

func parseJobID(v types.String, diags *diag.Diagnostics) int64 {
	id, err := strconv.ParseInt(v.ValueString(), 10, 64)
	if err != nil || id <= 0 {
		diags.AddError("Wrong job id in the state", fmt.Sprintf("%q is not the id of a job. Take the resource out of the state (terraform state rm) and import it again.", v.ValueString()))
	}
	return id
}

func jobURL(client *workspace.Client, id int64) types.String {
	if client.Host() == "" {
		return types.StringNull()
	}
	return types.StringValue(fmt.Sprintf("%s/jobs/%d", client.Host(), id))
}

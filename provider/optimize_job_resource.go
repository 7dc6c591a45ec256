package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
)

// optimizeJob is a job of the Jobs API 2.2 and the SQL file it runs. Create writes the file and then the job (jobs/create),
// Read is jobs/get and the file, Update writes both again (jobs/reset), Delete deletes both; none waits for a run. Planning
// reads the linked loader once, to see whether it is paused. Null is an option that is not taken.
type optimizeJob struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*optimizeJob)(nil)
	_ resource.ResourceWithValidateConfig = (*optimizeJob)(nil)
	_ resource.ResourceWithModifyPlan     = (*optimizeJob)(nil)
	_ resource.ResourceWithImportState    = (*optimizeJob)(nil)
)

func newOptimizeJob() resource.Resource { return &optimizeJob{} }

func (r *optimizeJob) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_optimize_job"
}

func (r *optimizeJob) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config optimizeJobModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.validate(ctx, &resp.Diagnostics)
	}
}

// ModifyPlan judges what is planned. Values computed from the clock are computed where an input changes, and kept
// otherwise: time alone is no difference.
func (r *optimizeJob) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan optimizeJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	j, at := r.judgePlan(ctx, plan, &resp.Diagnostics)
	j.report(plan.OnViolation, &resp.Diagnostics)
	plan.validate(ctx, &resp.Diagnostics)
	plan.refusePausing(&resp.Diagnostics)
	r.reportPause(ctx, plan, j, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.complete(ctx, j, at, &resp.Diagnostics)
	plan.ChangedOutside = types.ListNull(types.StringType)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// judgePlan judges at the workspace's time. A workspace that is not known yet has none: then the answer waits for apply.
func (r *optimizeJob) judgePlan(ctx context.Context, plan optimizeJobModel, diags *diag.Diagnostics) (judgement, time.Time) {
	if r.isDeferred() {
		return judgement{answer: coverage.Unknown}, time.Time{}
	}
	at, err := r.session.client.Now(ctx)
	if err != nil {
		addError(diags, "The workspace's clock cannot be read", err)
		return judgement{answer: coverage.Unknown}, at
	}
	return plan.judge(ctx, at, diags), at
}

func (r *optimizeJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan optimizeJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	spec, ok := r.prepare(ctx, &plan, &resp.Diagnostics)
	if !ok {
		return
	}
	client := r.session.client
	if err := client.ImportFile(ctx, spec.path, spec.file, true); err != nil {
		addError(&resp.Diagnostics, "The SQL file of the optimize job cannot be written", err)
		return
	}
	id, err := client.CreateJob(ctx, spec.settings)
	if err != nil {
		addError(&resp.Diagnostics, "The optimize job cannot be created", err)
		return
	}
	plan.ID, plan.URL = jobID(id), jobURL(client, id)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *optimizeJob) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state optimizeJobModel
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
	file, err := r.readFile(ctx, maintenance.FilePath(job.Settings))
	if err != nil {
		addError(&resp.Diagnostics, "The SQL file of the optimize job cannot be read", err)
		return
	}
	now, err := r.session.client.Now(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "The workspace's clock cannot be read", err)
		return
	}
	state.refresh(ctx, job, file, r.session.client.WarehouseID(), &resp.Diagnostics)
	state.URL = jobURL(r.session.client, job.ID)
	state.NextWindow = state.nextWindow(ctx, now, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *optimizeJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state optimizeJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	spec, ok := r.prepare(ctx, &plan, &resp.Diagnostics)
	id := parseJobID(plan.ID, &resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	client := r.session.client
	if err := client.ImportFile(ctx, spec.path, spec.file, true); err != nil {
		addError(&resp.Diagnostics, "The SQL file of the optimize job cannot be written", err)
		return
	}
	if err := client.ResetJob(ctx, id, spec.settings); err != nil {
		addError(&resp.Diagnostics, "The optimize job cannot be changed", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	if old := state.SQLFile.ValueString(); old != spec.path {
		if err := r.deleteFile(ctx, old); err != nil {
			resp.Diagnostics.AddWarning("The former SQL file is still there", explain(err))
		}
	}
}

func (r *optimizeJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state optimizeJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	client := r.client(&resp.Diagnostics)
	id := parseJobID(state.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.DeleteJob(ctx, id); err != nil && !isMissing(err) {
		addError(&resp.Diagnostics, "The optimize job cannot be deleted", err)
		return
	}
	if err := r.deleteFile(ctx, state.SQLFile.ValueString()); err != nil {
		addError(&resp.Diagnostics, "The SQL file of the optimize job cannot be deleted", err)
	}
}

// ImportState takes the job's id or its exact name. Links are not in the job: the first plan after an import shows them.
func (r *optimizeJob) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.importJob(ctx, req, resp, contract.KindOptimize)
}

// readFile reads the file that the live job runs. Neither a job that runs none nor a file that is gone is an error: both
// differ from what was written.
func (r *optimizeJob) readFile(ctx context.Context, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	content, err := r.session.client.ReadFile(ctx, path)
	if isMissing(err) {
		return nil, nil
	}
	return content, err
}

func (r *optimizeJob) deleteFile(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := r.session.client.DeleteFile(ctx, path); err != nil && !isMissing(err) {
		return err
	}
	return nil
}

// prepare is what stands before the first write: the same judgement as in the plan, of values that are all known now.
func (r *optimizeJob) prepare(ctx context.Context, plan *optimizeJobModel, diags *diag.Diagnostics) (optimizeSpec, bool) {
	client := r.client(diags)
	if diags.HasError() {
		return optimizeSpec{}, false
	}
	at, err := client.Now(ctx)
	if err != nil {
		addError(diags, "The workspace's clock cannot be read", err)
		return optimizeSpec{}, false
	}
	j := plan.judge(ctx, at, diags)
	if !j.known && !diags.HasError() {
		diags.AddAttributeError(path.Root("loader"), "Whether rows would be lost cannot be told", "A value of the loader, the retention or the window is still not known. Nothing was written.")
	}
	j.report(plan.OnViolation, diags)
	plan.validate(ctx, diags)
	plan.refusePausing(diags)
	spec := plan.toSpec(ctx, client.WarehouseID(), diags)
	if diags.HasError() {
		return optimizeSpec{}, false
	}
	plan.SQLFile = types.StringValue(spec.path)
	plan.complete(ctx, j, at, diags)
	return spec, !diags.HasError()
}

// complete fills the computed attributes that are not known yet and can be.
func (m *optimizeJobModel) complete(ctx context.Context, j judgement, at time.Time, diags *diag.Diagnostics) {
	if j.known {
		fill(&m.Verdict, j.word())
		fill(&m.LongestWait, interval.Short(j.verdict.LongestWait))
		if j.verdict.Answer == coverage.Unknown && m.Headroom.IsUnknown() {
			m.Headroom = types.StringNull()
		}
		fill(&m.Headroom, interval.Short(j.verdict.Headroom))
	}
	if m.NextWindow.IsUnknown() && isKnown(m.Window) && !at.IsZero() {
		m.NextWindow = m.nextWindow(ctx, at, diags)
	}
	if m.SQLFile.IsUnknown() && isKnown(m.Name, m.Table) {
		if path, _, err := (maintenance.Job{Name: m.Name.ValueString(), Plan: maintenance.Plan{Table: m.Table.ValueString()}}).File(); err == nil {
			m.SQLFile = types.StringValue(path)
		}
	}
	if m.Statements.IsUnknown() {
		m.Statements = m.statements(ctx, diags)
	}
}

func fill(v *types.String, text string) {
	if v.IsUnknown() {
		*v = types.StringValue(text)
	}
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// optimizeJob is a job of the Jobs API 2.2 and the SQL file it runs. Create looks the name up, writes the file and then the
// job (jobs/create), Read is jobs/get and the file, Update writes both again (jobs/reset), Delete deletes both, unless a
// run is active; none waits for a run's work. Planning reads the linked loader once, to see whether it is paused, and the
// table (Unity Catalog) where the statements are new. Null is an option that is not taken.
type optimizeJob struct{ base }

var (
	_ resource.ResourceWithConfigure      = (*optimizeJob)(nil)
	_ resource.ResourceWithValidateConfig = (*optimizeJob)(nil)
	_ resource.ResourceWithModifyPlan     = (*optimizeJob)(nil)
	_ resource.ResourceWithImportState    = (*optimizeJob)(nil)
	_ resource.ResourceWithIdentity       = (*optimizeJob)(nil)
)

func newOptimizeJob() resource.Resource { return &optimizeJob{} }

func (r *optimizeJob) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_optimize_job"
}

func (r *optimizeJob) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityOf("id", "Id or exact name of the job; its id once it is imported.")
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
	diags := &resp.Diagnostics
	ctx = workspace.WithClock(ctx)
	var plan optimizeJobModel
	var state *optimizeJobModel
	diags.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		state = &optimizeJobModel{}
		diags.Append(req.State.Get(ctx, state)...)
	}
	if diags.HasError() {
		return
	}
	if state != nil {
		plan.keepSpelling(ctx, *state, diags)
	}
	j, at := r.judgePlan(ctx, plan, state, diags)
	j.report(plan.OnViolation, diags)
	plan.validate(ctx, diags)
	plan.refusePausing(diags)
	if diags.HasError() {
		return
	}
	if state != nil && state.ChangedOutside.IsNull() && plan.hasInputsOf(*state) {
		plan = *state
	} else {
		if !r.isDeferred() {
			plan.warehouse(r.session.client.WarehouseID(), diags)
		}
		plan.complete(ctx, j, at, diags)
		plan.ChangedOutside = types.ListNull(types.StringType)
	}
	diags.Append(resp.Plan.Set(ctx, plan)...)
}

// judgePlan judges at the workspace's time, which the answers to its own questions tell: one of the loader, to see whether
// it is paused, and one of the table, where the statements are new. A workspace that is not known yet has no time: what
// depends on it waits for apply.
func (r *optimizeJob) judgePlan(ctx context.Context, plan optimizeJobModel, state *optimizeJobModel, diags *diag.Diagnostics) (judgement, time.Time) {
	var at time.Time
	l := plan.read(ctx, diags)
	paused, table := r.lookAtLoader(ctx, plan, l, diags), r.lookAtTable(ctx, plan, state)
	if !r.isDeferred() {
		var err error
		if at, err = r.session.client.Now(ctx); err != nil {
			addError(diags, "The workspace's clock cannot be read", err)
		}
	}
	j := plan.judge(ctx, at, diags)
	j.exists = state != nil
	if table != nil {
		j.checks = append(j.checks, plan.checkTable(ctx, l, *table, at, diags))
		if table.err != nil && !isMissing(table.err) {
			j.notes = append(j.notes, finding{path.Root("table"), "The table could not be read", explain(table.err) + "\n\nWhat Delta would refuse on it is looked at again before the first write of the apply."})
		}
	}
	if paused != nil {
		j.checks = append(j.checks, l.checkFoundPause(*paused))
		r.reportPause(ctx, plan, l, *paused, j, diags)
	}
	return j, at
}

func (r *optimizeJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan optimizeJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, done := bounded(ctx, plan.Timeouts, creating, &resp.Diagnostics)
	defer done()
	plan.Owner = newOwner()
	spec, ok := r.prepare(ctx, &plan, nil, &resp.Diagnostics)
	if !ok {
		return
	}
	id, ok := r.createJob(ctx, newJob{
		what: "watertight_optimize_job", noun: "optimize job", settings: spec.settings, allowDuplicateName: plan.AllowDuplicateName.ValueBool(),
		before:   func(ctx context.Context, diags *diag.Diagnostics) bool { return r.writeFile(ctx, spec, diags) },
		withdraw: r.withdrawFile(spec.path),
	}, &resp.Diagnostics)
	if !ok {
		return
	}
	plan.ID, plan.URL = jobID(id), jobURL(r.session.client, id)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.identify(ctx, "id", plan.ID, resp.Identity, &resp.Diagnostics)
}

func (r *optimizeJob) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state optimizeJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.identify(ctx, "id", state.ID, resp.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.isDeferred() {
		return
	}
	ctx, done := bounded(workspace.WithClock(ctx), state.Timeouts, reading, &resp.Diagnostics)
	defer done()
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
	if state.Loader.IsNull() {
		r.takeOver(ctx, &state, job, file, &resp.Diagnostics)
	}
	now, err := r.session.client.Now(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "The workspace's clock cannot be read", err)
		return
	}
	state.refresh(ctx, job, file, r.session.client.WarehouseID(), &resp.Diagnostics)
	state.URL = jobURL(r.session.client, job.ID)
	state.NextWindow = state.nextWindow(ctx, now, &resp.Diagnostics)
	if state.Verdict.IsUnknown() {
		state.complete(ctx, state.judge(ctx, now, &resp.Diagnostics), now, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

func (r *optimizeJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state optimizeJobModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, done := bounded(ctx, plan.Timeouts, updating, &resp.Diagnostics)
	defer done()
	if plan.Owner.ValueString() == "" {
		plan.Owner = newOwner()
	}
	spec, ok := r.prepare(ctx, &plan, &state, &resp.Diagnostics)
	id := parseJobID(plan.ID, &resp.Diagnostics)
	if !ok || resp.Diagnostics.HasError() {
		return
	}
	if plan.Name.ValueString() != state.Name.ValueString() && !plan.AllowDuplicateName.ValueBool() && !r.isNameFree(ctx, spec.settings, id, &resp.Diagnostics) {
		return
	}
	if !state.wrote(ctx, spec, r.session.client.WarehouseID()) && !r.rewrite(ctx, id, spec, state.SQLFile.ValueString(), &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	r.identify(ctx, "id", plan.ID, resp.Identity, &resp.Diagnostics)
	if state.SQLFile.ValueString() != spec.path {
		if err := r.deleteOwnFile(ctx, state, id); err != nil {
			resp.Diagnostics.AddWarning("The former SQL file is still there", state.SQLFile.ValueString()+" belongs to no job now: delete it. "+explain(err))
		}
	}
}

// rewrite brings the file and the job to what is planned, the file first: a job never runs a file that is not there. A
// file of another path than the former one goes again when the job surely does not run it.
func (r *optimizeJob) rewrite(ctx context.Context, id int64, spec optimizeSpec, former string, diags *diag.Diagnostics) bool {
	if !r.writeFile(ctx, spec, diags) {
		return false
	}
	err := r.session.client.ResetJob(ctx, id, spec.settings)
	if err == nil {
		return true
	}
	addError(diags, "The optimize job cannot be changed", err)
	if spec.path != former && !errors.Is(err, workspace.ErrUncertain) {
		r.withdrawFile(spec.path)(ctx, diags)
	}
	return false
}

// withdrawFile deletes a file that belongs to no job.
func (r *optimizeJob) withdrawFile(path string) func(context.Context, *diag.Diagnostics) {
	return func(ctx context.Context, diags *diag.Diagnostics) {
		if err := r.deleteFile(ctx, path); err != nil {
			diags.AddWarning("The SQL file of the optimize job is left", fmt.Sprintf("%s belongs to no job now: delete it. %s", path, explain(err)))
		}
	}
}

func (r *optimizeJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state optimizeJobModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, done := bounded(ctx, state.Timeouts, deleting, &resp.Diagnostics)
	defer done()
	id := parseJobID(state.ID, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.deleteJob(ctx, id, "optimize job", state.CancelActiveRuns.ValueBool(), &resp.Diagnostics); resp.Diagnostics.HasError() {
		return
	}
	if err := r.deleteOwnFile(ctx, state, id); err != nil {
		addError(&resp.Diagnostics, "The SQL file of the optimize job cannot be deleted", err)
	}
}

// ImportState takes the job's id or its exact name. What the job does not hold itself, the links, is read from the loader
// that its tags name, and from that loader's source.
func (r *optimizeJob) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	r.importJob(ctx, req, resp, contract.KindOptimize)
}

// prepare is what stands before the first write: the same judgement as in the plan, of values that are all known now.
func (r *optimizeJob) prepare(ctx context.Context, plan, state *optimizeJobModel, diags *diag.Diagnostics) (optimizeSpec, bool) {
	client := r.client(diags)
	if diags.HasError() {
		return optimizeSpec{}, false
	}
	ctx = workspace.WithClock(ctx)
	table := r.lookAtTable(ctx, *plan, state)
	at, err := client.Now(ctx)
	if err != nil {
		addError(diags, "The workspace's clock cannot be read", err)
		return optimizeSpec{}, false
	}
	j := plan.judge(ctx, at, diags)
	if table != nil {
		plan.judgeTable(ctx, *table, client.Host(), at, &j, diags)
	}
	j.refuseOpen(diags)
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
	if len(j.open()) == 0 {
		fill(&m.Verdict, wordOf(j.answer()))
	}
	if v := j.verdict; v != nil {
		fill(&m.LongestWait, interval.Short(v.LongestWait))
		if v.Answer == coverage.Unknown && m.Headroom.IsUnknown() {
			m.Headroom = types.StringNull()
		}
		fill(&m.Headroom, interval.Short(v.Headroom))
	}
	if m.NextWindow.IsUnknown() && isKnown(m.Window) && !at.IsZero() {
		m.NextWindow = m.nextWindow(ctx, at, diags)
	}
	if m.SQLFile.IsUnknown() && isKnown(m.Name, m.Owner) && m.Owner.ValueString() != "" {
		m.SQLFile = types.StringValue(maintenance.OwnFile(m.Name.ValueString(), m.Owner.ValueString()))
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

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// runAction starts one run of a job: jobs/run-now with one idempotency token, then jobs/runs/get until it works. It
// cancels nothing and never waits for the run's end. Planning makes no call.
type runAction struct{ session *session }

var (
	_ action.ActionWithConfigure  = (*runAction)(nil)
	_ action.ActionWithModifyPlan = (*runAction)(nil)
)

func newRunAction() action.Action { return &runAction{} }

type runActionModel struct {
	Job        types.String `tfsdk:"job"`
	Parameters types.Map    `tfsdk:"parameters"`
	Only       types.List   `tfsdk:"only"`
	Token      types.String `tfsdk:"token"`
	Timeout    types.String `tfsdk:"timeout"`
}

const usualStart = 5 * time.Minute

func (a *runAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_run"
}

func (a *runAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Starts one run of a job, and looks until it works. It never waits for the run's end: a load may take hours, and a continuous job has none. To wait, and to verify what was loaded: `watertight run`.\n\n" +
			"A lost answer starts no second run, since the same idempotency token is sent again. It cancels nothing: of an unpaused continuous job the service itself ends the active run and starts the next. A paused job is started, and stays paused; a warning says so.",
		Attributes: map[string]schema.Attribute{
			"job":        schema.StringAttribute{Required: true, Validators: []validator.String{someText()}, MarkdownDescription: "The job: its id or exact name."},
			"parameters": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Job parameters of this run, by name. Unset: the job's defaults."},
			"only":       schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Keys of the tasks to run. Unset: all."},
			"token": schema.StringAttribute{Optional: true, Validators: []validator.String{aToken()},
				MarkdownDescription: "Idempotency token, up to 64 characters: one token, one run, also over several applies. Where it belongs to an earlier run, that run is reported, with what became of it. Unset: a fresh one at each invocation."},
			"timeout": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "How long to look for the run to work, as a duration; `0s` not at all. A run that is still queued by then goes on, and a warning says so. Default: `5m`."},
		},
	}
}

// Configure keeps the session.
func (a *runAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.session = sessionOf(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan defers where Terraform can and the workspace is not known. Otherwise there is nothing to plan: the job may
// be made by the same apply.
func (a *runAction) ModifyPlan(_ context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	if a.session.isDeferred() && req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &action.Deferred{Reason: action.DeferredReasonProviderConfigUnknown}
	}
}

func (a *runAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var model runActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	client := (&base{a.session}).client(&resp.Diagnostics)
	request := model.toRequest(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	say := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	named := false
	out, err := pipeline.Start(ctx, client, workspace.Machine{}, request, func(r run.Run) {
		if !named {
			say("run %d of job %d: %s", r.ID, r.JobID, runURL(client, r))
			named = true
		}
		say("run %d is %s", r.ID, r.State())
	})
	if err != nil {
		explainStart(err, out, client, &resp.Diagnostics)
		return
	}
	if !named {
		say("run %d of job %d: %s", out.Run.ID, out.Run.JobID, runURL(client, out.Run))
	}
	describeStart(out, request, runURL(client, out.Run), &resp.Diagnostics)
}

func (m runActionModel) toRequest(ctx context.Context, diags *diag.Diagnostics) pipeline.StartRequest {
	r := pipeline.StartRequest{Job: m.Job.ValueString(), Token: m.Token.ValueString(), Timeout: usualStart}
	if !m.Timeout.IsNull() {
		r.Timeout = duration(m.Timeout)
	}
	if !m.Parameters.IsNull() {
		diags.Append(m.Parameters.ElementsAs(ctx, &r.Parameters, false)...)
	}
	if !m.Only.IsNull() {
		diags.Append(m.Only.ElementsAs(ctx, &r.Only, false)...)
	}
	return r
}

func runURL(client *workspace.Client, r run.Run) string {
	if r.URL != "" {
		return r.URL
	}
	return fmt.Sprintf("%s/jobs/%d/runs/%d", client.Host(), r.JobID, r.ID)
}

func explainStart(err error, out pipeline.StartResult, client *workspace.Client, diags *diag.Diagnostics) {
	if out.Run.ID == 0 {
		addError(diags, "The run was not started", err)
		return
	}
	diags.AddError("The run cannot be watched", fmt.Sprintf("Run %d of the job %q exists and goes on: %s. %s", out.Run.ID, out.JobName, runURL(client, out.Run), explain(err)))
}

// describeStart says what became of the start: an error for a run that has failed already, warnings for what a reader
// may not expect.
func describeStart(out pipeline.StartResult, r pipeline.StartRequest, url string, diags *diag.Diagnostics) {
	warn := func(summary, format string, args ...any) {
		diags.AddWarning(summary, fmt.Sprintf(format, args...))
	}
	which := fmt.Sprintf("Run %d of the job %q (%s)", out.Run.ID, out.JobName, url)
	switch o := out.Run.Outcome(); {
	case o.Final() && o != run.Succeeded:
		diags.AddAttributeError(path.Root("job"), "The run did not succeed", fmt.Sprintf("%s has ended already: %s. %s", which, o, strings.TrimSpace(whyFailed(out.Run)+already(out))))
		return
	case out.Existing:
		warn("No new run was started", "%s was started earlier with the token %q, and is %s now. One token is one run: write another for another run, or leave it out.", which, r.Token, stateOf(out.Run))
	case out.ByTrigger:
		warn("The job had just started by itself", "%s is active: the job is continuous, and its trigger started this run in the same moment.", which)
	}
	if out.GaveUp != nil {
		warn("The run does not work yet", "%s is %s after %s. It goes on; nobody waits for it any more. timeout of the action says how long to look.", which, stateOf(out.Run), interval.Text(r.Timeout))
	}
	if out.Paused {
		warn("The job stays paused", "%s was started, and the job's trigger is paused: no other run follows by itself until it is resumed.", which)
	}
}

func already(out pipeline.StartResult) string {
	if out.Existing {
		return " It is an earlier run, which the token belongs to; no new one was started."
	}
	return ""
}

func whyFailed(r run.Run) string {
	texts := []string{sentence(r.Message)}
	for _, t := range r.Failures() {
		texts = append(texts, sentence(fmt.Sprintf("task %s: %s", t.Key, t.Message)))
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

func stateOf(r run.Run) string {
	if o := r.Outcome(); o.Final() {
		return string(o)
	}
	if r.State() == "" {
		return "starting"
	}
	return r.State()
}

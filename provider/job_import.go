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

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

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

// importJob finds a job by its id or exact name. One that Watertight made for something else is refused.
func (b *base) importJob(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse, kind contract.Kind) {
	client := b.client(&resp.Diagnostics)
	name := b.imported(ctx, req, "id", &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	job, err := client.FindJob(ctx, name)
	switch {
	case errors.Is(err, workspace.ErrNotFound):
		resp.Diagnostics.AddError("There is no such job", fmt.Sprintf("No job in the workspace %s has the id or the exact name %q. Import takes either; names are compared with their case.", client.Host(), name))
	case errors.Is(err, workspace.ErrAmbiguous):
		resp.Diagnostics.AddError("Several jobs have this name", sentence(err.Error())+"\n\nImport the one that is meant by its id.")
	case err != nil:
		addError(&resp.Diagnostics, "The job cannot be imported", err)
	default:
		if text := otherKind(job, kind); text != "" {
			resp.Diagnostics.AddError("The job is of another kind", text)
			return
		}
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), jobID(job.ID))...)
		b.setIdentity(ctx, "id", jobID(job.ID), resp.Identity, &resp.Diagnostics)
	}
}

// otherKind says what a job is, when it is not of the kind that is wanted. A job without Watertight's tags may become one.
func otherKind(job workspace.Job, want contract.Kind) string {
	kind, table := contract.KindOf(jobspec.Tags(job.Settings))
	name := fmt.Sprintf("The job %q (%d)", jobspec.Name(job.Settings), job.ID)
	switch kind {
	case want:
		return ""
	case contract.KindNone:
		if want == contract.KindOptimize {
			return name + " has no tags of an optimize job: taking it over would replace everything it does. Declare a job of another name, and delete this one when it is not needed any more."
		}
		return ""
	case contract.KindLoader:
		return name + " is a loader: its tags say that it loads " + table + ". Import it as a watertight_loader_job."
	case contract.KindOptimize:
		return name + " is an optimize job: its tags say that it optimizes " + table + ". Import it as a watertight_optimize_job."
	}
	return name + " deletes expired rows from " + table + ", as its tags say. It belongs to the watertight_retention of that table: import that by the table's name."
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

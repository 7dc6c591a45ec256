package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// deleteJob deletes a job that has no active run; one that is gone already is deleted. With cancel, what starts the job
// is paused and its runs are cancelled first, and it is deleted once none is active.
func (b *base) deleteJob(ctx context.Context, id int64, noun string, cancel bool, diags *diag.Diagnostics) {
	client := b.client(diags)
	if diags.HasError() {
		return
	}
	active, err := activeRuns(ctx, client, id)
	if err != nil && !isMissing(err) {
		addError(diags, "Whether the "+noun+" is running cannot be told", err)
		return
	}
	if len(active) > 0 && !cancel {
		diags.AddError("The "+noun+" is running", runningText(client, id, active))
		return
	}
	if len(active) > 0 {
		if err := endRuns(ctx, client, id); err != nil && !isMissing(err) {
			addError(diags, "The runs of the "+noun+" did not end", err)
			diags.AddWarning("The "+noun+" may be paused now", fmt.Sprintf("Job %d was paused so that no new run would start, and it was not deleted. The next plan shows the pause; applying it resumes the job.", id))
			return
		}
	}
	if err := client.DeleteJob(ctx, id); err != nil && !isMissing(err) {
		addError(diags, "The "+noun+" cannot be deleted", err)
	}
}

// activeRuns are some of the runs that go on: enough to name.
func activeRuns(ctx context.Context, client *workspace.Client, id int64) ([]run.Run, error) {
	const enough = 5
	var active []run.Run
	for r, err := range client.Runs(ctx, workspace.RunFilter{JobID: id, Active: true}) {
		if err != nil {
			return nil, err
		}
		if active = append(active, r); len(active) == enough {
			break
		}
	}
	return active, nil
}

// endRuns leaves no run active and lets none begin: a continuous job would start the next one at once.
func endRuns(ctx context.Context, client *workspace.Client, id int64) error {
	job, err := client.Job(ctx, id)
	if err != nil {
		return err
	}
	if status, trigger, ok := jobspec.Pause(job.Settings); ok && status != jobspec.Paused {
		paused, err := jobspec.SetPause(job.Settings, jobspec.Paused)
		if err != nil {
			return err
		}
		if err := client.UpdateJob(ctx, id, map[string]any{trigger: paused[trigger]}); err != nil {
			return err
		}
	}
	return client.EndRuns(ctx, id)
}

func runningText(client *workspace.Client, id int64, active []run.Run) string {
	var b strings.Builder
	for _, r := range active {
		url := r.URL
		if url == "" {
			url = fmt.Sprintf("%s/jobs/%d/runs/%d", client.Host(), id, r.ID)
		}
		fmt.Fprintf(&b, "Run %d of job %d is active (%s)", r.ID, id, r.State())
		if !r.Started.IsZero() {
			fmt.Fprintf(&b, " since %s", instant(r.Started))
		}
		fmt.Fprintf(&b, ": %s\n", url)
	}
	b.WriteString("\nDeleting the job would stop it in the middle of its work, so nothing was deleted. Ways to go on:\n" +
		"- Wait until it has ended, and destroy again.\n" +
		"- Set cancel_active_runs = true and apply that before the destroy: active runs are then cancelled, and the job is deleted when they have ended.\n" +
		"- Leave the job in the workspace: terraform state rm <address>, or a removed block with lifecycle { destroy = false }.")
	return b.String()
}

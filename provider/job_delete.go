package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	var paused map[string]any
	if len(active) > 0 {
		if paused, err = pauseStarts(ctx, client, id); err == nil {
			err = client.EndRuns(ctx, id)
		}
		if err != nil && !isMissing(err) {
			addError(diags, "The runs of the "+noun+" did not end", err)
			resumeStarts(ctx, client, id, noun, paused, diags)
			return
		}
	}
	if err := client.DeleteJob(ctx, id); err != nil && !isMissing(err) {
		addError(diags, "The "+noun+" cannot be deleted", err)
		resumeStarts(ctx, client, id, noun, paused, diags)
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

// pauseStarts lets no new run begin: a continuous job would start the next one at once. It returns what undoes it; nil
// when nothing was to be paused.
func pauseStarts(ctx context.Context, client *workspace.Client, id int64) (undo map[string]any, err error) {
	job, err := client.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	status, trigger, ok := jobspec.Pause(job.Settings)
	if !ok || status == jobspec.Paused {
		return nil, nil
	}
	paused, err := jobspec.SetPause(job.Settings, jobspec.Paused)
	if err != nil {
		return nil, err
	}
	// A failed update may have been made all the same, so it is undone too.
	return map[string]any{trigger: job.Settings[trigger]}, client.UpdateJob(ctx, id, map[string]any{trigger: paused[trigger]})
}

// resumeStarts undoes the pause of a job that is not deleted after all: a loader that stood still without anybody having
// asked for that would let rows expire unread.
func resumeStarts(ctx context.Context, client *workspace.Client, id int64, noun string, undo map[string]any, diags *diag.Diagnostics) {
	if undo == nil {
		return
	}
	// The time for the delete may be what ran out.
	const enough = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), enough)
	defer cancel()
	// The pause itself may be what failed: a job that is not paused is left as it is.
	if job, err := client.Job(ctx, id); err == nil {
		if status, _, _ := jobspec.Pause(job.Settings); status != jobspec.Paused {
			return
		}
	}
	err := client.UpdateJob(ctx, id, undo)
	switch {
	case isMissing(err):
	case err != nil:
		diags.AddError("The "+noun+" is paused", fmt.Sprintf(
			"This destroy paused job %d so that no new run would start, did not delete it, and could not resume it: %s\n\nThe next plan shows the pause as one made outside Terraform; applying it resumes the job. Or resume it in the workspace.", id, explain(err)))
	default:
		diags.AddWarning("The "+noun+" goes on", fmt.Sprintf(
			"Job %d was paused so that no new run would start. It was not deleted, so it was resumed; runs of it that were active have been told to end.", id))
	}
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

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

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

func (r *optimizeJob) writeFile(ctx context.Context, spec optimizeSpec, diags *diag.Diagnostics) bool {
	if err := r.session.client.ImportFile(ctx, spec.path, spec.file, true); err != nil {
		addError(diags, "The SQL file of the optimize job cannot be written", err)
		return false
	}
	return true
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

// deleteOwnFile deletes the file of a state whose job does not run it any more. The path of a state without an owner may be
// that of another job of the same name and table, which is asked for; then it stays.
func (r *optimizeJob) deleteOwnFile(ctx context.Context, state optimizeJobModel, id int64) error {
	file := state.SQLFile.ValueString()
	if owner := state.Owner.ValueString(); owner == "" || !strings.Contains(file, owner) {
		same, err := r.session.client.JobsNamed(ctx, state.Name.ValueString())
		if err != nil {
			return err
		}
		for _, j := range same {
			if kind, table := contract.KindOf(jobspec.Tags(j.Settings)); j.ID != id && kind == contract.KindOptimize && table == state.Table.ValueString() {
				return nil
			}
		}
	}
	return r.deleteFile(ctx, file)
}

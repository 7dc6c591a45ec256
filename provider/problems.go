package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// addError reports a call that failed, with the hint that belongs to it here.
func addError(diags *diag.Diagnostics, summary string, err error) {
	diags.AddError(summary, explain(err))
}

// addWriteError reports a change that failed. What was deleted since the plan is no refusal: planning again mends it.
func addWriteError(diags *diag.Diagnostics, summary string, err error) {
	text := explain(err)
	if isMissing(err) {
		text += "\n\nIt was deleted after this plan was made. Plan again: the next plan creates it anew."
	}
	diags.AddError(summary, text)
}

func explain(err error) string {
	text := sentence(err.Error())
	var late *outOfTime
	if errors.As(err, &late) {
		return text + "\n\n" + late.hint()
	}
	if hint := workspace.HintOf(err); hint != "" {
		return text + "\n\n" + sentence(hint)
	}
	switch {
	case errors.Is(err, workspace.ErrUnauthenticated):
		return text + "\n\nThe credentials were not accepted. Look at token, client_id and client_secret of the provider, or at the DATABRICKS_* variables."
	case errors.Is(err, workspace.ErrDenied):
		return text + "\n\nThe caller may not do this. Databricks answers the same for an object that was deleted, so nothing was taken out of the state."
	case errors.Is(err, workspace.ErrThrottled):
		return text + "\n\nThe workspace asked for fewer requests and did not stop asking within retry_timeout. Lower rate_limit of the provider, or run terraform with a smaller -parallelism."
	}
	return text
}

// isMissing is the one place that decides that an object is gone. A refusal, a throttled or a failed request is not.
func isMissing(err error) bool { return errors.Is(err, workspace.ErrNotFound) }

package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// MoveState takes over a databricks_job. Of its state only the id is read, which every version of its schema has; the
// refresh that follows reads the rest from the job itself, so that the plan shows an update in place of what differs.
func (r *loaderJob) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: r.moveJob}}
}

func (r *loaderJob) moveJob(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	if req.SourceTypeName != "databricks_job" || !isDatabricks(req.SourceProviderAddress) {
		return
	}
	var source struct {
		ID json.RawMessage `json:"id"`
	}
	if req.SourceRawState != nil {
		_ = json.Unmarshal(req.SourceRawState.JSON, &source) // what has no id is refused below
	}
	id, err := strconv.ParseInt(string(bytes.Trim(source.ID, `"`)), 10, 64)
	if err != nil || id <= 0 {
		resp.Diagnostics.AddError("The state of the databricks_job cannot be read", fmt.Sprintf("It has no id in schema version %d. Import the job instead:\n\nimport {\n  to = watertight_loader_job.<name>\n  id = \"<id or name of the job>\"\n}\n\nand forget the old resource with a removed block.", req.SourceSchemaVersion))
		return
	}
	resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root("id"), jobID(id))...)
}

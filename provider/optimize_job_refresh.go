package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func windowKinds() map[string]attr.Type {
	return map[string]attr.Type{"quartz_cron_expression": types.StringType, "timezone_id": types.StringType, "duration": types.StringType}
}

// refresh takes over what the live job says. The links stay: they are the configuration's.
func (m *optimizeJobModel) refresh(ctx context.Context, job workspace.Job, file []byte, warehouse string, diags *diag.Diagnostics) {
	live, prior := job.Settings, *m
	m.ID, m.Name = jobID(job.ID), liveText(live["name"])
	if status, _, ok := jobspec.Pause(live); ok {
		m.PauseStatus = types.StringValue(status)
	}
	m.refreshWindow(ctx, prior, live, diags)
	m.refreshTable(live, diags)
	if m.SQLFile.IsNull() {
		m.SQLFile = optional(maintenance.FilePath(live))
	}
	m.ChangedOutside = prior.changedOutside(ctx, live, file, warehouse, diags)
}

// refreshTable reads the table from the tags, which is all that an import has.
func (m *optimizeJobModel) refreshTable(live jobspec.Settings, diags *diag.Diagnostics) {
	promise, ok, err := maintenance.FromSettings(live)
	if err != nil {
		diags.AddWarning("The tags of the optimize job cannot be read", sentence(err.Error())+"\n\nThe plan writes them again from the configuration.")
	}
	if err == nil && ok {
		m.Table = types.StringValue(promise.Table)
	}
}

func (m *optimizeJobModel) refreshWindow(ctx context.Context, prior optimizeJobModel, live jobspec.Settings, diags *diag.Diagnostics) {
	m.Window = types.ObjectNull(windowKinds())
	s, ok := live["schedule"].(map[string]any)
	if !ok {
		return
	}
	var was windowModel
	fields(ctx, prior.Window, &was, diags)
	length := types.StringNull()
	if n, ok := live["timeout_seconds"].(json.Number); ok && n.String() != "0" {
		if seconds, err := n.Int64(); err == nil {
			length = keepText(was.Duration, time.Duration(seconds)*time.Second)
		}
	}
	m.Window = types.ObjectValueMust(windowKinds(), map[string]attr.Value{
		"quartz_cron_expression": liveText(s["quartz_cron_expression"]), "timezone_id": liveText(s["timezone_id"]), "duration": length})
}

// changedOutside lists what differs in the live job and has no attribute that would show it.
func (m optimizeJobModel) changedOutside(ctx context.Context, live jobspec.Settings, file []byte, warehouse string, diags *diag.Diagnostics) types.List {
	none := types.ListNull(types.StringType)
	if m.Loader.IsNull() || m.Window.IsNull() {
		return none
	}
	var unbuilt diag.Diagnostics
	spec := m.toSpec(ctx, warehouse, &unbuilt)
	if unbuilt.HasError() {
		return none
	}
	var changed []string
	for _, d := range jobspec.Compare(spec.settings, live) {
		if d.Path == "name" || d.Path == "timeout_seconds" || d.Path == "schedule" || strings.HasPrefix(d.Path, "schedule.") {
			continue
		}
		changed = append(changed, describe(d))
	}
	if path := maintenance.FilePath(live); path != "" && file == nil {
		changed = append(changed, path+": the file of the statements is gone")
	} else if string(file) != string(spec.file) {
		changed = append(changed, spec.path+": the statements are not those that were written")
	}
	if len(changed) == 0 {
		return none
	}
	list, d := types.ListValueFrom(ctx, types.StringType, changed)
	diags.Append(d...)
	return list
}

func describe(d jobspec.Difference) string {
	switch {
	case d.Wanted == nil:
		return fmt.Sprintf("%s: %s was added", d.Path, compact(d.Live))
	case d.Live == nil:
		return fmt.Sprintf("%s: %s was removed", d.Path, compact(d.Wanted))
	}
	return fmt.Sprintf("%s: %s became %s", d.Path, compact(d.Wanted), compact(d.Live))
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// nextWindow is the first start after an instant; null when none is left.
func (m optimizeJobModel) nextWindow(ctx context.Context, after time.Time, diags *diag.Diagnostics) types.String {
	var w windowModel
	fields(ctx, m.Window, &w, diags)
	if m.Window.IsNull() || m.PauseStatus.ValueString() == "PAUSED" {
		return types.StringNull()
	}
	starts, err := sequence(w.Expression.ValueString(), w.ZoneID.ValueString())
	if err != nil {
		return types.StringNull()
	}
	next, ok := starts.Next(after)
	if !ok {
		return types.StringNull()
	}
	return types.StringValue(instant(next))
}

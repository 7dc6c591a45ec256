package provider

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// ImportState takes the table's name. What is no table of its own is refused, and so is one without anything to import:
// there the resource is simply created, which makes no table and changes no row.
func (r *retention) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := r.imported(ctx, req, "table", &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	name, err := contract.ParseTable(id)
	if err != nil {
		resp.Diagnostics.AddError("Wrong import id", fmt.Sprintf("A retention is imported by the name of its table: %s", sentence(err.Error())))
		return
	}
	client := r.client(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	table, err := client.Table(ctx, name.FullName())
	switch {
	case isMissing(err):
		resp.Diagnostics.AddError("There is no such table", fmt.Sprintf("There is no table %s in the workspace %s, or the caller may not see it.", name, client.Host()))
		return
	case err != nil:
		addError(&resp.Diagnostics, "The retention cannot be imported", err)
		return
	}
	if summary, text := unfit(table); summary != "" {
		resp.Diagnostics.AddError(summary, text)
		return
	}
	_, declared := property(table.Properties, contract.PropertyRollingWindow)
	if _, expires := property(table.Properties, contract.PropertyAutoTTLDays); !declared && !expires {
		resp.Diagnostics.AddError("The table has no retention to import", fmt.Sprintf(
			"%s has neither the property %s nor Auto-TTL, so nothing says how long its rows stay.\n\nLeave the import out: applying a watertight_retention of an existing table sets properties on it, and nothing else. Properties such as %s that the configuration does not name are left alone.",
			table.FullName, contract.PropertyRollingWindow, contract.PropertyDeletedFileRetention))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), name.String())...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("table"), name.String())...)
	r.setIdentity(ctx, "table", types.StringValue(name.String()), resp.Identity, &resp.Diagnostics)
}

// importPurge finds the purge job of an imported table, and reads from it what the configuration will say.
func (r *retention) importPurge(ctx context.Context, m *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	if !m.purges() {
		return
	}
	job, found, ok := r.findPurge(ctx, *m, diags)
	if !ok {
		if !diags.HasError() {
			diags.AddAttributeWarning(path.Root("purge"), "The purge job was not found", fmt.Sprintf("%s says that a purge job deletes its expired rows, and no job has the tags of one for it. The plan makes it.", table.FullName))
		}
		return
	}
	m.PurgeJobID = jobID(job.ID)
	m.PurgeSQLFile = optional(maintenance.PurgeFilePath(job.Settings))
	m.Purge = purgeOf(*m, job.Settings, r.session.client.WarehouseID())
	m.LoadedBy = r.loadedBy(ctx, found, diags)
	column, _ := columnOf(table, m.EventTime.ValueString())
	if statement, err := m.purge(ctx, column.Type, diags).Statement(); err == nil {
		m.PurgeStatement = types.StringValue(statement)
	}
}

// findPurge looks under the default name first: listing a workspace with thousands of jobs takes many calls.
func (r *retention) findPurge(ctx context.Context, m retentionModel, diags *diag.Diagnostics) (workspace.Job, contract.Purge, bool) {
	client := r.session.client
	fits := func(j workspace.Job) (contract.Purge, bool) {
		tags := jobspec.Tags(j.Settings)
		p, ok, err := contract.PurgeFromTags(tags)
		return p, ok && err == nil && sameTable(p.Source, m.Table.ValueString()) && tags[contract.TagOwner] == m.Owner.ValueString()
	}
	named, err := client.JobsNamed(ctx, m.purgeName(purgeModel{Name: types.StringNull()}))
	for _, j := range named {
		if p, ok := fits(j); ok {
			return r.wholeJob(ctx, j, p, diags)
		}
	}
	if err != nil {
		addError(diags, "The purge job cannot be looked for", err)
		return workspace.Job{}, contract.Purge{}, false
	}
	for j, err := range client.Jobs(ctx) {
		if err != nil {
			addError(diags, "The purge job cannot be looked for", err)
			return workspace.Job{}, contract.Purge{}, false
		}
		if p, ok := fits(j); ok {
			return r.wholeJob(ctx, j, p, diags)
		}
	}
	return workspace.Job{}, contract.Purge{}, false
}

// wholeJob reads a job of a list, which has no tasks there.
func (r *retention) wholeJob(ctx context.Context, listed workspace.Job, p contract.Purge, diags *diag.Diagnostics) (workspace.Job, contract.Purge, bool) {
	job, err := r.session.client.Job(ctx, listed.ID)
	if err != nil {
		addError(diags, "The purge job cannot be read", err)
	}
	return job, p, err == nil
}

// purgeOf is what a configuration would have to say to make this job.
func purgeOf(m retentionModel, live jobspec.Settings, warehouse string) types.Object {
	schedule, _ := live["schedule"].(map[string]any)
	values := map[string]attr.Value{"quartz_cron_expression": liveText(schedule["quartz_cron_expression"]), "timezone_id": liveText(schedule["timezone_id"]),
		"name": types.StringNull(), "max_duration": types.StringNull(), "warehouse_id": types.StringNull()}
	if name := liveText(live["name"]); name.ValueString() != m.purgeName(purgeModel{Name: types.StringNull()}) {
		values["name"] = name
	}
	if seconds, err := strconv.ParseInt(fmt.Sprint(live["timeout_seconds"]), 10, 64); err == nil && seconds > 0 && time.Duration(seconds)*time.Second != defaultPurgeDuration {
		values["max_duration"] = keepText(types.StringNull(), time.Duration(seconds)*time.Second)
	}
	eachSQLTask(live, func(_ string, sql map[string]any) {
		if id := liveText(sql["warehouse_id"]); id.ValueString() != warehouse {
			values["warehouse_id"] = id
		}
	})
	return types.ObjectValueMust(purgeKinds(), values)
}

// loadedBy is the link that a configuration would have: to the loader itself, where its job still says that it loads this
// table, and else what the purge job's own tags say.
func (r *retention) loadedBy(ctx context.Context, p contract.Purge, diags *diag.Diagnostics) types.Object {
	l := loadedByModel{ID: types.StringNull(), Name: types.StringNull(), Source: types.StringValue(p.Source), Target: types.StringValue(p.Target),
		EventTime: types.StringNull(), Reads: types.StringNull()}
	if p.LoaderID > 0 {
		l.ID = jobID(p.LoaderID)
		if job, err := r.session.client.Job(ctx, p.LoaderID); err == nil {
			l.Name = liveText(job.Settings["name"])
			if c, ok, err := contract.FromTags(jobspec.Tags(job.Settings)); ok && err == nil {
				l.EventTime, l.Reads = types.StringValue(c.EventTime), types.StringValue(string(c.Reads))
			}
		}
	}
	l.Key = keyObject(ctx, p.Key, diags)
	out, d := types.ObjectValueFrom(ctx, loadedByKinds(), l)
	diags.Append(d...)
	return out
}

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const day = 24 * time.Hour

// aRetention accepts what Delta keeps files and logs for. Zero is no retention: VACUUM would remove files that running
// reads and uncommitted writes need (delta-io/delta#1470).
func aRetention() check {
	c := aDuration(0)
	length := c.judge
	c.judge = func(text string) ([]string, error) {
		warnings, err := length(text)
		if d, e := interval.Parse(text); err == nil && e == nil && d == 0 {
			return nil, fmt.Errorf("%q keeps nothing: files that running reads and uncommitted writes need would be removed, and no expired row could be read again. Write 168h (7 days, Delta's default) or more, or leave the attribute out", text)
		}
		return warnings, err
	}
	return c
}

// validate checks what needs no table. Unknown values defer.
func (m retentionModel) validate(ctx context.Context, diags *diag.Diagnostics) {
	mode := m.ExpireBy.ValueString()
	if m.EventTime.IsNull() && (mode == contract.ExpireAutoTTL || mode == contract.ExpirePurgeJob) {
		diags.AddAttributeError(path.Root("event_time"), "event_time is missing",
			fmt.Sprintf("expire_by = %q deletes rows by the age of a column: set event_time to it.", mode))
	}
	if d := duration(m.RollingWindow); mode == contract.ExpireAutoTTL && d%day != 0 {
		diags.AddAttributeError(path.Root("rolling_window"), "Auto-TTL counts whole days", fmt.Sprintf(
			"rolling_window = %q is not a whole number of days, and DELETE ROWS n DAYS takes nothing else. Write %s or %s.",
			m.RollingWindow.ValueString(), days(max(d/day, 1)), days(d/day+1)))
	}
	m.validatePurge(ctx, diags)
}

func days(n time.Duration) string { return fmt.Sprintf("%q", fmt.Sprintf("%d days", n)) }

func (m retentionModel) validatePurge(ctx context.Context, diags *diag.Diagnostics) {
	purges := m.ExpireBy.ValueString() == contract.ExpirePurgeJob
	if purges && m.LoadedBy.IsNull() {
		diags.AddAttributeError(path.Root("loaded_by"), "loaded_by is missing",
			"expire_by = \"purge_job\" deletes only rows that are in the target, and has to know which table that is and what identifies a row: set loaded_by = watertight_loader_job.<name>.\n\nA plain DELETE by age would be the very loss that the job is there to prevent.")
	}
	if purges && m.Purge.IsNull() {
		diags.AddAttributeError(path.Root("purge"), "purge is missing",
			"expire_by = \"purge_job\" makes a job, which needs a time to run at: set purge = { quartz_cron_expression = \"0 20 * * * ?\", timezone_id = \"UTC\" }.")
	}
	if !purges && !m.ExpireBy.IsUnknown() && !m.Purge.IsNull() {
		by := "is not set, which means \"external\""
		if !m.ExpireBy.IsNull() {
			by = fmt.Sprintf("is %q", m.ExpireBy.ValueString())
		}
		diags.AddAttributeError(path.Root("purge"), "There is no purge job to run", fmt.Sprintf(
			"purge says when the job of expire_by = \"purge_job\" runs, and expire_by %s. Take purge out, or set expire_by = \"purge_job\".", by))
	}
	if m.LoadedBy.IsNull() || m.LoadedBy.IsUnknown() {
		return
	}
	var l loadedByModel
	fields(ctx, m.LoadedBy, &l, diags)
	source, err := contract.ParseTable(l.Source.ValueString())
	table, err2 := contract.ParseTable(m.Table.ValueString())
	if err == nil && err2 == nil && !source.Is(table) {
		diags.AddAttributeError(path.Root("loaded_by"), "The loader reads another table", fmt.Sprintf(
			"The loader %s reads %s, and this is the retention of %s.", quoted(l.Name.ValueString()), source, table))
	}
	if purges && isKnown(m.Table, m.RollingWindow, m.EventTime, l.Source, l.Target, l.Key) && !m.EventTime.IsNull() {
		for _, p := range m.purge(ctx, "timestamp", diags).Validate() {
			at := contractPath(p.Field)
			if root := rootOf(p.Field); root == "source" || root == "target" || root == "key" {
				at = path.Root("loaded_by").AtName(root)
			}
			diags.AddAttributeError(at, "Wrong "+p.Field, contractText(p))
		}
	}
}

func quoted(name string) string {
	if name == "" {
		return "given in loaded_by"
	}
	return name
}

// validatePair checks the two durations that will hold for the table. Delta refuses a log that forgets files it keeps, but
// does not look when one of the two is unset.
func (m retentionModel) validatePair(state *retentionModel, live map[string]string, diags *diag.Diagnostics) {
	if !m.durationsKnown() {
		return
	}
	unset := state != nil && (!state.DeletedFileRetention.IsNull() || !state.LogRetention.IsNull())
	if m.DeletedFileRetention.IsNull() && m.LogRetention.IsNull() && !unset {
		return
	}
	deleted, log := m.durations(state, live)
	if deleted <= log {
		return
	}
	at, origin := path.Root("deleted_file_retention"), ""
	switch {
	case m.DeletedFileRetention.IsNull() && !m.LogRetention.IsNull():
		at, origin = path.Root("log_retention"), " (deleted_file_retention is not declared: it is the table's own value, or Delta's default)"
	case m.LogRetention.IsNull():
		origin = " (log_retention is not declared: it is the table's own value, or Delta's default)"
	}
	diags.AddAttributeError(at, "The log would forget files that are kept", fmt.Sprintf(
		"deleted_file_retention %s is longer than log_retention %s%s. A version whose log is gone cannot be read, so Delta refuses the pair.\n\nSet log_retention to %q or more, or deleted_file_retention to %q or less.",
		interval.Text(deleted), interval.Text(log), origin, interval.Short(deleted), interval.Short(log)))
}

// validateColumns checks the event time against the table's columns, where the table shows them.
func (m retentionModel) validateColumns(table workspace.Table, diags *diag.Diagnostics) {
	if m.EventTime.IsNull() || m.EventTime.IsUnknown() || len(table.Columns) == 0 {
		return
	}
	name := m.EventTime.ValueString()
	column, ok := columnOf(table, name)
	switch {
	case !ok:
		diags.AddAttributeError(path.Root("event_time"), "The table has no such column", fmt.Sprintf(
			"%s has no column %q. Its columns are %s.", table.FullName, name, columnNames(table)))
	case !isTime(column.Type):
		diags.AddAttributeError(path.Root("event_time"), "Rows grow old by a date or a time", fmt.Sprintf(
			"The column %s of %s is of type %s. Name one of type DATE, TIMESTAMP or TIMESTAMP_NTZ.", column.Name, table.FullName, strings.ToUpper(column.Type)))
	}
}

// validateTTL checks what Auto-TTL needs of a table: it is Databricks' own maintenance of tables that Databricks keeps
// (https://docs.databricks.com/aws/en/tables/operations/auto-ttl).
func (m retentionModel) validateTTL(table workspace.Table, diags *diag.Diagnostics) {
	if m.ExpireBy.ValueString() != contract.ExpireAutoTTL {
		return
	}
	at := path.Root("expire_by")
	if table.Type != "" && table.Type != "MANAGED" {
		diags.AddAttributeError(at, "Auto-TTL is for managed tables", fmt.Sprintf(
			"%s is %s, and Auto-TTL deletes rows of managed tables of Unity Catalog only. Use expire_by = \"purge_job\", or keep deleting as today and declare it with \"external\".", table.FullName, table.Type))
	}
	if table.PredictiveOptimization == "DISABLE" {
		diags.AddAttributeWarning(at, "Auto-TTL will delete nothing", fmt.Sprintf(
			"Predictive optimization is disabled for %s, and Auto-TTL is a part of it: it accepts the statement and silently deletes nothing. Enable it for the table's schema or catalog (ALTER SCHEMA ... ENABLE PREDICTIVE OPTIMIZATION).", table.FullName))
	}
}

// refuseCut: a row deletion that was not set here, and so stays, takes rows before the planned window ends. Whatever is
// linked to this resource would be judged by a window that does not hold.
func (m retentionModel) refuseCut(state *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	n, _ := property(table.Properties, contract.PropertyAutoTTLDays)
	length, hasTTL := daysOf(n)
	if !hasTTL || !isKnown(m.RollingWindow, m.ExpireBy) || m.ExpireBy.ValueString() == contract.ExpireAutoTTL || m.setTTL(state, table.Properties) || length >= duration(m.RollingWindow) {
		return
	}
	hint := ""
	if state != nil {
		hint = destroyHint
	}
	diags.AddAttributeError(path.Root("rolling_window"), "Auto-TTL deletes rows before the rolling window ends", fmt.Sprintf(
		"rolling_window is %s, and %s has row deletion after %s, which was not set here: rows leave after %s, whatever is declared.\n\nSet rolling_window = %q, which is what holds; or expire_by = \"auto_ttl\", which sets the days to those of rolling_window; or end it: ALTER TABLE %s DROP ROW DELETION.%s",
		interval.Text(duration(m.RollingWindow)), table.FullName, interval.Text(length), interval.Text(length), interval.Short(length), table.FullName, hint))
}

func isTime(kind string) bool {
	return kind == "date" || kind == "timestamp" || kind == "timestamp_ntz"
}

func columnOf(table workspace.Table, name string) (workspace.Column, bool) {
	for _, c := range table.Columns {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return workspace.Column{}, false
}

func columnNames(table workspace.Table) string {
	names := make([]string, 0, len(table.Columns))
	for _, c := range table.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// refuseTable says why a relation that exists has no retention to set.
func refuseTable(table workspace.Table, diags *diag.Diagnostics) {
	summary, text := unfit(table)
	if summary != "" {
		diags.AddAttributeError(path.Root("table"), summary, text)
	}
}

func unfit(table workspace.Table) (summary, text string) {
	switch {
	case table.PipelineID != "" || table.Type == "STREAMING_TABLE":
		of := "a pipeline"
		if table.PipelineID != "" {
			of = "the pipeline " + table.PipelineID
		}
		return "The table belongs to a pipeline", fmt.Sprintf("%s is a %s kept by %s, which alone may alter it. Set its retention in the pipeline's code (table_properties, auto_ttl).", table.FullName, table.Type, of)
	case table.IsView():
		return "A view has no retention", fmt.Sprintf("%s is a %s and holds no rows of its own. Name the table that it reads.", table.FullName, table.Type)
	case table.Type == "FOREIGN":
		return "A foreign table has no retention here", fmt.Sprintf("%s is a FOREIGN table: its rows and their retention are kept by the system it comes from. Set it there.", table.FullName)
	case table.Format != "" && table.Format != "DELTA":
		return "Not a Delta table", fmt.Sprintf("%s is stored as %s. Retention and time travel, as they are set here, are properties of Delta tables.", table.FullName, table.Format)
	}
	return "", ""
}

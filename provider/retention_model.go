package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

const day = 24 * time.Hour

// validate checks what needs no table. Unknown values defer.
func (m retentionModel) validate(diags *diag.Diagnostics) {
	switch m.ExpireBy.ValueString() {
	case contract.ExpirePurgeJob:
		diags.AddAttributeError(path.Root("expire_by"), "purge_job is not built yet",
			"expire_by = \"purge_job\" needs a job that deletes only rows that are in the target, and this version of the provider cannot make that job yet: a plain DELETE by age would be the very loss it is there to prevent.\n\nUse \"auto_ttl\", or keep deleting as today and declare it with \"external\".")
	case contract.ExpireAutoTTL:
		if m.EventTime.IsNull() {
			diags.AddAttributeError(path.Root("event_time"), "event_time is missing",
				"expire_by = \"auto_ttl\" deletes rows by the age of a column: set event_time to it.")
		}
		if d := duration(m.RollingWindow); d%day != 0 {
			diags.AddAttributeError(path.Root("rolling_window"), "Auto-TTL counts whole days", fmt.Sprintf(
				"rolling_window = %q is not a whole number of days, and DELETE ROWS n DAYS takes nothing else. Write %s or %s.",
				m.RollingWindow.ValueString(), days(max(d/day, 1)), days(d/day+1)))
		}
	}
}

func days(n time.Duration) string { return fmt.Sprintf("%q", fmt.Sprintf("%d days", n)) }

// validatePair checks the two durations that will hold for the table. Delta refuses a log that forgets files it keeps.
func (m retentionModel) validatePair(live map[string]string, diags *diag.Diagnostics) {
	if !m.durationsKnown() || (m.DeletedFileRetention.IsNull() && m.LogRetention.IsNull()) {
		return
	}
	deleted, log := m.durations(live)
	if deleted <= log {
		return
	}
	at, origin := path.Root("deleted_file_retention"), ""
	switch {
	case m.DeletedFileRetention.IsNull():
		at, origin = path.Root("log_retention"), " (deleted_file_retention is not declared: it is the table's own value, or Delta's default)"
	case m.LogRetention.IsNull():
		origin = " (log_retention is not declared: it is the table's own value, or Delta's default)"
	}
	diags.AddAttributeError(at, "The log would forget files that are kept", fmt.Sprintf(
		"deleted_file_retention %s is longer than log_retention %s%s. A version whose log is gone cannot be read, so Delta refuses the pair.\n\nSet log_retention to %q or more, or deleted_file_retention to %q or less.",
		interval.Text(deleted), interval.Text(log), origin, interval.Short(deleted), interval.Short(log)))
}

func (m retentionModel) durationsKnown() bool {
	return !m.DeletedFileRetention.IsUnknown() && !m.LogRetention.IsUnknown()
}

func (m retentionModel) declaresBoth() bool {
	return m.durationsKnown() && !m.DeletedFileRetention.IsNull() && !m.LogRetention.IsNull()
}

// durations returns what will hold: what is declared, else what the table has, else Delta's default.
func (m retentionModel) durations(live map[string]string) (deleted, log time.Duration) {
	return effective(m.DeletedFileRetention, live, contract.PropertyDeletedFileRetention, contract.DefaultDeletedFileRetention),
		effective(m.LogRetention, live, contract.PropertyLogRetention, contract.DefaultLogRetention)
}

func effective(declared types.String, live map[string]string, key string, otherwise time.Duration) time.Duration {
	if !declared.IsNull() {
		return duration(declared)
	}
	if text, ok := property(live, key); ok {
		if d, err := interval.ParseDelta(text); err == nil {
			return d
		}
	}
	return otherwise
}

func (m retentionModel) recoverableFor(live map[string]string) types.String {
	deleted, log := m.durations(live)
	return types.StringValue(interval.Short(min(deleted, log)))
}

// toContract is what is declared; toProperties is how the table carries it.
func (m retentionModel) toContract() contract.Retention {
	return contract.Retention{
		Table: m.Table.ValueString(), RollingWindow: duration(m.RollingWindow), EventTime: m.EventTime.ValueString(),
		ExpireBy: m.ExpireBy.ValueString(), DeletedFileRetention: duration(m.DeletedFileRetention), LogRetention: duration(m.LogRetention),
	}
}

func (m retentionModel) toProperties() map[string]string {
	properties := m.toContract().Properties()
	// A retention of zero is a declaration too; the zero value of the contract is none.
	for key, v := range map[string]types.String{contract.PropertyDeletedFileRetention: m.DeletedFileRetention, contract.PropertyLogRetention: m.LogRetention} {
		if v.IsNull() {
			delete(properties, key)
		} else {
			properties[key] = interval.Delta(duration(v))
		}
	}
	return properties
}

// toStatements leads from the table as it is to what is planned: nothing when they agree, and never a property that is
// neither declared now nor was before.
func (m retentionModel) toStatements(state *retentionModel, live map[string]string) []string {
	table, err := contract.ParseTable(m.Table.ValueString())
	if err != nil {
		return nil
	}
	var statements []string
	wanted, changed := m.toProperties(), map[string]string{}
	for key, value := range wanted {
		if text, ok := property(live, key); !ok || !sameValue(text, value) {
			changed[key] = value
		}
	}
	if len(changed) > 0 {
		statements = append(statements, setProperties(table, changed, live))
	}
	if dropped := droppedKeys(state, wanted); len(dropped) > 0 {
		statements = append(statements, unsetProperties(table, dropped))
	}
	expiresNow := m.ExpireBy.ValueString() == contract.ExpireAutoTTL
	switch {
	case expiresNow && !m.isTTLOf(live):
		statements = append(statements, setRowDeletion(table, duration(m.RollingWindow), m.EventTime.ValueString()))
	case !expiresNow && state != nil && state.ExpireBy.ValueString() == contract.ExpireAutoTTL:
		statements = append(statements, dropRowDeletion(table))
	}
	return statements
}

func droppedKeys(state *retentionModel, wanted map[string]string) []string {
	if state == nil {
		return nil
	}
	var dropped []string
	for key := range state.toProperties() {
		if _, ok := wanted[key]; !ok {
			dropped = append(dropped, key)
		}
	}
	return dropped
}

// isTTLOf tells whether the table's row deletion is the planned one.
func (m retentionModel) isTTLOf(live map[string]string) bool {
	days, _ := property(live, contract.PropertyAutoTTLDays)
	column, _ := property(live, contract.PropertyAutoTTLColumn)
	return days == fmt.Sprint(int64(duration(m.RollingWindow)/day)) && column == m.EventTime.ValueString()
}

// toUnset is Delete: the keys that were set, where the table still has them, and the row deletion that was set.
func (m retentionModel) toUnset(live map[string]string) []string {
	table, err := contract.ParseTable(m.ID.ValueString())
	if err != nil {
		return nil
	}
	var statements, keys []string
	for key := range m.toProperties() {
		if _, ok := property(live, key); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		statements = append(statements, unsetProperties(table, keys))
	}
	if _, ok := property(live, contract.PropertyAutoTTLDays); ok && m.ExpireBy.ValueString() == contract.ExpireAutoTTL {
		statements = append(statements, dropRowDeletion(table))
	}
	return statements
}

// sameValue compares two texts of a property as durations where both are, else as text.
func sameValue(a, b string) bool {
	x, err := interval.Parse(a)
	y, err2 := interval.Parse(b)
	return a == b || (err == nil && err2 == nil && x == y)
}

// complete fills the computed attributes from the table.
func (m *retentionModel) complete(table workspace.Table) {
	m.ID = m.Table
	if m.RecoverableFor.IsUnknown() || m.RecoverableFor.IsNull() {
		m.RecoverableFor = m.recoverableFor(table.Properties)
	}
	m.TableID = optional(table.ID)
	m.TableProperties = textMap(table.Properties)
}

// refresh takes over what the table says. A declared property that is gone is null; one that means the same keeps the
// text of the state; one that was never declared is left alone.
func (m *retentionModel) refresh(table workspace.Table, diags *diag.Diagnostics) {
	imported := m.RollingWindow.IsNull() && m.ExpireBy.IsNull()
	live := table.Properties
	m.Table = m.ID
	m.RollingWindow = refreshDuration(m.RollingWindow, live, contract.PropertyRollingWindow, true)
	m.DeletedFileRetention = refreshDuration(m.DeletedFileRetention, live, contract.PropertyDeletedFileRetention, imported)
	m.LogRetention = refreshDuration(m.LogRetention, live, contract.PropertyLogRetention, imported)
	if !m.EventTime.IsNull() || imported {
		m.EventTime = optionalProperty(live, contract.PropertyEventTime)
	}
	m.ExpireBy = optionalProperty(live, contract.PropertyExpireBy)
	if m.ExpireBy.ValueString() == contract.ExpireAutoTTL {
		m.refreshTTL(live)
	} else if n, ok := property(live, contract.PropertyAutoTTLDays); ok {
		diags.AddAttributeWarning(path.Root("expire_by"), "Auto-TTL deletes rows of this table", fmt.Sprintf(
			"The table %s has row deletion after %s days, which was not set here. If that is shorter than rolling_window, rows leave before they are expected to. Set expire_by = \"auto_ttl\", or run ALTER TABLE ... DROP ROW DELETION.", m.ID.ValueString(), n))
	}
	m.RecoverableFor = m.recoverableFor(live)
	m.TableID = optional(table.ID)
	m.TableProperties = textMap(live)
}

// refreshTTL shows the row deletion that the table really has: what was declared in its properties is only a word.
func (m *retentionModel) refreshTTL(live map[string]string) {
	n, ok := property(live, contract.PropertyAutoTTLDays)
	if !ok {
		m.ExpireBy = types.StringNull()
		return
	}
	var count int64
	if _, err := fmt.Sscan(n, &count); err == nil {
		m.RollingWindow = keepText(m.RollingWindow, time.Duration(count)*day)
	}
	if column, ok := property(live, contract.PropertyAutoTTLColumn); ok {
		m.EventTime = types.StringValue(column)
	}
}

func refreshDuration(prior types.String, live map[string]string, key string, always bool) types.String {
	if prior.IsNull() && !always {
		return prior
	}
	text, ok := property(live, key)
	if !ok {
		return types.StringNull()
	}
	d, err := interval.Parse(text)
	if err != nil {
		return types.StringValue(text)
	}
	return keepText(prior, d)
}

// refuseTable says why a relation that exists has no retention to set.
func refuseTable(table workspace.Table, diags *diag.Diagnostics) {
	at := path.Root("table")
	switch {
	case table.PipelineID != "":
		diags.AddAttributeError(at, "The table belongs to a pipeline", fmt.Sprintf("%s is kept by the pipeline %s, which alone may alter it. Set its retention in the pipeline's code (table_properties, auto_ttl).", table.FullName, table.PipelineID))
	case table.Type == "VIEW" || table.Type == "MATERIALIZED_VIEW" || table.Type == "METRIC_VIEW":
		diags.AddAttributeError(at, "A view has no retention", fmt.Sprintf("%s is a %s and holds no rows of its own. Name the table that it reads.", table.FullName, table.Type))
	case table.Type == "FOREIGN":
		diags.AddAttributeError(at, "A foreign table has no retention here", fmt.Sprintf("%s is a FOREIGN table: its rows and their retention are kept by the system it comes from. Set it there.", table.FullName))
	case table.Format != "" && table.Format != "DELTA":
		diags.AddAttributeError(at, "Not a Delta table", fmt.Sprintf("%s is stored as %s. Retention and time travel are properties of Delta tables.", table.FullName, table.Format))
	}
}

func optional(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func optionalProperty(live map[string]string, key string) types.String {
	text, _ := property(live, key)
	return optional(text)
}

func textMap(in map[string]string) types.Map {
	values := make(map[string]attr.Value, len(in))
	for k, v := range in {
		values[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, values)
}

package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// isImported tells a state that holds nothing but the table's name.
func (m retentionModel) isImported() bool {
	return m.RollingWindow.IsNull() && m.ExpireBy.IsNull() && m.TableID.IsNull()
}

// refresh takes over what the table says. A declared property that is gone is null; one that means the same keeps the
// text of the state; one that was never declared is left alone.
func (m *retentionModel) refresh(table workspace.Table) {
	imported := m.isImported()
	live := table.Properties
	m.Table = sameName(m.Table, m.ID)
	m.RollingWindow = refreshDuration(m.RollingWindow, live, contract.PropertyRollingWindow, true)
	m.DeletedFileRetention = refreshDuration(m.DeletedFileRetention, live, contract.PropertyDeletedFileRetention, imported)
	m.LogRetention = refreshDuration(m.LogRetention, live, contract.PropertyLogRetention, imported)
	if !m.EventTime.IsNull() || imported {
		m.EventTime = sameColumn(m.EventTime, optionalProperty(live, contract.PropertyEventTime))
	}
	was := m.ExpireBy.ValueString()
	m.ExpireBy = optionalProperty(live, contract.PropertyExpireBy)
	if imported {
		m.Owner = optionalProperty(live, contract.PropertyOwner)
	}
	_, hasTTL := property(live, contract.PropertyAutoTTLDays)
	if m.ExpireBy.ValueString() == contract.ExpireAutoTTL || hasTTL && (imported || was == contract.ExpireAutoTTL) {
		m.refreshTTL(live)
	} else if length, isCut := cutShort(live); isCut {
		// What is declared is not what holds: the plan shows it, and refuses to promise more.
		m.RollingWindow = keepText(m.RollingWindow, length)
	}
	m.RecoverableFor = m.recoverableFor(nil, live)
	m.TableID = optional(table.ID)
	m.TableProperties = textMap(live)
}

// sameName keeps the state's spelling of a name that means the same table.
func sameName(prior, id types.String) types.String {
	if sameTable(prior.ValueString(), id.ValueString()) {
		return prior
	}
	return id
}

// sameColumn keeps the state's spelling of a column: Delta does not tell upper from lower case.
func sameColumn(prior, live types.String) types.String {
	if !prior.IsNull() && !live.IsNull() && strings.EqualFold(prior.ValueString(), live.ValueString()) {
		return prior
	}
	return live
}

// refreshTTL shows the row deletion that the table really has: what was declared in its properties is only a word.
func (m *retentionModel) refreshTTL(live map[string]string) {
	n, ok := property(live, contract.PropertyAutoTTLDays)
	if !ok {
		m.ExpireBy = types.StringNull()
		return
	}
	m.ExpireBy = types.StringValue(contract.ExpireAutoTTL)
	if length, ok := daysOf(n); ok {
		m.RollingWindow = keepText(m.RollingWindow, length)
	}
	if column, ok := property(live, contract.PropertyAutoTTLColumn); ok {
		m.EventTime = sameColumn(m.EventTime, types.StringValue(column))
	}
}

func daysOf(text string) (time.Duration, bool) {
	var count int64
	_, err := fmt.Sscan(text, &count)
	return time.Duration(count) * day, err == nil
}

// cutShort is the time after which the table's row deletion takes rows, where that is before the declared window ends.
func cutShort(live map[string]string) (time.Duration, bool) {
	n, _ := property(live, contract.PropertyAutoTTLDays)
	length, ok := daysOf(n)
	text, _ := property(live, contract.PropertyRollingWindow)
	declared, err := interval.Parse(text)
	return length, ok && err == nil && length < declared
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

// report names what a refresh found: a table that was made anew, another owner, a row deletion of somebody else, and
// declared properties that were changed, with who did it where Unity Catalog says.
func (m retentionModel) report(prior retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	at := path.Root("table")
	if prior.isImported() {
		return
	}
	seen := m
	_, isCut := cutShort(table.Properties)
	if isCut && !m.setTTL(&prior, table.Properties) {
		seen.RollingWindow = prior.RollingWindow // reportTTL names it: no plan changes it back
	}
	switch changes := seen.changes(prior); {
	case !prior.TableID.IsNull() && !m.TableID.IsNull() && !prior.TableID.Equal(m.TableID):
		diags.AddAttributeWarning(at, "The table was made anew", fmt.Sprintf(
			"%s was dropped and made again%s: its id was %s and is %s. Its rows and its versions from before cannot be reached under this name, and what was set here is gone unless whoever made it set it again. The plan sets what is missing.",
			table.FullName, madeBy(table), prior.TableID.ValueString(), m.TableID.ValueString()))
	case m.isTakenOver(table.Properties):
		owner, _ := property(table.Properties, contract.PropertyOwner)
		diags.AddAttributeWarning(at, "Another Terraform state keeps the retention of this table", fmt.Sprintf(
			"%s belongs to the owner %s now, and this resource is the owner %s%s. As long as both are applied, they change the table back and forth. Take it out of one of the two states (terraform state rm); to take it back into this one, set adopt = true.",
			table.FullName, owner, m.Owner.ValueString(), changedBy(table)))
	case len(changes) > 0:
		diags.AddAttributeWarning(at, "The retention was changed outside of Terraform", fmt.Sprintf(
			"%s:\n  %s\n\nUnless the configuration says so too, the plan changes it back%s.", table.FullName, strings.Join(changes, "\n  "), changedBy(table)))
	}
	var columns diag.Diagnostics
	m.validateColumns(table, &columns)
	for _, d := range columns {
		diags.AddAttributeWarning(path.Root("event_time"), d.Summary(), d.Detail()+" Nothing that expires rows by it works until that is mended.")
	}
	m.reportTTL(prior, table, diags)
}

// reportTTL names a row deletion that was not set here, with both lengths.
func (m retentionModel) reportTTL(prior retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	n, hasTTL := property(table.Properties, contract.PropertyAutoTTLDays)
	if !hasTTL || m.setTTL(&prior, table.Properties) {
		return
	}
	declared, _ := property(table.Properties, contract.PropertyRollingWindow)
	effect := "rows stay as long as is declared"
	if _, isCut := cutShort(table.Properties); isCut {
		effect = "rows leave before that, so what holds, and what rolling_window is now, is the shorter of both; a plan that promises more is refused"
	}
	diags.AddAttributeWarning(path.Root("expire_by"), "Auto-TTL deletes rows of this table", fmt.Sprintf(
		"The table %s has row deletion after %s days, which was not set here, and declares a rolling window of %q: %s%s. Set expire_by = \"auto_ttl\", or run ALTER TABLE ... DROP ROW DELETION.", table.FullName, n, declared, effect, changedBy(table)))
}

// changes lists the declared attributes that differ from before, with both values.
func (m retentionModel) changes(prior retentionModel) []string {
	var out []string
	for _, a := range []struct {
		name     string
		was, now types.String
	}{
		{"rolling_window", prior.RollingWindow, m.RollingWindow}, {"event_time", prior.EventTime, m.EventTime}, {"expire_by", prior.ExpireBy, m.ExpireBy},
		{"deleted_file_retention", prior.DeletedFileRetention, m.DeletedFileRetention}, {"log_retention", prior.LogRetention, m.LogRetention},
	} {
		if !a.was.IsNull() && !a.was.Equal(a.now) {
			now := "nothing"
			if !a.now.IsNull() {
				now = fmt.Sprintf("%q", a.now.ValueString())
			}
			out = append(out, fmt.Sprintf("%s: %q became %s", a.name, a.was.ValueString(), now))
		}
	}
	return out
}

func madeBy(table workspace.Table) string { return atBy(table.Created, table.CreatedBy) }

func changedBy(table workspace.Table) string {
	if when := atBy(table.Updated, table.UpdatedBy); when != "" {
		return "; Unity Catalog saw the last change of the table" + when
	}
	return ""
}

func atBy(at time.Time, who string) string {
	text := ""
	if !at.IsZero() {
		text += " at " + instant(at)
	}
	if who != "" {
		text += " by " + who
	}
	return text
}

// refreshPurge takes over what the live purge job says. A job that is gone is null, and the plan makes it again.
func (r *retention) refreshPurge(ctx context.Context, m *retentionModel, table workspace.Table, diags *diag.Diagnostics) {
	m.ChangedOutside = types.ListNull(types.StringType)
	if m.PurgeJobID.IsNull() {
		return
	}
	job, ok := r.readJob(ctx, m.PurgeJobID, diags)
	if diags.HasError() {
		return
	}
	if !ok {
		diags.AddAttributeWarning(path.Root("purge"), "The purge job is gone", fmt.Sprintf("The job %s, which deletes expired rows of %s, was deleted outside of Terraform. The plan makes it again.", m.PurgeJobID.ValueString(), table.FullName))
		m.PurgeJobID = types.StringNull()
		return
	}
	m.ChangedOutside = r.purgeChanges(ctx, *m, table, job, diags)
}

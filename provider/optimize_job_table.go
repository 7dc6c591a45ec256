package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/maintenance"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// looked is the table as Unity Catalog described it, if it did.
type looked struct {
	table workspace.Table
	err   error
}

// lookAtTable reads the table where the plan must be held against it: it is new, or what is done to it changes. It is one
// call, and wakes no warehouse.
func (r *optimizeJob) lookAtTable(ctx context.Context, m optimizeJobModel, state *optimizeJobModel) *looked {
	if m.Table.IsUnknown() || r.isDeferred() || state != nil && !m.changesStatements(*state) {
		return nil
	}
	table, err := r.session.client.Table(ctx, m.Table.ValueString())
	return &looked{table, err}
}

// changesStatements tells whether the job would do something else to the table.
func (m optimizeJobModel) changesStatements(state optimizeJobModel) bool {
	before := state.statementAttributes()
	for name, v := range m.statementAttributes() {
		if !v.Equal(before[name]) {
			return true
		}
	}
	return !m.AllowShortRetention.Equal(state.AllowShortRetention)
}

// checkTable holds the statements against the table. A table that is missing or cannot be read may be there when the plan
// is applied: the answer waits until then.
func (m optimizeJobModel) checkTable(ctx context.Context, l linked, t looked, at time.Time, diags *diag.Diagnostics) checked {
	const asks = "whether Delta takes the statements on this table"
	if t.err != nil {
		return deferredCheck(asks)
	}
	layout, err := layoutOf(t.table, l)
	if err != nil {
		return answered(asks, finding{path.Root("table"), "The table's retention cannot be read", sentence(err.Error())})
	}
	var between time.Duration
	if isKnown(m.Window) {
		between, _ = windowGap(l, at)
	}
	out, attributes := answered(asks), m.statementAttributes()
	for _, v := range attributes {
		if !isKnown(v) {
			out = deferredCheck(asks)
		}
	}
	for _, p := range m.toPlan(ctx, diags).ValidateOn(layout, between) {
		if v, ok := attributes[rootOf(p.Field)]; !ok || isKnown(v) {
			out.findings = append(out.findings, finding{path.Root(rootOf(p.Field)), "Delta would refuse " + p.Field, contractText(p)})
		}
	}
	if d := layout.DeletedFileRetention; isKnown(m.Vacuum, m.AllowShortRetention) && !m.Vacuum.IsNull() && d < shortRetention && !m.AllowShortRetention.ValueBool() {
		out.findings = append(out.findings, finding{path.Root("vacuum"), "VACUUM would take files that may still be needed", fmt.Sprintf(
			"%s of %s is %s, and the job runs VACUUM. Below %s (Delta's default) files that running reads and uncommitted writes need can be removed.\n\nLengthen the property, leave vacuum out, or accept it with allow_short_retention = true.",
			contract.PropertyDeletedFileRetention, t.table.FullName, interval.Text(d), interval.Short(shortRetention))})
	}
	if len(out.findings) > 0 {
		out.answer, out.deferred = coverage.Violated, false
	}
	return out
}

// judgeTable adds the table's check at apply, where there is no later moment to wait for.
func (m optimizeJobModel) judgeTable(ctx context.Context, t looked, host string, at time.Time, j *judgement, diags *diag.Diagnostics) {
	switch {
	case t.err == nil:
		j.checks = append(j.checks, m.checkTable(ctx, m.read(ctx, diags), t, at, diags))
	case m.mustTell():
		j.checks = append(j.checks, m.refuseUnread(t, host))
	default:
		f := m.refuseUnread(t, host).findings[0]
		j.notes = append(j.notes, finding{f.at, f.summary, explain(t.err) + "\n\nThe job is written all the same; OPTIMIZE fails until the table is there and can be read."})
	}
}

// mustTell: there is something to hold against the table that would make the job fail, or do harm, each time it runs.
func (m optimizeJobModel) mustTell() bool {
	return !m.Where.IsNull() || !m.ZOrderBy.IsNull() || m.Full.ValueBool() || !m.Vacuum.IsNull()
}

// refuseUnread stands before the first write, for a table that is still missing or cannot be read.
func (m optimizeJobModel) refuseUnread(t looked, host string) checked {
	f := finding{path.Root("table"), "The table cannot be read", explain(t.err) + "\n\nWhat Delta would refuse on it (where, zorder_by, full, vacuum) is checked by its description in Unity Catalog. Nothing was written."}
	if isMissing(t.err) {
		f.summary, f.detail = "The table is missing", fmt.Sprintf(
			"There is no table %s in the workspace %s, or the caller may not see it, so the job would fail each time it runs. Nothing was written.\n\nMake it first (a resource that makes it can be named in depends_on), or correct the name.", m.Table.ValueString(), host)
	}
	return answered("whether Delta takes the statements on this table", f)
}

func layoutOf(t workspace.Table, l linked) (maintenance.Layout, error) {
	live, err := contract.RetentionFromProperties(t.FullName, t.Properties)
	if err != nil {
		return maintenance.Layout{}, err
	}
	out := maintenance.Layout{Type: t.Type, Format: t.Format, PartitionColumns: t.PartitionColumns, Clustered: t.IsClustered(), Unclustered: t.IsUnclustered(),
		DeletedFileRetention: live.DeletedFileRetention, LogRetention: live.LogRetention}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	// A retention that is linked and of this very table is going to hold, whatever is stored now.
	if strings.EqualFold(l.retention.Table.ValueString(), t.FullName) {
		out.DeletedFileRetention = effective(l.retention.DeletedFileRetention, t.Properties, contract.PropertyDeletedFileRetention, contract.DefaultDeletedFileRetention)
		out.LogRetention = effective(l.retention.LogRetention, t.Properties, contract.PropertyLogRetention, contract.DefaultLogRetention)
	}
	return out, nil
}

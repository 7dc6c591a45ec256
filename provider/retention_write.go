package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// writing is one way from a table as it is to what is planned.
type writing struct {
	*retention
	plan  *retentionModel
	state *retentionModel // nil in Create
	table workspace.Table
	spec  purgeSpec
	out   *tfsdk.State
	diags *diag.Diagnostics
	// written tells that the purge job is the planned one.
	written bool
}

// write brings the table from what it is to what is planned. However far it comes, the state says what is there then.
func (r *retention) write(ctx context.Context, plan, state *retentionModel, out *tfsdk.State, diags *diag.Diagnostics) {
	client := r.client(diags)
	if diags.HasError() {
		return
	}
	name, err := contract.ParseTable(plan.Table.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("table"), "Wrong table", sentence(err.Error()))
		return
	}
	// Two resources of one configuration and one table: the second must see what the first set.
	defer r.session.names.lock("table " + name.FullName())()
	w := writing{retention: r, plan: plan, state: state, out: out, diags: diags}
	if w.table = r.readTable(ctx, *plan, state, diags); diags.HasError() {
		return
	}
	if plan.Owner.IsUnknown() || plan.Owner.IsNull() {
		plan.Owner = newOwner()
	}
	if plan.purges() {
		if w.spec = plan.toPurgeSpec(ctx, w.table, client.WarehouseID(), diags); diags.HasError() {
			return
		}
	}
	job := types.StringNull()
	if state != nil {
		job = state.PurgeJobID
	}
	plan.PurgeJobID = job
	if plan.purges() && !job.IsNull() && !w.mayBeNamed(ctx) {
		return
	}
	if !w.run(ctx) {
		w.saveTruth(ctx)
		return
	}
	after, err := w.lookAgain(ctx)
	if err != nil {
		// An error would taint what was just set; the next refresh reads it anyway.
		diags.AddWarning("The table was altered but not read again", explain(err))
		after = w.table
	}
	plan.conclude(after)
	diags.Append(out.Set(ctx, plan)...)
}

// mayBeNamed tells that the job has its name already, or that no other job has it.
func (w *writing) mayBeNamed(ctx context.Context) bool {
	id := parseJobID(w.plan.PurgeJobID, w.diags)
	var was, is purgeModel
	fields(ctx, w.state.Purge, &was, w.diags)
	fields(ctx, w.plan.Purge, &is, w.diags)
	name := w.plan.purgeName(is)
	if w.diags.HasError() || w.state.purgeName(was) == name {
		return !w.diags.HasError()
	}
	same, err := w.session.client.JobsNamed(ctx, name)
	if err != nil {
		addError(w.diags, "Whether there is a job of this name cannot be told", err)
		return false
	}
	for _, s := range same {
		if s.ID != id {
			w.diags.AddAttributeError(path.Root("purge").AtName("name"), "Another job has this name", fmt.Sprintf("Job %d is named %q already: nothing was changed. Choose another purge.name.", s.ID, name))
			return false
		}
	}
	return true
}

// conclude fills the computed attributes when all is written.
func (m *retentionModel) conclude(table workspace.Table) {
	if m.ID.IsUnknown() || m.ID.IsNull() {
		m.ID = m.Table
	}
	if m.RecoverableFor.IsUnknown() || m.RecoverableFor.IsNull() {
		m.RecoverableFor = m.recoverableFor(nil, table.Properties)
	}
	m.TableID = optional(table.ID)
	m.TableProperties = textMap(table.Properties)
	m.ChangedOutside = types.ListNull(types.StringType)
}

// run takes the steps in their order, and stops at the first that fails. A job that purges by the old promise goes first;
// one that is to purge by a new one comes last, unless the new one keeps rows longer. A new job's name is looked up before
// anything is written.
func (w *writing) run(ctx context.Context) bool {
	had := !w.plan.PurgeJobID.IsNull()
	if had && !w.plan.purges() && !w.removePurge(ctx) {
		return false
	}
	widens := w.state != nil && duration(w.plan.RollingWindow) > duration(w.state.RollingWindow)
	if had && w.plan.purges() && widens {
		return w.writePurge(ctx) && w.alter(ctx)
	}
	if w.plan.purges() && !had {
		return w.createPurge(ctx)
	}
	return w.alter(ctx) && (!w.plan.purges() || w.writePurge(ctx))
}

// alter sends the statements. Where it cannot be told whether one has taken effect (a lost answer, a warehouse that took
// too long to start and was told to stop), the table says it.
func (w *writing) alter(ctx context.Context) bool {
	for _, a := range w.plan.toAlterations(w.state, w.table.Properties) {
		err := w.session.client.Exec(ctx, a.statement)
		if err == nil {
			continue
		}
		failed := fmt.Errorf("%s: %w", a.statement, err)
		if now, e := w.lookAgain(ctx); e == nil && a.done(now.Properties) {
			w.diags.AddWarning("A statement failed and has taken effect", explain(failed)+"\n\nThe table has what it sets, so it was not sent again.")
			continue
		}
		addError(w.diags, "The table cannot be altered", failed)
		return false
	}
	return true
}

// lookAgain reads the table although ctx may have ended.
func (w *writing) lookAgain(ctx context.Context) (workspace.Table, error) {
	const patience = 30 * time.Second
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	name, err := contract.ParseTable(w.plan.Table.ValueString())
	if err != nil {
		return workspace.Table{}, err
	}
	return w.session.client.Table(ctx, name.FullName())
}

// saveTruth keeps in the state what is there after a step has failed: the next plan goes on from it. Nothing is kept of
// a resource of which nothing has come to be.
func (w *writing) saveTruth(ctx context.Context) {
	table, err := w.lookAgain(ctx)
	if err != nil {
		if w.state != nil {
			return // what it was is the best that is known
		}
		table = w.table
	}
	owner, owned := property(table.Properties, contract.PropertyOwner)
	if w.state == nil && w.plan.PurgeJobID.IsNull() && (!owned || owner != w.plan.Owner.ValueString()) {
		return
	}
	truth := *w.plan
	if w.state != nil {
		truth.keep(*w.state, w.written)
	}
	truth.conclude(table)
	truth.refresh(table)
	if truth.PurgeJobID.IsNull() {
		truth.PurgeStatement = types.StringNull()
	}
	for _, v := range []*types.String{&truth.PurgeStatement, &truth.PurgeSQLFile} {
		if v.IsUnknown() {
			*v = types.StringNull()
		}
	}
	w.diags.Append(w.out.Set(context.WithoutCancel(ctx), truth)...)
}

// keep leaves in a state that was not reached what is still to be taken back, so that the next plan takes it back.
func (m *retentionModel) keep(state retentionModel, written bool) {
	for _, v := range []struct{ planned, had *types.String }{{&m.DeletedFileRetention, &state.DeletedFileRetention}, {&m.LogRetention, &state.LogRetention}, {&m.EventTime, &state.EventTime}} {
		if v.planned.IsNull() {
			*v.planned = *v.had
		}
	}
	if written {
		return
	}
	m.LoadedBy, m.Purge = state.LoadedBy, state.Purge
	if !m.PurgeJobID.IsNull() {
		m.PurgeSQLFile, m.PurgeStatement = state.PurgeSQLFile, state.PurgeStatement
	}
}

// createPurge makes the job, after all else: what it deletes by is on the table and in its file by then.
func (w *writing) createPurge(ctx context.Context) bool {
	id, ok := w.createJob(ctx, newJob{
		what: "watertight_retention", noun: "purge job", settings: w.spec.settings, at: path.Root("purge"),
		remedy: "Give this one another name with purge.name, or delete that job first if it is a leftover: a purge job belongs to the watertight_retention that made it.",
		before: func(ctx context.Context, _ *diag.Diagnostics) bool { return w.alter(ctx) && w.writeFile(ctx) },
		withdraw: func(ctx context.Context, diags *diag.Diagnostics) {
			if err := w.session.client.DeleteFile(ctx, w.spec.path); err != nil && !isMissing(err) {
				diags.AddWarning("The SQL file of the purge job is left", fmt.Sprintf("%s belongs to no job now: delete it. %s", w.spec.path, explain(err)))
			}
		},
	}, w.diags)
	if ok {
		w.plan.PurgeJobID, w.written = jobID(id), true
	}
	return ok
}

func (w *writing) writeFile(ctx context.Context) bool {
	err := w.session.client.ImportFile(ctx, w.spec.path, w.spec.file, true)
	if err != nil {
		addError(w.diags, "The SQL file of the purge job cannot be written", err)
		return false
	}
	w.plan.PurgeSQLFile, w.plan.PurgeStatement = types.StringValue(w.spec.path), types.StringValue(w.spec.statement)
	return true
}

// writePurge changes the job that is there.
func (w *writing) writePurge(ctx context.Context) bool {
	id := parseJobID(w.plan.PurgeJobID, w.diags)
	if w.diags.HasError() || !w.writeFile(ctx) {
		return false
	}
	if err := w.session.client.ResetJob(ctx, id, w.spec.settings); err != nil {
		addError(w.diags, "The purge job cannot be changed", err)
		return false
	}
	w.written = true
	return true
}

// removePurge deletes the job and its file; no row is touched.
func (w *writing) removePurge(ctx context.Context) bool {
	if !w.deletePurge(ctx, *w.state, w.plan.CancelActiveRuns.ValueBool(), w.diags) {
		return false
	}
	w.plan.PurgeJobID, w.plan.PurgeSQLFile, w.plan.PurgeStatement = types.StringNull(), types.StringNull(), types.StringNull()
	return true
}

// deletePurge deletes the purge job of a state and its SQL file. What is gone already is no fault.
func (r *retention) deletePurge(ctx context.Context, m retentionModel, cancel bool, diags *diag.Diagnostics) bool {
	if !m.PurgeJobID.IsNull() {
		id := parseJobID(m.PurgeJobID, diags)
		if diags.HasError() {
			return false
		}
		if r.deleteJob(ctx, id, "purge job", cancel, diags); diags.HasError() {
			return false
		}
	}
	if file := m.PurgeSQLFile.ValueString(); file != "" {
		if err := r.session.client.DeleteFile(ctx, file); err != nil && !isMissing(err) {
			addError(diags, "The SQL file of the purge job cannot be deleted", err)
			return false
		}
	}
	return true
}

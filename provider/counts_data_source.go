package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// countsSource is one verification of a loader's run, the same as `watertight verify`: it reads both tables on the
// warehouse, at each plan and apply, and changes nothing.
type countsSource struct{ source }

var _ datasource.DataSourceWithConfigure = (*countsSource)(nil)

func newCountsSource() datasource.DataSource { return &countsSource{} }

type countsSourceModel struct {
	Job           types.String   `tfsdk:"job"`
	RunID         types.String   `tfsdk:"run_id"`
	Strict        types.Bool     `tfsdk:"strict"`
	MostRanges    types.Int64    `tfsdk:"most_ranges"`
	Verdict       types.String   `tfsdk:"verdict"`
	ExitCode      types.Int64    `tfsdk:"exit_code"`
	Cutoff        types.String   `tfsdk:"cutoff"`
	Source        pinnedModel    `tfsdk:"source"`
	Target        pinnedModel    `tfsdk:"target"`
	Counts        countsModel    `tfsdk:"counts"`
	ByDay         []dayModel     `tfsdk:"by_day"`
	Missing       []missingModel `tfsdk:"missing"`
	MissingRanges types.Int64    `tfsdk:"missing_ranges"`
	Reasons       []reason       `tfsdk:"reasons"`
	Explanation   types.String   `tfsdk:"explanation"`
}

func (d *countsSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_counts"
}

func (d *countsSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Whether every row that was due in the last successful run of a loader is in its target, proved key by key: what `watertight verify` says, as attributes. Assert its verdict in a `check` block, so that missing rows are a warning and stop no plan. Inside the `check` block, a verification that cannot be made is a warning too; but Terraform plans to read such a data source again at each apply, so no plan is empty any more.\n\n" +
			"**It works on the provider's `warehouse_id`**: each plan and each apply wakes the warehouse and scans both tables, as far as they differ. Only `PASS` is a pass. `INCONCLUSIVE` proves nothing either way, and `reasons` says why: no successful run yet, nothing was due, a table that has no versions. It reads only.",
		Attributes: map[string]schema.Attribute{
			"job":    schema.StringAttribute{Required: true, Validators: []validator.String{someText()}, MarkdownDescription: "The loader job: its id or exact name. Its tags must hold a contract, as a `watertight_loader_job` leaves it."},
			"run_id": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{anID("run")}, MarkdownDescription: "The run to verify. Unset: the last successful one, which is then shown here; null when there is none."},
			"strict": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether duplicates and unconfirmed findings count as failures in `exit_code`. Default: false."},
			"most_ranges": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{numberFrom{0, 10000}},
				MarkdownDescription: "How many ranges of missing rows to list, 0 to 10,000. Default: 20. `missing_ranges` counts them all."},
			"verdict":   text("`PASS`, `FAIL` or `INCONCLUSIVE`."),
			"exit_code": number("What `watertight verify` would exit with: 0 pass, 1 confirmed loss or doomed rows, 3 warnings only, 4 inconclusive."),
			"cutoff":    text("Event time up to which the run could have read rows, RFC 3339 in UTC. Null when it could not be told."),
			"source":    pinnedAttribute("The source as it was compared."),
			"target":    pinnedAttribute("The target as it was compared."),
			"counts": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "Keys, each counted once.", Attributes: map[string]schema.Attribute{
				"due":        number("In the source, at or before the cutoff: `loaded` and `missing`."),
				"loaded":     number("Due, and in the target."),
				"missing":    number("Due, and not in the target: late, skipped, expired or lost."),
				"in_flight":  number("Due later."),
				"late":       number("Due and above the watermark: the next run can still read it."),
				"doomed":     number("Not yet due but already under the watermark: no run will read it."),
				"skipped":    number("Due, under the watermark, absent from the target, and still in the source."),
				"expired":    number("Gone from the source unread; an older version still holds it."),
				"lost":       number("Gone from everywhere that can be read."),
				"duplicates": number("Rows of the target that are there more than once."),
			}},
			"by_day": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "The same by day of event time, in UTC.", NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"day": text("Day, as `2026-03-02`."), "due": number("Due that day."), "loaded": number("Loaded of them."), "missing": number("Missing of them."), "in_flight": number("Due later."),
			}}},
			"missing": schema.ListNestedAttribute{Computed: true, MarkdownDescription: "Ranges of missing rows, at most `most_ranges` of them.", NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"partition": text("Partition."), "from": number("First sequence number."), "to": number("Last sequence number."), "rows": number("Number of rows."),
				"state":             text("`late`, `doomed`, `skipped`, `expired`, `lost` or `undecidable`."),
				"cause":             text("Why, where that is known; otherwise null."),
				"proof":             text("What shows it; otherwise null."),
				"recoverable_until": text("Until when the rows can be read back, RFC 3339 in UTC; null when they cannot, or without a limit."),
				"recover_from":      text("Where they can be read; otherwise null."),
			}}},
			"missing_ranges": number("How many ranges of missing rows there are, listed or not."),
			"reasons":        records("What the verdict rests on.", map[string]string{"code": "Stable code.", "text": "The same for people."}),
			"explanation":    text("All of it for people, with the ranges that are listed. Made for `error_message`."),
		},
	}
}

func pinnedAttribute(description string) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, Attributes: map[string]schema.Attribute{
		"table":   schema.StringAttribute{Computed: true, MarkdownDescription: "The table."},
		"version": schema.Int64Attribute{Computed: true, MarkdownDescription: "Its version. Null when none was pinned."},
	}}
}

func (d *countsSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model countsSourceModel
	// The computed attributes are null in a configuration, which only pointers could hold: the four inputs are read alone.
	for name, into := range map[string]any{"job": &model.Job, "run_id": &model.RunID, "strict": &model.Strict, "most_ranges": &model.MostRanges} {
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), into)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	client := d.client(req, resp)
	if client == nil {
		return
	}
	if client.WarehouseID() == "" {
		resp.Diagnostics.AddError("No SQL warehouse", "Counting needs a SQL warehouse, and no other compute is ever started. Set warehouse_id in the provider, or DATABRICKS_WAREHOUSE_ID.")
		return
	}
	v, err := pipeline.Verify(ctx, client, pipeline.VerifyRequest{Job: model.Job.ValueString(), RunID: parseRunID(model.RunID), Strict: model.Strict.ValueBool()})
	if err != nil {
		explainVerify(err, &resp.Diagnostics)
		return
	}
	if err := errors.Join(model.read(v), v.Close()); err != nil {
		resp.Diagnostics.AddError("The verification cannot be read", sentence(err.Error()))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// explainVerify words an error that kept the question from being asked.
func explainVerify(err error, diags *diag.Diagnostics) {
	var wrong *pipeline.ConfigurationError
	switch {
	case errors.As(err, &wrong):
		diags.AddAttributeError(path.Root("job"), "The job cannot be verified", sentence(wrong.Error())+"\n\n"+sentence(wrong.Hint))
	case errors.Is(err, workspace.ErrNotFound), errors.Is(err, workspace.ErrAmbiguous):
		diags.AddAttributeError(path.Root("job"), "Which job is meant is not clear", explain(err))
	default:
		addError(diags, "The job could not be verified", err)
	}
}

func parseRunID(v types.String) int64 {
	id, err := strconv.ParseInt(v.ValueString(), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

const usualRanges = 20

func (m *countsSourceModel) read(v reconcile.Verification) error {
	most := int64(usualRanges)
	if !m.MostRanges.IsNull() {
		most = m.MostRanges.ValueInt64()
	}
	listed, err := firstOf(v.Missing, most)
	if err != nil {
		return err
	}
	m.set(v, listed)
	m.MissingRanges = types.Int64Value(v.Missing.Len())
	shown := v
	shown.Missing = reconcile.Slice[reconcile.Range](listed)
	var b strings.Builder
	if err := (report.Verification{Verification: shown}).Text(&b); err != nil {
		return err
	}
	if left := v.Missing.Len() - int64(len(listed)); left > 0 {
		fmt.Fprintf(&b, "  and %d more ranges: watertight verify %s\n", left, m.Job.ValueString())
	}
	m.Explanation = types.StringValue(strings.TrimRight(b.String(), "\n"))
	m.ExitCode = types.Int64Value(int64(run.Verified(v)))
	return nil
}

func firstOf(all reconcile.List[reconcile.Range], most int64) ([]reconcile.Range, error) {
	var listed []reconcile.Range
	for r, err := range all.All() {
		if err != nil {
			return nil, err
		}
		if int64(len(listed)) >= most {
			break
		}
		listed = append(listed, r)
	}
	return listed, nil
}

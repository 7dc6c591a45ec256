package provider

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

// coverageSource is the comparison of watertight_optimize_job without the job: arithmetic on two links. It makes no call
// but, without `at`, one for the workspace's clock.
type coverageSource struct{ source }

var _ datasource.DataSourceWithConfigure = (*coverageSource)(nil)

func newCoverageSource() datasource.DataSource { return &coverageSource{} }

type coverageSourceModel struct {
	Loader              types.Object `tfsdk:"loader"`
	Retention           types.Object `tfsdk:"retention"`
	Window              types.Object `tfsdk:"window"`
	LoaderDuringWindow  types.String `tfsdk:"loader_during_window"`
	Pause               types.String `tfsdk:"pause"`
	MinimumHeadroom     types.String `tfsdk:"minimum_headroom"`
	At                  types.String `tfsdk:"at"`
	OnViolation         types.String `tfsdk:"on_violation"`
	Verdict             types.String `tfsdk:"verdict"`
	Headroom            types.String `tfsdk:"headroom"`
	HeadroomSeconds     types.Int64  `tfsdk:"headroom_seconds"`
	LongestWait         types.String `tfsdk:"longest_wait"`
	LongestWaitSeconds  types.Int64  `tfsdk:"longest_wait_seconds"`
	Limit               types.String `tfsdk:"limit"`
	LimitSeconds        types.Int64  `tfsdk:"limit_seconds"`
	Worst               *spanModel   `tfsdk:"worst"`
	Deadline            types.String `tfsdk:"deadline"`
	FailedRunsTolerated types.Int64  `tfsdk:"failed_runs_tolerated"`
	Reasons             []reason     `tfsdk:"reasons"`
	Timeline            []moment     `tfsdk:"timeline"`
	Changes             []change     `tfsdk:"changes"`
	Assumptions         []string     `tfsdk:"assumptions"`
	Explanation         types.String `tfsdk:"explanation"`
}

type spanModel struct {
	From types.String `tfsdk:"from"`
	To   types.String `tfsdk:"to"`
}

type reason struct {
	Code string `tfsdk:"code"`
	Text string `tfsdk:"text"`
}

type moment struct {
	At   string `tfsdk:"at"`
	What string `tfsdk:"what"`
}

type change struct {
	Input string `tfsdk:"input"`
	From  string `tfsdk:"from"`
	To    string `tfsdk:"to"`
	Text  string `tfsdk:"text"`
}

func (d *coverageSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_coverage"
}

func (d *coverageSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	seconds := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	window := forSource(windowAttribute()).(schema.SingleNestedAttribute)
	window.Required, window.Optional = false, true
	window.Attributes["duration"] = schema.StringAttribute{Required: true, Validators: []validator.String{aDuration(time.Second)}, MarkdownDescription: "How long it lasts, as a duration (`2h`)."}
	window.MarkdownDescription = "A maintenance window: when it opens, and how long it lasts. It matters when the loader is paused in it."
	resp.Schema = schema.Schema{
		MarkdownDescription: "Whether the rows of a source stay readable longer than they can wait for their loader: the comparison that `watertight_optimize_job` makes, alone. It answers for a loader that nothing pauses, or asks what if.\n\n" +
			"A violated verdict is an answer and no error: use it in a `check`, a `postcondition` or a `precondition`, with `explanation` as the message, or set `on_violation`.\n\n" +
			"The comparison looks at the 400 days from `at`. Without it these begin at the start of the workspace's day, in UTC, so that two plans of one day say the same, and headroom moves only when an input does or the calendar ahead. Then reading costs one call for the clock; with `at` it makes none. A link with a value that is not known at plan, such as the id of a job that is still to be made, is judged during apply. So is a resource with pending changes that is named here directly; through a local value (`loader = local.loader`) its planned values are judged at plan. `watertight_optimize_job` judges them in any case.",
		Attributes: map[string]schema.Attribute{
			"loader":    forSource(loaderLinkAttribute()),
			"retention": forSource(retentionLinkAttribute()),
			"window":    window,
			"loader_during_window": schema.StringAttribute{Optional: true, Validators: []validator.String{oneOf("running", "paused")},
				MarkdownDescription: "`running` (default), or `paused`: the loader is paused for the window's duration, then resumed and run."},
			"pause": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "A pause of the loader at no known time, as a duration: the answer is that of the worst moment."},
			"minimum_headroom": schema.StringAttribute{Optional: true, Validators: []validator.String{aDuration(0)},
				MarkdownDescription: "Least headroom, as a duration. Less is violated. Default: `0s`."},
			"at": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{anInstant()},
				MarkdownDescription: "The instant to begin at, RFC 3339. Unset: the start of the workspace's day, in UTC."},
			"on_violation": schema.StringAttribute{Optional: true, Validators: []validator.String{oneOf("report", "warn", "error")},
				MarkdownDescription: "What a verdict other than `holds` does besides being reported: nothing (`report`, the default), a warning (`warn`) or an error (`error`), which stops `terraform destroy` too, unless with `-refresh=false`."},
			"verdict":               text("`holds`, `violated`, or `unknown` when a value that decides is not known or not declared; `reasons` says which."),
			"headroom":              text("Rolling window − (settle delay + longest wait), and − `longest_silence` too where `settle_clock` is `newest_event`, as a duration; negative when rows would be lost. Null when it cannot be told."),
			"headroom_seconds":      seconds("The same in seconds."),
			"longest_wait":          text("The longest time between two reads of the source, pauses and a run's duration counted in, as a duration. Null when it has no bound."),
			"longest_wait_seconds":  seconds("The same in seconds."),
			"limit":                 text("How long a row stays readable, as a duration: the rolling window, or what stands for it by the way the loader reads. Null when it is not declared."),
			"limit_seconds":         seconds("The same in seconds."),
			"worst":                 schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "The two runs between which a row waits the longest. Null where starts have no known instants.", Attributes: instants()},
			"deadline":              text("When the first row that the worst pause keeps unread expires, RFC 3339 in UTC. Null without a pause, or where starts have no known instants."),
			"failed_runs_tolerated": seconds("How many runs in a row may fail, beginning at the worst moment, before rows are lost."),
			"reasons": records("What the verdict rests on: the arithmetic, or what is wrong.", map[string]string{
				"code": "Stable code, such as `headroom` or `negative_headroom`.", "text": "The same for people."}),
			"timeline": records("The worst case, in the order it happens.", map[string]string{
				"at": "Instant, RFC 3339 in UTC.", "what": "What happens then."}),
			"changes": records("For a violated verdict, the smallest change of each input that would satisfy the check.", map[string]string{
				"input": "Name of the input.", "from": "Its value now.", "to": "The value that would do.", "text": "The same for people."}),
			"assumptions": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What the verdict assumes and nothing declares."},
			"explanation": text("All of it for people: reasons, worst case, changes and assumptions. Made for `error_message`."),
		},
	}
}

func instants() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"from": schema.StringAttribute{Computed: true, MarkdownDescription: "Start of the first, RFC 3339 in UTC."},
		"to":   schema.StringAttribute{Computed: true, MarkdownDescription: "Start of the second, RFC 3339 in UTC."},
	}
}

// records is a computed list of objects that hold texts.
func records(description string, texts map[string]string) schema.Attribute {
	nested := make(map[string]schema.Attribute, len(texts))
	for name, d := range texts {
		nested[name] = schema.StringAttribute{Computed: true, MarkdownDescription: d}
	}
	return schema.ListNestedAttribute{Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: nested}}
}

func (d *coverageSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model coverageSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	at, ok := d.begin(ctx, req, resp, model.At)
	if !ok {
		return
	}
	model.At = keepInstant(model.At, at)
	model.answer(ctx, at, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	}
}

// begin is the instant to begin at: the configuration's, or the start of the workspace's day.
func (d *coverageSource) begin(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse, at types.String) (time.Time, bool) {
	if !at.IsNull() {
		t, err := parseInstant(at.ValueString())
		return t, err == nil
	}
	client := d.client(req, resp)
	if client == nil {
		return time.Time{}, false
	}
	now, err := client.Now(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "The workspace's clock cannot be read", err)
		return now, false
	}
	return now.UTC().Truncate(day), true
}

func keepInstant(prior types.String, at time.Time) types.String {
	if !prior.IsNull() {
		return prior
	}
	return types.StringValue(instant(at))
}

// answer asks what the optimize job asks, of the same links.
func (m *coverageSourceModel) answer(ctx context.Context, at time.Time, diags *diag.Diagnostics) {
	l := readLinks(ctx, m.Loader, m.Retention, m.Window, diags)
	if diags.HasError() {
		return
	}
	in, err := l.toInput(at)
	if err == nil && !m.Window.IsNull() {
		in.Window, err = l.toWindow(m.LoaderDuringWindow)
	}
	in.Pause, in.MinimumHeadroom = duration(m.Pause), duration(m.MinimumHeadroom)
	var v coverage.Verdict
	if err == nil {
		v, err = coverage.Check(in)
	}
	if err != nil {
		diags.AddAttributeError(path.Root("loader"), "Coverage cannot be judged", sentence(err.Error()))
		return
	}
	v = withSilence(in, v)
	add := func(code string, found []finding) {
		for _, f := range found {
			v.Answer = coverage.Violated
			v.Reasons = append(v.Reasons, coverage.Reason{Code: code, Text: f.detail})
		}
	}
	add("other_table", l.sourceFindings())
	add("time_travel", l.timeTravelFindings(in))
	m.setVerdict(v, in)
	m.report(diags)
}

func (m *coverageSourceModel) report(diags *diag.Diagnostics) {
	summary := lossSummary
	has := func(code string) bool {
		return slices.ContainsFunc(m.Reasons, func(r reason) bool { return r.Code == code })
	}
	if has(coverage.CodeSilence) && !has(coverage.CodeNegative) {
		summary = silenceSummary
	}
	switch m.Verdict.ValueString() {
	case string(coverage.Holds):
		return
	case "unknown":
		summary = "Whether rows would be lost cannot be told"
	}
	switch m.OnViolation.ValueString() {
	case "warn":
		diags.AddAttributeWarning(path.Root("loader"), summary, m.Explanation.ValueString())
	case "error":
		diags.AddAttributeError(path.Root("loader"), summary, m.Explanation.ValueString()+destroyHint)
	}
}

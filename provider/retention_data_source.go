package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// retentionSource is an existing table with the properties that Watertight or Auto-TTL left on it: one call to Unity
// Catalog, no warehouse. Null is a property that nobody declared.
type retentionSource struct{ source }

var _ datasource.DataSourceWithConfigure = (*retentionSource)(nil)

func newRetentionSource() datasource.DataSource { return &retentionSource{} }

type retentionSourceModel struct {
	Table                types.String `tfsdk:"table"`
	RollingWindow        types.String `tfsdk:"rolling_window"`
	EventTime            types.String `tfsdk:"event_time"`
	ExpireBy             types.String `tfsdk:"expire_by"`
	DeletedFileRetention types.String `tfsdk:"deleted_file_retention"`
	LogRetention         types.String `tfsdk:"log_retention"`
	RecoverableFor       types.String `tfsdk:"recoverable_for"`
	TableID              types.String `tfsdk:"table_id"`
	TableProperties      types.Map    `tfsdk:"table_properties"`
}

func (d *retentionSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_retention"
}

func (d *retentionSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "How long rows stay in an existing table and can be read afterwards, whoever set that: `watertight_retention` elsewhere, Auto-TTL, or nobody. The result is what `retention` of `watertight_optimize_job` and `watertight_coverage` takes.\n\n" +
			"Reading it is one call to Unity Catalog and wakes no warehouse. It changes nothing: a table that declares no rolling window gets one in this configuration alone.",
		Attributes: map[string]schema.Attribute{
			"table": schema.StringAttribute{Required: true, Validators: []validator.String{aTableName()}, MarkdownDescription: "The Delta table, `catalog.schema.table`. Views and foreign tables are refused."},
			"rolling_window": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{aDuration(time.Second)},
				MarkdownDescription: "How long a row is sure to stay after its event time, as a duration. Read from the table's property `" + contract.PropertyRollingWindow + "` and its Auto-TTL, the shorter of both; needed here when the table has neither, and an error when the table says otherwise."},
			"event_time": schema.StringAttribute{Optional: true, Computed: true, Validators: []validator.String{someText()},
				MarkdownDescription: "Column by which rows expire. Read from the table where it says so."},
			"expire_by":              schema.StringAttribute{Computed: true, MarkdownDescription: "`external`, `auto_ttl` or `purge_job`: what removes expired rows. Null when the table does not say."},
			"deleted_file_retention": schema.StringAttribute{Computed: true, MarkdownDescription: "How long a removed file can be read, as a duration: the table's `" + contract.PropertyDeletedFileRetention + "`, or Delta's default of 7 days."},
			"log_retention":          schema.StringAttribute{Computed: true, MarkdownDescription: "How long versions of the table are known, as a duration: the table's `" + contract.PropertyLogRetention + "`, or Delta's default of 30 days."},
			"recoverable_for":        schema.StringAttribute{Computed: true, MarkdownDescription: "How long an expired row stays readable through time travel, as a duration: the shorter of the two above."},
			"table_id":               schema.StringAttribute{Computed: true, MarkdownDescription: "Unity Catalog's id of the table."},
			"table_properties":       schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "All properties of the table."},
		},
	}
}

func (d *retentionSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model retentionSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	client := d.client(req, resp)
	if client == nil {
		return
	}
	table, err := client.Table(ctx, model.Table.ValueString())
	switch {
	case isMissing(err):
		resp.Diagnostics.AddAttributeError(path.Root("table"), "There is no such table", fmt.Sprintf(
			"%s is not in %s, or may not be seen with these credentials. Correct the name; for a table that the same apply makes, depends_on it.", model.Table.ValueString(), client.Host()))
	case err != nil:
		addError(&resp.Diagnostics, "The table cannot be read", err)
	default:
		refuseTable(table, &resp.Diagnostics)
		model.read(table, &resp.Diagnostics)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	}
}

// read takes over what the table says.
func (m *retentionSourceModel) read(table workspace.Table, diags *diag.Diagnostics) {
	name := m.Table.ValueString()
	found, err := contract.RetentionFromProperties(name, table.Properties)
	if err != nil {
		diags.AddAttributeError(path.Root("table"), "The table's properties cannot be read", sentence(err.Error()))
		return
	}
	where := "the table " + name
	m.RollingWindow = agreedLength(path.Root("rolling_window"), m.RollingWindow, found.RollingWindow, where, diags)
	m.EventTime = agreedText(path.Root("event_time"), m.EventTime, found.EventTime, where, diags)
	if m.RollingWindow.IsNull() {
		diags.AddAttributeError(path.Root("rolling_window"), "How long rows stay is not known", fmt.Sprintf(
			"%s has neither the property %s nor Auto-TTL. Declare it here, rolling_window = \"24h\", as what removes the rows keeps it; or declare it once and for all with a watertight_retention of the table.", name, contract.PropertyRollingWindow))
	}
	m.ExpireBy = optional(found.ExpireBy)
	m.DeletedFileRetention, m.LogRetention = types.StringValue(interval.Short(found.DeletedFileRetention)), types.StringValue(interval.Short(found.LogRetention))
	m.RecoverableFor = types.StringValue(interval.Short(min(found.DeletedFileRetention, found.LogRetention)))
	m.TableID = optional(table.ID)
	m.TableProperties = textMap(table.Properties)
}

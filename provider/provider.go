package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Address is the provider's address in a registry.
const Address = "registry.terraform.io/watertight-data/watertight"

var (
	_ provider.ProviderWithFunctions = (*watertight)(nil)
	_ provider.ProviderWithActions   = (*watertight)(nil)
)

// watertight is the provider: which workspace it talks to is all that it holds.
type watertight struct{ version string }

// New returns the constructor that plugin servers ask for.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &watertight{version: version} }
}

func (p *watertight) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "watertight", p.version
}

func (p *watertight) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares the job that loads rows out of a rolling window, the job that optimizes the table they go to, and the retention of the table they come from, as linked resources, and refuses a plan under which rows would expire before they are read.\n\n" +
			"Every attribute is optional and named as in the Databricks SDK. What is not set is taken from the environment (`DATABRICKS_HOST`, `DATABRICKS_TOKEN`, ...), then from the profile in `~/.databrickscfg`. The workspace may be unknown while planning: its resources are then planned without being read.",
		Attributes: configurationAttributes(),
	}
}

// Configure makes the client. It makes no call: a wrong token is reported by the first resource that is read.
func (p *watertight) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model configurationModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s := &session{}
	resp.ResourceData, resp.DataSourceData, resp.ActionData = s, s, s
	if model.isUnknown() {
		return
	}
	config := model.toConfig(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	config.UserAgent = "terraform-provider-watertight/" + p.version
	client, err := workspace.New(config)
	if err != nil {
		addError(&resp.Diagnostics, "The workspace cannot be reached", err)
		return
	}
	s.client = client
}

func (p *watertight) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newLoaderJob, newRetention, newOptimizeJob}
}

func (p *watertight) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newLoaderJobSource, newRetentionSource, newCoverageSource, newCountsSource}
}

// Actions need Terraform 1.14 or newer; older versions, and OpenTofu, do not ask for them.
func (p *watertight) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newRunAction}
}

// Functions are arithmetic: they need no workspace, so they serve a configuration whose host is not known.
func (p *watertight) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newHeadroomFunction, newLongestGapFunction, newNextRunsFunction}
}

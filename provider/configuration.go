package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// configurationModel is the provider block. Null means: the environment, then the profile.
type configurationModel struct {
	Host                     types.String `tfsdk:"host"`
	Profile                  types.String `tfsdk:"profile"`
	ConfigFile               types.String `tfsdk:"config_file"`
	AuthType                 types.String `tfsdk:"auth_type"`
	Token                    types.String `tfsdk:"token"`
	ClientID                 types.String `tfsdk:"client_id"`
	ClientSecret             types.String `tfsdk:"client_secret"`
	Scopes                   types.List   `tfsdk:"scopes"`
	AzureWorkspaceResourceID types.String `tfsdk:"azure_workspace_resource_id"`
	AzureClientID            types.String `tfsdk:"azure_client_id"`
	AzureClientSecret        types.String `tfsdk:"azure_client_secret"`
	AzureTenantID            types.String `tfsdk:"azure_tenant_id"`
	AzureEnvironment         types.String `tfsdk:"azure_environment"`
	AzureUseMSI              types.Bool   `tfsdk:"azure_use_msi"`
	GoogleCredentials        types.String `tfsdk:"google_credentials"`
	GoogleServiceAccount     types.String `tfsdk:"google_service_account"`
	Audience                 types.String `tfsdk:"audience"`
	OIDCTokenEnv             types.String `tfsdk:"oidc_token_env"`
	OIDCTokenFilepath        types.String `tfsdk:"databricks_id_token_filepath"`
	AccountID                types.String `tfsdk:"account_id"`
	WorkspaceID              types.String `tfsdk:"workspace_id"`
	Username                 types.String `tfsdk:"username"`
	Password                 types.String `tfsdk:"password"`
	MetadataServiceURL       types.String `tfsdk:"metadata_service_url"`
	DatabricksCLIPath        types.String `tfsdk:"databricks_cli_path"`
	WarehouseID              types.String `tfsdk:"warehouse_id"`
	RateLimit                types.Int64  `tfsdk:"rate_limit"`
	HTTPTimeout              types.String `tfsdk:"http_timeout"`
	RetryTimeout             types.String `tfsdk:"retry_timeout"`
}

func configurationAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	secret := func(description string) schema.Attribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"host":                         text("URL of the workspace, `https://...`. Environment: `DATABRICKS_HOST`. Where it is found nowhere, the error says where it was looked for and no call is made."),
		"profile":                      text("Profile of the configuration file. Named here, it is read instead of the other variables of the environment. Environment: `DATABRICKS_CONFIG_PROFILE`."),
		"config_file":                  text("Configuration file. Environment: `DATABRICKS_CONFIG_FILE`; otherwise `~/.databrickscfg`."),
		"auth_type":                    text("The one way to authenticate, as the SDK names it (`pat`, `oauth-m2m`, `databricks-cli`, `azure-client-secret`, `github-oidc`, ...); its error is then shown instead of a general one. Environment: `DATABRICKS_AUTH_TYPE`. Unset: every way the configuration allows, in the SDK's order."),
		"token":                        secret("Personal access token. Environment: `DATABRICKS_TOKEN`."),
		"client_id":                    text("Client id of a service principal. Environment: `DATABRICKS_CLIENT_ID`."),
		"client_secret":                secret("Its OAuth secret. Environment: `DATABRICKS_CLIENT_SECRET`."),
		"scopes":                       schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "OAuth scopes to ask for. Unset: `all-apis`."},
		"azure_workspace_resource_id":  text("Azure resource id of the workspace, in place of `host`. Environment: `DATABRICKS_AZURE_RESOURCE_ID`."),
		"azure_client_id":              text("Application id in Entra ID. Environment: `ARM_CLIENT_ID`."),
		"azure_client_secret":          secret("Its secret. Environment: `ARM_CLIENT_SECRET`."),
		"azure_tenant_id":              text("Tenant of the application. Environment: `ARM_TENANT_ID`."),
		"azure_environment":            text("`public`, `usgovernment` or `china`. Environment: `ARM_ENVIRONMENT`."),
		"azure_use_msi":                schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether to use the managed identity of the machine. Environment: `ARM_USE_MSI`."},
		"google_credentials":           secret("Service account key, as JSON or as a file. Environment: `GOOGLE_CREDENTIALS`."),
		"google_service_account":       text("Service account to impersonate. Environment: `DATABRICKS_GOOGLE_SERVICE_ACCOUNT`."),
		"audience":                     text("Audience of the OIDC token. Environment: `DATABRICKS_TOKEN_AUDIENCE`."),
		"oidc_token_env":               text("Name of the environment variable that holds an OIDC token. Environment: `DATABRICKS_OIDC_TOKEN_ENV`; otherwise `DATABRICKS_OIDC_TOKEN`."),
		"databricks_id_token_filepath": text("File that holds an OIDC token. Environment: `DATABRICKS_OIDC_TOKEN_FILEPATH`."),
		"account_id":                   text("Account, for credentials that are the account's. Environment: `DATABRICKS_ACCOUNT_ID`."),
		"workspace_id":                 text("Workspace, behind a host that serves several. Environment: `DATABRICKS_WORKSPACE_ID`."),
		"username":                     text("User name, where passwords are still accepted. Environment: `DATABRICKS_USERNAME`."),
		"password":                     secret("Its password. Environment: `DATABRICKS_PASSWORD`."),
		"metadata_service_url":         secret("URL of a metadata service that gives tokens. Environment: `DATABRICKS_METADATA_SERVICE_URL`."),
		"databricks_cli_path":          text("The Databricks CLI, for `auth_type = \"databricks-cli\"`. Environment: `DATABRICKS_CLI_PATH`; otherwise the one on the PATH."),
		"warehouse_id":                 text("SQL warehouse on which tables are altered and maintenance runs. No other compute is ever started. Environment: `DATABRICKS_WAREHOUSE_ID`."),
		"rate_limit":                   schema.Int64Attribute{Optional: true, MarkdownDescription: "Most requests a second. Environment: `DATABRICKS_RATE_LIMIT`; otherwise 100. A workspace that wants fewer answers 429, and the request is repeated."},
		"http_timeout":                 text("How long one request may be silent, as a duration (`60s`). Default: `60s`."),
		"retry_timeout":                text("How long a request is tried again after 429, 503 and broken connections, as a duration (`5m`). Default: `5m`."),
	}
}

func (m configurationModel) values() []attr.Value {
	return []attr.Value{
		m.Host, m.Profile, m.ConfigFile, m.AuthType, m.Token, m.ClientID, m.ClientSecret, m.Scopes, m.AzureWorkspaceResourceID,
		m.AzureClientID, m.AzureClientSecret, m.AzureTenantID, m.AzureEnvironment, m.AzureUseMSI, m.GoogleCredentials,
		m.GoogleServiceAccount, m.Audience, m.OIDCTokenEnv, m.OIDCTokenFilepath, m.AccountID, m.WorkspaceID, m.Username,
		m.Password, m.MetadataServiceURL, m.DatabricksCLIPath, m.WarehouseID, m.RateLimit, m.HTTPTimeout,
		m.RetryTimeout,
	}
}

// isUnknown tells whether any attribute has no value yet. A client made without it would take the environment's instead,
// and plan against another workspace than it applies to.
func (m configurationModel) isUnknown() bool { return !isKnown(m.values()...) }

func (m configurationModel) toConfig(diags *diag.Diagnostics) workspace.Config {
	if isKnown(m.RateLimit) && !m.RateLimit.IsNull() && m.RateLimit.ValueInt64() < 1 {
		diags.AddAttributeError(path.Root("rate_limit"), "Wrong rate limit", fmt.Sprintf("rate_limit = %d: write the most requests a second, 1 or more; leave it out for 100.", m.RateLimit.ValueInt64()))
	}
	return workspace.Config{
		Host:                 m.Host.ValueString(),
		Profile:              m.Profile.ValueString(),
		ConfigFile:           m.ConfigFile.ValueString(),
		AuthType:             m.AuthType.ValueString(),
		Token:                m.Token.ValueString(),
		ClientID:             m.ClientID.ValueString(),
		ClientSecret:         m.ClientSecret.ValueString(),
		Scopes:               textList(m.Scopes),
		AzureResourceID:      m.AzureWorkspaceResourceID.ValueString(),
		AzureClientID:        m.AzureClientID.ValueString(),
		AzureClientSecret:    m.AzureClientSecret.ValueString(),
		AzureTenantID:        m.AzureTenantID.ValueString(),
		AzureEnvironment:     m.AzureEnvironment.ValueString(),
		AzureUseMSI:          m.AzureUseMSI.ValueBool(),
		GoogleCredentials:    m.GoogleCredentials.ValueString(),
		GoogleServiceAccount: m.GoogleServiceAccount.ValueString(),
		TokenAudience:        m.Audience.ValueString(),
		OIDCTokenEnv:         m.OIDCTokenEnv.ValueString(),
		OIDCTokenFilepath:    m.OIDCTokenFilepath.ValueString(),
		AccountID:            m.AccountID.ValueString(),
		WorkspaceID:          m.WorkspaceID.ValueString(),
		Username:             m.Username.ValueString(),
		Password:             m.Password.ValueString(),
		MetadataServiceURL:   m.MetadataServiceURL.ValueString(),
		DatabricksCLIPath:    m.DatabricksCLIPath.ValueString(),
		WarehouseID:          m.WarehouseID.ValueString(),
		RateLimit:            int(m.RateLimit.ValueInt64()),
		HTTPTimeout:          configuredTimeout(diags, "http_timeout", m.HTTPTimeout),
		RetryTimeout:         configuredTimeout(diags, "retry_timeout", m.RetryTimeout),
	}
}

// textList is a list of texts that is known; nil when it is null.
func textList(l types.List) []string {
	var out []string
	for _, e := range l.Elements() {
		if text, ok := e.(types.String); ok {
			out = append(out, text.ValueString())
		}
	}
	return out
}

// configuredTimeout is 0, the SDK's default, when the attribute is null.
func configuredTimeout(diags *diag.Diagnostics, name string, v types.String) time.Duration {
	if v.IsNull() {
		return 0
	}
	d, err := interval.Parse(v.ValueString())
	if err == nil && d < time.Second {
		err = fmt.Errorf("%q is no time to wait: write 1s or more", v.ValueString())
	}
	if err != nil {
		diags.AddAttributeError(path.Root(name), "Wrong duration", fmt.Sprintf("%s: %v.", name, err))
	}
	return d
}

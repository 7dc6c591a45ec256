package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// source is embedded in every data source.
type source struct{ session *session }

// Configure keeps the session.
func (s *source) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	s.session = sessionOf(req.ProviderData, &resp.Diagnostics)
}

// isDeferred tells whether no call can be made yet: the provider's configuration is not known.
func (s *source) isDeferred() bool { return s.session.isDeferred() }

// client returns the workspace client, or defers the reading. Terraform takes no unknown values from a data source, so
// where it cannot defer by itself the configuration has to.
func (s *source) client(req datasource.ReadRequest, resp *datasource.ReadResponse) *workspace.Client {
	if !s.isDeferred() {
		return s.session.client
	}
	if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		return nil
	}
	resp.Diagnostics.AddError("The provider's configuration is not known",
		"An attribute of the provider block (host, token, ...) still has no value, so nothing can be read while planning. "+
			"Let this data source be read during apply: depends_on = [<the resource that value comes from>].")
	return nil
}

// agreedText takes what was found or what is declared. Where both are there they must be the same: a declaration
// overrides nothing.
func agreedText(at path.Path, declared types.String, found, where string, diags *diag.Diagnostics) types.String {
	switch {
	case found == "":
		return declared
	case !declared.IsNull() && !strings.EqualFold(declared.ValueString(), found):
		addDisagreement(at, declared.ValueString(), found, where, diags)
	case !declared.IsNull():
		return declared
	}
	return types.StringValue(found)
}

// agreedLength is agreedText for durations, compared as such; a length of 0 is found nowhere.
func agreedLength(at path.Path, declared types.String, found time.Duration, where string, diags *diag.Diagnostics) types.String {
	switch {
	case found == 0:
		return declared
	case !declared.IsNull() && duration(declared) != found:
		addDisagreement(at, declared.ValueString(), interval.Short(found), where, diags)
	}
	return keepText(declared, found)
}

func addDisagreement(at path.Path, declared, found, where string, diags *diag.Diagnostics) {
	diags.AddAttributeError(at, "Two values of "+at.String(), fmt.Sprintf(
		"%s = %q is written here, and %s says %q. Take %s out of the data source, or mend it there: what a data source says changes nothing outside.", at, declared, where, found, at))
}

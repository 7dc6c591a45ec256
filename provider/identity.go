package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// identityOf is the schema of a resource's identity: what names the object in its workspace, and the workspace. Terraform
// before 1.12 does not ask for it.
func identityOf(name, description string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		name:   identityschema.StringAttribute{RequiredForImport: true, Description: description},
		"host": identityschema.StringAttribute{OptionalForImport: true, Description: "URL of the workspace. An import refuses another one than the provider's."},
	}}
}

// identify fills an identity that is not there yet. One that is there stays: Terraform takes a change of it for another
// object. It stands in front of everything that may return early, since a resource without an identity is an error.
func (b *base) identify(ctx context.Context, name string, value types.String, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil || !identity.Raw.IsFullyNull() {
		return
	}
	b.setIdentity(ctx, name, value, identity, diags)
}

func (b *base) setIdentity(ctx context.Context, name string, value types.String, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if identity == nil {
		return
	}
	host := types.StringNull()
	if !b.isDeferred() {
		host = optional(b.session.client.Host())
	}
	diags.Append(identity.SetAttribute(ctx, path.Root(name), value)...)
	diags.Append(identity.SetAttribute(ctx, path.Root("host"), host)...)
}

// imported is what an import names: the id of an import block or of terraform import, else the identity's attribute.
func (b *base) imported(ctx context.Context, req resource.ImportStateRequest, name string, diags *diag.Diagnostics) string {
	if req.ID != "" || req.Identity == nil {
		return req.ID
	}
	var value, host types.String
	diags.Append(req.Identity.GetAttribute(ctx, path.Root(name), &value)...)
	diags.Append(req.Identity.GetAttribute(ctx, path.Root("host"), &host)...)
	if diags.HasError() || b.isDeferred() {
		return value.ValueString()
	}
	own := b.session.client.Host()
	if wanted := strings.TrimSuffix(host.ValueString(), "/"); wanted != "" && own != "" && !strings.EqualFold(wanted, own) {
		diags.AddError("The identity is of another workspace", fmt.Sprintf("identity.host is %s, and the provider is configured for %s. Import it with a provider of that workspace, or leave host out.", wanted, own))
	}
	return value.ValueString()
}

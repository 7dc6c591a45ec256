package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// session is what the configured provider hands to its resources.
type session struct {
	// client is nil while the provider's configuration is not known yet.
	client *workspace.Client
	// names keeps two resources of one name from creating at the same time.
	names nameLocks
	// owners are those of the retentions in the state.
	owners ownerSet
}

// sessionOf is what the configured provider handed over; nil at validate time, when nothing was.
func sessionOf(data any, diags *diag.Diagnostics) *session {
	if data == nil {
		return nil
	}
	s, ok := data.(*session)
	if !ok {
		diags.AddError("Wrong provider data", fmt.Sprintf("This is a defect of the provider: it was given %T.", data))
	}
	return s
}

// isDeferred tells whether no call can be made yet: the provider's configuration is not known.
func (s *session) isDeferred() bool { return s == nil || s.client == nil }

// base is embedded in every resource.
type base struct{ session *session }

// Configure keeps the session.
func (b *base) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.session = sessionOf(req.ProviderData, &resp.Diagnostics)
}

// isDeferred tells whether no call can be made yet: the provider's configuration is not known.
func (b *base) isDeferred() bool { return b.session.isDeferred() }

// warehouse is the provider's; empty while it is not known.
func (b *base) warehouse() string {
	if b.isDeferred() {
		return ""
	}
	return b.session.client.WarehouseID()
}

// client returns the workspace client, or says why there is none. Terraform asks for a write only when all is known.
func (b *base) client(diags *diag.Diagnostics) *workspace.Client {
	if b.isDeferred() {
		diags.AddError("The provider's configuration is not known",
			"An attribute of the provider block (host, token, ...) still has no value, so the workspace cannot be reached. "+
				"Apply what that value comes from first: terraform apply -target=<its resource>.")
		return nil
	}
	return b.session.client
}

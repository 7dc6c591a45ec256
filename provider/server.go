package provider

import (
	"bytes"
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// protocol is all that the framework's server speaks: whoever serves it asks for each of these.
//
//nolint:staticcheck // they are announced to become one interface, and are not yet
type protocol interface {
	tfprotov6.ProviderServerWithActions
	tfprotov6.ProviderServerWithListResource
	tfprotov6.ProviderServerWithStateStores
}

// server answers the plan of a loader job in which nothing changes with the state itself. The framework would take it
// apart and put it together for each attribute: half the provider's time in a plan of many jobs.
type server struct {
	protocol
	loader func() steady
}

// steady is what the plan of an unchanged resource depends on, beside its state. Its ModifyPlan leaves alone what equals
// the state.
type steady struct {
	kind tftypes.Type
	// fallback are the defaults of the attributes that a configuration may leave out.
	fallback map[string]tftypes.Value
}

// Server returns the constructor of the provider as Terraform speaks to it.
func Server(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		whole := providerserver.NewProtocol6(New(version)())()
		if p, ok := whole.(protocol); ok {
			return &server{protocol: p, loader: sync.OnceValue(func() steady { return steadyOf(newLoaderJob()) })}
		}
		return whole
	}
}

// PlanResourceChange answers itself where nothing changes, and otherwise lets the framework plan.
func (s *server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.TypeName == "watertight_loader_job" && s.loader().isUnchanged(req) {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}, nil
	}
	return s.protocol.PlanResourceChange(ctx, req)
}

// isUnchanged tells that a plan would be the state. Terraform proposes the state's value where the configuration has
// none, so that an attribute taken out of the configuration shows only beside its default.
func (k steady) isUnchanged(req *tfprotov6.PlanResourceChangeRequest) bool {
	if k.kind == nil || req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil ||
		len(req.PriorState.MsgPack) == 0 || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return false
	}
	config, known := k.attributes(req.Config)
	prior, stored := k.attributes(req.PriorState)
	if !known || !stored {
		return false
	}
	for name, value := range k.fallback {
		if config[name].IsNull() && !prior[name].Equal(value) {
			return false
		}
	}
	return true
}

func (k steady) attributes(v *tfprotov6.DynamicValue) (map[string]tftypes.Value, bool) {
	whole, err := v.Unmarshal(k.kind)
	if err != nil || whole.IsNull() || !whole.IsKnown() {
		return nil, false
	}
	var out map[string]tftypes.Value
	err = whole.As(&out)
	return out, err == nil
}

// steadyOf reads the schema of a resource. One with a default that it cannot read is never steady.
func steadyOf(r resource.Resource) steady {
	ctx := context.Background()
	var of resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &of)
	k := steady{kind: of.Schema.Type().TerraformType(ctx), fallback: map[string]tftypes.Value{}}
	for name, a := range of.Schema.Attributes {
		if !a.IsOptional() || !a.IsComputed() {
			continue
		}
		value, ok := defaultOf(ctx, a)
		if !ok {
			return steady{}
		}
		k.fallback[name] = value
	}
	return k
}

func defaultOf(ctx context.Context, a schema.Attribute) (tftypes.Value, bool) {
	var value attr.Value
	switch a := a.(type) {
	case schema.StringAttribute:
		if a.Default != nil {
			var resp defaults.StringResponse
			a.Default.DefaultString(ctx, defaults.StringRequest{}, &resp)
			value = resp.PlanValue
		}
	case schema.BoolAttribute:
		if a.Default != nil {
			var resp defaults.BoolResponse
			a.Default.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
			value = resp.PlanValue
		}
	}
	if value == nil {
		return tftypes.Value{}, false
	}
	out, err := value.ToTerraformValue(ctx)
	return out, err == nil
}

package provider_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

func (p *protocol) identity(resource string) tftypes.Object {
	p.t.Helper()
	schemas, err := p.server.GetResourceIdentitySchemas(p.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	p.must(err, schemas.Diagnostics)
	return schemas.IdentitySchemas[resource].ValueType().(tftypes.Object)
}

func (p *protocol) resource(name string) tftypes.Type {
	return p.schemas.ResourceSchemas[name].ValueType()
}

// attributes reads the texts of an object: those of its attributes that are texts and not null.
func (p *protocol) attributes(kind tftypes.Type, dynamic *tfprotov6.DynamicValue) map[string]string {
	p.t.Helper()
	if dynamic == nil {
		return nil
	}
	value, err := dynamic.Unmarshal(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	if value.IsNull() {
		return nil
	}
	var all values
	if err := value.As(&all); err != nil {
		p.t.Fatal(err)
	}
	out := map[string]string{}
	for name, v := range all {
		var text *string
		if v.Type().Is(tftypes.String) && v.IsKnown() && v.As(&text) == nil && text != nil {
			out[name] = *text
		}
	}
	return out
}

// importing is an import by identity, as Terraform 1.12 and later ask for it.
func (p *protocol) importing(resource string, identity map[string]string) *tfprotov6.ImportResourceStateResponse {
	p.t.Helper()
	kind := p.identity(resource)
	all := values{}
	for name := range kind.AttributeTypes {
		all[name] = tftypes.NewValue(tftypes.String, nil)
		if v, ok := identity[name]; ok {
			all[name] = word(v)
		}
	}
	data, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, all))
	if err != nil {
		p.t.Fatal(err)
	}
	resp, err := p.server.ImportResourceState(p.t.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: resource, Identity: &tfprotov6.ResourceIdentityData{IdentityData: &data}})
	if err != nil {
		p.t.Fatal(err)
	}
	return resp
}

func (p *protocol) read(resource string, state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData) *tfprotov6.ReadResourceResponse {
	p.t.Helper()
	resp, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{TypeName: resource, CurrentState: state, CurrentIdentity: identity})
	if err != nil {
		p.t.Fatal(err)
	}
	return resp
}

// A loader's identity is its id and its workspace. It is there after an import, by id or by identity, and after a refresh of a state
// that had none; later it never changes. Of another workspace it is refused.
func TestLoaderJobIdentity(t *testing.T) {
	t.Parallel()
	const name = "watertight_loader_job"
	w := open(t, local.Options{Empty: true})
	number, err := outside(t, w).CreateJob(t.Context(), plainJob())
	if err != nil {
		t.Fatal(err)
	}
	id := strconv.FormatInt(number, 10)
	p := speak(t, w, nil)
	want := map[string]string{"id": id, "host": w.Host()}
	wantIdentity := func(when string, got *tfprotov6.ResourceIdentityData) {
		t.Helper()
		if got == nil {
			t.Fatalf("%s: no identity", when)
		}
		if has := p.attributes(p.identity(name), got.IdentityData); has["id"] != want["id"] || has["host"] != want["host"] {
			t.Errorf("%s: %v", when, has)
		}
	}
	for _, identity := range []map[string]string{{"id": id}, {"id": id, "host": w.Host()}, {"id": id, "host": w.Host() + "/"}, {"id": "load_messages"}} {
		imported := p.importing(name, identity)
		p.must(nil, imported.Diagnostics)
		if len(imported.ImportedResources) != 1 {
			t.Fatalf("%v: %d resources", identity, len(imported.ImportedResources))
		}
		one := imported.ImportedResources[0]
		if got := p.attributes(p.resource(name), one.State)["id"]; got != id {
			t.Errorf("%v: imported %q", identity, got)
		}
		wantIdentity("import", one.Identity)
		read := p.read(name, one.State, one.Identity)
		p.must(nil, read.Diagnostics)
		wantIdentity("refresh", read.NewIdentity)
		again := p.read(name, read.NewState, nil)
		p.must(nil, again.Diagnostics)
		wantIdentity("refresh of a state without one", again.NewIdentity)
	}
	refused := p.importing(name, map[string]string{"id": id, "host": "https://other.cloud.databricks.com"})
	if len(refused.Diagnostics) != 1 || !strings.Contains(refused.Diagnostics[0].Detail, "https://other.cloud.databricks.com") {
		t.Errorf("another workspace: %v", refused.Diagnostics)
	}
	// What is gone has still to say what it was.
	state := p.importing(name, map[string]string{"id": id}).ImportedResources[0]
	if err := outside(t, w).DeleteJob(t.Context(), number); err != nil {
		t.Fatal(err)
	}
	gone := p.read(name, state.State, nil)
	p.must(nil, gone.Diagnostics)
	if p.attributes(p.resource(name), gone.NewState) != nil {
		t.Error("the job is gone, and the state is not")
	}
}

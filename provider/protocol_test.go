package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/provider"
)

// protocol speaks to the provider as Terraform does, where the Terraform at hand lacks what is tested.
type protocol struct {
	t       *testing.T
	server  actionServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

type actionServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
}

type values = map[string]tftypes.Value

func word(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

// speak configures the provider: with the workspace, or with unknown values.
func speak(t *testing.T, w *local.Workspace, changes values) *protocol {
	t.Helper()
	server, ok := provider.Server("test")().(actionServer)
	if !ok {
		t.Fatal("the server has no actions")
	}
	p := &protocol{t: t, server: server, schemas: providerSchema(t)}
	config := values{"host": word(w.Host()), "token": word(w.Token()), "warehouse_id": word(w.WarehouseID()),
		"rate_limit": tftypes.NewValue(tftypes.Number, 1000), "retry_timeout": word("2s")}
	for name, v := range changes {
		config[name] = v
	}
	r, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.14.0", Config: p.object(p.schemas.Provider, config)})
	p.must(err, r.Diagnostics)
	return p
}

func (p *protocol) must(err error, diagnostics []*tfprotov6.Diagnostic) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			p.t.Fatalf("%s\n%s", d.Summary, d.Detail)
		}
	}
}

// object is a value of a schema, null where nothing is given.
func (p *protocol) object(s *tfprotov6.Schema, given values) *tfprotov6.DynamicValue {
	p.t.Helper()
	kind := s.ValueType().(tftypes.Object)
	all := values{}
	for name, t := range kind.AttributeTypes {
		if v, ok := given[name]; ok {
			all[name] = v
			continue
		}
		all[name] = tftypes.NewValue(t, nil)
	}
	for name := range given {
		if _, ok := kind.AttributeTypes[name]; !ok {
			p.t.Fatalf("no attribute %s", name)
		}
	}
	d, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, all))
	if err != nil {
		p.t.Fatal(err)
	}
	return &d
}

func (p *protocol) action(given values) *tfprotov6.DynamicValue {
	p.t.Helper()
	return p.object(p.schemas.ActionSchemas["watertight_run"].Schema, given)
}

// invoke validates, plans and invokes the action, and returns its progress and what it ends with, one text each.
func (p *protocol) invoke(given values) (progress, ends []string) {
	p.t.Helper()
	config := p.action(given)
	v, err := p.server.ValidateActionConfig(p.t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: "watertight_run", Config: config})
	p.must(err, v.Diagnostics)
	plan, err := p.server.PlanAction(p.t.Context(), &tfprotov6.PlanActionRequest{ActionType: "watertight_run", Config: config})
	p.must(err, plan.Diagnostics)
	stream, err := p.server.InvokeAction(p.t.Context(), &tfprotov6.InvokeActionRequest{ActionType: "watertight_run", Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	for e := range stream.Events {
		switch e := e.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress = append(progress, e.Message)
		case tfprotov6.CompletedInvokeActionEventType:
			ends = append(ends, texts(e.Diagnostics)...)
		}
	}
	return progress, ends
}

func texts(diagnostics []*tfprotov6.Diagnostic) []string {
	var out []string
	for _, d := range diagnostics {
		out = append(out, fmt.Sprintf("%s: %s: %s", d.Severity, d.Summary, d.Detail))
	}
	return out
}

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const retentionType = "watertight_retention"

// state reads an answer's state.
func (p *protocol) state(v *tfprotov6.DynamicValue) values {
	p.t.Helper()
	return p.read(p.schemas.ResourceSchemas[retentionType].ValueType(), v)
}

func (p *protocol) read(kind tftypes.Type, v *tfprotov6.DynamicValue) values {
	p.t.Helper()
	whole, err := v.Unmarshal(kind)
	if err != nil {
		p.t.Fatal(err)
	}
	out := values{}
	if err := whole.As(&out); err != nil {
		p.t.Fatal(err)
	}
	return out
}

func text(t *testing.T, v tftypes.Value) string {
	t.Helper()
	var s *string
	if err := v.As(&s); err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return "null"
	}
	return *s
}

func (p *protocol) move(provider, kind, json string) *tfprotov6.MoveResourceStateResponse {
	p.t.Helper()
	r, err := p.server.MoveResourceState(p.t.Context(), &tfprotov6.MoveResourceStateRequest{SourceProviderAddress: provider, SourceTypeName: kind,
		SourceState: &tfprotov6.RawState{JSON: []byte(json)}, SourceSchemaVersion: 1, TargetTypeName: retentionType})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// A databricks_sql_table hands over its properties, and nothing of the table: what moves is the name, and the refresh reads
// what is declared. Then one statement sets what is missing.
func TestRetentionMovesFromSQLTable(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 8 days', 'delta.logRetentionDuration' = 'interval 40 days', 'team' = 'data')")
	sql(t, w, "INSERT INTO main.events.source VALUES (1, 1, current_timestamp())")
	p := speak(t, w, nil)
	// As the databricks provider 1.128 writes it.
	const table = `{"id":"main.events.source","catalog_name":"main","schema_name":"events","name":"source","table_type":"MANAGED","data_source_format":"DELTA","properties":{"delta.deletedFileRetentionDuration":"interval 8 days"},"column":[{"name":"p","type":"int"}],"warehouse_id":"x","owner":"me"}`
	moved := p.move("registry.terraform.io/databricks/databricks", "databricks_sql_table", table)
	p.must(nil, moved.Diagnostics)
	read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: retentionType, CurrentState: moved.TargetState, Private: moved.TargetPrivate})
	if err != nil {
		t.Fatal(err)
	}
	p.must(nil, read.Diagnostics)
	got := p.state(read.NewState)
	for name, want := range map[string]string{"id": "main.events.source", "table": "main.events.source", "deleted_file_retention": "192h", "log_retention": "960h", "rolling_window": "null", "expire_by": "null", "owner": "null"} {
		if text(t, got[name]) != want {
			t.Errorf("%s is %s, want %s", name, text(t, got[name]), want)
		}
	}
	config := values{"table": word("main.events.source"), "rolling_window": word("24h"), "deleted_file_retention": word("8 days"), "log_retention": word("40 days")}
	w.ResetRequests()
	after := p.apply(config, read.NewState)
	if sent := statements(w); len(sent) != 1 || sent[0] != "SET ('expire_by' = 'external', owner, 'rolling_window' = '24h')" {
		t.Errorf("sent %q", sent)
	}
	if text(t, after["owner"]) == "null" || len(rows(t, w, "SELECT * FROM main.events.source")) != 1 {
		t.Errorf("after the move: %v", after)
	}
}

// apply plans a change of a state and does it. A plan that would destroy is a failure.
func (p *protocol) apply(config values, prior *tfprotov6.DynamicValue) values {
	p.t.Helper()
	s := p.schemas.ResourceSchemas[retentionType]
	kind := s.ValueType().(tftypes.Object)
	proposed := p.state(prior)
	for name, v := range config {
		proposed[name] = v
	}
	d, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, proposed))
	if err != nil {
		p.t.Fatal(err)
	}
	c := p.object(s, config)
	plan, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: retentionType, PriorState: prior, ProposedNewState: &d, Config: c})
	if err != nil {
		p.t.Fatal(err)
	}
	p.must(nil, plan.Diagnostics)
	if len(plan.RequiresReplace) > 0 {
		p.t.Errorf("it is to be replaced for %v", plan.RequiresReplace)
	}
	done, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: retentionType, PriorState: prior, PlannedState: plan.PlannedState, PlannedPrivate: plan.PlannedPrivate, Config: c})
	if err != nil {
		p.t.Fatal(err)
	}
	p.must(nil, done.Diagnostics)
	return p.state(done.NewState)
}

// What is no table's state, or of another resource, moves nowhere.
func TestRetentionMoveRefusals(t *testing.T) {
	t.Parallel()
	p := speak(t, openTable(t, local.Behaviour{}), nil)
	for name, c := range map[string]struct{ provider, kind, json, wanted string }{
		"a view":            {"registry.terraform.io/databricks/databricks", "databricks_sql_table", `{"id":"main.events.seen","table_type":"VIEW"}`, "is a VIEW"},
		"a streaming table": {"registry.terraform.io/databricks/databricks", "databricks_sql_table", `{"id":"main.events.st","table_type":"STREAMING_TABLE"}`, "is a STREAMING_TABLE"},
		"no name":           {"registry.terraform.io/databricks/databricks", "databricks_sql_table", `{"id":""}`, "names no table"},
		"no state":          {"registry.terraform.io/databricks/databricks", "databricks_sql_table", `[]`, "cannot be read"},
		"another resource":  {"registry.terraform.io/databricks/databricks", "databricks_table", `{"id":"main.events.source"}`, "databricks_table"},
		"another provider":  {"registry.terraform.io/someone/else", "databricks_sql_table", `{"id":"main.events.source"}`, "someone/else"},
	} {
		r := p.move(c.provider, c.kind, c.json)
		var all string
		for _, d := range r.Diagnostics {
			all += d.Summary + "\n" + d.Detail
		}
		if !strings.Contains(all, c.wanted) {
			t.Errorf("%s: %q", name, all)
		}
	}
	// A mirror of the registry, and a state without an id, as the oldest versions wrote it.
	r := p.move("registry.opentofu.org/databricks/databricks", "databricks_sql_table", `{"id":"","catalog_name":"main","schema_name":"events","name":"source"}`)
	p.must(nil, r.Diagnostics)
	if got := text(t, p.state(r.TargetState)["id"]); got != "main.events.source" {
		t.Error(got)
	}
}

// The identity is the table and the workspace; it imports as the id does, and not from another workspace.
func TestRetentionIdentity(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	p := speak(t, w, nil)
	empty := p.object(p.schemas.ResourceSchemas[retentionType], values{"id": word("main.events.source"), "table": word("main.events.source")})
	sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	kind := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"table": tftypes.String, "host": tftypes.String}}
	read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: retentionType, CurrentState: empty})
	if err != nil || read.NewIdentity == nil {
		t.Fatal(read, err)
	}
	p.must(nil, read.Diagnostics)
	if got := p.read(kind, read.NewIdentity.IdentityData); text(t, got["table"]) != "main.events.source" || text(t, got["host"]) != w.Host() {
		t.Errorf("the identity is %v", got)
	}
	for host, wanted := range map[string]string{w.Host(): "", "": "", "https://elsewhere.cloud.databricks.com": "of another workspace"} {
		h := tftypes.NewValue(tftypes.String, nil)
		if host != "" {
			h = word(host)
		}
		d, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, values{"table": word("main.events.source"), "host": h}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: retentionType, Identity: &tfprotov6.ResourceIdentityData{IdentityData: &d}})
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprint(len(r.ImportedResources))
		for _, d := range r.Diagnostics {
			all += d.Summary
		}
		if wanted == "" && (all != "1" || text(t, p.state(r.ImportedResources[0].State)["id"]) != "main.events.source") || !strings.Contains(all, wanted) {
			t.Errorf("host %q: %s", host, all)
		}
	}
}

package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const retentionType = "watertight_retention"

// state reads an answer's state.
func (p *protocol) state(v *tfprotov6.DynamicValue) values {
	p.t.Helper()
	whole, err := v.Unmarshal(p.resource(retentionType))
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
	read := p.read(retentionType, moved.TargetState, nil)
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
		"another resource":  {"registry.terraform.io/databricks/databricks", "databricks_table", `{"id":"main.events.source"}`, "Unable to Move Resource State"},
		"another provider":  {"registry.terraform.io/someone/else", "databricks_sql_table", `{"id":"main.events.source"}`, "Unable to Move Resource State"},
	} {
		r := p.move(c.provider, c.kind, c.json)
		all := strings.Join(texts(r.Diagnostics), "\n")
		if !strings.Contains(all, c.wanted) {
			t.Errorf("%s: %q", name, all)
		}
	}
	// A mirror of the registry, and a state without an id, as the oldest versions wrote it.
	r := p.move("databricks", "databricks_sql_table", `{"id":"","catalog_name":"main","schema_name":"events","name":"source"}`)
	p.must(nil, r.Diagnostics)
	if got := text(t, p.state(r.TargetState)["id"]); got != "main.events.source" {
		t.Error(got)
	}
}

// The identity is the table and the workspace; it imports as the id does, and not from another workspace.
func TestRetentionIdentity(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	sql(t, w, "ALTER TABLE main.events.source SET TBLPROPERTIES ('watertight.rolling_window' = '24h')")
	p := speak(t, w, nil)
	for host, wanted := range map[string]string{w.Host(): "", "": "", "https://elsewhere.cloud.databricks.com": "of another workspace"} {
		identity := map[string]string{"table": "main.events.source"}
		if host != "" {
			identity["host"] = host
		}
		r := p.importing(retentionType, identity)
		said := strings.Join(texts(r.Diagnostics), "\n")
		if wanted != "" {
			if !strings.Contains(said, wanted) || len(r.ImportedResources) != 0 {
				t.Errorf("host %q: %q", host, said)
			}
			continue
		}
		p.must(nil, r.Diagnostics)
		read := p.read(retentionType, r.ImportedResources[0].State, r.ImportedResources[0].Identity)
		p.must(nil, read.Diagnostics)
		if got := p.attributes(p.identity(retentionType), read.NewIdentity.IdentityData); got["table"] != "main.events.source" || got["host"] != w.Host() {
			t.Errorf("host %q: the identity is %v", host, got)
		}
		// A state of before has none, and gets it by a refresh.
		if read := p.read(retentionType, read.NewState, nil); p.attributes(p.identity(retentionType), read.NewIdentity.IdentityData)["table"] != "main.events.source" {
			t.Error("a state without an identity is not given one")
		}
	}
}

// standInTables is somebody else's provider, which drops what it destroys.
type standInTables struct {
	standIn
	exec func(sql string) error
}

func (p *standInTables) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &standInTable{p.exec} }}
}

type standInTable struct{ exec func(sql string) error }

type standInTableModel struct {
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	Properties types.Map    `tfsdk:"properties"`
}

func (r *standInTable) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "databricks_sql_table"
}

func (r *standInTable) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Version: 1, Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "name": schema.StringAttribute{Required: true}, "properties": schema.MapAttribute{Optional: true, ElementType: types.StringType},
	}}
}

func (r *standInTable) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m standInTableModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	if err := r.exec("CREATE TABLE " + m.Name.ValueString() + " (p INT, seq BIGINT, at TIMESTAMP) TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 40 days')"); err != nil {
		resp.Diagnostics.AddError("create", err.Error())
	}
	m.ID = m.Name
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (r *standInTable) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (r *standInTable) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *standInTable) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	if err := r.exec("DROP TABLE " + name.ValueString()); err != nil {
		resp.Diagnostics.AddError("delete", err.Error())
	}
}

// By a moved block: an update in place, no row and no table is touched, and destroying it later leaves the table.
func TestRetentionMovedFromSQLTable(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	both := func(body string) string {
		return strings.Replace(with(w, body), "watertight = {", "databricks = { source = \"registry.terraform.io/databricks/databricks\" }\n    watertight = {", 1)
	}
	client := outside(t, w)
	s := newShellWith(t, both("\nresource \"databricks_sql_table\" \"old\" {\n  name = \"main.events.other\"\n  properties = { \"delta.logRetentionDuration\" = \"interval 40 days\" }\n}\n"), map[string]func() tfprotov6.ProviderServer{
		"registry.terraform.io/databricks/databricks": providerserver.NewProtocol6(&standInTables{standIn{client}, func(sql string) error { return client.Exec(t.Context(), sql) }}),
	})
	s.apply()
	sql(t, w, "INSERT INTO main.events.other VALUES (1, 1, current_timestamp())")
	s.write(both(retention("  table = \"main.events.other\"\n  log_retention = \"40 days\"") + "\nmoved {\n  from = databricks_sql_table.old\n  to   = " + retentionAddress + "\n}\n"))
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	wantAll(t, prose(out), "moved from databricks_sql_table.old", "0 to add, 1 to change, 0 to destroy", `+ rolling_window = "24h"`)
	w.ResetRequests()
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("the second plan: exit %d\n%s", code, out)
	}
	s.must("destroy", "-no-color", "-auto-approve")
	for _, q := range statements(w) {
		if !strings.Contains(q, "SET ") {
			t.Errorf("sent %s", q)
		}
	}
	if n := len(rows(t, w, "SELECT * FROM main.events.other")); n != 1 {
		t.Errorf("%d rows are left", n)
	}
}

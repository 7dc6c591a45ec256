package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	framework "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// standIn is somebody else's provider, served under the address of Databricks' own: it creates jobs from a JSON text.
type standIn struct{ client *workspace.Client }

func (p *standIn) Metadata(_ context.Context, _ framework.MetadataRequest, resp *framework.MetadataResponse) {
	resp.TypeName = "databricks"
}
func (p *standIn) Schema(context.Context, framework.SchemaRequest, *framework.SchemaResponse) {}
func (p *standIn) Configure(context.Context, framework.ConfigureRequest, *framework.ConfigureResponse) {
}
func (p *standIn) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p *standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &standInJob{p.client} }}
}

type standInJob struct{ client *workspace.Client }

type standInModel struct {
	ID   types.String `tfsdk:"id"`
	JSON types.String `tfsdk:"json"`
}

func (r *standInJob) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "databricks_job"
}

func (r *standInJob) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Version: 2, Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{Computed: true}, "json": schema.StringAttribute{Required: true},
	}}
}

func (r *standInJob) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m standInModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	var settings map[string]any
	if err := json.Unmarshal([]byte(m.JSON.ValueString()), &settings); err != nil {
		resp.Diagnostics.AddError("json", err.Error())
		return
	}
	id, err := r.client.CreateJob(ctx, settings)
	if err != nil {
		resp.Diagnostics.AddError("create", err.Error())
		return
	}
	m.ID = types.StringValue(strconv.FormatInt(id, 10))
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

func (r *standInJob) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (r *standInJob) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *standInJob) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	n, err := strconv.ParseInt(id.ValueString(), 10, 64)
	if err == nil {
		err = r.client.DeleteJob(ctx, n)
	}
	if err != nil {
		resp.Diagnostics.AddError("delete", err.Error())
	}
}

// A databricks_job of another provider becomes a watertight_loader_job by a moved block: the plan is an update in place
// that adds the contract, nothing is destroyed, and the job keeps its id and its runs.
func TestLoaderJobMovedFromDatabricksJob(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	content, err := json.Marshal(plainJob())
	if err != nil {
		t.Fatal(err)
	}
	both := func(body string) string {
		return strings.Replace(with(w, body), "watertight = {", "databricks = { source = \"registry.terraform.io/databricks/databricks\" }\n    watertight = {", 1)
	}
	s := newShellWith(t, both(fmt.Sprintf("\nresource \"databricks_job\" \"old\" {\n  json = %q\n}\n", content)), map[string]func() tfprotov6.ProviderServer{
		"registry.terraform.io/databricks/databricks": providerserver.NewProtocol6(&standIn{outside(t, w)}),
	})
	s.apply()
	id := theJob(t, w).ID
	s.write(both(loader("") + "\nmoved {\n  from = databricks_job.old\n  to   = " + loaderAddress + "\n}\n"))
	out, code := s.plan()
	if code != 2 {
		t.Errorf("exit %d\n%s", code, out)
	}
	wantAll(t, prose(out), "moved from databricks_job.old", "0 to add, 1 to change, 0 to destroy", `+ source = "main.events.stream_messages"`)
	w.ResetRequests()
	s.apply()
	if j := theJob(t, w); j.ID != id || tagsOf(j.Settings)["watertight_target"] != "main.events.messages" || w.Count("POST", "jobs/create")+w.Count("POST", "jobs/delete") != 0 {
		t.Errorf("job %d became job %d with the tags %v", id, j.ID, tagsOf(j.Settings))
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("the second plan: exit %d\n%s", code, out)
	}
}

// The id is taken from whatever version of the other schema the state is of; what has none is refused with the way that
// works, and other resources are not taken over.
func TestLoaderJobMoveState(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	p := speak(t, w, nil)
	for name, c := range map[string]struct {
		from, address, state string
		id, refused          string
	}{
		"today":                {"databricks_job", "registry.terraform.io/databricks/databricks", `{"id":"123","name":"load","task":[{"task_key":"a"}]}`, "123", ""},
		"an older one":         {"databricks_job", "registry.opentofu.org/databricks/databricks", `{"id":"123","timeout_seconds":"7","new_cluster":{}}`, "123", ""},
		"OpenTofu's address":   {"databricks_job", "databricks", `{"id":"123"}`, "123", ""},
		"a number":             {"databricks_job", "registry.terraform.io/databricks/databricks", `{"id":9007199254740993}`, "9007199254740993", ""},
		"no id":                {"databricks_job", "registry.terraform.io/databricks/databricks", `{"name":"load"}`, "", "Import the job instead"},
		"an id of another":     {"databricks_job", "registry.terraform.io/databricks/databricks", `{"id":"abc"}`, "", "Import the job instead"},
		"another resource":     {"databricks_pipeline", "registry.terraform.io/databricks/databricks", `{"id":"123"}`, "", "Unable to Move Resource State"},
		"of another provider":  {"databricks_job", "registry.terraform.io/someone/else", `{"id":"123"}`, "", "Unable to Move Resource State"},
		"not even a JSON text": {"databricks_job", "registry.terraform.io/databricks/databricks", `{`, "", "Import the job instead"},
	} {
		for version := range int64(3) {
			moved, err := p.server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
				TargetTypeName: "watertight_loader_job", SourceTypeName: c.from, SourceProviderAddress: c.address, SourceSchemaVersion: version,
				SourceState: &tfprotov6.RawState{JSON: []byte(c.state)},
			})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(texts(moved.Diagnostics), "\n")
			got := p.attributes(p.resource("watertight_loader_job"), moved.TargetState)
			if got["id"] != c.id || !strings.Contains(said, c.refused) || (said == "") != (c.refused == "") {
				t.Errorf("%s, version %d: id %q, said %q", name, version, got["id"], said)
			}
		}
	}
}

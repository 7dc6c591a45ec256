package provider_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/provider"
)

var update = flag.Bool("update", false, "write the golden files")

const required = `
terraform {
  required_providers {
    watertight = { source = "registry.terraform.io/watertight-data/watertight" }
  }
}
`

// A01 databricks/databricks-sdk-go#1064: a missing host says where it was looked for, and no call is made.
func TestMissingHost(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, required+fmt.Sprintf("provider \"watertight\" {\n  token = %q\n}\n", w.Token())+loader(""))
	out, code := s.plan()
	text := prose(out)
	for _, part := range []string{"no Databricks host", "DATABRICKS_HOST", "no-such-databrickscfg"} {
		if !strings.Contains(text, part) {
			t.Errorf("the message does not hold %q", part)
		}
	}
	if code != 1 || t.Failed() {
		t.Errorf("plan: exit %d\n%s", code, out)
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

// A host that is known only after apply defers: the plan goes on, also for a coverage that will be refused at apply.
func TestUnknownHostDefers(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	config := func(window string) string {
		return required + fmt.Sprintf(`
resource "terraform_data" "host" {
  input = %q
}

provider "watertight" {
  host         = terraform_data.host.output
  token        = %q
  warehouse_id = %q
}
`, w.Host(), w.Token(), w.WarehouseID()) + loader("") + optimize(`{ table = "main.events.stream_messages", rolling_window = "`+window+`" }`, "")
	}
	s := newShell(t, config("30m"))
	if out, code := s.plan(); code != 2 {
		t.Fatalf("plan: exit %d\n%s", code, out)
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
	out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve")
	if code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
	s.write(config("24h"))
	s.apply()
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
}

func TestWrongToken(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, strings.Replace(with(w, loader("")), w.Token(), "dapi-wrong", 1))
	out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve")
	if code != 1 || !strings.Contains(prose(out), "not authenticated") || !strings.Contains(prose(out), "Check the token") || strings.Contains(out, "dapi-wrong") {
		t.Errorf("apply: exit %d\n%s", code, out)
	}
}

func TestWrongProviderConfiguration(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	for name, c := range map[string]struct{ line, wanted string }{
		"timeout": {`http_timeout = "soon"`, "http_timeout"},
		"zero":    {`http_timeout = "0s"`, "no time to wait"},
		"short":   {`http_timeout = "10ms"`, "no time to wait"},
		"rate":    {`rate_limit = -1`, "Wrong rate limit"},
		"no rate": {`rate_limit = 0`, "Wrong rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, required+fmt.Sprintf("provider \"watertight\" {\n  host = %q\n  token = %q\n  %s\n}\n", w.Host(), w.Token(), c.line)+loader(""))
			if out, code := s.plan(); code != 1 || !strings.Contains(out, c.wanted) {
				t.Errorf("plan: exit %d\n%s", code, out)
			}
		})
	}
}

// A change of the schema is a change for every user: it shows here.
func TestSchemaGolden(t *testing.T) {
	t.Parallel()
	got := schemaText(t)
	name := filepath.Join("testdata", "schema.json")
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the schema has changed; if it should: go test ./provider -run Golden -update\n%s", diff)
	}
}

// Every attribute says what it is.
func TestSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			if d := strings.TrimSpace(a.Description); d == "" || !strings.HasSuffix(d, ".") {
				t.Errorf("%s.%s: description %q is no sentence", at, a.Name, d)
			}
			if a.NestedType != nil {
				walk(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	s := providerSchema(t)
	walk("provider", s.Provider.Block.Attributes)
	for name, r := range s.ResourceSchemas {
		walk(name, r.Block.Attributes)
	}
	for name, d := range s.DataSourceSchemas {
		walk("data."+name, d.Block.Attributes)
	}
	for name, a := range s.ActionSchemas {
		walk("action."+name, a.Schema.Block.Attributes)
	}
	for name, f := range s.Functions {
		if strings.TrimSpace(f.Description) == "" || !strings.HasSuffix(f.Summary, ".") {
			t.Errorf("function %s: description %q, summary %q", name, f.Description, f.Summary)
		}
		for _, p := range f.Parameters {
			if p.Name == "" || strings.TrimSpace(p.Description) == "" {
				t.Errorf("function %s: parameter %q: description %q", name, p.Name, p.Description)
			}
		}
	}
}

func providerSchema(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	s, err := provider.Server("test")().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Diagnostics) > 0 {
		t.Fatal(s.Diagnostics[0].Summary, s.Diagnostics[0].Detail)
	}
	return s
}

func schemaText(t *testing.T) []byte {
	t.Helper()
	var shape func(attributes []*tfprotov6.SchemaAttribute) map[string]any
	shape = func(attributes []*tfprotov6.SchemaAttribute) map[string]any {
		out := map[string]any{}
		for _, a := range attributes {
			var flags []string
			for _, f := range []struct {
				name string
				on   bool
			}{{"required", a.Required}, {"optional", a.Optional}, {"computed", a.Computed}, {"sensitive", a.Sensitive}} {
				if f.on {
					flags = append(flags, f.name)
				}
			}
			out[a.Name] = map[string]any{"is": strings.Join(flags, " ")}
			if a.NestedType != nil {
				out[a.Name].(map[string]any)["attributes"] = shape(a.NestedType.Attributes)
			} else {
				out[a.Name].(map[string]any)["type"] = a.Type.String()
			}
		}
		return out
	}
	s := providerSchema(t)
	all := map[string]any{"provider": shape(s.Provider.Block.Attributes)}
	for name, r := range s.ResourceSchemas {
		all[name] = shape(r.Block.Attributes)
	}
	for name, d := range s.DataSourceSchemas {
		all["data."+name] = shape(d.Block.Attributes)
	}
	for name, a := range s.ActionSchemas {
		all["action."+name] = shape(a.Schema.Block.Attributes)
	}
	for name, f := range s.Functions {
		var parameters []string
		for _, p := range f.Parameters {
			parameters = append(parameters, p.Name+" "+p.Type.String())
		}
		all["function."+name] = map[string]any{"parameters": parameters, "return": f.Return.Type.String()}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

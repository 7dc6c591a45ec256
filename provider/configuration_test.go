package provider

import (
	"reflect"
	"testing"

	"github.com/databricks/databricks-sdk-go/config"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// leftOut are the attributes of the SDK's configuration that the provider block does not have, each with the reason.
func leftOut() map[string]string {
	return map[string]string{
		"cluster_id":                     "T12: no compute but the named warehouse is ever used",
		"serverless_compute_id":          "T12: no compute but the named warehouse is ever used",
		"oauth_callback_port":            "of the interactive login, which the Databricks CLI does",
		"disable_oauth_refresh_token":    "of the interactive login, which the Databricks CLI does",
		"actions_id_token_request_url":   "GitHub Actions sets it in the environment, where it is read from",
		"actions_id_token_request_token": "GitHub Actions sets it in the environment, where it is read from",
		"azure_login_app_id":             "deprecated: the SDK does nothing with it",
		"skip_verify":                    "a workspace whose certificate is wrong is not the workspace",
		"debug_truncate_bytes":           "of the SDK's own log, which is not written",
		"debug_headers":                  "of the SDK's own log, which is not written",
		"cloud":                          "the SDK calls it experimental; its variable is read",
		"discovery_url":                  "the SDK calls it experimental; its variable is read",
		"http_timeout_seconds":           "http_timeout, a duration",
		"retry_timeout_seconds":          "retry_timeout, a duration",
	}
}

// design.md §4: the provider block mirrors the SDK's attributes, by their names. One that a newer SDK adds is mirrored, or
// left out for a reason.
func TestConfigurationMirrorsTheSDK(t *testing.T) {
	t.Parallel()
	attributes, out := configurationAttributes(), leftOut()
	known := map[string]bool{"http_timeout": true, "retry_timeout": true}
	for _, a := range config.ConfigAttributes {
		known[a.Name] = true
		mirror, ok := attributes[a.Name]
		switch {
		case !ok && out[a.Name] == "":
			t.Errorf("the SDK knows %s: mirror it, or say in leftOut why not", a.Name)
		case ok && out[a.Name] != "":
			t.Errorf("%s is mirrored and left out", a.Name)
		case ok && a.Sensitive && !mirror.IsSensitive():
			t.Errorf("%s is sensitive for the SDK and not here", a.Name)
		}
	}
	for name := range attributes {
		if !known[name] {
			t.Errorf("the SDK does not know %s", name)
		}
	}
	for name := range out {
		if !known[name] {
			t.Errorf("leftOut names %s, which the SDK does not know", name)
		}
	}
}

// Every attribute arrives in the client's configuration, and an unknown one defers.
func TestConfigurationIsTakenOver(t *testing.T) {
	t.Parallel()
	var model configurationModel
	fields := reflect.ValueOf(&model).Elem()
	for name, a := range configurationAttributes() {
		var value attr.Value
		switch a.(type) {
		case schema.BoolAttribute:
			value = types.BoolValue(true)
		case schema.Int64Attribute:
			value = types.Int64Value(7)
		case schema.ListAttribute:
			value = types.ListValueMust(types.StringType, []attr.Value{types.StringValue(name)})
		default:
			value = types.StringValue(name)
		}
		setField(t, fields, name, value)
	}
	setField(t, fields, "http_timeout", types.StringValue("3s"))
	setField(t, fields, "retry_timeout", types.StringValue("4s"))
	var diags diag.Diagnostics
	got := model.toConfig(&diags)
	if diags.HasError() {
		t.Fatal(diags)
	}
	values := map[any]bool{}
	taken := reflect.ValueOf(got)
	for i := range taken.NumField() {
		name, f := taken.Type().Field(i).Name, taken.Field(i)
		if name == "UserAgent" || name == "Sleep" {
			continue
		}
		if f.IsZero() {
			t.Errorf("%s of the client's configuration is set by no attribute", name)
		}
		if f.Kind() == reflect.String && (values[f.String()] || configurationAttributes()[f.String()] == nil) {
			t.Errorf("%s is set by %q, as another field is", name, f.String())
		} else if f.Kind() == reflect.String {
			values[f.String()] = true
		}
	}
	for name := range configurationAttributes() {
		var unknown configurationModel
		setField(t, reflect.ValueOf(&unknown).Elem(), name, nil)
		if !unknown.isUnknown() {
			t.Errorf("an unknown %s does not defer", name)
		}
	}
}

// setField sets the field of an attribute; nil is unknown.
func setField(t *testing.T, model reflect.Value, attribute string, v attr.Value) {
	t.Helper()
	for i := range model.NumField() {
		if model.Type().Field(i).Tag.Get("tfsdk") != attribute {
			continue
		}
		if v == nil {
			switch model.Field(i).Interface().(type) {
			case types.Bool:
				v = types.BoolUnknown()
			case types.Int64:
				v = types.Int64Unknown()
			case types.List:
				v = types.ListValueMust(types.StringType, []attr.Value{types.StringUnknown()})
			default:
				v = types.StringUnknown()
			}
		}
		model.Field(i).Set(reflect.ValueOf(v))
		return
	}
	t.Fatalf("no field for the attribute %s", attribute)
}

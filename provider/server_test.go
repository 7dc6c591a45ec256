package provider_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/watertight-data/terraform-provider-watertight/provider"
)

// planned asks both servers for the plan of a loader job, and wants one answer. short tells that ours did not take it apart.
func planned(t *testing.T, kind tftypes.Type, config, prior map[string]tftypes.Value) (plan map[string]tftypes.Value, short bool) {
	t.Helper()
	pack := func(attributes map[string]tftypes.Value) *tfprotov6.DynamicValue {
		v, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, attributes))
		if err != nil {
			t.Fatal(err)
		}
		return &v
	}
	// As Terraform proposes: the configuration, and the state where it has nothing and the attribute may be computed.
	proposed := maps.Clone(prior)
	computed := map[string]bool{}
	for _, a := range providerSchema(t).ResourceSchemas["watertight_loader_job"].Block.Attributes {
		computed[a.Name] = a.Computed
	}
	for name, v := range config {
		if !v.IsNull() || !computed[name] {
			proposed[name] = v
		}
	}
	req := &tfprotov6.PlanResourceChangeRequest{TypeName: "watertight_loader_job", PriorState: pack(prior), ProposedNewState: pack(proposed), Config: pack(config), PriorPrivate: []byte(`{}`)}
	ask := func(s tfprotov6.ProviderServer) tftypes.Value {
		if _, err := s.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
			t.Fatal(err)
		}
		resp, err := s.PlanResourceChange(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range resp.Diagnostics {
			t.Errorf("%s: %s", d.Summary, d.Detail)
		}
		if resp.PlannedState == nil {
			t.Fatal("no planned state")
		}
		short = short || resp.PlannedState == req.PriorState
		v, err := resp.PlannedState.Unmarshal(kind)
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.RequiresReplace) > 0 {
			t.Errorf("replaces for %v", resp.RequiresReplace)
		}
		return v
	}
	got, want := ask(provider.Server("test")()), ask(providerserver.NewProtocol6(provider.New("test")())())
	if !got.Equal(want) {
		t.Errorf("planned\n%s\nthe framework plans\n%s", got, want)
	}
	if err := got.As(&plan); err != nil {
		t.Fatal(err)
	}
	return plan, short
}

// The plan of an unchanged loader job is answered without the framework; it must be what the framework answers, and an
// attribute that is taken out of the configuration must still fall back to its default (J02).
func TestUnchangedPlanIsTheFrameworks(t *testing.T) {
	t.Parallel()
	kind, ok := providerSchema(t).ResourceSchemas["watertight_loader_job"].ValueType().(tftypes.Object)
	if !ok {
		t.Fatal("the schema is no object")
	}
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	config := map[string]tftypes.Value{}
	for name, of := range kind.AttributeTypes {
		config[name] = tftypes.NewValue(of, nil)
	}
	notebookTask := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"notebook_path": tftypes.String}}
	task := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"task_key": tftypes.String, "notebook_task": notebookTask}}
	tasks := tftypes.Tuple{ElementTypes: []tftypes.Type{task}}
	settings := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"tasks": tasks}}
	key := kind.AttributeTypes["key"].(tftypes.Object)
	schedule := kind.AttributeTypes["schedule"]
	maps.Copy(config, map[string]tftypes.Value{
		"name": text("load"), "source": text("main.events.s"), "target": text("main.events.t"), "event_time": text("at"), "max_duration": text("20m"),
		"key": tftypes.NewValue(key, map[string]tftypes.Value{"partition": text("p"), "sequence": text("q"),
			"columns": tftypes.NewValue(key.AttributeTypes["columns"], nil)}),
		"schedule": tftypes.NewValue(schedule, map[string]tftypes.Value{"quartz_cron_expression": text("0 0/15 * * * ?"), "timezone_id": text("UTC")}),
		"settings": tftypes.NewValue(settings, map[string]tftypes.Value{"tasks": tftypes.NewValue(tasks, []tftypes.Value{
			tftypes.NewValue(task, map[string]tftypes.Value{"task_key": text("load"), "notebook_task": tftypes.NewValue(notebookTask, map[string]tftypes.Value{"notebook_path": text("/Shared/load")})})})}),
	})
	starts := kind.AttributeTypes["starts"].(tftypes.Object)
	prior := maps.Clone(config)
	maps.Copy(prior, map[string]tftypes.Value{
		"id": text("7"), "url": text("https://example.com/jobs/7"), "owner": text("0e0a1d9c-6f3c-4a52-8e0a-2f5c1d9e7b11"),
		"settle_delay": text("0s"), "settle_clock": text("wall"), "reads": text("snapshot"), "pause_status": text("UNPAUSED"),
		"starts": tftypes.NewValue(starts, map[string]tftypes.Value{"kind": text("schedule"), "quartz_cron_expression": text("0 0/15 * * * ?"), "timezone_id": text("UTC"),
			"period_seconds": tftypes.NewValue(tftypes.Number, nil), "on_overlap": text("skip"), "max_concurrent_runs": tftypes.NewValue(tftypes.Number, 1)}),
	})
	changed := func(of map[string]tftypes.Value, name string, v tftypes.Value) map[string]tftypes.Value {
		out := maps.Clone(of)
		out[name] = v
		return out
	}
	for name, c := range map[string]map[string]tftypes.Value{"left out": config, "written out": changed(config, "reads", text("snapshot"))} {
		if _, short := planned(t, kind, c, prior); !short {
			t.Errorf("%s: the framework was asked", name)
		}
	}
	for name, fallback := range map[string]string{"pause_status": "UNPAUSED", "settle_delay": "0s", "settle_clock": "wall", "reads": "snapshot"} {
		other := map[string]string{"pause_status": "PAUSED", "settle_delay": "30m", "settle_clock": "newest_event", "reads": "delta_stream"}[name]
		plan, _ := planned(t, kind, config, changed(prior, name, text(other)))
		if !plan[name].Equal(text(fallback)) {
			t.Errorf("%s: planned %s, want %s", name, plan[name], fallback)
		}
	}
	plan, _ := planned(t, kind, changed(config, "max_duration", text("40m")), prior)
	if !plan["max_duration"].Equal(text("40m")) {
		t.Errorf("max_duration: planned %s", plan["max_duration"])
	}
}

// What server.go relies on: defaults stand at the top of the loader's schema and nowhere below.
func TestLoaderHasNoNestedDefaults(t *testing.T) {
	t.Parallel()
	var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
	walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			if strings.Contains(at, ".") && a.Optional && a.Computed {
				t.Errorf("%s.%s is optional and computed", at, a.Name)
			}
			if a.NestedType != nil {
				walk(at+"."+a.Name, a.NestedType.Attributes)
			}
		}
	}
	walk("watertight_loader_job", providerSchema(t).ResourceSchemas["watertight_loader_job"].Block.Attributes)
}

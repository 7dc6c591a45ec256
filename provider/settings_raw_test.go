package provider

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func TestToRaw(t *testing.T) {
	t.Parallel()
	parse := func(text string) types.Number {
		f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return types.NumberValue(f)
	}
	text := types.StringType
	cases := []struct {
		name  string
		in    attr.Value
		want  any
		known bool
	}{
		{"integer above 2^53", parse("9007199254740993"), json.Number("9007199254740993"), true},
		{"integer above 2^64", parse("36893488147419103233"), json.Number("36893488147419103233"), true},
		{"fraction", parse("0.1"), json.Number("0.1"), true},
		{"negative", parse("-12.75"), json.Number("-12.75"), true},
		{"zero", parse("0"), json.Number("0"), true},
		{"tuple", types.TupleValueMust([]attr.Type{text, types.BoolType}, []attr.Value{types.StringValue("a"), types.BoolValue(true)}), []any{"a", true}, true},
		{"list", types.ListValueMust(text, []attr.Value{types.StringValue("a")}), []any{"a"}, true},
		{"empty tuple", types.TupleValueMust(nil, nil), []any{}, true},
		{"map", types.MapValueMust(text, map[string]attr.Value{"k": types.StringValue("v")}), map[string]any{"k": "v"}, true},
		{"empty object", types.ObjectValueMust(nil, nil), map[string]any{}, true},
		{"null in an object", types.ObjectValueMust(map[string]attr.Type{"a": types.DynamicType}, map[string]attr.Value{"a": types.DynamicNull()}), map[string]any{}, true},
		{"null in a tuple", types.TupleValueMust([]attr.Type{text, text}, []attr.Value{types.StringNull(), types.StringValue("a")}), []any{"a"}, true},
		{"a null of no type", types.DynamicNull(), nil, true},
		{"set", types.SetValueMust(text, []attr.Value{types.StringValue("a")}), []any{"a"}, true},
		{"empty list", types.ListValueMust(text, nil), []any{}, true},
		{"empty map", types.MapValueMust(text, nil), map[string]any{}, true},
		{"unknown in a map", types.MapValueMust(text, map[string]attr.Value{"a": types.StringUnknown()}), map[string]any{"a": jobspec.Unknown{}}, false},
		{"unknown in a list", types.TupleValueMust([]attr.Type{text, text}, []attr.Value{types.StringValue("a"), types.StringUnknown()}), []any{"a", jobspec.Unknown{}}, false},
		{"unknown of no type", types.DynamicUnknown(), jobspec.Unknown{}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := toRaw(types.DynamicValue(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.value); diff != "" || got.known != c.known {
				t.Errorf("known %v, want %v\n%s", got.known, c.known, diff)
			}
		})
	}
}

// What is converted to a value of Terraform and back is what it was.
func TestRawRoundTrip(t *testing.T) {
	t.Parallel()
	in := map[string]any{
		"tasks": []any{map[string]any{"task_key": "a", "max_retries": json.Number("3"), "depends_on": []any{}}, map[string]any{"task_key": "b"}},
		"big":   json.Number("9007199254740993"), "half": json.Number("0.5"), "on": true, "nothing": map[string]any{},
	}
	value, err := fromRaw(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := toRaw(value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(in), out.value); diff != "" {
		t.Error(diff)
	}
}

func TestRefreshSettings(t *testing.T) {
	t.Parallel()
	task := func(key string, more map[string]any) any {
		out := map[string]any{"task_key": key, "notebook_task": map[string]any{"notebook_path": "/" + key}}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	cases := []struct {
		name               string
		wanted, live, then jobspec.Settings
	}{
		{
			"a value in the second of two shuffled tasks",
			jobspec.Settings{"tasks": []any{task("b", nil), task("a", map[string]any{"max_retries": json.Number("1")})}},
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"max_retries": json.Number("5"), "run_if": "ALL_SUCCESS"}), task("b", nil)}},
			jobspec.Settings{"tasks": []any{task("b", nil), task("a", map[string]any{"max_retries": json.Number("5")})}},
		},
		{
			"a task added and one removed",
			jobspec.Settings{"tasks": []any{task("a", nil), task("b", nil)}},
			jobspec.Settings{"tasks": []any{task("b", nil), task("c", nil)}},
			jobspec.Settings{"tasks": []any{task("b", nil), task("c", nil)}},
		},
		{
			"a field added at the top and one in a task",
			jobspec.Settings{"tasks": []any{task("a", nil)}},
			jobspec.Settings{"description": "hand made", "tasks": []any{task("a", map[string]any{"max_retries": json.Number("2")})}},
			jobspec.Settings{"description": "hand made", "tasks": []any{task("a", map[string]any{"max_retries": json.Number("2")})}},
		},
		{
			"a key with dots in a map",
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"new_cluster": map[string]any{"spark_version": "16", "spark_conf": map[string]any{"spark.a.b": "1"}}})}},
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"new_cluster": map[string]any{"spark_version": "16", "spark_conf": map[string]any{"spark.a.b": "1", "spark.c.d": "2"}}})}},
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"new_cluster": map[string]any{"spark_version": "16", "spark_conf": map[string]any{"spark.a.b": "1", "spark.c.d": "2"}}})}},
		},
		{
			"an edge of depends_on removed, the others in another order",
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"depends_on": []any{map[string]any{"task_key": "f"}, map[string]any{"task_key": "e"}, map[string]any{"task_key": "b"}}})}},
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"depends_on": []any{map[string]any{"task_key": "b"}, map[string]any{"task_key": "f"}}})}},
			jobspec.Settings{"tasks": []any{task("a", map[string]any{"depends_on": []any{map[string]any{"task_key": "f"}, map[string]any{"task_key": "b"}}})}},
		},
		{
			"nothing but order and defaults",
			jobspec.Settings{"tasks": []any{task("a", nil), task("b", nil)}},
			jobspec.Settings{"format": "MULTI_TASK", "tasks": []any{task("b", map[string]any{"run_if": "ALL_SUCCESS"}), task("a", nil)}},
			jobspec.Settings{"tasks": []any{task("a", nil), task("b", nil)}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, _ := jobspec.Refresh(c.wanted, c.live)
			if diff := cmp.Diff(c.then, got); diff != "" {
				t.Error(diff)
			}
			if left := jobspec.Compare(got, c.live); len(left) != 0 {
				t.Errorf("still different: %v", left)
			}
		})
	}
}

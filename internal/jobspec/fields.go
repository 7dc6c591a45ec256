package jobspec

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/databricks/databricks-sdk-go/service/jobs"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// newer are fields that the SDK's types lack, by the pattern of the object they are in.
type newer struct {
	in, name string
	kind     reflect.Type
	source   string
}

func newerFields() []newer {
	return []newer{
		{"trigger", "table", reflect.TypeFor[jobs.TableUpdateTriggerConfiguration](),
			"name of table_update before databricks-sdk-go v0.30; the API still takes it"},
	}
}

// fieldsOf are the JSON fields of an SDK type with the types of their values.
func fieldsOf(pattern string, t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" {
			out[name] = f.Type
		}
	}
	for _, n := range newerFields() {
		if n.in == pattern {
			out[n.name] = n.kind
		}
	}
	return out
}

// enumOf are the values of an SDK enumeration; none when the type is not one.
func enumOf(t reflect.Type) []string {
	method := reflect.New(t).MethodByName("Values")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return nil
	}
	list := method.Call(nil)[0]
	if list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.String {
		return nil
	}
	var out []string
	for i := range list.Len() {
		out = append(out, list.Index(i).String())
	}
	return out
}

// numeral is a number in whatever type it came, as text.
func numeral(v any) (string, bool) {
	switch n := v.(type) {
	case json.Number:
		return n.String(), true
	case int, int32, int64, uint, uint32, uint64, float32, float64:
		return strings.TrimSuffix(fmt.Sprint(n), ".0"), true
	}
	return "", false
}

// nearest is the candidate with the fewest edits, when they are few for a name of this length.
func nearest(name string, candidates []string) (string, bool) {
	best, fewest := "", 0
	for _, c := range candidates {
		d := edits(strings.ToLower(name), strings.ToLower(c))
		if best == "" || d < fewest {
			best, fewest = c, d
		}
	}
	return best, best != "" && 2*fewest <= 5*max(2, len(name)/3)
}

// edits weighs insertions, deletions and swaps of neighbours with 2 and replacements with 3: letters that are lost or
// swapped are more often a slip than other letters. "taks" is tasks, not tags.
func edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = 2 * i
	}
	for j := range y {
		rows[0][j+1] = 2 * (j + 1)
	}
	for i := range x {
		for j := range y {
			cost := 3
			if x[i] == y[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+2, rows[i+1][j]+2, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+2)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// Owned finds the fields of settings that belong to a typed attribute: two places for one value would contradict
// each other one day.
func Owned(s Settings) []Problem {
	var out []Problem
	add := func(path []any, attribute string) {
		out = append(out, Problem{Path: path, Summary: fmt.Sprintf("%s belongs to the attribute %s", place(path), attribute),
			Detail: fmt.Sprintf("Remove %s from settings and set the attribute %s of the resource: it is part of what Watertight checks.", place(path), attribute)})
	}
	for _, o := range []struct{ field, attribute string }{
		{"name", "name"}, {"schedule", "schedule"}, {"continuous", "continuous"}, {"timeout_seconds", "max_duration"},
	} {
		if s[o.field] != nil {
			add([]any{o.field}, o.attribute)
		}
	}
	if object(s["trigger"])["pause_status"] != nil {
		add([]any{"trigger", "pause_status"}, "pause_status")
	}
	for i, t := range list(s["triggers"]) {
		if object(t)["pause_status"] != nil {
			add([]any{"triggers", i, "pause_status"}, "pause_status")
		}
	}
	var tags []string
	for k := range object(s["tags"]) {
		if strings.HasPrefix(k, contract.TagPrefix) {
			tags = append(tags, k)
		}
	}
	slices.Sort(tags)
	for _, k := range tags {
		add([]any{"tags", k}, strings.TrimPrefix(k, contract.TagPrefix))
	}
	return out
}

package jobspec

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/databricks/databricks-sdk-go/service/jobs"
)

// everyField visits each field once.
func everyField(visit func(f *Field)) {
	seen := map[*Field]bool{}
	var walk func(f *Field)
	walk = func(f *Field) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		visit(f)
		for _, name := range f.Names {
			walk(f.Fields[name])
		}
		walk(f.Element)
	}
	walk(Settled())
}

// The table and the SDK's types agree: each list of objects says how it is compared, and each line is about a field.
func TestRulesMatchFields(t *testing.T) {
	t.Parallel()
	fields := map[string]*Field{}
	everyField(func(f *Field) {
		fields[f.Pattern] = f
		if f.Kind != List || f.Element.Kind != Object {
			return
		}
		r := f.Element.rule
		switch {
		case r.key == "" && !r.set && !r.ordered:
			t.Errorf("%s is a list of objects, and no line of the table says whether it has a key, is a set, or keeps its order", f.Pattern)
		case r.key != "" && f.Element.Fields[r.key] == nil:
			t.Errorf("%s: its elements have no field %q", f.Pattern, r.key)
		}
	})
	if len(fields) < 300 {
		t.Errorf("only %d fields were walked", len(fields))
	}
	lines := map[string]bool{}
	for _, r := range rules() {
		if r.source == "" {
			t.Errorf("%s has no source", r.field)
		}
		for _, pattern := range expand(r.field) {
			f := fields[pattern]
			if f == nil {
				t.Errorf("%s is no field of the Jobs API", pattern)
				continue
			}
			if lines[pattern] {
				t.Errorf("%s has two lines", pattern)
			}
			lines[pattern] = true
			if strings.HasSuffix(pattern, "[]") != (r.key != "" || r.set || r.ordered) {
				t.Errorf("%s: a key, a set and an order are of elements", pattern)
			}
			for _, group := range append(r.alike, []string{r.chosen}) {
				for _, v := range group {
					if v != "" && !slices.Contains(f.Values, v) {
						t.Errorf("%s has no value %q", pattern, v)
					}
				}
			}
			for _, d := range r.defaults {
				if s, ok := d.(string); ok && len(f.Values) > 0 && !slices.Contains(f.Values, s) {
					t.Errorf("%s has no value %q to be its default", pattern, s)
				}
			}
		}
	}
	sdk := grower{made: map[string]*Field{}}
	sdk.grow("", reflect.TypeFor[jobs.JobSettings](), false, false)
	for _, n := range newerFields() {
		if sdk.made[join(n.in, n.name)] != nil {
			t.Errorf("%s.%s: the SDK has it by now: take it out of the table", n.in, n.name)
		}
		if n.source == "" || fields[join(n.in, n.name)] == nil {
			t.Errorf("%s.%s: no source, or in no object", n.in, n.name)
		}
	}
	for pattern, values := range newerValues() {
		f := fields[pattern]
		if f == nil || len(values) == 0 || len(f.Values) == len(values) {
			t.Errorf("%s is no enumeration of the SDK", pattern)
			continue
		}
		for _, v := range values {
			if slices.Index(f.Values, v) < len(f.Values)-len(values) {
				t.Errorf("%s: the SDK knows %s by now: take it out of the table", pattern, v)
			}
		}
	}
}

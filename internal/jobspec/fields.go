package jobspec

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/databricks/databricks-sdk-go/service/jobs"
)

// Kind is what a value of a field is.
type Kind string

// The kinds of values. Any is a value that the SDK leaves open.
const (
	Object  Kind = "object"
	List    Kind = "list"
	Map     Kind = "map"
	Text    Kind = "text"
	Bool    Kind = "bool"
	Integer Kind = "integer"
	Number  Kind = "number"
	Any     Kind = "any"
)

// Field is a place in job settings, with all that is known about it. It is never changed after it was made.
type Field struct {
	// Pattern is the path without positions: tasks[].run_if. A task inside for_each_task has the pattern of a task.
	Pattern string
	Kind    Kind
	// Values are those of an enumeration; none for other texts.
	Values []string
	// Fields are those of an object, Names their names in order.
	Fields map[string]*Field
	Names  []string
	// Element is that of a list or a map.
	Element *Field
	// Key is the field by which the elements of this list are matched. Set: their order has no meaning.
	Key string
	Set bool
	// Filled: the server chooses a value where none is named. InputOnly: it is not given back.
	Filled, InputOnly bool
	// Secret: a value of it is never printed.
	Secret bool

	rule rule
}

// Settled is the root of the fields: the settings of a job.
func Settled() *Field { return root() }

// root holds what follows from the SDK's types and the tables alone; it is made when it is first asked for.
//
//nolint:gochecknoglobals // a constant that takes 2 ms to make
var root = sync.OnceValue(func() *Field {
	g := grower{rules: map[string]rule{}, made: map[string]*Field{}, newer: newerFields(), values: newerValues()}
	for _, r := range rules() {
		keys := expand(r.key)
		for i, pattern := range expand(r.field) {
			one := r
			one.key = keys[min(i, len(keys)-1)]
			g.rules[pattern] = one
		}
	}
	return g.grow("", reflect.TypeFor[jobs.JobSettings](), false, false)
})

// grower makes the fields from the SDK's types.
type grower struct {
	rules  map[string]rule
	made   map[string]*Field
	newer  []newer
	values map[string][]string
}

func (g *grower) grow(pattern string, t reflect.Type, filled, secret bool) *Field {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	pattern = canonical(pattern)
	if f, ok := g.made[pattern]; ok {
		return f
	}
	r := g.rules[pattern]
	f := &Field{Pattern: pattern, rule: r, Filled: filled || r.filled, InputOnly: r.inputOnly, Secret: secret || isSecret(pattern)}
	g.made[pattern] = f
	switch t.Kind() {
	case reflect.Struct:
		f.Kind, f.Fields = Object, map[string]*Field{}
		g.fields(f, t)
	case reflect.Slice:
		f.Kind = List
		f.Element = g.grow(pattern+"[]", t.Elem(), f.Filled, f.Secret)
		f.Key, f.Set = f.Element.rule.key, f.Element.rule.set
	case reflect.Map:
		f.Kind = Map
		f.Element = g.grow(pattern+".*", t.Elem(), f.Filled, true)
	case reflect.String:
		f.Kind, f.Values = Text, append(enumOf(t), g.values[pattern]...)
	case reflect.Bool:
		f.Kind = Bool
	case reflect.Int, reflect.Int32, reflect.Int64:
		f.Kind = Integer
	case reflect.Float32, reflect.Float64:
		f.Kind = Number
	default:
		f.Kind = Any
	}
	return f
}

func (g *grower) fields(f *Field, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && name != "" && name != "-" {
			f.Fields[name] = g.grow(join(f.Pattern, name), field.Type, f.Filled, f.Secret)
		}
	}
	for _, n := range g.newer {
		if n.in == f.Pattern {
			f.Fields[n.name] = g.grow(join(f.Pattern, n.name), n.kind, f.Filled, f.Secret)
		}
	}
	f.Names = slices.Sorted(maps.Keys(f.Fields))
	if len(f.Names) == 0 {
		f.Kind, f.Fields = Any, nil
	}
}

// isSecret holds for the places in which people keep secrets: all that is handed to programs. Maps of texts are secret
// whatever their name.
func isSecret(pattern string) bool {
	for _, end := range []string{".password", "_primary_key", ".parameters", "_params", ".commands", ".dbt_commands", ".inputs", "parameters[].default", "parameters[].value",
		"condition_task.left", "condition_task.right", ".yaml_parameters", ".command", ".goal"} {
		if strings.HasSuffix(pattern, end) {
			return true
		}
	}
	return false
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

// below is the field of this name, nil for one that nobody knows; so is the element of an unknown list.
func (f *Field) below(name string) *Field {
	switch {
	case f == nil:
		return nil
	case f.Kind == Map:
		return f.Element
	}
	return f.Fields[name]
}

func (f *Field) element() *Field {
	if f == nil || f.Kind != List {
		return nil
	}
	return f.Element
}

func join(pattern, name string) string {
	if pattern == "" {
		return name
	}
	return pattern + "." + name
}

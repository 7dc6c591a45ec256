package jobspec

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/databricks/databricks-sdk-go/service/jobs"
)

// Problem is something wrong in settings. Path leads to it: texts for fields and keys, ints for positions.
type Problem struct {
	Path            []any
	Summary, Detail string
}

// Place is the path as people write it: tasks[0].sql_task.warehouse_id.
func (p Problem) Place() string { return place(p.Path) }

func place(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// Validate finds everything wrong in settings that stand beside typed attributes: fields the Jobs API does not have,
// values of the wrong type, enumeration values it does not have, and fields that belong to a typed attribute.
func Validate(s Settings) []Problem {
	return inOrder(append(ValidateFields(s), Owned(s)...))
}

// ValidateFields finds what is wrong in settings taken alone.
func ValidateFields(s Settings) []Problem {
	v := &validation{}
	v.object(nil, "", s, reflect.TypeFor[jobs.JobSettings]())
	return inOrder(v.problems)
}

func inOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return slices.CompareFunc(a.Path, b.Path, compareSteps) })
	return problems
}

func compareSteps(a, b any) int {
	i, isInt := a.(int)
	j, isAlsoInt := b.(int)
	if isInt && isAlsoInt {
		return cmp.Compare(i, j)
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

type validation struct{ problems []Problem }

func (v *validation) add(path []any, summary, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: path, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// value checks one value against the SDK's type of it. The pattern is the path without positions.
func (v *validation) value(path []any, pattern string, value any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if _, unknown := value.(Unknown); unknown || value == nil {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if m, ok := value.(map[string]any); ok {
			v.object(path, pattern, m, t)
			return
		}
		v.wrongType(path, value, "an object")
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return // raw JSON
		}
		if l, ok := value.([]any); ok {
			v.list(path, pattern, l, t.Elem())
			return
		}
		v.wrongType(path, value, "a list")
	case reflect.Map:
		m, ok := value.(map[string]any)
		if !ok {
			v.wrongType(path, value, "a map")
			return
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			v.value(step(path, k), pattern+".*", m[k], t.Elem())
		}
	default:
		v.scalar(path, value, t)
	}
}

func (v *validation) object(path []any, pattern string, m map[string]any, t reflect.Type) {
	fields := fieldsOf(pattern, t)
	if len(fields) == 0 {
		return // a type that the SDK leaves open
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		field, ok := fields[name]
		if !ok {
			v.unknownField(step(path, name), pattern, name, fields)
			continue
		}
		v.value(step(path, name), join(pattern, name), m[name], field)
	}
}

func (v *validation) list(path []any, pattern string, l []any, element reflect.Type) {
	pattern += "[]"
	key := keyOf(pattern)
	first := map[string]int{}
	for i, e := range l {
		v.value(step(path, i), pattern, e, element)
		name := text(object(e)[key])
		if key == "" || name == "" {
			continue
		}
		if other, seen := first[name]; seen && pattern != "tasks[].depends_on[]" {
			v.add(step(step(path, i), key), fmt.Sprintf("%q comes twice", name), "%s and %s have the same %s: %q. Give each a name of its own.",
				place(step(path, other)), place(step(path, i)), key, name)
			continue
		}
		first[name] = i
	}
}

func (v *validation) scalar(path []any, value any, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		s, ok := value.(string)
		if !ok {
			v.wrongType(path, value, "a text")
			return
		}
		if values := enumOf(t); len(values) > 0 && !slices.Contains(values, s) {
			hint := ""
			if n, ok := nearest(s, values); ok {
				hint = fmt.Sprintf(" Did you mean %q?", n)
			}
			v.add(path, fmt.Sprintf("%q is no value of %s", s, lastName(path)), "%s is one of %s; %q is not.%s", place(path), strings.Join(values, ", "), s, hint)
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			v.wrongType(path, value, "true or false")
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if !isInteger(value) {
			v.wrongType(path, value, "a whole number")
		}
	case reflect.Float32, reflect.Float64:
		if _, ok := numeral(value); !ok {
			v.wrongType(path, value, "a number")
		}
	}
}

func (v *validation) wrongType(path []any, value any, wanted string) {
	hint := ""
	if wanted == "a text" {
		if _, isNumber := numeral(value); isNumber || reflect.TypeOf(value).Kind() == reflect.Bool {
			hint = fmt.Sprintf(" Write it in quotes: %q.", fmt.Sprint(value))
		}
	}
	v.add(path, lastName(path)+" has the wrong type", "%s must be %s, and is %s.%s", place(path), wanted, describe(value), hint)
}

func (v *validation) unknownField(path []any, pattern, name string, fields map[string]reflect.Type) {
	summary := fmt.Sprintf("unknown field %q", name)
	where := "job settings"
	if pattern != "" {
		where = place(path[:len(path)-1])
	}
	if why := elsewhere(pattern, name); why != "" {
		v.add(path, summary, "%s is no field of %s: %s", place(path), where, why)
		return
	}
	names := slices.Sorted(maps.Keys(fields))
	if n, ok := nearest(name, names); ok {
		v.add(path, summary, "The Jobs API has no field %q in %s. Did you mean %q?", name, where, n)
		return
	}
	v.add(path, summary, "The Jobs API has no field %q in %s. Its fields are %s.", name, where, strings.Join(names, ", "))
}

// elsewhere explains names that people know from other places.
func elsewhere(pattern, name string) string {
	if pattern != "" {
		return ""
	}
	switch name {
	case "permissions", "lifecycle":
		return "it belongs to bundles. Leave it out, and grant permissions with a resource of their own, such as databricks_permissions."
	case "settings", "job_id", "created_time", "creator_user_name", "run_as_user_name", "has_more", "next_page_token":
		return "it belongs to the answer of jobs get. Give the object under its settings."
	case "access_control_list":
		return "the API takes it only when a job is created. Grant permissions with a resource of their own, such as databricks_permissions."
	case "notebook_task", "spark_python_task", "spark_jar_task", "sql_task", "new_cluster", "existing_cluster_id", "libraries", "max_retries":
		return "it belongs to a task since version 2.1 of the Jobs API. Move it into an element of tasks."
	}
	return ""
}

func step(path []any, next any) []any { return append(slices.Clone(path), next) }

func join(pattern, name string) string {
	if pattern == "" {
		return name
	}
	return pattern + "." + name
}

func lastName(path []any) string {
	for _, s := range slices.Backward(path) {
		if name, ok := s.(string); ok {
			return name
		}
	}
	return "the value"
}

func describe(value any) string {
	switch v := value.(type) {
	case string:
		return "the text " + strconv.Quote(v)
	case bool:
		return "the value " + strconv.FormatBool(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	if n, ok := numeral(value); ok {
		return "the number " + n
	}
	return fmt.Sprintf("a %T", value)
}

func isInteger(value any) bool {
	if f, ok := value.(float64); ok {
		return f == math.Trunc(f)
	}
	n, ok := numeral(value)
	if !ok {
		return false
	}
	_, err := strconv.ParseInt(n, 10, 64)
	return err == nil
}

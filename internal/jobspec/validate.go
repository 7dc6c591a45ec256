package jobspec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Problem is something wrong in settings. Path leads to it: texts for fields and keys, ints for positions. A text that
// could be a secret is never part of its words.
type Problem struct {
	Path            []any
	Summary, Detail string
	// Warning: the settings can be used, and something is to be said.
	Warning bool
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

// Validate finds everything wrong in settings that stand beside typed attributes: what ValidateFields finds, what cannot
// be together, and fields that say other than the attribute they belong to. Unknown values are not judged.
func Validate(s Settings, a Attributes) []Problem {
	v := &validation{}
	v.object(Settled(), s)
	v.structure(s, a)
	v.owned(s, a)
	return inOrder(v.problems)
}

// ValidateFields finds what is wrong in settings taken alone: fields that the Jobs API does not have, values of the
// wrong type, values that an enumeration does not have.
func ValidateFields(s Settings) []Problem {
	v := &validation{}
	v.object(Settled(), s)
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

// validation keeps the path of the place it looks at.
type validation struct {
	path     []any
	problems []Problem
}

// at looks at a place below.
func (v *validation) at(step any, look func()) {
	v.path = append(v.path, step)
	look()
	v.path = v.path[:len(v.path)-1]
}

func (v *validation) add(summary, format string, args ...any) {
	v.problems = append(v.problems, Problem{Path: slices.Clone(v.path), Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// place is where the validation is, with steps below.
func (v *validation) place() string { return place(v.path) }

func (v *validation) value(f *Field, value any) {
	if _, unknown := value.(Unknown); unknown || value == nil || v.placeholder(value) {
		return
	}
	switch f.Kind {
	case Object:
		if m, ok := value.(map[string]any); ok {
			v.object(f, m)
			return
		}
		v.wrongType(f, value, "an object")
	case List:
		if l, ok := value.([]any); ok {
			v.list(f, l)
			return
		}
		v.wrongType(f, value, "a list")
	case Map:
		m, ok := value.(map[string]any)
		if !ok {
			v.wrongType(f, value, "a map")
			return
		}
		for _, k := range slices.Sorted(maps.Keys(m)) {
			v.at(k, func() { v.value(f.Element, m[k]) })
		}
	case Any:
	default:
		v.scalar(f, value)
	}
}

func (v *validation) object(f *Field, m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		below, ok := f.Fields[name]
		v.at(name, func() {
			if !ok {
				v.unknownField(f, name)
				return
			}
			v.value(below, m[name])
		})
	}
}

func (v *validation) list(f *Field, l []any) {
	first := map[string]int{}
	for i, e := range l {
		v.at(i, func() {
			v.value(f.Element, e)
			name := text(object(e)[f.Key])
			if name == "" || f.Set {
				return
			}
			if other, seen := first[name]; seen {
				here, there := v.place(), place(append(slices.Clone(v.path[:len(v.path)-1]), other))
				v.at(f.Key, func() {
					v.add(fmt.Sprintf("%q comes twice", name), "The %s of %s and of %s is %q. Give each a name of its own.", f.Key, there, here, name)
				})
				return
			}
			first[name] = i
		})
	}
}

func (v *validation) scalar(f *Field, value any) {
	switch f.Kind {
	case Text:
		s, ok := value.(string)
		if !ok {
			v.wrongType(f, value, "a text")
			return
		}
		if len(f.Values) > 0 && !slices.Contains(f.Values, s) {
			v.wrongValue(f, s)
		}
	case Bool:
		if _, ok := value.(bool); !ok {
			v.wrongType(f, value, "true or false")
		}
	case Integer:
		if !isInteger(value) {
			v.wrongType(f, value, "a whole number")
		}
	case Number:
		if _, ok := numeral(value); !ok {
			v.wrongType(f, value, "a number")
		}
	}
}

func (v *validation) wrongValue(f *Field, s string) {
	name := lastName(v.path)
	if s == "" {
		v.add("Empty "+name, "It is empty. Write one of %s, or leave it out for the default.", strings.Join(f.Values, ", "))
		return
	}
	hint := ""
	if n, ok := nearest(s, f.Values); ok {
		hint = fmt.Sprintf(" Did you mean %q?", n)
	}
	v.add(fmt.Sprintf("%q is no value of %s", s, name), "It is one of %s; %q is not.%s", strings.Join(f.Values, ", "), s, hint)
}

// placeholder refuses what only the Databricks CLI replaces: a bundle that Terraform decodes has it as plain text.
func (v *validation) placeholder(value any) bool {
	found := bundleReference(text(value))
	if found != "" {
		v.add("A bundle's placeholder", "%s is replaced by `databricks bundle` and not by Terraform: Databricks would get it as it stands. Write the value, or put it in before the file is decoded: "+
			"yamldecode(replace(file(\"databricks.yml\"), \"$%s\", var.x)).", found, found)
	}
	return found != ""
}

// bundleReference is the first reference of a bundle in a text, as ${var.catalog}; empty for none.
func bundleReference(s string) string {
	if !strings.Contains(s, "${") {
		return ""
	}
	return regexp.MustCompile(`\$\{(var|variables|bundle|workspace|resources|artifacts)\.[A-Za-z0-9_.\[\]-]+\}`).FindString(s)
}

func (v *validation) wrongType(f *Field, value any, wanted string) {
	hint := ""
	_, isNumber := numeral(value)
	_, isBool := value.(bool)
	switch s, isText := value.(string); {
	case f.Secret && isNumber:
		hint = " Write it in quotes."
	case f.Secret && isText:
	case wanted == "a text" && (isNumber || isBool):
		hint = fmt.Sprintf(" Write it in quotes: %q.", fmt.Sprint(value))
	case isText && (isInteger(json.Number(s)) || s == "true" || s == "false"):
		hint = " Write it without quotes: " + s + "."
	case isText && wanted == "a list":
		hint = " Write it in brackets: [ ... ]."
	}
	v.add(lastName(v.path)+" has the wrong type", "It must be %s, and is %s.%s", wanted, describe(f, value), hint)
}

func (v *validation) unknownField(f *Field, name string) {
	where := "job settings"
	if len(v.path) > 1 {
		where = place(v.path[:len(v.path)-1])
	}
	if why, left := elsewhere(f.Pattern, name); why != "" {
		if left {
			v.problems = append(v.problems, Problem{Path: slices.Clone(v.path), Summary: name + " is left out", Detail: why, Warning: true})
			return
		}
		v.add(fmt.Sprintf("unknown field %q", name), "It is no field of %s: %s", where, why)
		return
	}
	if n, ok := nearest(name, f.Names); ok {
		v.add(fmt.Sprintf("unknown field %q", name), "The Jobs API has no field %q in %s. Did you mean %q?", name, where, n)
		return
	}
	v.add(fmt.Sprintf("unknown field %q", name), "The Jobs API has no field %q in %s. Its fields are %s.", name, where, strings.Join(f.Names, ", "))
}

// elsewhere explains names that people know from other places. Left: the field is left out and all is well.
func elsewhere(pattern, name string) (why string, left bool) {
	if pattern != "" {
		return "", false
	}
	switch name {
	case "permissions":
		return "It belongs to bundles and is no part of a job's settings: it is not sent. Grant permissions with a resource of their own, such as databricks_permissions.", true
	case "lifecycle":
		return "It belongs to bundles and is no part of a job's settings: it is not sent. Write `lifecycle { prevent_destroy = true }` in the resource instead.", true
	case "settings", "job_id", "created_time", "creator_user_name", "run_as_user_name", "has_more", "next_page_token":
		return "it belongs to the answer of jobs get. Give the object under its settings: jsondecode(file(\"job.json\")).settings.", false
	case "access_control_list":
		return "the API takes it only when a job is created. Grant permissions with a resource of their own, such as databricks_permissions.", false
	case "max_retries", "min_retry_interval_millis", "retry_on_timeout":
		return fmt.Sprintf("Databricks retries tasks, not jobs, and takes it here without effect. Write it into each task that is to be retried: tasks = [{ ..., %s = ... }].", name), false
	case "notebook_task", "spark_python_task", "spark_jar_task", "spark_submit_task", "python_wheel_task", "pipeline_task", "dbt_task", "sql_task",
		"new_cluster", "existing_cluster_id", "libraries", "disable_auto_optimization", "depends_on", "task_key", "run_if":
		return "it belongs to a task since version 2.1 of the Jobs API. Move it into an element of tasks.", false
	}
	return "", false
}

func lastName(path []any) string {
	for _, s := range slices.Backward(path) {
		if name, ok := s.(string); ok {
			return name
		}
	}
	return "the value"
}

// describe names a value. Texts are only ever called that: any of them could be a secret.
func describe(f *Field, value any) string {
	switch v := value.(type) {
	case string:
		return "a text"
	case bool:
		return "the value " + strconv.FormatBool(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	n, ok := numeral(value)
	switch {
	case ok && f.Secret:
		return "a number"
	case ok:
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

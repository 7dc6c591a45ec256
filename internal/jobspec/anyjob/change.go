package anyjob

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// Change is a job with one place changed.
type Change struct {
	Settings jobspec.Settings
	// Path names the place as jobspec.Compare does; What says what was done to it.
	Path, What string
}

// Change changes one random place of settings so that the job is another one, and one that Databricks takes. It is false
// where the settings have no such place.
func (m *Maker) Change(s jobspec.Settings) (Change, bool) {
	c := changer{Maker: m}
	c.object(jobspec.Settled(), s, "", "", func(v any) jobspec.Settings { return v.(jobspec.Settings) })
	if len(c.possible) == 0 {
		return Change{}, false
	}
	return pick(m, c.possible)(), true
}

// changer collects what could be changed.
type changer struct {
	*Maker
	possible []func() Change
}

// rebuild makes the whole settings with another value at a place.
type rebuild func(v any) jobspec.Settings

func (c *changer) add(path, what string, with rebuild, v any) {
	c.possible = append(c.possible, func() Change { return Change{Settings: with(v), Path: path, What: what} })
}

func field(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *changer) object(f *jobspec.Field, in map[string]any, key, path string, with rebuild) {
	if in["apply_policy_default_values"] == true || in["is_single_node"] == true {
		return // what nobody named there is the server's
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		below := f.Element
		if f.Kind == jobspec.Object {
			below = f.Fields[name]
		}
		at := field(path, name)
		put := func(v any) jobspec.Settings {
			out := maps.Clone(in)
			if v == nil {
				delete(out, name)
			} else {
				out[name] = v
			}
			return with(out)
		}
		if name != key && !isFixed(below, at) {
			c.value(below, in[name], at, put)
		}
		if f.Kind == jobspec.Map {
			c.add(at, "removed", put, nil)
		}
	}
	c.additions(f, in, path, with)
}

// additions are texts that nobody wrote.
func (c *changer) additions(f *jobspec.Field, in map[string]any, path string, with rebuild) {
	if f.Kind == jobspec.Map {
		name := "added outside"
		c.add(field(path, name), "added", func(v any) jobspec.Settings {
			out := maps.Clone(in)
			out[name] = v
			return with(out)
		}, "x")
		return
	}
	for _, name := range f.Names {
		below, at := f.Fields[name], field(path, name)
		isPlain := below.Kind == jobspec.Text && len(below.Values) == 0 || below.Kind == jobspec.Integer
		if _, there := in[name]; there || !isPlain || isFixed(below, at) || below.Filled || below.InputOnly || strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "_id") {
			continue
		}
		v := any("added outside")
		if below.Kind == jobspec.Integer {
			v = json.Number("77")
		}
		c.add(at, "added", func(v any) jobspec.Settings {
			out := maps.Clone(in)
			out[name] = v
			return with(out)
		}, v)
	}
}

// isFixed holds for what cannot be changed alone, or not be seen: keys that others refer to, what the API checks, what it
// does not give back, and what attributes own.
func isFixed(f *jobspec.Field, path string) bool {
	name := f.Pattern[strings.LastIndexByte(f.Pattern, '.')+1:]
	switch {
	case f.Pattern == "" || f.InputOnly || strings.Contains(path, "."+"apply_policy"):
		return true
	case slices.Contains([]string{"format", "name", "schedule", "continuous", "timeout_seconds", "run_as", "access_control_list"}, path):
		return true
	case slices.Contains([]string{"task_key", "job_cluster_key", "environment_key", "existing_cluster_id", "warehouse_id", "quartz_cron_expression", "timezone_id", "pause_status", "git_provider",
		"git_url", "job_id", "outcome", "source", "condition", "git_snapshot", "data_security_mode", "max_concurrent_runs", "interval"}, name):
		return true
	}
	return false
}

func (c *changer) value(f *jobspec.Field, v any, path string, with rebuild) {
	switch v := v.(type) {
	case map[string]any:
		c.object(f, v, "", path, with)
	case []any:
		c.list(f, v, path, with)
	case string:
		switch {
		case len(f.Values) == 0:
			c.add(path, "another text", with, v+" changed outside")
		case len(f.Values) > 1:
			other := f.Values[(slices.Index(f.Values, v)+1)%len(f.Values)]
			c.add(path, "another value", with, other)
		}
	case bool:
		c.add(path, "the other", with, !v)
	case json.Number:
		c.add(path, "another number", with, json.Number("12345"))
	}
}

func (c *changer) list(f *jobspec.Field, l []any, path string, with rebuild) {
	for i, e := range l {
		put := func(v any) jobspec.Settings {
			out := slices.Clone(l)
			out[i] = v
			return with(out)
		}
		object, isObject := e.(map[string]any)
		switch {
		case f.Set && f.Key == "":
			if !isObject {
				c.add(path, "another element", put, fmt.Sprint(e, " changed outside"))
			}
		case f.Set: // edges: each is its key
		case f.Key != "":
			c.object(f.Element, object, f.Key, path+"["+object[f.Key].(string)+"]", put)
		case isObject:
			c.object(f.Element, object, "", fmt.Sprintf("%s[%d]", path, i), put)
		default:
			c.value(f.Element, e, fmt.Sprintf("%s[%d]", path, i), put)
		}
	}
	if f.Set && f.Key == "" && len(l) > 0 {
		c.add(path, "an element less", with, slices.Clone(l[1:]))
	}
}

// Package anyjob makes job settings for tests: random ones that Databricks would take, one with every field in it, and
// random changes of one place. It reads what fields there are from jobspec, so that no field is forgotten.
//
// It is deterministic: the same seed makes the same job.
package anyjob

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// Maker makes random settings.
type Maker struct {
	*rand.Rand
	// Warehouse is the id that SQL tasks name; some leave it out where they may.
	Warehouse string
	MayOmitIt bool
	// Sparse leaves out more fields, the higher it is.
	Sparse int
	// full: every field is there.
	full bool
}

// New starts a sequence of random settings.
func New(seed uint64, warehouse string) *Maker {
	return &Maker{Rand: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15)), Warehouse: warehouse}
}

// chance is true in one of n cases; always where every field is wanted.
func (m *Maker) chance(n int) bool { return m.full || m.IntN(n*(1+m.Sparse)) == 0 }

func pick[T any](m *Maker, from []T) T { return from[m.IntN(len(from))] }

// Job makes settings without what typed attributes own: no name, schedule, continuous or timeout_seconds of the job.
// Trigger is the kind that settings are to hold: trigger, triggers, or none. A continuous job has tasks that do not wait
// for each other.
func (m *Maker) Job(trigger string, continuous bool) jobspec.Settings {
	root := jobspec.Settled()
	s := jobspec.Settings{}
	for _, name := range root.Names {
		switch name {
		case "name", "schedule", "continuous", "timeout_seconds", "trigger", "triggers", "tasks", "job_clusters", "environments", "git_source":
			continue
		}
		if m.chance(4) {
			s[name] = m.Value(root.Fields[name])
		}
	}
	for _, name := range []string{"job_clusters", "environments"} {
		if m.chance(3) {
			s[name] = m.Value(root.Fields[name])
		}
	}
	if m.chance(4) {
		s["git_source"] = m.Value(root.Fields["git_source"])
	}
	switch trigger {
	case "trigger":
		s["trigger"] = m.trigger(root.Fields["trigger"], []string{"file_arrival", "model", "table_update", "table"})
	case "triggers":
		kinds := []string{"file_arrival", "model", "table_update", "schedule"}
		m.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		var all []any
		for i := range 1 + m.IntN(3) { // two of one kind could be told apart by what is not given back alone
			all = append(all, m.trigger(root.Fields["triggers"].Element, kinds[i:i+1]))
		}
		s["triggers"] = all
	}
	t := tasks{Maker: m, continuous: continuous, clusters: keys(s["job_clusters"], "job_cluster_key"), environments: keys(s["environments"], "environment_key")}
	s["tasks"] = t.make(root.Fields["tasks"].Element)
	return s
}

func keys(v any, key string) []string {
	var out []string
	l, _ := v.([]any)
	for _, e := range l {
		out = append(out, e.(map[string]any)[key].(string))
	}
	return out
}

func (m *Maker) trigger(f *jobspec.Field, kinds []string) any {
	kind := pick(m, kinds)
	out := map[string]any{kind: m.Value(f.Fields[kind])}
	if m.chance(4) {
		out["sql_condition"] = m.Value(f.Fields["sql_condition"])
	}
	return out
}

// Value makes a value of a field.
func (m *Maker) Value(f *jobspec.Field) any {
	if v, ok := m.particular(f); ok {
		return v
	}
	switch f.Kind {
	case jobspec.Text:
		if len(f.Values) > 0 {
			return pick(m, f.Values)
		}
		return m.text(f.Pattern)
	case jobspec.Bool:
		return m.IntN(2) == 0
	case jobspec.Integer:
		return json.Number(pick(m, []string{"0", "1", "7", "60", "2147483647"}))
	case jobspec.Number:
		return json.Number(pick(m, []string{"-1", "0.5", "0.1", "100"}))
	case jobspec.List:
		return m.list(f)
	case jobspec.Map:
		out := map[string]any{}
		for range m.IntN(3) + m.least() {
			out[pick(m, []string{"a", "spark.a.b", "K-1", "with space", "ü", "q\"uote", "x[0]"})] = m.Value(f.Element)
		}
		return out
	case jobspec.Object:
		return m.object(f)
	}
	return map[string]any{"any": "thing"}
}

// least is how many elements a list has at least.
func (m *Maker) least() int {
	if m.full {
		return 1
	}
	return 0
}

func (m *Maker) object(f *jobspec.Field) map[string]any {
	out := map[string]any{}
	for _, name := range f.Names {
		if f.Fields[name].Kind != jobspec.Object && m.chance(2) || m.chance(3) {
			out[name] = m.Value(f.Fields[name])
		}
	}
	return out
}

func (m *Maker) list(f *jobspec.Field) []any {
	out := []any{}
	seen := map[string]bool{}
	for range m.IntN(4) + m.least() {
		e := m.Value(f.Element)
		if object, ok := e.(map[string]any); ok && f.Key != "" {
			object[f.Key] = m.key(f, object[f.Key])
			if k := object[f.Key].(string); seen[k] {
				continue
			}
			seen[object[f.Key].(string)] = true
		}
		if s := fmt.Sprint(e); f.Set && seen[s] {
			continue
		} else if f.Set {
			seen[s] = true
		}
		out = append(out, e)
	}
	return out
}

// key is the key of an element: of an enumeration as it came, else a name that may be there already.
func (m *Maker) key(f *jobspec.Field, was any) string {
	if len(f.Element.Fields[f.Key].Values) > 0 {
		if s, ok := was.(string); ok {
			return s
		}
		return pick(m, f.Element.Fields[f.Key].Values)
	}
	return fmt.Sprintf("%s_%d", strings.TrimSuffix(f.Key, "_key"), m.IntN(1000))
}

// text makes texts that spellings trip over.
func (m *Maker) text(pattern string) string {
	if m.IntN(4) > 0 {
		return fmt.Sprintf("%s %d", pattern[strings.LastIndexByte(pattern, '.')+1:], m.IntN(100))
	}
	return pick(m, []string{"", "007", "true", "null", "1e5", " padded ", "two\nlines", "q\"uo'te", "back\\slash", "ünïcödé ☃", "a: b # c", "$dollar", "100%", "{{secrets/s/k}}", "-", "~", "[]", "2026-03-02", "<&>", "\ttab"})
}

// particular makes the values that Databricks checks.
func (m *Maker) particular(f *jobspec.Field) (any, bool) {
	name := f.Pattern[strings.LastIndexByte(f.Pattern, '.')+1:]
	switch {
	case name == "warehouse_id":
		return m.Warehouse, true
	case name == "quartz_cron_expression":
		return pick(m, []string{"0 0/15 * * * ?", "0 0 2 ? * SUN", "0 30 4 1 * ?"}), true
	case name == "timezone_id":
		return pick(m, []string{"UTC", "Europe/Berlin"}), true
	case name == "periodic":
		return map[string]any{"interval": json.Number(fmt.Sprint(1 + m.IntN(20))), "unit": pick(m, f.Fields["unit"].Values)}, true
	case f.Pattern == "triggers[].schedule":
		return map[string]any{"quartz_cron_expression": m.Value(f.Fields["quartz_cron_expression"]), "timezone_id": m.Value(f.Fields["timezone_id"])}, true
	case f.Pattern == "max_concurrent_runs":
		return json.Number(pick(m, []string{"0", "1", "1000"})), true
	case f.Pattern == "description":
		return "of " + m.text(f.Pattern), true
	case f.Pattern == "run_as":
		return pick(m, []any{map[string]any{"user_name": "somebody@example.com"}, map[string]any{"service_principal_name": "0a1b2c3d-0000-4000-8000-0123456789ab"}, map[string]any{"group_name": "loaders"}}), true
	case f.Pattern == "tags":
		return map[string]any{"team": m.text("tags.team"), "cost.center": fmt.Sprint(m.IntN(10))}, true
	case f.Pattern == "git_source":
		out := m.object(f)
		out["git_provider"], out["git_url"] = pick(m, f.Fields["git_provider"].Values), "https://example.com/repository"
		delete(out, "git_snapshot")
		return out, true
	case name == "run_job_task":
		out := m.object(f)
		out["job_id"] = json.Number(pick(m, []string{"9007199254740993", "1", "9223372036854775807"}))
		return out, true
	case name == "interval":
		return json.Number("3"), true
	}
	return nil, false
}

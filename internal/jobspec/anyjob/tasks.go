package anyjob

import (
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// tasks makes tasks that refer to what the job defines, and to each other without a cycle.
type tasks struct {
	*Maker
	continuous             bool
	clusters, environments []string
	made                   []string
}

func (t *tasks) make(f *jobspec.Field) []any {
	n := 1 + t.IntN(4)
	if t.full {
		n = len(kinds(f))
	}
	out := make([]any, n)
	names := t.Perm(n)
	for i := range out {
		kind := pick(t.Maker, kinds(f))
		if t.full {
			kind = kinds(f)[i]
		}
		out[i] = t.task(f, fmt.Sprintf("t%d", names[i]), kind)
	}
	return out
}

// kinds are the types of tasks.
func kinds(f *jobspec.Field) []string {
	var out []string
	for _, name := range f.Names {
		if f.Fields[name].IsTaskKind() {
			out = append(out, name)
		}
	}
	return out
}

func (t *tasks) task(f *jobspec.Field, key, kind string) map[string]any {
	out := map[string]any{"task_key": key}
	for _, name := range f.Names {
		field := f.Fields[name]
		switch name {
		case "task_key", "depends_on", "job_cluster_key", "environment_key", "existing_cluster_id", "new_cluster":
			continue
		case "max_retries", "min_retry_interval_millis", "retry_on_timeout":
			if t.continuous {
				continue
			}
		}
		if !field.IsTaskKind() && t.chance(4) {
			out[name] = t.Value(field)
		}
	}
	out[kind] = t.kind(f, kind)
	t.compute(f, out)
	if len(t.environments) > 0 && t.chance(3) {
		out["environment_key"] = pick(t.Maker, t.environments)
	}
	if !t.continuous && key != "inner" {
		out["depends_on"] = t.dependencies()
	}
	if key != "inner" {
		t.made = append(t.made, key)
	}
	return out
}

func (t *tasks) kind(f *jobspec.Field, kind string) any {
	switch kind {
	case "for_each_task":
		inner := pick(t.Maker, []string{"notebook_task", "sql_task", "spark_python_task", "run_job_task", "dbt_task"})
		return map[string]any{"inputs": "[1, 2]", "concurrency": t.Value(f.Fields[kind].Fields["concurrency"]), "task": t.task(f, "inner", inner)}
	case "sql_task":
		out := t.Value(f.Fields[kind]).(map[string]any)
		if t.full || !t.MayOmitIt || t.IntN(2) > 0 {
			out["warehouse_id"] = t.Warehouse
		} else {
			delete(out, "warehouse_id")
		}
		return out
	}
	return t.Value(f.Fields[kind])
}

// compute gives the task at most one cluster.
func (t *tasks) compute(f *jobspec.Field, out map[string]any) {
	switch t.IntN(5) {
	case 0:
		out["existing_cluster_id"] = t.Value(f.Fields["existing_cluster_id"])
	case 1:
		if len(t.clusters) > 0 {
			out["job_cluster_key"] = pick(t.Maker, t.clusters)
		}
	case 2:
		out["new_cluster"] = t.Value(f.Fields["new_cluster"])
	}
}

func (t *tasks) dependencies() []any {
	out := []any{}
	for _, key := range t.made {
		switch t.IntN(6) {
		case 0, 1:
			out = append(out, map[string]any{"task_key": key})
		case 2:
			out = append(out, map[string]any{"task_key": key, "outcome": "true"}, map[string]any{"task_key": key, "outcome": "false"})
		}
	}
	t.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Full has every field of the Jobs API in it at least once, but those that typed attributes own: a task of each type.
func Full(seed uint64, warehouse string) jobspec.Settings {
	m := New(seed, warehouse)
	m.full = true
	return m.Job("", false)
}

package provider

import (
	"maps"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// withWarehouse gives the provider's warehouse to SQL tasks that name none: the API wants one, and no other compute may
// be started.
func withWarehouse(s jobspec.Settings, warehouse string) jobspec.Settings {
	if warehouse == "" {
		return s
	}
	return eachSQLTask(s, func(_ string, sql map[string]any) {
		if _, ok := sql["warehouse_id"]; !ok {
			sql["warehouse_id"] = warehouse
		}
	})
}

// withoutWarehouse takes it out of a live job again, where it was not written.
func withoutWarehouse(live, written jobspec.Settings, warehouse string) jobspec.Settings {
	silent := map[string]bool{}
	eachSQLTask(written, func(task string, sql map[string]any) {
		if _, ok := sql["warehouse_id"]; !ok {
			silent[task] = true
		}
	})
	return eachSQLTask(live, func(task string, sql map[string]any) {
		if silent[task] && sql["warehouse_id"] == warehouse {
			delete(sql, "warehouse_id")
		}
	})
}

// eachSQLTask copies settings and lets visit change the copy of each SQL task, also inside for_each_task.
func eachSQLTask(s jobspec.Settings, visit func(task string, sql map[string]any)) jobspec.Settings {
	tasks, ok := s["tasks"].([]any)
	if !ok {
		return s
	}
	out := maps.Clone(s)
	copied := make([]any, len(tasks))
	for i, t := range tasks {
		copied[i] = visitTask(t, "", visit)
	}
	out["tasks"] = copied
	return out
}

func visitTask(t any, outer string, visit func(task string, sql map[string]any)) any {
	task, ok := t.(map[string]any)
	if !ok {
		return t
	}
	task = maps.Clone(task)
	key, _ := task["task_key"].(string)
	if sql, ok := task["sql_task"].(map[string]any); ok {
		sql = maps.Clone(sql)
		visit(outer+key, sql)
		task["sql_task"] = sql
	}
	if each, ok := task["for_each_task"].(map[string]any); ok {
		each = maps.Clone(each)
		if inner, ok := each["task"]; ok {
			each["task"] = visitTask(inner, key+"/", visit)
		}
		task["for_each_task"] = each
	}
	return task
}

package jobspec

import (
	"fmt"
	"slices"
	"strings"
)

// dependencies wants depends_on to name tasks of the job, without a cycle.
func (v *validation) dependencies(tasks []any) {
	g := graph{at: map[string]int{}}
	complete := true
	for i, t := range tasks {
		key, ok := object(t)["task_key"].(string)
		complete = complete && ok
		if _, twice := g.at[key]; ok && !twice {
			g.at[key] = i
			g.keys = append(g.keys, key)
		}
	}
	g.edges = make([][]string, len(tasks))
	for i, t := range tasks {
		for j, d := range list(object(t)["depends_on"]) {
			key, ok := object(d)["task_key"].(string)
			switch _, defined := g.at[key]; {
			case !ok:
			case defined:
				g.edges[i] = append(g.edges[i], key)
			case complete && bundleReference(key) == "":
				v.unknownTask([]any{i, "depends_on", j, "task_key"}, key, g.keys)
			}
		}
	}
	if cycle := g.cycle(); cycle != nil {
		v.at(g.at[cycle[0]], func() {
			v.at("depends_on", func() {
				v.add("Tasks wait for each other", "The task waits for itself: %s. Take out one of these dependencies.", strings.Join(cycle, " → "))
			})
		})
	}
}

func (v *validation) unknownTask(steps []any, key string, keys []string) {
	here := len(v.path)
	v.path = append(v.path, steps...)
	hint := "Its tasks are " + strings.Join(keys, ", ") + "."
	if n, ok := nearest(key, keys); ok {
		hint = fmt.Sprintf("Did you mean %q?", n)
	} else if len(keys) > 20 {
		hint = fmt.Sprintf("It has %d tasks.", len(keys))
	}
	v.add(fmt.Sprintf("No task %q", key), "It is %q, and the job has no task of this task_key. %s", key, hint)
	v.path = v.path[:here]
}

// graph is what waits for what.
type graph struct {
	keys  []string
	at    map[string]int
	edges [][]string
}

// cycle is the first cycle, its first task again at the end; nil for none.
func (g graph) cycle() []string {
	const looking, done = 1, 2
	state := map[string]int{}
	var way []string
	var visit func(key string) []string
	visit = func(key string) []string {
		switch state[key] {
		case done:
			return nil
		case looking:
			return append(slices.Clone(way[slices.Index(way, key):]), key)
		}
		state[key] = looking
		way = append(way, key)
		for _, next := range g.edges[g.at[key]] {
			if found := visit(next); found != nil {
				return found
			}
		}
		way = way[:len(way)-1]
		state[key] = done
		return nil
	}
	for _, key := range g.keys {
		if found := visit(key); found != nil {
			return found
		}
	}
	return nil
}

// alone refuses what a continuous job cannot have: databricks/terraform-provider-databricks#2798, docs.databricks.com
// jobs/continuous.
func (v *validation) alone(tasks []any, where string) {
	for i, t := range tasks {
		t := object(t)
		v.at(i, func() {
			if slices.ContainsFunc(list(t["depends_on"]), func(d any) bool { return object(d) != nil }) {
				v.at("depends_on", func() {
					v.add("A continuous job with dependencies", "A job with %s has no tasks that wait for each other; Databricks refuses it. Start it by schedule or periodic instead, or do the work of both in one task.", where)
				})
			}
			for _, name := range []string{"max_retries", "min_retry_interval_millis", "retry_on_timeout"} {
				if value := t[name]; value != nil && !equal(value, false) && whole(value) != 0 || value == true {
					v.at(name, func() {
						v.add("A continuous job with retries", "A job with %s starts again by itself and takes no retries of tasks; Databricks refuses them. Take it out, or write continuous = { task_retry_mode = \"ON_FAILURE\" }.", where)
					})
				}
			}
		})
	}
}

package local

import (
	"fmt"
)

// taskOrder returns the keys of tasks in an order in which each comes after what it depends on. Dependencies on tasks
// that are not there count as met.
func taskOrder(tasks []any) ([]string, error) {
	there := map[string]bool{}
	for _, t := range tasks {
		there[text(object(t)["task_key"])] = true
	}
	done := map[string]bool{}
	var order []string
	for len(order) < len(tasks) {
		before := len(order)
	next:
		for _, t := range tasks {
			t := object(t)
			key := text(t["task_key"])
			if done[key] {
				continue
			}
			for _, d := range list(t["depends_on"]) {
				if d := text(object(d)["task_key"]); there[d] && !done[d] {
					continue next
				}
			}
			done[key] = true
			order = append(order, key)
		}
		if len(order) == before {
			return nil, badRequest("The dependencies of the tasks form a cycle.")
		}
	}
	return order, nil
}

// decide tells whether a task runs, by the outcomes of what it depends on and its run_if; else how it ends.
func decide(config settings, tasks map[string]*taskRun) (runState, bool) {
	if truth(config["disabled"]) {
		return unrunState("DISABLED", "The task is disabled."), false
	}
	var all, succeeded, failed, canceled, excluded int
	for _, d := range list(config["depends_on"]) {
		t := tasks[text(object(d)["task_key"])]
		if t == nil {
			continue
		}
		all++
		branch := text(object(d)["outcome"])
		switch {
		case t.State.Result == "SUCCESS" && branch != "" && branch != t.Branch, t.State.Result == "EXCLUDED", t.State.Result == "DISABLED":
			excluded++
		case t.State.Result == "SUCCESS":
			succeeded++
		case t.State.Result == "CANCELED", t.State.Result == "UPSTREAM_CANCELED":
			canceled++
		default:
			failed++
		}
	}
	bad := failed + canceled
	met := map[string]bool{
		"": bad == 0, "ALL_SUCCESS": bad == 0, "NONE_FAILED": bad == 0, "ALL_DONE": true,
		"AT_LEAST_ONE_SUCCESS": succeeded > 0, "AT_LEAST_ONE_FAILED": bad > 0, "ALL_FAILED": bad == all,
	}
	condition := text(config["run_if"])
	switch {
	case all == 0:
		return runState{}, true
	case excluded == all && condition != "ALL_DONE", excluded > 0 && bad == 0 && (condition == "" || condition == "ALL_SUCCESS"):
		return unrunState("EXCLUDED", "The task was excluded by a condition."), false
	case met[condition]:
		return runState{}, true
	case condition == "AT_LEAST_ONE_FAILED", condition == "ALL_FAILED":
		return unrunState("EXCLUDED", fmt.Sprintf("The condition %s was not met.", condition)), false
	case failed == 0 && canceled > 0:
		return unrunState("UPSTREAM_CANCELED", "An upstream task was canceled."), false
	}
	return unrunState("UPSTREAM_FAILED", "An upstream task failed."), false
}

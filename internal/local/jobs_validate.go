package local

import (
	"slices"
	"strings"
)

// knownFields are the fields of job settings. Databricks drops the ones it does not know without a word; so do we.
func knownFields() []string {
	return []string{"access_control_list", "budget_policy_id", "continuous", "deployment", "description", "edit_mode", "email_notifications",
		"environments", "format", "git_source", "health", "job_clusters", "max_concurrent_runs", "name", "notification_settings",
		"parameters", "parent_path", "performance_target", "queue", "run_as", "schedule", "tags", "tasks", "timeout_seconds", "trigger",
		"triggers", "usage_policy_id", "webhook_notifications"}
}

func knownTaskFields() []string {
	return []string{"compute", "depends_on", "description", "disable_auto_optimization", "disabled", "email_notifications",
		"environment_key", "existing_cluster_id", "health", "job_cluster_key", "libraries", "max_retries", "min_retry_interval_millis",
		"new_cluster", "notification_settings", "retry_on_timeout", "run_if", "task_key", "timeout_seconds", "webhook_notifications"}
}

func known(s settings) settings {
	out := settings{}
	for _, k := range knownFields() {
		if v, ok := s[k]; ok && v != nil {
			out[k] = v
		}
	}
	tasks := list(out["tasks"])
	for i, t := range tasks {
		kept := map[string]any{}
		for k, v := range object(t) {
			if slices.Contains(knownTaskFields(), k) || strings.HasSuffix(k, "_task") {
				kept[k] = v
			}
		}
		if object(t) != nil {
			tasks[i] = kept
		}
	}
	return out
}

func validateSettings(s settings) error {
	for _, check := range []func(settings) error{checkTypes, checkTriggers, checkTasks, checkGit} {
		if err := check(s); err != nil {
			return err
		}
	}
	return nil
}

func checkTypes(s settings) error {
	for _, k := range []string{"name", "description", "edit_mode", "format"} {
		if _, ok := s[k].(string); s[k] != nil && !ok {
			return malformed("Could not parse request object: expected '%s' to be a string", k)
		}
	}
	for _, k := range []string{"schedule", "trigger", "continuous", "tags", "queue", "git_source", "email_notifications", "webhook_notifications"} {
		if s[k] != nil && object(s[k]) == nil {
			return malformed("Could not parse request object: expected '%s' to be an object", k)
		}
	}
	for _, k := range []string{"tasks", "job_clusters", "parameters", "environments", "triggers"} {
		if s[k] != nil && list(s[k]) == nil {
			return malformed("Could not parse request object: expected '%s' to be a list", k)
		}
	}
	for _, k := range []string{"timeout_seconds", "max_concurrent_runs"} {
		if n, ok := integer(s[k]); s[k] != nil && (!ok || n < 0) {
			return badRequest("Invalid value for %s: %v.", k, s[k])
		}
	}
	if n, _ := integer(s["max_concurrent_runs"]); n > 1000 {
		return badRequest("max_concurrent_runs must be at most 1000, not %d.", n)
	}
	if len(text(s["name"])) > 4096 {
		return badRequest("The job name must be at most 4096 bytes.")
	}
	for k, v := range object(s["tags"]) {
		if len(k) > 127 || len(plain(v)) > 255 {
			return badRequest("Tag %q: keys are at most 127 and values at most 255 characters.", k)
		}
	}
	if len(object(s["tags"])) > 25 {
		return badRequest("A job has at most 25 tags, not %d.", len(object(s["tags"])))
	}
	return nil
}

func checkTriggers(s settings) error {
	var kinds []string
	for _, k := range []string{"schedule", "trigger", "continuous"} {
		if s[k] != nil {
			kinds = append(kinds, k)
		}
	}
	if s["triggers"] != nil {
		kinds = append(kinds, "triggers")
	}
	if len(kinds) > 1 {
		return badRequest("A job can have at most one of schedule, trigger, continuous: it has %s.", strings.Join(kinds, " and "))
	}
	for _, k := range kinds {
		if p := object(s[k])["pause_status"]; p != nil && p != "PAUSED" && p != "UNPAUSED" {
			return badRequest("Invalid pause_status %v: use PAUSED or UNPAUSED.", p)
		}
	}
	if c := object(s["schedule"]); c != nil {
		if _, err := cronSequence(text(c["quartz_cron_expression"]), text(c["timezone_id"])); err != nil {
			return badRequest("Invalid schedule: %v", err)
		}
	}
	if p := object(object(s["trigger"])["periodic"]); p != nil {
		if _, err := periodicInterval(p); err != nil {
			return err
		}
	}
	return nil
}

func checkTasks(s settings) error {
	tasks := list(s["tasks"])
	if len(tasks) > 1000 {
		return badRequest("A job has at most 1000 tasks, not %d.", len(tasks))
	}
	keys := map[string]bool{}
	for _, t := range tasks {
		key := text(object(t)["task_key"])
		switch {
		case key == "":
			return badRequest("Task key is required.")
		case keys[key]:
			return badRequest("Duplicate task key %q.", key)
		}
		keys[key] = true
	}
	for _, t := range tasks {
		t := object(t)
		if err := checkTask(t); err != nil {
			return err
		}
		for _, d := range list(t["depends_on"]) {
			if d := text(object(d)["task_key"]); !keys[d] {
				return badRequest("Task %q depends on task %q, which does not exist.", text(t["task_key"]), d)
			}
			if s["continuous"] != nil {
				return badRequest("A continuous job cannot have task dependencies.")
			}
		}
	}
	if _, err := taskOrder(tasks); err != nil {
		return err
	}
	return nil
}

func checkTask(t map[string]any) error {
	kinds := taskKinds(t)
	if len(kinds) != 1 {
		return badRequest("Task %q must have exactly one type of task, and has %d.", text(t["task_key"]), len(kinds))
	}
	if sql := object(t["sql_task"]); sql != nil && text(sql["warehouse_id"]) != warehouseID {
		return badRequest("%q is not a valid endpoint id.", text(sql["warehouse_id"]))
	}
	return nil
}

func taskKinds(t map[string]any) []string {
	var kinds []string
	for k, v := range t {
		if strings.HasSuffix(k, "_task") && v != nil {
			kinds = append(kinds, k)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func checkGit(s settings) error {
	g := object(s["git_source"])
	if g == nil || text(g["git_provider"]) != "" {
		return nil
	}
	return badRequest("git_source.git_provider is required: one of gitHub, bitbucketCloud, azureDevOpsServices, gitHubEnterprise, bitbucketServer, gitLab, gitLabEnterpriseEdition, awsCodeCommit.")
}

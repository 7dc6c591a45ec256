package local

import "strings"

// serve is what one read returns for settings that were written: with defaults, without what is not given back, arrays
// in an order of this read's own unless order is kept.
func (b Behaviour) serve(written settings, id int64, turn uint64) settings {
	s := settingsView(written)
	if !b.KeepOrder {
		order{seed: b.Seed + uint64(id), turn: turn}.job(s)
	}
	return s
}

// order is the order of arrays in one read.
type order struct{ seed, turn, next uint64 }

func (o *order) shuffle(v any) {
	o.next++
	shuffle(list(v), o.seed, o.turn*1009+o.next)
}

func (o order) job(s settings) {
	for _, name := range []string{"tasks", "job_clusters", "parameters", "environments", "triggers"} {
		o.shuffle(s[name])
	}
	o.notifications(s)
	o.trigger(object(s["trigger"]))
	for _, t := range list(s["triggers"]) {
		o.trigger(object(t))
	}
	for _, t := range list(s["tasks"]) {
		o.task(object(t))
	}
}

func (o *order) notifications(m map[string]any) {
	for _, kind := range []string{"email_notifications", "webhook_notifications"} {
		n := object(m[kind])
		for _, name := range []string{"on_duration_warning_threshold_exceeded", "on_failure", "on_start", "on_streaming_backlog_exceeded", "on_success"} {
			o.shuffle(n[name])
		}
	}
	o.shuffle(object(m["health"])["rules"])
}

func (o *order) trigger(t map[string]any) {
	o.shuffle(object(t["table_update"])["table_names"])
	o.shuffle(object(t["table"])["table_names"])
	o.shuffle(object(t["model"])["aliases"])
}

// task leaves depends_on sorted, as the server has it.
func (o *order) task(t map[string]any) {
	if t == nil {
		return
	}
	o.notifications(t)
	o.shuffle(t["libraries"])
	for _, place := range []string{"alert_task.subscribers", "dashboard_task.subscription.subscribers", "sql_task.alert.subscriptions", "sql_task.dashboard.subscriptions", "python_operator_task.parameters"} {
		at := any(t)
		for _, name := range strings.Split(place, ".") {
			at = object(at)[name]
		}
		o.shuffle(at)
	}
	o.task(object(object(t["for_each_task"])["task"]))
}

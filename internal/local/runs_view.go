package local

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func (s runState) stateView() map[string]any {
	m := map[string]any{"life_cycle_state": s.LifeCycle, "state_message": s.Message}
	if s.Result != "" {
		m["result_state"] = s.Result
		m["user_cancelled_or_timedout"] = s.Result == "CANCELED" || s.Result == "TIMEDOUT"
	}
	if s.QueueReason != "" {
		m["queue_reason"] = s.QueueReason
	}
	return m
}

func (s runState) statusView() map[string]any {
	m := map[string]any{"state": s.Status}
	if s.Code != "" {
		m["termination_details"] = map[string]any{"code": s.Code, "type": s.Type, "message": s.Message}
	}
	if s.QueueCode != "" {
		m["queue_details"] = map[string]any{"code": s.QueueCode, "message": s.QueueReason}
	}
	return m
}

func (w *Workspace) runView(r *jobRun, turn uint64) map[string]any {
	v := map[string]any{
		"job_id": r.JobID, "run_id": r.ID, "job_run_id": r.ID, "number_in_job": r.ID, "original_attempt_run_id": r.ID, "run_name": r.Name,
		"run_type": r.Type, "trigger": r.Trigger, "creator_user_name": r.Creator, "run_page_url": w.runURL(r.JobID, r.ID), "format": "MULTI_TASK",
		"state": r.State.stateView(), "status": r.State.statusView(),
	}
	addTimes(v, r.Started, r.Ended)
	if waited := r.Begun.Sub(r.Started); waited >= time.Second {
		v["queue_duration"] = waited.Milliseconds()
	}
	if r.Schedule != nil && r.Trigger == "PERIODIC" {
		v["schedule"] = r.Schedule
	}
	if len(r.Clusters) > 0 {
		v["job_clusters"] = append([]any(nil), r.Clusters...)
	}
	var parameters []any
	for k, value := range r.Parameters {
		parameters = append(parameters, map[string]any{"name": k, "value": value})
	}
	if parameters != nil {
		v["job_parameters"] = parameters
	}
	var tasks []any
	for _, t := range r.Tasks {
		tasks = append(tasks, w.taskRunView(r, t))
	}
	if tasks != nil {
		if !w.behaviour.KeepOrder {
			shuffle(tasks, w.behaviour.Seed+uint64(r.ID), turn)
		}
		v["tasks"] = tasks
	}
	return v
}

func (w *Workspace) taskRunView(r *jobRun, t *taskRun) map[string]any {
	v := cloneMap(t.Config)
	taskView(v, "WORKSPACE")
	delete(v, "email_notifications")
	delete(v, "webhook_notifications")
	s, ended := t.State, t.Ended
	if s.final() && r.active() && !r.Due.IsZero() {
		s, ended = runningState(), time.Time{} // it lasts as long as its run
	}
	v["run_id"], v["attempt_number"], v["run_page_url"] = t.ID, t.Attempt, w.runURL(r.JobID, t.ID)
	v["state"], v["status"] = s.stateView(), s.statusView()
	if !t.Started.IsZero() {
		addTimes(v, t.Started, ended)
	}
	return v
}

func addTimes(v map[string]any, started, ended time.Time) {
	v["start_time"], v["setup_duration"], v["cleanup_duration"], v["execution_duration"] = started.UnixMilli(), 0, 0, 0
	v["end_time"] = 0
	if !ended.IsZero() {
		v["end_time"] = ended.UnixMilli()
		v["execution_duration"] = ended.Sub(started).Milliseconds()
		v["run_duration"] = ended.Sub(started).Milliseconds()
	}
}

// taskAsRun is what runs/get answers for the id of a task run.
func (w *Workspace) taskAsRun(r *jobRun, t *taskRun) map[string]any {
	v := w.runView(r, 0)
	task := w.taskRunView(r, t)
	for _, k := range []string{"run_id", "attempt_number", "run_page_url", "state", "status", "start_time", "end_time", "execution_duration", "run_duration"} {
		if value, ok := task[k]; ok {
			v[k] = value
		}
	}
	v["tasks"] = []any{task}
	v["run_name"] = t.Key
	delete(v, "job_parameters")
	return v
}

func (w *Workspace) runURL(job, run int64) string {
	return fmt.Sprintf("%s/?o=%s#job/%d/run/%d", w.Host(), workspaceID, job, run)
}

func (w *Workspace) getRunOutput(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, t, err := w.runOf(c)
	if err != nil {
		return nil, err
	}
	if t == nil {
		if len(r.latest()) != 1 {
			return nil, &apiError{http.StatusBadRequest, "INVALID_PARAMETER_VALUE",
				"Retrieving the output of runs with multiple tasks is not supported. Please retrieve the output of each individual task run instead."}
		}
		t = r.latest()[0]
	}
	out := map[string]any{"metadata": w.taskAsRun(r, t)}
	if t.Error != "" {
		out["error"] = t.Error
	}
	if t.Trace != "" {
		out["error_trace"] = t.Trace
	}
	switch {
	case t.Child != 0:
		out["run_job_output"] = map[string]any{"run_id": t.Child}
	case t.Config["notebook_task"] != nil && t.State.Result == "SUCCESS":
		out["notebook_output"] = map[string]any{"truncated": false}
	case t.Config["sql_task"] != nil:
		keys := []any{}
		for i := range t.Count {
			keys = append(keys, map[string]any{"lookup_key": fmt.Sprintf("%d-%d", t.ID, i+1)})
		}
		out["sql_output"] = map[string]any{"query_output": map[string]any{"query_text": t.Text, "sql_statements": keys, "warehouse_id": warehouseID,
			"endpoint_id": warehouseID, "output_link": w.runURL(r.JobID, t.ID)}}
	}
	return out, nil
}

func (w *Workspace) exportRun(context.Context, *call) (any, error) {
	return nil, &apiError{http.StatusNotImplemented, "NOT_IMPLEMENTED", "runs/export is not offered by the local workspace: it has no notebook pages to export."}
}

package local

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// repair is one repair of a run.
type repair struct {
	ID      int64     `json:"id"`
	Started time.Time `json:"started"`
	Tasks   []string  `json:"tasks"`
}

type repairBody struct {
	RunID          json.Number    `json:"run_id"`
	LatestRepairID json.Number    `json:"latest_repair_id"`
	RerunTasks     []string       `json:"rerun_tasks"`
	RerunFailed    bool           `json:"rerun_all_failed_tasks"`
	RerunDependent bool           `json:"rerun_dependent_tasks"`
	JobParameters  map[string]any `json:"job_parameters"`
}

// repairRun runs failed or named tasks of an ended run again, with the job's current settings.
func (w *Workspace) repairRun(_ context.Context, c *call) (any, error) {
	var b repairBody
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	id, _ := b.RunID.Int64()
	w.mu.Lock()
	defer w.mu.Unlock()
	r, _, err := w.run(id)
	if err != nil {
		return nil, err
	}
	if err := w.mayRepair(r, b); err != nil {
		return nil, err
	}
	keys, err := repairTasks(r, b)
	if err != nil {
		return nil, err
	}
	for k, v := range b.JobParameters {
		if r.Parameters == nil {
			r.Parameters = map[string]string{}
		}
		r.Parameters[k] = plain(v)
	}
	current := w.currentTasks(r)
	for _, t := range r.latest() {
		if keys[t.Key] {
			config := t.Config
			if c, ok := current[t.Key]; ok {
				config = c
			}
			r.Tasks = append(r.Tasks, &taskRun{Key: t.Key, ID: w.book.newID(), Attempt: t.Attempt + 1, Config: config, State: pendingState()})
		}
	}
	p := repair{ID: w.book.newID(), Started: w.clock.Tick()}
	for k := range keys {
		p.Tasks = append(p.Tasks, k)
	}
	r.Repairs = append(r.Repairs, p)
	r.State, r.Ended, r.Canceled, r.Steps, r.Due = pendingState(), time.Time{}, false, nil, time.Time{}
	w.changed()
	w.launch(r)
	return map[string]any{"repair_id": p.ID}, nil
}

func (w *Workspace) mayRepair(r *jobRun, b repairBody) error {
	if r.active() {
		return &apiError{http.StatusBadRequest, "INVALID_STATE", "The run is in progress and cannot be repaired."}
	}
	latest, _ := b.LatestRepairID.Int64()
	if n := len(r.Repairs); n > 0 && r.Repairs[n-1].ID != latest {
		return badRequest("latest_repair_id must be %d, the id of the latest repair of the run.", r.Repairs[n-1].ID)
	}
	seen := map[string]bool{}
	for _, k := range b.RerunTasks {
		if seen[k] {
			return badRequest("Task key %q is given twice in rerun_tasks.", k)
		}
		seen[k] = true
	}
	return nil
}

func repairTasks(r *jobRun, b repairBody) (map[string]bool, error) {
	keys, there := map[string]bool{}, map[string]bool{}
	for _, t := range r.latest() {
		there[t.Key] = true
		switch t.State.Result {
		case "SUCCESS", "EXCLUDED", "DISABLED":
		default:
			if b.RerunFailed {
				keys[t.Key] = true
			}
		}
	}
	for _, k := range b.RerunTasks {
		if !there[k] {
			return nil, badRequest("Task %q does not exist in the run.", k)
		}
		keys[k] = true
	}
	for more := b.RerunDependent; more; {
		more = false
		for _, t := range r.latest() {
			for _, d := range list(t.Config["depends_on"]) {
				if keys[text(object(d)["task_key"])] && !keys[t.Key] {
					keys[t.Key], more = true, true
				}
			}
		}
	}
	if len(keys) == 0 {
		return nil, badRequest("There is no task to run again.")
	}
	return keys, nil
}

func (w *Workspace) currentTasks(r *jobRun) map[string]settings {
	out := map[string]settings{}
	if j := w.book.Jobs[r.JobID]; j != nil {
		for _, t := range list(j.Settings["tasks"]) {
			out[text(object(t)["task_key"])] = object(t)
		}
	}
	return out
}

func (w *Workspace) repairHistory(r *jobRun) []any {
	out := []any{map[string]any{"type": "ORIGINAL", "start_time": r.Started.UnixMilli(), "state": r.State.stateView(), "status": r.State.statusView()}}
	for _, p := range r.Repairs {
		out = append(out, map[string]any{"type": "REPAIR", "id": p.ID, "start_time": p.Started.UnixMilli(), "state": r.State.stateView(), "status": r.State.statusView()})
	}
	return out
}

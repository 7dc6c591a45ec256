package local

import (
	"cmp"
	"strconv"
	"time"
)

// Step is a state that a scripted run is seen in at one poll (one runs/get). Empty status, code and type follow from the
// life cycle and result.
type Step struct {
	LifeCycle   string     `json:"life_cycle"`
	Result      string     `json:"result,omitempty"`
	Message     string     `json:"message,omitempty"`
	Status      string     `json:"status,omitempty"`
	Code        string     `json:"code,omitempty"`
	Type        string     `json:"type,omitempty"`
	QueueReason string     `json:"queue_reason,omitempty"`
	Tasks       []TaskStep `json:"tasks,omitempty"`
}

// TaskStep is the state of one task within a step. Tasks that a step does not name are in the state of the run.
type TaskStep struct {
	Key       string `json:"key"`
	LifeCycle string `json:"life_cycle"`
	Result    string `json:"result,omitempty"`
	Message   string `json:"message,omitempty"`
	Trace     string `json:"trace,omitempty"`
}

// Script makes the next runs of a job walk through steps, one at each poll, the last one staying. Their tasks do not run.
type Script struct {
	Job   string `json:"job"`            // name or id
	Runs  int    `json:"runs,omitempty"` // how many runs; 0: one
	Steps []Step `json:"steps"`
}

// AddScript scripts the next runs of a job, after those that other scripts of it take.
func (w *Workspace) AddScript(s Script) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Runs = max(s.Runs, 1)
	w.scripts = append(w.scripts, &s)
}

// SetRunTime makes the runs of a job (name or id) last virtual time: they do their work when they start, and end when
// Advance has moved the clock by d. 0: as usual, at once.
func (w *Workspace) SetRunTime(job string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.durations[job] = d
}

// duration is how long a run lasts. The caller holds w.mu.
func (w *Workspace) duration(r *jobRun) time.Duration {
	return cmp.Or(w.durations[strconv.FormatInt(r.JobID, 10)], w.durations[r.Name])
}

func (w *Workspace) durationOf(r *jobRun) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.duration(r)
}

// script gives a run its steps, if its job has a script left. The caller holds w.mu.
func (w *Workspace) script(j *job, r *jobRun) bool {
	for i, s := range w.scripts {
		if s.Job != j.name() && s.Job != strconv.FormatInt(j.ID, 10) || len(s.Steps) == 0 {
			continue
		}
		if s.Runs--; s.Runs == 0 {
			w.scripts = append(w.scripts[:i:i], w.scripts[i+1:]...)
		}
		r.Steps = s.Steps
		return true
	}
	return false
}

// poll moves a scripted run to the state of this poll. The caller holds w.mu.
func (w *Workspace) poll(r *jobRun) {
	if len(r.Steps) == 0 || r.State.final() && r.Polls > 0 {
		return
	}
	step := r.Steps[min(r.Polls, len(r.Steps)-1)]
	r.Polls++
	r.State = step.state()
	named := map[string]TaskStep{}
	for _, t := range step.Tasks {
		named[t.Key] = t
	}
	for _, t := range r.latest() {
		s := r.State
		if n, ok := named[t.Key]; ok {
			s = Step{LifeCycle: n.LifeCycle, Result: n.Result, Message: n.Message}.state()
			t.Error, t.Trace = n.Message, n.Trace
		} else if s.Result == "FAILED" {
			t.Error = s.Message
		}
		if t.Started.IsZero() {
			t.Started = w.clock.Tick()
		}
		t.State = s
	}
	if r.State.final() {
		w.end(r, r.State)
		for _, t := range r.latest() {
			t.Ended = r.Ended
		}
		if next := w.dequeue(r.JobID); next != nil {
			w.launch(next)
		}
	}
	w.changed()
}

func (s Step) state() runState {
	out := runState{LifeCycle: s.LifeCycle, Result: s.Result, Message: s.Message, Status: s.Status, Code: s.Code, Type: s.Type, QueueReason: s.QueueReason}
	byResult := map[string]runState{
		"SUCCESS": succeededState(), "FAILED": failedState(""), "CANCELED": canceledState(), "TIMEDOUT": timedOutState(0),
		"SUCCESS_WITH_FAILURES":           {Code: "SUCCESS_WITH_FAILURES", Type: "SUCCESS"},
		"MAXIMUM_CONCURRENT_RUNS_REACHED": skippedState(""),
		"EXCLUDED":                        unrunState("EXCLUDED", ""),
		"UPSTREAM_FAILED":                 unrunState("UPSTREAM_FAILED", ""),
		"UPSTREAM_CANCELED":               unrunState("UPSTREAM_CANCELED", ""),
		"DISABLED":                        unrunState("DISABLED", ""),
	}
	status := s.LifeCycle
	switch s.LifeCycle {
	case "TERMINATED", "SKIPPED", "INTERNAL_ERROR":
		status = "TERMINATED"
		usual := byResult[s.Result]
		if s.LifeCycle == "SKIPPED" {
			usual = skippedState("")
		} else if s.LifeCycle == "INTERNAL_ERROR" && s.Result == "" {
			usual = runState{Code: "INTERNAL_ERROR", Type: "INTERNAL_ERROR"}
		}
		out.Code, out.Type = cmp.Or(s.Code, usual.Code), cmp.Or(s.Type, usual.Type)
	case "WAITING_FOR_RETRY":
		status = "WAITING"
	case "QUEUED":
		out.QueueCode = "MAX_CONCURRENT_RUNS_REACHED"
	}
	out.Status = cmp.Or(s.Status, status)
	return out
}

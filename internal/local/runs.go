package local

import (
	"time"
)

// jobRun is one run of a job, or a one-time run. What it runs is fixed when it begins.
type jobRun struct {
	ID         int64             `json:"id"`
	JobID      int64             `json:"job_id"`
	Number     int64             `json:"number"`
	Name       string            `json:"name"`
	Trigger    string            `json:"trigger"`
	Type       string            `json:"type"`
	Creator    string            `json:"creator"`
	Parameters map[string]string `json:"parameters,omitempty"`
	Token      string            `json:"token,omitempty"`
	State      runState          `json:"state"`
	Started    time.Time         `json:"started"`
	Begun      time.Time         `json:"begun,omitzero"` // when it left the queue
	Ended      time.Time         `json:"ended,omitzero"`
	Tasks      []*taskRun        `json:"tasks"`
	Timeout    time.Duration     `json:"timeout,omitempty"`
	Schedule   map[string]any    `json:"schedule,omitempty"`
	Clusters   []any             `json:"clusters,omitempty"`
	Steps      []Step            `json:"steps,omitempty"` // a scripted run
	Polls      int               `json:"polls,omitempty"`
	// Due is when a run that lasts virtual time ends; Outcome is how.
	Due     time.Time `json:"due,omitzero"`
	Outcome runState  `json:"outcome,omitzero"`
	Repairs []repair  `json:"repairs,omitempty"`
	// Canceled says that somebody asked for its end.
	Canceled bool `json:"canceled,omitempty"`
}

// taskRun is one attempt at one task.
type taskRun struct {
	Key     string    `json:"key"`
	ID      int64     `json:"id"`
	Attempt int       `json:"attempt,omitempty"`
	State   runState  `json:"state"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Config  settings  `json:"config"`
	Text    string    `json:"-"`               // the SQL that ran, while the process lives
	Count   int       `json:"count,omitempty"` // statements that ran
	Error   string    `json:"error,omitempty"`
	Trace   string    `json:"trace,omitempty"`
	Branch  string    `json:"branch,omitempty"` // outcome of a condition: true or false
	Child   int64     `json:"child,omitempty"`  // run started by a run_job_task
}

// runState is the state of a run or task, in both shapes in which the API gives it.
type runState struct {
	LifeCycle   string `json:"life_cycle"`
	Result      string `json:"result,omitempty"`
	Status      string `json:"status"`
	Code        string `json:"code,omitempty"`
	Type        string `json:"type,omitempty"`
	Message     string `json:"message,omitempty"`
	QueueCode   string `json:"queue_code,omitempty"`
	QueueReason string `json:"queue_reason,omitempty"`
}

func (s runState) final() bool {
	switch s.LifeCycle {
	case "TERMINATED", "SKIPPED", "INTERNAL_ERROR":
		return true
	}
	return false
}

func pendingState() runState { return runState{LifeCycle: "PENDING", Status: "PENDING"} }
func blockedState() runState { return runState{LifeCycle: "BLOCKED", Status: "BLOCKED"} }
func runningState() runState { return runState{LifeCycle: "RUNNING", Status: "RUNNING"} }
func endingState() runState  { return runState{LifeCycle: "TERMINATING", Status: "TERMINATING"} }
func succeededState() runState {
	return runState{LifeCycle: "TERMINATED", Result: "SUCCESS", Status: "TERMINATED", Code: "SUCCESS", Type: "SUCCESS"}
}

func failedState(message string) runState {
	return runState{LifeCycle: "INTERNAL_ERROR", Result: "FAILED", Status: "TERMINATED", Code: "RUN_EXECUTION_ERROR", Type: "CLIENT_ERROR", Message: message}
}

func canceledState() runState {
	return runState{LifeCycle: "TERMINATED", Result: "CANCELED", Status: "TERMINATED", Code: "USER_CANCELED", Type: "SUCCESS", Message: "Run cancelled."}
}

func timedOutState(limit time.Duration) runState {
	return runState{LifeCycle: "TERMINATED", Result: "TIMEDOUT", Status: "TERMINATED", Code: "RUN_EXECUTION_ERROR", Type: "CLIENT_ERROR",
		Message: "Timed out: the run lasted longer than its limit of " + limit.String() + "."}
}

func skippedState(message string) runState {
	return runState{LifeCycle: "SKIPPED", Status: "TERMINATED", Code: "MAX_CONCURRENT_RUNS_EXCEEDED", Type: "SUCCESS", Message: message}
}

func queuedState(message string) runState {
	return runState{LifeCycle: "QUEUED", Status: "QUEUED", QueueCode: "MAX_CONCURRENT_RUNS_REACHED", QueueReason: message}
}

// unrunState is the end of a task that did not run: UPSTREAM_FAILED, UPSTREAM_CANCELED, EXCLUDED, DISABLED.
func unrunState(result, message string) runState {
	s := runState{LifeCycle: "TERMINATED", Result: result, Status: "TERMINATED", Code: "SUCCESS", Type: "SUCCESS", Message: message}
	switch result {
	case "UPSTREAM_FAILED":
		s.Code, s.Type = "RUN_EXECUTION_ERROR", "CLIENT_ERROR"
	case "UPSTREAM_CANCELED":
		s.Code = "CANCELED"
	case "DISABLED":
		s.Code = "DISABLED"
	}
	return s
}

func (r *jobRun) active() bool { return !r.State.final() }

// latest returns the last attempt at each task, in the order of the tasks.
func (r *jobRun) latest() []*taskRun {
	var out []*taskRun
	at := map[string]int{}
	for _, t := range r.Tasks {
		if i, ok := at[t.Key]; ok {
			out[i] = t
			continue
		}
		at[t.Key] = len(out)
		out = append(out, t)
	}
	return out
}

package local

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errTimedOut = errors.New("timed out")

// execute runs a run to its end, and after it the queued runs of the same job whose turn it makes.
func (w *Workspace) execute(ctx context.Context, r *jobRun) {
	for r != nil {
		r = w.executeOne(ctx, r)
	}
}

// executeOne returns the run to go on with.
func (w *Workspace) executeOne(parent context.Context, r *jobRun) *jobRun {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w.mu.Lock()
	canceled := r.Canceled
	w.executing[r.ID] = cancel
	if !canceled {
		r.State = runningState()
		r.Begun = w.clock.Now()
	}
	duration := w.duration(r)
	w.changed()
	w.mu.Unlock()
	outcome := canceledState()
	if !canceled {
		outcome = w.runTasks(ctx, r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if duration > 0 && !r.Canceled {
		r.Due, r.Outcome = r.Begun.Add(duration), outcome
		if r.Timeout > 0 && duration > r.Timeout {
			r.Due, r.Outcome = r.Begun.Add(r.Timeout), timedOutState(r.Timeout)
		}
		delete(w.executing, r.ID)
		return nil
	}
	w.end(r, outcome)
	return w.dequeue(r.JobID)
}

// runTasks runs the tasks in the order of their dependencies and returns the run's outcome. A timeout counts real time
// here: the virtual clock stands still while a run executes.
func (w *Workspace) runTasks(ctx context.Context, r *jobRun) runState {
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, errTimedOut)
		defer cancel()
	}
	w.mu.Lock()
	tasks := map[string]*taskRun{}
	var configs []any
	for _, t := range r.latest() {
		tasks[t.Key] = t
		configs = append(configs, t.Config)
	}
	w.mu.Unlock()
	order, err := taskOrder(configs)
	if err != nil {
		return failedState(err.Error())
	}
	for _, key := range order {
		if tasks[key].State.final() {
			continue // kept by a repair
		}
		tasks[key] = w.runTask(ctx, r, tasks, tasks[key])
	}
	return outcomeOf(ctx, r, order, tasks)
}

// runTask runs a task, attempts included, and returns the last attempt.
func (w *Workspace) runTask(ctx context.Context, r *jobRun, tasks map[string]*taskRun, t *taskRun) *taskRun {
	if s, run := decide(t.Config, tasks); !run {
		w.setTask(t, s)
		return t
	}
	for {
		w.startTask(t)
		s := w.attempt(ctx, r, t)
		w.setTask(t, s)
		retries, _ := integer(t.Config["max_retries"])
		again := s.Result == "FAILED" || s.Result == "TIMEDOUT" && truth(t.Config["retry_on_timeout"])
		if !again || retries >= 0 && int64(t.Attempt) >= retries || ctx.Err() != nil || t.Attempt >= 1000 {
			return t
		}
		t = w.nextAttempt(r, t)
	}
}

func (w *Workspace) startTask(t *taskRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Started = w.clock.Tick()
	t.State = runningState()
	w.changed()
}

func (w *Workspace) setTask(t *taskRun, s runState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.State, t.Ended = s, w.clock.Tick()
	if t.Started.IsZero() {
		t.Started = t.Ended
	}
	w.changed()
}

func (w *Workspace) nextAttempt(r *jobRun, t *taskRun) *taskRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := &taskRun{Key: t.Key, ID: w.book.newID(), Attempt: t.Attempt + 1, Config: t.Config, State: pendingState()}
	r.Tasks = append(r.Tasks, next)
	return next
}

// attempt runs a task once.
func (w *Workspace) attempt(ctx context.Context, r *jobRun, t *taskRun) runState {
	var limit time.Duration
	if n, ok := integer(t.Config["timeout_seconds"]); ok && n > 0 {
		limit = time.Duration(n) * time.Second
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimedOut)
		defer cancel()
	}
	if d := w.durationOf(r); limit > 0 && d > limit {
		return timedOutState(limit)
	}
	err := w.dispatch(ctx, r, t)
	var failed *taskError
	switch {
	case err == nil:
		return succeededState()
	case errors.As(err, &failed) && failed.state != nil:
		return *failed.state
	case errors.Is(context.Cause(ctx), errTimedOut):
		return timedOutState(max(limit, r.Timeout))
	case ctx.Err() != nil:
		return canceledState()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Error = err.Error()
	if errors.As(err, &failed) {
		t.Error, t.Trace = failed.message, failed.trace
	}
	return failedState(t.Error)
}

// taskError is a task's failure. A state is set where the failure is of a kind of its own.
type taskError struct {
	message, trace string
	state          *runState
}

func (e *taskError) Error() string { return e.message }

// outcomeOf is a run's outcome: that of its leaf tasks, partial when only others failed.
func outcomeOf(ctx context.Context, r *jobRun, order []string, tasks map[string]*taskRun) runState {
	if errors.Is(context.Cause(ctx), errTimedOut) {
		return timedOutState(r.Timeout)
	}
	if ctx.Err() != nil {
		return canceledState()
	}
	inner := map[string]bool{}
	for _, t := range tasks {
		for _, d := range list(t.Config["depends_on"]) {
			inner[text(object(d)["task_key"])] = true
		}
	}
	var first *taskRun
	leafFailed := false
	for _, key := range order {
		t := tasks[key]
		switch t.State.Result {
		case "SUCCESS", "EXCLUDED", "DISABLED":
			continue
		}
		if first == nil {
			first = t
		}
		leafFailed = leafFailed || !inner[key]
	}
	if first == nil {
		return succeededState()
	}
	message := fmt.Sprintf("Task %s failed with message: %s", first.Key, first.State.Message)
	if !leafFailed {
		return runState{LifeCycle: "TERMINATED", Result: "SUCCESS_WITH_FAILURES", Status: "TERMINATED", Code: "SUCCESS_WITH_FAILURES", Type: "SUCCESS", Message: message}
	}
	switch first.State.Result {
	case "TIMEDOUT", "CANCELED":
		s := first.State
		s.Message = message
		return s
	}
	return failedState(message)
}

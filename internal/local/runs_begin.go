package local

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// runRequest is what starts a run.
type runRequest struct {
	trigger    string // ONE_TIME, PERIODIC (schedules too), CONTINUOUS, RUN_JOB_TASK
	user       string
	parameters map[string]string
	only       []string
	queue      *bool
	token      string
	// background runs it in a goroutine; otherwise the caller does.
	background bool
}

const queueLife = 48 * time.Hour

// begin makes a run and decides whether it starts, waits or is skipped. The caller holds w.mu, and executes the run
// when begin says so and it is not in the background.
func (w *Workspace) begin(j *job, q runRequest) (r *jobRun, execute bool) {
	j.Count++
	user := cmp.Or(q.user, j.RunAs)
	r = &jobRun{ID: w.book.newID(), JobID: j.ID, Number: j.Count, Name: cmp.Or(j.name(), "Untitled"), Trigger: q.trigger, Type: "JOB_RUN",
		Creator: user, Token: q.token, State: pendingState(), Started: w.clock.Tick(), Schedule: object(j.Settings["schedule"]),
		Clusters: list(j.Settings["job_clusters"])}
	if n, ok := integer(j.Settings["timeout_seconds"]); ok {
		r.Timeout = time.Duration(n) * time.Second
	}
	r.Parameters = jobParameters(j.Settings, q.parameters)
	w.addTasks(r, selectTasks(list(j.Settings["tasks"]), q.only))
	busy := 0
	for _, o := range w.activeRuns(j.ID) {
		if o.State.LifeCycle != "QUEUED" {
			busy++
		}
	}
	w.book.Runs[r.ID] = r
	w.changed()
	limit := j.maxConcurrent()
	if j.fires != nil && j.fires.continuous {
		limit = 1
	}
	queues := j.queues()
	if q.queue != nil {
		queues = *q.queue
	}
	switch {
	case limit == 0:
		w.end(r, skippedState("Run was skipped: max_concurrent_runs of the job is 0."))
	case busy >= limit && queues:
		r.State = queuedState(fmt.Sprintf("Queued due to reaching maximum concurrent runs of %d.", limit))
	case busy >= limit:
		w.end(r, skippedState(fmt.Sprintf("Run was skipped due to reaching maximum concurrent runs of %d.", limit)))
	case w.script(j, r):
		if r.State = r.Steps[0].state(); r.State.final() {
			r.Ended = r.Started
		}
	case q.background:
		w.launch(r)
	default:
		return r, true
	}
	return r, false
}

func (w *Workspace) addTasks(r *jobRun, tasks []any) {
	for _, t := range tasks {
		t := object(t)
		state := pendingState()
		if len(list(t["depends_on"])) > 0 {
			state = blockedState()
		}
		r.Tasks = append(r.Tasks, &taskRun{Key: text(t["task_key"]), ID: w.book.newID(), Config: t, State: state})
	}
}

// jobParameters are the defaults of the job with what the request gives instead.
func jobParameters(s settings, given map[string]string) map[string]string {
	out := map[string]string{}
	for _, p := range list(s["parameters"]) {
		out[text(object(p)["name"])] = plain(object(p)["default"])
	}
	for k, v := range given {
		out[k] = v
	}
	return out
}

// selectTasks keeps the tasks that "only" names: a key, with + before it for what it depends on, after it for what
// depends on it.
func selectTasks(tasks []any, only []string) []any {
	if len(only) == 0 {
		return tasks
	}
	keep := map[string]bool{}
	for _, o := range only {
		key := strings.Trim(o, "+")
		mark(tasks, keep, key, strings.HasPrefix(o, "+"), strings.HasSuffix(o, "+"))
	}
	var out []any
	for _, t := range tasks {
		if keep[text(object(t)["task_key"])] {
			out = append(out, t)
		}
	}
	return out
}

func mark(tasks []any, keep map[string]bool, key string, up, down bool) {
	for _, t := range tasks {
		t := object(t)
		this := text(t["task_key"])
		if this == key {
			keep[key] = true
		}
		for _, d := range list(t["depends_on"]) {
			d := text(object(d)["task_key"])
			if up && this == key {
				mark(tasks, keep, d, true, false)
			}
			if down && d == key {
				mark(tasks, keep, this, false, true)
			}
		}
	}
}

// activeRuns returns a job's active runs, oldest first. The caller holds w.mu.
func (w *Workspace) activeRuns(jobID int64) []*jobRun {
	var out []*jobRun
	for _, r := range w.book.Runs {
		if r.JobID == jobID && r.active() {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *jobRun) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// launch executes a run in the background. The caller holds w.mu.
func (w *Workspace) launch(r *jobRun) {
	if w.closed {
		return
	}
	w.work.Add(1)
	go func() {
		defer w.work.Done()
		select {
		case w.slot <- struct{}{}:
			defer func() { <-w.slot }()
		case <-w.ctx.Done():
		}
		w.execute(w.ctx, r)
		if err := w.save(); err != nil {
			w.options.logf("run %d: %v", r.ID, err)
		}
	}()
}

// end gives a run its final state. The caller holds w.mu.
func (w *Workspace) end(r *jobRun, s runState) {
	r.State = s
	r.Ended = w.clock.Tick()
	for _, t := range r.latest() {
		if !t.State.final() {
			t.State, t.Ended = s, r.Ended
		}
	}
	delete(w.executing, r.ID)
	if j := w.book.Jobs[r.JobID]; j != nil {
		j.Failures++
		if s.Result == "SUCCESS" {
			j.Failures = 0
		}
		if j.fires != nil && j.fires.continuous {
			j.Anchor = r.Ended
		}
	}
	w.changed()
}

// dequeue takes the next queued run of a job whose turn has come. The caller holds w.mu.
func (w *Workspace) dequeue(jobID int64) *jobRun {
	j := w.book.Jobs[jobID]
	if j == nil {
		return nil
	}
	busy, limit := 0, max(j.maxConcurrent(), 1)
	var next *jobRun
	for _, r := range w.activeRuns(jobID) {
		switch {
		case r.State.LifeCycle != "QUEUED":
			busy++
		case w.clock.Now().Sub(r.Started) > queueLife:
			w.end(r, skippedState("Run was skipped: it waited in the queue for 48 hours."))
		case next == nil:
			next = r
		}
	}
	if next == nil || busy >= limit {
		return nil
	}
	next.State = pendingState()
	if w.script(j, next) {
		next.State = next.Steps[0].state()
		return nil
	}
	w.changed()
	return next
}

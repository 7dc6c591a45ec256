package local

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

type runNowBody struct {
	JobID            json.Number    `json:"job_id"`
	IdempotencyToken string         `json:"idempotency_token"`
	JobParameters    map[string]any `json:"job_parameters"`
	NotebookParams   map[string]any `json:"notebook_params"`
	SQLParams        map[string]any `json:"sql_params"`
	Only             []string       `json:"only"`
	Queue            *struct {
		Enabled bool `json:"enabled"`
	} `json:"queue"`
}

func (b runNowBody) parameters() map[string]string {
	out := map[string]string{}
	for _, m := range []map[string]any{b.SQLParams, b.NotebookParams, b.JobParameters} {
		for k, v := range m {
			out[k] = plain(v)
		}
	}
	return out
}

func (w *Workspace) runNow(_ context.Context, c *call) (any, error) {
	var b runNowBody
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	id, err := b.JobID.Int64()
	if err != nil {
		return nil, badRequest("Job id must be a number, not %q.", b.JobID)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	j, err := w.find(id)
	if err != nil {
		return nil, err
	}
	if known, err := w.remembered(b.IdempotencyToken); known != nil || err != nil {
		return known, err
	}
	for _, o := range b.Only {
		if len(selectTasks(list(j.Settings["tasks"]), []string{o})) == 0 {
			return nil, badRequest("Task %q of only does not exist in job %d.", o, id)
		}
	}
	q := runRequest{trigger: "ONE_TIME", user: c.user, parameters: b.parameters(), only: b.Only, token: b.IdempotencyToken, background: true}
	if b.Queue != nil {
		q.queue = &b.Queue.Enabled
	}
	if j.fires != nil && j.fires.continuous {
		if w.races[id] {
			delete(w.races, id)
			return nil, &apiError{http.StatusConflict, "RESOURCE_CONFLICT", "The continuous job was triggered at the same time by the service."}
		}
		yes := true
		q.queue = &yes
		for _, r := range w.activeRuns(id) {
			if !j.fires.paused {
				w.requestCancel(r)
			}
		}
	}
	r, _ := w.begin(j, q)
	w.remember(r)
	return map[string]any{"run_id": r.ID, "number_in_job": r.ID}, nil
}

// remembered returns the answer for a token that was used before, whatever became of its run.
func (w *Workspace) remembered(token string) (any, error) {
	if token == "" {
		return nil, nil
	}
	if len(token) > 64 {
		return nil, badRequest("The idempotency token is longer than 64 characters.")
	}
	id, ok := w.book.Tokens[token]
	if !ok {
		return nil, nil
	}
	if w.book.Runs[id] == nil {
		return nil, badRequest("The run with idempotency token %q has been deleted.", token)
	}
	return map[string]any{"run_id": id, "number_in_job": id}, nil
}

func (w *Workspace) remember(r *jobRun) {
	if r.Token != "" {
		w.book.Tokens[r.Token] = r.ID
	}
}

func (w *Workspace) submitRun(_ context.Context, c *call) (any, error) {
	var s settings
	if err := c.decode(&s); err != nil {
		return nil, err
	}
	kept := known(s)
	if err := validateSettings(kept); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	token := text(s["idempotency_token"])
	if known, err := w.remembered(token); known != nil || err != nil {
		return known, err
	}
	kept["name"] = cmp.Or(text(s["run_name"]), "Untitled")
	j := &job{ID: w.book.newID(), Settings: kept, Creator: c.user, RunAs: c.user}
	r, _ := w.begin(j, runRequest{trigger: "ONE_TIME", user: c.user, token: token, background: true})
	r.Type = "SUBMIT_RUN"
	w.remember(r)
	return map[string]any{"run_id": r.ID}, nil
}

// run finds a run, or the run and task of a task run's id. The caller holds w.mu.
func (w *Workspace) run(id int64) (*jobRun, *taskRun, error) {
	if r, ok := w.book.Runs[id]; ok {
		return r, nil, nil
	}
	for _, r := range w.book.Runs {
		for _, t := range r.Tasks {
			if t.ID == id {
				return r, t, nil
			}
		}
	}
	return nil, nil, badRequest("Run %d does not exist.", id)
}

func (w *Workspace) runOf(c *call) (*jobRun, *taskRun, error) {
	id, ok := integer(c.query("run_id"))
	if !ok {
		return nil, nil, badRequest("Run id must be a number, not %q.", c.query("run_id"))
	}
	return w.run(id)
}

func (w *Workspace) getRun(_ context.Context, c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, t, err := w.runOf(c)
	if err != nil {
		return nil, err
	}
	if t != nil {
		return w.taskAsRun(r, t), nil
	}
	p, err := w.pageOf(c)
	if err != nil {
		return nil, err
	}
	if c.query("page_token") == "" {
		w.poll(r)
	}
	view := w.runView(r, p.turn)
	if c.query("include_history") == "true" && len(r.Repairs) > 0 {
		view["repair_history"] = w.repairHistory(r)
	}
	size := w.behaviour.pageSize()
	if cutArrays(view, p.offset, size, "tasks", "job_clusters", "job_parameters") {
		view["next_page_token"] = page{p.turn, p.offset + size}.token()
	}
	return view, nil
}

func (w *Workspace) listRuns(_ context.Context, c *call) (any, error) {
	limit, offset, err := listWindow(c, 20, 1, 24, 10_000)
	if err != nil {
		return nil, err
	}
	active, completed := c.query("active_only") == "true", c.query("completed_only") == "true"
	if active && completed {
		return nil, badRequest("Only one of active_only and completed_only can be true.")
	}
	job, _ := integer(c.query("job_id"))
	from, _ := integer(c.query("start_time_from"))
	to, hasTo := integer(c.query("start_time_to"))
	w.mu.Lock()
	defer w.mu.Unlock()
	var runs []*jobRun
	for _, r := range w.book.Runs {
		if r.Canceled && r.active() && (job == 0 || r.JobID == job) {
			w.poll(r)
		}
		at := r.Started.UnixMilli()
		if (job != 0 && r.JobID != job) || (active && !r.active()) || (completed && r.active()) || at < from || hasTo && at > to ||
			c.query("run_type") != "" && c.query("run_type") != r.Type {
			continue
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b *jobRun) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	out := map[string]any{}
	begin, end := min(offset, len(runs)), min(offset+limit, len(runs))
	if end < len(runs) {
		out["next_page_token"] = page{1, end}.token()
		out["has_more"] = true
	}
	var views []any
	for _, r := range runs[begin:end] {
		w.turn++
		v := w.runView(r, w.turn)
		if c.query("expand_tasks") != "true" {
			delete(v, "tasks")
			delete(v, "job_clusters")
		} else if cutArrays(v, 0, w.behaviour.pageSize(), "tasks", "job_clusters") {
			v["has_more"] = true
		}
		views = append(views, v)
	}
	if views != nil {
		out["runs"] = views
	}
	return out, nil
}

type runBody struct {
	RunID json.Number `json:"run_id"`
	JobID json.Number `json:"job_id"`
}

func (w *Workspace) cancelRun(_ context.Context, c *call) (any, error) {
	var b runBody
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
	w.requestCancel(r)
	return map[string]any{}, nil
}

func (w *Workspace) cancelAllRuns(_ context.Context, c *call) (any, error) {
	var b runBody
	if err := c.decode(&b); err != nil {
		return nil, err
	}
	id, _ := b.JobID.Int64()
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.find(id); err != nil {
		return nil, err
	}
	for _, r := range w.activeRuns(id) {
		w.requestCancel(r)
	}
	return map[string]any{}, nil
}

// cancelTime is the virtual time after which a cancelled run that follows a script has ended, whoever looks.
const cancelTime = 5 * time.Second

// requestCancel asks for a run's end; what executes it brings the end about. The caller holds w.mu.
func (w *Workspace) requestCancel(r *jobRun) {
	if !r.active() || r.Canceled {
		return
	}
	r.Canceled = true
	w.changed()
	switch cancel, executing := w.executing[r.ID]; {
	case len(r.Steps) > 0:
		r.Steps, r.Polls = []Step{{LifeCycle: "TERMINATING"}, {LifeCycle: "TERMINATED", Result: "CANCELED", Message: "Run cancelled."}}, 0
		r.State = endingState()
		// A caller that only lists runs, or waits on the clock, sees the end too.
		r.Due, r.Outcome = w.clock.Now().Add(cancelTime), canceledState()
	case executing:
		r.State = endingState()
		cancel(nil)
	case r.State.LifeCycle == "QUEUED" || !r.Due.IsZero():
		w.end(r, canceledState())
		if next := w.dequeue(r.JobID); next != nil {
			w.launch(next)
		}
	default: // not started yet: it ends when its turn comes
		r.State = endingState()
	}
}

func (w *Workspace) deleteRun(_ context.Context, c *call) (any, error) {
	var b runBody
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
	if r.active() {
		return nil, &apiError{http.StatusBadRequest, "INVALID_STATE", "The run is active: cancel it before it is deleted."}
	}
	delete(w.book.Runs, r.ID)
	w.changed()
	return map[string]any{}, nil
}

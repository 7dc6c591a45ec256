package workspace

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Run reads a run with the tasks of all its pages. A missing run is ErrNotFound, in both forms in which the API says so.
func (c *Client) Run(ctx context.Context, runID int64) (run.Run, error) {
	subject := strconv.FormatInt(runID, 10)
	query := url.Values{"run_id": {subject}}
	var whole run.Run
	for n := 0; ; n++ {
		var p runPage
		if err := c.read(ctx, get("read run", subject, "/api/2.2/jobs/runs/get", query).about(runID), &p); err != nil {
			return run.Run{}, err
		}
		if n == 0 {
			whole = p.run()
		} else {
			appendTasks(&whole, p.run())
		}
		switch {
		case p.PageToken == "":
			return whole, nil
		case p.PageToken == query.Get("page_token") || n > mostPages:
			return run.Run{}, &Error{Op: "read run", Subject: subject, Err: fmt.Errorf("page %d does not end", n+1)}
		}
		query.Set("page_token", p.PageToken)
	}
}

// appendTasks adds a later page. Between two pages the run goes on, and a retry moves what comes after it: a task that
// comes twice is the same task.
func appendTasks(whole *run.Run, page run.Run) {
	seen := map[int64]bool{}
	for _, t := range whole.Tasks {
		seen[t.RunID] = true
	}
	for _, t := range page.Tasks {
		if t.RunID == 0 || !seen[t.RunID] {
			whole.Tasks = append(whole.Tasks, t)
		}
	}
	for k, v := range page.Parameters {
		if whole.Parameters == nil {
			whole.Parameters = map[string]string{}
		}
		whole.Parameters[k] = v
	}
}

// RunFilter says which runs to list. The zero value: all of the workspace that are kept, 60 days. Active and Completed
// exclude each other.
type RunFilter struct {
	JobID             int64
	Active, Completed bool
	// Since leaves out runs that started earlier.
	Since time.Time
}

// Runs lists runs, the newest first, without their tasks, page by page as they are consumed. An error ends the sequence.
func (c *Client) Runs(ctx context.Context, f RunFilter) iter.Seq2[run.Run, error] {
	query := url.Values{"limit": {"24"}} // the API wants fewer than 25
	if f.JobID != 0 {
		query.Set("job_id", strconv.FormatInt(f.JobID, 10))
	}
	if f.Active {
		query.Set("active_only", "true")
	}
	if f.Completed {
		query.Set("completed_only", "true")
	}
	if !f.Since.IsZero() {
		query.Set("start_time_from", strconv.FormatInt(f.Since.UnixMilli(), 10))
	}
	return func(yield func(run.Run, error) bool) {
		token := ""
		for {
			var page struct {
				Runs      []runPage `json:"runs"`
				PageToken string    `json:"next_page_token"`
			}
			if token != "" {
				query.Set("page_token", token)
			}
			if err := c.read(ctx, get("list runs", query.Get("job_id"), "/api/2.2/jobs/runs/list", query).about(f.JobID), &page); err != nil {
				yield(run.Run{}, err)
				return
			}
			for _, p := range page.Runs {
				if !yield(p.run(), nil) {
					return
				}
			}
			if page.PageToken == "" {
				return
			}
			if page.PageToken == token {
				yield(run.Run{}, &Error{Op: "list runs", Subject: query.Get("job_id"), Err: errors.New("the pages do not end")})
				return
			}
			token = page.PageToken
		}
	}
}

// Output is what a task run left behind.
type Output struct {
	// Error and Trace explain a failure. Result is what a notebook returned.
	Error, Trace, Result string
	Truncated            bool
	// ChildRunID is the run that a run_job task started.
	ChildRunID int64
}

// RunOutput reads the output of a task run: the id of a task, not of the run it belongs to.
func (c *Client) RunOutput(ctx context.Context, taskRunID int64) (Output, error) {
	var o struct {
		Error    string `json:"error"`
		Trace    string `json:"error_trace"`
		Notebook struct {
			Result    string `json:"result"`
			Truncated bool   `json:"truncated"`
		} `json:"notebook_output"`
		Child struct {
			RunID int64 `json:"run_id"`
		} `json:"run_job_output"`
	}
	subject := strconv.FormatInt(taskRunID, 10)
	r := get("read output of task run", subject, "/api/2.2/jobs/runs/get-output", url.Values{"run_id": {subject}}).about(taskRunID)
	if err := c.read(ctx, r, &o); err != nil {
		return Output{}, err
	}
	return Output{Error: o.Error, Trace: o.Trace, Result: o.Notebook.Result, Truncated: o.Notebook.Truncated, ChildRunID: o.Child.RunID}, nil
}

// EndRuns cancels the active runs of a job and waits until none is active, for as long as ctx lasts. Runs that begin
// meanwhile are cancelled too.
func (c *Client) EndRuns(ctx context.Context, jobID int64) error {
	subject := strconv.FormatInt(jobID, 10)
	known := map[int64]bool{}
	for n := 0; ; n++ {
		var fresh, active int
		var queued []int64
		for r, err := range c.Runs(ctx, RunFilter{JobID: jobID, Active: true}) {
			if err != nil {
				return err
			}
			active++
			if !known[r.ID] {
				known[r.ID] = true
				fresh++
				if r.State() == "QUEUED" {
					queued = append(queued, r.ID)
				}
			}
		}
		if active == 0 {
			return nil
		}
		if fresh > 0 {
			if _, err := c.call(ctx, post("cancel the runs of job", subject, "/api/2.2/jobs/runs/cancel-all", map[string]any{"job_id": jobID}).about(jobID).again()); err != nil {
				return err
			}
		}
		// Cancelling all is about active runs, and whether one that waits in the queue is one of them is not documented.
		for _, id := range queued {
			if err := c.CancelRun(ctx, id); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		if err := c.sleep(ctx, min(firstWait<<min(n, 8), longestWait)); err != nil {
			return &Error{Op: "wait for the runs of job", Subject: subject, Err: fmt.Errorf("%d still active after being cancelled: %w", active, err),
				Hint: "A cancelled run ends when its cluster or statement has stopped. Try again later, or end it in the workspace."}
		}
	}
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// CreateJob makes a job and returns its id. It is not repeated once it may have acted: then the error is ErrUncertain,
// and the job is to be looked for by its name and tags.
func (c *Client) CreateJob(ctx context.Context, settings map[string]any) (int64, error) {
	name, _ := settings["name"].(string)
	var created struct {
		JobID int64 `json:"job_id"`
	}
	r := post("create job", strconv.Quote(name), "/api/2.2/jobs/create", settings)
	if err := c.read(ctx, r, &created); err != nil {
		return 0, err
	}
	if created.JobID == 0 {
		return 0, c.failure(r, &uncertain{errors.New("the answer has no job id")})
	}
	return created.JobID, nil
}

// ResetJob replaces all settings of a job. A missing job is ErrNotFound. An unpaused continuous job that the service
// starts at the same moment answers 409 (databricks/terraform-provider-databricks#4267): then it is sent again.
func (c *Client) ResetJob(ctx context.Context, id int64, settings map[string]any) error {
	return c.write(ctx, "reset job", "/api/2.2/jobs/reset", id, map[string]any{"job_id": id, "new_settings": settings})
}

// UpdateJob replaces the top-level settings given, merging keyed arrays as the API does. A missing job is ErrNotFound.
func (c *Client) UpdateJob(ctx context.Context, id int64, partial map[string]any) error {
	return c.write(ctx, "update job", "/api/2.2/jobs/update", id, map[string]any{"job_id": id, "new_settings": partial})
}

// DeleteJob deletes a job; its active runs are cancelled. A job that was missing from the start is ErrNotFound.
func (c *Client) DeleteJob(ctx context.Context, id int64) error {
	answer, err := c.call(ctx, post("delete job", strconv.FormatInt(id, 10), "/api/2.2/jobs/delete", map[string]any{"job_id": id}).about(id).again())
	if answer.repeated && errors.Is(err, ErrNotFound) {
		return nil // an attempt whose answer was lost did it
	}
	return err
}

func (c *Client) write(ctx context.Context, op, path string, id int64, body any) error {
	r := post(op, strconv.FormatInt(id, 10), path, body).about(id).again()
	r.races = true
	_, err := c.call(ctx, r)
	return err
}

// RunNow says what to run. Token makes the call safe to repeat: one token, one run; at most 64 characters.
type RunNow struct {
	JobID      int64
	Token      string
	Parameters map[string]string
	// Only runs these tasks; empty: all.
	Only []string
}

// RunNow starts a run, or returns the run that an earlier call with the same token started, whatever became of it. It
// is repeated with the same token where an answer is lost.
func (c *Client) RunNow(ctx context.Context, r RunNow) (int64, error) {
	subject := strconv.FormatInt(r.JobID, 10)
	if r.Token == "" || len(r.Token) > 64 {
		return 0, &Error{Op: "run job", Subject: subject, Err: fmt.Errorf("the idempotency token has %d characters, 1 to 64 are allowed", len(r.Token))}
	}
	body := map[string]any{"job_id": r.JobID, "idempotency_token": r.Token}
	if len(r.Parameters) > 0 {
		body["job_parameters"] = r.Parameters
	}
	if len(r.Only) > 0 {
		body["only"] = r.Only
	}
	var started struct {
		RunID int64 `json:"run_id"`
	}
	call := post("run job", subject, "/api/2.2/jobs/run-now", body).about(r.JobID).again()
	if err := c.read(ctx, call, &started); err != nil {
		return 0, err
	}
	if started.RunID == 0 {
		return 0, c.failure(call, &uncertain{errors.New("the answer has no run id")})
	}
	return started.RunID, nil
}

// CancelRun asks for the end of a run; it ends later. A run that has ended is left as it is.
func (c *Client) CancelRun(ctx context.Context, runID int64) error {
	_, err := c.call(ctx, post("cancel run", strconv.FormatInt(runID, 10), "/api/2.2/jobs/runs/cancel", map[string]any{"run_id": runID}).about(runID).again())
	return err
}

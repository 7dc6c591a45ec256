package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Job is a job as the workspace has it. Settings are the raw JSON object, numbers as json.Number, of all pages. The
// identity that the API keeps beside the settings is put back into them as run_as.
type Job struct {
	ID             int64
	Settings       map[string]any
	Creator, RunAs string
	Created        time.Time
}

type jobPage struct {
	JobID     int64          `json:"job_id"`
	Settings  map[string]any `json:"settings"`
	Creator   string         `json:"creator_user_name"`
	RunAs     string         `json:"run_as_user_name"`
	Created   int64          `json:"created_time"`
	HasMore   bool           `json:"has_more"`
	PageToken string         `json:"next_page_token"`
}

func (p jobPage) job() Job {
	s := p.Settings
	if s == nil {
		s = map[string]any{}
	}
	if _, ok := s["run_as"]; !ok && p.RunAs != "" {
		// jobs/get leaves run_as out of the settings; a service principal is named by its application id.
		kind := "user_name"
		if isUUID(p.RunAs) {
			kind = "service_principal_name"
		}
		s["run_as"] = map[string]any{kind: p.RunAs}
	}
	return Job{ID: p.JobID, Settings: s, Creator: p.Creator, RunAs: p.RunAs, Created: millis(p.Created)}
}

// millis reads an instant of the API; 0 is none.
func millis(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, r := range s {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (r == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return false
		}
	}
	return true
}

// pagedArrays are the arrays that jobs/get spreads over pages, with the field that names an element.
func pagedArrays() map[string]string {
	return map[string]string{"tasks": "task_key", "job_clusters": "job_cluster_key", "environments": "environment_key", "parameters": "name"}
}

// mostPages is far above what a job can have: 1000 tasks come in 10.
const mostPages = 200

// Job reads a job with all its pages; a page that cannot be read is an error, never a shorter job. A missing job is
// ErrNotFound, in both forms in which the API says so; a refusal never is.
func (c *Client) Job(ctx context.Context, id int64) (Job, error) {
	subject := strconv.FormatInt(id, 10)
	var whole jobPage
	query := url.Values{"job_id": {subject}}
	for n := 0; ; n++ {
		var p jobPage
		if err := c.read(ctx, get("read job", subject, "/api/2.2/jobs/get", query).about(id), &p); err != nil {
			return Job{}, err
		}
		if p.JobID != id {
			return Job{}, &Error{Op: "read job", Subject: subject, Err: fmt.Errorf("the answer is about job %d", p.JobID)}
		}
		if n == 0 {
			whole = p
		} else if err := appendPage(whole.Settings, p.Settings, pagedArrays()); err != nil {
			return Job{}, &Error{Op: "read job", Subject: subject, Err: fmt.Errorf("page %d: %w", n+1, err), Hint: "The job was changed while it was read: try again."}
		}
		switch {
		case p.PageToken == "":
			return whole.job(), nil
		case p.PageToken == query.Get("page_token") || n > mostPages:
			return Job{}, &Error{Op: "read job", Subject: subject, Err: fmt.Errorf("page %d does not end", n+1)}
		}
		query.Set("page_token", p.PageToken)
	}
}

// appendPage adds the arrays of a later page. An element that was there already means that pages of two versions of the
// object were mixed.
func appendPage(whole, page map[string]any, arrays map[string]string) error {
	if whole == nil {
		return errors.New("the first page has no settings")
	}
	for name, key := range arrays {
		more, _ := page[name].([]any)
		have, _ := whole[name].([]any)
		seen := map[any]bool{}
		for _, e := range have {
			seen[named(e, key)] = true
		}
		for _, e := range more {
			if k := named(e, key); k != nil && seen[k] {
				return fmt.Errorf("%s %v comes twice", key, k)
			}
		}
		if len(more) > 0 {
			whole[name] = append(have, more...)
		}
	}
	return nil
}

// named is the element's key, nil when it has none that can be compared.
func named(element any, key string) any {
	m, _ := element.(map[string]any)
	switch v := m[key].(type) {
	case string:
		return v
	case json.Number:
		return v
	}
	return nil
}

// JobsNamed reads the jobs of exactly this name, which the server looks for; none is no error.
func (c *Client) JobsNamed(ctx context.Context, name string) ([]Job, error) {
	var found []Job
	for j, err := range c.list(ctx, url.Values{"name": {name}}, strconv.Quote(name)) {
		if err != nil {
			return nil, err
		}
		// The server's filter does not know case.
		if j.Settings["name"] == name {
			found = append(found, j)
		}
	}
	return found, nil
}

// FindJob reads the job with this id or exact name. None is ErrNotFound; several of one name are ErrAmbiguous, and the
// error names their ids.
func (c *Client) FindJob(ctx context.Context, nameOrID string) (Job, error) {
	id, err := strconv.ParseInt(nameOrID, 10, 64)
	isID := err == nil && id > 0
	if isID {
		j, err := c.Job(ctx, id)
		if err == nil || !errors.Is(err, ErrNotFound) {
			return j, err
		}
	}
	found, err := c.JobsNamed(ctx, nameOrID)
	switch {
	case err != nil:
		return Job{}, err
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		what := "named " + strconv.Quote(nameOrID)
		if isID {
			what = "with id or name " + nameOrID
		}
		return Job{}, &Error{Op: "find job", Subject: strconv.Quote(nameOrID), Err: fmt.Errorf("%w: no job %s that this identity may see in %s", ErrNotFound, what, c.host),
			Hint: "Names are compared exactly, upper and lower case too. Give the job's id, or see the jobs with: watertight status."}
	}
	return Job{}, &Error{Op: "find job", Subject: strconv.Quote(nameOrID), Err: fmt.Errorf("%w: %d jobs have this name: %s", ErrAmbiguous, len(found), idsOf(found)),
		Hint: "Give the id of the one you mean."}
}

// Jobs reads all jobs that the identity may see, page by page as they are consumed. An error ends the sequence.
func (c *Client) Jobs(ctx context.Context) iter.Seq2[Job, error] {
	return c.list(ctx, url.Values{}, "")
}

func (c *Client) list(ctx context.Context, query url.Values, subject string) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		query.Set("limit", "100")
		query.Set("expand_tasks", "true")
		for {
			var page struct {
				Jobs      []jobPage `json:"jobs"`
				PageToken string    `json:"next_page_token"`
			}
			if err := c.read(ctx, get("list jobs", subject, "/api/2.2/jobs/list", query), &page); err != nil {
				yield(Job{}, err)
				return
			}
			for _, p := range page.Jobs {
				j, err := p.job(), error(nil)
				if p.HasMore { // of an array only its first page is listed
					j, err = c.Job(ctx, p.JobID)
				}
				if !yield(j, err) || err != nil {
					return
				}
			}
			if page.PageToken == "" {
				return
			}
			if page.PageToken == query.Get("page_token") {
				yield(Job{}, &Error{Op: "list jobs", Subject: subject, Err: errors.New("the pages do not end")})
				return
			}
			query.Set("page_token", page.PageToken)
		}
	}
}

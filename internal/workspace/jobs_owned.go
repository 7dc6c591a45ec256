package workspace

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// CreateOwnedJob makes a job of which one tag has a value that no other job has. Where the answer is lost, the job is
// looked for by its name and that tag, also when ctx has ended meanwhile: what was made is returned. ErrUncertain is
// left only when no such job shows up; it is never sent twice.
func (c *Client) CreateOwnedJob(ctx context.Context, settings map[string]any, tag string) (int64, error) {
	id, err := c.CreateJob(ctx, settings)
	if err == nil || !errors.Is(err, ErrUncertain) {
		return id, err
	}
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	name, _ := settings["name"].(string)
	owner := jobspec.Tags(settings)[tag]
	lookups := 4
	for n := range lookups {
		if n > 0 && c.sleep(ctx, firstWait<<n) != nil {
			break
		}
		found, e := c.ownedJobs(ctx, name, tag, owner)
		if e != nil {
			return 0, fmt.Errorf("%w (and looking for it failed: %w)", err, e)
		}
		if len(found) == 1 {
			return found[0].ID, nil
		}
		if len(found) > 1 {
			return 0, &Error{Op: "create job", Subject: strconv.Quote(name), Err: fmt.Errorf("%w: the answer was lost, and %d jobs carry the tag %s = %s: %s", ErrAmbiguous, len(found), tag, owner, idsOf(found)),
				Hint: "Delete all but one of them, and import that one."}
		}
	}
	return 0, err
}

func (c *Client) ownedJobs(ctx context.Context, name, tag, owner string) ([]Job, error) {
	named, err := c.JobsNamed(ctx, name)
	var found []Job
	for _, j := range named {
		if owner != "" && jobspec.Tags(j.Settings)[tag] == owner {
			found = append(found, j)
		}
	}
	return found, err
}

func idsOf(jobs []Job) string {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = strconv.FormatInt(j.ID, 10)
	}
	return strings.Join(ids, ", ")
}

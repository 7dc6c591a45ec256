package local

import (
	"time"
)

// job is a saved job. Its settings are what was written, plus what the server adds at the time of writing.
type job struct {
	ID       int64     `json:"id"`
	Settings settings  `json:"settings"`
	Creator  string    `json:"creator"`
	RunAs    string    `json:"run_as"`
	Created  time.Time `json:"created"`
	// Anchor is the virtual instant after which the trigger fires next: the last fire, or when the trigger was
	// written or unpaused. Fires missed before it are not caught up.
	Anchor time.Time `json:"anchor"`
	// Failures counts failed runs in a row, for the backoff of continuous jobs.
	Failures int   `json:"failures,omitempty"`
	Count    int64 `json:"count"` // runs so far

	fires *trigger // derived from Settings
}

func (j *job) name() string { return text(j.Settings["name"]) }

// maxConcurrent is 1 unless said otherwise; 0 skips every run.
func (j *job) maxConcurrent() int {
	if n, ok := integer(j.Settings["max_concurrent_runs"]); ok {
		return int(n)
	}
	return 1
}

func (j *job) queues() bool { return truth(object(j.Settings["queue"])["enabled"]) }

// find returns a job or the error for a missing or denied one. The caller holds w.mu.
func (w *Workspace) find(id int64) (*job, error) {
	for _, d := range w.behaviour.DeniedJobs {
		if d == id {
			return nil, denied("User %s does not have View or Admin or Manage Run or Owner permissions on job %d", ownerName, id)
		}
	}
	if j, ok := w.book.Jobs[id]; ok {
		return j, nil
	}
	if w.behaviour.MissingJob == 400 {
		return nil, badRequest("Job %d does not exist.", id)
	}
	return nil, notFound("Job %d does not exist.", id)
}

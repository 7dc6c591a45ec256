package run

import "time"

const (
	shortestPoll = time.Second
	longestPoll  = 30 * time.Second
)

// Poll is how long to wait before the run is asked about again, given how long it has been watched and how long a
// run of this job is expected to last (0: unknown). It begins at 1 s, so that a run skipped at once is noticed at
// once, grows with a tenth of the time watched, and never exceeds 30 s. Near the expected end it shortens again.
func Poll(elapsed, expected time.Duration) time.Duration {
	wait := max(elapsed, 0) / 10
	if left := expected - elapsed; expected > 0 && left > 0 {
		wait = min(wait, left/2)
	}
	return min(max(wait, shortestPoll), longestPoll)
}

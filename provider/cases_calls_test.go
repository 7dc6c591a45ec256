package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// manyLoaders is a project of jobs with three tasks each, under a provider that takes OAuth, as a pipeline does.
func manyLoaders(w *local.Workspace, jobs int, line string) string {
	return required + fmt.Sprintf(`
provider "watertight" {
  host          = %q
  client_id     = "pipeline"
  client_secret = %q
  %s
}

resource "watertight_loader_job" "messages" {
  count        = %d
  name         = "load_${count.index}"
  source       = "main.events.stream_${count.index}"
  target       = "main.events.messages_${count.index}"
  key          = { partition = "technical_partition", sequence = "technical_sequenceNumber" }
  event_time   = "context_updatedAt"
  schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  max_duration = "20m"
  settings = {
    tasks = [
      { task_key = "extract", notebook_task = { notebook_path = "/Shared/extract" } },
      { task_key = "load", depends_on = [{ task_key = "extract" }], notebook_task = { notebook_path = "/Shared/load" } },
      { task_key = "count", depends_on = [{ task_key = "load" }], notebook_task = { notebook_path = "/Shared/count" } },
    ]
  }
}
`, w.Host(), w.Token(), line, jobs)
}

// J45 databricks/terraform-provider-databricks#2127: one token for all that a plan reads, one call for each job, and
// nothing else.
func TestPlanCallsOnceForEachJob(t *testing.T) {
	t.Parallel()
	const jobs = 200
	w := open(t, local.Options{Empty: true})
	s := newShell(t, manyLoaders(w, jobs, "rate_limit = 1000"))
	s.apply()
	if n := w.Count(http.MethodPost, "oidc/v1/token"); n != 1 {
		t.Errorf("apply: %d token calls, want 1", n)
	}
	s.write(manyLoaders(w, jobs, "")) // the default rate limit
	w.ResetRequests()
	if out, code := s.plan(); code != 0 {
		t.Fatalf("plan: exit %d\n%s", code, out)
	}
	seen := map[string]int{}
	for _, q := range w.Requests() {
		switch {
		case strings.HasPrefix(q.Route, "/.well-known/"), strings.HasPrefix(q.Route, "/oidc/.well-known/"):
			seen["discovery"]++
		case strings.HasPrefix(q.Route, "/oidc/"):
			seen["token"]++
		case q.Route == "/api/2.2/jobs/get":
			seen[q.Query]++
		default:
			t.Errorf("%s %s", q.Method, q.Route)
		}
	}
	if seen["token"] != 1 || seen["discovery"] > 2 {
		t.Errorf("%d token calls and %d of discovery, want 1 and at most 2", seen["token"], seen["discovery"])
	}
	delete(seen, "token")
	delete(seen, "discovery")
	if len(seen) != jobs {
		t.Errorf("%d jobs were read, want %d", len(seen), jobs)
	}
	for query, n := range seen {
		if n != 1 {
			t.Errorf("%s: %d calls, want 1", query, n)
		}
	}
}

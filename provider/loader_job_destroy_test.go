package provider_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

func (s *shell) destroy() (string, int) {
	s.t.Helper()
	out, code := s.run("destroy", "-no-color", "-input=false", "-auto-approve")
	return prose(out), code
}

// startRun starts a run of the loader that lasts until the clock has moved on, or for ever.
func startRun(t *testing.T, w *local.Workspace) (run int64) {
	t.Helper()
	run, err := outside(t, w).RunNow(t.Context(), workspace.RunNow{JobID: theJob(t, w).ID, Token: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func jobs(t *testing.T, w *local.Workspace) (n int) {
	t.Helper()
	for _, err := range outside(t, w).Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// J41 databricks/cli#1515: destroying is refused while a run is active, with the run and the ways out; with the flag the
// run is cancelled, waited for, and the job deleted, in this order.
func TestLoaderJobIsNotDestroyedWhileItRuns(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("")))
	s.apply()
	id := theJob(t, w).ID
	w.SetRunTime("load_messages", time.Hour)
	run := startRun(t, w)
	w.ResetRequests()
	out, code := s.destroy()
	if code != 1 || writes(w) != 0 {
		t.Errorf("exit %d, %d writes", code, writes(w))
	}
	wantAll(t, out, "The loader job is running", fmt.Sprintf("Run %d of job %d is active", run, id), fmt.Sprintf("job/%d/run/%d", id, run),
		"Wait until it has ended", "cancel_active_runs = true", "terraform state rm", "removed block")

	// The flag counts once it is in the state: a destroy reads nothing else.
	s.write(with(w, loader("  cancel_active_runs = true")))
	w.ResetRequests()
	s.apply()
	if n := writes(w); n != 0 {
		t.Errorf("applying the flag wrote %d times", n)
	}
	if out, code = s.destroy(); code != 0 || jobs(t, w) != 0 {
		t.Errorf("exit %d, %d jobs are left\n%s", code, jobs(t, w), out)
	}
	var order []string
	for _, q := range w.Requests() {
		if q.Method == http.MethodPost {
			order = append(order, q.Route[strings.LastIndex(q.Route, "/")+1:])
		}
	}
	if got := strings.Join(order, " "); got != "update cancel-all delete" {
		t.Errorf("the writes of the destroy: %s", got)
	}
}

// J41: when the run has ended, destroying just deletes.
func TestLoaderJobIsDestroyedAfterItsRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("  pause_status = \"PAUSED\"")))
	s.apply()
	w.SetRunTime("load_messages", time.Hour)
	startRun(t, w)
	if out, code := s.destroy(); code != 1 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if err := w.Advance(t.Context(), 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.ResetRequests()
	if out, code := s.destroy(); code != 0 || jobs(t, w) != 0 || writes(w) != 1 {
		t.Errorf("exit %d, %d jobs, %d writes\n%s", code, jobs(t, w), writes(w), out)
	}
}

// J41: a run that does not end is waited for within timeouts.delete; the job stays in the state and in the workspace.
func TestLoaderJobWhoseRunDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("  cancel_active_runs = true\n  timeouts = { delete = \"2s\" }")))
	s.apply()
	w.AddScript(local.Script{Job: "load_messages", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	startRun(t, w)
	w.AddFault(local.Fault{Route: "runs/cancel-all", Status: 200, Body: "{}"}) // it is heard and nothing ends
	out, code := s.destroy()
	if code != 1 || jobs(t, w) != 1 || w.Count("POST", "jobs/delete") != 0 {
		t.Errorf("exit %d, %d jobs", code, jobs(t, w))
	}
	wantAll(t, out, "The runs of the loader job did not end", "timeouts.delete of 2 s ran out", "The loader job goes on", "so it was resumed")
	if s.values(loaderAddress) == nil {
		t.Error("the job is not in the state any more")
	}
	if status, _, _ := jobspec.Pause(theJob(t, w).Settings); status != jobspec.Unpaused {
		t.Errorf("the job is %s", status)
	}
	if out, _ := s.plan(); strings.Contains(out, "paused outside Terraform") {
		t.Errorf("the next plan:\n%s", out)
	}
}

// A destroy that can neither delete a job nor resume it says that it left it paused.
func TestLoaderJobStaysPaused(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("  cancel_active_runs = true")))
	s.apply()
	w.SetRunTime("load_messages", time.Hour)
	startRun(t, w)
	w.AddFault(local.Fault{Route: "jobs/delete", Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no"}`})
	w.AddFault(local.Fault{Route: "jobs/update", Call: 2, Status: 403, Body: `{"error_code":"PERMISSION_DENIED","message":"no"}`})
	out, code := s.destroy()
	if code != 1 {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "The loader job cannot be deleted", "The loader job is paused", "could not resume it")
}

// J08 databricks/terraform-provider-databricks#4417: apply does not wait for a run, and asks for none.
func TestLoaderJobApplyWaitsForNoRun(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loader("  continuous = {}")))
	s.apply()
	w.AddScript(local.Script{Job: "load_messages", Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	startRun(t, w)
	w.ResetRequests()
	s.write(with(w, loader("  continuous = {}\n  max_duration = \"25m\"")))
	begin := time.Now()
	s.apply()
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("apply took %s", took)
	}
	if n := w.Count("", "/api/2.2/jobs/runs/*") + w.Count("", "jobs/run-now"); n != 0 {
		t.Errorf("%d calls about runs", n)
	}
}

// J06, J07 databricks/terraform-provider-databricks#4267: a reset of a continuous job races the service's own start and
// is answered 409 once. The apply succeeds, starts and cancels nothing, and one run is active.
func TestLoaderJobContinuousRace(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{ContinuousRace: true}})
	w.AddScript(local.Script{Job: "load_messages", Runs: 5, Steps: []local.Step{{LifeCycle: "RUNNING"}}})
	s := newShell(t, with(w, loader("  continuous = {}")))
	s.apply()
	w.AddFault(local.Fault{Route: "jobs/reset", Call: 1, Status: 409, Body: `{"error_code":"RESOURCE_CONFLICT","message":"The job was triggered at the same time by the service."}`})
	w.ResetRequests()
	s.write(with(w, loader("  continuous = {}\n  max_duration = \"25m\"")))
	s.apply()
	if n, m := w.Count("POST", "jobs/reset"), w.Count("POST", "jobs/run-now")+w.Count("POST", "/api/2.2/jobs/runs/*"); n != 2 || m != 0 {
		t.Errorf("%d resets and %d starts or cancels", n, m)
	}
	active := 0
	for _, err := range outside(t, w).Runs(t.Context(), workspace.RunFilter{JobID: theJob(t, w).ID, Active: true}) {
		if err != nil {
			t.Fatal(err)
		}
		active++
	}
	if active != 1 {
		t.Errorf("%d active runs", active)
	}
}

// J30 databricks/terraform-provider-databricks#2225, J31 #740: what a write makes of an answer. A missing job is an error
// of an update, which the next plan mends by a create, and the end of a delete; nothing else takes a job out of the state.
func TestLoaderJobWritesMissingOrNot(t *testing.T) {
	t.Parallel()
	answers := []struct {
		name, body string
		status     int
		missing    bool
	}{
		{"404", `{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Job %d does not exist."}`, 404, true},
		{"400 about a missing job", `{"error_code":"INVALID_PARAMETER_VALUE","message":"Job %d does not exist."}`, 400, true},
		{"400 of another kind", `{"error_code":"INVALID_PARAMETER_VALUE","message":"task load of %d is wrong"}`, 400, false},
		{"403", `{"error_code":"PERMISSION_DENIED","message":"no Manage permissions on job %d"}`, 403, false},
		{"429", `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"slow down, %d"}`, 429, false},
		{"500", `{"error_code":"INTERNAL_ERROR","message":"job %d broke"}`, 500, false},
	}
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			s := newShell(t, with(w, loader("")))
			s.apply()
			id := theJob(t, w).ID
			said := fmt.Sprintf(a.body, id)
			w.AddFault(local.Fault{Route: "jobs/reset", Status: a.status, Body: said})
			s.write(with(w, loader("  max_duration = \"25m\"")))
			out, code := s.tryApply()
			if code != 1 || s.values(loaderAddress)["id"] != strconv.FormatInt(id, 10) {
				t.Errorf("update: exit %d, state %v", code, s.values(loaderAddress)["id"])
			}
			wantAll(t, out, strings.Split(said, `"message":"`)[1][:8])
			w.ClearFaults()
			if a.missing {
				wantAll(t, out, "the next plan creates it anew")
				w.AddFault(local.Fault{Route: "jobs/get", Status: a.status, Body: said})
				out, code := s.plan()
				if code != 2 {
					t.Errorf("plan: exit %d", code)
				}
				wantAll(t, out, "1 to add, 0 to change, 0 to destroy")
				w.ClearFaults()
			}
			w.AddFault(local.Fault{Route: "jobs/delete", Status: a.status, Body: said})
			out, code = s.destroy()
			isGone := s.values(loaderAddress) == nil
			if isGone != a.missing || (code == 0) != a.missing {
				t.Errorf("delete: exit %d, gone %t\n%s", code, isGone, out)
			}
		})
	}
}

// J31 databricks/terraform-provider-databricks#1746: in both forms of missing, what is gone is destroyed without an error.
func TestLoaderJobDestroyOfNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 400} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true, Behaviour: local.Behaviour{MissingJob: status}})
			s := newShell(t, with(w, loader("")))
			s.apply()
			id := theJob(t, w).ID
			if err := outside(t, w).DeleteJob(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			w.AddFault(local.Fault{Route: "runs/list", Status: status, Body: fmt.Sprintf(`{"error_code":"INVALID_PARAMETER_VALUE","message":"Job %d does not exist."}`, id)})
			if out, code := s.run("destroy", "-no-color", "-input=false", "-auto-approve", "-refresh=false"); code != 0 {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

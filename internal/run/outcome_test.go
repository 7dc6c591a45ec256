package run_test

import (
	"fmt"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

var (
	lifeCycles = []string{"", "BLOCKED", "INTERNAL_ERROR", "PENDING", "QUEUED", "RUNNING", "SKIPPED", "TERMINATED",
		"TERMINATING", "WAITING_FOR_RETRY", "NEW_STATE_X"}
	results = []string{"", "CANCELED", "DISABLED", "EXCLUDED", "FAILED", "MAXIMUM_CONCURRENT_RUNS_REACHED", "SUCCESS",
		"SUCCESS_WITH_FAILURES", "TIMEDOUT", "UPSTREAM_CANCELED", "UPSTREAM_FAILED", "NEW_RESULT_X"}
	statuses = []string{"", "BLOCKED", "PENDING", "QUEUED", "RUNNING", "TERMINATED", "TERMINATING", "WAITING", "NEW_STATUS_X"}
	codes    = []string{"", "SUCCESS", "SUCCESS_WITH_FAILURES", "CANCELED", "USER_CANCELED", "SKIPPED", "DISABLED",
		"MAX_CONCURRENT_RUNS_EXCEEDED", "RUN_EXECUTION_ERROR", "CLUSTER_ERROR", "NEW_CODE_X"}
)

// R02 databricks/cli#257, R04 apache/airflow#33882: every combination, known or not, against the two rules alone:
// what ends a run, and that nothing but SUCCESS is success.
func TestOutcomeOverEveryCombination(t *testing.T) {
	t.Parallel()
	n := 0
	for _, l := range lifeCycles {
		for _, r := range results {
			for _, s := range statuses {
				for _, c := range codes {
					n++
					got := run.Run{LifeCycle: l, Result: r, Status: s, TerminationCode: c}.Outcome()
					name := fmt.Sprintf("%q %q %q %q", l, r, s, c)
					known := l != "" && l != "NEW_STATE_X"
					final := l == "TERMINATED" || l == "SKIPPED" || l == "INTERNAL_ERROR" || !known && s == "TERMINATED"
					if got.Final() != final {
						t.Errorf("%s: outcome %s, final %t, want final %t", name, got, got.Final(), final)
					}
					success := l == "TERMINATED" && r == "SUCCESS" && (c == "" || c == "SUCCESS") ||
						!known && s == "TERMINATED" && (r == "SUCCESS" && (c == "" || c == "SUCCESS") || r == "" && c == "SUCCESS")
					if (got == run.Succeeded) != success {
						t.Errorf("%s: outcome %s, want success %t", name, got, success)
					}
					if (got.ExitCode() == run.Pass) != success {
						t.Errorf("%s: exit code %d, want success %t", name, got.ExitCode(), success)
					}
				}
			}
		}
	}
	if n != 11*12*9*11 {
		t.Fatalf("looked at %d combinations", n)
	}
}

func TestOutcomeNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  run.Run
		want run.Outcome
		exit run.ExitCode
	}{
		{"R02 databricks/cli#257 failed", run.Run{LifeCycle: "TERMINATED", Result: "FAILED"}, run.Failed, 6},
		{"R02 dbt-databricks#1477 timed out", run.Run{LifeCycle: "TERMINATED", Result: "TIMEDOUT"}, run.TimedOut, 6},
		{"R02 cancelled", run.Run{LifeCycle: "TERMINATED", Result: "CANCELED"}, run.Canceled, 6},
		{"R02 skipped has no result", run.Run{LifeCycle: "SKIPPED"}, run.Skipped, 6},
		{"R02 skipped with a result", run.Run{LifeCycle: "SKIPPED", Result: "SUCCESS"}, run.Skipped, 6},
		{"R02 a failed task is INTERNAL_ERROR at run level", run.Run{LifeCycle: "INTERNAL_ERROR", Result: "FAILED", Status: "TERMINATED", TerminationCode: "RUN_EXECUTION_ERROR"}, run.Failed, 6},
		{"R02 internal error cannot succeed", run.Run{LifeCycle: "INTERNAL_ERROR", Result: "SUCCESS"}, run.Unknown, 6},
		{"R02 partial", run.Run{LifeCycle: "TERMINATED", Result: "SUCCESS_WITH_FAILURES"}, run.Partial, 6},
		{"R02 upstream failed", run.Run{LifeCycle: "TERMINATED", Result: "UPSTREAM_FAILED"}, run.UpstreamFailed, 6},
		{"R02 upstream cancelled", run.Run{LifeCycle: "TERMINATED", Result: "UPSTREAM_CANCELED"}, run.UpstreamCanceled, 6},
		{"R02 too many at once", run.Run{LifeCycle: "TERMINATED", Result: "MAXIMUM_CONCURRENT_RUNS_REACHED"}, run.Skipped, 6},
		{"R02 result missing", run.Run{LifeCycle: "TERMINATED"}, run.Unknown, 6},
		{"R02 result missing, code known", run.Run{LifeCycle: "TERMINATED", TerminationCode: "USER_CANCELED"}, run.Canceled, 6},
		{"R02 result not known yet", run.Run{LifeCycle: "TERMINATED", Result: "SUCCESS_OF_A_KIND"}, run.Unknown, 6},
		{"success denied by the code", run.Run{LifeCycle: "TERMINATED", Result: "SUCCESS", TerminationCode: "DRIVER_ERROR"}, run.Failed, 6},
		{"success", run.Run{LifeCycle: "TERMINATED", Result: "SUCCESS", Status: "TERMINATED", TerminationCode: "SUCCESS"}, run.Succeeded, 0},
		{"success by the newer fields alone", run.Run{Status: "TERMINATED", TerminationCode: "SUCCESS"}, run.Succeeded, 0},
		{"failure by the newer fields alone", run.Run{Status: "TERMINATED", TerminationCode: "CLUSTER_ERROR"}, run.Failed, 6},
		{"R04 apache/airflow#33882 queued", run.Run{LifeCycle: "QUEUED"}, run.Active, 7},
		{"R04 waiting for a retry carries a result", run.Run{LifeCycle: "WAITING_FOR_RETRY", Result: "FAILED"}, run.Active, 7},
		{"R04 state not known yet", run.Run{LifeCycle: "NEW_STATE_X"}, run.Active, 7},
		{"R04 nothing known", run.Run{}, run.Active, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.run.Outcome(); got != tt.want || got.ExitCode() != tt.exit {
				t.Errorf("outcome %s, exit %d; want %s, %d", got, got.ExitCode(), tt.want, tt.exit)
			}
		})
	}
}

// R22 databricks/cli#209: both failing tasks are named; an earlier attempt that was retried is not.
func TestFailuresAreLastAttempts(t *testing.T) {
	t.Parallel()
	r := run.Run{Tasks: []run.Task{
		{Key: "a", Attempt: 0, LifeCycle: "TERMINATED", Result: "FAILED", Message: "first try"},
		{Key: "a", Attempt: 1, LifeCycle: "TERMINATED", Result: "SUCCESS"},
		{Key: "b", LifeCycle: "TERMINATED", Result: "FAILED", Message: "no such table"},
		{Key: "c", LifeCycle: "INTERNAL_ERROR", Result: "FAILED", Message: "no such column"},
		{Key: "d", LifeCycle: "TERMINATED", Result: "EXCLUDED"},
		{Key: "e", LifeCycle: "RUNNING"},
	}}
	var got []string
	for _, f := range r.Failures() {
		got = append(got, f.Key+": "+f.Message)
	}
	if want := "[b: no such table c: no such column]"; fmt.Sprint(got) != want {
		t.Errorf("failures %v, want %s", got, want)
	}
}

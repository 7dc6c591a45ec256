package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// config is the configuration as it is now.
func (s *shell) config() string {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.dir, "main.tf"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}

// J03 databricks/cli#859: what is sent is the pause status that is written, in whichever trigger the job has, and nothing
// rewrites it.
func TestLoaderJobSendsThePauseThatIsWritten(t *testing.T) {
	t.Parallel()
	file := `{ trigger = { file_arrival = { url = "/Volumes/main/events/in" } }, tasks = [{ task_key = "load", notebook_task = { notebook_path = "/Shared/load" } }] }`
	for name, c := range map[string]struct{ lines, settings, trigger string }{
		"schedule":   {"", notebook, "schedule"},
		"periodic":   {`  periodic = { interval = 1, unit = "HOURS" }`, notebook, "trigger"},
		"continuous": {`  continuous = {}`, notebook, "continuous"},
		"trigger":    {`  longest_gap = "2h"`, file, "trigger"},
	} {
		for _, status := range []string{"", "UNPAUSED", "PAUSED"} {
			t.Run(name+" "+status, func(t *testing.T) {
				t.Parallel()
				w := open(t, local.Options{Empty: true})
				lines, want := c.lines, "UNPAUSED"
				if status != "" {
					lines, want = lines+fmt.Sprintf("\n  pause_status = %q", status), status
				}
				newShell(t, with(w, loaderWith(lines, c.settings))).apply()
				if got := body(t, w, "jobs/create")[c.trigger].(map[string]any)["pause_status"]; got != want {
					t.Errorf("sent %v, written %s", got, want)
				}
			})
		}
	}
}

// J04 databricks/cli#4316: one switch pauses every job that starts by itself; none is left out.
func TestOneSwitchPausesEveryJob(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	s := newExample(t, w, "../examples/resources/watertight_optimize_job")
	text := s.config()
	if n := strings.Count(text, "resource \"watertight_"); n < 2 {
		t.Fatalf("the example has %d resources", n)
	}
	for _, kind := range []string{"loader_job", "optimize_job"} {
		head := `resource "watertight_` + kind + `" "messages" {`
		text = strings.Replace(text, head, head+"\n  pause_status = var.pause", 1)
	}
	s.write(text + "\nvariable \"pause\" { default = \"UNPAUSED\" }\n")
	s.apply()
	w.ResetRequests()
	// A loader that is paused is a violation of its own, which the one who pauses everything means to bear.
	s.write(strings.Replace(s.config(), `resource "watertight_optimize_job" "messages" {`, "resource \"watertight_optimize_job\" \"messages\" {\n  on_violation = \"warn\"", 1))
	s.must("apply", "-no-color", "-auto-approve", "-var", "pause=PAUSED")
	paused := 0
	for _, q := range w.Requests() {
		if strings.HasSuffix(q.Route, "jobs/reset") && strings.Contains(q.Body, `"pause_status":"PAUSED"`) {
			paused++
		}
	}
	if paused != 2 {
		t.Errorf("%d jobs were paused, want 2", paused)
	}
}

// F03 hashicorp/terraform-plugin-framework#775: nested sets took a minute or more for 1 000 elements. Here they are read
// once, in their ten pages; internal/bench measures what that takes.
func TestLoaderJobOf1000Tasks(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, loaderWith("", `{ tasks = [for i in range(1000) : { task_key = "t${i}", notebook_task = { notebook_path = "/Shared/${i}" } }] }`)))
	s.apply()
	w.ResetRequests()
	if out, code := s.plan(); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	if n := w.Count("GET", "jobs/get"); n != 10 {
		t.Errorf("%d calls for 1000 tasks, want 10", n)
	}
}

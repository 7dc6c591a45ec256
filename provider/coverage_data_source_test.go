package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const fixedInstant = "\n  at = \"2026-03-02T12:00:00Z\""

// coverageData asks of a loader that starts every 15 minutes, runs for up to 20, waits 30 for rows to settle, and reads a
// source that keeps them for a day.
func coverageData(lines string) string {
	if !strings.Contains(lines, "loader = {") {
		lines += `
  loader = {
    name         = "copy_messages"
    source       = "main.events.source"
    target       = "main.events.messages"
    settle_delay = "30m"
    max_duration = "20m"
    schedule     = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }
  }`
	}
	if !strings.Contains(lines, "retention = {") {
		lines += "\n  retention = { table = \"main.events.source\", rolling_window = \"24h\" }"
	}
	return "data \"watertight_coverage\" \"c\" {\n" + lines + "\n}\noutput \"c\" {\n  value = { for k, v in data.watertight_coverage.c : k => v if !contains([\"loader\", \"retention\", \"explanation\"], k) }\n}\n"
}

// A window of 25 h that pauses the loader: the run of Sunday 01:30 is still active at 01:45, so the next one is the one at
// the window's end, Monday 03:00. 25 h 30 min + 20 min of that run + 30 min settle delay = 26 h 20 min, and a row lives 24 h.
func TestCoverageDataOfAPause(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, coverageData(fixedInstant+pausedFor25h)))
	s.apply()
	var got map[string]any
	s.output("c", &got)
	changes, _ := got["changes"].([]any)
	timeline, _ := got["timeline"].([]any)
	reasons, _ := got["reasons"].([]any)
	inputs := map[string]any{}
	for _, c := range changes {
		c := c.(map[string]any)
		inputs[c["input"].(string)] = c["to"]
	}
	for _, name := range []string{"changes", "timeline", "reasons", "window", "loader_during_window"} {
		delete(got, name)
	}
	want := map[string]any{"verdict": "violated", "headroom": "-2h20m", "headroom_seconds": -8400.0, "longest_wait": "25h50m", "longest_wait_seconds": 93000.0,
		"limit": "24h", "limit_seconds": 86400.0, "worst": map[string]any{"from": "2026-03-08T01:30:00Z", "to": "2026-03-09T03:00:00Z"},
		"deadline": "2026-03-09T01:00:00Z", "failed_runs_tolerated": 0.0, "at": "2026-03-02T12:00:00Z", "minimum_headroom": nil, "pause": nil, "on_violation": nil,
		"assumptions": []any{"the maintenance job resumes the loader and runs it at the end of the window, whatever happened in it"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if inputs["rolling_window"] != "26h20m" || inputs["window.loader_during_window"] != "running" {
		t.Errorf("changes %v", inputs)
	}
	if len(reasons) != 1 || reasons[0].(map[string]any)["code"] != "negative_headroom" {
		t.Errorf("reasons %v", reasons)
	}
	if first, _ := timeline[0].(map[string]any); first["at"] != "2026-03-08T01:00:00Z" {
		t.Errorf("timeline %v", timeline)
	}
	if n := len(w.Requests()); n != 0 {
		t.Errorf("%d requests, with the instant given", n)
	}
}

// A pause of 6 h begins at the next start: 15 min + 6 h + 20 min run + 30 min settle delay are 7 h 5 min of 24 h.
func TestCoverageData(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	arrival := func(lines string) string {
		return `
  loader = {
    name         = "copy_messages"
    source       = "main.events.source"
    target       = "main.events.messages"
    max_duration = "20m"
    starts       = { kind = "file_arrival" }
    ` + lines + `
  }`
	}
	tests := map[string]struct {
		lines, verdict, headroom, code string
	}{
		"holds":           {"", "holds", "22h40m", "headroom"},
		"a pause":         {"pause = \"6h\"", "holds", "16h55m", "headroom"},
		"a running one":   {`window = { quartz_cron_expression = "0 0 2 ? * SUN", timezone_id = "UTC", duration = "25h" }`, "holds", "22h40m", "headroom"},
		"too little":      {"minimum_headroom = \"23h\"", "violated", "22h40m", "minimum_headroom"},
		"another table":   {`retention = { table = "main.events.other", rolling_window = "24h" }`, "violated", "22h40m", "other_table"},
		"no time travel":  {"pause = \"2h\"\n" + `retention = { table = "main.events.source", rolling_window = "24h", log_retention = "1h", deleted_file_retention = "1h" }`, "violated", "20h55m", "time_travel"},
		"no bound":        {arrival(""), "unknown", "", "trigger_unbound"},
		"a declared one":  {arrival(`longest_gap = "4h"`), "holds", "19h40m", "headroom"},
		"a paused loader": {arrival("longest_gap = \"4h\"\n    pause_status = \"PAUSED\""), "violated", "19h40m", "loader_paused"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, with(w, coverageData(fixedInstant+"\n"+c.lines)))
			s.apply()
			var got struct {
				Verdict, Headroom string
				Reasons           []struct{ Code, Text string }
			}
			s.output("c", &got)
			found := ""
			for _, r := range got.Reasons {
				found += r.Code + " "
			}
			if got.Verdict != c.verdict || got.Headroom != c.headroom || !strings.Contains(found, c.code+" ") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A violated verdict is an answer; only on_violation makes it a warning or an error. A check block warns by itself.
func TestCoverageDataOnViolation(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	check := `
check "coverage" {
  assert {
    condition     = data.watertight_coverage.c.verdict == "holds"
    error_message = data.watertight_coverage.c.explanation
  }
}
`
	tests := map[string]struct {
		lines, after string
		exit         int
		wanted       []string
	}{
		"nothing": {"", "", 2, nil},
		"check":   {"", check, 2, []string{"Warning: Check block assertion failed", "headroom −2 h 20 min", "lengthen the rolling window"}},
		"warn":    {"on_violation = \"warn\"", "", 2, []string{"Warning: Rows would expire before they are loaded", "headroom −2 h 20 min"}},
		"error":   {"on_violation = \"error\"", "", 1, []string{"Error: Rows would expire before they are loaded", "headroom −2 h 20 min", "The worst case:"}},
		"other":   {"on_violation = \"ignore\"", "", 1, []string{"is not one of report, warn, error"}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t, with(w, coverageData(fixedInstant+pausedFor25h+c.lines)+c.after))
			out, code := s.plan()
			text := prose(out)
			for _, part := range c.wanted {
				if !strings.Contains(text, part) {
					t.Errorf("the plan does not say %q", part)
				}
			}
			if code != c.exit || (c.wanted == nil && strings.Contains(text, "Warning")) || t.Failed() {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// A loader of the same configuration is a link like any other. Its id is not known in the first plan, so the answer comes
// during apply. Terraform puts off a data source that names a resource with pending changes; through a local value the
// planned schedule is judged at plan.
func TestCoverageDataOfAResource(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	config := func(schedule string) string {
		return with(w, loader("  schedule = { quartz_cron_expression = \""+schedule+"\", timezone_id = \"UTC\" }")+`
locals {
  loader = watertight_loader_job.messages
}
data "watertight_coverage" "c" {
  loader       = local.loader
  retention    = { table = "main.events.stream_messages", rolling_window = "24h" }
  on_violation = "error"
}
output "headroom" {
  value = data.watertight_coverage.c.headroom
}
`)
	}
	s := newShell(t, config("0 0/15 * * * ?"))
	s.apply()
	var headroom string
	s.output("headroom", &headroom)
	if headroom != "22h40m" {
		t.Errorf("headroom %s", headroom)
	}
	if out, code := s.plan(); code != 0 {
		t.Errorf("second plan: exit %d\n%s", code, out)
	}
	s.write(config("0 0 3 * * ?"))
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("a plan of one start a day: exit %d\n%s", code, out)
	}
}

// Time alone makes no difference in a plan of the same day, whatever the outputs show, and later none in what a verdict
// is.
func TestCoverageDataAndTime(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true}) // Monday, noon
	verdict := strings.Replace(coverageData(""), "output \"c\"", "output \"verdict\" {\n  value = [data.watertight_coverage.c.verdict, data.watertight_coverage.c.headroom]\n}\noutput \"c\"", 1)
	s := newShell(t, with(w, verdict))
	s.apply()
	later := func(d time.Duration) {
		t.Helper()
		if err := w.Advance(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	later(11*time.Hour + 59*time.Minute)
	if out, code := s.plan(); code != 0 {
		t.Errorf("the same day: exit %d\n%s", code, out)
	}
	later(14 * 24 * time.Hour)
	out, code := s.plan()
	if code != 2 || strings.Contains(out, "~ verdict") || !strings.Contains(out, "~ c ") {
		t.Errorf("two weeks later: exit %d\n%s", code, out)
	}
}

// A host that is known only after apply: what needs no workspace is answered, what needs one says how to wait, and waits
// when told so.
func TestUnknownHostAndDataSources(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	byHand(t, w)
	config := func(body string) string {
		return required + fmt.Sprintf(`
resource "terraform_data" "host" {
  input = %q
}
provider "watertight" {
  host  = terraform_data.host.output
  token = %q
}
`, w.Host(), w.Token()) + body
	}
	for name, body := range map[string]string{"loader": loaderData(""), "retention": retentionData("  rolling_window = \"1d\""), "coverage": coverageData("")} {
		s := newShell(t, config(body))
		if out, code := s.plan(); code != 1 || !strings.Contains(prose(out), "depends_on = [<the resource that value comes from>]") {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
		s.write(config(strings.Replace(body, "{\n", "{\n  depends_on = [terraform_data.host]\n", 1)))
		if out, code := s.plan(); code != 2 {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
		s.apply()
	}
	if out, code := newShell(t, config(coverageData(fixedInstant))).plan(); code != 2 || !strings.Contains(out, `"holds"`) {
		t.Errorf("coverage at an instant: exit %d\n%s", code, out)
	}
}

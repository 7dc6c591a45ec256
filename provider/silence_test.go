package provider_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// A silence in which the settle clock stands still counts into headroom: a loader that loses rows shows none to spare.
// 24 h − (30 min + 50 min + 30 h) are −7 h 20 min.
func TestSilenceCountsIntoHeadroom(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	silent := func(longest string) string {
		return loader("  settle_clock = \"newest_event\"\n  longest_silence = \"" + longest + "\"\n" + `  schedule = { quartz_cron_expression = "0 0/15 * * * ?", timezone_id = "UTC" }`)
	}
	config := func(longest, onViolation string) string {
		return with(w, silent(longest)+"locals {\n  loader = watertight_loader_job.messages\n}\n"+
			optimize(`{ table = "main.events.stream_messages", rolling_window = "24h" }`, "  on_violation = \""+onViolation+"\"")+`
data "watertight_coverage" "c" {
  loader       = local.loader
  retention    = { table = "main.events.stream_messages", rolling_window = "24h" }
  on_violation = "warn"
}
output "c" {
  value = { verdict = data.watertight_coverage.c.verdict, headroom = data.watertight_coverage.c.headroom, seconds = data.watertight_coverage.c.headroom_seconds, job = watertight_optimize_job.messages.headroom }
}
`)
	}
	type told struct {
		Verdict, Headroom, Job string
		Seconds                int
	}
	s := newShell(t, config("30h", "error"))
	out, code := s.plan()
	if code != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
	wantAll(t, prose(out), "Error: Rows from before a silence would expire before they are loaded", ": −7 h 20 min.", "stands still while the source is silent")
	s.write(config("30h", "warn"))
	out = s.apply()
	wantAll(t, prose(out), "Warning: Rows from before a silence would expire")
	var got told
	s.output("c", &got)
	if want := (told{"violated", "-7h20m", "-7h20m", -26400}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	s.write(config("10h", "error"))
	if out := s.apply(); strings.Contains(out, "silence would") {
		t.Error(out)
	}
	s.output("c", &got)
	if want := (told{"holds", "12h40m", "12h40m", 45600}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
}

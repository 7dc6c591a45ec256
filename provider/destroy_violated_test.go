package provider_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// Terraform plans the configuration before it plans a destroy, and nothing in the protocol says so: a violated one is
// refused there too, and the refusal names the way out, which works.
func TestDestroyOfAViolatedConfiguration(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	config := func(schedule string) string {
		return with(w, loader(`  schedule = { quartz_cron_expression = "`+schedule+`", timezone_id = "UTC" }`)+
			optimize(`{ table = "main.events.stream_messages", rolling_window = "24h" }`, "")+`
data "watertight_coverage" "c" {
  loader       = { name = "load_messages", source = "a.b.c", target = "a.b.d", settle_delay = "30m", max_duration = "20m", schedule = { quartz_cron_expression = "`+schedule+`", timezone_id = "UTC" } }
  retention    = { table = "a.b.c", rolling_window = "24h" }
  on_violation = "error"
}
`)
	}
	s := newShell(t, config("0 0/15 * * * ?"))
	s.apply()
	s.write(config("0 0 3 ? * SUN"))
	w.ResetRequests()
	out, code := s.run("destroy", "-no-color", "-input=false", "-auto-approve")
	if n := strings.Count(prose(out), "to destroy all the same, terraform destroy -refresh=false"); code != 1 || n != 2 || writes(w) != 0 {
		t.Errorf("exit %d, %d hints, %d writes\n%s", code, n, writes(w), out)
	}
	s.must("destroy", "-no-color", "-input=false", "-auto-approve", "-refresh=false")
	for j, err := range outside(t, w).Jobs(t.Context()) {
		t.Errorf("a job is left: %v %v", j.Settings["name"], err)
	}
}

package provider_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// An Auto-TTL that somebody set, shorter than the declared window: the linked jobs are not judged by a window that does
// not hold, and judged by the shorter one once that is declared.
func TestForeignAutoTTLDecidesTheVerdict(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	makeTarget(t, w, "")
	source := strings.Replace(makeSource(t, w), `"1 day"`, `"7d"`, 1)
	daily := `  schedule = { quartz_cron_expression = "0 0 3 * * ?", timezone_id = "UTC" }`
	config := func(source string) string {
		return with(w, source+loader(daily)+optimize("watertight_retention.stream_messages", ""))
	}
	s := newShell(t, config(source))
	s.apply()
	sql(t, w, "ALTER TABLE main.events.stream_messages DELETE ROWS 1 DAYS AFTER context_updatedAt")
	for range 2 {
		w.ResetRequests()
		if out, code := s.run("apply", "-no-color", "-input=false", "-auto-approve"); code != 1 || !strings.Contains(prose(out), "Auto-TTL deletes rows before the rolling window ends") || writes(w) != 0 {
			t.Errorf("exit %d, %d writes\n%s", code, writes(w), out)
		}
	}
	s.write(config(strings.Replace(source, `"7d"`, `"24h"`, 1)))
	if out, code := s.plan(); code != 1 || !strings.Contains(out, "Rows would expire before they are loaded") {
		t.Errorf("judged by one day: exit %d\n%s", code, out)
	}
	// A new resource is refused as well, and nothing is written.
	w2 := openTable(t, local.Behaviour{})
	sql(t, w2, "ALTER TABLE main.events.source DELETE ROWS 1 DAYS AFTER at")
	fresh := newShell(t, with(w2, retention(modes()["external"])))
	w2.ResetRequests()
	if out, code := fresh.plan(); code != 1 || !strings.Contains(out, "Auto-TTL deletes rows before the rolling window ends") || strings.Contains(out, "terraform destroy") {
		t.Errorf("new: exit %d\n%s", code, out)
	}
}

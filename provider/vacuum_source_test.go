package provider_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// VACUUM of the target has no say in the source's files: a short retention of the source is no fault of it, and is judged
// by what can be brought back; one of the target is refused.
func TestVacuumIsJudgedByTheTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		layout, window, wanted string
		code                   int
	}{
		"a short source":                {"", "240h", "", 2},
		"a source that reaches nowhere": {"", "24h", "Error: Time travel does not reach from one window to the next", 1},
		"a short target":                {"TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 1 hours')", "240h", "delta.deletedFileRetentionDuration of main.events.messages is 1 h", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, local.Options{Empty: true})
			makeTarget(t, w, c.layout)
			s := newShell(t, with(w, handwritten(foreignLoader(t, w, "UNPAUSED"), map[string]string{"deleted_file_retention": `"1h"`, "rolling_window": `"` + c.window + `"`})))
			out, code := s.plan()
			text := prose(out)
			if code != c.code || !strings.Contains(text, c.wanted) || strings.Contains(text, "uncommitted writes") != (name == "a short target") {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

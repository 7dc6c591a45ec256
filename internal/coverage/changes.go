package coverage

import (
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// changes proposes, for each input, the smallest change that would satisfy the
// check. Each is verified by running the check again with it.
func changes(in Input, v Verdict) []Change {
	if v.NeverReadsAgain || v.Limit == 0 || v.Headroom >= in.MinimumHeadroom {
		return nil
	}
	missing := in.MinimumHeadroom - v.Headroom
	wanted := in
	wanted.RollingWindow += missing
	if in.Reads != ReadsSnapshot || judge(wanted).Answer == Violated {
		return nil
	}
	return []Change{{
		Input: "rolling_window", From: interval.Short(in.RollingWindow), To: interval.Short(wanted.RollingWindow),
		Text: fmt.Sprintf("lengthen the rolling window by %s to %s", interval.Text(missing), interval.Text(wanted.RollingWindow.Round(time.Second))),
	}}
}

package reconcile_test

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Each cause that was found is advised on once, with its rows; what is not known to be a cause is not.
func TestAdvice(t *testing.T) {
	tally := reconcile.NewTally(&reconcile.Screen{})
	for _, r := range []reconcile.Range{
		{State: reconcile.Skipped, Cause: reconcile.CauseWatermarkPassed, Rows: 3},
		{State: reconcile.Skipped, Cause: reconcile.CauseWatermarkPassed, Rows: 4},
		{State: reconcile.Expired, Cause: reconcile.CauseUndecidable, Rows: 5},
	} {
		tally.Add(r)
	}
	var v reconcile.Verification
	tally.Judge(&v)
	var advice []string
	for _, r := range v.Reasons {
		if r.Code == reconcile.CodeAdvice {
			advice = append(advice, r.Text)
		}
	}
	if len(advice) != 1 || !strings.HasPrefix(advice[0], "watermark_passed (7 rows): ") {
		t.Errorf("%q", advice)
	}
}

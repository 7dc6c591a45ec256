package pipeline

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// Rows that may be in versions which nobody read are not called gone.
func TestSettleUnread(t *testing.T) {
	t.Parallel()
	for unread, want := range map[int64]Outcome{0: Gone, 3: NotSearched} {
		r := RecoveredRange{Range: reconcile.Range{Rows: 5, State: reconcile.Undecidable, Unread: unread}, Left: 5}
		if r.settle(time.Now()); r.Outcome != want {
			t.Errorf("%d unread: %s, want %s", unread, r.Outcome, want)
		}
	}
}

package pipeline_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// A loader that paused for 80 hours while the source was trimmed every hour: each hour's rows are in a version of their
// own, and all of them can be read.
func TestSearchLongPause(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	const hours = 80
	for h := range hours {
		b.produce(1000+10*h, 1010+10*h)
		b.exec("DELETE FROM main.events.src WHERE seq < %d", 1010+10*h-5)
		b.advance(time.Hour)
	}
	b.produce(1000+10*hours, 1100+10*hours)
	b.load(job)
	v := b.verify(r)
	if v.Verdict != reconcile.Fail || v.Counts.Undecidable != 0 || v.Counts.Expired != 3*(10*hours-5+31) { // 31 of the rows before were not due yet
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
}

package coverage

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// TestRepeatsLeaveNothingOut asks every single live fire of dense schedules,
// where the check itself asks only those whose surroundings are new.
func TestRepeatsLeaveNothingOut(t *testing.T) {
	t.Parallel()
	sequence := func(expression string) schedule.Sequence {
		c, err := schedule.Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := schedule.Zone("Australia/Lord_Howe")
		if err != nil {
			t.Fatal(err)
		}
		return c.In(zone)
	}
	at := time.Date(2026, 2, 27, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		loader, window    string
		length            time.Duration
		catchUp           bool
		duration, waiting int64
	}{
		{"1/7 * 0-3 ? * MON-FRI", "0 30 1 * * ?", time.Hour, true, 1234, 0},
		{"0-29 * 1 1/2 * ?", "0 0 1 ? * TUE", 30 * time.Minute, false, 61, 5000},
		{"*/11 */2 * L * ?", "17 5 0/2 * * ?", 45 * time.Minute, true, 90000, 3601},
		{"0 * * * * ?", "30 0/10 * * * ?", 5 * time.Minute, true, 59, 86399},
	} {
		l := newLive(sequence(c.loader), &Window{Cron: sequence(c.window), Duration: c.length, LoaderPaused: true, CatchUp: c.catchUp}, at)
		for _, queue := range []bool{false, true} {
			for _, late := range []bool{false, true} {
				r := rules{duration: c.duration, pause: c.waiting, queue: queue, late: late}
				got, want := l.longest(r), worst{never: true}
				p := pass{live: l, rules: r}
				for from, ok := l.set.Next(l.from); ok; from, ok = l.set.Next(from + 1) {
					if met, to, ok := p.after(from); !ok {
						t.Fatalf("%q has no run after %d", c.loader, from)
					} else if want.never || to-from > want.to-want.from {
						want = worst{from: from, to: to, pausedAt: met}
					}
				}
				if got != want {
					t.Errorf("%q %+v: %+v, want %+v", c.loader, r, got, want)
				}
			}
		}
	}
}

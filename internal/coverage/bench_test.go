package coverage_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

// incident is the loader of the incident, without a pause.
func incident(t testing.TB) coverage.Input {
	t.Helper()
	return coverage.Input{
		At: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
		Loader: coverage.Loader{
			Trigger:     coverage.Trigger{Cron: cron(t, "0 0/15 * * * ?", "UTC"), Expression: "0 0/15 * * * ?", ZoneID: "UTC"},
			MaxDuration: 20 * time.Minute,
		},
		RollingWindow: 24 * time.Hour,
		SettleDelay:   30 * time.Minute,
	}
}

// The bound is 20 ms for a check that holds, whatever the schedule.
func BenchmarkCheck(b *testing.B) {
	window := &coverage.Window{Cron: cron(b, "0 0 2 ? * SUN", "Europe/Berlin"), Duration: 2 * time.Hour, LoaderPaused: true, CatchUp: true}
	daily := &coverage.Window{Cron: cron(b, "0 30 2 * * ?", "America/New_York"), Duration: time.Hour, LoaderPaused: true}
	for _, c := range []struct {
		name, quartz string
		window       *coverage.Window
		pause        time.Duration
		violated     bool
	}{
		{name: "quarterly", quartz: "0 0/15 * * * ?"},
		{name: "quarterly window", quartz: "0 0/15 * * * ?", window: window},
		{name: "minutely pause", quartz: "0 * * * * ?", pause: 2 * time.Hour},
		{name: "secondly", quartz: "* * * * * ?"},
		{name: "secondly window", quartz: "* * * * * ?", window: window},
		{name: "secondly daily window", quartz: "* * * * * ?", window: daily},
		{name: "odd seconds pause", quartz: "1/2 * * * * ?", pause: 2*time.Hour + time.Second},
		{name: "odd days window", quartz: "* * * 1/2 * ?", window: daily},
		{name: "violated", quartz: "0 0/15 * * * ?", pause: 25 * time.Hour, violated: true},
		{name: "violated window", quartz: "0 0/15 * * * ?", window: &coverage.Window{Cron: window.Cron, Duration: 25 * time.Hour, LoaderPaused: true}, violated: true},
	} {
		in := incident(b)
		in.Loader.Trigger.Cron = cron(b, c.quartz, "Europe/Berlin")
		in.RollingWindow = 60 * time.Hour
		in.Window, in.Pause = c.window, c.pause
		if c.violated {
			in.RollingWindow = 24 * time.Hour
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				v, err := coverage.Check(in)
				if err != nil || (v.Answer == coverage.Violated) != c.violated {
					b.Fatal(v.Reasons, err)
				}
			}
		})
	}
}

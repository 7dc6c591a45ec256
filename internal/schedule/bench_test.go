package schedule_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// The bound is 20 ms for any expression over 400 days in a zone with daylight
// saving.
func BenchmarkLongestGap(b *testing.B) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 0, 400)
	for name, expression := range map[string]string{
		"secondly": "* * * * * ?", "quarterly": "0 0/15 * * * ?", "weekly": "0 0 2 ? * SUN", "yearly": "0 0 0 1 1 ?",
		"leap": "0 0 12 29 2 ?", "odd": "1/2 1/3 * 1/2 * ?", "weekdays": "* * 9-17 ? * MON-FRI", "half": "0-29 * * * * ?",
		"never": "0 30 2 ? 3 1L",
	} {
		fires := sequence(b, expression, "Europe/Berlin")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				schedule.LongestGap(fires, from, to)
			}
		})
	}
}

func BenchmarkNext(b *testing.B) {
	fires := sequence(b, "0 0/15 * * * ?", "Europe/Berlin")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		at, _ = fires.Next(at)
	}
}

func BenchmarkZone(b *testing.B) {
	for b.Loop() {
		if _, err := schedule.Zone("Europe/Berlin"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := schedule.Parse("0 0/15 9-17 ? * MON-FRI"); err != nil {
			b.Fatal(err)
		}
	}
}

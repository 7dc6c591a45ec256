package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// walked is a Sequence that only walks, so that nothing quick is used for it.
type walked struct{ schedule.Sequence }

// naiveGap goes from fire to fire.
func naiveGap(s schedule.Sequence, from, to time.Time) (schedule.Gap, int) {
	var longest schedule.Gap
	fires := 0
	for at, ok := s.Next(from.Add(-time.Second)); ok && at.Before(to); {
		fires++
		next, more := s.Next(at)
		if !more {
			break
		}
		if d := next.Sub(at); d > longest.Length {
			longest = schedule.Gap{Length: d, From: at, To: next}
		}
		at = next
	}
	return longest, fires
}

// randomExpression is dense or sparse in each field; the seed makes it
// repeatable.
func randomExpression(r *rand.Rand) string {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	n := func(limit int) string { return fmt.Sprint(r.IntN(limit)) }
	days := pick("* * ?", "? * MON-FRI", "? * FRI-MON", "1/2 * ?", "L * ?", "LW * ?", "L-3 * ?", "? * 6L", "? * 1#1", "31 * ?", "29 2 ?", "? 3,10 SUN", "28-3 * ?")
	return pick("0", "0", "0/20", n(60), "50-10/7") + " " + pick("*", "0/15", "0", "5/25", n(60), "55-5") + " " + pick("*", "2", "1,2,3", "22-4", "0/6", n(24)) + " " + days
}

// The zones have changes of one hour, of half an hour, at midnight, and twice
// around Ramadan.
func oddZones() []string {
	return []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Beirut", "Africa/Cairo", "Pacific/Chatham", "Antarctica/Troll", "UTC", "Asia/Kathmandu"}
}

func TestGapsAndFiresAreThoseOfAWalk(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		expression := randomExpression(r)
		zones := oddZones()
		zone := zones[r.IntN(len(zones))]
		fires := sequence(t, expression, zone)
		from := time.Date(2024, 1, 1, 0, 0, r.IntN(6*365*86400), 0, time.UTC)
		to := from.Add(time.Duration(r.IntN(100*86400)+1) * time.Second)
		want, count := naiveGap(walked{fires}, from, to)
		got, _ := schedule.LongestGap(fires, from, to)
		if got.Length != want.Length || !got.From.Equal(want.From) || !got.To.Equal(want.To) {
			t.Errorf("%q %s %s %s: gap %v, a walk finds %v", expression, zone, from, to, got, want)
		}
		if n := schedule.Collect(fires, from, to).Count(from.Unix(), to.Unix()); n != count && !repeated(fires, from) {
			t.Errorf("%q %s %s %s: %d fires, a walk finds %d", expression, zone, from, to, n, count)
		}
	}
}

// repeated says that an instant lies in the first pass of a repeated hour, in
// which Next and the set of all fires differ by Quartz's rule.
func repeated(s schedule.Sequence, at time.Time) bool {
	next, _ := s.Next(at)
	zone := next.Location()
	_, now := at.In(zone).Zone()
	_, later := at.Add(3 * time.Hour).In(zone).Zone()
	return later < now
}

// TestOrderOfFires holds whatever the schedule: each fire is later than the
// one before, and asking from just before a fire finds that fire.
func TestOrderOfFires(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		expression := randomExpression(r)
		zones := oddZones()
		zone := zones[r.IntN(len(zones))]
		fires := sequence(t, expression, zone)
		at := time.Date(2025, 1, 1, 0, 0, r.IntN(4*365*86400), 0, time.UTC)
		for _, fire := range schedule.NextN(fires, at, 20) {
			again, _ := fires.Next(fire.Add(-time.Second))
			if !fire.After(at) || (!again.Equal(fire) && !repeated(fires, fire.Add(-time.Second))) {
				t.Errorf("%q %s: %s after %s, and %s from a second before", expression, zone, fire, at, again)
			}
			at = fire
		}
	}
}

// TestSecondlyWalk is the densest schedule over both changes of a year.
func TestSecondlyWalk(t *testing.T) {
	t.Parallel()
	fires := sequence(t, "* * * * * ?", "Europe/Berlin")
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	gap, ok := schedule.LongestGap(fires, from, from.AddDate(0, 0, 400))
	// The first pass of the repeated hour starts nothing.
	want := schedule.Gap{Length: time.Hour + time.Second, From: time.Date(2026, 10, 24, 23, 59, 59, 0, time.UTC), To: time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)}
	if !ok || gap != want {
		t.Errorf("%v, want %v", gap, want)
	}
	if n := schedule.Collect(fires, from, from.AddDate(0, 0, 400)).Count(from.Unix(), from.AddDate(0, 0, 400).Unix()); n != 400*86400-3600 {
		t.Errorf("%d fires", n)
	}
}

func TestNothingLeft(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, expression := range []string{"0 30 2 ? 3 1L", "0 0 0 1 1 ? 2020", "0 0 0 1 1 ? 2200"} {
		fires := sequence(t, expression, "Europe/Berlin")
		if at, ok := fires.Next(from); ok {
			t.Errorf("%q fires at %s", expression, at)
		}
		if gap, ok := schedule.LongestGap(fires, from, from.AddDate(2, 0, 0)); ok {
			t.Errorf("%q has a gap of %v", expression, gap)
		}
	}
	if gap, ok := schedule.LongestGap(sequence(t, "* * * * * ?", "UTC"), from, from); ok {
		t.Errorf("nothing begins in an empty span, and still %v", gap)
	}
}

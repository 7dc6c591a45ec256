package coverage_test

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// randomInput is a check over a schedule, a window and a pause, or a part of
// them; the seed makes it repeatable.
func randomInput(t *testing.T, r *rand.Rand) coverage.Input {
	t.Helper()
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	zone := pick("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
	in := incident(t)
	in.At = time.Date(2026, 1, 1, 0, 0, r.IntN(2*365*86400), 0, time.UTC)
	expression := pick("0 0/15 * * * ?", "0 5/20 8-17 ? * MON-FRI", "0 0 0/6 * * ?", "0 30 2 * * ?", "0 7 * * * ?", "0 0 3 ? * SUN", "0 0/10 1-3 L * ?")
	in.Loader.Trigger = coverage.Trigger{Cron: cron(t, expression, zone), Expression: expression, ZoneID: zone}
	in.Loader.MaxDuration = time.Duration(r.IntN(120)+1) * minute
	in.Loader.Overlap = coverage.Overlap(pick("skip", "queue"))
	in.RollingWindow = time.Duration(r.IntN(100)+1) * hour
	if r.IntN(2) == 0 {
		in.Pause = time.Duration(r.IntN(30*60)) * minute
	}
	if r.IntN(2) == 0 {
		expression := pick("0 0 2 ? * SUN", "0 30 1 * * ?", "0 0 0/12 * * ?", "0 0 3 1 * ?")
		in.Window = &coverage.Window{
			Cron: cron(t, expression, zone), Expression: expression, ZoneID: zone,
			Duration: time.Duration(r.IntN(11*60)+1) * minute, LoaderPaused: r.IntN(4) > 0, CatchUp: r.IntN(2) == 0,
		}
	}
	return in
}

func judge(t *testing.T, in coverage.Input) coverage.Verdict {
	t.Helper()
	v, err := coverage.Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAgainstAWalk compares with the arithmetic of the design written down as
// it stands there, fire by fire, windows and pauses combined.
func TestAgainstAWalk(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		in := randomInput(t, r)
		v := judge(t, in)
		fires := walk(in)
		wait, pair, live := naiveWait(in, fires)
		if v.NeverReadsAgain {
			continue
		}
		if v.LongestWait != wait || v.Worst != pair || v.LiveFires != live {
			t.Errorf("%s: wait %s %v %d, a walk finds %s %v %d", describe(in), v.LongestWait, v.Worst, v.LiveFires, wait, pair, live)
		}
		if want := naiveFailures(in, fires, v); in.Pause == 0 && in.Loader.Overlap == coverage.Skip && v.FailedRunsTolerated != want {
			t.Errorf("%s: %d failed runs, a walk finds %d", describe(in), v.FailedRunsTolerated, want)
		} else if v.FailedRunsTolerated > want {
			t.Errorf("%s: %d failed runs, more than the %d a walk finds", describe(in), v.FailedRunsTolerated, want)
		}
	}
}

func describe(in coverage.Input) string {
	text := fmt.Sprintf("%s %+v pause %s", in.At, in.Loader, in.Pause)
	if in.Window != nil {
		text += fmt.Sprintf(" window %+v", *in.Window)
	}
	return text
}

// walk lists the live fires of 900 days.
func walk(in coverage.Input) []time.Time {
	end := in.At.AddDate(0, 0, 900)
	var pauses []coverage.Pair
	if w := in.Window; w != nil && w.LoaderPaused {
		for a, ok := w.Cron.Next(in.At.Add(-w.Duration - time.Second)); ok && a.Before(end); a, ok = w.Cron.Next(a) {
			b := a.Add(w.Duration)
			if n := len(pauses); n > 0 && !a.After(pauses[n-1].To) {
				pauses[n-1].To = b
				continue
			}
			pauses = append(pauses, coverage.Pair{From: a, To: b})
		}
	}
	fires := []time.Time{}
	i := 0
	for f, ok := in.Loader.Trigger.Cron.Next(in.At.Add(-time.Second)); ok && f.Before(end); f, ok = in.Loader.Trigger.Cron.Next(f) {
		for ; i < len(pauses) && !pauses[i].To.After(f); i++ {
			if in.Window.CatchUp && pauses[i].To.Before(f) && !pauses[i].To.Before(in.At) {
				fires = append(fires, pauses[i].To.UTC())
			}
		}
		if i == len(pauses) || f.Before(pauses[i].From) {
			fires = append(fires, f.UTC())
		}
	}
	return fires
}

func naiveNext(in coverage.Input, fires []time.Time, i int, pause time.Duration) (time.Time, bool) {
	first := func(at time.Time) (time.Time, bool) {
		k := sort.Search(len(fires), func(k int) bool { return k > i && !fires[k].Before(at) })
		if k == len(fires) {
			return time.Time{}, false
		}
		return fires[k], true
	}
	if i+1 >= len(fires) {
		return time.Time{}, false
	}
	ready, resumed := fires[i].Add(in.Loader.MaxDuration), fires[i+1].Add(pause)
	if in.Loader.Overlap == coverage.Skip && resumed.Before(ready) {
		resumed = ready
	}
	next, ok := first(resumed)
	if next.Before(ready) {
		next = ready
	}
	return next, ok
}

func naiveWait(in coverage.Input, fires []time.Time) (time.Duration, coverage.Pair, int) {
	var pair coverage.Pair
	live := 0
	for i, f := range fires {
		if !f.Before(in.At.AddDate(0, 0, 400)) {
			break
		}
		live++
		if next, ok := naiveNext(in, fires, i, in.Pause); ok && (pair.From.IsZero() || next.Sub(f) > pair.To.Sub(pair.From)) {
			pair = coverage.Pair{From: f, To: next}
		}
	}
	return pair.To.Sub(pair.From) + in.Loader.MaxDuration, pair, live
}

// naiveFailures lets runs fail one after the other from each fire, until a row
// is lost; a pause meets the first of them.
func naiveFailures(in coverage.Input, fires []time.Time, v coverage.Verdict) int {
	if v.Headroom < 0 {
		return 0
	}
	index := map[time.Time]int{}
	for i, f := range fires {
		index[f] = i
	}
	least := 1 << 30
	for i, f := range fires {
		if !f.Before(in.At.AddDate(0, 0, 400)) {
			break
		}
		deadline := f.Add(v.Limit - in.SettleDelay - in.Loader.MaxDuration)
		steps, pause := 0, in.Pause
		for k, known := i, true; known; {
			next, ok := naiveNext(in, fires, k, pause)
			if !ok || next.After(deadline) || steps > least {
				break
			}
			pause = 0
			steps++
			if k, known = index[next]; !known {
				// A queued run starts between two fires: go on from the one before.
				k = sort.Search(len(fires), func(k int) bool { return fires[k].After(next) }) - 1
				known = true
			}
		}
		least = min(least, steps)
	}
	return max(0, least-1)
}

// TestHeadroomNeverGrows when something that costs time gets longer.
func TestHeadroomNeverGrows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 25 {
		in := randomInput(t, r)
		if in.Window != nil {
			in.Window.CatchUp = false
		}
		before := judge(t, in)
		for name, change := range map[string]func(*coverage.Input, time.Duration){
			"pause":        func(in *coverage.Input, d time.Duration) { in.Pause += d },
			"settle delay": func(in *coverage.Input, d time.Duration) { in.SettleDelay += d },
			"max duration": func(in *coverage.Input, d time.Duration) { in.Loader.MaxDuration += d },
			"window": func(in *coverage.Input, d time.Duration) {
				if in.Window != nil {
					w := *in.Window
					w.Duration += d
					in.Window = &w
				}
			},
		} {
			longer := in
			change(&longer, time.Duration(r.IntN(5*60)+1)*minute)
			after := judge(t, longer)
			if !after.NeverReadsAgain && (after.Headroom > before.Headroom || before.NeverReadsAgain) {
				t.Errorf("%s: a longer %s turns the headroom from %s into %s", describe(in), name, before.Headroom, after.Headroom)
			}
		}
	}
}

// TestChangesSatisfy applies each proposed change alone, and one second less
// of it, to inputs whose loader has no other fault.
func TestChangesSatisfy(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	proposed := map[string]int{}
	for i := range 30 {
		in := randomInput(t, r)
		v := check(t, in)
		if i%2 == 0 && !v.NeverReadsAgain {
			in.RollingWindow = v.LongestWait + in.SettleDelay - time.Duration(r.IntN(40*60)+1)*time.Second
			v = check(t, in)
		}
		if v.Answer != coverage.Violated && len(v.Changes) > 0 || v.Answer == coverage.Violated && !v.NeverReadsAgain && len(v.Changes) == 0 {
			t.Errorf("%s: %s with changes %v", describe(in), v.Answer, v.Changes)
		}
		for _, change := range v.Changes {
			proposed[change.Input]++
			if got := judge(t, apply(t, in, change, 0)); got.Answer == coverage.Violated {
				t.Errorf("%s: %+v leaves %q", describe(in), change, got.Reasons)
			}
			if slack := slackOf(change.Input); slack != 0 {
				if got := judge(t, apply(t, in, change, slack)); got.Answer != coverage.Violated {
					t.Errorf("%s: %+v is not the smallest", describe(in), change)
				}
			}
		}
	}
	for _, input := range []string{"rolling_window", "pause", "window.duration", "window.loader_during_window", "schedule", "max_duration", "settle_delay"} {
		if proposed[input] == 0 {
			t.Errorf("%s is never proposed", input)
		}
	}
}

// slackOf is a change a second smaller than the proposed one.
func slackOf(input string) time.Duration {
	switch input {
	case "rolling_window":
		return -time.Second
	case "pause", "settle_delay", "max_duration", "window.duration":
		return time.Second
	}
	return 0
}

func apply(t *testing.T, in coverage.Input, c coverage.Change, slack time.Duration) coverage.Input {
	t.Helper()
	length := func() time.Duration {
		d, err := interval.Parse(c.To)
		if err != nil {
			t.Fatal(err)
		}
		return d + slack
	}
	window := func(change func(*coverage.Window)) {
		w := *in.Window
		change(&w)
		in.Window = &w
	}
	switch c.Input {
	case "rolling_window":
		in.RollingWindow = length()
	case "settle_delay":
		in.SettleDelay = length()
	case "pause":
		in.Pause = length()
	case "max_duration":
		in.Loader.MaxDuration = length()
	case "window.duration":
		window(func(w *coverage.Window) { w.Duration = length() })
	case "window.catch_up":
		window(func(w *coverage.Window) { w.CatchUp = true })
	case "window.loader_during_window":
		window(func(w *coverage.Window) { w.LoaderPaused = false })
	case "queue":
		in.Loader.Overlap = coverage.Queue
	case "schedule":
		in.Loader.Trigger.Cron = cron(t, c.To, in.Loader.Trigger.ZoneID)
	default:
		t.Fatalf("%s is proposed, and this test does not know it", c.Input)
	}
	return in
}

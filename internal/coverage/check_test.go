package coverage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
)

const (
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour
)

func check(t testing.TB, in coverage.Input) coverage.Verdict {
	t.Helper()
	v, err := coverage.Check(in)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkCase is the incident's loader with something changed.
type checkCase struct {
	change   func(*coverage.Input)
	answer   coverage.Answer
	code     string // of the last reason
	wait     time.Duration
	headroom time.Duration
	failures int
}

func weekly(t *testing.T, in *coverage.Input, d time.Duration, paused, catchUp bool) {
	t.Helper()
	in.Window = &coverage.Window{Cron: cron(t, "0 0 2 ? * SUN", "UTC"), Expression: "0 0 2 ? * SUN", ZoneID: "UTC", Duration: d, LoaderPaused: paused, CatchUp: catchUp}
}

func noCron(in *coverage.Input) { in.Loader.Trigger = coverage.Trigger{} }

// The numbers are hand arithmetic: every 15 minutes with runs of up to 20, the
// run after the one at 0:00 starts at 0:30, so the longest wait is 30 + 20.
func scheduleCases(t *testing.T) map[string]checkCase {
	t.Helper()
	return map[string]checkCase{
		"healthy": {func(in *coverage.Input) {}, coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"paused 25 h at no known time": {func(in *coverage.Input) { in.Pause = 25 * hour },
			coverage.Violated, coverage.CodeNegative, 25*hour + 15*minute + 20*minute, -(2*hour + 5*minute), 0},
		"paused 22 h":  {func(in *coverage.Input) { in.Pause = 22 * hour }, coverage.Holds, coverage.CodeHeadroom, 22*hour + 35*minute, 55 * minute, 1},
		"a late pause": {func(in *coverage.Input) { in.Pause = 22*hour + 45*minute }, coverage.Violated, coverage.CodeLatePause, 23*hour + 20*minute, 10 * minute, 0},
		"runs through the window": {func(in *coverage.Input) { weekly(t, in, 25*hour, false, false) },
			coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"paused in the window": {func(in *coverage.Input) { weekly(t, in, 25*hour, true, false) },
			coverage.Violated, coverage.CodeNegative, 25*hour + 30*minute + 20*minute, -(2*hour + 20*minute), 0},
		"window and pause": {func(in *coverage.Input) { weekly(t, in, 2*hour, true, false); in.Pause = hour },
			coverage.Holds, coverage.CodeHeadroom, 3*hour + 15*minute + 20*minute, 19*hour + 55*minute, 7},
		"less than the minimum": {func(in *coverage.Input) { in.MinimumHeadroom = 23 * hour }, coverage.Violated, coverage.CodeMinimum, 50 * minute, 22*hour + 40*minute, 45},
		"exactly the minimum":   {func(in *coverage.Input) { in.MinimumHeadroom = 22*hour + 40*minute }, coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"queued":                {func(in *coverage.Input) { in.Loader.Overlap = coverage.Queue }, coverage.Holds, coverage.CodeHeadroom, 40 * minute, 22*hour + 50*minute, 68},
		"no timeout":            {func(in *coverage.Input) { in.Loader.MaxDuration = 0 }, coverage.Unknown, coverage.CodeDurationUnbound, 15 * minute, 23*hour + 15*minute, 93},
		"no timeout and lost anyway": {func(in *coverage.Input) { in.Loader.MaxDuration = 0; in.Pause = 30 * hour },
			coverage.Violated, coverage.CodeDurationUnbound, 30*hour + 15*minute, -(6*hour + 45*minute), 0},
		"two runs at once": {func(in *coverage.Input) { in.Loader.MaxConcurrentRuns = 2 }, coverage.Violated, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"no runs at all":   {func(in *coverage.Input) { in.Loader.MaxConcurrentRuns = coverage.NoRuns }, coverage.Violated, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"paused now":       {func(in *coverage.Input) { in.Loader.Paused = true }, coverage.Violated, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
	}
}

func otherCases(t *testing.T) map[string]checkCase {
	t.Helper()
	return map[string]checkCase{
		"continuous": {func(in *coverage.Input) { noCron(in); in.Loader.Trigger.Continuous = true },
			coverage.Holds, coverage.CodeHeadroom, 41 * minute, 22*hour + 49*minute, 0},
		"periodic": {func(in *coverage.Input) { noCron(in); in.Loader.Trigger.Periodic = 4 * hour },
			coverage.Holds, coverage.CodeHeadroom, 4*hour + 20*minute, 19*hour + 10*minute, 4},
		"periodic and paused": {func(in *coverage.Input) { noCron(in); in.Loader.Trigger.Periodic = 4 * hour; in.Pause = 25 * hour },
			coverage.Violated, coverage.CodeNegative, 29*hour + 20*minute, -(5*hour + 50*minute), 0},
		"periodic and window": {func(in *coverage.Input) {
			noCron(in)
			in.Loader.Trigger.Periodic = 4 * hour
			weekly(t, in, 2*hour, true, false)
		},
			coverage.Holds, coverage.CodeHeadroom, 6*hour + 20*minute, 17*hour + 10*minute, 4},
		"periodic, longer runs": {func(in *coverage.Input) { noCron(in); in.Loader.Trigger.Periodic = 15 * minute },
			coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"file arrival": {func(in *coverage.Input) { noCron(in); in.Loader.Trigger.Kind = "file_arrival" }, coverage.Unknown, coverage.CodeTriggerUnbound, 0, 0, 0},
		"file arrival, declared": {func(in *coverage.Input) {
			noCron(in)
			in.Loader.Trigger.Kind = "file_arrival"
			in.Loader.Trigger.LongestGap = 2 * hour
		},
			coverage.Holds, coverage.CodeHeadroom, 2*hour + 20*minute, 21*hour + 10*minute, 10},
		"no trigger":        {noCron, coverage.Unknown, coverage.CodeTriggerUnbound, 0, 0, 0},
		"no rolling window": {func(in *coverage.Input) { in.RollingWindow = 0 }, coverage.Unknown, coverage.CodeLimitUnknown, 50 * minute, 0, 0},
		"never again":       {func(in *coverage.Input) { in.Loader.Trigger.Cron = cron(t, "0 0 0 1 1 ? 2020", "UTC") }, coverage.Violated, coverage.CodeNeverReads, 0, 0, 0},
		"paused for good": {func(in *coverage.Input) {
			noCron(in)
			in.Loader.Trigger.Periodic = hour
			weekly(t, in, 8*day, true, false)
		}, coverage.Violated, coverage.CodeNeverReads, 0, 0, 0},
		"silence": {func(in *coverage.Input) { in.SettleClock = coverage.SettleNewestEvent; in.LongestSilence = 23 * hour },
			coverage.Violated, coverage.CodeSilence, 50 * minute, 22*hour + 40*minute, 45},
		"bearable silence": {func(in *coverage.Input) { in.SettleClock = coverage.SettleNewestEvent; in.LongestSilence = 22 * hour },
			coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
		"silence and wall clock": {func(in *coverage.Input) { in.LongestSilence = 100 * hour }, coverage.Holds, coverage.CodeHeadroom, 50 * minute, 22*hour + 40*minute, 45},
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, cases := range []map[string]checkCase{scheduleCases(t), otherCases(t)} {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				in := incident(t)
				c.change(&in)
				v := check(t, in)
				code := v.Reasons[len(v.Reasons)-1].Code
				if v.Answer != c.answer || code != c.code {
					t.Errorf("%s for %q, want %s for %s", v.Answer, v.Reasons, c.answer, c.code)
				}
				if v.LongestWait != c.wait || v.Headroom != c.headroom || v.FailedRunsTolerated != c.failures {
					t.Errorf("wait %s, headroom %s, %d failures, want %s, %s, %d", v.LongestWait, v.Headroom, v.FailedRunsTolerated, c.wait, c.headroom, c.failures)
				}
			})
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	all := incident(t)
	all.RollingWindow, all.LogRetention, all.DeletedFileRetention, all.BrokerRetention = 24*hour, 30*day, 7*day, 3*day
	short := all
	short.LogRetention = 2 * day
	for name, c := range map[string]struct {
		in    coverage.Input
		reads coverage.Reads
		limit time.Duration
		name  string
	}{
		"default":           {all, "", 24 * hour, "rolling window"},
		"snapshot":          {all, coverage.ReadsSnapshot, 24 * hour, "rolling window"},
		"delta stream":      {all, coverage.ReadsDeltaStream, 7 * day, "deleted-file retention"},
		"delta stream, log": {short, coverage.ReadsDeltaStream, 2 * day, "log retention"},
		"change feed":       {short, coverage.ReadsChangeFeed, 7 * day, "deleted-file retention"},
		"event hubs":        {all, coverage.ReadsEventHubs, 3 * day, "broker retention"},
		"kafka":             {all, coverage.ReadsKafka, 3 * day, "broker retention"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := c.in
			in.Reads = c.reads
			v := check(t, in)
			if v.Answer != coverage.Holds || v.Limit != c.limit || v.LimitName != c.name || v.Headroom != c.limit-80*minute {
				t.Errorf("%s: limit %s %s, headroom %s", v.Answer, v.LimitName, v.Limit, v.Headroom)
			}
			in.RollingWindow, in.LogRetention, in.DeletedFileRetention, in.BrokerRetention = 0, 0, 0, 0
			if v := check(t, in); v.Answer != coverage.Unknown || v.Reasons[0].Code != coverage.CodeLimitUnknown {
				t.Errorf("without a limit: %s for %q", v.Answer, v.Reasons)
			}
		})
	}
}

func TestMessageSpellsTheArithmeticOut(t *testing.T) {
	t.Parallel()
	in := incident(t)
	in.Pause = 25 * hour
	v := check(t, in)
	want := "rolling window 1 d − (settle delay 30 min + longest wait 1 d 1 h 35 min) = headroom −2 h 5 min; " +
		"the longest wait is from the run of 2026-11-30 00:00:00 UTC to that of 2026-12-01 01:15:00 UTC (1 d 1 h 15 min) plus a run of up to 20 min: rows expire before they are read"
	if diff := cmp.Diff(want, v.Reasons[0].Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at := func(text string) time.Time {
		out, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	timeline := []coverage.Moment{
		{At: at("2026-11-29T23:30:00Z"), What: "event time of a row that comes of age 30 min later, just after the read of the next run"},
		{At: at("2026-11-30T00:00:00Z"), What: "the loader starts and reads; that row is not due yet"},
		{At: at("2026-11-30T00:15:00Z"), What: "a pause of 1 d 1 h begins, just before this fire"},
		{At: at("2026-11-30T23:30:00Z"), What: "the row expires: rolling window 1 d after its event time"},
		{At: at("2026-12-01T01:15:00Z"), What: "the pause ends"},
		{At: at("2026-12-01T01:15:00Z"), What: "the next run of the loader starts"},
		{At: at("2026-12-01T01:35:00Z"), What: "it reads at the latest now, 20 min after its start"},
	}
	if diff := cmp.Diff(timeline, v.Timeline); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
}

// TestAutumnIsCounted: in a zone with daylight saving the loader starts
// nothing in the first pass of the repeated hour.
func TestAutumnIsCounted(t *testing.T) {
	t.Parallel()
	in := incident(t)
	in.Loader.Trigger.Cron = cron(t, "0 0/15 * * * ?", "Europe/Berlin")
	in.Loader.MaxDuration = 10 * minute
	v := check(t, in)
	if want := 85 * minute; v.LongestWait != want || !v.Worst.From.Equal(time.Date(2027, 10, 30, 23, 45, 0, 0, time.UTC)) {
		t.Errorf("longest wait %s at %s, want %s", v.LongestWait, v.Worst.From, want)
	}
}

func TestNewestEventCarriesItsAssumption(t *testing.T) {
	t.Parallel()
	in := incident(t)
	in.SettleClock = coverage.SettleNewestEvent
	v := check(t, in)
	if v.Answer != coverage.Holds || len(v.Assumptions) != 1 || !strings.Contains(v.Assumptions[0], "22 h 40 min") {
		t.Errorf("%s assuming %q", v.Answer, v.Assumptions)
	}
	in.LongestSilence = hour
	if v := check(t, in); len(v.Assumptions) != 0 {
		t.Errorf("a declared silence is still assumed: %q", v.Assumptions)
	}
}

func TestSenselessInputsAreErrors(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*coverage.Input){
		"no instant":                        func(in *coverage.Input) { in.At = time.Time{} },
		"rolling window -24h0m0s: negative": func(in *coverage.Input) { in.RollingWindow = -day },
		"settle delay":                      func(in *coverage.Input) { in.SettleDelay = -1 },
		"finer than a second":               func(in *coverage.Input) { in.Pause = time.Millisecond },
		"longer than 100 years":             func(in *coverage.Input) { in.Pause = 101 * 366 * day },
		"2 triggers":                        func(in *coverage.Input) { in.Loader.Trigger.Continuous = true },
		"no schedule is given":              func(in *coverage.Input) { in.Window = &coverage.Window{Duration: hour} },
		"must be longer than zero":          func(in *coverage.Input) { in.Window = &coverage.Window{Cron: in.Loader.Trigger.Cron} },
		`reads "parquet"`:                   func(in *coverage.Input) { in.Reads = "parquet" },
		`settle clock "sun"`:                func(in *coverage.Input) { in.SettleClock = "sun" },
		`overlap "stack"`:                   func(in *coverage.Input) { in.Loader.Overlap = "stack" },
	} {
		in := incident(t)
		change(&in)
		if _, err := coverage.Check(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

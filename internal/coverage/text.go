package coverage

import (
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// instant is a time in a message: with its offset, to the second.
func instant(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return t.Format("2006-01-02 15:04:05") + " UTC"
	}
	return t.Format("2006-01-02 15:04:05 -07:00")
}

// signed is a length with a true minus sign, as the arithmetic is shown.
func signed(d time.Duration) string {
	return strings.Replace(interval.Text(d), "-", "−", 1)
}

func textHeadroom(in Input, v Verdict) string {
	return fmt.Sprintf("%s %s − (settle delay %s + longest wait %s) = headroom %s",
		v.LimitName, interval.Text(v.Limit), interval.Text(in.SettleDelay), interval.Text(v.LongestWait), signed(v.Headroom))
}

func textMinimum(in Input) string {
	return "the minimum headroom asked for is " + interval.Text(in.MinimumHeadroom)
}

func textLatePause(in Input, v Verdict, longest, left time.Duration) string {
	return fmt.Sprintf("a run may outlast fires of its own schedule, and a pause that begins only then: %s %s − (settle delay %s + wait %s) = %s",
		v.LimitName, interval.Text(v.Limit), interval.Text(in.SettleDelay), interval.Text(longest), signed(left))
}

func textSilence(in Input, v Verdict, left time.Duration) string {
	return fmt.Sprintf("the settle clock is the newest event, which stands still while the source is silent: %s %s − (settle delay %s + silence %s + longest wait %s) = %s, so rows from just before the longest silence expire unread",
		v.LimitName, interval.Text(v.Limit), interval.Text(in.SettleDelay), interval.Text(in.LongestSilence), interval.Text(v.LongestWait), signed(left))
}

func textConcurrent(n int) string {
	return fmt.Sprintf("max_concurrent_runs is %d: two runs of a loader read the same position, so one loads rows twice or passes rows over; set max_concurrent_runs = 1", n)
}

const (
	textPaused  = "the loader is paused now: nothing reads the source until it is resumed; set pause_status = \"UNPAUSED\""
	textNoRuns  = "max_concurrent_runs is 0: every run of the loader is skipped; set max_concurrent_runs = 1"
	textUnbound = "a run of the loader may last for ever, so the longest wait has no bound; set max_duration (timeout_seconds)"
)

func (in Input) limitUnknown() string {
	switch in.Reads {
	case ReadsDeltaStream:
		return "reads = delta_stream: the log retention and the deleted-file retention of the source are the limit, and not both are known; declare them on the source"
	case ReadsChangeFeed:
		return "reads = change_feed: the deleted-file retention of the source is the limit, and it is not known; declare it on the source"
	case ReadsEventHubs, ReadsKafka:
		return fmt.Sprintf("reads = %s: the broker's retention is the limit, and it is not known; declare broker_retention", in.Reads)
	}
	return "reads = snapshot: the rolling window of the source is the limit, and it is not known; declare rolling_window on the source"
}

// assume names what the answer rests on beyond the inputs.
func assume(in Input, v *Verdict, w wait) {
	add := func(text string) { v.Assumptions = append(v.Assumptions, text) }
	if in.SettleClock == SettleNewestEvent && in.LongestSilence == 0 && v.Headroom > 0 && w.bounded && !w.never {
		add(fmt.Sprintf("the source is never silent for longer than %s (%s − settle delay − longest wait); with settle_clock = newest_event a longer silence loses the rows before it; declare longest_silence to have it checked",
			interval.Text(v.Headroom), v.LimitName))
	}
	if in.Window != nil && in.Window.LoaderPaused && in.Window.CatchUp {
		add("the maintenance job resumes the loader and runs it at the end of the window, whatever happened in it")
	}
	if in.Pause > 0 && in.Loader.Trigger.Periodic > 0 {
		add("after a pause a periodic trigger starts its next run no later than it would have without the pause, or at the pause's end")
	}
	if in.Loader.Trigger.LongestGap > 0 && in.Loader.Trigger.Cron == nil && in.Loader.Trigger.Periodic == 0 && !in.Loader.Trigger.Continuous {
		add(fmt.Sprintf("the trigger never waits longer than the declared %s", interval.Text(in.Loader.Trigger.LongestGap)))
	}
}

package coverage

import (
	"fmt"
	"sort"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// proposer looks for changes. What is wrong with the loader's own settings is
// mended first, each with its own change; the other changes count on that.
type proposer struct {
	judge   judge
	in      Input
	found   []Change
	verdict Verdict
}

// proposals are, for each input, the smallest change that would satisfy the
// check. Each is verified by judging again with it.
func proposals(in Input) []Change {
	p := proposer{in: in}
	p.loader()
	if p.verdict = p.judge.verdict(p.in); p.verdict.Answer != Violated {
		return p.found
	}
	p.limit()
	p.settle()
	p.minimum()
	p.pause()
	p.window()
	p.schedule()
	p.duration()
	return p.found
}

// satisfied says whether an input is no longer violated.
func (p *proposer) satisfied(in Input) bool {
	return p.judge.verdict(in).Answer != Violated
}

func (p *proposer) add(input, from, to, format string, args ...any) {
	p.found = append(p.found, Change{Input: input, From: from, To: to, Text: fmt.Sprintf(format, args...)})
}

func (p *proposer) loader() {
	if p.in.Loader.Paused {
		p.in.Loader.Paused = false
		p.add("pause_status", "PAUSED", "UNPAUSED", "resume the loader")
	}
	if n := p.in.Loader.MaxConcurrentRuns; n > 1 || n < 0 {
		p.in.Loader.MaxConcurrentRuns = 1
		p.add("max_concurrent_runs", fmt.Sprint(max(n, 0)), "1", "let one run of the loader be active at a time")
	}
}

// missing is what the arithmetic lacks: headroom, or time after a silence.
func (p *proposer) missing() time.Duration {
	lack := max(0, p.in.MinimumHeadroom-p.verdict.Headroom)
	if p.in.SettleClock == SettleNewestEvent {
		lack = max(lack, p.in.LongestSilence-p.verdict.Headroom)
	}
	return lack
}

func (p *proposer) limit() {
	if p.verdict.NeverReadsAgain || p.verdict.Limit == 0 {
		return
	}
	needed := p.verdict.Limit + p.missing()
	if !p.satisfied(p.withLimit(needed)) {
		needed = p.least(needed, needed+p.in.Pause+p.in.Loader.MaxDuration+24*time.Hour, p.withLimit)
		if needed == 0 {
			return
		}
	}
	for _, l := range p.limits() {
		if *l.of(&p.in) < needed {
			p.add(l.name, interval.Short(*l.of(&p.in)), interval.Short(needed), "lengthen the %s by %s to %s", l.words, interval.Text(needed-*l.of(&p.in)), interval.Text(needed))
		}
	}
}

type limitInput struct {
	name, words string
	of          func(*Input) *time.Duration
}

func (p *proposer) limits() []limitInput {
	files := limitInput{"deleted_file_retention", "deleted-file retention", func(in *Input) *time.Duration { return &in.DeletedFileRetention }}
	switch p.in.Reads {
	case ReadsDeltaStream:
		return []limitInput{files, {"log_retention", "log retention", func(in *Input) *time.Duration { return &in.LogRetention }}}
	case ReadsChangeFeed:
		return []limitInput{files}
	case ReadsEventHubs, ReadsKafka:
		return []limitInput{{"broker_retention", "broker's retention", func(in *Input) *time.Duration { return &in.BrokerRetention }}}
	}
	return []limitInput{{"rolling_window", "rolling window", func(in *Input) *time.Duration { return &in.RollingWindow }}}
}

func (p *proposer) withLimit(d time.Duration) Input {
	in := p.in
	for _, l := range p.limits() {
		*l.of(&in) = max(*l.of(&in), d)
	}
	return in
}

// most is the longest length up to high, in whole seconds, with which the
// check is satisfied; false when not even zero does it. It counts on a longer
// length never being better.
func (p *proposer) most(high time.Duration, with func(time.Duration) Input) (time.Duration, bool) {
	if !p.satisfied(with(0)) {
		return 0, false
	}
	n := sort.Search(int(high/time.Second), func(s int) bool {
		return !p.satisfied(with(time.Duration(s) * time.Second))
	})
	best := time.Duration(n-1) * time.Second
	return best, n > 0 && p.satisfied(with(best))
}

// least is the shortest length from low to high with which the check is
// satisfied, or zero.
func (p *proposer) least(low, high time.Duration, with func(time.Duration) Input) time.Duration {
	n := sort.Search(int((high-low)/time.Second), func(s int) bool {
		return p.satisfied(with(low + time.Duration(s)*time.Second))
	})
	if best := low + time.Duration(n)*time.Second; p.satisfied(with(best)) {
		return best
	}
	return 0
}

func (p *proposer) settle() {
	if p.verdict.NeverReadsAgain || p.in.SettleDelay == 0 {
		return
	}
	with := func(d time.Duration) Input {
		in := p.in
		in.SettleDelay = d
		return in
	}
	d := p.in.SettleDelay - p.missing()
	ok := d >= 0 && p.missing() > 0 && p.satisfied(with(d))
	if !ok && d >= 0 {
		d, ok = p.most(p.in.SettleDelay, with)
	}
	if ok {
		p.add("settle_delay", interval.Short(p.in.SettleDelay), interval.Short(d), "shorten the settle delay by %s to %s", interval.Text(p.in.SettleDelay-d), interval.Text(d))
	}
}

func (p *proposer) minimum() {
	in := p.in
	if in.MinimumHeadroom = p.verdict.Headroom; in.MinimumHeadroom < 0 || in.MinimumHeadroom >= p.in.MinimumHeadroom || !p.satisfied(in) {
		return
	}
	p.add("minimum_headroom", interval.Short(p.in.MinimumHeadroom), interval.Short(in.MinimumHeadroom), "ask for %s of headroom, which is what there is", interval.Text(in.MinimumHeadroom))
}

func (p *proposer) pause() {
	if p.in.Pause == 0 {
		return
	}
	d, ok := p.most(p.in.Pause, func(d time.Duration) Input {
		in := p.in
		in.Pause = d
		return in
	})
	switch {
	case !ok:
	case d == 0:
		p.add("pause", interval.Short(p.in.Pause), "0s", "do not pause the loader")
	default:
		p.add("pause", interval.Short(p.in.Pause), interval.Short(d), "pause the loader for at most %s", interval.Text(d))
	}
}

func (p *proposer) window() {
	if p.in.Window == nil || !p.in.Window.LoaderPaused {
		return
	}
	with := func(change func(*Window)) Input {
		in, w := p.in, *p.in.Window
		change(&w)
		in.Window = &w
		return in
	}
	d, ok := p.most(p.in.Window.Duration, func(d time.Duration) Input {
		return with(func(w *Window) { w.Duration = max(d, time.Second) })
	})
	if ok && d > 0 {
		p.add("window.duration", interval.Short(p.in.Window.Duration), interval.Short(d), "let the maintenance window last at most %s", interval.Text(d))
	}
	if !p.in.Window.CatchUp && p.satisfied(with(func(w *Window) { w.CatchUp = true })) {
		p.add("window.catch_up", "false", "true", "run the loader when the maintenance window ends")
	}
	if p.satisfied(with(func(w *Window) { w.LoaderPaused = false })) {
		p.add("window.loader_during_window", "paused", "running", "let the loader run through the maintenance window: OPTIMIZE does not need it paused")
	}
}

func (p *proposer) schedule() {
	t := p.in.Loader.Trigger
	switch {
	case t.Cron != nil:
		p.cron()
	case t.Periodic > 0:
		p.spacing("periodic", t.Periodic, func(in *Input, d time.Duration) { in.Loader.Trigger.Periodic = d })
	case !t.Continuous && t.LongestGap > 0:
		p.spacing("longest_gap", t.LongestGap, func(in *Input, d time.Duration) { in.Loader.Trigger.LongestGap = d })
	}
}

func (p *proposer) spacing(name string, now time.Duration, set func(*Input, time.Duration)) {
	d, ok := p.most(now, func(d time.Duration) Input {
		in := p.in
		set(&in, max(d, time.Second))
		return in
	})
	if ok && d >= time.Minute {
		p.add(name, interval.Short(now), interval.Short(d), "start the loader at least every %s", interval.Text(d))
	}
}

// cron proposes the rarest of a few plain schedules that satisfies the check.
func (p *proposer) cron() {
	zoneID := p.in.Loader.Trigger.ZoneID
	if zoneID == "" {
		zoneID = "UTC"
	}
	zone, err := schedule.Zone(zoneID)
	if err != nil {
		return
	}
	now := p.in.Loader.Trigger.Expression
	// From the rarest to the densest; each fires whenever the one before does.
	plain := []string{"0 0 0 * * ?", "0 0 0/12 * * ?", "0 0 0/6 * * ?", "0 0 0/3 * * ?", "0 0 * * * ?", "0 0/30 * * * ?", "0 0/15 * * * ?", "0 0/5 * * * ?"}
	found := sort.Search(len(plain), func(i int) bool {
		c, err := schedule.Parse(plain[i])
		if err != nil {
			return false
		}
		in := p.in
		in.Loader.Trigger.Cron = c.In(zone)
		other := proposer{in: in}
		return other.satisfied(in)
	})
	if found < len(plain) && plain[found] != now {
		p.add("schedule", now, plain[found], "start the loader more often, for example by %q in %s", plain[found], zoneID)
	}
}

func (p *proposer) duration() {
	l := p.in.Loader
	if l.MaxDuration > time.Second {
		d, ok := p.most(l.MaxDuration, func(d time.Duration) Input {
			in := p.in
			in.Loader.MaxDuration = max(d, time.Second)
			return in
		})
		if ok && d >= time.Second {
			p.add("max_duration", interval.Short(l.MaxDuration), interval.Short(d), "let a run of the loader last at most %s", interval.Text(d))
		}
	}
	in := p.in
	in.Loader.Overlap = Queue
	if l.Overlap == Skip && !l.Trigger.Continuous && p.satisfied(in) {
		p.add("queue", "false", "true", "let a run that falls due during another one queue behind it")
	}
}

package coverage

import "time"

// Check compares how long a row stays readable with how long it can wait to
// be read. It fails only on inputs that make no sense; whatever is not known
// yet is an answer. It costs milliseconds and about 10 MB, whatever the
// schedule; a violated check costs some dozens of milliseconds more, for the
// changes it proposes.
func Check(in Input) (Verdict, error) {
	in, err := in.withDefaults()
	if err != nil {
		return Verdict{}, err
	}
	j := judge{}
	v := j.verdict(in)
	w := j.wait
	v.FailedRunsTolerated = tolerated(in, v, w)
	v.Timeline = timeline(in, v, w)
	if v.Answer == Violated {
		v.Changes = proposals(in)
	}
	return v, nil
}

// judge remembers what is expensive and the same when a check is run again
// with one input changed.
type judge struct {
	live *live
	key  liveKey
	wait wait // of the last verdict
}

// liveKey is what live fires depend on, but for the schedules themselves.
type liveKey struct {
	paused, catchUp bool
	duration        time.Duration
}

func (j *judge) liveFires(in Input) *live {
	var key liveKey
	if w := in.Window; w != nil && w.LoaderPaused {
		key = liveKey{paused: true, catchUp: w.CatchUp, duration: w.Duration}
	}
	if j.live == nil || j.key != key {
		j.live, j.key = newLive(in.Loader.Trigger.Cron, in.Window, in.At), key
	}
	return j.live
}

// verdict is the answer and its reasons.
func (j *judge) verdict(in Input) Verdict {
	v := Verdict{Answer: Holds}
	var known bool
	v.Limit, v.LimitName, known = in.limit()
	if !known {
		v.add(Unknown, CodeLimitUnknown, in.limitUnknown())
	}
	judgeLoader(in, &v)
	w := j.longestWait(in)
	j.wait = w
	v.LongestWait, v.Worst, v.NeverReadsAgain = w.length, w.pair, w.never
	if w.live != nil {
		v.LiveFires = w.live.fires
	}
	switch {
	case w.never:
		v.add(Violated, CodeNeverReads, w.text)
	case !w.bounded:
		v.add(Unknown, CodeTriggerUnbound, w.text)
	case known:
		v.Headroom = v.Limit - in.SettleDelay - v.LongestWait
		judgeHeadroom(in, &v, w)
		judgeLatePause(in, &v, w)
		judgeSilence(in, &v)
	}
	assume(in, &v, w)
	return v
}

// limit is how long a row stays readable, its name, and whether it is known.
func (in Input) limit() (time.Duration, string, bool) {
	switch in.Reads {
	case ReadsDeltaStream:
		known := in.LogRetention > 0 && in.DeletedFileRetention > 0
		if in.LogRetention < in.DeletedFileRetention {
			return in.LogRetention, "log retention", known
		}
		return in.DeletedFileRetention, "deleted-file retention", known
	case ReadsChangeFeed:
		return in.DeletedFileRetention, "deleted-file retention", in.DeletedFileRetention > 0
	case ReadsEventHubs, ReadsKafka:
		return in.BrokerRetention, "broker retention", in.BrokerRetention > 0
	}
	return in.RollingWindow, "rolling window", in.RollingWindow > 0
}

// judgeLoader looks at the loader's own settings.
func judgeLoader(in Input, v *Verdict) {
	if in.Loader.Paused {
		v.add(Violated, CodeLoaderPaused, textPaused)
	}
	switch n := in.Loader.MaxConcurrentRuns; {
	case n < 0:
		v.add(Violated, CodeNoRuns, textNoRuns)
	case n > 1:
		v.add(Violated, CodeConcurrentRuns, textConcurrent(n))
	}
}

func judgeHeadroom(in Input, v *Verdict, w wait) {
	text := textHeadroom(in, *v) + "; " + w.text
	switch {
	case v.Headroom < 0:
		v.add(Violated, CodeNegative, text+": rows expire before they are read")
	case v.Headroom < in.MinimumHeadroom:
		v.add(Violated, CodeMinimum, text+"; "+textMinimum(in))
	case in.Loader.MaxDuration > 0:
		v.add(Holds, CodeHeadroom, text)
	}
	if in.Loader.MaxDuration == 0 {
		v.add(Unknown, CodeDurationUnbound, textUnbound)
	}
}

// judgeLatePause looks at a pause that begins as a run ends which let fires
// pass: it meets a later fire than the first one after the run's start, which
// the longest wait is made of.
func judgeLatePause(in Input, v *Verdict, w wait) {
	if w.live == nil || in.Pause == 0 || in.Loader.MaxDuration == 0 || in.Loader.Overlap != Skip || v.Headroom < in.MinimumHeadroom {
		return
	}
	// The fire before the one such a pause meets lies less than a run after the
	// start, and waits at most the longest wait itself.
	if v.Headroom-in.Loader.MaxDuration >= in.MinimumHeadroom {
		return
	}
	r := rulesOf(in)
	r.late = true
	found := w.live.longest(r)
	if found.never {
		return
	}
	longest := time.Duration(found.to-found.from)*time.Second + in.Loader.MaxDuration
	if left := v.Limit - in.SettleDelay - longest; left < in.MinimumHeadroom {
		v.add(Violated, CodeLatePause, textLatePause(in, *v, longest, left))
	}
}

// judgeSilence looks at a clock that stands still while the source is silent.
// A row of the last settle delay before a silence becomes due only at its end,
// and is read up to one longest wait later.
func judgeSilence(in Input, v *Verdict) {
	if in.SettleClock != SettleNewestEvent || in.LongestSilence == 0 {
		return
	}
	if left := v.Headroom - in.LongestSilence; left < 0 {
		v.add(Violated, CodeSilence, textSilence(in, *v, left))
	}
}

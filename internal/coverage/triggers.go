package coverage

import (
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// restart is what a continuous trigger may take to start the next run
// (Databricks: "less than 60 seconds").
const restart = 60 * time.Second

// wait is the longest wait of a loader and how it comes about.
type wait struct {
	length  time.Duration
	bounded bool
	never   bool
	pair    Pair
	met     time.Time     // the fire that a pause at no known time begins at
	live    *live         // nil when no instants are known
	step    time.Duration // without live: the longest time between two runs, pauses left out
	text    string
}

// longestWait is the longest time between two reads, a run's duration included.
func (j *judge) longestWait(in Input) wait {
	t := in.Loader.Trigger
	switch {
	case t.Cron != nil:
		return j.liveFires(in).wait(in)
	case t.Continuous:
		return continuousWait(in)
	case t.Periodic > 0:
		return periodicWait(in)
	case t.LongestGap > 0:
		return declaredWait(in)
	}
	kind := "a job without a schedule"
	if t.Kind != "" {
		kind = "a " + t.Kind + " trigger"
	}
	return wait{text: kind + " has no longest gap of its own: whatever it waits for may not come; declare longest_gap, or give the loader a schedule"}
}

func rulesOf(in Input) rules {
	return rules{
		duration: int64(in.Loader.MaxDuration / time.Second),
		pause:    int64(in.Pause / time.Second),
		queue:    in.Loader.Overlap == Queue,
	}
}

func (l *live) wait(in Input) wait {
	found := l.longest(rulesOf(in))
	w := wait{bounded: true, live: l, never: found.never}
	if found.never {
		w.text = l.neverText(in, found)
		return w
	}
	zone := in.At.Location()
	w.pair = Pair{From: time.Unix(found.from, 0).In(zone), To: time.Unix(found.to, 0).In(zone)}
	if in.Pause > 0 {
		w.met = time.Unix(found.pausedAt, 0).In(zone)
	}
	gap := w.pair.To.Sub(w.pair.From)
	w.length = gap + in.Loader.MaxDuration
	w.text = fmt.Sprintf("the longest wait is from the run of %s to that of %s (%s) plus a run of up to %s",
		instant(w.pair.From), instant(w.pair.To), interval.Text(gap), interval.Text(in.Loader.MaxDuration))
	return w
}

func (l *live) neverText(in Input, found worst) string {
	schedule := written(in.Loader.Trigger.Expression, in.Loader.Trigger.ZoneID)
	because := ""
	if l.window != nil {
		because = fmt.Sprintf(" outside the maintenance window %s of %s", written(l.window.Expression, l.window.ZoneID), interval.Text(l.window.Duration))
	}
	if found.from == 0 {
		return fmt.Sprintf("the loader never reads again: %s starts no run%s in the 400 days from %s", schedule, because, instant(in.At))
	}
	return fmt.Sprintf("the loader never reads again after %s: %s starts no later run%s", instant(time.Unix(found.from, 0).In(in.At.Location())), schedule, because)
}

// pauses are the lengths of the pauses a trigger without instants meets.
func (in Input) pauses() (sum time.Duration, text string) {
	sum = in.Pause
	if in.Pause > 0 {
		text = " + pause " + interval.Text(in.Pause)
	}
	if in.Window != nil && in.Window.LoaderPaused {
		window, endless := in.Window.longest(in.At)
		if endless {
			return 0, ""
		}
		sum += window
		text += " + maintenance window " + interval.Text(window)
	}
	return sum, text
}

// longest is the longest merged pause that a window makes, and whether the
// windows follow one another without an end.
func (w Window) longest(at time.Time) (time.Duration, bool) {
	l := live{window: &w, from: at.Unix(), to: at.Unix() + horizon}
	var most int64
	for _, p := range l.pauses(l.from, l.to) {
		if p.from <= l.from && p.to >= l.to {
			return 0, true
		}
		most = max(most, p.to-p.from)
	}
	return time.Duration(most) * time.Second, false
}

func (in Input) alwaysPaused() bool {
	if in.Window == nil || !in.Window.LoaderPaused {
		return false
	}
	_, endless := in.Window.longest(in.At)
	return endless
}

func endlessWait(in Input) wait {
	return wait{bounded: true, never: true, text: fmt.Sprintf("the loader never reads again: one maintenance window %s of %s follows another", written(in.Window.Expression, in.Window.ZoneID), interval.Text(in.Window.Duration))}
}

func continuousWait(in Input) wait {
	if in.alwaysPaused() {
		return endlessWait(in)
	}
	pauses, text := in.pauses()
	d := in.Loader.MaxDuration
	return wait{
		bounded: true,
		length:  2*d + restart + pauses,
		text:    fmt.Sprintf("a continuous loader reads again after at most two runs of up to %s + %s to restart%s", interval.Text(d), interval.Text(restart), text),
	}
}

func periodicWait(in Input) wait {
	if in.alwaysPaused() {
		return endlessWait(in)
	}
	pauses, text := in.pauses()
	return spacedWait(in, in.Loader.Trigger.Periodic, pauses, "a periodic loader, whose phase is unknown, waits at most its interval", text)
}

func declaredWait(in Input) wait {
	if in.alwaysPaused() {
		return endlessWait(in)
	}
	pauses, text := in.pauses()
	return spacedWait(in, in.Loader.Trigger.LongestGap, pauses, "the loader waits at most the declared longest gap", text)
}

// spacedWait is the wait of fires at most a gap apart. A run that lasts longer
// than the gap lets fires pass: skipped ones lead to the first fire after the
// run, queued ones to its end.
func spacedWait(in Input, gap, pauses time.Duration, words, text string) wait {
	d := in.Loader.MaxDuration
	between := gap
	if d > gap {
		between = d
		if in.Loader.Overlap == Skip {
			between = (d + gap - 1).Truncate(gap)
			if in.Loader.Trigger.Periodic == 0 {
				between = d + gap
			}
		}
		text = fmt.Sprintf(" (%s, since a run may last longer)", interval.Text(between)) + text
	}
	return wait{
		bounded: true,
		step:    between,
		length:  between + pauses + d,
		text:    fmt.Sprintf("%s %s%s + a run of up to %s", words, interval.Text(gap), text, interval.Text(d)),
	}
}

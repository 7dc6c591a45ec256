package coverage

import (
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// timeline tells the worst case in the order it happens: a row that just
// misses a read, the pauses, the read that could still get it, and the instant
// at which it is gone.
func timeline(in Input, v Verdict, w wait) []Moment {
	if w.live == nil || w.never || v.Limit == 0 {
		return nil
	}
	missed := w.pair.From
	born := missed.Add(-in.SettleDelay)
	end := w.pair.To.Add(in.Loader.MaxDuration)
	moments := []Moment{
		{born, fmt.Sprintf("event time of a row that comes of age %s later, just after the read of the next run", interval.Text(in.SettleDelay))},
		{missed, "the loader starts and reads; that row is not due yet"},
	}
	moments = append(moments, pausesBetween(in, w)...)
	moments = append(moments,
		Moment{w.pair.To, "the next run of the loader starts"},
		Moment{end, fmt.Sprintf("it reads at the latest now, %s after its start", interval.Text(in.Loader.MaxDuration))},
		Moment{born.Add(v.Limit), fmt.Sprintf("the row expires: %s %s after its event time", v.LimitName, interval.Text(v.Limit))},
	)
	sortMoments(moments)
	return moments
}

// pausesBetween are the pauses between the two reads.
func pausesBetween(in Input, w wait) []Moment {
	var moments []Moment
	if in.Pause > 0 {
		moments = append(moments,
			Moment{w.met, fmt.Sprintf("a pause of %s begins, just before this fire", interval.Text(in.Pause))},
			Moment{w.met.Add(in.Pause), "the pause ends"})
	}
	if w.live.window == nil {
		return moments
	}
	zone := w.pair.From.Location()
	for i, p := range w.live.pauses(w.pair.From.Unix(), w.pair.To.Unix()+1) {
		if i == shownPauses {
			break
		}
		moments = append(moments,
			Moment{time.Unix(p.from, 0).In(zone), "the maintenance window begins and the loader is paused"},
			Moment{time.Unix(p.to, 0).In(zone), "the maintenance window ends and the loader is resumed"})
	}
	return moments
}

// shownPauses keeps a timeline readable where a year of windows lies between
// two reads.
const shownPauses = 5

// sortMoments orders by instant and keeps the order of telling on ties.
func sortMoments(moments []Moment) {
	for i := 1; i < len(moments); i++ {
		for j := i; j > 0 && moments[j].At.Before(moments[j-1].At); j-- {
			moments[j], moments[j-1] = moments[j-1], moments[j]
		}
	}
}

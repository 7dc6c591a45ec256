package coverage

import "time"

// tolerated is how many runs in a row may fail before rows are lost. Every
// wait between two runs is taken to be the longest, so the true number may be
// higher, never lower.
func tolerated(in Input, v Verdict, w wait) int {
	step := w.length - in.Loader.MaxDuration
	left := v.Limit - in.SettleDelay - in.Loader.MaxDuration
	if v.Headroom < 0 || step <= 0 {
		return 0
	}
	return int(left/max(step, time.Second)) - 1
}

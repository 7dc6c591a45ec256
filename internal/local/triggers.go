package local

import (
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// trigger is what starts a job's runs by itself.
type trigger struct {
	fires      schedule.Sequence // nil: nothing does, or the job is continuous
	continuous bool
	paused     bool
	kind       string // as runs name it
}

// every fires at a fixed distance from the anchor.
type every time.Duration

func (e every) Next(after time.Time) (time.Time, bool) { return after.Add(time.Duration(e)), true }

const continuousGap = 30 * time.Second // Databricks: less than a minute

// newTrigger reads the trigger of settings that were validated. File arrival, table update and model triggers fire
// nothing here.
func newTrigger(s settings) *trigger {
	t := &trigger{}
	if c := object(s["schedule"]); c != nil {
		t.kind, t.paused = "PERIODIC", text(c["pause_status"]) == "PAUSED"
		t.fires, _ = cronSequence(text(c["quartz_cron_expression"]), text(c["timezone_id"]))
	}
	if c := object(s["trigger"]); c != nil {
		t.kind, t.paused = "PERIODIC", text(c["pause_status"]) == "PAUSED"
		if p := object(c["periodic"]); p != nil {
			if d, err := periodicInterval(p); err == nil {
				t.fires = every(d)
			}
		}
	}
	if c := object(s["continuous"]); c != nil {
		t.kind, t.continuous, t.paused = "CONTINUOUS", true, text(c["pause_status"]) == "PAUSED"
	}
	return t
}

func periodicInterval(p map[string]any) (time.Duration, error) {
	units := map[string]time.Duration{"MINUTES": time.Minute, "HOURS": time.Hour, "DAYS": 24 * time.Hour, "WEEKS": 7 * 24 * time.Hour}
	n, ok := integer(p["interval"])
	unit := units[text(p["unit"])]
	if !ok || n <= 0 || unit == 0 || n > int64(10*365*24*time.Hour/unit) {
		return 0, badRequest("Invalid periodic trigger: interval %v, unit %v; units are MINUTES, HOURS, DAYS, WEEKS.", p["interval"], p["unit"])
	}
	return time.Duration(n) * unit, nil
}

// nextFire is when a job starts a run next, by itself. The caller holds w.mu.
func (w *Workspace) nextFire(j *job) (time.Time, bool) {
	t := j.fires
	switch {
	case t == nil || t.paused:
		return time.Time{}, false
	case t.continuous:
		if len(w.activeRuns(j.ID)) > 0 {
			return time.Time{}, false
		}
		if j.Count == 0 {
			return j.Anchor, true
		}
		return j.Anchor.Add(min(continuousGap<<min(j.Failures, 7), time.Hour)), true
	case t.fires == nil:
		return time.Time{}, false
	}
	return t.fires.Next(j.Anchor)
}

package jobspec

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// Trigger is what starts the job, as coverage asks for it. A job that nothing starts, or that several things start, has
// a Kind alone: no bound follows from it. An expression, zone or interval that cannot be read is an error.
func Trigger(s Settings) (coverage.Trigger, error) {
	_, name, ok := Pause(s)
	if !ok {
		return coverage.Trigger{Kind: "manual"}, nil
	}
	switch name {
	case "schedule":
		return cron(object(s["schedule"]))
	case "continuous":
		return coverage.Trigger{Continuous: true, Kind: "continuous"}, nil
	case "trigger":
		return one(object(s["trigger"]))
	}
	if all := list(s["triggers"]); len(all) == 1 {
		return one(object(all[0]))
	}
	return coverage.Trigger{Kind: "triggers"}, nil
}

// one reads an element of triggers, or trigger itself.
func one(t map[string]any) (coverage.Trigger, error) {
	if t["sql_condition"] != nil {
		return gated(), nil
	}
	for _, kind := range []string{"schedule", "continuous", "periodic", "file_arrival", "table_update", "table", "model"} {
		v, ok := t[kind]
		if !ok || v == nil {
			continue
		}
		switch kind {
		case "schedule":
			return cron(object(v))
		case "continuous":
			return coverage.Trigger{Continuous: true, Kind: kind}, nil
		case "periodic":
			return periodic(object(v))
		case "table":
			kind = "table_update"
		}
		return coverage.Trigger{Kind: kind}, nil
	}
	return coverage.Trigger{Kind: "trigger"}, nil
}

// gated is a trigger whose condition decides at each fire whether a run starts: it has no bound of its own.
func gated() coverage.Trigger { return coverage.Trigger{Kind: "sql_condition"} }

func cron(m map[string]any) (coverage.Trigger, error) {
	if m["sql_condition"] != nil {
		return gated(), nil
	}
	t := coverage.Trigger{Kind: "schedule", Expression: text(m["quartz_cron_expression"]), ZoneID: text(m["timezone_id"])}
	c, err := schedule.Parse(t.Expression)
	if err != nil {
		return t, fmt.Errorf("schedule: %w", err)
	}
	zone, err := schedule.Zone(t.ZoneID)
	if err != nil {
		return t, fmt.Errorf("schedule: %w", err)
	}
	t.Cron = c.In(zone)
	return t, nil
}

func periodic(m map[string]any) (coverage.Trigger, error) {
	units := map[string]time.Duration{"MINUTES": time.Minute, "HOURS": time.Hour, "DAYS": 24 * time.Hour, "WEEKS": 7 * 24 * time.Hour}
	unit, n := units[text(m["unit"])], whole(m["interval"])
	const most = 100 * 365 * 24 * time.Hour
	switch {
	case unit == 0:
		return coverage.Trigger{}, fmt.Errorf("periodic trigger: unit %q: write MINUTES, HOURS, DAYS or WEEKS", text(m["unit"]))
	case n < 1 || n > int64(most/unit):
		return coverage.Trigger{}, fmt.Errorf("periodic trigger: interval %v %s: write 1 or more, up to 100 years", m["interval"], text(m["unit"]))
	}
	return coverage.Trigger{Periodic: time.Duration(n) * unit, Kind: "periodic"}, nil
}

// whole is a whole number, 0 for anything else.
func whole(v any) int64 {
	text, ok := numeral(v)
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// MaxDuration is the time after which a run is ended; 0: never.
func MaxDuration(s Settings) time.Duration {
	const most = int64(1<<63-1) / int64(time.Second)
	return time.Duration(max(0, min(whole(s["timeout_seconds"]), most))) * time.Second
}

// Overlap says what becomes of a start while a run is active. Settings without a queue skip: 2.2 writes the queue that
// it adds into the settings.
func Overlap(s Settings) coverage.Overlap {
	if object(s["queue"])["enabled"] == true {
		return coverage.Queue
	}
	return coverage.Skip
}

// MaxConcurrentRuns is how many runs may be active at once; coverage.NoRuns for an explicit 0, which skips every run.
func MaxConcurrentRuns(s Settings) int {
	v, ok := s["max_concurrent_runs"]
	if !ok || v == nil {
		return 1
	}
	if n := whole(v); n > 0 {
		return int(min(n, 1000))
	}
	return coverage.NoRuns
}

// Loader is the job as coverage asks for it.
func Loader(s Settings) (coverage.Loader, error) {
	t, err := Trigger(s)
	if err != nil {
		return coverage.Loader{}, err
	}
	status, _, _ := Pause(s)
	return coverage.Loader{Trigger: t, MaxDuration: MaxDuration(s), Overlap: Overlap(s), MaxConcurrentRuns: MaxConcurrentRuns(s), Paused: status == Paused}, nil
}

// Name is the job's name.
func Name(s Settings) string { return text(s["name"]) }

// Tags are the job's tags.
func Tags(s Settings) map[string]string {
	out := map[string]string{}
	for k, v := range object(s["tags"]) {
		out[k] = text(v)
	}
	return out
}

// Int is a whole number as settings hold it.
func Int(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// Seconds is a duration as settings hold it, rounded up. A negative one is an error.
func Seconds(d time.Duration) (json.Number, error) {
	if d < 0 {
		return "", errors.New("a duration in settings cannot be negative")
	}
	return Int(int64((d + time.Second - 1) / time.Second)), nil
}

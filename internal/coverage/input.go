package coverage

import (
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// Reads is how the loader reads its source, which decides the limit.
type Reads string

// The kinds of reads.
const (
	ReadsSnapshot    Reads = "snapshot"     // queries the table: the rolling window
	ReadsDeltaStream Reads = "delta_stream" // streams commits: log and deleted-file retention
	ReadsChangeFeed  Reads = "change_feed"  // reads the change data feed: deleted-file retention
	ReadsEventHubs   Reads = "event_hubs"   // the broker's retention
	ReadsKafka       Reads = "kafka"        // the broker's retention
)

// ParseReads reads a kind of reads; empty is snapshot.
func ParseReads(text string) (Reads, error) {
	switch r := Reads(text); r {
	case "":
		return ReadsSnapshot, nil
	case ReadsSnapshot, ReadsDeltaStream, ReadsChangeFeed, ReadsEventHubs, ReadsKafka:
		return r, nil
	}
	return "", fmt.Errorf("reads %q: unknown; write snapshot, delta_stream, change_feed, event_hubs or kafka", text)
}

// Clock is what the age of a row is measured from.
type Clock string

// The settle clocks.
const (
	SettleWall        Clock = "wall"
	SettleNewestEvent Clock = "newest_event"
)

// ParseClock reads a settle clock; empty is wall.
func ParseClock(text string) (Clock, error) {
	switch c := Clock(text); c {
	case "":
		return SettleWall, nil
	case SettleWall, SettleNewestEvent:
		return c, nil
	}
	return "", fmt.Errorf("settle clock %q: unknown; write wall or newest_event", text)
}

// Overlap is what happens to a fire while a run is active.
type Overlap string

// The ways to overlap.
const (
	Skip  Overlap = "skip"  // the fire starts nothing
	Queue Overlap = "queue" // the run waits for the active one
)

// ParseOverlap reads an overlap; empty is skip, as without a queue.
func ParseOverlap(text string) (Overlap, error) {
	switch o := Overlap(text); o {
	case "":
		return Skip, nil
	case Skip, Queue:
		return o, nil
	}
	return "", fmt.Errorf("overlap %q: unknown; write skip or queue", text)
}

// NoRuns is the max_concurrent_runs of a job whose live settings say 0: every
// run is skipped.
const NoRuns = -1

// Trigger is what starts the loader: exactly one of Cron, Periodic and
// Continuous, or none of them for a trigger without a bound of its own.
type Trigger struct {
	Cron schedule.Sequence
	// Expression and ZoneID are Cron as it was written, for messages.
	Expression, ZoneID string
	// Periodic is the interval of a periodic trigger, whose phase is unknown.
	Periodic   time.Duration
	Continuous bool
	// LongestGap is declared for a trigger that has no bound of its own.
	LongestGap time.Duration
	// Kind names such a trigger: file_arrival, table_update, …
	Kind string
}

// Loader is the job that moves rows from source to target.
type Loader struct {
	Trigger Trigger
	// MaxDuration bounds a run; zero is no bound.
	MaxDuration time.Duration
	// Overlap is Skip when empty.
	Overlap Overlap
	// MaxConcurrentRuns is 1 when zero, and NoRuns when the live job says 0.
	MaxConcurrentRuns int
	// Paused says that the loader's trigger is paused now.
	Paused bool
}

// Window is a maintenance window.
type Window struct {
	Cron               schedule.Sequence
	Expression, ZoneID string
	Duration           time.Duration
	// LoaderPaused says that the loader is paused during the window.
	LoaderPaused bool
	// CatchUp says that the loader is resumed and run at the window's end.
	CatchUp bool
}

// Input is everything a check looks at. Durations are whole seconds, zero is
// "not declared".
type Input struct {
	At     time.Time
	Loader Loader
	Window *Window
	// Pause is the length of a pause at no known time.
	Pause time.Duration
	// Reads is snapshot when empty.
	Reads                Reads
	RollingWindow        time.Duration
	LogRetention         time.Duration
	DeletedFileRetention time.Duration
	BrokerRetention      time.Duration
	SettleDelay          time.Duration
	// SettleClock is wall when empty.
	SettleClock Clock
	// LongestSilence is the longest time without events, for newest_event.
	LongestSilence  time.Duration
	MinimumHeadroom time.Duration
}

// withDefaults fills what may be left empty.
func (in Input) withDefaults() (Input, error) {
	var err error
	if in.Reads, err = ParseReads(string(in.Reads)); err != nil {
		return in, err
	}
	if in.SettleClock, err = ParseClock(string(in.SettleClock)); err != nil {
		return in, err
	}
	if in.Loader.Overlap, err = ParseOverlap(string(in.Loader.Overlap)); err != nil {
		return in, err
	}
	return in, in.validate()
}

func (in Input) validate() error {
	if in.At.IsZero() {
		return fmt.Errorf("check coverage: no instant is given to begin at")
	}
	t := in.Loader.Trigger
	kinds := 0
	for _, given := range []bool{t.Cron != nil, t.Periodic != 0, t.Continuous} {
		if given {
			kinds++
		}
	}
	if kinds > 1 {
		return fmt.Errorf("loader trigger: %d triggers are given; write one of schedule, periodic and continuous", kinds)
	}
	for _, d := range in.durations() {
		switch {
		case d.value < 0:
			return fmt.Errorf("%s %s: negative; write a length such as \"30m\"", d.name, d.value)
		case d.value%time.Second != 0:
			return fmt.Errorf("%s %s: finer than a second; schedules have whole seconds", d.name, d.value)
		case d.value > longestLength:
			return fmt.Errorf("%s %s: longer than 100 years", d.name, d.value)
		}
	}
	if in.Window != nil {
		return in.Window.validate()
	}
	return nil
}

// Sums of a few lengths must stay far from the end of time.Duration.
const longestLength = 36525 * 24 * time.Hour

func (w Window) validate() error {
	switch {
	case w.Cron == nil:
		return fmt.Errorf("maintenance window: no schedule is given")
	case w.Duration <= 0:
		return fmt.Errorf("maintenance window duration %s: must be longer than zero; write a length such as \"2h\"", w.Duration)
	}
	return nil
}

type namedDuration struct {
	name  string
	value time.Duration
}

func (in Input) durations() []namedDuration {
	all := []namedDuration{
		{"rolling window", in.RollingWindow},
		{"log retention", in.LogRetention},
		{"deleted-file retention", in.DeletedFileRetention},
		{"broker retention", in.BrokerRetention},
		{"settle delay", in.SettleDelay},
		{"longest silence", in.LongestSilence},
		{"minimum headroom", in.MinimumHeadroom},
		{"pause", in.Pause},
		{"max duration", in.Loader.MaxDuration},
		{"periodic interval", in.Loader.Trigger.Periodic},
		{"longest gap", in.Loader.Trigger.LongestGap},
	}
	if in.Window != nil {
		all = append(all, namedDuration{"maintenance window duration", in.Window.Duration})
	}
	return all
}

// written is a schedule as a message names it.
func written(expression, zone string) string {
	switch {
	case expression == "":
		return "its schedule"
	case zone == "":
		return fmt.Sprintf("%q", expression)
	}
	return fmt.Sprintf("%q (%s)", expression, strings.TrimSpace(zone))
}

package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Settings are what a pipeline is like from beginning to end.
type Settings struct {
	Seed  uint64
	Start time.Time
	// Kind is the type of the partition column: INT, STRING, or empty where one sequence runs through the whole table.
	Kind string
	// Window is how long rows stay in the source, Delay the settle delay. Newest says that age is measured from the newest
	// event, Strict that a row exactly on the cutoff is not read.
	// Declared says that the table's properties tell the window.
	Window, Delay  time.Duration
	Declared       bool
	Newest, Strict bool
	// Retention is how long versions of the source can be read; 0: as long as Delta does by default.
	Retention time.Duration
	// Block is the length of blocks to verify with.
	Block int64
	// Troubles are what goes wrong, in no order.
	Troubles []Trouble

	names        []string
	first        []int64
	tick         time.Duration
	ticks        int
	grain        time.Duration // of event times
	expireEvery  int           // ticks
	loadEvery    int           // ticks
	berlin       bool          // instants are written, and the window is counted, as in a session in Berlin
	perPartition int           // most rows of a partition in a tick
}

// Trouble is something that goes wrong, or is merely unusual.
type Trouble string

// The troubles.
const (
	Stragglers     Trouble = "stragglers"      // event times far behind their neighbours'
	Bumped         Trouble = "bumped"          // event times far ahead of their neighbours'
	LateVisible    Trouble = "late_visible"    // rows committed long after their event time
	ChangedInPlace Trouble = "changed"         // event times changed by UPDATE
	UpstreamGaps   Trouble = "upstream_gaps"   // sequences that never arrive
	SourceRepeats  Trouble = "source_repeats"  // the source holds a key twice
	NullKeys       Trouble = "null_keys"       // the source holds rows without a partition
	NullTimes      Trouble = "null_times"      // the source holds rows without an event time
	Idle           Trouble = "idle"            // a partition is silent for a while
	Silence        Trouble = "silence"         // all are
	NewPartition   Trouble = "new_partition"   // one appears later
	EarlyPurge     Trouble = "early_purge"     // the source shrinks before its window
	ShortPause     Trouble = "short_pause"     // the loader pauses, and no row expires
	LongPause      Trouble = "long_pause"      // it pauses longer than the window
	StartsLatest   Trouble = "starts_latest"   // the loader skips what a partition held when it saw it first
	StopsIdle      Trouble = "stops_idle"      // a run that reads nothing of a partition ends reading it for ever
	BatchLost      Trouble = "batch_lost"      // the position is saved, the write lost
	WrittenTwice   Trouble = "written_twice"   // one run writes its rows twice
	ReadTwice      Trouble = "read_twice"      // the write is saved, the position lost: the next run writes them again
	Isolated       Trouble = "isolated"        // single rows are dropped between read and write
	Capped         Trouble = "capped"          // a run reads so many rows of a partition and no more
	FailedRuns     Trouble = "failed_runs"     // runs fail, before or after their write
	Overlap        Trouble = "overlap"         // two runs at once
	LongRuns       Trouble = "long_runs"       // much happens between a run's start, its read and its commit
	TargetDeletes  Trouble = "target_deletes"  // rows are deleted from the target
	TargetRestore  Trouble = "target_restore"  // the target is restored, or truncated
	TargetRepeats  Trouble = "target_repeats"  // others write rows a second time
	Repairs        Trouble = "repairs"         // missing rows are put back
	Optimize       Trouble = "optimize"        // OPTIMIZE in between
	Vacuum         Trouble = "vacuum"          // VACUUM, so that versions that history lists cannot be read
	ShortRetention Trouble = "short_retention" // old versions of the source cannot be read for long
)

// Troubles are all there are.
func Troubles() []Trouble {
	return []Trouble{Stragglers, Bumped, LateVisible, ChangedInPlace, UpstreamGaps, SourceRepeats, NullKeys, NullTimes, Idle, Silence, NewPartition,
		EarlyPurge, ShortPause, LongPause, StartsLatest, StopsIdle, BatchLost, WrittenTwice, ReadTwice, Isolated, Capped, FailedRuns, Overlap, LongRuns,
		TargetDeletes, TargetRestore, TargetRepeats, Repairs, Optimize, Vacuum, ShortRetention}
}

// Has tells whether a pipeline has a trouble.
func (s Settings) Has(t Trouble) bool { return slices.Contains(s.Troubles, t) }

// Together is how many pipelines, of seeds that follow each other from a multiple of it, can be played one after the
// other on one workspace, whose clock never goes back.
const Together = 16

// slot is how long each of them has; a change of the clocks lies in the middle of one of them.
const slot = 6 * 24 * time.Hour

// draw makes the settings of a seed.
func draw(seed uint64) (Settings, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 5))
	s := Settings{Seed: seed, tick: 15 * time.Minute, ticks: 20 + r.IntN(14), Window: 2 * time.Hour, Delay: 30 * time.Minute,
		grain: time.Second, expireEvery: 2 + r.IntN(4), loadEvery: 1 + r.IntN(3), perPartition: 1 + r.IntN(5)}
	nth := int64(seed%Together) - Together/2
	change := changeOfClocks(2026+int(seed/Together%20), []time.Month{time.March, time.October}[seed/Together%2])
	s.Start = change.Add(time.Duration(nth)*slot - time.Duration(20+r.IntN(20))*time.Hour)
	switch r.IntN(8) {
	case 0:
		s.Window = time.Hour + time.Duration(r.IntN(120))*time.Minute
	case 1:
		s.Delay = time.Duration(r.IntN(4)) * 10 * time.Minute
	case 2:
		s.Window, s.tick, s.ticks = 24*time.Hour, time.Hour, 48
	}
	if nth == 0 && r.IntN(2) == 0 {
		s.Window, s.tick, s.ticks, s.berlin = 24*time.Hour, time.Hour, 48, true
	}
	switch r.IntN(5) {
	case 0:
		s.grain = 5 * time.Minute // many rows on the very cutoff
	case 1:
		s.grain = time.Microsecond
	}
	s.Newest, s.Strict = r.IntN(3) > 0, r.IntN(3) > 0
	s.Block = 2 << r.IntN(7)
	s.partitions(r)
	s.Declared = seed/2%2 == 0
	s.pick(r)
	return s, r
}

// changeOfClocks is one o'clock UTC on the last Sunday of a month, when Berlin's clocks go forward or back.
func changeOfClocks(year int, month time.Month) time.Time {
	last := time.Date(year, month, 31, 1, 0, 0, 0, time.UTC)
	return last.AddDate(0, 0, -int(last.Weekday()))
}

func (s *Settings) partitions(r *rand.Rand) {
	s.Kind = []string{"INT", "INT", "INT", "STRING", "STRING"}[r.IntN(5)]
	n := 1 + r.IntN(4)
	if r.IntN(4) == 0 {
		n = 1 + r.IntN(8)
	}
	texts := []string{"a", "B", "it's", `back\slash`, "ä", " ", "10", "9", `"quoted"`, "日本", "%s", "x;--", "Z", "z"}
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	base := []int{0, 0, 7, -2}[r.IntN(4)]
	for i := range n {
		switch s.Kind {
		case "INT":
			s.names = append(s.names, fmt.Sprint(base+i))
		case "STRING":
			s.names = append(s.names, texts[i])
		default:
			s.names = []string{"0"} // as one sequence is told
		}
	}
	// Edges of blocks, of 32 bits, and of what a float holds exactly.
	firsts := []int64{0, 1, 100_000, 65_530, 1<<31 - 20, 1<<32 - 9, 1<<53 - 10, 1<<53 + 1, 1<<62 + 3, -7}
	for range s.names {
		first := int64(0)
		if r.IntN(2) == 0 {
			first = firsts[r.IntN(len(firsts))]
		}
		s.first = append(s.first, first)
	}
}

// pick chooses the troubles: none in every tenth pipeline, a few in the others.
func (s *Settings) pick(r *rand.Rand) {
	if r.IntN(10) == 0 {
		return
	}
	all := Troubles()
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	rare := []Trouble{NullKeys, NullTimes}
	for _, t := range all[:1+r.IntN(6)] {
		if slices.Contains(rare, t) && r.IntN(3) > 0 || t == NullKeys && s.Kind == "" {
			continue
		}
		s.Troubles = append(s.Troubles, t)
	}
	// Some show nothing without another.
	for _, pair := range []struct {
		with, and Trouble
		oneIn     int
	}{{StartsLatest, NewPartition, 1}, {StopsIdle, Idle, 1}, {ShortRetention, LongPause, 3}, {Vacuum, LongPause, 3}, {ShortRetention, UpstreamGaps, 3}, {Silence, LongPause, 4}} {
		if s.Has(pair.with) && !s.Has(pair.and) && r.IntN(pair.oneIn) == 0 {
			s.Troubles = append(s.Troubles, pair.and)
		}
	}
	slices.Sort(s.Troubles)
	if s.Has(ShortRetention) {
		s.Retention = time.Duration(20+r.IntN(200)) * s.tick / 15
	}
}

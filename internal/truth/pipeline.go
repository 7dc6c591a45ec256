package truth

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Pipeline is a pipeline from its tables' making to its last check.
type Pipeline struct {
	Settings
	// Schema is the two-part name of the schema of its tables; Source and Target are their complete names.
	Schema, Source, Target string
	Steps                  []Step
}

// Step is what happens at an instant: one of SQL, Begin, End and Check.
type Step struct {
	At time.Time
	// SQL is a statement.
	SQL string
	// Begin and End are a run's beginning and end.
	Begin, End *Run
	Check      *Check
	// Note says it for people.
	Note string
}

// Run is a run of the loader.
type Run struct {
	// Number counts from 1.
	Number int
	// Started is the instant that the API must give for it.
	Started time.Time
	// Failed tells how it ended, once it did.
	Failed bool

	ended        bool
	end          time.Time
	readAt       time.Time
	cutoff       time.Time // of its read; zero when it read nothing
	before, last map[string]int64
	picked       []row
	wrote        bool
	saved        bool  // its position was
	commits      []int // versions of the target that it made
	dropped      []Key
}

func (s Step) String() string {
	text := cmp.Or(s.Note, s.SQL)
	switch {
	case s.Begin != nil:
		text = fmt.Sprintf("run %d begins", s.Begin.Number)
	case s.End != nil:
		text = fmt.Sprintf("run %d ends%s", s.End.Number, s.Note)
	}
	return s.At.Format("2006-01-02 15:04:05 ") + text
}

// New makes the pipeline of a seed. The same seed makes the same pipeline.
func New(seed uint64) *Pipeline {
	s, r := draw(seed)
	g := &generator{Pipeline: &Pipeline{Settings: s}, r: r, now: s.Start, position: map[string]int64{}, stopped: map[string]bool{}}
	g.Schema = fmt.Sprintf("main.t%d", seed)
	g.Source, g.Target = g.Schema+".src", g.Schema+".tgt"
	g.create()
	g.plan()
	g.play()
	return g.Pipeline
}

// generator plays a pipeline.
type generator struct {
	*Pipeline
	r      *rand.Rand
	now    time.Time
	agenda []entry

	source, target *table
	next           []int64 // of each partition
	idle           []bool
	silent         bool
	held           []row // rows that become visible later

	runs     []*Run
	position map[string]int64 // highest sequence read, by partition
	stopped  map[string]bool
	paused   bool
	purge    bool // the source shrinks early
}

// entry is something that is to happen.
type entry struct {
	at time.Time
	do func()
}

// later puts something on the agenda, after what is there for the same instant.
func (g *generator) later(d time.Duration, do func()) {
	at := g.now.Add(d)
	n, _ := slices.BinarySearchFunc(g.agenda, at, func(e entry, at time.Time) int {
		if e.at.After(at) {
			return 1
		}
		return -1
	})
	g.agenda = slices.Insert(g.agenda, n, entry{at, do})
}

// play does what is planned in order of time, at least a second apart.
func (g *generator) play() {
	for len(g.agenda) > 0 {
		e := g.agenda[0]
		g.agenda = g.agenda[1:]
		g.tickTo(e.at)
		e.do()
	}
}

func (g *generator) tickTo(at time.Time) {
	if at = at.Truncate(time.Second); at.Before(g.now.Add(time.Second)) {
		at = g.now.Add(time.Second)
	}
	g.now = at
}

// instant is when a statement of now happens.
func (g *generator) instant() time.Time { return g.now.Add(time.Millisecond) }

func (g *generator) chance(oneIn int) bool { return g.r.IntN(oneIn) == 0 }

// some is the trouble's chance, for a pipeline that has it.
func (g *generator) some(t Trouble, oneIn int) bool { return g.Has(t) && g.chance(oneIn) }

func (g *generator) step(s Step) {
	s.At = g.now
	g.Steps = append(g.Steps, s)
}

func (g *generator) sql(format string, args ...any) { g.step(Step{SQL: fmt.Sprintf(format, args...)}) }

// plan puts everything on the agenda that does not follow from something else.
func (g *generator) plan() {
	for i := range g.ticks {
		g.later(time.Duration(i+1)*g.tick, g.arrive)
		if i%g.expireEvery == g.expireEvery-1 {
			g.later(time.Duration(i+1)*g.tick+g.tick/5, g.expire)
		}
		if i%g.loadEvery == g.loadEvery-1 {
			g.later(time.Duration(i+1)*g.tick+g.tick/3, g.load)
		}
		g.later(time.Duration(i+1)*g.tick+g.tick*2/3, g.meddle)
	}
	g.planPauses()
	anywhere := func() time.Duration { return time.Duration(g.r.IntN(g.ticks)) * g.tick }
	if g.Has(NewPartition) {
		g.later(anywhere(), g.addPartition)
	}
	if g.Has(EarlyPurge) {
		g.later(anywhere(), func() { g.purge = true })
	}
	if g.Has(Idle) {
		p := g.r.IntN(len(g.names))
		at := anywhere()
		g.later(at, func() { g.idle[p] = true })
		g.later(at+g.Window/2+anywhere()/2, func() { g.idle[p] = false })
	}
	if g.Has(Silence) {
		at := anywhere()
		g.later(at, func() { g.silent = true })
		g.later(at+time.Duration(g.r.Int64N(int64(g.Window*2))), func() { g.silent = false })
	}
	end := time.Duration(g.ticks+1) * g.tick
	for range g.r.IntN(3) {
		g.later(anywhere()+g.tick*5/6, g.check)
	}
	g.later(end, g.finish)
}

func (g *generator) planPauses() {
	length := time.Duration(0)
	switch {
	case g.Has(LongPause):
		length = g.Window + time.Duration(g.r.Int64N(int64(g.Window)))
	case g.Has(ShortPause):
		length = g.Window / 2
	default:
		return
	}
	at := time.Duration(g.r.Int64N(int64(time.Duration(g.ticks) * g.tick * 3 / 4)))
	g.later(at, func() { g.paused = true })
	g.later(at+length, func() { g.paused = false })
}

// finish ends with a check: of a run that has just ended in most pipelines, of an earlier one, or beside an active one.
func (g *generator) finish() {
	g.paused = g.paused && g.chance(2)
	if !g.paused {
		g.load()
	}
	g.later(30*time.Minute, func() {
		if g.chance(3) { // what happens after the run must not matter
			g.arrive()
			g.tickTo(g.now)
			g.expire()
		}
		if g.chance(6) {
			g.tickTo(g.now)
			g.begin()
		}
		g.later(time.Minute, g.check)
	})
}

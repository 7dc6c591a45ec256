package local

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Feed says how events arrive in the source, and how long they stay. The same feed from the same instant produces the
// same events.
type Feed struct {
	// Table is the source. Empty: main.events.stream_messages. Columns name its partition, sequence, event time and
	// payload; the zero value means those of the incident.
	Table   string      `json:"table,omitempty"`
	Columns FeedColumns `json:"columns,omitzero"`
	// Partitions is how many there are; 0: 8. In each, one event arrives every Every on average; 0: 25 s.
	Partitions int           `json:"partitions,omitempty"`
	Every      time.Duration `json:"every,omitempty"`
	Seed       uint64        `json:"seed,omitempty"`
	// FirstSequence is the first sequence number of a partition that has none yet; 0: 1.
	FirstSequence int64 `json:"first_sequence,omitempty"`
	// Disorder is how far back an event time may lie behind that of an event that arrived before it.
	Disorder time.Duration `json:"disorder,omitempty"`
	// Stragglers is the share of events (0 to 1) that arrive up to StragglerDelay after they happened.
	Stragglers     float64       `json:"stragglers,omitempty"`
	StragglerDelay time.Duration `json:"straggler_delay,omitempty"`
	// Silences are times in which nothing arrives. What they hold back is not produced later.
	Silences []Silence `json:"silences,omitempty"`
	// Tick is how often what arrived is committed to the source; 0: 5 min.
	Tick time.Duration `json:"tick,omitempty"`
	// Window is how long rows stay by event time; 0: 24 h. ExpireEvery is how often older ones are deleted; 0: 1 h.
	Window      time.Duration `json:"window,omitempty"`
	ExpireEvery time.Duration `json:"expire_every,omitempty"`
	// ExpireBy is delete (also for ""), auto_ttl (the table's own row deletion does it, within its whole days) or none.
	ExpireBy string `json:"expire_by,omitempty"`
	// Stopped ends the arrivals; rows go on expiring.
	Stopped bool `json:"stopped,omitempty"`
}

// FeedColumns names the columns of the source.
type FeedColumns struct {
	Partition string `json:"partition"`
	Sequence  string `json:"sequence"`
	EventTime string `json:"event_time"`
	Payload   string `json:"payload"`
}

// Silence is a time without events: [From, To).
type Silence struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Event is one row that the feed put into the source.
type Event struct {
	Partition int       `json:"partition"`
	Sequence  int64     `json:"sequence"`
	EventTime time.Time `json:"event_time"`
	Arrived   time.Time `json:"arrived"` // when it was committed to the source, to within the milliseconds of the commit
}

const feedLatency = 2 * time.Second // between an event and its arrival

func (f Feed) filled() Feed {
	f.Table = cmp.Or(f.Table, "main.events.stream_messages")
	f.Columns = cmp.Or(f.Columns, FeedColumns{"technical_partition", "technical_sequenceNumber", "context_updatedAt", "payload"})
	f.Partitions = cmp.Or(f.Partitions, 8)
	f.Every = cmp.Or(f.Every, 25*time.Second)
	f.FirstSequence = cmp.Or(f.FirstSequence, 1)
	f.Tick = cmp.Or(f.Tick, 5*time.Minute)
	f.Window = cmp.Or(f.Window, 24*time.Hour)
	f.ExpireEvery = cmp.Or(f.ExpireEvery, time.Hour)
	f.ExpireBy = cmp.Or(f.ExpireBy, "delete")
	if f.Stragglers > 0 {
		f.StragglerDelay = cmp.Or(f.StragglerDelay, 20*time.Minute)
	}
	f.Silences = slices.Clone(f.Silences)
	slices.SortFunc(f.Silences, func(a, b Silence) int { return a.From.Compare(b.From) })
	return f
}

func (f Feed) check() error {
	if _, err := parseName(f.Table); err != nil {
		return fmt.Errorf("feed: table: %w", err)
	}
	for _, c := range []struct {
		name  string
		value time.Duration
		least time.Duration
	}{{"every", f.Every, 2 * time.Millisecond}, {"tick", f.Tick, time.Second}, {"window", f.Window, time.Millisecond},
		{"expire_every", f.ExpireEvery, time.Minute}, {"disorder", f.Disorder, 0}, {"straggler_delay", f.StragglerDelay, 0}} {
		if c.value < c.least || c.value%time.Millisecond != 0 {
			return fmt.Errorf("feed: %s: %s must be at least %s, in whole milliseconds", c.name, c.value, c.least)
		}
	}
	switch {
	case f.Partitions < 1 || f.Partitions > 1024:
		return fmt.Errorf("feed: partitions: %d is not between 1 and 1024", f.Partitions)
	case f.Stragglers < 0 || f.Stragglers > 1:
		return fmt.Errorf("feed: stragglers: %v is not a share between 0 and 1", f.Stragglers)
	case !slices.Contains([]string{"delete", "auto_ttl", "none"}, f.ExpireBy):
		return fmt.Errorf("feed: expire_by: %q is none of delete, auto_ttl, none", f.ExpireBy)
	}
	for i, s := range f.Silences {
		if !s.From.Before(s.To) || i > 0 && s.From.Before(f.Silences[i-1].To) {
			return fmt.Errorf("feed: silences: [%s, %s) is empty or overlaps another", s.From.Format(time.RFC3339), s.To.Format(time.RFC3339))
		}
	}
	return nil
}

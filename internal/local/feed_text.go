package local

import (
	"fmt"
	"time"
)

// feedWords is a feed as control requests write it: durations as text such as "24h".
type feedWords struct {
	Table          string      `json:"table,omitempty"`
	Columns        FeedColumns `json:"columns,omitzero"`
	Partitions     int         `json:"partitions,omitempty"`
	Every          string      `json:"every,omitempty"`
	Seed           uint64      `json:"seed,omitempty"`
	FirstSequence  int64       `json:"first_sequence,omitempty"`
	Disorder       string      `json:"disorder,omitempty"`
	Stragglers     float64     `json:"stragglers,omitempty"`
	StragglerDelay string      `json:"straggler_delay,omitempty"`
	Silences       []Silence   `json:"silences,omitempty"`
	Tick           string      `json:"tick,omitempty"`
	Window         string      `json:"window,omitempty"`
	ExpireEvery    string      `json:"expire_every,omitempty"`
	ExpireBy       string      `json:"expire_by,omitempty"`
	Stopped        bool        `json:"stopped,omitempty"`
}

func feedText(f Feed) feedWords {
	word := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return feedWords{Table: f.Table, Columns: f.Columns, Partitions: f.Partitions, Every: word(f.Every), Seed: f.Seed, FirstSequence: f.FirstSequence,
		Disorder: word(f.Disorder), Stragglers: f.Stragglers, StragglerDelay: word(f.StragglerDelay), Silences: f.Silences, Tick: word(f.Tick),
		Window: word(f.Window), ExpireEvery: word(f.ExpireEvery), ExpireBy: f.ExpireBy, Stopped: f.Stopped}
}

func (t feedWords) feed() (Feed, error) {
	f := Feed{Table: t.Table, Columns: t.Columns, Partitions: t.Partitions, Seed: t.Seed, FirstSequence: t.FirstSequence, Stragglers: t.Stragglers,
		Silences: t.Silences, ExpireBy: t.ExpireBy, Stopped: t.Stopped}
	for _, d := range []struct {
		name string
		text string
		to   *time.Duration
	}{{"every", t.Every, &f.Every}, {"disorder", t.Disorder, &f.Disorder}, {"straggler_delay", t.StragglerDelay, &f.StragglerDelay}, {"tick", t.Tick, &f.Tick},
		{"window", t.Window, &f.Window}, {"expire_every", t.ExpireEvery, &f.ExpireEvery}} {
		if d.text == "" {
			continue
		}
		v, err := time.ParseDuration(d.text)
		if err != nil {
			return f, fmt.Errorf("feed: %s: %q is not a duration such as \"24h\" or \"90s\"", d.name, d.text)
		}
		*d.to = v
	}
	return f, nil
}

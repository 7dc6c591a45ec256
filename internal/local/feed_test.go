package local

import (
	"testing"
	"time"
)

func segment(f Feed) *feedSegment {
	f = f.filled()
	return &feedSegment{Feed: f, Start: start, Ticked: start, First: make([]int64, f.Partitions), Next: make([]int64, f.Partitions)}
}

// Event times and arrivals of a feed in order strictly increase with the sequence: no row of it can be passed over.
func TestFeedInOrder(t *testing.T) {
	t.Parallel()
	s := segment(Feed{Seed: 7})
	for p := range s.Feed.Partitions {
		last := s.event(p, 0)
		for i := int64(1); i < 5000; i++ {
			e := s.event(p, i)
			if !e.EventTime.After(last.EventTime) || e.Sequence != last.Sequence+1 || e.Arrived.Before(last.Arrived) || e.EventTime.After(e.Arrived) {
				t.Fatalf("partition %d: %+v after %+v", p, e, last)
			}
			last = e
		}
		if d := s.arrival(p, 5000).Sub(start); d < 5000*25*time.Second || d > 5001*25*time.Second {
			t.Errorf("partition %d: 5000 events in %s, want one every 25 s", p, d)
		}
	}
}

func TestFeedIsDeterministic(t *testing.T) {
	t.Parallel()
	a, b, other := segment(Feed{Seed: 1, Disorder: time.Minute}), segment(Feed{Seed: 1, Disorder: time.Minute}), segment(Feed{Seed: 2, Disorder: time.Minute})
	same := 0
	for i := range int64(1000) {
		if a.event(3, i) != b.event(3, i) {
			t.Fatalf("event %d differs", i)
		}
		if a.event(3, i).EventTime.Equal(other.event(3, i).EventTime) {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of 1000 events are the same under another seed", same)
	}
}

func TestFeedDisorderAndStragglers(t *testing.T) {
	t.Parallel()
	s := segment(Feed{Seed: 3, Disorder: 2 * time.Minute, Stragglers: 0.1, StragglerDelay: 20 * time.Minute})
	back, late := 0, 0
	for i := int64(1); i < 10_000; i++ {
		e := s.event(0, i)
		if e.EventTime.Before(s.event(0, i-1).EventTime) {
			back++
		}
		lag := s.arrival(0, i).Sub(e.EventTime)
		if lag > 2*time.Minute+feedLatency {
			late++
		}
		if lag < feedLatency || lag > 22*time.Minute+feedLatency {
			t.Fatalf("event %d lags by %s", i, lag)
		}
	}
	// A straggler is late by up to 20 minutes, so of the 1000 about nine in ten show.
	if back < 1000 || late < 850 || late > 1050 {
		t.Errorf("%d out of order, %d late of 10000", back, late)
	}
}

func TestFeedSilence(t *testing.T) {
	t.Parallel()
	quiet := Silence{start.Add(time.Hour), start.Add(4 * time.Hour)}
	s := segment(Feed{Seed: 3, Silences: []Silence{quiet, {start.Add(-5 * time.Hour), start.Add(-4 * time.Hour)}, {start.Add(5 * time.Hour), start.Add(6 * time.Hour)}}})
	plain := segment(Feed{Seed: 3})
	for i := range int64(2000) {
		at := s.arrival(0, i)
		if !at.Before(quiet.From) && at.Before(quiet.To) {
			t.Fatalf("event %d arrives at %s", i, at)
		}
		want := plain.arrival(0, i)
		for _, q := range []Silence{quiet, s.Feed.Silences[2]} {
			if !want.Before(q.From) {
				want = want.Add(q.To.Sub(q.From))
			}
		}
		if !at.Equal(want) {
			t.Fatalf("event %d: %s, want %s", i, at, want)
		}
	}
}

func TestFeedDue(t *testing.T) {
	t.Parallel()
	s := segment(Feed{Seed: 5})
	total := 0
	for tick := start.Add(s.Feed.Tick); !tick.After(start.Add(24 * time.Hour)); tick = tick.Add(s.Feed.Tick) {
		events, next := s.due(tick)
		for _, e := range events {
			if !e.Arrived.Equal(tick) {
				t.Fatalf("%+v committed at %s", e, tick)
			}
		}
		total += len(events)
		s.Next = next
	}
	if want := 8 * 24 * 3600 / 25; total < want-8 || total > want+8 {
		t.Errorf("%d events in a day, want about %d", total, want)
	}
}

package local

import (
	"time"
)

// feedSegment is a feed from one instant to another. What it produced follows from it alone, so nothing is kept.
type feedSegment struct {
	Feed  Feed      `json:"feed"`
	Start time.Time `json:"start"`
	// Ticked is the last tick that was committed; Expired the last expiry.
	Ticked  time.Time `json:"ticked"`
	Expired time.Time `json:"expired"`
	// First is the sequence number of event 0 of each partition, Next the index of the next event to commit.
	First []int64 `json:"first"`
	Next  []int64 `json:"next"`
}

// hash mixes a seed, a partition, an index and a purpose into 64 even bits (splitmix64).
func hash(seed uint64, partition int, index int64, purpose uint64) uint64 {
	x := seed ^ uint64(partition+1)*0x9e3779b97f4a7c15 ^ uint64(index+1)*0xbf58476d1ce4e5b9 ^ purpose*0x94d049bb133111eb
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// upTo picks a whole number of milliseconds in [0, d).
func upTo(h uint64, d time.Duration) time.Duration {
	ms := uint64(d / time.Millisecond)
	if ms == 0 {
		return 0
	}
	return time.Duration(h%ms) * time.Millisecond
}

// arrival is when event i reaches the broker. Arrivals of a partition strictly increase, and so do its sequence numbers.
// Silences are skipped over: time stands still for the feed while they last.
func (s *feedSegment) arrival(partition int, i int64) time.Time {
	f := &s.Feed
	at := s.Start.Add(time.Duration(i)*f.Every + upTo(hash(f.Seed, partition, i, 1), f.Every))
	for _, q := range f.Silences {
		if !q.To.After(s.Start) {
			continue
		}
		from := q.From
		if from.Before(s.Start) {
			from = s.Start
		}
		if at.Before(from) {
			break
		}
		at = at.Add(q.To.Sub(from))
	}
	return at
}

// event is event i of a partition. Its event time lies behind its arrival, by a fixed latency unless the feed is in
// disorder or the event is a straggler.
func (s *feedSegment) event(partition int, i int64) Event {
	f := &s.Feed
	at := s.arrival(partition, i)
	lag := feedLatency + upTo(hash(f.Seed, partition, i, 2), f.Disorder)
	if f.Stragglers > 0 && float64(hash(f.Seed, partition, i, 3)>>11)/(1<<53) < f.Stragglers {
		lag += upTo(hash(f.Seed, partition, i, 4), f.StragglerDelay)
	}
	return Event{Partition: partition, Sequence: s.First[partition] + i, EventTime: at.Add(-lag), Arrived: s.tickFor(at)}
}

// tickFor is the tick at which what arrived at an instant is committed.
func (s *feedSegment) tickFor(at time.Time) time.Time {
	since := max(at.Sub(s.Start), 1)
	if over := since % s.Feed.Tick; over > 0 {
		since += s.Feed.Tick - over
	}
	return s.Start.Add(since)
}

// due returns the events to commit at a tick, partition by partition, and the indexes after them.
func (s *feedSegment) due(tick time.Time) (events []Event, next []int64) {
	next = append([]int64(nil), s.Next...)
	for p := range s.Feed.Partitions {
		for ; !s.arrival(p, next[p]).After(tick); next[p]++ {
			events = append(events, s.event(p, next[p]))
		}
	}
	return events, next
}

// Produced yields every event the feed has put into the source, by feed, partition and sequence.
func (w *Workspace) Produced(yield func(Event) bool) {
	w.mu.Lock()
	segments := make([]feedSegment, len(w.book.Feeds))
	for i, s := range w.book.Feeds {
		segments[i] = *s
		segments[i].Next = append([]int64(nil), s.Next...)
	}
	w.mu.Unlock()
	for i := range segments {
		s := &segments[i]
		for p := range s.Feed.Partitions {
			for n := range s.Next[p] {
				if !yield(s.event(p, n)) {
					return
				}
			}
		}
	}
}

package local

import (
	"context"
	"fmt"
	"time"
)

// moment is something that falls due: at an instant, with a rank among those of the same instant.
type moment struct {
	at   time.Time
	rank int // feed, expiry, end of a run, start of a run; then by id
	id   int64
	do   func(context.Context) error
}

func (m *moment) before(o *moment) bool {
	switch {
	case !m.at.Equal(o.at):
		return m.at.Before(o.at)
	case m.rank != o.rank:
		return m.rank < o.rank
	}
	return m.id < o.id
}

const (
	rankFeed = iota
	rankExpiry
	rankEnd
	rankStart
)

const saveEvery = time.Second

// Advance moves the clock by d and plays, in order of time, everything that falls due: arrivals and expiry in the source,
// ends of runs that last, starts by schedule. Runs that are executing when it is called are waited for. When ctx ends, it
// stops between two moments; the clock is then where it got to.
func (w *Workspace) Advance(ctx context.Context, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("advance by %s: the clock does not go back", d)
	}
	w.step.Lock()
	defer w.step.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)() //nolint:contextcheck // Close ends an Advance too
	if err := w.idle(ctx); err != nil {
		return err
	}
	target := w.clock.Now().Add(d.Truncate(time.Millisecond))
	saved := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return w.stopped(err)
		}
		m := w.nextMoment(target)
		if m == nil {
			break
		}
		w.clock.Raise(m.at)
		if err := m.do(ctx); err != nil {
			return w.stopped(err)
		}
		if time.Since(saved) > saveEvery {
			if err := w.saveNow(); err != nil {
				return err
			}
			saved = time.Now()
		}
	}
	w.clock.Raise(target)
	w.mu.Lock()
	w.forgetOldRuns()
	w.mu.Unlock()
	return w.saveNow()
}

func (w *Workspace) stopped(err error) error {
	if saveErr := w.saveNow(); saveErr != nil {
		return fmt.Errorf("%w; and %w", err, saveErr)
	}
	return err
}

// idle waits until no run executes in the background.
func (w *Workspace) idle(ctx context.Context) error {
	for {
		w.mu.Lock()
		busy := false
		for _, r := range w.book.Runs {
			busy = busy || r.active() && len(r.Steps) == 0 && r.Due.IsZero() && r.State.LifeCycle != "QUEUED"
		}
		w.mu.Unlock()
		if !busy {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		wait(ctx, 2*time.Millisecond)
	}
}

// nextMoment finds what falls due first, up to and including an instant; nil means nothing does.
func (w *Workspace) nextMoment(until time.Time) *moment {
	w.mu.Lock()
	defer w.mu.Unlock()
	var first *moment
	offer := func(m moment) {
		if !m.at.After(until) && (first == nil || m.before(first)) {
			first = &m
		}
	}
	w.offerFeed(offer)
	w.offerTTL(offer)
	for _, r := range w.book.Runs {
		if r.active() && !r.Due.IsZero() {
			offer(moment{r.Due, rankEnd, r.ID, func(ctx context.Context) error { return w.endDue(ctx, r) }})
		}
	}
	for _, j := range w.book.Jobs {
		if at, ok := w.nextFire(j); ok {
			offer(moment{at, rankStart, j.ID, func(ctx context.Context) error { return w.fire(ctx, j, at) }})
		}
	}
	return first
}

func (w *Workspace) offerFeed(offer func(moment)) {
	s := w.currentFeed()
	if s == nil {
		return
	}
	if !s.Feed.Stopped {
		tick := s.Ticked.Add(s.Feed.Tick)
		offer(moment{tick, rankFeed, 0, func(ctx context.Context) error { return w.tickFeed(ctx, s, tick) }})
	}
	if s.Feed.ExpireBy == "delete" {
		at := s.Expired.Add(s.Feed.ExpireEvery)
		offer(moment{at, rankExpiry, 0, func(ctx context.Context) error { return w.expireFeed(ctx, s, at) }})
	}
}

// fire starts a run of a job by its trigger and runs it to its end.
func (w *Workspace) fire(ctx context.Context, j *job, at time.Time) error {
	w.mu.Lock()
	if w.book.Jobs[j.ID] != j {
		w.mu.Unlock()
		return nil
	}
	j.Anchor = at
	r, execute := w.begin(j, runRequest{trigger: j.fires.kind})
	w.mu.Unlock()
	if execute {
		w.execute(ctx, r)
	}
	return ctx.Err()
}

// endDue ends a run that lasted virtual time, and starts the one that waited for it.
func (w *Workspace) endDue(ctx context.Context, r *jobRun) error {
	w.mu.Lock()
	for _, t := range r.latest() {
		t.Ended = w.clock.Now()
	}
	r.Due, r.Steps = time.Time{}, nil // a look does not bring back what a script said
	w.end(r, r.Outcome)
	next := w.dequeue(r.JobID)
	w.mu.Unlock()
	if next != nil {
		w.execute(ctx, next)
	}
	return ctx.Err()
}

const runLife = 60 * 24 * time.Hour

// forgetOldRuns drops the runs that Databricks no longer keeps. The caller holds w.mu.
func (w *Workspace) forgetOldRuns() {
	for id, r := range w.book.Runs {
		if !r.active() && w.clock.Now().Sub(r.Ended) > runLife {
			delete(w.book.Runs, id)
			delete(w.book.Tokens, r.Token)
		}
	}
}

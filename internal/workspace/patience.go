package workspace

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// patience is the retry policy of one call.
//
//	refused before acting   429, no connection               again, any call
//	maybe acted             503, 504, 502, reset, time-out   again, repeatable calls only
//	broken inside           500                              again, repeatable calls only, four attempts in all
//	raced by the service    409                              again, writes of whole jobs only, four attempts in all
//	anything else                                            not again
type patience struct {
	budget   time.Duration
	started  time.Time
	slept    time.Duration
	attempts int
	races    bool
}

const (
	firstWait        = 500 * time.Millisecond
	longestWait      = 10 * time.Second
	attemptsOnBroken = 4
)

func newPatience(budget time.Duration) *patience {
	return &patience{budget: budget, started: time.Now()}
}

// next says how long to wait before another attempt, and whether there is to be one.
func (p *patience) next(err error, repeatable bool) (time.Duration, bool) {
	p.attempts++
	if !p.allows(err, repeatable) {
		return 0, false
	}
	wait := min(firstWait<<min(p.attempts-1, 8), longestWait)
	wait += time.Duration(rand.Int64N(int64(wait) / 4)) // clients that failed together must not come back together
	var a *Answer
	if errors.As(err, &a) && a.after > wait {
		wait = a.after
	}
	// Slept time counts too: a Sleep of the caller's own may pass no real time.
	if spent := max(p.slept, time.Since(p.started)); spent+wait > p.budget {
		return 0, false
	}
	p.slept += wait
	return wait, true
}

func (p *patience) allows(err error, repeatable bool) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var l *lost
	if errors.As(err, &l) {
		return !hopeless(l.err) && (l.before || repeatable)
	}
	var a *Answer
	if !errors.As(err, &a) {
		return false
	}
	switch {
	case errors.Is(a.kind, ErrThrottled):
		return true
	case a.Status == http.StatusConflict && p.races:
		return p.attempts < attemptsOnBroken
	case a.Status == http.StatusInternalServerError:
		return repeatable && p.attempts < attemptsOnBroken
	}
	return repeatable && (errors.Is(a.kind, ErrUnavailable) || a.passing)
}

// mayHaveActed tells that a failed request may have had its effect.
func mayHaveActed(err error) bool {
	var l *lost
	if errors.As(err, &l) {
		return !l.before
	}
	var a *Answer
	return errors.As(err, &a) && errors.Is(a.kind, ErrUnavailable)
}

// retryAfter reads the header in both of its forms.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	if d, err := time.ParseDuration(v + "s"); err == nil && d > 0 {
		return d
	}
	if t, err := http.ParseTime(v); err == nil {
		if now := parseDate(h.Get("Date")); !now.IsZero() {
			return max(0, t.Sub(now))
		}
		return max(0, time.Until(t))
	}
	return 0
}

package reconcile

import (
	"fmt"
	"time"
)

// KeyCauses says of keys that are columns why they are missing. Without a sequence there is no watermark, and so nothing
// tells what the loader went past: most causes stay open, and none is guessed.
type KeyCauses struct {
	Source    Pinned
	Retention time.Duration
	// Run is the run that is verified, 0 when none was named; Silent says that it wrote nothing to the target.
	Run    int64
	Silent bool
	ReadAt time.Time
	// PreviousEnd is when the successful run before it ended; zero unknown.
	PreviousEnd time.Time
	NewestEvent bool
	Delay       time.Duration
	// Window is how long rows are promised to stay in the source; 0 when nobody promised.
	Window time.Duration
	Search *Search
	// Deletes are the commits that may have taken keys from the target, by the version before each.
	Deletes map[int64]Commit
}

// deleted tells that the target had a key until a commit: the loader had read it.
func (c KeyCauses) deleted(a AbsentKey, r *Range) bool {
	by, ok := c.Deletes[a.Held]
	if !ok {
		return false
	}
	r.Cause, r.Proof = CauseDeleted, fmt.Sprintf("in target version %d until commit %d (%s at %s)", a.Held, by.Version, by.Operation, instantText(by.At))
	if r.State == Late {
		r.State = Skipped
	}
	return true
}

const (
	openLate = "due, absent, and still in the source: without a sequence nothing tells whether the loader went past it or has yet to read it; a sequence in the key would have told"
	openGone = "; without a sequence nothing tells whether a run went past it before; a sequence in the key would have told"
)

func keyRange(a AbsentKey) Range {
	at := instant(a.At)
	return Range{Key: a.Key, Rows: 1, Earliest: at, Latest: at, Held: true, Cause: CauseUndecidable}
}

// Absent is what became of a due key of the source that the target lacks.
func (c KeyCauses) Absent(a AbsentKey) Range {
	r := keyRange(a)
	r.State, r.Version, r.Proof = Late, c.Source.Version, openLate
	r.RecoverFrom = fmt.Sprintf("source VERSION AS OF %d", r.Version)
	if !c.Source.Committed.IsZero() {
		r.RecoverableUntil = c.Source.Committed.Add(c.Retention)
	}
	if c.deleted(a, &r) {
		return r
	}
	if c.Run != 0 && c.Silent {
		r.Cause, r.Proof = CauseUnread, fmt.Sprintf("run %d wrote nothing to the target", c.Run)
	}
	return r
}

// Left is what became of a key that left the source and is not in the target.
func (c KeyCauses) Left(a AbsentKey) Range {
	r := keyRange(a)
	r.State, r.Version = Expired, a.Version
	if !a.Due {
		r.State = Doomed
	}
	var proof string
	proof, r.RecoverableUntil = c.Search.proof(a.Version)
	r.RecoverFrom = fmt.Sprintf("source VERSION AS OF %d", a.Version)
	if a.Due && c.deleted(a, &r) {
		return r
	}
	first, last, known := c.Search.removal(a.Version)
	until := r.Earliest.Add(c.Window)
	switch dueAt := r.Earliest.Add(c.Delay); {
	case c.Window > 0 && known && last.At.Before(until) && (!a.Due || c.ReadAt.Before(until)):
		r.Cause = CauseSourceShrank
		r.Proof = fmt.Sprintf("%s, before %s, until when the rolling window promised it", proof, instantText(until))
	case a.Due && known && !c.NewestEvent && !c.PreviousEnd.IsZero() && dueAt.After(c.PreviousEnd.Add(SkewGuard)):
		r.Cause = CauseExpiredUnread
		r.Proof = fmt.Sprintf("%s; due from %s on, after the run before had ended (%s), and gone at %s, before this one read (%s)", proof, instantText(dueAt), instantText(c.PreviousEnd), instantText(first.At), instantText(c.ReadAt))
	case !a.Due:
		r.Proof = proof + "; it was not due by then, and how long the source promised it is not declared"
	default:
		r.Proof = proof + openGone
	}
	return r
}

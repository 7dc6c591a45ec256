package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// WatchRequest says what to watch and how often.
type WatchRequest struct {
	// Job is a name or an id.
	Job string
	// EvidencePath names a file that keeps the evidence, in place of the schema that the contract names.
	EvidencePath string
	// Interval is the time between two looks.
	Interval time.Duration
	// Timeout bounds one look. 0: the interval, and at least 15 minutes, so that a warehouse can start.
	Timeout time.Duration
	// Times is how many looks there are; 0: until the context ends.
	Times int
}

// Look is what one look at a loader and its source saw.
type Look struct {
	Status JobStatus
	// Version of the source is kept as a manifest; Kept is false when it was before.
	Version int64
	Kept    bool
	// Err says why the look failed: the next one may not.
	Err error
}

// Watch keeps a manifest of a loader's source at every interval, also while the loader is paused: a row that expires
// unread then has been seen, and its loss can be told from a sequence that never was. A look that fails is told and the
// next one made; what cannot be mended by waiting ends the watch with an error.
func Watch(ctx context.Context, w Verifiable, waiter Waiter, r WatchRequest, look func(Look)) error {
	for n := 1; ; n++ {
		l, err := r.look(ctx, w)
		if err != nil {
			if ctx.Err() != nil || n == 1 || errors.Is(err, ErrConfiguration) || errors.Is(err, workspace.ErrNotFound) || errors.Is(err, workspace.ErrDenied) {
				return err
			}
			l.Err = err
		}
		look(l)
		if n == r.Times {
			return l.Err
		}
		if err := waiter.Sleep(ctx, r.Interval); err != nil {
			return err
		}
	}
}

// look is one look, within its limit: one that never ended would hide the countdown.
func (r WatchRequest) look(ctx context.Context, w Verifiable) (Look, error) {
	limit := &TimeoutError{r.Timeout, "--timeout of a look"}
	if r.Timeout == 0 {
		limit = &TimeoutError{max(r.Interval, 15*time.Minute), "a look takes no longer than the interval and 15m, unless --timeout says so"}
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit.After, limit)
	defer stop()
	return lookOnce(ctx, w, r)
}

func lookOnce(ctx context.Context, w Verifiable, r WatchRequest) (Look, error) {
	all, err := Status(ctx, w, r.Job)
	if err != nil {
		return Look{}, err
	}
	l := Look{Status: all[0]}
	j, err := w.Job(ctx, l.Status.JobID)
	if err != nil {
		return l, err
	}
	c, err := contractOf(j)
	if err != nil {
		return l, err
	}
	l.Version, l.Kept, err = KeepManifest(ctx, w, c, r.EvidencePath)
	return l, err
}

// KeepManifest keeps the key ranges of a contract's source as it is now, unless that version is kept already.
func KeepManifest(ctx context.Context, w Verifiable, c contract.Contract, path string) (version int64, kept bool, err error) {
	if c.Evidence == "" && path == "" {
		return 0, false, &ConfigurationError{Subject: "evidence", Reason: "the loader's contract names no schema for it, so nothing could be kept",
			Hint: "Set evidence of the watertight_loader_job, or give a file with --evidence."}
	}
	if err := needsSequence(c, "a manifest is the ranges of sequences that a source holds"); err != nil {
		return 0, false, err
	}
	v := newVerifier(w, VerifyRequest{EvidencePath: path}, subject{contract: c})
	err = v.describe(ctx)
	var d doubtful
	if errors.As(err, &d) {
		return 0, false, &ConfigurationError{Subject: "table " + c.Source, Reason: d.Text, Hint: "Name a Delta table as the source."}
	}
	if err != nil {
		return 0, false, err
	}
	k, reason, err := evidenceOf(ctx, w, c, path)
	if err != nil {
		return 0, false, err
	}
	if k == nil && reason != nil {
		return 0, false, &ConfigurationError{Subject: "evidence", Reason: reason.Text, Hint: "Nothing was kept."}
	}
	newest, err := first(v.commits(ctx, v.statements.Source.SQL))
	if err != nil {
		return 0, false, err
	}
	if newest == nil {
		return 0, false, fmt.Errorf("read the history of %s: it is empty", c.Source)
	}
	was, err := k.has(ctx, v.sourceTable.ID, newest.Version, time.Time{})
	if err != nil || was {
		return newest.Version, false, err
	}
	return newest.Version, true, keepManifest(ctx, k, v.statements, v.sourceTable.ID, *newest, time.Time{})
}

package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Executor runs statements that change something. One whose answer was lost is workspace.ErrUncertain: it may have run.
type Executor interface {
	Exec(ctx context.Context, sql string, parameters ...workspace.Parameter) error
}

// keeper is where a loader's evidence is kept: the tables of a schema, or a file.
type keeper interface {
	// runs are those recorded with a read time since an instant, the oldest first.
	runs(ctx context.Context, since time.Time) ([]evidence.Run, error)
	// listed and unlisted are what the manifests of a source show, by partition and sequence. No bounds is everything.
	listed(ctx context.Context, sourceID string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error]
	unlisted(ctx context.Context, sourceID string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error]
	// manifests are those that are kept of a source, by version; seen are their ranges, by partition, low and version.
	manifests(ctx context.Context, sourceID string) ([]evidence.Kept, error)
	seen(ctx context.Context, sourceID string, bounds []evidence.Bound) iter.Seq2[evidence.Manifest, error]
	// beyond are the sequences that manifests list outside of bounds.
	beyond(ctx context.Context, sourceID string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error]
	// has tells whether a manifest of a version is kept: one seen at an instant, unless that is zero.
	has(ctx context.Context, sourceID string, version int64, at time.Time) (bool, error)
	// last is the newest record of a verification; nil when there is none.
	last(ctx context.Context) (*evidence.Run, error)
	// verified are the newest entries of the ledger, one a partition.
	verified(ctx context.Context) ([]evidence.Verified, error)
	// findings are the newest records of every finding.
	findings(ctx context.Context) iter.Seq2[evidence.Finding, error]

	keepManifest(ctx context.Context, s evidence.Source) error
	keepRun(ctx context.Context, r evidence.Run) error
	keepVerified(ctx context.Context, all []evidence.Verified) error
	keepFindings(ctx context.Context, all iter.Seq2[evidence.Finding, error]) error
}

// scopeOf names a loader in evidence: its records are of no other source, target or key.
func scopeOf(c contract.Contract) string {
	return fmt.Sprintf("%s > %s (%s)", c.Source, c.Target, c.Key.String())
}

// definitionOf is what a verification of the contract means. Whatever it does not name may change without making earlier
// verifications worthless.
func definitionOf(c contract.Contract) string {
	return fmt.Sprintf("event_time=%s settle_delay=%s settle_clock=%s strict=%t", c.EventTime, interval.Short(c.SettleDelay), c.SettleClock, c.Strict)
}

// evidenceOf opens what a contract or a path names; nil when neither does. A problem that must not keep a verdict away is
// returned as a reason: no right to make the tables, tables of a newer shape, or tables that are none of ours.
func evidenceOf(ctx context.Context, w Verifiable, c contract.Contract, path string) (keeper, *reconcile.Reason, error) {
	if path != "" {
		f, err := openFile(path, scopeOf(c), definitionOf(c), w)
		if errors.Is(err, evidence.ErrNewer) {
			return nil, &reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf("the evidence in %s is neither used nor added to: %v", path, err)}, nil
		}
		if err != nil || f.cut == "" {
			return f, nil, err
		}
		return f, &reconcile.Reason{Code: reconcile.CodeEvidenceCut, Text: f.cut}, nil
	}
	if c.Evidence == "" {
		return nil, nil, nil
	}
	place, err := evidence.NewPlace(c.Evidence)
	if err != nil {
		return nil, nil, &ConfigurationError{Subject: "evidence", Reason: err.Error(), Hint: "Correct the attribute evidence of the loader."}
	}
	k := &tables{w: w, place: place, scope: scopeOf(c), definition: definitionOf(c)}
	err = k.open(ctx)
	if reason := toleratedEvidence(err, c.Evidence); reason != nil {
		return nil, reason, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open the evidence in %s: %w", c.Evidence, err)
	}
	return k, nil, nil
}

var (
	errNewerEvidence = errors.New("its records have a newer shape than this version of watertight reads")
	errNotEvidence   = errors.New("a table has the name of one of the evidence and is not it")
)

// toleratedEvidence is the reason for going on without evidence; nil when there is none. What a lost connection or an
// interruption keeps from being read is no such reason: there would be no verdict either.
func toleratedEvidence(err error, schema string) *reconcile.Reason {
	text := func(format string, args ...any) *reconcile.Reason {
		return &reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf(format, args...)}
	}
	var failed *workspace.StatementError
	switch {
	case errors.Is(err, errNewerEvidence):
		return text("the evidence in %s is neither used nor added to: %v; use the version that wrote it, or newer", schema, err)
	case errors.Is(err, errNotEvidence):
		return text("the evidence in %s is neither used nor added to: %v. Name another schema as evidence of the loader, or rename that table", schema, err)
	case errors.Is(err, workspace.ErrDenied):
		return text("the evidence in %s can neither be read nor kept: %v. Grant USE SCHEMA, SELECT, MODIFY and CREATE TABLE on it", schema, err)
	case errors.Is(err, workspace.ErrNotFound) && errors.As(err, &failed):
		return text("the evidence cannot be kept: there is no schema %s: %v. Create it", schema, err)
	case errors.As(err, &failed) && failed.State == "FAILED", errors.Is(err, workspace.ErrTruncated):
		return text("the evidence in %s cannot be read, and is neither used nor added to: %v", schema, err)
	}
	return nil
}

package pipeline

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

const (
	// mostKeyFindings is how many missing keys are kept as findings: each is a record of its own. An alarm about more than
	// that does not wait for a second look.
	mostKeyFindings = 10_000
	// mostKeysAsked is how many keys one statement looks for.
	mostKeysAsked = 200
)

func (v *verifier) keyName(kind string, key []reconcile.KeyValue) string {
	return kind + "/" + v.keys().KeyText(key)
}

// isSuspectKey is as isSuspect.
func (v *verifier) isSuspectKey(r reconcile.Range) bool {
	if v.kept == nil || v.missing.Len() >= mostKeyFindings {
		return false
	}
	if v.keyed.suspects == nil {
		v.keyed.suspects = map[string]evidence.Finding{}
		for _, f := range v.suspects {
			v.keyed.suspects[f.Name] = f
		}
	}
	f, ok := v.keyed.suspects[v.keyName("missing", r.Key)]
	later := v.out.Target.Version > f.TargetVersion || f.RunID != 0 && v.out.Run != 0 && f.RunID != v.out.Run
	return !ok || !later
}

// keepKeys keeps what a verification saw, but for manifests, which are ranges of sequences.
func (v *verifier) keepKeys(ctx context.Context) error {
	if v.screen == nil {
		return nil
	}
	if err := v.kept.keepFindings(ctx, v.keyFindings()); err != nil {
		return err
	}
	if err := v.resolveKeys(ctx); err != nil {
		return err
	}
	if all := v.missing.Len() + v.duplicates.Len(); all > mostKeyFindings {
		v.out.Reasons = append(v.out.Reasons, reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf("%d of %d findings are kept; all are listed here", mostKeyFindings, all)})
	}
	return v.kept.keepRun(ctx, v.asRun())
}

// keyFindings are the first missing and doubled keys as records.
func (v *verifier) keyFindings() iter.Seq2[evidence.Finding, error] {
	return func(yield func(evidence.Finding, error) bool) {
		n := 0
		for r, err := range v.missing.All() {
			if n++; n > mostKeyFindings || !yield(v.asFinding(r), err) || err != nil {
				return
			}
		}
		for d, err := range v.duplicates.All() {
			f := evidence.Finding{Name: v.keyName("duplicate", d.Key), RunID: v.out.Run, TargetVersion: v.out.Target.Version, RecordedAt: v.now, Partition: v.keys().KeyText(d.Key),
				Rows: d.Surplus, State: stateDuplicate, Confirmed: true}
			if n++; n > mostKeyFindings || !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// resolveKeys is as resolve.
func (v *verifier) resolveKeys(ctx context.Context) error {
	left, _, err := v.openFindings()
	if err != nil {
		return err
	}
	var resolved []evidence.Finding
	for chunk := range slices.Chunk(left, mostKeysAsked) {
		there, err := v.presentKeys(ctx, v.keys(), chunk)
		if err != nil {
			return err
		}
		for i, o := range chunk {
			if there[i] != 1 {
				continue // there twice: not settled
			}
			f := o.Finding
			f.RecoveredBy = fmt.Sprintf("in the target at version %d", v.out.Target.Version)
			f.RunID, f.TargetVersion, f.RecordedAt = v.out.Run, v.out.Target.Version, v.now
			resolved = append(resolved, f)
		}
	}
	return v.kept.keepFindings(ctx, sure(slices.Values(resolved)))
}

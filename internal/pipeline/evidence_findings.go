package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

const (
	stateDuplicate = "duplicate"
	stateAccepted  = "accepted"
	// mostUnresolved is how many findings one verification looks after; the others wait for the next.
	mostUnresolved = 5000
)

// resolve looks for the rows of earlier findings in the target. A finding is kept for good; that its rows are there now is
// a further record of it.
func (v *verifier) resolve(ctx context.Context) error {
	open := map[string]evidence.Finding{}
	for _, f := range v.unresolved {
		open[f.Name] = f
	}
	for r, err := range v.missing.All() {
		if err != nil {
			return err
		}
		delete(open, findingName("missing", r.Partition, r.From, r.To))
	}
	var left []evidence.Finding
	for _, f := range v.unresolved {
		if _, ok := open[f.Name]; ok {
			left = append(left, f)
		}
	}
	var resolved []evidence.Finding
	for chunk := range slices.Chunk(left, recovery.MostRanges) {
		there, err := v.present(ctx, chunk)
		if err != nil {
			return err
		}
		resolved = append(resolved, there...)
	}
	return v.kept.keepFindings(ctx, sure(slices.Values(resolved)))
}

// present are the findings whose rows are all in the target, each once, as further records.
func (v *verifier) present(ctx context.Context, findings []evidence.Finding) ([]evidence.Finding, error) {
	var wanted []recovery.Range
	for _, f := range findings {
		wanted = append(wanted, recovery.Range{Partition: f.Partition, From: f.Low, To: f.High})
	}
	slices.SortFunc(wanted, recovery.Compare)
	slices.SortFunc(findings, func(a, b evidence.Finding) int {
		return recovery.Compare(recovery.Range{Partition: a.Partition, From: a.Low}, recovery.Range{Partition: b.Partition, From: b.Low})
	})
	target := recovery.Target{SQL: v.statements.Target.SQL, Key: v.statements.Columns}
	all, once, err := recovery.Tally(wanted, reconcile.Decoded(query(ctx, v.w, target.Present(v.statements.Target.Version, wanted)), recovery.ReadFound))
	if err != nil {
		return nil, err
	}
	var out []evidence.Finding
	for i, f := range findings {
		if all[i] == uint64(f.Rows) && once[i] == all[i] {
			f.RecoveredBy = fmt.Sprintf("in the target at version %d", v.statements.Target.Version)
			f.RunID, f.TargetVersion, f.RecordedAt = v.out.Run, v.statements.Target.Version, v.now
			out = append(out, f)
		}
	}
	return out, nil
}

// record notes what was brought back, beside the finding that it was missing.
func (c *recoverer) recordRecovered(ctx context.Context) error {
	if c.kept == nil {
		return nil
	}
	return c.kept.keepFindings(ctx, func(yield func(evidence.Finding, error) bool) {
		for r, err := range c.ranges.All() {
			if err == nil && r.Outcome != Recovered {
				continue
			}
			f := c.asFinding(r.Range)
			f.TargetVersion, f.RecoveredBy = c.out.Target.Version, "watertight recover, in the target at version "+fmt.Sprint(c.out.Target.Version)
			f.Confirmed = true
			if !yield(f, err) || err != nil {
				return
			}
		}
	})
}

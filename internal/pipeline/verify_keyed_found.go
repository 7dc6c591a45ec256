package pipeline

import (
	"context"
	"fmt"
	"slices"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// recallKeys lists the keys that earlier verifications found missing and that neither table has now. Without sequences nothing
// in the tables shows them, and the search for what left the source does not reach back to them for ever.
func (v *verifier) recallKeys(ctx context.Context) error {
	if v.overlooked > 0 {
		v.tally.Doubt(reconcile.CodeBound, "%d earlier findings are not looked after: one verification does so for %d, and the next for others", v.overlooked, mostUnresolved)
	}
	open, unread, err := v.openFindings()
	if err != nil {
		return err
	}
	if unread > 0 {
		v.tally.Doubt(reconcile.CodeUnreadable, "%d findings of earlier verifications are unresolved, and their keys cannot be read from them: whether their rows are still missing is not known", unread)
	}
	if len(open) > 0 {
		v.say("look for what was found missing before")
	}
	later := 0
	for chunk := range slices.Chunk(open, mostKeysAsked) {
		there, err := v.presentKeys(ctx, v.keys(), chunk)
		if err != nil {
			return err
		}
		inSource := v.keys()
		inSource.Target = inSource.Source
		again, err := v.presentKeys(ctx, inSource, chunk)
		if err != nil {
			return err
		}
		for i, o := range chunk {
			switch {
			case there[i] > 0, again[i] > 0:
			case v.keyed.later[o.RecordedAt.UnixMicro()]:
				later++
			default:
				if err := v.concludeKey(v.recalledKey(o)); err != nil {
					return err
				}
			}
		}
	}
	if later > 0 {
		v.tally.Doubt(reconcile.CodeNoSequences, "%d keys were found missing by verifications that read the source later than this one, and are missing still: whether this run had to read them is not known", later)
	}
	return nil
}

// openKey is an unresolved finding and its key.
type openKey struct {
	evidence.Finding
	key []reconcile.KeyValue
}

// openFindings are the unresolved findings that this verification does not list, and the number of those whose key cannot be
// read.
func (v *verifier) openFindings() (open []openKey, unread int, err error) {
	if len(v.unresolved) == 0 {
		return nil, 0, nil
	}
	listed := map[string]bool{}
	for r, err := range v.missing.All() {
		if err != nil {
			return nil, 0, err
		}
		listed[v.keyName("missing", r.Key)] = true
	}
	k := v.keys()
	for _, f := range v.unresolved {
		if listed[f.Name] {
			continue
		}
		if key, ok := k.ReadKeyText(f.Partition); ok {
			open = append(open, openKey{f, key})
		} else {
			unread++
		}
	}
	return open, unread, nil
}

// presentKeys counts the rows of keys in the table that is k's target.
func (v *verifier) presentKeys(ctx context.Context, k reconcile.Keys, open []openKey) (map[int]int64, error) {
	var keys [][]reconcile.KeyValue
	for _, o := range open {
		keys = append(keys, o.key)
	}
	rows := map[int]int64{}
	for there, err := range reconcile.Decoded(query(ctx, v.w, k.Present(keys)), reconcile.ReadPair) {
		if err != nil {
			return nil, err
		}
		if there[0] < 0 || there[0] >= int64(len(open)) {
			return nil, fmt.Errorf("look for earlier findings: key %d of %d was found", there[0], len(open))
		}
		rows[int(there[0])] = there[1]
	}
	return rows, nil
}

// recalledKey says of a key that neither table has what was found when a version showed it.
func (v *verifier) recalledKey(o openKey) reconcile.Range {
	r := goneOf(reconcile.Span{}, o.Finding, v.now)
	r.Key, r.Rows = o.key, 1
	if o.RecoverableUntil.After(v.now) && !v.sourceTable.Created.After(o.RecordedAt) {
		r.State, r.RecoverableUntil = reconcile.Expired, o.RecoverableUntil
		for _, c := range v.history.Candidates {
			if c.Committed.Add(v.retention.DeletedFileRetention).Equal(o.RecoverableUntil) {
				r.Version, r.Held, r.RecoverFrom = c.Version, true, fmt.Sprintf("source VERSION AS OF %d", c.Version)
			}
		}
	}
	if o.State == string(reconcile.Doomed) { // it left before it was due
		r.State = reconcile.Doomed
	}
	return r
}

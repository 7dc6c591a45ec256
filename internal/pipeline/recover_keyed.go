package pipeline

import (
	"context"
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

// postponeKey is as postpone. Which rows a loader without sequences goes by is not known: as long as it has rows to read, one
// that is older than what is brought back among them may be passed over for it.
func (c *recoverer) postponeKey(r reconcile.Range) Outcome {
	if r.State == reconcile.Late {
		return ForLoader
	}
	if !c.lateFrom.IsZero() && !r.Latest.Before(c.lateFrom) || r.State == reconcile.Doomed && c.out.Verification.Counts.InFlight > 0 {
		return HeldBack
	}
	return ""
}

// firstLate is the earliest event time of what the loader has yet to read.
func (c *recoverer) firstLate() error {
	for r, err := range c.missing.All() {
		if err != nil {
			return err
		}
		if r.State == reconcile.Late && (c.lateFrom.IsZero() || r.Earliest.Before(c.lateFrom)) {
			c.lateFrom = r.Earliest
		}
	}
	return nil
}

// placeKeys is as place.
func (c *recoverer) placeKeys(ctx context.Context, chunk []reconcile.Range) error {
	c.say("look for the missing rows")
	ranges := make([]RecoveredRange, len(chunk))
	keys := make([][]reconcile.KeyValue, len(chunk))
	for i, r := range chunk {
		ranges[i], keys[i] = RecoveredRange{Range: r, Left: 1}, r.Key
		c.out.Wanted++
	}
	for _, p := range c.facts.Places(ranges[0].wanted()) {
		if p.Kind == recovery.Broker {
			c.askBroker(ranges)
			continue
		}
		if err := c.lookForKeys(ctx, p, ranges, keys); err != nil {
			return err
		}
	}
	for _, r := range ranges {
		r.settle(c.now)
		c.out.Found += 1 - r.Left
		if err := c.ranges.add(r); err != nil {
			return err
		}
	}
	return nil
}

// lookForKeys reads the keys at a place, one by one where that fails for all of them.
func (c *recoverer) lookForKeys(ctx context.Context, p recovery.Place, ranges []RecoveredRange, keys [][]reconcile.KeyValue) error {
	target := recovery.KeyTarget{Keys: c.keys(), Columns: c.target.Columns}
	found, err := gathered(reconcile.Decoded(query(ctx, c.w, target.Probe(p, keys)), reconcile.ReadCount))
	if unreadable(err) && len(ranges) > 1 {
		for i := range ranges {
			if err := c.lookForKeys(ctx, p, ranges[i:i+1], keys[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	if unreadable(err) {
		ranges[0].Options = append(ranges[0].Options, Option{Place: p, Problem: err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	there := make([]bool, len(ranges))
	for _, n := range found {
		if n < 0 || n >= int64(len(ranges)) {
			return fmt.Errorf("look for rows in %s: key %d of %d was found", p.Name, n, len(ranges))
		}
		there[n] = true
	}
	step := Step{Place: p}
	var wanted [][]reconcile.KeyValue
	for i := range ranges {
		o := Option{Place: p}
		if there[i] {
			o.Keys = 1
			step.Keys += ranges[i].Left
			if ranges[i].Left > 0 {
				wanted = append(wanted, keys[i])
			}
			ranges[i].Left = 0
		}
		ranges[i].Options = append(ranges[i].Options, o)
	}
	if step.Keys == 0 {
		return nil
	}
	step.Statement = target.Insert(p, wanted)
	return c.steps.add(step)
}

// countKeys is as countChunk.
func (c *recoverer) countKeys(ctx context.Context, version int64, chunk []RecoveredRange) error {
	var keys [][]reconcile.KeyValue
	for _, r := range chunk {
		keys = append(keys, r.Key)
	}
	k := c.keys()
	k.Target.Version = version
	for n, err := range reconcile.Decoded(query(ctx, c.w, k.Present(keys)), reconcile.ReadPair) {
		if err != nil {
			return err
		}
		c.out.Returned++
		if n[1] == 1 {
			chunk[n[0]].Outcome = Recovered
		}
	}
	return nil
}

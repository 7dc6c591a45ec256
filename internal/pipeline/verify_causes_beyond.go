package pipeline

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// mostBeyond is how many ranges beyond the tables' ends are told apart from those that were found already.
const mostBeyond = 100_000

// learnBeyond looks for what manifests list outside of the range that both tables show of a partition: no gap leads there.
// It returns when the oldest of it was seen first.
func (c *inquirer) learnBeyond(ctx context.Context) (oldest time.Time, err error) {
	if c.kept == nil || c.search == nil || c.sawEverything() {
		return oldest, nil
	}
	var bounds []evidence.Bound
	for p, e := range c.screen.Extents {
		low, high := e.Hull()
		bounds = append(bounds, evidence.Bound{Partition: p, Low: low, High: high})
	}
	found, err := c.foundBeyond()
	if err != nil || found == nil {
		return oldest, err
	}
	for r, err := range c.kept.beyond(ctx, c.sourceTable.ID, bounds) {
		if err != nil {
			return oldest, err
		}
		if r.LastSeen.Before(c.began) {
			continue // nobody's to load
		}
		if oldest.IsZero() || r.FirstSeen.Before(oldest) {
			oldest = r.FirstSeen
		}
		if err := c.addBeyond(r, found[r.Partition]); err != nil {
			return oldest, err
		}
	}
	return oldest, nil
}

// foundBeyond are the missing ranges that lie there and were found in versions, by partition.
func (c *inquirer) foundBeyond() (map[string][]reconcile.Span, error) {
	found, n := map[string][]reconcile.Span{}, 0
	for r, err := range c.raw.All() {
		if err != nil {
			return nil, err
		}
		if e, ok := c.screen.Extents[r.Partition]; ok {
			if low, high := e.Hull(); r.From >= low && r.To <= high {
				continue
			}
		}
		if n++; n > mostBeyond {
			c.tally.Doubt(reconcile.CodeBound, "more than %d ranges left the source beyond the ends of the target: manifests are not searched for others", mostBeyond)
			return nil, nil
		}
		found[r.Partition] = append(found[r.Partition], reconcile.Span{Partition: r.Partition, From: r.From, To: r.To})
	}
	for _, spans := range found {
		slices.SortFunc(spans, func(a, b reconcile.Span) int {
			if a.From < b.From {
				return -1
			}
			return 1
		})
	}
	return found, nil
}

// addBeyond takes the parts of a listed range that lie beyond both ends of its partition and were not found before.
func (c *inquirer) addBeyond(r evidence.Range, found []reconcile.Span) error {
	e, ok := c.screen.Extents[r.Partition]
	if !ok {
		return c.without(reconcile.Gap{Span: reconcile.Span{Partition: r.Partition, From: r.Low, To: r.High}, Listed: true}, found)
	}
	low, high := e.Hull()
	if r.Low < low {
		g := reconcile.Gap{Span: reconcile.Span{Partition: r.Partition, From: r.Low, To: min(r.High, low-1)}, Listed: true, Below: e.InTarget}
		if err := c.without(g, found); err != nil {
			return err
		}
	}
	if r.High > high {
		return c.without(reconcile.Gap{Span: reconcile.Span{Partition: r.Partition, From: max(r.Low, high+1), To: r.High}, Listed: true}, found)
	}
	return nil
}

func (c *inquirer) without(g reconcile.Gap, found []reconcile.Span) error {
	take := func(from, to int64) error {
		if from > to {
			return nil
		}
		g.From, g.To = from, to
		if g.Below {
			if len(c.below) < mostBeyond {
				c.below = append(c.below, g)
			}
			return nil
		}
		return c.unexplained.add(g)
	}
	from, to := g.From, g.To
	for _, s := range found {
		if s.To < from || s.From > to {
			continue
		}
		if s.From > from {
			if err := take(from, s.From-1); err != nil {
				return err
			}
		}
		if s.To == math.MaxInt64 {
			return nil
		}
		from = s.To + 1
	}
	return take(from, to)
}

// takeBelow adds what lies under the target's lowest sequence. What was loaded there may have been deleted for its age; only
// where every deletion could be looked behind is it known that something was not.
func (c *inquirer) takeBelow(context.Context) error {
	if c.q.Unlooked != nil {
		return nil
	}
	for _, g := range c.below {
		if err := c.unexplained.add(g); err != nil {
			return err
		}
	}
	return nil
}

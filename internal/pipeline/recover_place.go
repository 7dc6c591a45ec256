package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

// place looks for ranges of one version in every place, and makes a step for each place that adds something.
func (c *recoverer) place(ctx context.Context, chunk []reconcile.Range) error {
	if c.keyed != nil {
		return c.placeKeys(ctx, chunk)
	}
	c.say("look for the missing rows")
	ranges := make([]RecoveredRange, len(chunk))
	for i, r := range chunk {
		ranges[i] = RecoveredRange{Range: r, Left: uint64(r.Rows)}
		c.out.Wanted += uint64(r.Rows)
	}
	slices.SortFunc(ranges, func(a, b RecoveredRange) int { return recovery.Compare(a.wanted(), b.wanted()) })
	var before []recovery.Place
	for _, p := range c.facts.Places(ranges[0].wanted()) {
		if p.Kind == recovery.Broker {
			c.askBroker(ranges)
			continue
		}
		read, err := c.look(ctx, p, before, ranges)
		if err != nil {
			return err
		}
		if read {
			before = append(before, p)
		}
	}
	for _, r := range ranges {
		r.settle(c.now)
		c.out.Found += uint64(r.Rows) - r.Left
		if err := c.ranges.add(r); err != nil {
			return err
		}
	}
	return nil
}

func (r RecoveredRange) wanted() recovery.Range {
	w := recovery.Range{Partition: r.Partition, From: r.From, To: r.To, Version: -1, Earliest: r.Earliest, Latest: r.Latest}
	if r.Held {
		w.Version = r.Version
	}
	return w
}

func (r *RecoveredRange) settle(now time.Time) {
	switch {
	case r.Left == 0:
		r.Outcome = CanRecover
	case r.Left < uint64(r.Rows):
		r.Outcome = InPart
	case slices.ContainsFunc(r.Options, func(o Option) bool { return o.Kind == recovery.Broker }):
		r.Outcome = FromBroker
	case r.Unread > 0:
		r.Outcome = NotSearched
	default:
		r.Outcome = Gone
		for _, o := range r.Options {
			if o.Problem != "" && o.Until.After(r.GoneSince) && !o.Until.After(now) {
				r.GoneSince = o.Until
			}
		}
	}
}

// askBroker notes until when the broker may have each range: what it holds is not for a warehouse to read.
func (c *recoverer) askBroker(ranges []RecoveredRange) {
	for i, r := range ranges {
		places := c.facts.Places(r.wanted())
		ranges[i].Options = append(r.Options, Option{Place: places[len(places)-1]})
	}
}

// look reads the keys of the ranges at a place. Where that fails for some files, halves are read apart, down to single
// ranges, so that one file that is gone does not hide what the others hold. It reports whether all could be read.
func (c *recoverer) look(ctx context.Context, p recovery.Place, before []recovery.Place, ranges []RecoveredRange) (bool, error) {
	wanted := make([]recovery.Range, len(ranges))
	for i, r := range ranges {
		wanted[i] = r.wanted()
	}
	rows := reconcile.Decoded(query(ctx, c.w, c.target.Probe(p, before, wanted)), recovery.ReadFound)
	all, fresh, err := recovery.Tally(wanted, rows)
	if unreadable(err) {
		if half := len(ranges) / 2; half > 0 {
			a, err := c.look(ctx, p, before, ranges[:half])
			if err != nil {
				return false, err
			}
			b, err := c.look(ctx, p, before, ranges[half:])
			return a && b, err
		}
		ranges[0].Options = append(ranges[0].Options, Option{Place: p, Problem: err.Error()})
		return false, nil
	}
	if err != nil {
		return false, err
	}
	step := Step{Place: p}
	for i := range ranges {
		ranges[i].Options = append(ranges[i].Options, Option{Place: p, Keys: all[i]})
		if fresh[i] == 0 {
			continue
		}
		if fresh[i] > ranges[i].Left {
			return false, fmt.Errorf("look for rows in %s: %d keys of partition %s from %d to %d were found, and %d were missing", p.Name, fresh[i], ranges[i].Partition, ranges[i].From, ranges[i].To, ranges[i].Left)
		}
		ranges[i].Left -= fresh[i]
		step.Keys += fresh[i]
		step.Ranges = append(step.Ranges, wanted[i])
	}
	if step.Keys == 0 {
		return true, nil
	}
	step.Statement = c.target.Insert(p, step.Ranges)
	return true, c.steps.add(step)
}

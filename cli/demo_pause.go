package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// pauseOutside is step 5: the plan shows the pause and until when it does no harm. Nobody acts, and rows expire.
func pauseOutside(ctx context.Context, d *demo) error {
	a, err := d.wt(ctx, "pause", demoJob)
	if err != nil {
		return err
	}
	d.show(a.stdout)
	if err := a.expect(0); err != nil {
		return err
	}
	a, err = d.tf(ctx, "plan", append([]string{"-detailed-exitcode"}, demoVariables()...)...)
	if err != nil {
		return err
	}
	_, warning, _ := strings.Cut(a.stdout, "Warning: ")
	d.show(linesWith(a.stdout, "will be updated", "~ pause_status", "Plan:") + "Warning: " + warning)
	d.ended(a)
	if err := a.expect(2, `pause_status = "PAUSED" -> "UNPAUSED"`, "Deadline: the first unread row expires at"); err != nil {
		return err
	}
	if err := d.checkDeadline(ctx, a.stdout); err != nil {
		return err
	}
	return d.advance(ctx, 25*time.Hour)
}

// checkDeadline holds the deadline in the plan against the first event that the feed produced and nobody has read.
func (d *demo) checkDeadline(ctx context.Context, plan string) error {
	said := regexp.MustCompile(`expires\s+at\s+(\S+Z)`).FindStringSubmatch(plan)
	if said == nil {
		return fmt.Errorf("no deadline in the plan:\n%s", plan)
	}
	deadline, err := time.Parse(time.RFC3339, said[1])
	if err != nil {
		return err
	}
	unread, err := d.produced(ctx, demoTargetTable)
	if err != nil {
		return err
	}
	var first time.Time
	for _, at := range unread {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	expires := first.Add(demoWindow)
	// The newest event, from which the loader counts, may be as much older than its run as the feed is slow: 5 min.
	if off := deadline.Sub(expires); off < -5*time.Minute || off > 5*time.Minute {
		return fmt.Errorf("the plan says that the first unread row expires at %s, and it does at %s", said[1], expires.Format(time.RFC3339))
	}
	d.say("The feed knows of %d events that are not loaded; the first one expires at %s.", len(unread), expires.Format(time.RFC3339))
	return nil
}

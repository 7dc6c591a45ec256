package cli

import (
	"context"
	"fmt"
)

// planPaused is step 2: the plan that would lose rows is refused, and nothing is made.
func planPaused(ctx context.Context, d *demo) error {
	a, err := d.tf(ctx, "init")
	if err == nil {
		err = a.expect(0)
	}
	if err != nil {
		return err
	}
	a, err = d.tf(ctx, "plan", "-var", "window_duration=25h", "-var", "loader_during_window=paused")
	if err != nil {
		return err
	}
	d.show(a.stderr)
	d.ended(a)
	// By hand: the run of 01:30 may last until 01:50, so the one of 01:45 is skipped; from 02:00 the loader is paused for
	// 25 h. It starts again 25 h 30 min after that run, and may take 20 min to read.
	if err := a.expect(1, "longest wait 1 d 1 h 50 min", "−2 h 20 min"); err != nil {
		return err
	}
	if n := d.workspace.Count("POST", "jobs/create"); n != 0 {
		return fmt.Errorf("a plan that is refused made %d jobs", n)
	}
	return nil
}

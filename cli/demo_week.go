package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// passWeek is step 4: what the loader loaded by its schedule is verified.
func passWeek(ctx context.Context, d *demo) error {
	if err := d.advance(ctx, 7*24*time.Hour); err != nil {
		return err
	}
	loaded, err := d.count(ctx, demoTargetTable)
	if err != nil {
		return err
	}
	d.say("%s holds %d events.", demoTargetTable, loaded)
	a, err := d.wt(ctx, "run", demoJob)
	if err != nil {
		return err
	}
	d.show(a.stdout)
	d.ended(a)
	return a.expect(0, "PASS")
}

// advance moves the clock, by the hour so that a terminal can show how far it is.
func (d *demo) advance(ctx context.Context, length time.Duration) error {
	d.say("The clock moves by %s.", interval.Short(length))
	width := d.env.Width()
	for passed := time.Duration(0); passed < length; passed += time.Hour {
		if width > 0 {
			fmt.Fprintf(d.env.Stderr, "\r   %s ", d.workspace.Now().Format("Mon 2 Jan 15:04"))
		}
		if err := d.workspace.Advance(ctx, min(time.Hour, length-passed)); err != nil {
			return fmt.Errorf("advance the clock: %w", err)
		}
	}
	if width > 0 {
		fmt.Fprint(d.env.Stderr, "\r\x1b[K")
	}
	return nil
}

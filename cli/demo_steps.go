package cli

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	demoJob         = "load_messages"
	demoSourceTable = "main.events.stream_messages"
	demoTarget      = "main.events.messages"
)

// showWorkspace is step 1: what there is before anything is declared.
func showWorkspace(ctx context.Context, d *demo) error {
	produced := map[int]int{}
	total := 0
	for e := range d.workspace.Produced {
		produced[e.Partition]++
		total++
	}
	inSource, err := d.count(ctx, demoSourceTable)
	if err != nil {
		return err
	}
	if len(produced) != 8 || total == 0 || inSource == 0 {
		return fmt.Errorf("the feed produced %d events in %d partitions, and %s holds %d", total, len(produced), demoSourceTable, inSource)
	}
	fmt.Fprintf(d.env.Stdout, "   %s serves jobs, SQL and tables from this process; its clock is at %s.\n", d.workspace.Host(), d.workspace.Now().Format(time.RFC3339))
	fmt.Fprintf(d.env.Stdout, "   %s holds %d events in %d partitions; rows expire 24 h after their event time.\n", demoSourceTable, inSource, len(produced))
	return nil
}

// planPaused is step 2: the plan that would lose rows is refused.
func planPaused(ctx context.Context, d *demo) error {
	if a, err := d.tf(ctx, "init", "-no-color"); err != nil {
		return err
	} else if err := a.expect(0); err != nil {
		return err
	}
	a, err := d.tf(ctx, "plan", "-no-color", "-var", "window_duration=25h", "-var", "loader_during_window=paused")
	if err != nil {
		return err
	}
	d.show(errorsOf(a.stderr))
	d.ended(a)
	return a.expect(1, "Headroom", "25 h")
}

// applyRunning is step 3: the same with the loader running is applied, and planned again without a difference.
func applyRunning(ctx context.Context, d *demo) error {
	variables := []string{"-no-color", "-var", "window_duration=25h", "-var", "loader_during_window=running"}
	a, err := d.tf(ctx, append([]string{"apply", "-auto-approve"}, variables...)...)
	if err != nil {
		return err
	}
	d.show(linesWith(a.stdout, "Plan:", "Creation complete", "Apply complete"))
	d.ended(a)
	if err := a.expect(0, "Apply complete"); err != nil {
		return err
	}
	a, err = d.tf(ctx, append([]string{"plan", "-detailed-exitcode"}, variables...)...)
	if err != nil {
		return err
	}
	d.show(linesWith(a.stdout, "No changes"))
	d.ended(a)
	return a.expect(0, "No changes")
}

// passWeek is step 4: what is loaded by schedule is verified.
func passWeek(ctx context.Context, d *demo) error {
	if err := d.advance(ctx, 7*24*time.Hour); err != nil {
		return err
	}
	loaded, err := d.count(ctx, demoTarget)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.env.Stdout, "   %s holds %d events.\n", demoTarget, loaded)
	a, err := d.wt(ctx, "run", demoJob)
	if err != nil {
		return err
	}
	d.show(a.stdout)
	d.ended(a)
	return a.expect(0, "PASS")
}

// pauseOutside is step 5: the plan shows the pause and until when it does no harm; nobody acts, and rows expire.
func pauseOutside(ctx context.Context, d *demo) error {
	if a, err := d.wt(ctx, "pause", demoJob); err != nil {
		return err
	} else if err := a.expect(0); err != nil {
		return err
	}
	a, err := d.tf(ctx, "plan", "-no-color", "-var", "window_duration=25h", "-var", "loader_during_window=running")
	if err != nil {
		return err
	}
	said := a.stdout + a.stderr
	d.show(said)
	d.ended(a)
	if err := a.expect(a.code, "PAUSED", "UNPAUSED"); err != nil {
		return err
	}
	return d.advance(ctx, 25*time.Hour)
}

// findLoss is step 6: the run succeeds and rows are missing all the same; exactly those are listed.
func findLoss(ctx context.Context, d *demo) error {
	a, err := d.wt(ctx, "run", demoJob)
	if err != nil {
		return err
	}
	d.show(a.stdout)
	d.ended(a)
	if err := a.expect(1, "FAIL"); err != nil {
		return err
	}
	return d.compare(ctx)
}

func (d *demo) tf(ctx context.Context, args ...string) (answer, error) {
	return d.try(ctx, shownAs(d.terraform), d.terraform, args...)
}

func (d *demo) wt(ctx context.Context, args ...string) (answer, error) {
	return d.try(ctx, "watertight", d.watertight, args...)
}

// advance moves the clock, by the hour so that a terminal can show how far it is.
func (d *demo) advance(ctx context.Context, length time.Duration) error {
	fmt.Fprintf(d.env.Stdout, "   the clock moves by %s\n", strings.TrimSuffix(length.String(), "0m0s"))
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
		fmt.Fprintf(d.env.Stderr, "\r%*s\r", min(width-1, 30), "")
	}
	return nil
}

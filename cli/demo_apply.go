package cli

import "context"

func demoVariables() []string {
	return []string{"-var", "window_duration=25h", "-var", "loader_during_window=running"}
}

// applyRunning is step 3: the same with the loader running through is applied, and planned again without a difference.
func applyRunning(ctx context.Context, d *demo) error {
	a, err := d.tf(ctx, "apply", append([]string{"-auto-approve"}, demoVariables()...)...)
	if err != nil {
		return err
	}
	d.show(linesWith(a.stdout, "Plan:", "Creation complete", "Apply complete"))
	d.ended(a)
	if err := a.expect(0, "Apply complete! Resources: 3 added, 0 changed, 0 destroyed."); err != nil {
		return err
	}
	a, err = d.tf(ctx, "plan", append([]string{"-detailed-exitcode"}, demoVariables()...)...)
	if err != nil {
		return err
	}
	d.show(linesWith(a.stdout, "No changes"))
	d.ended(a)
	return a.expect(0, "No changes.")
}

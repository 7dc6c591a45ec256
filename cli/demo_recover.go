package cli

import (
	"context"
	"encoding/json"
	"fmt"
)

// bringRowsBack is step 7: what time travel still holds comes back, once, and verification passes.
func bringRowsBack(ctx context.Context, d *demo) error {
	truth, err := d.produced(ctx, demoSourceTable, demoTargetTable)
	if err != nil {
		return err
	}
	before, err := d.count(ctx, demoTargetTable)
	if err != nil {
		return err
	}
	a, err := d.wt(ctx, "recover", demoJob, "--apply", "--output", "json")
	if err == nil {
		err = a.expect(0)
	}
	if err != nil {
		return err
	}
	var r struct {
		Recovered  int64 `json:"recovered"`
		Statements []struct {
			Name  string  `json:"name"`
			Until *string `json:"until"`
		} `json:"statements"`
	}
	if err := json.Unmarshal([]byte(a.stdout), &r); err != nil {
		return fmt.Errorf("read what recover answered: %w", err)
	}
	gone, err := d.produced(ctx, demoSourceTable, demoTargetTable)
	if err != nil {
		return err
	}
	after, err := d.count(ctx, demoTargetTable)
	if err != nil {
		return err
	}
	if len(gone) > 0 || after-before != int64(len(truth)) || r.Recovered != after-before || len(r.Statements) == 0 {
		return fmt.Errorf("%d rows were missing, %d came back, and %d are said to have; %d are missing still", len(truth), after-before, r.Recovered, len(gone))
	}
	first := r.Statements[0]
	d.say("%d statements ran, the first from %s, which can be read until %s.", len(r.Statements), first.Name, deref(first.Until))
	d.say("%d rows are back in the target, each once: the ones that were missing, row by row.", r.Recovered)
	v, err := d.wt(ctx, "verify", demoJob)
	if err != nil {
		return err
	}
	d.show(v.stdout)
	return v.expect(0, "PASS")
}

func deref(text *string) string {
	if text == nil {
		return "further notice"
	}
	return *text
}

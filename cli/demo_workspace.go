package cli

import (
	"context"
	"fmt"
	"time"
)

const (
	demoJob         = "load_messages"
	demoSourceTable = "main.events.stream_messages"
	demoTargetTable = "main.events.messages"
	demoWindow      = 24 * time.Hour // for which a row stays, as the configuration says
)

// showWorkspace is step 1: what there is before anything is declared.
func showWorkspace(ctx context.Context, d *demo) error {
	produced, total := map[int]int{}, 0
	for e := range d.workspace.Produced {
		produced[e.Partition]++
		total++
	}
	held, err := d.count(ctx, demoSourceTable)
	if err != nil {
		return err
	}
	if len(produced) != 8 || total == 0 || held == 0 {
		return fmt.Errorf("the feed produced %d events in %d partitions, and %s holds %d", total, len(produced), demoSourceTable, held)
	}
	d.say("%s serves jobs, SQL and tables from this process; its clock is at %s.", d.workspace.Host(), d.workspace.Now().Format(time.RFC3339))
	d.say("%s holds %d events in %d partitions; a row expires 24 h after its event time.", demoSourceTable, held, len(produced))
	return nil
}

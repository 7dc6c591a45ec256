package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// demoDelay is how long nobody acts: by then some of the old versions can be read no more.
const demoDelay = 7*24*time.Hour - 30*time.Minute

// bringRowsBack is step 7: what time travel still holds comes back, once; what it holds no more is named, with since when.
func bringRowsBack(ctx context.Context, d *demo) error {
	if err := d.resumeAndWait(ctx); err != nil {
		return err
	}
	missing, err := d.inNeither(ctx)
	if err != nil {
		return err
	}
	r, err := d.recover(ctx)
	if err != nil {
		return err
	}
	left, err := d.inNeither(ctx)
	if err != nil {
		return err
	}
	gone, since, err := r.gone()
	if err != nil {
		return err
	}
	if difference := differ(left, gone); difference != "" {
		return fmt.Errorf("what is said to be gone is not what is gone: %s", difference)
	}
	if back := len(missing) - len(left); back == 0 || len(left) == 0 || r.Recovered != int64(back) || len(r.Statements) == 0 {
		return fmt.Errorf("%d rows were missing, %d still are, and %d are said to have come back", len(missing), len(left), r.Recovered)
	}
	first := r.Statements[0]
	d.say("%d rows are back in the target, each once, from %s, which can be read until %s.", r.Recovered, first.Name, deref(first.Until))
	d.say("%d are in no place that can be read, since %s: the ones that the feed knows of, row by row.", len(left), since)
	v, err := d.wt(ctx, "verify", demoJob)
	if err != nil {
		return err
	}
	d.show(v.stdout)
	d.ended(v)
	if err := v.expect(1, "FAIL", fmt.Sprintf("%d are gone from everywhere (lost)", len(left)), "expired_unread"); err != nil {
		return err
	}
	return d.acceptLoss(ctx, r)
}

// acceptLoss accepts what cannot come back, with a reason: from then on verification passes, and says what was accepted.
func (d *demo) acceptLoss(ctx context.Context, r recovered) error {
	arguments := []string{"verify", demoJob}
	for _, g := range r.Ranges {
		if g.Outcome == "gone" {
			arguments = append(arguments, "--accept-range", fmt.Sprintf("%s:%d-%d", g.Partition, g.From, g.To))
		}
	}
	a, err := d.wt(ctx, append(arguments, "--reason", "incident of 9 March")...)
	if err != nil {
		return err
	}
	d.show(a.stdout)
	d.ended(a)
	return a.expect(0, "PASS", "incident of 9 March")
}

// resumeAndWait applies the configuration, which resumes the loader, and waits until it is nearly too late for the rest.
func (d *demo) resumeAndWait(ctx context.Context) error {
	a, err := d.tf(ctx, "apply", append([]string{"-auto-approve"}, demoVariables()...)...)
	if err != nil {
		return err
	}
	d.show(linesWith(a.stdout, "Modifications complete", "Apply complete"))
	if err := a.expect(0, "Apply complete! Resources: 0 added, 1 changed, 0 destroyed."); err != nil {
		return err
	}
	return d.advance(ctx, demoDelay)
}

// inNeither are the events that are in neither table: they left the source unread.
func (d *demo) inNeither(ctx context.Context) (map[key]time.Time, error) {
	return d.produced(ctx, demoSourceTable, demoTargetTable)
}

// recovered is what recover answers, as far as the demo holds it against the truth.
type recovered struct {
	Recovered  int64 `json:"recovered"`
	Statements []struct {
		Name  string  `json:"name"`
		Until *string `json:"until"`
	} `json:"statements"`
	Ranges []struct {
		Partition json.Number `json:"partition"`
		From      int64       `json:"from"`
		To        int64       `json:"to"`
		Outcome   string      `json:"outcome"`
		GoneSince *string     `json:"gone_since"`
	} `json:"ranges"`
}

func (d *demo) recover(ctx context.Context) (r recovered, err error) {
	a, err := d.wt(ctx, "recover", demoJob, "--apply", "--output", "json")
	if err == nil {
		err = a.expect(1)
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(a.stdout), &r); err != nil {
		return r, fmt.Errorf("read what recover answered: %w", err)
	}
	return r, nil
}

// gone are the rows that recover could not bring back, and since when.
func (r recovered) gone() (rows map[key]bool, since string, err error) {
	rows = map[key]bool{}
	for _, g := range r.Ranges {
		if g.Outcome == "recovered" {
			continue
		}
		if g.Outcome != "gone" || g.GoneSince == nil {
			return nil, "", fmt.Errorf("partition %s, sequence %d to %d is neither back nor said to be gone since a time, but %s", g.Partition, g.From, g.To, g.Outcome)
		}
		partition, err := strconv.Atoi(g.Partition.String())
		if err != nil {
			return nil, "", fmt.Errorf("read the partition of a range: %w", err)
		}
		for s := g.From; s <= g.To; s++ {
			rows[key{partition, s}] = true
		}
		since = *g.GoneSince
	}
	return rows, since, nil
}

func deref(text *string) string {
	if text == nil {
		return "further notice"
	}
	return *text
}

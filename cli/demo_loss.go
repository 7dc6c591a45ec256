package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// compare holds what verification lists against what the feed knows it produced, row by row. The two share nothing: the
// truth is every event that was produced and is in neither table now.
func (d *demo) compare(ctx context.Context) error {
	truth, err := d.produced(ctx, demoSourceTable, demoTargetTable)
	if err != nil {
		return err
	}
	a, err := d.wt(ctx, "verify", demoJob, "--output", "json")
	if err == nil {
		err = a.expect(1)
	}
	if err != nil {
		return err
	}
	found, ranges, err := listedRows(a.stdout)
	if err != nil {
		return err
	}
	if difference := differ(truth, found); difference != "" {
		return fmt.Errorf("what verification lists is not what is gone: %s", difference)
	}
	if len(truth) == 0 {
		return errors.New("no row is gone: the demo has nothing to show")
	}
	d.say("The feed knows of %d events that it produced and that are in neither table.", len(truth))
	d.say("Watertight lists %d, in %d ranges: the same ones, row by row.", len(found), ranges)
	return nil
}

// listedRows are the missing rows of a verification, range by range.
func listedRows(document string) (rows map[key]bool, ranges int, err error) {
	var v struct {
		Missing []struct {
			Partition any         `json:"partition"`
			From      json.Number `json:"from"`
			To        json.Number `json:"to"`
			Rows      int64       `json:"rows"`
		} `json:"missing"`
	}
	decoder := json.NewDecoder(strings.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, 0, fmt.Errorf("read what verify answered: %w", err)
	}
	rows = map[key]bool{}
	for _, r := range v.Missing {
		partition, err := strconv.Atoi(fmt.Sprint(r.Partition))
		if err != nil {
			return nil, 0, fmt.Errorf("read the partition of a range: %w", err)
		}
		from, fromErr := r.From.Int64()
		to, toErr := r.To.Int64()
		if fromErr != nil || toErr != nil || to-from+1 != r.Rows {
			return nil, 0, fmt.Errorf("a range from %s to %s says that it has %d rows", r.From, r.To, r.Rows)
		}
		for s := from; s <= to; s++ {
			if rows[key{partition, s}] {
				return nil, 0, fmt.Errorf("%s is listed twice", key{partition, s})
			}
			rows[key{partition, s}] = true
		}
	}
	return rows, len(v.Missing), nil
}

// differ words the difference of two sets of rows; empty means none.
func differ[T, F any](truth map[key]T, found map[key]F) string {
	var missed, invented []key
	for k := range truth {
		if _, ok := found[k]; !ok {
			missed = append(missed, k)
		}
	}
	for k := range found {
		if _, ok := truth[k]; !ok {
			invented = append(invented, k)
		}
	}
	var parts []string
	for _, side := range []struct {
		rows []key
		text string
	}{{missed, "gone and not listed"}, {invented, "listed and not gone"}} {
		if len(side.rows) > 0 {
			slices.SortFunc(side.rows, compareKeys)
			parts = append(parts, fmt.Sprintf("rows that are %s: %d, the first one %s", side.text, len(side.rows), side.rows[0]))
		}
	}
	return strings.Join(parts, "; ")
}

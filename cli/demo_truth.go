package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// key is a row of the incident's tables.
type key struct {
	partition int
	sequence  int64
}

func (k key) String() string { return fmt.Sprintf("partition %d sequence %d", k.partition, k.sequence) }

func compareKeys(a, b key) int {
	if a.partition != b.partition {
		return a.partition - b.partition
	}
	return int(a.sequence - b.sequence)
}

// compare holds what verification lists against what the feed knows it produced, row by row. The two share nothing: the
// truth is every event that was produced and is in neither table now.
func (d *demo) compare(ctx context.Context) error {
	truth, err := d.goneRows(ctx)
	if err != nil {
		return err
	}
	a, err := d.wt(ctx, "verify", demoJob, "--output", "json")
	if err != nil {
		return err
	}
	if err := a.expect(1); err != nil {
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
	fmt.Fprintf(d.env.Stdout, "   The feed knows of %d events that it produced and that are in neither table. Watertight lists %d, in %d ranges: the same ones, row by row.\n",
		len(truth), len(found), ranges)
	return nil
}

// goneRows are the events that were produced and are in neither table.
func (d *demo) goneRows(ctx context.Context) (map[key]bool, error) {
	gone := map[key]bool{}
	for e := range d.workspace.Produced {
		gone[key{e.Partition, e.Sequence}] = true
	}
	for _, table := range []string{demoSourceTable, demoTarget} {
		rows, err := d.workspace.Exec(ctx, "SELECT technical_partition, technical_sequenceNumber FROM "+table)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
		if err := removeRows(gone, rows); err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
	}
	return gone, nil
}

func removeRows(from map[key]bool, rows engine.Result) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		row := rows.Row()
		if len(row) != 2 || row[0] == nil || row[1] == nil {
			return errors.New("a row without a key")
		}
		partition, err := strconv.Atoi(*row[0])
		if err != nil {
			return err
		}
		sequence, err := strconv.ParseInt(*row[1], 10, 64)
		if err != nil {
			return err
		}
		delete(from, key{partition, sequence})
	}
	return rows.Err()
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

// differ words the difference of two sets; empty means none.
func differ(truth, found map[key]bool) string {
	var parts []string
	for _, side := range []struct {
		has, lacks map[key]bool
		text       string
	}{{truth, found, "gone and not listed"}, {found, truth, "listed and not gone"}} {
		var only []key
		for k := range side.has {
			if !side.lacks[k] {
				only = append(only, k)
			}
		}
		if len(only) == 0 {
			continue
		}
		slices.SortFunc(only, compareKeys)
		parts = append(parts, fmt.Sprintf("%d rows are %s, the first one %s", len(only), side.text, only[0]))
	}
	return strings.Join(parts, "; ")
}

// count is the number of rows of a table.
func (d *demo) count(ctx context.Context, table string) (n int64, err error) {
	rows, err := d.workspace.Exec(ctx, "SELECT count(*) FROM "+table)
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", table, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if !rows.Next() || rows.Row()[0] == nil {
		return 0, errors.Join(fmt.Errorf("count %s: no answer", table), rows.Err())
	}
	return strconv.ParseInt(*rows.Row()[0], 10, 64)
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// key is a row of the incident's tables.
type key struct {
	partition int
	sequence  int64
}

func (k key) String() string {
	return fmt.Sprintf("partition %d, sequence %d", k.partition, k.sequence)
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.partition, b.partition), cmp.Compare(a.sequence, b.sequence))
}

// produced are the events that the feed put into the source and that none of the tables holds now, with their event times.
func (d *demo) produced(ctx context.Context, tables ...string) (map[key]time.Time, error) {
	events := map[key]time.Time{}
	for e := range d.workspace.Produced {
		events[key{e.Partition, e.Sequence}] = e.EventTime
	}
	for _, table := range tables {
		rows, err := d.workspace.Exec(ctx, "SELECT technical_partition, technical_sequenceNumber FROM "+table)
		if err == nil {
			err = removeRows(events, rows)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", table, err)
		}
	}
	return events, nil
}

func removeRows(from map[key]time.Time, rows engine.Result) (err error) {
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

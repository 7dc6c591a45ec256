package truth

import (
	"fmt"
	"strings"
	"time"
)

// create makes the tables.
func (g *generator) create() {
	columns := "seq BIGINT, u TIMESTAMP"
	if g.Kind != "" {
		columns = "p " + g.Kind + ", " + columns
	}
	var properties []string
	if g.Retention > 0 {
		properties = append(properties, fmt.Sprintf("'delta.deletedFileRetentionDuration' = 'interval %d minutes'", g.Retention/time.Minute), "'delta.logRetentionDuration' = 'interval 30 days'")
	}
	if g.Declared {
		properties = append(properties, fmt.Sprintf("'watertight.rolling_window' = '%dm'", g.Window/time.Minute))
	}
	with := ""
	if len(properties) > 0 {
		with = " TBLPROPERTIES (" + strings.Join(properties, ", ") + ")"
	}
	g.sql("CREATE SCHEMA %s", g.Schema)
	g.tickTo(g.now)
	g.sql("CREATE TABLE %s (%s)%s", g.Source, columns, with)
	g.source = newTable(g.instant())
	g.tickTo(g.now)
	g.sql("CREATE TABLE %s (%s)", g.Target, columns)
	g.target = newTable(g.instant())
	g.next, g.idle = append(g.next, g.first...), make([]bool, len(g.first))
}

// values writes rows for an INSERT.
func (g *generator) values(rows []row) string {
	var tuples []string
	for _, r := range rows {
		partition := ""
		switch {
		case g.Kind == "":
		case r.keyless:
			partition = "NULL, "
		default:
			partition = g.literal(r.Partition) + ", "
		}
		tuples = append(tuples, fmt.Sprintf("(%s%d, %s)", partition, r.Seq, g.timestamp(r.u)))
	}
	return strings.Join(tuples, ", ")
}

func (g *generator) literal(partition string) string {
	if g.Kind != "STRING" {
		return partition
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(partition) + "'"
}

// timestamp writes an instant, for pipelines of Berlin with the offset that people there see.
func (g *generator) timestamp(u time.Time) string {
	if u.IsZero() {
		return "NULL"
	}
	if g.berlin {
		u = u.In(time.FixedZone("", int(berlinOffset(u)/time.Second)))
	}
	return "TIMESTAMP'" + u.Format("2006-01-02T15:04:05.000000Z07:00") + "'"
}

// berlinOffset is an hour, and two in summer.
func berlinOffset(at time.Time) time.Duration {
	year := at.UTC().Year()
	if at.Before(changeOfClocks(year, time.March)) || !at.Before(changeOfClocks(year, time.October)) {
		return time.Hour
	}
	return 2 * time.Hour
}

// keys is a condition that holds for these keys alone.
func (g *generator) keys(keys []Key) string {
	var parts []string
	for _, k := range keys {
		if g.Kind == "" {
			parts = append(parts, fmt.Sprintf("seq = %d", k.Seq))
			continue
		}
		parts = append(parts, fmt.Sprintf("p = %s AND seq = %d", g.literal(k.Partition), k.Seq))
	}
	return strings.Join(parts, " OR ")
}

// from is a condition that holds for a key and those after it.
func (g *generator) from(k Key) string {
	if g.Kind == "" {
		return fmt.Sprintf("seq >= %d", k.Seq)
	}
	return fmt.Sprintf("p = %s AND seq >= %d", g.literal(k.Partition), k.Seq)
}

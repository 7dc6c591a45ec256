package recovery

import (
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// KeyTarget is a table that rows are brought back to, whose keys are columns.
type KeyTarget struct {
	reconcile.Keys
	// Columns are those that both tables have, unquoted, in the target's order.
	Columns []string
}

// Probe lists which of some keys a place holds and the target lacks: their numbers in the list.
func (t KeyTarget) Probe(p Place, keys [][]reconcile.KeyValue) string {
	return fmt.Sprintf("WITH w AS (%s)\nSELECT DISTINCT f.nth AS nth FROM (SELECT w.nth AS nth FROM (%s) AS s INNER JOIN w ON %s) AS f\nLEFT ANTI JOIN (SELECT w.nth AS nth FROM (%s) AS t INNER JOIN w ON %s) AS h ON f.nth = h.nth",
		t.Listed(keys), t.Select(p.From, p.condition), t.Equal("s", "w"), t.Select(t.Target.SQL, ""), t.Equal("t", "w"))
}

// Insert brings back what a place holds of the keys and the target lacks: each once, also when the place holds it twice, and
// not again when it is run again.
func (t KeyTarget) Insert(p Place, keys [][]reconcile.KeyValue) string {
	var names, values, by, same []string
	for _, c := range t.Columns {
		names, values = append(names, contract.Quote(c)), append(values, "s."+contract.Quote(c))
	}
	for _, c := range t.Key {
		by, same = append(by, c.SQL), append(same, "s."+c.SQL+" <=> t."+c.SQL)
	}
	where := "(" + t.Among(keys) + ")"
	if p.condition != "" {
		where = p.condition + " AND " + where
	}
	columns := strings.Join(names, ", ")
	return fmt.Sprintf(`INSERT INTO %[1]s (%[2]s)
SELECT %[3]s
FROM (SELECT %[2]s, row_number() OVER (PARTITION BY %[4]s ORDER BY %[5]s) AS watertight_copy FROM %[6]s WHERE %[7]s) AS s
LEFT ANTI JOIN %[1]s AS t ON %[8]s
WHERE s.watertight_copy = 1`, t.Target.SQL, columns, strings.Join(values, ", "), strings.Join(by, ", "), t.Statements.Columns.EventTime, p.From, where, strings.Join(same, " AND "))
}

package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

// setProperties returns the one statement that sets properties. Delta judges the pair of durations by the keys of that one
// statement and takes the one that is not in it as its default, whatever the table holds (delta-io/delta#5025): when
// one of the two is set, the other goes with it, at the value the table has.
func setProperties(table contract.Table, wanted, live map[string]string) string {
	set := maps.Clone(wanted)
	_, deleted := set[contract.PropertyDeletedFileRetention]
	_, log := set[contract.PropertyLogRetention]
	if deleted != log {
		for _, key := range []string{contract.PropertyDeletedFileRetention, contract.PropertyLogRetention} {
			if value, ok := property(live, key); ok && set[key] == "" {
				set[key] = value
			}
		}
	}
	pairs := make([]string, 0, len(set))
	for _, key := range slices.Sorted(maps.Keys(set)) {
		pairs = append(pairs, contract.QuoteText(key)+" = "+contract.QuoteText(set[key]))
	}
	return "ALTER TABLE " + table.SQL() + " SET TBLPROPERTIES (" + strings.Join(pairs, ", ") + ")"
}

func unsetProperties(table contract.Table, keys []string) string {
	quoted := make([]string, 0, len(keys))
	for _, key := range slices.Sorted(slices.Values(keys)) {
		quoted = append(quoted, contract.QuoteText(key))
	}
	return "ALTER TABLE " + table.SQL() + " UNSET TBLPROPERTIES IF EXISTS (" + strings.Join(quoted, ", ") + ")"
}

func setRowDeletion(table contract.Table, window time.Duration, column string) string {
	return fmt.Sprintf("ALTER TABLE %s DELETE ROWS %d DAYS AFTER %s", table.SQL(), window/(24*time.Hour), contract.Quote(column))
}

func dropRowDeletion(table contract.Table) string {
	return "ALTER TABLE " + table.SQL() + " DROP ROW DELETION"
}

// property looks a property up as Delta does, whatever the case of its key.
func property(properties map[string]string, key string) (string, bool) {
	if value, ok := properties[key]; ok {
		return value, true
	}
	for k, value := range properties {
		if strings.EqualFold(k, key) {
			return value, true
		}
	}
	return "", false
}

package contract_test

import (
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tags  map[string]string
		kind  contract.Kind
		table string
	}{
		"nothing":          {nil, contract.KindNone, ""},
		"somebody's":       {map[string]string{"team": "data", "watertight_owner": "x"}, contract.KindNone, ""},
		"loader":           {map[string]string{"watertight_source": "a.b.s", "watertight_target": "a.b.t"}, contract.KindLoader, "a.b.t"},
		"loader in pieces": {map[string]string{"watertight_key": "p.s"}, contract.KindLoader, ""},
		"optimize":         {map[string]string{"watertight_table": "a.b.t", "watertight_loader": "7"}, contract.KindOptimize, "a.b.t"},
		"purge":            {map[string]string{"watertight_purge": "a.b.s"}, contract.KindPurge, "a.b.s"},
	} {
		if kind, table := contract.KindOf(c.tags); kind != c.kind || table != c.table {
			t.Errorf("%s: %q of %q", name, kind, table)
		}
	}
}

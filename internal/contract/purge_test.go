package contract_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
)

func TestPurgeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, key := range []contract.Key{{Partition: "p", Sequence: "q"}, {Columns: []string{"a.b"}}, {Columns: []string{"a", "b"}}} {
		want := contract.Purge{Source: "main.e.s", Target: "main.e.t", Key: key, EventTime: "u", Window: 25 * time.Hour, LoaderID: 7}
		if p := want.Validate(); len(p) > 0 {
			t.Fatal(p)
		}
		got, ok, err := contract.PurgeFromTags(want.Tags())
		if d := cmp.Diff(want, got); err != nil || !ok || d != "" {
			t.Error(ok, err, d)
		}
		if kind, table := contract.KindOf(want.Tags()); kind != contract.KindPurge || table != "main.e.s" {
			t.Error(kind, table)
		}
		for tag, value := range map[string]string{"watertight_purge": "s", "watertight_purge_target": "main.e.s", "watertight_purge_key": "p", "watertight_purge_event_time": "", "watertight_purge_window": "0s", "watertight_purge_loader": "seven"} {
			tags := want.Tags()
			tags[tag] = value
			if _, ok, err := contract.PurgeFromTags(tags); ok || err == nil {
				t.Errorf("%s = %q: %v, %v", tag, value, ok, err)
			}
		}
	}
	if _, ok, err := contract.PurgeFromTags(map[string]string{"watertight_source": "main.e.s"}); ok || err != nil {
		t.Error("a loader purges nothing:", ok, err)
	}
}

package local

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec/anyjob"
)

// served is what a reader has of a job: the identity beside the settings is put back, as the workspace package does.
func served(written settings, seed, turn uint64) settings {
	live := Behaviour{Seed: seed}.serve(written, 1, turn)
	if r := object(written["run_as"]); r != nil && r["group_name"] == nil {
		live["run_as"] = r
	} else {
		live["run_as"] = map[string]any{"user_name": "somebody@example.com"}
	}
	return live
}

// Whatever job is written, and whatever a read makes of it, the two are the same job; what an import makes of it is so
// too; and one change is found, there and nowhere else.
func TestAnyJobAsServed(t *testing.T) {
	t.Parallel()
	const seeds = 20_000
	for seed := range uint64(seeds) {
		m := anyjob.New(seed, warehouseID)
		written := m.Job([]string{"", "trigger", "triggers"}[seed%3], seed%5 == 0)
		if err := validateSettings(known(cloneMap(written))); err != nil {
			t.Fatalf("seed %d: no job that Databricks takes: %v", seed, err)
		}
		if seed%16 == 0 {
			if p := jobspec.Validate(written, jobspec.Attributes{}); len(p) > 0 {
				t.Fatalf("seed %d: %v", seed, p)
			}
		}
		live := served(written, seed, 1)
		if now, found := jobspec.Refresh(written, live); len(found) > 0 || !reflect.DeepEqual(now, written) {
			t.Fatalf("seed %d: what was written is not what is there: %v", seed, found)
		}
		if found := jobspec.Compare(jobspec.Written(live), live); len(found) > 0 {
			t.Fatalf("seed %d: what is imported is not what is there: %v", seed, found)
		}
		change, ok := m.Change(written)
		if !ok {
			continue
		}
		live = served(change.Settings, seed, 2)
		now, found := jobspec.Refresh(written, live)
		if len(found) != 1 || found[0].Path != change.Path {
			t.Fatalf("seed %d: %s was changed (%s), and found is %v", seed, change.Path, change.What, found)
		}
		if left := jobspec.Compare(now, live); len(left) > 0 {
			t.Fatalf("seed %d: %s (%s): the changed settings are not what is there: %v", seed, change.Path, change.What, left)
		}
		live = served(written, seed, 3)
		back, _ := jobspec.Refresh(now, live)
		if left := jobspec.Compare(back, live); len(left) > 0 {
			t.Fatalf("seed %d: %s (%s): changed back, the settings are not what is there: %v", seed, change.Path, change.What, left)
		}
	}
}

// J26 databricks/terraform-provider-databricks#2643: a job with every field in it is stored and compared whole.
func TestFullJobAsServed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		written := anyjob.Full(seed, warehouseID)
		if found := jobspec.Compare(written, served(written, seed, 1)); len(found) > 0 {
			t.Fatalf("seed %d: %v", seed, found)
		}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		again, err := jobspec.Decode(bytes.NewReader(text))
		if err != nil || !reflect.DeepEqual(written, again) {
			t.Fatalf("seed %d is no JSON: %v", seed, err)
		}
	}
}

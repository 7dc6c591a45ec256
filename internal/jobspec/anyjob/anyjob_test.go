package anyjob_test

import (
	"reflect"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec/anyjob"
)

// A full job forgets no field: but what attributes own, and the snapshot of a run's commit.
func TestFullForgetsNoField(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var mark func(f *jobspec.Field, v any)
	mark = func(f *jobspec.Field, v any) {
		seen[f.Pattern] = true
		switch v := v.(type) {
		case map[string]any:
			for name, e := range v {
				if f.Kind == jobspec.Map {
					mark(f.Element, e)
				} else {
					mark(f.Fields[name], e)
				}
			}
		case []any:
			for _, e := range v {
				mark(f.Element, e)
			}
		}
	}
	for seed := range uint64(40) {
		mark(jobspec.Settled(), anyjob.Full(seed, "w"))
		mark(jobspec.Settled(), anyjob.New(seed, "w").Job("trigger", false))
		mark(jobspec.Settled(), anyjob.New(seed, "w").Job("triggers", false))
	}
	own := map[string]bool{"name": true, "schedule": true, "continuous": true, "timeout_seconds": true, "trigger.periodic": true, "trigger.pause_status": true,
		"triggers[].pause_status": true, "triggers[].periodic": true, "triggers[].continuous": true, "git_source.git_snapshot": true}
	visited := map[*jobspec.Field]bool{}
	var walk func(f *jobspec.Field)
	walk = func(f *jobspec.Field) {
		if f == nil || visited[f] || own[f.Pattern] {
			return
		}
		visited[f] = true
		if !seen[f.Pattern] {
			t.Errorf("%s is in no job", f.Pattern)
		}
		for _, name := range f.Names {
			walk(f.Fields[name])
		}
		walk(f.Element)
	}
	walk(jobspec.Settled())
	if len(visited) < 300 {
		t.Errorf("only %d fields", len(visited))
	}
}

// The same seed makes the same job, and a change is a change.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	changed := 0
	for seed := range uint64(300) {
		a, b := anyjob.New(seed, "w"), anyjob.New(seed, "w")
		s := a.Job("trigger", false)
		if !reflect.DeepEqual(s, b.Job("trigger", false)) {
			t.Fatalf("seed %d makes two jobs", seed)
		}
		if c, ok := a.Change(s); ok {
			changed++
			if reflect.DeepEqual(c.Settings, s) {
				t.Errorf("seed %d: %s (%s) is no change", seed, c.Path, c.What)
			}
		}
	}
	if changed < 290 {
		t.Errorf("only %d of 300 jobs could be changed", changed)
	}
}

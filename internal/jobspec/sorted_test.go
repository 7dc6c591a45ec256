package jobspec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

func TestSorted(t *testing.T) {
	t.Parallel()
	read := func(text string) jobspec.Settings {
		var s jobspec.Settings
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	in := read(`{"tasks":[{"task_key":"b","depends_on":[{"task_key":"z"},{"task_key":"a"}]},{"task_key":"a","spark_python_task":{"parameters":["2","1"]}}],
		"email_notifications":{"on_failure":["z@x","a@x"]},"parameters":[{"name":"y"},{"name":"x"}]}`)
	want := read(`{"tasks":[{"task_key":"a","spark_python_task":{"parameters":["2","1"]}},{"task_key":"b","depends_on":[{"task_key":"a"},{"task_key":"z"}]}],
		"email_notifications":{"on_failure":["a@x","z@x"]},"parameters":[{"name":"x"},{"name":"y"}]}`)
	before := cmp.Diff(nil, in)
	if diff := cmp.Diff(want, jobspec.Sorted(in)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, cmp.Diff(nil, in)); diff != "" {
		t.Error("the settings themselves were sorted")
	}
}

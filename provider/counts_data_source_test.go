package provider_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

// The example under a check block, through the life of a loader: nothing proved yet, everything there, rows missing.
// Neither a FAIL nor an INCONCLUSIVE is an error or a difference, and neither is a pass.
func TestCountsUnderACheck(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	example, err := os.ReadFile("../examples/data-sources/watertight_counts/data-source.tf")
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(t, with(w, string(example)))
	const warning = "Warning: Check block assertion failed"
	if out := prose(s.apply()); !strings.Contains(out, warning) || !strings.Contains(out, "INCONCLUSIVE") || !strings.Contains(out, "no successful run yet") {
		t.Errorf("before any run: %s", out)
	}
	if err := w.Advance(t.Context(), 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	out, code := s.plan()
	if code != 0 || strings.Contains(out, warning) {
		t.Errorf("after a run: exit %d\n%s", code, out)
	}
	sql(t, w, "DELETE FROM main.events.messages WHERE technical_partition = 0 AND technical_sequenceNumber % 2 = 0 AND technical_sequenceNumber < 100")
	out, code = s.plan()
	if code != 0 || !strings.Contains(out, warning) || !strings.Contains(out, "FAIL") || !strings.Contains(prose(out), "skipped; deleted_in_target: ") {
		t.Errorf("after a loss: exit %d\n%s", code, out)
	}
}

// Inside the check block even a verification that cannot be made stops nothing.
func TestCountsInsideACheck(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{Empty: true})
	s := newShell(t, with(w, `
check "no_row_is_missing" {
  data "watertight_counts" "messages" {
    job = "load_messages"
  }
  assert {
    condition     = data.watertight_counts.messages.verdict == "PASS"
    error_message = data.watertight_counts.messages.explanation
  }
}
`))
	if out := prose(s.apply()); !strings.Contains(out, "Warning: Which job is meant is not clear") {
		t.Error(out)
	}
}

// The numbers are counted with SQL, not by what is tested.
func TestCountsData(t *testing.T) {
	t.Parallel()
	w := open(t, local.Options{})
	example, err := os.ReadFile("../examples/data-sources/watertight_counts/data-source.tf")
	if err != nil {
		t.Fatal(err)
	}
	resource, _, _ := strings.Cut(string(example), "data \"watertight_counts\"")
	newShell(t, with(w, resource)).apply()
	if err := w.Advance(t.Context(), 20*time.Minute); err != nil {
		t.Fatal(err)
	}
	loaded := scalar(t, w, "SELECT count(*) FROM main.events.messages")
	sql(t, w, "DELETE FROM main.events.messages WHERE technical_partition = 0 AND technical_sequenceNumber % 2 = 0 AND technical_sequenceNumber < 100")
	left := scalar(t, w, "SELECT count(*) FROM main.events.messages")
	s := newShell(t, with(w, `
data "watertight_counts" "messages" {
  job         = "load_messages"
  most_ranges = 3
}
output "c" {
  value = data.watertight_counts.messages
}
`))
	s.apply()
	var got struct {
		Verdict        string
		ExitCode       int              `json:"exit_code"`
		RunID          string           `json:"run_id"`
		Counts         map[string]int64 `json:"counts"`
		Missing        []map[string]any
		MissingRanges  int64 `json:"missing_ranges"`
		Source, Target struct {
			Table   string
			Version *int64
		}
		Reasons     []struct{ Code, Text string }
		ByDay       []map[string]any `json:"by_day"`
		Cutoff      string
		Explanation string
	}
	s.output("c", &got)
	gone := loaded - left
	if gone == 0 || got.Verdict != "FAIL" || got.ExitCode != 1 || got.MissingRanges != gone || len(got.Missing) != 3 {
		t.Errorf("%d are gone: %+v", gone, got)
	}
	if diff := cmp.Diff(map[string]int64{"missing": gone, "skipped": gone, "loaded": left, "due": loaded}, map[string]int64{"missing": got.Counts["missing"],
		"skipped": got.Counts["skipped"], "loaded": got.Counts["loaded"], "due": got.Counts["due"]}); diff != "" {
		t.Error(diff)
	}
	if m := got.Missing[0]; m["partition"] != "0" || m["rows"] != 1.0 || m["state"] != "skipped" {
		t.Errorf("missing %v", m)
	}
	if got.RunID == "" || got.Cutoff == "" || got.Source.Version == nil || got.Target.Version == nil || got.Target.Table != "main.events.messages" || len(got.ByDay) == 0 {
		t.Errorf("%+v", got)
	}
	if want := fmt.Sprintf("and %d more ranges: watertight verify load_messages", gone-3); !strings.Contains(got.Explanation, want) {
		t.Errorf("explanation without %q:\n%s", want, got.Explanation)
	}
}

func scalar(t *testing.T, w *local.Workspace, query string) int64 {
	t.Helper()
	rows, err := w.Exec(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var n int64
	for rows.Next() {
		if _, err := fmt.Sscan(*rows.Row()[0], &n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func TestCountsDataRefuse(t *testing.T) {
	t.Parallel()
	w := openTable(t, local.Behaviour{})
	byHand(t, w)
	newShell(t, with(w, loader(""))).apply()
	for name, c := range map[string]struct {
		lines  string
		wanted []string
	}{
		"no contract":  {`job = "copy_messages"`, []string{"The job cannot be verified", "it has no contract", "watertight_loader_job"}},
		"no job":       {`job = "copy"`, []string{"Which job is meant is not clear", `no job named "copy"`}},
		"no run":       {"job = \"copy_messages\"\n  run_id = \"last\"", []string{`"last" is not the id of a run`}},
		"another run":  {"job = \"load_messages\"\n  run_id = \"12345\"", []string{"12345", "not found"}},
		"ranges":       {"job = \"load_messages\"\n  most_ranges = -1", []string{"from 0 to 10000"}},
		"no warehouse": {`job = "load_messages"`, []string{"warehouse_id"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := with(w, "data \"watertight_counts\" \"c\" {\n  "+c.lines+"\n}\noutput \"c\" {\n  value = data.watertight_counts.c.verdict\n}\n")
			if name == "no warehouse" {
				config = strings.Replace(config, fmt.Sprintf("warehouse_id  = %q", w.WarehouseID()), "", 1)
			}
			out, code := newShell(t, config).plan()
			for _, part := range c.wanted {
				if !strings.Contains(prose(out), part) {
					t.Errorf("the message does not hold %q", part)
				}
			}
			if code != 1 || t.Failed() {
				t.Errorf("plan: exit %d\n%s", code, out)
			}
		})
	}
}

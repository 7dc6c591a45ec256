package reconcile

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	loaded := func(n int64) func(*Tally) { return func(t *Tally) { t.Counts.Due, t.Counts.Loaded = n, n } }
	found := func(s State, n int64) func(*Tally) {
		return func(t *Tally) {
			t.Add(Range{Partition: "0", From: 1, To: n, Rows: n, State: s, Days: map[string]int64{"2026-06-01": n}})
		}
	}
	doubt := func(t *Tally) { t.Doubt(CodeUnreadable, "version 5 cannot be read") }
	tests := []struct {
		name  string
		steps []func(*Tally)
		want  Verdict
		says  string
	}{
		{"all loaded", []func(*Tally){loaded(10)}, Pass, ""},
		{"nothing due", nil, Inconclusive, "no row was due"},
		{"late", []func(*Tally){loaded(10), found(Late, 2)}, Fail, "2 of 10 rows due are not in the target: 2 can still be read (late)"},
		{"skipped", []func(*Tally){loaded(10), found(Skipped, 3)}, Fail, "3 lie under the watermark (skipped)"},
		{"expired counts as due", []func(*Tally){loaded(10), found(Expired, 5)}, Fail, "5 of 15 rows due are not in the target: 5 left the source, which an older version of it shows (expired)"},
		{"expired alone", []func(*Tally){found(Expired, 5)}, Fail, "5 of 5 rows due"},
		{"lost", []func(*Tally){loaded(10), found(Lost, 1)}, Fail, "1 are gone from everywhere"},
		{"doomed", []func(*Tally){loaded(10), found(Doomed, 1)}, Fail, "1 row not due yet lie under the watermark"},
		{"undecidable", []func(*Tally){loaded(10), found(Undecidable, 4)}, Inconclusive, "4 sequence numbers are in neither table"},
		{"a loss beside a doubt", []func(*Tally){loaded(10), doubt, found(Skipped, 1)}, Fail, "version 5 cannot be read"},
		{"a doubt", []func(*Tally){loaded(10), doubt}, Inconclusive, "version 5 cannot be read"},
		{"null keys of the source", []func(*Tally){loaded(10), func(t *Tally) { t.NullKeys = 1 }}, Inconclusive, "1 row of the source have a null key"},
		{"null keys of the target", []func(*Tally){loaded(10), func(t *Tally) { t.TargetNullKeys = 2 }}, Inconclusive, "2 rows of the target have a null key"},
		{"null event times", []func(*Tally){loaded(10), func(t *Tally) { t.NullTimes = 2 }}, Inconclusive, "2 rows of the source have no event time"},
		{"S08 WordPress/openverse-catalog#800 duplicates only", []func(*Tally){loaded(10), func(t *Tally) { t.Counts.Duplicates = 2 }}, Pass, "2 rows of the target repeat a key"},
		{"upstream gaps only", []func(*Tally){loaded(10), func(t *Tally) { t.UpstreamGaps = 2 }}, Pass, "2 sequence numbers that the target lacks were in no version of the source up to the one judged"},
		{"S06 delta-io/delta#5864 history metrics only", []func(*Tally){loaded(10), func(t *Tally) { t.Note(CodeMetrics, "805 claimed, 733 counted") }}, Pass, "805 claimed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tally := NewTally(&Screen{})
			for _, step := range tt.steps {
				step(tally)
			}
			var v Verification
			tally.Judge(&v)
			var reasons []string
			for _, r := range v.Reasons {
				reasons = append(reasons, r.Text)
			}
			if v.Verdict != tt.want || !strings.Contains(strings.Join(reasons, "\n"), tt.says) {
				t.Errorf("%s %q, want %s with %q", v.Verdict, reasons, tt.want, tt.says)
			}
			if v.Counts.Due != v.Counts.Loaded+v.Counts.Missing {
				t.Errorf("counts do not add up: %+v", v.Counts)
			}
		})
	}
}

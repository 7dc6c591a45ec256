package run_test

import (
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// The precedence of design.md §6, by every ordered pair of it.
func TestWorstFollowsThePrecedence(t *testing.T) {
	t.Parallel()
	order := []run.ExitCode{1, 6, 7, 5, 4, 3, 0}
	for i, worse := range order {
		for _, better := range order[i:] {
			if got := run.Worst(better, worse); got != worse {
				t.Errorf("worst of %d and %d is %d", better, worse, got)
			}
			if got := run.Worst(worse, better); got != worse {
				t.Errorf("worst of %d and %d is %d", worse, better, got)
			}
		}
	}
	if got := run.Worst(); got != run.Pass {
		t.Errorf("worst of nothing is %d", got)
	}
	if got := run.Worst(run.Pass, 99); got != run.CouldNotRun {
		t.Errorf("a code nobody knows counts as %d", got)
	}
	if got := run.Worst(run.Interrupted, run.Loss); got != run.Loss {
		t.Errorf("an interruption masks a loss: %d", got)
	}
}

func TestExitCodesAreFixed(t *testing.T) {
	t.Parallel()
	want := []int{0, 1, 2, 3, 4, 5, 6, 7, 130}
	codes := run.ExitCodes()
	if len(codes) != len(want) {
		t.Fatalf("%d codes, want %d", len(codes), len(want))
	}
	seen := map[string]bool{}
	for i, c := range codes {
		if int(c) != want[i] {
			t.Errorf("code %d is %d, want %d", i, c, want[i])
		}
		if seen[c.Meaning()] || c.Meaning() == "unknown" {
			t.Errorf("code %d: meaning %q", c, c.Meaning())
		}
		seen[c.Meaning()] = true
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name              string
		elapsed, expected time.Duration
		want              time.Duration
	}{
		{"R03 cicd-templates#52 noticed within 2 s", 0, 0, time.Second},
		{"clock that stepped back", -time.Minute, 0, time.Second},
		{"a minute in", time.Minute, 0, 6 * time.Second},
		{"an hour in", time.Hour, 0, 30 * time.Second},
		{"near the expected end", 19*time.Minute + 50*time.Second, 20 * time.Minute, 5 * time.Second},
		{"at the expected end", 20*time.Minute - time.Millisecond, 20 * time.Minute, time.Second},
		{"past the expected end", 30 * time.Minute, 20 * time.Minute, 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := run.Poll(tt.elapsed, tt.expected); got != tt.want {
				t.Errorf("poll after %s of %s: %s, want %s", tt.elapsed, tt.expected, got, tt.want)
			}
		})
	}
}

package coverage_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// vector is a line of testdata, computed by brute force over the fires of
// Quartz 2.3.2.
type vector struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Loader struct {
		Quartz      string `json:"quartz"`
		Zone        string `json:"zone"`
		Overlap     string `json:"overlap"`
		MaxDuration int64  `json:"max_duration_seconds"`
	} `json:"loader"`
	Window *struct {
		Quartz   string `json:"quartz"`
		Zone     string `json:"zone"`
		Loader   string `json:"loader"`
		Duration int64  `json:"duration_seconds"`
		CatchUp  bool   `json:"catch_up"`
	} `json:"window"`
	Pause         int64 `json:"pause_seconds"`
	RollingWindow int64 `json:"rolling_window_seconds"`
	SettleDelay   int64 `json:"settle_delay_seconds"`
	Expect        struct {
		LongestWait int64  `json:"longest_wait_seconds"`
		Headroom    int64  `json:"headroom_seconds"`
		LiveFires   int    `json:"live_fires"`
		Verdict     string `json:"verdict"`
		Worst       struct {
			From time.Time `json:"from"`
			To   time.Time `json:"to"`
		} `json:"worst"`
	} `json:"expect"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	f, err := os.Open("testdata/coverage.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) != 300 {
		t.Fatalf("%d vectors, want 300", len(all))
	}
	return all
}

func cron(t testing.TB, expression, zone string) schedule.Sequence {
	t.Helper()
	c, err := schedule.Parse(expression)
	if err != nil {
		t.Fatal(err)
	}
	z, err := schedule.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	return c.In(z)
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func (v vector) input(t testing.TB) coverage.Input {
	t.Helper()
	in := coverage.Input{
		At: v.At,
		Loader: coverage.Loader{
			Trigger:     coverage.Trigger{Cron: cron(t, v.Loader.Quartz, v.Loader.Zone), Expression: v.Loader.Quartz, ZoneID: v.Loader.Zone},
			MaxDuration: seconds(v.Loader.MaxDuration),
			Overlap:     coverage.Overlap(v.Loader.Overlap),
		},
		Pause:         seconds(v.Pause),
		RollingWindow: seconds(v.RollingWindow),
		SettleDelay:   seconds(v.SettleDelay),
	}
	if w := v.Window; w != nil {
		in.Window = &coverage.Window{
			Cron: cron(t, w.Quartz, w.Zone), Expression: w.Quartz, ZoneID: w.Zone,
			Duration: seconds(w.Duration), LoaderPaused: w.Loader == "paused", CatchUp: w.CatchUp,
		}
	}
	return in
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			in := v.input(t)
			got, err := coverage.Judge(in)
			if err != nil {
				t.Fatal(err)
			}
			if got.LiveFires != v.Expect.LiveFires {
				t.Errorf("%d live fires, want %d", got.LiveFires, v.Expect.LiveFires)
			}
			if never := v.Expect.Verdict == "never_reads_again"; got.NeverReadsAgain != never {
				t.Fatalf("never reads again %v, want %v", got.NeverReadsAgain, never)
			} else if never {
				if got.Answer != coverage.Violated {
					t.Errorf("%s, though nothing is ever read", got.Answer)
				}
				return
			}
			if got.LongestWait != seconds(v.Expect.LongestWait) || got.Headroom != seconds(v.Expect.Headroom) {
				t.Errorf("wait %s, headroom %s, want %d and %d s", got.LongestWait, got.Headroom, v.Expect.LongestWait, v.Expect.Headroom)
			}
			if w := v.Expect.Worst; !got.Worst.From.Equal(w.From) || !got.Worst.To.Equal(w.To) {
				t.Errorf("worst %v, want %v", got.Worst, w)
			}
			if v.Expect.Headroom < 0 != hasReason(got, coverage.CodeNegative) {
				t.Errorf("headroom %d s and reasons %q", v.Expect.Headroom, got.Reasons)
			}
			if v.Expect.Headroom < 0 && got.Answer != coverage.Violated {
				t.Errorf("%s with a headroom of %d s", got.Answer, v.Expect.Headroom)
			}
			if v.Expect.Headroom >= 0 && got.Answer == coverage.Violated && !hasReason(got, coverage.CodeLatePause) {
				t.Errorf("violated for %q with a headroom of %d s", got.Reasons, v.Expect.Headroom)
			}
		})
	}
}

func hasReason(v coverage.Verdict, code string) bool {
	for _, r := range v.Reasons {
		if r.Code == code {
			return true
		}
	}
	return false
}

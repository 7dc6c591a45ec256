package coverage

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

type vector struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Loader struct {
		Quartz, Zone, Overlap string
		Max                   int64 `json:"max_duration_seconds"`
	} `json:"loader"`
	Window *struct {
		Quartz, Zone, Loader string
		Duration             int64 `json:"duration_seconds"`
		CatchUp              bool  `json:"catch_up"`
	} `json:"window"`
	Pause   int64 `json:"pause_seconds"`
	Rolling int64 `json:"rolling_window_seconds"`
	Settle  int64 `json:"settle_delay_seconds"`
	Expect  struct {
		Wait     int64  `json:"longest_wait_seconds"`
		Headroom int64  `json:"headroom_seconds"`
		Live     int    `json:"live_fires"`
		Verdict  string `json:"verdict"`
		Worst    struct{ From, To time.Time }
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
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func sequence(t testing.TB, expr, zone string) schedule.Sequence {
	t.Helper()
	c, err := schedule.Parse(expr)
	if err != nil {
		t.Fatal(err)
	}
	z, err := schedule.Zone(zone)
	if err != nil {
		t.Fatal(err)
	}
	return c.In(z)
}

func TestCore(t *testing.T) {
	for _, v := range vectors(t) {
		var w *Window
		if v.Window != nil {
			w = &Window{Cron: sequence(t, v.Window.Quartz, v.Window.Zone), Duration: time.Duration(v.Window.Duration) * time.Second, LoaderPaused: v.Window.Loader == "paused", CatchUp: v.Window.CatchUp}
		}
		l := newLive(sequence(t, v.Loader.Quartz, v.Loader.Zone), w, v.At)
		got := l.longest(rules{duration: v.Loader.Max, pause: v.Pause, queue: v.Loader.Overlap == "queue"})
		never := v.Expect.Verdict != ""
		if got.never != never {
			t.Errorf("%s never %v %+v", v.ID, got, v)
			continue
		}
		if n := l.set.Count(l.from, l.to); n != v.Expect.Live {
			t.Errorf("%s live %d want %+v", v.ID, n, v)
		}
		if never {
			continue
		}
		if got.from != v.Expect.Worst.From.Unix() || got.to != v.Expect.Worst.To.Unix() || got.to-got.from+v.Loader.Max != v.Expect.Wait {
			t.Errorf("%s got %v %v %d want %+v", v.ID, time.Unix(got.from, 0).UTC(), time.Unix(got.to, 0).UTC(), got.to-got.from+v.Loader.Max, v)
		}
	}
}

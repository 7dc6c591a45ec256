package schedule_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// vector is a line of testdata, recorded from Quartz 2.3.2 and 2.5.2.
type vector struct {
	Class   string   `json:"class"`
	Expr    string   `json:"expr"`
	Zone    string   `json:"zone"`
	After   string   `json:"after"`
	N       int      `json:"n"`
	Fires   []string `json:"fires"`
	Verdict string   `json:"verdict"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Count   int      `json:"count"`
	Ends    bool     `json:"ends"`
	First   string   `json:"first"`
	Last    string   `json:"last"`
	GapS    int64    `json:"gap_s"`
	GapFrom string   `json:"gap_from"`
	GapTo   string   `json:"gap_to"`
}

func vectors(t testing.TB, name string) []vector {
	t.Helper()
	f, err := os.Open("testdata/" + name + ".jsonl.gz")
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
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
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

func texts(times []time.Time) []string {
	out := []string{}
	for _, at := range times {
		out = append(out, at.UTC().Format(time.RFC3339))
	}
	return out
}

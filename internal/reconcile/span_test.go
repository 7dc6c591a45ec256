package reconcile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCoarsen(t *testing.T) {
	t.Parallel()
	spans := []Span{{"b", 5, 6}, {"a", 1, 2}, {"a", 4, 9}, {"a", 9, 12}, {"a", 100, 101}, {"b", 8, 8}}
	tests := []struct {
		name string
		n    int
		want []Span
	}{
		{"overlaps and shared ends join", 10, []Span{{"a", 1, 2}, {"a", 4, 12}, {"a", 100, 101}, {"b", 5, 6}, {"b", 8, 8}}},
		{"the closest neighbours join", 3, []Span{{"a", 1, 12}, {"a", 100, 101}, {"b", 5, 8}}},
		{"one a partition is the least", 1, []Span{{"a", 1, 101}, {"b", 5, 8}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, coarsen(spans, tt.n)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Whatever is joined, nothing is left out, every end was an end before, and extremes do not overflow.
func TestCoarsenKeepsEverything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var spans []Span
		ends := map[int64]bool{}
		for range 1 + r.IntN(60) {
			from := r.Int64()
			if r.IntN(3) == 0 {
				from = int64(r.IntN(200)) - 100
			}
			to := from
			if n := r.Int64N(1000); from < math.MaxInt64-n {
				to += n
			}
			spans = append(spans, Span{string(rune('a' + r.IntN(3))), from, to})
			ends[from], ends[to] = true, true
		}
		out := coarsen(spans, 1+r.IntN(10))
		for _, s := range spans {
			held := false
			for _, o := range out {
				held = held || o.Partition == s.Partition && o.From <= s.From && s.To <= o.To
			}
			if !held {
				t.Fatalf("%v is not in %v", s, out)
			}
		}
		for _, o := range out {
			if !ends[o.From] || !ends[o.To] {
				t.Fatalf("%v has an end that was none", o)
			}
		}
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	const hour = 3_600_000_000
	midnight := int64(20_000) * microsPerDay
	c := Cutoff{Micros: midnight + hour, Strict: true}
	want := []Slot{
		{midnight - hour, midnight, true, 19_999},
		{midnight, midnight + hour, true, 20_000},
		{midnight + hour, midnight + 2*hour + 1, false, 20_000},
	}
	if d := cmp.Diff(want, c.Slots(midnight-hour, midnight+2*hour)); d != "" {
		t.Error(d)
	}
	c.Strict = false // the row on the cutoff is due
	if got := c.Slots(midnight, midnight+hour); len(got) != 1 || !got[0].Due {
		t.Errorf("a source that ends on the cutoff: %v", got)
	}
	if got := c.Slots(midnight, midnight+mostSlots*microsPerDay); got != nil {
		t.Errorf("many days: %v", got)
	}
	if got := (Cutoff{Micros: 0, Strict: true}).Slots(-hour, hour); len(got) != 2 || got[0].Day != -1 || got[1].Day != 0 {
		t.Errorf("around 1970: %v", got)
	}
}

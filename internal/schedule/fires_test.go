package schedule_test

import (
	"slices"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

func TestFires(t *testing.T) {
	t.Parallel()
	n := 0
	for _, v := range vectors(t, "vectors") {
		c, err := schedule.Parse(v.Expr)
		if err != nil {
			t.Errorf("%s %q %s after %s: %v; want %v", v.Class, v.Expr, v.Zone, v.After, err, v.Fires)
			continue
		}
		z, err := schedule.Zone(v.Zone)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got := texts(schedule.NextN(c.In(z), instant(t, v.After), v.N))
		if !slices.Equal(got, append([]string{}, v.Fires...)) {
			t.Errorf("%s %q %s after %s:\n got %v\nwant %v", v.Class, v.Expr, v.Zone, v.After, got, v.Fires)
		}
		n++
	}
	t.Log(n)
}

func TestGaps(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "gaps") {
		c, err := schedule.Parse(v.Expr)
		if err != nil {
			t.Errorf("%s %q: %v; want %d %d", v.Class, v.Expr, err, v.Count, v.GapS)
			continue
		}
		z, err := schedule.Zone(v.Zone)
		if err != nil {
			t.Fatal(err)
		}
		from, to := instant(t, v.From), instant(t, v.To)
		g, ok := schedule.LongestGap(c.In(z), from, to)
		if ok != (v.GapS > 0) || int64(g.Length.Seconds()) != v.GapS || (ok && (!g.From.Equal(instant(t, v.GapFrom)) || !g.To.Equal(instant(t, v.GapTo)))) {
			t.Errorf("%s %q %s: got %v %v, want %d %s %s", v.Class, v.Expr, v.Zone, g, ok, v.GapS, v.GapFrom, v.GapTo)
		}
		if got := schedule.Collect(c.In(z), from, to).Count(from.Unix(), to.Unix()); got != v.Count {
			t.Errorf("%s %q %s: %d fires, want %d", v.Class, v.Expr, v.Zone, got, v.Count)
		}
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "invalid") {
		c, err := schedule.Parse(v.Expr)
		if (err == nil) != (v.Verdict == "valid") {
			t.Errorf("%s %q: %v, want %s %v", v.Class, v.Expr, err, v.Verdict, v.Fires)
		}
		if err == nil && v.Verdict == "valid" {
			z, _ := schedule.Zone(v.Zone)
			got := texts(schedule.NextN(c.In(z), instant(t, v.After), v.N))
			if !slices.Equal(got, v.Fires) {
				t.Errorf("%q: got %v want %v", v.Expr, got, v.Fires)
			}
		}
		if err == nil {
			t.Logf("%-40q %q", v.Expr, c.Warnings())
		} else {
			t.Log(err)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "versions") {
		c, err := schedule.Parse(v.Expr)
		if err == nil && len(c.Warnings()) == 0 {
			t.Errorf("%q: answered silently", v.Expr)
		}
	}
}

package schedule_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// lostDays are the lines of class zone-quirk in which Quartz loses a day
// against its own rules (facts: a spring change at midnight or across days, in
// Nuuk, Scoresbysund and Troll). They are left out one by one.
func lostDays() []string {
	return []string{
		"0 59 23 * * ? | America/Nuuk | 2028-03-25T09:32:27Z",
		"0 59 23 * * ? | America/Nuuk | 2028-03-26T00:00:00Z",
		"0 15 * * * ? | America/Nuuk | 2028-03-25T23:16:00Z",
		"0 50/10 * * * ? | America/Nuuk | 2027-03-27T23:34:00Z",
		"0 50/10 * * * ? | America/Nuuk | 2027-03-28T00:30:00Z",
	}
}

func line(v vector) string { return v.Expr + " | " + v.Zone + " | " + v.After }

func TestFiresAreThoseOfQuartz(t *testing.T) {
	t.Parallel()
	left := lostDays()
	for _, v := range vectors(t, "vectors") {
		if i := slices.Index(left, line(v)); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if got := firesOf(t, v); !slices.Equal(got, v.Fires) {
			t.Errorf("%s %s:\n got %v\nwant %v", v.Class, line(v), got, v.Fires)
		}
	}
	if len(left) > 0 {
		t.Errorf("left out, but not among the vectors: %q", left)
	}
}

// firesOf are the fires after a vector's instant. An expression refused since
// it never fires has none.
func firesOf(t *testing.T, v vector) []string {
	t.Helper()
	c, err := schedule.Parse(v.Expr)
	if neverFires(err) {
		return []string{}
	}
	if err != nil {
		return []string{err.Error()}
	}
	zone, err := schedule.Zone(v.Zone)
	if err != nil {
		return []string{err.Error()}
	}
	return texts(schedule.NextN(c.In(zone), instant(t, v.After), v.N))
}

func neverFires(err error) bool {
	var refused *schedule.Error
	return errors.As(err, &refused) && strings.Contains(refused.Reason, "never fires")
}

func TestLongestGapsAreThoseOfQuartz(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "gaps") {
		c, err := schedule.Parse(v.Expr)
		if neverFires(err) && v.Count == 0 && v.Ends {
			continue
		}
		if err != nil {
			t.Errorf("%v; want %d fires", err, v.Count)
			continue
		}
		zone, err := schedule.Zone(v.Zone)
		if err != nil {
			t.Fatal(err)
		}
		from, to := instant(t, v.From), instant(t, v.To)
		fires := c.In(zone)
		set := schedule.Collect(fires, from, to)
		if got := set.Count(from.Unix(), to.Unix()); got != v.Count {
			t.Errorf("%s %s: %d fires, want %d", v.Expr, v.Zone, got, v.Count)
		}
		if v.Count > 0 {
			first, _ := set.Next(from.Unix())
			last, _ := set.Last(to.Unix())
			if first != instant(t, v.First).Unix() || last != instant(t, v.Last).Unix() {
				t.Errorf("%s %s: from %d to %d, want %s to %s", v.Expr, v.Zone, first, last, v.First, v.Last)
			}
			if _, more := fires.Next(time.Unix(last, 0)); more == v.Ends {
				t.Errorf("%s %s: more fires after the last: %v, want %v", v.Expr, v.Zone, more, !v.Ends)
			}
		}
		gap, ok := schedule.LongestGap(fires, from, to)
		if want := (schedule.Gap{}); !ok && v.GapS == 0 && gap == want {
			continue
		}
		if gap.Length != time.Duration(v.GapS)*time.Second || !gap.From.Equal(instant(t, v.GapFrom)) || !gap.To.Equal(instant(t, v.GapTo)) {
			t.Errorf("%s %s: %v, want %d s from %s to %s", v.Expr, v.Zone, gap, v.GapS, v.GapFrom, v.GapTo)
		}
	}
}

// TestOddExpressionsGetQuartzVerdict compares the verdict, not the words. What
// Quartz takes and never fires is refused; what versions differ on, or break
// on, is refused too.
func TestOddExpressionsGetQuartzVerdict(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "invalid") {
		c, err := schedule.Parse(v.Expr)
		switch {
		case v.Verdict != "valid":
			if err == nil {
				t.Errorf("%q is accepted; Quartz: %s", v.Expr, v.Verdict)
			}
		case neverFires(err) && len(v.Fires) == 0:
		case err != nil:
			t.Errorf("%v; Quartz accepts it", err)
		default:
			if got := firesOf(t, v); !slices.Equal(got, v.Fires) {
				t.Errorf("%q: %v, want %v", v.Expr, got, v.Fires)
			}
			if odd(v.Expr) && len(c.Warnings()) == 0 {
				t.Errorf("%q is misread silently", v.Expr)
			}
		}
	}
}

// odd are texts that plainly do not mean what Quartz makes of them.
func odd(expression string) bool {
	for _, sign := range []string{"a", "X", "J", ";", ".", ":", "**", "*5", "MON-FRI/", "-10-", ",,", "99", "98", "/0", "WL", "\u00a0"} {
		if strings.Contains(expression, sign) && !strings.Contains(expression, "jan") && !strings.Contains(expression, "JAN ?") {
			return true
		}
	}
	return false
}

func TestVersionDifferencesAreNeverSilent(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t, "versions") {
		if c, err := schedule.Parse(v.Expr); err == nil && len(c.Warnings()) == 0 {
			t.Errorf("%q is answered silently", v.Expr)
		}
	}
}

package interval_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

const day = 24 * time.Hour

// T10 delta-io/delta-kernel-rs#507, delta-io/delta-rs#2180, #2072: one length
// has many spellings.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"24h": day, "30m": 30 * time.Minute, "7d": 7 * day, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "2w": 14 * day,
		"7 days": 7 * day, "1 week": 7 * day, "interval 168 hours": 7 * day, "INTERVAL 1 WEEK 1 DAY": 8 * day, "interval 7 days": 7 * day,
		"1 day 12 hours": 36 * time.Hour, "  7 DAYS ": 7 * day, "7.5 seconds": 7500 * time.Millisecond, "1.5h": 90 * time.Minute, "0.25 days": 6 * time.Hour,
		"0h": 0, "0 hours": 0, "10 min": 10 * time.Minute, "1 hr": time.Hour, "250ms": 250 * time.Millisecond, "1\tday\n2  hours": 26 * time.Hour,
		"106751 days": 106751 * day, "1000 microseconds": time.Millisecond, "00012h": 12 * time.Hour,
	} {
		if got, err := interval.Parse(text); err != nil || got != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "empty",
		"   ":                     "empty",
		"interval":                "no length follows",
		"interval ":               "no length follows",
		"1 month":                 "a month has no fixed length",
		"interval 2 months":       "a month has no fixed length",
		"1 year":                  "365 days",
		"-1 day":                  "negative",
		"1 day -2 hours":          "negative",
		"+1 day":                  "a sign",
		"7":                       "7 has no unit",
		"abc":                     "a number must come before",
		"P7D":                     "a number must come before",
		"7 fortnights":            `"fortnights" is no unit`,
		"7 days ago":              "a number must come before",
		"106752 days":             "292 years",
		"99999999999999999999h":   "292 years",
		"106751 days 106751 days": "292 years",
		"1.2.3h":                  "no readable number",
		".h":                      "no readable number",
		"0.0000000001s":           "finer than a nanosecond",
		"24 h,":                   "no unit",
		"１h":                      "a number must come before",
	} {
		_, err := interval.Parse(text)
		var refused *interval.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, want) || refused.Value != text || !strings.Contains(err.Error(), "24h") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The first column are the props.interval.* of vectors/spark: what Delta 4.4
// answers to ALTER TABLE … SET TBLPROPERTIES.
func TestParseDelta(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"7 days":                7 * day,                 // 00
		"interval 7 days":       7 * day,                 // 01
		"INTERVAL 1 WEEK 1 DAY": 8 * day,                 // 02
		"1 day 12 hours":        36 * time.Hour,          // 03
		"7.5 seconds":           7500 * time.Millisecond, // 05
		"0 hours":               0,                       // 06
		" 7 DAYS ":              7 * day,                 // raw
		"2 days -12 hours":      36 * time.Hour,
		"interval 168 hours":    7 * day,
		"1080 hours":            45 * day,
		"+1 day":                day,
	} {
		if got, err := interval.ParseDelta(text); err != nil || got != want {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"7d" /* 07 */, "P7D" /* 08 */, "-1 day" /* 11 */, "" /* 12 */, "abc" /* 14 */, "7 days ago", /* 15 */
		"1 month", "1 year", "7", "7days", "1.5 days", "7 d", "interval", "1 day 36 hours -3 days",
	} {
		if got, err := interval.ParseDelta(text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d                  time.Duration
		text, short, delta string
	}{
		{25*time.Hour + 30*time.Minute, "1 d 1 h 30 min", "25h30m", "interval 1530 minutes"},
		{-(105 * time.Minute), "-1 h 45 min", "-1h45m", "interval -105 minutes"},
		{0, "0 s", "0s", "interval 0 hours"},
		{day, "1 d", "24h", "interval 24 hours"},
		{7 * day, "7 d", "168h", "interval 168 hours"},
		{time.Hour, "1 h", "1h", "interval 1 hour"},
		{30 * time.Minute, "30 min", "30m", "interval 30 minutes"},
		{90 * time.Second, "1 min 30 s", "90s", "interval 90 seconds"},
		{time.Second, "1 s", "1s", "interval 1 second"},
		{time.Hour + time.Second, "1 h 1 s", "1h1s", "interval 3601 seconds"},
		{7500 * time.Millisecond, "7 s 500 ms", "7s500ms", "interval 7500 milliseconds"},
		{1500 * time.Nanosecond, "1 µs 500 ns", "1us500ns", "interval 2 microseconds"},
	} {
		if got := interval.Text(c.d); got != c.text {
			t.Errorf("Text(%d) = %q, want %q", c.d, got, c.text)
		}
		if got := interval.Short(c.d); got != c.short {
			t.Errorf("Short(%d) = %q, want %q", c.d, got, c.short)
		}
		if got := interval.Delta(c.d); got != c.delta {
			t.Errorf("Delta(%d) = %q, want %q", c.d, got, c.delta)
		}
	}
	interval.Text(math.MinInt64)
	interval.Text(math.MaxInt64)
}

// FuzzParse: what is written is read back as the same length, and what Delta
// takes people may write too.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"24h", "interval 168 hours", "1 week 1 day", "-1 day", "7.5 seconds", "1.5.5h", "9223372036854775807ns"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := interval.ParseDelta(text); err == nil && d < 0 {
			t.Errorf("%q is negative", text)
		}
		d, err := interval.Parse(text)
		if err != nil {
			return
		}
		for _, written := range []string{interval.Short(d), interval.Text(d)} {
			if again, err := interval.Parse(written); d < 0 || err != nil || again != d {
				t.Errorf("%q is %d, written %q, read %d, %v", text, d, written, again, err)
			}
		}
		if again, err := interval.ParseDelta(interval.Delta(d)); err != nil || again < d || again-d >= time.Microsecond {
			t.Errorf("%q is %d, for Delta %q, read %d, %v", text, d, interval.Delta(d), again, err)
		}
	})
}

package schedule_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

func TestRefusalsNamePlaceValueAndFix(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ expression, field, value, reason, hint string }{
		"five fields":            {"*/5 * * * *", "", "", "5 fields", `"0 */5 * * * ?"`},
		"five fields, weekdays":  {"30 2 * * 1-5", "", "", "5 fields", `"0 30 2 ? * MON-FRI"`},
		"five fields, Sunday 0":  {"0 3 * * 0", "", "", "5 fields", `"0 0 3 ? * SUN"`},
		"five fields, both days": {"0 3 1 * 1", "", "", "5 fields", "put 0 for the seconds in front"},
		"macro":                  {"@daily", "", "", "1 fields", "0 0 0 * * ?"},
		"both day fields":        {"0 0 12 1 * MON", "", "", "both given", "write ?"},
		"no day field":           {"0 0 12 ? * ?", "day of week", "?", "both day fields", "write *"},
		"30 February":            {"0 0 0 30 2 ?", "", "", "never fires", "L"},
		"no such year":           {"0 0 0 1 1 ? 1969", "", "", "never fires", ""},
		"hour 24":                {"0 0 24 * * ?", "hours", "24", "between 0 and 23", ""},
		"0W":                     {"0 0 0 0W * ?", "", "", "0W is no day", "1W"},
		"L-30W":                  {"0 0 0 L-30W 1 ?", "", "", "L-30W", "L-29W"},
		"L-28W":                  {"0 0 0 L-28W 2 ?", "", "", "L-28W", "L-27W"},
		"list with L":            {"0 0 0 15,L * ?", "day of month", "15,L", "list with L or W", "one day"},
		"list with W":            {"0 0 0 1,15W * ?", "day of month", "1,15W", "list with L or W", "one day"},
		"month name":             {"0 0 0 1 JANVIER,FOO ?", "month", "JANVIER,FOO", `"FOO" is no month`, "JAN, FEB"},
		"reversed years":         {"0 0 0 1 1 ? 2030-2026", "year", "2030-2026", "after the last", "2026-2030"},
		"step of zero fields":    {"0 0/60 * * * ?", "minutes", "0/60", "at most 59", ""},
		"huge year range":        {"0 0 0 1 1 ? 999999998-999999999", "year", "999999998-999999999", "never fires", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schedule.Parse(c.expression)
			var refused *schedule.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%q: %v, want a refusal", c.expression, err)
			}
			if refused.Expression != c.expression || refused.Field != c.field || refused.Value != c.value {
				t.Errorf("names %q %q %q", refused.Expression, refused.Field, refused.Value)
			}
			if !strings.Contains(refused.Reason, c.reason) || !strings.Contains(refused.Hint, c.hint) {
				t.Errorf("says %q and %q, want %q and %q", refused.Reason, refused.Hint, c.reason, c.hint)
			}
			if !strings.Contains(err.Error(), c.expression) {
				t.Errorf("%q does not show the expression", err)
			}
		})
	}
}

func TestWarningsSayWhatQuartzWillDo(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"0 0 0 ? * MON-FRI/2": "MON-FRI",
		"0 0 0 1 JAN/2 ?":     "JAN",
		"0 0 12:30 * * ?":     "it will use 12",
		"0 0/15a * * * ?":     "0, 15, 30, 45",
		"0 0 0 ? * 2,6#3":     "MON number 3",
		"99 0 0 * * ?":        "every value",
		"0 0 9-17 15W * ?":    "9 fires a day",
		"0 0 9 31W * ?":       "fewer days",
		"0 0 0 1 1 ? 99":      "every year",
		"0 0 0 ? * 0#1":       "SAT number 1",
		"0 0 0 10-15W * ?":    "10-15",
		"0 0 0 1 * 98":        "the other day field alone",
	} {
		c, err := schedule.Parse(expression)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := strings.Join(c.Warnings(), "\n"); !strings.Contains(got, want) {
			t.Errorf("%q warns %q, want %q", expression, got, want)
		}
	}
	for _, plain := range []string{"0 0/15 * * * ?", "0 0 2 ? * SUN", "0 0 22-4 L-3 * ? 2026-2030", "0 0 0 ? jan-mar 6#3", "0 0 4 LW * ?", "1,2,3-5/2 */5 0-23 * 11-2 ? 2026/2", "0 0 0 ? * MONL", "0 0 0 ? * 2-6"} {
		c, err := schedule.Parse(plain)
		if err != nil || len(c.Warnings()) > 0 {
			t.Errorf("%q: %v, warnings %q, want none", plain, err, c.Warnings())
		}
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for id, want := range map[string]string{
		"UTC": "12:00", "Europe/Berlin": "14:00", "PST": "05:00", "IST": "17:30", "EST": "07:00", "GMT+0": "12:00",
		"Etc/GMT-2": "14:00", "America/Argentina/Buenos_Aires": "09:00", "Asia/Kathmandu": "17:45",
	} {
		zone, err := schedule.Zone(id)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := at.In(zone).Format("15:04"); got != want || zone.String() != id {
			t.Errorf("%s is %s at noon UTC, want %s", zone, got, want)
		}
	}
	got := map[string]string{}
	for _, id := range []string{"", "europe/berlin", "Europe/Berlim", "Berlin", "New York", "SystemV/PST8", "GMT+2", "UTC+02:00", "Mars/Olympus", "../etc/passwd", "Factory", "Europe/", "Local"} {
		if _, err := schedule.Zone(id); err != nil {
			got[id] = err.Error()
		}
	}
	want := map[string]string{
		"":              `time zone "": no time zone is given; write an IANA name such as "UTC" or "Europe/Berlin"`,
		"europe/berlin": unknown("europe/berlin", "Europe/Berlin"),
		"Europe/Berlim": unknown("Europe/Berlim", "Europe/Berlin"),
		"Berlin":        unknown("Berlin", "Europe/Berlin"),
		"New York":      unknown("New York", "America/New_York"),
		"SystemV/PST8":  `time zone "SystemV/PST8": SystemV zones are Java's own and in no time zone database; write the IANA name of the place`,
		"GMT+2":         `time zone "GMT+2": unknown; names are those of the IANA database, upper and lower case count; for a fixed offset write Etc/GMT-2 (its sign is the opposite of the usual one)`,
		"UTC+02:00":     `time zone "UTC+02:00": unknown; names are those of the IANA database, upper and lower case count; for a fixed offset write Etc/GMT-2 (its sign is the opposite of the usual one)`,
	}
	for id, text := range want {
		if diff := cmp.Diff(text, got[id]); diff != "" {
			t.Errorf("%q (-want +got):\n%s", id, diff)
		}
	}
	for _, id := range []string{"Mars/Olympus", "../etc/passwd", "Factory", "Europe/", "Local"} {
		if got[id] == "" {
			t.Errorf("%q is accepted", id)
		}
	}
}

func unknown(id, nearest string) string {
	return `time zone "` + id + `": unknown; names are those of the IANA database, upper and lower case count; did you mean "` + nearest + `"?`
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0 0/15 * * * ?", "0 0 0 L-3W * ?", "0 0 0 ? * 6#3 2026-2030", "99 * 1-5/2 ? JAN-FEB MONL", "0 0 0 1 1 ? 1-999999999/1", "* * * * *", "\x00 , , , , ,"} {
		f.Add(seed)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expression string) {
		c, err := schedule.Parse(expression)
		if err != nil {
			if err.Error() == "" {
				t.Error("no message")
			}
			return
		}
		if c.String() != expression {
			t.Errorf("%q becomes %q", expression, c)
		}
		c.Warnings()
		for _, fire := range schedule.NextN(c.In(time.UTC), at, 3) {
			if !fire.After(at) {
				t.Errorf("%q fires at %s, which is not after %s", expression, fire, at)
			}
			at = fire
		}
	})
}

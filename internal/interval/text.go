package interval

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Text is a length for people: "1 d 1 h 30 min", "0 s", "-45 min".
func Text(d time.Duration) string {
	return join(d, " ", unit{24 * time.Hour, " d"}, unit{time.Hour, " h"}, unit{time.Minute, " min"}, unit{time.Second, " s"},
		unit{time.Millisecond, " ms"}, unit{time.Microsecond, " µs"}, unit{time.Nanosecond, " ns"})
}

// Short is a length for configuration and tags, which Parse reads back:
// "24h", "30m", "27h20m", "90s", "0s".
func Short(d time.Duration) string {
	if d%time.Second == 0 && d > -2*time.Minute && d < 2*time.Minute && d%time.Minute != 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return join(d, "", unit{time.Hour, "h"}, unit{time.Minute, "m"}, unit{time.Second, "s"},
		unit{time.Millisecond, "ms"}, unit{time.Microsecond, "us"}, unit{time.Nanosecond, "ns"})
}

// Delta is a length for a table property: "interval 168 hours". The unit is
// the largest up to hours that expresses it exactly; Delta keeps microseconds,
// so what is finer is rounded up.
func Delta(d time.Duration) string {
	for _, u := range []unit{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "millisecond"}} {
		if d%u.size == 0 {
			return plural(int64(d/u.size), u.name)
		}
	}
	n := int64(d / time.Microsecond)
	if d%time.Microsecond > 0 {
		n++
	}
	return plural(n, "microsecond")
}

func plural(n int64, unit string) string {
	if n == 1 {
		return "interval 1 " + unit
	}
	return fmt.Sprintf("interval %d %ss", n, unit)
}

type unit struct {
	size time.Duration
	name string
}

func join(d time.Duration, separator string, units ...unit) string {
	sign, left := "", uint64(d)
	if d < 0 {
		sign = "-"
		left = uint64(-(d + 1)) + 1
	}
	if left > math.MaxInt64 {
		left = math.MaxInt64
	}
	var parts []string
	for _, u := range units {
		if n := left / uint64(u.size); n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, u.name))
			left -= n * uint64(u.size)
		}
	}
	if len(parts) == 0 {
		return "0" + map[bool]string{true: "s", false: " s"}[separator == ""]
	}
	return sign + strings.Join(parts, separator)
}

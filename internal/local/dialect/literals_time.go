package dialect

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// moment is a timestamp text: local wall time in microseconds, and the zone written in it, if any.
type moment struct {
	local int64
	zone  *time.Location
}

var timestampText = regexp.MustCompile(`^\s*([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?)?\s*(.*?))?)?)?\s*$`)

// parseTimestamp reads a timestamp as Spark's string cast does.
func parseTimestamp(s string) (moment, bool) {
	m := timestampText.FindStringSubmatch(s)
	if m == nil {
		return moment{}, false
	}
	n := make([]int, 7)
	for i, d := range []int{0, 1, 1, 0, 0, 0} {
		n[i] = d
		if m[i+1] != "" {
			v, err := strconv.Atoi(m[i+1])
			if err != nil {
				return moment{}, false
			}
			n[i] = v
		}
	}
	micros, _ := strconv.Atoi((m[7] + "000000")[:6])
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	if t.Month() != time.Month(n[1]) || t.Day() != n[2] || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return moment{}, false
	}
	out := moment{local: t.Unix()*1e6 + int64(micros)}
	if zone := strings.TrimSpace(m[8]); zone != "" {
		z, err := loadZone(zone)
		if err != nil {
			return moment{}, false
		}
		out.zone = z
	}
	return out, true
}

// instant is the moment in UTC; session is the zone of a text without one.
func (m moment) instant(session *time.Location) int64 {
	zone := m.zone
	if zone == nil {
		zone = session
	}
	return m.local - offsetMicros(m.local, zone)
}

// offsetMicros is the zone's offset for a wall time: the earlier instant of a repeated hour; a skipped hour counts on
// with the offset before it. So does Java, and so Spark.
func offsetMicros(local int64, zone *time.Location) int64 {
	at := func(micros int64) int64 {
		_, off := time.UnixMicro(micros).In(zone).Zone()
		return int64(off) * 1e6
	}
	const day = 24 * 3600 * 1e6
	before, after := at(local-day), at(local+day)
	if at(local-before) != before && at(local-after) == after {
		return after
	}
	return before
}

// localMicros is the wall time of an instant.
func localMicros(micros int64, zone *time.Location) int64 {
	_, off := time.UnixMicro(micros).In(zone).Zone()
	return micros + int64(off)*1e6
}

var offsetText = regexp.MustCompile(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$`)

// loadZone reads a zone's id or offset; "" is UTC.
func loadZone(id string) (*time.Location, *engine.Error) {
	switch strings.ToUpper(id) {
	case "", "Z", "UTC", "GMT", "UT":
		return time.UTC, nil
	}
	if m := offsetText.FindStringSubmatch(id); m != nil {
		h, _ := strconv.Atoi(m[2])
		min, _ := strconv.Atoi("0" + m[3])
		sec, _ := strconv.Atoi("0" + m[4])
		if h > 18 || min > 59 || sec > 59 {
			return nil, NewError("INVALID_CONF_VALUE.TIME_ZONE", "Cannot resolve the given timezone '"+id+"'.")
		}
		seconds := h*3600 + min*60 + sec
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(id, seconds), nil
	}
	z, err := schedule.Zone(id)
	if err != nil {
		return nil, NewError("INVALID_CONF_VALUE.TIME_ZONE",
			"The value '"+id+"' in the config \"spark.sql.session.timeZone\" is invalid. Cannot resolve the given timezone.")
	}
	return z, nil
}

var dateText = regexp.MustCompile(`^\s*([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?\s*$`)

// parseDate gives a date text in full.
func parseDate(s string) (string, bool) {
	m := dateText.FindStringSubmatch(s)
	if m == nil {
		return s, false
	}
	n := []int{0, 1, 1}
	for i := range n {
		if m[i+1] != "" {
			n[i], _ = strconv.Atoi(m[i+1])
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(n[1]) || t.Day() != n[2] {
		return s, false
	}
	return t.Format("2006-01-02"), true
}

// sparkTimestamp prints wall time as Spark casts a timestamp to text.
func sparkTimestamp(local int64) string {
	t := time.UnixMicro(local).UTC()
	return strings.TrimRight(strings.TrimRight(t.Format("2006-01-02 15:04:05.000000"), "0"), ".")
}

// timestampSQL prints microseconds since the epoch as a DuckDB TIMESTAMP.
func timestampSQL(micros int64) string {
	t := time.UnixMicro(micros).UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return fmt.Sprintf("make_timestamp(%d)", micros)
	}
	return "TIMESTAMP '" + sparkTimestamp(micros) + "'"
}

func sqlMicros(t time.Time) int64 { return t.UnixMicro() }

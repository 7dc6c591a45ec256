package reconcile

import (
	"errors"
	"fmt"
	"time"
)

// ErrNoZone is returned for a timestamp that says no zone: it is one of the session that printed it.
var ErrNoZone = errors.New("the timestamp has no zone")

// ReadInstant reads a timestamp as statements print it: with a T or a blank, with a zone or in the zone given, which may be
// nil. earlier is the other instant that it can mean when it lies in the hour that a zone's clocks repeat, else zero.
func ReadInstant(text string, zone *time.Location) (at, earlier time.Time, err error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), time.Time{}, nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		local, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if zone == nil {
			return time.Time{}, time.Time{}, ErrNoZone
		}
		at, earlier = inZone(local, zone)
		return at, earlier, nil
	}
	return time.Time{}, time.Time{}, fmt.Errorf("%q is not a timestamp", text)
}

// inZone finds the instants at which clocks of a zone show a local time, which is given as if in UTC. A time that they
// skip is taken as they stood before.
func inZone(local time.Time, zone *time.Location) (at, earlier time.Time) {
	_, before := local.Add(-24 * time.Hour).In(zone).Zone()
	_, after := local.Add(24 * time.Hour).In(zone).Zone()
	first, second := local.Add(-time.Duration(before)*time.Second), local.Add(-time.Duration(after)*time.Second)
	shows := func(t time.Time) bool {
		_, offset := t.In(zone).Zone()
		return t.Add(time.Duration(offset) * time.Second).Equal(local)
	}
	switch {
	case before != after && shows(first) && shows(second):
		return second, first
	case shows(second):
		return second, time.Time{}
	}
	return first, time.Time{}
}

package reconcile

import (
	"errors"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

func TestReadInstant(t *testing.T) {
	t.Parallel()
	berlin, err := schedule.Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	utc := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, text)
		if text != "" && err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, tt := range []struct{ text, at, earlier string }{
		{"2026-06-01T10:00:00.123Z", "2026-06-01T10:00:00.123Z", ""},
		{"2026-06-01T10:00:00.123+05:30", "2026-06-01T04:30:00.123Z", ""},
		{"2026-06-01T10:00:00.123", "2026-06-01T08:00:00.123Z", ""},
		{"2026-01-01 10:00:00", "2026-01-01T09:00:00Z", ""},
		{"2026-10-25T01:59:59.999", "2026-10-24T23:59:59.999Z", ""},
		{"2026-10-25T02:00:00.000", "2026-10-25T01:00:00Z", "2026-10-25T00:00:00Z"},
		{"2026-10-25T02:59:59.999", "2026-10-25T01:59:59.999Z", "2026-10-25T00:59:59.999Z"},
		{"2026-10-25T03:00:00.000", "2026-10-25T02:00:00Z", ""},
		{"2026-03-29T01:59:59.999", "2026-03-29T00:59:59.999Z", ""},
		{"2026-03-29T03:00:00.000", "2026-03-29T01:00:00Z", ""},
	} {
		at, earlier, err := ReadInstant(tt.text, berlin)
		if err != nil || !at.Equal(utc(tt.at)) || !earlier.Equal(utc(tt.earlier)) {
			t.Errorf("%s: %s, %s, %v", tt.text, at, earlier, err)
		}
	}
	if _, _, err := ReadInstant("2026-06-01T10:00:00.123", nil); !errors.Is(err, ErrNoZone) {
		t.Errorf("without a zone: %v", err)
	}
	if _, _, err := ReadInstant("yesterday", berlin); err == nil || errors.Is(err, ErrNoZone) {
		t.Errorf("no timestamp: %v", err)
	}
}

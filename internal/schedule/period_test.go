package schedule

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestPeriodsKeepOneOffset compares with the offset that time.Time itself
// shows, hour by hour, over leap years beyond the listed transitions.
func TestPeriodsKeepOneOffset(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Nuuk", "Asia/Gaza", "Pacific/Chatham", "America/Santiago", "Antarctica/Troll", "Pacific/Apia", "UTC", "Asia/Kolkata"} {
		zone, err := Zone(id)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		end := time.Date(2041, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for p := periodAt(at, zone); ; p = periodAt(p.to, zone) {
			for ; at < min(p.to, end); at += 3600 {
				if _, offset := time.Unix(at, 0).In(zone).Zone(); int64(offset) != p.offset {
					t.Fatalf("%s: %s has %d, its period %+v", id, time.Unix(at, 0).UTC(), offset, p)
				}
			}
			if at >= end {
				break
			}
			if _, offset := time.Unix(p.to, 0).In(zone).Zone(); int64(offset) == p.offset {
				t.Fatalf("%s: nothing changes at the end of %+v", id, p)
			}
		}
	}
}

// TestZoneDataIsThatOfGo holds on the Go version the data was taken from.
func TestZoneDataIsThatOfGo(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("go env GOROOT: %v; install Go 1.26 and put it on the PATH", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
	theirs, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("this Go has no %s", path)
	}
	if !bytes.Equal(theirs, []byte(zoneinfo)) && runtime.Version() == "go1.26.8" {
		t.Error("zoneinfo.zip differs from that of Go 1.26.8: run go generate ./internal/schedule")
	}
}

package reconcile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestRemoves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		c    Commit
		want bool
	}{
		{"append", Commit{Operation: "WRITE", Mode: "Append"}, false},
		{"blind append of an operation nobody knows", Commit{Operation: "NEW", BlindAppend: true}, false},
		{"overwrite", Commit{Operation: "WRITE", Mode: "Overwrite"}, true},
		{"a write that does not say how", Commit{Operation: "WRITE"}, true},
		{"stream append", Commit{Operation: "STREAMING UPDATE", Mode: "Append"}, false},
		{"stream complete", Commit{Operation: "STREAMING UPDATE", Mode: "Complete"}, true},
		{"delete", Commit{Operation: "DELETE"}, true},
		{"truncate", Commit{Operation: "TRUNCATE"}, true},
		{"merge", Commit{Operation: "MERGE"}, true},
		{"update", Commit{Operation: "UPDATE"}, true},
		{"restore", Commit{Operation: "RESTORE"}, true},
		{"replace", Commit{Operation: "CREATE OR REPLACE TABLE AS SELECT"}, true},
		{"create", Commit{Operation: "CREATE TABLE"}, false},
		{"optimize", Commit{Operation: "OPTIMIZE"}, false},
		{"vacuum", Commit{Operation: "VACUUM END"}, false},
		{"properties", Commit{Operation: "SET TBLPROPERTIES"}, false},
		{"an operation nobody knows", Commit{Operation: "NEW"}, true},
	}
	for _, tt := range tests {
		if got := tt.c.Removes(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

var epoch = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// commits makes a history, oldest first, one commit an hour: a append, d delete, c create, o optimize.
func commits(letters string) []Commit {
	ops := map[rune]Commit{'a': {Operation: "WRITE", Mode: "Append"}, 'd': {Operation: "DELETE"}, 'c': {Operation: "CREATE TABLE"}, 'o': {Operation: "OPTIMIZE"}}
	var all []Commit
	for i, l := range letters {
		c := ops[l]
		c.Version, c.At = int64(i), epoch.Add(time.Duration(i)*time.Hour)
		all = append(all, c)
	}
	return all
}

func TestSourceHistory(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, letters string
		from          int // versions below are not listed any more
		readAt        time.Duration
		readable      time.Duration
		pinned        int64
		candidates    string
		complete      bool
		reach         time.Duration
	}{
		{name: "all of it", letters: "cadad", readAt: 10 * time.Hour, readable: -time.Hour, pinned: 4, candidates: "[3 1]", complete: true},
		{name: "in the middle", letters: "cadad", readAt: 3*time.Hour + time.Minute, readable: -time.Hour, pinned: 3, candidates: "[1]", complete: true},
		{name: "at a commit", letters: "cadad", readAt: 2 * time.Hour, readable: -time.Hour, pinned: 2, candidates: "[1]", complete: true},
		{name: "no removal", letters: "caoa", readAt: 10 * time.Hour, readable: -time.Hour, pinned: 3, candidates: "[]", complete: true},
		{name: "unreadable below", letters: "cadad", readAt: 10 * time.Hour, readable: 2 * time.Hour, pinned: 4, candidates: "[3]", reach: 2 * time.Hour},
		{name: "cleaned up below", letters: "cadad", from: 2, readAt: 10 * time.Hour, readable: -time.Hour, pinned: 4, candidates: "[3]", reach: 2 * time.Hour},
		{name: "a read before everything", letters: "cad", readAt: -time.Hour, readable: -time.Hour, pinned: -1, candidates: "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := SourceHistory{ReadAt: epoch.Add(tt.readAt), Readable: epoch.Add(tt.readable)}
			all := commits(tt.letters)
			for i := len(all) - 1; i >= tt.from; i-- {
				more, err := h.Add(all[i])
				if err != nil {
					t.Fatal(err)
				}
				if !more {
					break
				}
			}
			if h.Found != (tt.pinned >= 0) || h.Found && h.Pinned.Version != tt.pinned {
				t.Errorf("pinned %t %d, want %d", h.Found, h.Pinned.Version, tt.pinned)
			}
			var versions []int64
			for _, c := range h.Candidates {
				versions = append(versions, c.Version)
				if c.RemovedBy.Version != c.Version+1 {
					t.Errorf("candidate %d is removed by %d", c.Version, c.RemovedBy.Version)
				}
			}
			if got := fmt.Sprint(versions); got != tt.candidates || h.Complete != tt.complete {
				t.Errorf("candidates %s, complete %t; want %s, %t", got, h.Complete, tt.candidates, tt.complete)
			}
			if h.Found && !h.Complete && !h.Reach.Equal(epoch.Add(tt.reach)) {
				t.Errorf("reach %s, want %s", h.Reach.Sub(epoch), tt.reach)
			}
		})
	}
}

func TestTargetHistory(t *testing.T) {
	t.Parallel()
	at := func(h int) time.Time { return epoch.Add(time.Duration(h) * time.Hour) }
	tests := []struct {
		name, letters string
		h             TargetHistory
		pinned        int64
		readAt, floor time.Time
		since         string
	}{
		{name: "no run: the write before the last", letters: "caoaoa", h: TargetHistory{WantFloor: true}, pinned: 5, readAt: at(3), floor: at(1), since: "[]"},
		{name: "no run, one write", letters: "ca", pinned: 1, readAt: at(0), floor: at(0), since: "[]"},
		{name: "a run", letters: "caaaa", h: TargetHistory{ReadAt: at(3).Add(time.Minute), WantFloor: true}, pinned: 4, readAt: at(3).Add(time.Minute), floor: at(2), since: "[4]"},
		{name: "another run is active", letters: "caaaa", h: TargetHistory{ReadAt: at(2), Before: at(4), WantFloor: true}, pinned: 3, readAt: at(2), floor: at(0), since: "[3 2]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := tt.h
			all := commits(tt.letters)
			for i := len(all) - 1; i >= 0 && h.Add(all[i]); i-- {
			}
			var since []int64
			for _, c := range h.Since {
				since = append(since, c.Version)
			}
			if h.Pinned.Version != tt.pinned || !h.ReadAt.Equal(tt.readAt) || !h.Floor.Equal(tt.floor) || fmt.Sprint(since) != tt.since {
				t.Errorf("pinned %d, read at %s, floor %s, since %v", h.Pinned.Version, h.ReadAt.Sub(epoch), h.Floor.Sub(epoch), since)
			}
		})
	}
}

func TestReadCommit(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	columns := []string{"version", "timestamp", "userId", "operation", "operationParameters", "job", "isBlindAppend", "operationMetrics"}
	c, err := ReadCommit(columns, []*string{text("12"), text("2026-06-01T10:00:00.123Z"), nil, text("WRITE"), text(`{"mode":"Append"}`),
		text(`{"jobId":"5","jobRunId":"9007199254740993"}`), text("true"), text(`{"numOutputRows":"805044"}`)}, nil)
	want := Commit{Version: 12, At: time.Date(2026, 6, 1, 10, 0, 0, 123_000_000, time.UTC), Operation: "WRITE", Mode: "Append", BlindAppend: true, JobID: 5, JobRunID: 9007199254740993, OutputRows: 805044}
	if err != nil || c != want {
		t.Errorf("got %+v, %v", c, err)
	}
	for name, row := range map[string][]*string{
		"no version":   {nil, text("2026-06-01T10:00:00Z"), nil, text("WRITE"), nil, nil, nil, nil},
		"no timestamp": {text("1"), nil, nil, text("WRITE"), nil, nil, nil, nil},
		"no number":    {text("1.5"), text("2026-06-01T10:00:00Z"), nil, nil, nil, nil, nil, nil},
	} {
		if _, err := ReadCommit(columns, row, nil); err == nil || !strings.HasPrefix(err.Error(), "history: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

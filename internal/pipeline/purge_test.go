package pipeline_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
)

// The rows of the source begin on 1 March at 06:00 and there is one a minute; the loader read on 2 March at 06:01.
const window = "ALTER TABLE main.events.src SET TBLPROPERTIES ('watertight.rolling_window' = '12 hours', 'watertight.event_time' = 'u')"

func (b *bed) purge(r pipeline.PurgeRequest) pipeline.Purged {
	b.t.Helper()
	r.Job = "load"
	p, err := pipeline.Purge(b.t.Context(), b.client, r)
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// Only rows past the window that the target has go: unread ones stay, however old; the numbers are those counted, and a
// second purge deletes nothing.
func TestPurge(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec(window)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq BETWEEN 100 AND 109 OR p = 2 AND seq = 7")
	b.exec("INSERT INTO main.events.src VALUES (0, 9001, NULL), (NULL, 5, TIMESTAMP'2026-03-01T06:00:00Z')")
	limit := b.Now().Add(-12 * time.Hour).Truncate(time.Second)
	past := int64(limit.Sub(time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)) / time.Minute)
	if limit.Second() > 0 {
		past++
	}
	old := 3*past + 1
	dry := b.purge(pipeline.PurgeRequest{DryRun: true})
	if dry.Old != old || dry.Loaded != 3*past-11 || dry.Unread() != 12 || dry.Applied || b.exec("SELECT count(*) FROM main.events.src")[0][0] != "3002" {
		t.Errorf("%+v, want %d old", dry, old)
	}
	got := b.purge(pipeline.PurgeRequest{})
	if !got.Applied || got.Deleted != dry.Loaded || got.Loaded != dry.Loaded {
		t.Errorf("%+v", got)
	}
	// The rows are those of the version that was counted; the newest is the purge's own, without them.
	if newest := b.exec("DESCRIBE HISTORY main.events.src")[0][0]; got.Source != dry.Source || got.Target != dry.Target || newest == strconv.FormatInt(got.Source.Version, 10) {
		t.Errorf("counted at %+v and %+v, then at %+v and %+v; the newest is %s", dry.Source, dry.Target, got.Source, got.Target, newest)
	}
	if left := b.exec("SELECT count(*) FROM main.events.src WHERE u < TIMESTAMP'%s' OR u IS NULL", limit.UTC().Format("2006-01-02T15:04:05Z"))[0][0]; left != "13" {
		t.Errorf("%s rows past the window are left, want the 11 unread ones, the one without a partition and the one without a time", left)
	}
	if again := b.purge(pipeline.PurgeRequest{}); again.Applied || again.Loaded > 3 {
		t.Errorf("again: %+v", again)
	}
}

func TestPurgeRefuses(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	for _, c := range []struct {
		window time.Duration
		sql    string
		want   string
	}{
		{0, "SELECT 1", "declares no rolling window"},
		{time.Hour, window, "shorter than the rolling window"},
		{1500 * time.Millisecond, "ALTER TABLE main.events.src UNSET TBLPROPERTIES ('watertight.rolling_window')", "whole seconds"},
	} {
		b.exec("%s", c.sql)
		if _, err := pipeline.Purge(t.Context(), b.client, pipeline.PurgeRequest{Job: "load", Window: c.window}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.window, err, c.want)
		}
	}
}

package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

func (b *bed) recover(r pipeline.RecoverRequest) pipeline.Recovery {
	b.t.Helper()
	if r.Job == "" {
		r.Job = "load"
	}
	got, err := pipeline.Recover(b.t.Context(), b.client, r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := got.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return got
}

func all[T any](t *testing.T, l reconcile.List[T]) []T {
	t.Helper()
	var out []T
	for v, err := range l.All() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// outcomes are the ranges of a recovery by partition and first key.
func outcomes(t *testing.T, r pipeline.Recovery) map[key]pipeline.Outcome {
	t.Helper()
	out := map[key]pipeline.Outcome{}
	for _, one := range all(t, r.Ranges) {
		out[key{one.Partition, one.From}] = one.Outcome
	}
	return out
}

func (b *bed) count(where string) string {
	b.t.Helper()
	return b.exec("SELECT count(*) FROM main.events.tgt WHERE %s", where)[0][0]
}

// Rows that are still in the source come back from there; without --apply nothing is written, and applied twice nothing
// is added.
func TestRecoverFromTheSource(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq BETWEEN 100 AND 109 OR p = 2 AND seq IN (7, 9)")
	plan := b.recover(pipeline.RecoverRequest{})
	if got := b.count("TRUE"); got != "2895" || plan.Applied || plan.Wanted != 12 || plan.Found != 12 || plan.Returned != 0 || plan.IsWhole() {
		t.Errorf("%s rows, %+v", got, plan)
	}
	steps := all(t, plan.Steps)
	if len(steps) != 1 || steps[0].Keys != 12 || steps[0].Place.Kind != recovery.Source || !strings.Contains(steps[0].Statement, "`seq` BETWEEN 100 AND 109") {
		t.Errorf("steps: %+v", steps)
	}
	for range 2 { // by hand, as printed
		b.exec("%s", steps[0].Statement)
		if got, twice := b.count("TRUE"), b.exec("SELECT count(*) FROM (SELECT p, seq FROM main.events.tgt GROUP BY p, seq HAVING count(*) > 1)")[0][0]; got != "2907" || twice != "0" {
			t.Errorf("%s rows, %s of them twice", got, twice)
		}
	}
	again := b.recover(pipeline.RecoverRequest{Apply: true})
	if !again.IsWhole() || again.Verification.Verdict != reconcile.Pass || again.Steps.Len() != 0 {
		t.Errorf("%+v", again)
	}
}

// What expired unread comes back by time travel, from the version before each purge.
func TestRecoverByTimeTravel(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq BETWEEN 10 AND 14")
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq = 40")
	b.exec("DELETE FROM main.events.src WHERE seq <= 20")
	b.advance(time.Hour)
	b.exec("DELETE FROM main.events.src WHERE seq <= 50")
	b.advance(time.Hour)
	b.load(job)
	got := b.recover(pipeline.RecoverRequest{Apply: true})
	if !got.IsWhole() || got.Wanted != 6 || got.Returned != 6 || b.count("p = 0 AND seq BETWEEN 10 AND 14 OR p = 1 AND seq = 40") != "6" {
		t.Errorf("%+v", got)
	}
	steps := all(t, got.Steps)
	if len(steps) != 2 {
		t.Errorf("%d steps, want one for each version", len(steps))
	}
	for _, s := range steps {
		if s.Place.Kind != recovery.TimeTravel || !s.Applied || s.Place.Until.IsZero() {
			t.Errorf("%+v", s)
		}
	}
	if v := b.verify(pipeline.VerifyRequest{}); v.Verdict != reconcile.Pass {
		t.Errorf("afterwards: %s %v", v.Verdict, v.Reasons)
	}
}

// Rows above the loader's position are the loader's to read: inserted, they would be there twice after its next run.
func TestRecoverLeavesTheLoaderItsRows(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.produce(1000, 1100)
	b.loadOnly(job, "s.p <> 1") // leaves 969 to 1068 of partition 1
	b.exec("DELETE FROM main.events.tgt WHERE p = 2 AND seq = 5")
	got := b.recover(pipeline.RecoverRequest{Apply: true})
	want := map[key]pipeline.Outcome{{"1", 969}: pipeline.ForLoader, {"2", 5}: pipeline.Recovered}
	if o := outcomes(t, got); len(o) != 2 || o[key{"1", 969}] != want[key{"1", 969}] || o[key{"2", 5}] != want[key{"2", 5}] {
		t.Errorf("%v", o)
	}
	if got.IsWhole() || got.Later != 100 || got.Returned != 1 {
		t.Errorf("%+v", got)
	}
	b.load(job)
	if v := b.verify(pipeline.VerifyRequest{}); v.Verdict != reconcile.Pass || v.Counts.Duplicates != 0 {
		t.Errorf("after the loader: %s %+v", v.Verdict, v.Counts)
	}
}

// A place is looked into, not trusted: the change feed was enabled after the purge and has nothing, which is said; and the
// version before the purge has the rows.
func TestRecoverLooksIntoEachPlace(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE p IN (0, 1) AND seq = 12")
	b.exec("DELETE FROM main.events.src WHERE seq <= 20")
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
	b.load(job)
	got := b.recover(pipeline.RecoverRequest{})
	ranges := all(t, got.Ranges)
	if len(ranges) != 2 || got.Found != 2 {
		t.Fatalf("%+v", got)
	}
	for _, r := range ranges {
		if len(r.Options) != 3 || r.Options[0].Kind != recovery.Source || r.Options[0].Keys != 0 || r.Options[1].Kind != recovery.TimeTravel || r.Options[1].Keys != 1 ||
			r.Options[2].Kind != recovery.ChangeFeed || !strings.Contains(r.Options[2].Problem, "DELTA_MISSING_CHANGE_DATA") {
			t.Errorf("%+v", r.Options)
		}
	}
}

// The change feed of the commit that purged holds the rows, and can be read for longer than the version before it, which
// was committed earlier.
func TestRecoverByChangeFeed(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
	b.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq IN (12, 13)")
	b.advance(time.Hour)
	b.exec("DELETE FROM main.events.src WHERE seq <= 20")
	b.load(job)
	got := b.recover(pipeline.RecoverRequest{})
	r := all(t, got.Ranges)[0]
	travel, feed := r.Options[1], r.Options[2]
	if travel.Keys != 2 || feed.Keys != 2 || feed.Problem != "" || !feed.Until.After(travel.Until) || got.Steps.Len() != 1 {
		t.Errorf("%+v", r.Options)
	}
}

// Rows that no version holds any more are taken from a backup that the user names; a table that cannot be one is refused.
func TestRecoverFromABackup(t *testing.T) {
	t.Parallel()
	b, job := loaded(t)
	b.exec("CREATE TABLE main.events.kept AS SELECT u, seq, p FROM main.events.src WHERE p = 0")
	b.exec("CREATE TABLE main.events.other (p INT, seq BIGINT)")
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 1 hour', 'delta.logRetentionDuration' = 'interval 30 days')")
	b.exec("DELETE FROM main.events.tgt WHERE p IN (0, 1) AND seq = 12")
	b.exec("DELETE FROM main.events.src WHERE seq <= 20")
	b.advance(3 * time.Hour)
	b.load(job)
	got := b.recover(pipeline.RecoverRequest{Backups: []string{"main.events.kept"}, Apply: true})
	if o := outcomes(t, got); o[key{"0", 12}] != pipeline.Recovered || o[key{"1", 12}] != pipeline.Gone || got.IsWhole() {
		t.Errorf("%v %+v", o, got)
	}
	if n := b.count("p = 0 AND seq = 12 AND u = TIMESTAMP'2026-03-01T06:12:00Z'"); n != "1" {
		t.Errorf("%s rows came back", n)
	}
	for name, want := range map[string]string{"kept": "catalog.schema.table", "main.events.other": "no column u", "main.events.nowhere": "not found"} {
		r := pipeline.RecoverRequest{VerifyRequest: pipeline.VerifyRequest{Job: "load"}, Backups: []string{name}}
		if _, err := pipeline.Recover(t.Context(), b.client, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// The lowest sequence less its place in the partition is no BIGINT: Spark and Databricks refuse it with ARITHMETIC_OVERFLOW
// (22003), which left nothing to bring back.
func TestRecoverTheEndsOf64Bits(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT p, seq, TIMESTAMP'2026-03-01T00:00:00Z' FROM VALUES (0, -9223372036854775807 - 1), (0, -9223372036854775807), (0, 5), (0, 9223372036854775806), (0, 9223372036854775807) AS v(p, seq)")
	b.exec("INSERT INTO main.events.src VALUES (1, 0, TIMESTAMP'2026-03-01T06:00:00Z')")
	b.exec("DELETE FROM main.events.tgt")
	b.exec("INSERT INTO main.events.tgt VALUES (0, 9223372036854775807, TIMESTAMP'2026-03-01T00:00:00Z')")
	got := b.recover(pipeline.RecoverRequest{Apply: true})
	if !got.IsWhole() || got.Returned != 4 || got.Verification.Counts.Missing != 0 {
		t.Errorf("%+v", got)
	}
	if n := b.count("seq < 0"); n != "2" {
		t.Errorf("%s negative sequences came back", n)
	}
}

// Rows above the target's highest sequence come back at once unless the source still has unread rows below them, which a
// loader that takes its position from the target would then pass over.
func TestRecoverAtTheTop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		unread bool
		want   pipeline.Outcome
	}{
		"nothing below is unread": {false, pipeline.Recovered},
		"a row below is unread":   {true, pipeline.HeldBack},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, job, r := remembering(t)
			b.produce(1000, 1010)
			b.exec("DELETE FROM main.events.src WHERE p = 0 AND seq >= 1005")
			b.advance(time.Minute)
			b.exec("INSERT INTO main.events.src SELECT 1, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T06:00:00Z') FROM range(1010, 1100)")
			b.load(job)
			if c.unread {
				b.exec("INSERT INTO main.events.src VALUES (0, 1007, TIMESTAMP'2026-03-02T00:20:00Z')")
			}
			got := b.recover(pipeline.RecoverRequest{VerifyRequest: r, Apply: true})
			if outcome := outcomes(t, got)[key{"0", 1005}]; outcome != c.want {
				t.Errorf("%q, want %q: %+v", outcome, c.want, all(t, got.Ranges))
			}
			if n := b.count("p = 0 AND seq >= 1005"); (c.want == pipeline.Recovered) != (n == "5") {
				t.Errorf("%s rows are there", n)
			}
		})
	}
}

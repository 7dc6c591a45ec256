//go:build cgo

package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/duck"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// The tests of this file hold the verifier to what other tools got wrong in silence. Each names the fault that it is
// against, as a change of the code with which it must turn red.

// changed is an engine with something between it and the workspace.
type changed struct {
	engine.Engine
	run func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error)
}

func (e changed) Run(ctx context.Context, s engine.Statement) (engine.Result, error) {
	return e.run(ctx, e.Engine, s)
}

// change puts something between a workspace and its engine.
func change(t *testing.T, run func(context.Context, engine.Engine, engine.Statement) (engine.Result, error)) func(*local.Options) {
	t.Helper()
	inner, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inner.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(o *local.Options) { o.Engine = changed{inner, run} }
}

// expect compares the listed keys, by state, and the verdict.
func (b *bed) expect(v reconcile.Verification, verdict reconcile.Verdict, want map[key]reconcile.State) {
	b.t.Helper()
	if d := cmp.Diff(show(want), show(listed(b.t, v))); d != "" {
		b.t.Errorf("(-want +listed)\n%s", d)
	}
	if v.Verdict != verdict {
		b.t.Errorf("%s, want %s: %+v %v", v.Verdict, verdict, v.Counts, v.Reasons)
	}
}

// datafold/data-diff went on without its age filter when that could not be read. Fault: contract.FromTags takes a
// length that it cannot read for zero.
func TestUnreadableSettleDelay(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.job(promise(coverage.SettleNewestEvent), "SELECT 1", func(s map[string]any) {
		s["name"] = "broken"
		s["tags"].(map[string]any)["watertight_settle_delay"] = "half an hour"
	})
	if _, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "broken"}); !errors.Is(err, pipeline.ErrConfiguration) {
		t.Errorf("%v", err)
	}
}

// sodadata/soda-core PR #2165, GoogleCloudPlatform/professional-services-data-validator#376: a filter that reached only
// one of the tables. Faults: isDue is always true; or the target is read where isDue, by its own event time.
func TestFilterOnOneSide(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("UPDATE main.events.tgt SET u = timestampadd(DAY, 400, u) WHERE seq %% 2 = 0")
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (0, 500)")
	v := b.verify(pipeline.VerifyRequest{Block: 64})
	b.expect(v, reconcile.Fail, map[key]reconcile.State{{"1", 0}: reconcile.Skipped, {"1", 500}: reconcile.Skipped})
	if v.Counts.Due != 2907 || v.Counts.InFlight != 93 {
		t.Errorf("%+v", v.Counts)
	}
}

// Elementary's fail_on_zero, linkedin/gobblin#3760: nothing compared passes. Fault: implied() says nothing of zero due
// rows. Also with rows in both tables, none of which is due.
func TestZeroRowsCompared(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", "")
	c := promise(coverage.SettleWall)
	job := b.job(c, "SELECT 1")
	b.load(job)
	b.expect(b.verify(pipeline.VerifyRequest{}), reconcile.Inconclusive, nil)
	b.exec("INSERT INTO main.events.src SELECT 0, id, TIMESTAMP'2026-03-02T06:00:00Z' FROM range(10)")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	b.expect(v, reconcile.Inconclusive, nil)
	if run.Verified(v) != run.Inconclusive || !has(v, reconcile.CodeNothingDue, "") {
		t.Errorf("exit %d %v", run.Verified(v), v.Reasons)
	}
}

// vitessio/vitess#14777, comet-ml/opik PR #8355: a cap, or a sample, was taken for the whole. Every key is listed, and an
// answer cut short in any one statement is no answer. Faults: islands ends in LIMIT 1000; or workspace.Rows does not look
// at manifest.truncated.
func TestCapOrSample(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT 0, id, timestampadd(SECOND, CAST(id AS INT), TIMESTAMP'2026-02-20T00:00:00Z') FROM range(20000)")
	b.exec("DELETE FROM main.events.tgt WHERE seq %% 3 = 1")
	v := b.verify(pipeline.VerifyRequest{})
	want := map[key]reconcile.State{}
	for s := int64(1); s < 18199; s += 3 { // 19999 − 1800 seconds is the first that is not due
		want[key{"0", s}] = reconcile.Skipped
	}
	b.expect(v, reconcile.Fail, want)
	b.ResetRequests()
	whole := all(t, b.verify(pipeline.VerifyRequest{}).Missing)
	sent := b.Count("POST", "/api/2.0/sql/statements")
	for n := range sent - 1 { // the last one is a hint that decides nothing
		b.AddFault(local.Fault{Route: "/api/2.0/sql/statements", Method: "POST", Call: n + 1, MarkTruncated: true})
		b.ResetRequests()
		v := b.verify(pipeline.VerifyRequest{})
		// What is asked for causes alone is asked again, in parts; then nothing may be missing of it.
		again := b.Count("POST", "/api/2.0/sql/statements") > sent && cmp.Equal(whole, all(t, v.Missing)) && v.Verdict == reconcile.Fail
		if v.Verdict == reconcile.Pass || !has(v, reconcile.CodeTruncated, "") && !again {
			t.Errorf("statement %d cut short: %s %+v %v", n+1, v.Verdict, v.Counts, v.Reasons)
		}
		b.ClearFaults()
	}
}

// dbt-labs/dbt-audit-helper compared only where both tables have rows, so that losses at either end did not show. Fault:
// SplitSpans are clipped to the target's lowest and highest sequence.
func TestClippedToOverlap(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 2 AND (seq < 40 OR seq > 950)")
	want := map[key]reconcile.State{}
	for s := range int64(40) {
		want[key{"2", s}] = reconcile.Skipped
	}
	for s := int64(951); s < 969; s++ { // the loader has been past them
		want[key{"2", s}] = reconcile.Skipped
	}
	b.expect(b.verify(pipeline.VerifyRequest{Block: 32}), reconcile.Fail, want)
}

// databrickslabs/dqx aggr_matches_dataset does not see groups that only one of the tables has. Fault: Missing joins the
// tables' partitions first.
func TestGroupsOnOneSide(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1")
	b.exec("INSERT INTO main.events.tgt VALUES (77, 1, TIMESTAMP'2026-03-01T06:00:00Z'), (77, 1, TIMESTAMP'2026-03-01T06:00:00Z')")
	want := map[key]reconcile.State{}
	for s := range int64(969) { // the loader has been past them
		want[key{"1", s}] = reconcile.Skipped
	}
	v := b.verify(pipeline.VerifyRequest{})
	b.expect(v, reconcile.Fail, want)
	if v.Counts.Duplicates != 1 {
		t.Errorf("%+v", v.Counts)
	}
}

// GoogleCloudPlatform/professional-services-data-validator#754 compared as floats: 2^53 and 2^53 + 1 are one float.
// Fault: keys casts the sequence to DOUBLE instead of BIGINT.
func TestFloatRounding(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"9007199254740992", "4611686018427387904", "-9007199254741092"} {
		b, _ := shaped(t, fmt.Sprintf("SELECT 0, %s + id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(100)", base))
		first := number(t, base)
		b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE seq < 0") // the loader begins at 0
		b.exec("DELETE FROM main.events.tgt WHERE seq IN (%d, %d)", first+1, first+34)
		b.expect(b.verify(pipeline.VerifyRequest{}), reconcile.Fail, map[key]reconcile.State{{"0", first + 1}: reconcile.Skipped, {"0", first + 34}: reconcile.Skipped})
	}
}

// databrickslabs/lakebridge#932 counted in 32 bits, awslabs/deequ hashes to 32. Sequences of INT at the end of their range,
// beside BIGINT ones that are equal in their low 32 bits. Fault: keys and rows keep 31 bits of the sequence.
func TestThirtyTwoBits(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA IF NOT EXISTS main.events")
	b.exec("CREATE TABLE main.events.src (p INT, seq INT, u TIMESTAMP)")
	b.exec("CREATE TABLE main.events.tgt (p INT, seq INT, u TIMESTAMP)")
	job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	b.exec("INSERT INTO main.events.src SELECT 0, CAST(2147483647 - 99 + id AS INT), timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(100)")
	b.exec("INSERT INTO main.events.src VALUES (1, 1, TIMESTAMP'2026-03-01T02:00:00Z')") // it settles all of the above
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE seq > 2147483600 AND seq < 2147483630")
	b.exec("DELETE FROM main.events.src WHERE seq = 2147483620")
	v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
	if v.Verdict != reconcile.Fail || v.Counts.Expired != 1 || v.Counts.Skipped != 28 || v.Counts.Due != 90 {
		t.Errorf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
	}
	wide, _ := shaped(t, "SELECT 0, 4294967296 * (id DIV 50) + id % 50, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(100)")
	wide.exec("DELETE FROM main.events.tgt WHERE seq = 4294967297")
	wide.expect(wide.verify(pipeline.VerifyRequest{}), reconcile.Fail, map[key]reconcile.State{{"0", 4294967297}: reconcile.Skipped})
}

// datafold/data-diff#634 skipped keys with a NULL in them. Fault: Screen.Source and Screen.Target count no null keys.
func TestNullKeysAreNotSkipped(t *testing.T) {
	t.Parallel()
	for _, into := range []string{"src", "tgt"} {
		for _, row := range []string{"(NULL, 5, TIMESTAMP'2026-03-01T06:00:00Z')", "(0, NULL, TIMESTAMP'2026-03-01T06:00:00Z')", "(NULL, NULL, NULL)"} {
			b, job := loaded(t)
			b.exec("INSERT INTO main.events.%s VALUES %s", into, row)
			v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
			if v.Verdict != reconcile.Inconclusive || !has(v, reconcile.CodeNullKeys, "") {
				t.Errorf("%s in %s: %s %v", row, into, v.Verdict, v.Reasons)
			}
		}
	}
}

// datafold/data-diff#807: CONCAT without a separator makes (1, 11) and (11, 1) one key. Fault: Missing joins on
// concat(CAST(p AS STRING), CAST(seq AS STRING)).
func TestKeysAreNotConcatenated(t *testing.T) {
	t.Parallel()
	b, _ := shaped(t, "SELECT CAST(CASE WHEN id DIV 100 = 0 THEN 1 ELSE 11 END AS INT), id % 100 + 1, timestampadd(MINUTE, CAST(id % 100 AS INT), TIMESTAMP'2026-03-01T00:00:00Z') FROM range(200)")
	b.exec("DELETE FROM main.events.tgt WHERE p = 11 AND seq = 1 OR p = 1 AND seq = 12")
	b.expect(b.verify(pipeline.VerifyRequest{}), reconcile.Fail, map[key]reconcile.State{{"11", 1}: reconcile.Skipped, {"1", 12}: reconcile.Skipped})
}

// databrickslabs/lakebridge#2664, lightdash PR #21670: the session's zone decided what was due and on which day. Faults:
// literalTime writes no offset; or day is CAST(u AS DATE); or ReadInstant takes the session's zone for UTC.
func TestSessionTimeZone(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata"} {
		b, job := loaded(t, func(o *local.Options) { o.Behaviour.SessionZone = zone })
		b.advance(time.Hour)
		v := b.verify(pipeline.VerifyRequest{RunID: b.load(job), Block: 64})
		want := []reconcile.Day{{Day: "2026-03-01", Due: 2907, Loaded: 2907, InFlight: 93}}
		if d := cmp.Diff(want, v.ByDay); d != "" || v.Verdict != reconcile.Pass {
			t.Errorf("%s: %s %v\n%s", zone, v.Verdict, v.Reasons, d)
		}
		b.exec("DELETE FROM main.events.src WHERE seq < 900")
		v = b.verify(pipeline.VerifyRequest{RunID: b.load(job), Block: 64})
		if v.Verdict != reconcile.Pass || v.Counts.Due != 207 {
			t.Errorf("%s: %s %+v %v", zone, v.Verdict, v.Counts, v.Reasons)
		}
		b.exec("DELETE FROM main.events.tgt WHERE seq IN (901, 968)") // of 21:01 and of 22:08
		v = b.verify(pipeline.VerifyRequest{})
		want = []reconcile.Day{{Day: "2026-03-01", Due: 207, Loaded: 201, Missing: 6, InFlight: 93}}
		if d := cmp.Diff(want, v.ByDay); d != "" {
			t.Errorf("%s: %v\n%s", zone, v.Reasons, d)
		}
	}
}

// TimescaleDB#4884, lightdash#24252: an hour that clocks repeat. Where the history is printed without offsets in it, a
// commit may be of before the run or of after it: then nothing is claimed. Fault: ReadInstant takes the later instant.
func TestSessionTimeZoneGoesBack(t *testing.T) {
	t.Parallel()
	for minutes, verdict := range map[int]reconcile.Verdict{70: reconcile.Inconclusive, 125: reconcile.Pass} {
		b := open(t, func(o *local.Options) {
			o.Start = time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC) // two o'clock in Berlin, for the first time
			o.Behaviour.SessionZone = "Europe/Berlin"
		})
		b.tables("INT", "")
		job := b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
		b.advance(50 * time.Minute)
		b.exec("INSERT INTO main.events.src SELECT 0, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-10-24T00:00:00Z') FROM range(100)")
		b.advance(time.Duration(minutes-50) * time.Minute)
		v := b.verify(pipeline.VerifyRequest{RunID: b.load(job)})
		if v.Verdict != verdict || (verdict == reconcile.Inconclusive) != has(v, reconcile.CodeZone, "clocks went back") {
			t.Errorf("a run after %d minutes: %s %+v %v", minutes, v.Verdict, v.Counts, v.Reasons)
		}
	}
}

// Nike-Inc/spark-expectations#63: the plan was evaluated anew between counts and lists. Here somebody writes to both
// tables after every statement of the verification. Fault: Side.at names no version.
func TestTablesThatMove(t *testing.T) {
	t.Parallel()
	var moving atomic.Bool
	var n atomic.Int64
	b, job := loaded(t, change(t, func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
		result, err := inner.Run(ctx, s)
		if err != nil || !moving.Load() {
			return result, err
		}
		for _, sql := range []string{
			fmt.Sprintf("DELETE FROM main.events.tgt WHERE seq = %d", 100+n.Load()),
			fmt.Sprintf("INSERT INTO main.events.src VALUES (0, %d, TIMESTAMP'2026-03-01T06:00:00Z')", 2000+n.Load()),
			fmt.Sprintf("DELETE FROM main.events.src WHERE seq = %d", 50+n.Add(1)),
		} {
			moved, err := inner.Run(ctx, engine.Statement{Text: sql, Now: s.Now})
			if err != nil {
				return nil, errors.Join(err, result.Close())
			}
			if err := moved.Close(); err != nil {
				return nil, errors.Join(err, result.Close())
			}
		}
		return result, nil
	}))
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7")
	id := b.load(job)
	moving.Store(true)
	v := b.verify(pipeline.VerifyRequest{RunID: id, Block: 64})
	moving.Store(false)
	if n.Load() < 5 {
		t.Fatalf("the tables moved %d times", n.Load())
	}
	b.expect(v, reconcile.Fail, map[key]reconcile.State{{"1", 7}: reconcile.Skipped})
	if v.Counts.Due != 2907 || v.Counts.InFlight != 93 {
		t.Errorf("%+v", v.Counts)
	}
}

// digicert/pkilint#76 and four others: an exit code that counts wraps to success at 256. Fault: Verified returns the
// number of missing rows.
func TestExitCodeIsNoCount(t *testing.T) {
	t.Parallel()
	for _, missing := range []int{1, 255, 256, 512, 65536} {
		v := reconcile.Verification{Verdict: reconcile.Fail, Counts: reconcile.Counts{Due: 100_000, Missing: int64(missing), Skipped: int64(missing)}}
		if code := run.Verified(v); code != run.Loss || int(code)%256 == 0 {
			t.Errorf("%d missing: exit %d", missing, code)
		}
	}
}

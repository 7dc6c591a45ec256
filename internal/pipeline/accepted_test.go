package pipeline_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// acceptedText is what a list of accepted ranges says, a line each.
func acceptedText(t *testing.T, all reconcile.List[reconcile.Range]) string {
	t.Helper()
	var lines []string
	for r, err := range all.All() {
		if err != nil {
			t.Fatal(err)
		}
		if r.State != reconcile.Accepted || r.Cause != reconcile.CauseAccepted || r.Acceptance.By == "" || r.Acceptance.At.IsZero() || r.RecoverFrom != "" {
			t.Errorf("%+v", r)
		}
		lines = append(lines, fmt.Sprintf("%s:%d-%d %d %s: %s", r.Partition, r.From, r.To, r.Rows, r.Was, r.Acceptance.Reason))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Three partitions of 1000 rows, of which 969 are due. Of 51 that are deleted and one that is doubled, those accepted are in
// no count but their own, and the verdict is of the others. A later verification remembers; rows that come back change
// nothing.
func TestAccepted(t *testing.T) {
	t.Parallel()
	b, _, r := remembering(t)
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq BETWEEN 100 AND 149 OR p = 2 AND seq = 7")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 0 AND seq = 10")
	accept := func(partition string, from, to int64) {
		r.Accept = append(r.Accept, pipeline.Accepted{Partition: partition, From: from, To: to, Reason: fmt.Sprintf("because of %d", from)})
	}
	accept("1", 90, 119)
	accept("02", 0, 9) // the same number
	accept("0", 10, 10)
	accept("0", 500, 600)
	accept("0", 990, 2000) // in flight, which nobody can miss
	v := b.verify(r)
	want := map[key]reconcile.State{}
	for seq := int64(120); seq < 150; seq++ {
		want[key{"1", seq}] = reconcile.Skipped
	}
	b.expect(v, reconcile.Fail, want)
	if d := cmp.Diff(reconcile.Counts{Due: 2886, Loaded: 2856, Missing: 30, Skipped: 30, InFlight: 93, Accepted: 22}, v.Counts); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]reconcile.Day{{Day: "2026-03-01", Due: 2886, Loaded: 2856, Missing: 30, InFlight: 93}}, v.ByDay); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("0:10-10 1 duplicate: because of 10\n1:100-119 20 skipped: because of 90\n2:7-7 1 skipped: because of 0", acceptedText(t, v.Accepted)); d != "" {
		t.Error(d)
	}
	for _, text := range []string{"nothing of the accepted range 0:500-600", "nothing of the accepted range 0:990-2000", "22 rows"} {
		if !has(v, reconcile.CodeAccepted, text) {
			t.Errorf("%q is not said: %v", text, v.Reasons)
		}
	}
	if run.Verified(v) != run.Loss {
		t.Errorf("exit %d", run.Verified(v))
	}

	r.Accept = nil
	accept("1", 110, 149) // what both name is the first one's
	b.advance(2 * time.Second)
	v = b.verify(r)
	b.expect(v, reconcile.Pass, nil)
	if v.Counts.Accepted != 52 || v.Counts.Due != 2856 || run.Verified(v) != run.Pass {
		t.Errorf("exit %d %+v", run.Verified(v), v.Counts)
	}
	if d := cmp.Diff("0:10-10 1 duplicate: because of 10\n1:100-119 20 skipped: because of 90\n1:120-149 30 skipped: because of 110\n2:7-7 1 skipped: because of 0", acceptedText(t, v.Accepted)); d != "" {
		t.Error(d)
	}

	r.Accept = nil
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq BETWEEN 100 AND 149")
	v = b.verify(r)
	b.expect(v, reconcile.Pass, nil)
	if v.Counts.Accepted != 2 || v.Counts.Due != 2906 || has(v, reconcile.CodeAccepted, "nothing of") {
		t.Errorf("%+v %v", v.Counts, v.Reasons)
	}
	got := b.recover(pipeline.RecoverRequest{VerifyRequest: r})
	if got.Wanted != 0 {
		t.Errorf("%d accepted keys are to be recovered", got.Wanted)
	}
}

// Everything accepted is nothing compared, and that is no pass.
func TestAllAccepted(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("STRING", "")
	b.job(promise(coverage.SettleNewestEvent), loaderSQL(coverage.SettleNewestEvent))
	b.exec("INSERT INTO main.events.src SELECT 'it''s', id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-01T22:00:00Z') FROM range(300)")
	b.exec("INSERT INTO main.events.tgt SELECT 'another', 1, TIMESTAMP'2026-03-01T22:00:00Z'")
	b.advance(time.Minute)
	r := pipeline.VerifyRequest{Contract: promise(coverage.SettleNewestEvent), ReadAt: b.Now(), EvidencePath: filepath.Join(t.TempDir(), "kept"),
		Accept: []pipeline.Accepted{{Partition: "it's", From: -5, To: 268, Reason: "never wanted"}}}
	v := b.verify(r)
	b.expect(v, reconcile.Inconclusive, nil)
	if v.Counts.Accepted != 269 || v.Counts.Due != 0 || len(v.ByDay) != 1 || !has(v, reconcile.CodeNothingDue, "") {
		t.Errorf("%+v %+v %v", v.Counts, v.ByDay, v.Reasons)
	}
}

func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	for _, c := range []struct {
		accept pipeline.Accepted
		says   string
	}{
		{pipeline.Accepted{Partition: "0", From: 1, To: 2, Reason: "  "}, "no reason"},
		{pipeline.Accepted{Partition: "0 OR 1=1", From: 1, To: 2, Reason: "x"}, "no partition"},
		{pipeline.Accepted{Partition: "", From: 1, To: 2, Reason: "x"}, "no partition"},
	} {
		_, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", EvidencePath: filepath.Join(t.TempDir(), "kept"), Accept: []pipeline.Accepted{c.accept}})
		if !errors.Is(err, pipeline.ErrConfiguration) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.accept, err)
		}
	}
}

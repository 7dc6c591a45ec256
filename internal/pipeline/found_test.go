package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// What was found missing while it could be read stays known when no version shows it any more: lost, with the cause that
// was found, and since when. However often it is recalled, the proof stays as it was.
func TestFoundBefore(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.exec("ALTER TABLE main.events.src SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 2 hours')")
	b.produce(1000, 1100)
	b.exec("DELETE FROM main.events.src WHERE seq BETWEEN 1000 AND 1009") // unread
	b.advance(time.Minute)
	b.produce(1100, 1200)
	b.load(job)
	v := b.verify(r)
	first := all(t, v.Missing)
	if v.Verdict != reconcile.Fail || v.Counts.Expired != 30 || first[0].Cause == "" || first[0].RecoverableUntil.IsZero() {
		t.Fatalf("%s %+v %+v", v.Verdict, v.Counts, first)
	}
	b.advance(3 * time.Hour) // by now version and cause can be read no more
	b.produce(1200, 1300)
	b.load(job)
	var proof string
	for range 2 {
		v = b.verify(r)
		lost := all(t, v.Missing)
		if v.Verdict != reconcile.Fail || v.Counts.Lost != 30 || len(lost) != 3 || v.Counts.Undecidable != 0 {
			t.Fatalf("%s %+v %v", v.Verdict, v.Counts, v.Reasons)
		}
		l := lost[0]
		if l.From != 1000 || l.To != 1009 || l.Cause != first[0].Cause || !strings.Contains(l.Proof, first[0].Proof) || !l.GoneSince.Equal(first[0].RecoverableUntil) || !l.RecoverableUntil.IsZero() {
			t.Errorf("%+v, first found as %+v", l, first[0])
		}
		due := int64(0)
		for _, d := range v.ByDay {
			due += d.Due
		}
		if due != v.Counts.Due {
			t.Errorf("%d are due, and %d by day", v.Counts.Due, due)
		}
		if proof != "" && proof != l.Proof {
			t.Errorf("the proof grew: %s", l.Proof)
		}
		proof = l.Proof
	}
	gone := b.recover(pipeline.RecoverRequest{VerifyRequest: r})
	for _, one := range all(t, gone.Ranges) {
		if one.Outcome != pipeline.Gone || !one.GoneSince.Equal(first[0].RecoverableUntil) {
			t.Errorf("%s since %s", one.Outcome, one.GoneSince)
		}
	}
}

// A finding whose rows came back says nothing of the range any more; nor do findings of other keys.
func TestFoundAndBack(t *testing.T) {
	t.Parallel()
	b, job, r := remembering(t)
	b.produce(1000, 1010)
	b.exec("DELETE FROM main.events.src WHERE seq BETWEEN 1000 AND 1004")
	b.advance(time.Minute)
	b.produce(1010, 1100)
	b.load(job)
	if v := b.verify(r); v.Counts.Expired != 15 {
		t.Fatalf("%+v %v", v.Counts, v.Reasons)
	}
	if got := b.recover(pipeline.RecoverRequest{VerifyRequest: r, Apply: true}); got.Returned != 15 {
		t.Fatalf("%+v", got)
	}
	if v := b.verify(r); v.Verdict != reconcile.Pass {
		t.Errorf("%s %v", v.Verdict, v.Reasons)
	}
}

package reconcile

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A gap that more versions may explain than are read: it stays undecidable, with a proof and a doubt that say why.
func TestSearchBound(t *testing.T) {
	t.Parallel()
	const more = 7
	now := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	s := &Search{Complete: true, Extents: map[string]*Extent{"0": {InSource: true, InTarget: true, SourceLow: 0, SourceHigh: 1000, TargetLow: 0, TargetHigh: 1000}}}
	var extents []VersionExtent
	var versions []int64
	for v := int64(mostRead + more); v > 0; v-- {
		at := now.Add(time.Duration(v) * time.Hour)
		s.Candidates = append(s.Candidates, Candidate{Version: v, Committed: at, RemovedBy: Commit{Version: v + 1, At: at.Add(time.Hour), Operation: "DELETE"}})
		extents, versions = append(extents, VersionExtent{v, "0", 2, 0, 1000}), append(versions, v)
	}
	s.Begin()
	if err := s.Sampled(versions, func(yield func(VersionExtent, error) bool) {
		for _, e := range extents {
			if !yield(e, nil) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	g := Gap{Span: Span{"0", 10, 19}}
	if _, err := s.Want(func(yield func(Gap, error) bool) { yield(g, nil) }); err != nil {
		t.Fatal(err)
	}
	for next := s.Next(); len(next) > 0; next = s.Next() {
		s.Done(next)
	}
	if g.Unread = s.Unread(g); g.Unread != more || len(s.Read()) != mostRead || s.NeverThere(g) {
		t.Fatalf("%d read, %d not", len(s.Read()), g.Unread)
	}
	got := slices.Collect((&Inquiry{Verified: -1}).Neither(g))
	if len(got) != 1 || got[0].State != Undecidable || got[0].Unread != more || !strings.Contains(got[0].Proof, "7 versions of the source that may hold them were not read") {
		t.Fatalf("%+v", got)
	}
	tally := &Tally{Causes: map[string]int64{}}
	tally.Counts.Due = 1
	tally.Add(got[0])
	var v Verification
	tally.Judge(&v)
	if v.Verdict != Inconclusive || !slices.ContainsFunc(v.Reasons, func(r Reason) bool { return r.Code == CodeBound && strings.Contains(r.Text, "7 versions") }) {
		t.Errorf("%s %v", v.Verdict, v.Reasons)
	}
	if !slices.ContainsFunc(tally.Unsettled(), func(r Reason) bool { return r.Code == CodeBound }) {
		t.Error("settled")
	}
}

package reconcile

import (
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

// begun is a loader that has read two partitions at 07:00: 59 minutes of events, of which those before 06:29 were due.
func begun() *paper {
	w := newPaper()
	w.come(59, "a", 20, 59)
	w.come(59, "b", 20, 59)
	w.run(60, "a", 20, 28, "b", 20, 28)
	return w
}

// later lets a quarter of an hour's events come; b waits if quiet.
func (w *paper) later(at int) {
	w.come(at, "a", int64(at-15), int64(at-1))
	w.come(at, "b", int64(at-15), int64(at-1))
}

// Every leaf of the tree, by hand. Sequences are minutes of event times: at 07:15, with the newest event of 07:14, those
// before 06:44 are due.
func TestLeaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(w *paper)
		key  string
		want []string // the beginning of what is said, and parts of it
	}{
		"watermark passed: came late": {func(w *paper) {
			w.set(61, "a", 19, 19) // 42 minutes late
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43)
		}, "a/19", []string{"skipped watermark_passed", "run 1 (read 2026-03-02T07:00:00Z, source version 2", "had moved the partition to sequence 28 before these rows were in the source"}},
		"watermark passed: bumped": {func(w *paper) {
			w.set(74, "a", 40, 60)
			w.later(75)
			w.run(75, "a", 29, 39, "a", 41, 43, "b", 29, 43)
			w.later(90)
			w.later(105)
			w.run(105, "a", 44, 73, "b", 44, 73)
		}, "a/40", []string{"skipped watermark_passed", "run 2 (read 2026-03-02T07:15:00Z, source version 5, event times before 2026-03-02T06:44:00Z) moved the partition to sequence 43"}},
		"isolated: the last of a batch": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 42, "b", 29, 43)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
		}, "a/43", []string{"skipped isolated", "run 3 (read 2026-03-02T07:30:00Z"}},
		"watermark passed: unseen": {func(w *paper) {
			w.set(61, "a", 35, 50) // due later than its neighbours
			w.later(75)
			w.run(75, "b", 29, 43) // nothing of a: 29 to 43 but 35 were due
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
		}, "a/35", []string{"skipped watermark_passed", "run 2 (read 2026-03-02T07:15:00Z", "had sequence 43 of the partition to load, which has never been in the target"}},
		"watermark passed: by others": {func(w *paper) {
			w.others(61, "a", 50, 50)
			w.later(75)
			w.run(75, "b", 29, 43)
		}, "a/40", []string{"skipped watermark_passed", "target version 2 (2026-03-02T07:01:00Z), which no run that succeeded made, put the partition at sequence 50"}},
		"watermark passed: by others, before a run read on above": {func(w *paper) {
			w.others(61, "a", 35, 35)
			w.later(75)
			w.run(75, "a", 36, 43, "b", 29, 43)
		}, "a/34", []string{"skipped watermark_passed", "put the partition at sequence 35"}},
		"isolated": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 34, "a", 36, 43, "b", 29, 43)
		}, "a/35", []string{"skipped isolated", "run 2 (read 2026-03-02T07:15:00Z, source version 4, event times before 2026-03-02T06:44:00Z), which wrote the partition up to sequence 43 without these rows"}},
		"isolated: the only row": {func(w *paper) {
			w.come(74, "b", 60, 60)
			w.run(75, "b", 29, 29)
			w.come(76, "a", 61, 61)
			w.run(76, "a", 30, 30, "b", 30, 30)
		}, "a/29", []string{"skipped isolated", "run 2 (read 2026-03-02T07:15:00Z", "the only row of the partition that was"}},
		"batch lost: nothing written at all": {func(w *paper) {
			w.later(75)
			w.run(75)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
		}, "a/35", []string{"skipped batch_lost", "run 2 (read 2026-03-02T07:15:00Z, source version 4, event times before 2026-03-02T06:44:00Z) ended well and wrote nothing in the partition: none of the 15 rows"}},
		"batch lost: and gone": {func(w *paper) {
			w.later(75)
			w.run(75)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
			w.leave(160, 40)
			w.later(165)
			w.run(165, "a", 59, 59, "b", 59, 59)
		}, "a/35", []string{"expired batch_lost", "none of the 15 rows"}},
		"batch lost: of one partition": {func(w *paper) {
			w.later(75)
			w.run(75, "b", 29, 43)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
		}, "a/36", []string{"skipped batch_lost", "run 2 (read 2026-03-02T07:15:00Z", "none of the 15 rows"}},
		"batch lost: by a run that failed": {func(w *paper) {
			w.later(75)
			w.load(75, Load{Failed: true})
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
		}, "a/36", []string{"skipped batch_lost", "run 2 (read 2026-03-02T07:15:00Z", "failed and wrote nothing"}},
		"isolated: a run that failed, and rows that came later": {func(w *paper) {
			w.later(75)
			w.load(75, Load{Failed: true})
			w.later(90)
			w.run(90, "a", 29, 35, "a", 37, 58, "b", 29, 58)
		}, "a/36", []string{"skipped isolated", "run 3"}},
		"new partition: late": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43)
		}, "c/22", []string{"late new_partition", "run 2 (read 2026-03-02T07:15:00Z", "has never had a row of this one"}},
		"new partition: begun above": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43)
			w.come(88, "c", 45, 50)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58, "c", 45, 50)
		}, "c/22", []string{"skipped new_partition", "run 2 (read 2026-03-02T07:15:00Z", "began it above these rows"}},
		"new partition: begun above by the run that saw it first": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43, "c", 24, 25)
			w.edit = func(q *Inquiry) { q.Extents["c"] = &Extent{InTarget: true, TargetLow: 24, TargetHigh: 25} }
		}, "c/22", []string{"skipped new_partition", "run 2 (read 2026-03-02T07:15:00Z", "began it at sequence 24"}},
		"isolated: the first row of a partition": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43, "c", 21, 25)
			w.edit = func(q *Inquiry) { q.Extents["c"] = &Extent{InTarget: true, TargetLow: 21, TargetHigh: 25} }
		}, "c/20", []string{"skipped isolated", "run 2 (read 2026-03-02T07:15:00Z"}},
		"new partition: begun above by a run that had nothing else": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.run(62)
			w.come(88, "c", 45, 50)
			w.later(90)
			w.run(90, "a", 29, 58, "b", 29, 58, "c", 45, 50)
		}, "c/22", []string{"skipped new_partition", "run 2 (read 2026-03-02T07:02:00Z", "had all of the others"}},
		"batch lost: the first of a partition, with others": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75)
			w.come(88, "c", 45, 50)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58, "c", 45, 50)
		}, "c/22", []string{"skipped batch_lost", "none of the 6 rows"}},
		"idle partition: late": {func(w *paper) {
			w.later(75)
			w.run(75, "b", 29, 43)
			w.later(90)
			w.run(90, "b", 44, 58)
		}, "a/50", []string{"late idle_partition", "due at run 2 (read 2026-03-02T07:15:00Z", "and at run 3 (read 2026-03-02T07:30:00Z", "stood at 28"}},
		"idle partition: and gone": {func(w *paper) {
			for at := 75; at <= 180; at += 15 {
				w.later(at)
				w.leave(at, at-120)
				w.run(at, "b", at-46, at-32)
			}
		}, "a/30", []string{"expired idle_partition", "stood at 28"}},
		"unread: a limit": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 33, "b", 29, 43)
		}, "a/40", []string{"late unread", "run 2 (read 2026-03-02T07:15:00Z", "stopped at sequence 33"}},
		"unread: nothing written": {func(w *paper) {
			w.later(75)
			w.run(75)
		}, "a/40", []string{"late unread", "wrote nothing in the partition although these rows were due"}},
		"expired: a pause": {func(w *paper) {
			for at := 75; at <= 195; at += 15 {
				w.later(at)
				w.leave(at, at-120)
			}
			w.run(195, "a", 75, 163, "b", 75, 163)
		}, "a/40", []string{"expired expired_unread", "run 1 (read 2026-03-02T07:00:00Z, source version 2, event times before 2026-03-02T06:29:00Z)", "they left the source at 2026-03-02T08:45:00Z; the next, run 2 (read 2026-03-02T09:15:00Z", "2h15m later"}},
		"expired: a limit": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 33, "b", 29, 43)
			w.later(90)
			w.leave(165, 45)
			w.run(165, "a", 45, 58, "b", 45, 58)
		}, "a/40", []string{"expired expired_unread", "run 2 (read 2026-03-02T07:15:00Z", "stopped at sequence 33"}},
		"expired: a loader that does nothing": {func(w *paper) {
			for at := 75; at <= 195; at += 15 {
				w.later(at)
				w.leave(at, at-120)
				w.run(at)
			}
		}, "a/40", []string{"expired expired_unread", "due at 6 runs from run 2 (read 2026-03-02T07:15:00Z", "all of which wrote nothing"}},
		"silence": {func(w *paper) {
			w.leave(175, 55) // the newest event is of 06:59
			w.later(190)
			w.run(190, "a", 55, 59, "b", 55, 59)
		}, "a/40", []string{"expired silence", "with the newest event at 2026-03-02T06:59:00Z, only event times before 2026-03-02T06:29:00Z were"}},
		"source shrank: the next run would have found them": {func(w *paper) {
			w.later(75)
			w.leave(76, 42)
			w.run(77, "a", 42, 43, "b", 42, 43)
		}, "a/35", []string{"expired source_shrank", "left the source at 2026-03-02T07:16:00Z (commit 5, DELETE), younger than the 2h promised; run 2 (read 2026-03-02T07:17:00Z"}},
		"source shrank: before they were due": {func(w *paper) {
			w.window = 0
			w.wall = true
			w.leave(62, 45)
			w.later(90)
			w.run(90, "a", 45, 58, "b", 45, 58)
		}, "a/40", []string{"expired source_shrank", "less than the settle delay of 30m"}},
		"deleted in the target": {func(w *paper) {
			commit(&w.target, 61, "DELETE", func(v paperVersion) { delete(v.rows, paperKey{"a", 25}) })
			w.edit = func(q *Inquiry) {
				q.SetDeleted(list[Sight]{{Span{Partition: "a", From: 25, To: 25}, 1}})
			}
		}, "a/25", []string{"skipped deleted_in_target", "in target version 1 until commit 2 (DELETE at 2026-03-02T07:01:00Z)"}},
		"deleted in the target: by the ledger": {func(w *paper) {
			commit(&w.target, 61, "DELETE", func(v paperVersion) { delete(v.rows, paperKey{"a", 25}) })
			w.edit = func(q *Inquiry) {
				q.Unlooked = &Commit{Version: 2, At: minute(61), Operation: "DELETE"}
				q.Ledger = []evidence.Verified{{Partition: "a", Low: 20, High: 28, TargetVersion: 1, VerifiedAt: minute(60)}}
			}
		}, "a/25", []string{"skipped deleted_in_target", "verified at target version 1 (2026-03-02T07:00:00Z), before commit 2"}},
		"undecidable: deleted, or never loaded": {func(w *paper) {
			commit(&w.target, 61, "DELETE", func(v paperVersion) { delete(v.rows, paperKey{"a", 25}) })
			w.edit = func(q *Inquiry) { q.Unlooked = &Commit{Version: 2, At: minute(61), Operation: "DELETE"} }
		}, "a/25", []string{"skipped undecidable", "a ledger of what was verified by then would have decided"}},
		"key epoch": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 34, "a", 36, 43, "b", 29, 43)
			w.edit = func(q *Inquiry) { q.Restarted["a"] = "sequences begin anew" }
		}, "a/35", []string{"skipped key_epoch", "sequences begin anew"}},
		"undecidable: due while a run was reading": {func(w *paper) {
			w.wall = true
			w.later(75)
			w.run(75, "a", 29, 43, "a", 47, 47, "b", 29, 43)
		}, "a/45", []string{"doomed undecidable", "their event times lie within the time in which run 2 may have read"}},
		"undecidable: runs that are not on record": {func(w *paper) {
			w.forgotten = true
			w.later(75)
			w.leave(160, 60)
			w.run(165, "a", 60, 60, "b", 60, 60)
			w.loads = w.loads[1:]
			w.loads[0].RunID = 1
		}, "a/40", []string{"expired undecidable", "records of the runs before"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kept := range []bool{false, true} {
				w := begun()
				w.kept = kept
				c.play(w)
				said, err := w.find()
				if err != nil {
					t.Fatal(err)
				}
				got := said[c.key]
				if !strings.HasPrefix(got, c.want[0]+":") {
					t.Errorf("kept %t: %s is %q, want %q", kept, c.key, got, c.want[0])
				}
				for _, part := range c.want[1:] {
					if !strings.Contains(got, part) {
						t.Errorf("kept %t: %s is %q, which lacks %q", kept, c.key, got, part)
					}
				}
			}
		})
	}
}

// Without versions of before they left, manifests alone tell the same; without those nothing is told.
func TestLeavesByManifests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(w *paper)
		key  string
		want string
	}{
		"batch lost": {func(w *paper) {
			w.later(75)
			w.run(75)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58)
			w.leave(160, 40)
			w.later(165)
			w.run(165, "a", 59, 59, "b", 59, 59)
		}, "a/35", "lost batch_lost"},
		"isolated": {func(w *paper) {
			w.later(75)
			w.run(75, "a", 29, 34, "a", 36, 43, "b", 29, 43)
			w.leave(160, 40)
			w.later(165)
			w.run(165, "a", 44, 59, "b", 44, 59)
		}, "a/35", "lost isolated"},
		"expired unread": {func(w *paper) {
			for at := 75; at <= 195; at += 15 {
				w.later(at)
				w.leave(at, at-120)
			}
			w.run(195, "a", 75, 163, "b", 75, 163)
		}, "a/40", "lost expired_unread"},
		"silence": {func(w *paper) {
			w.leave(175, 55)
			w.later(190)
			w.run(190, "a", 55, 59, "b", 55, 59)
		}, "a/40", "lost silence"},
		"idle partition": {func(w *paper) {
			for at := 75; at <= 180; at += 15 {
				w.later(at)
				w.leave(at, at-120)
				w.run(at, "b", at-46, at-32)
			}
		}, "a/30", "lost idle_partition"},
		"new partition": {func(w *paper) {
			w.come(61, "c", 20, 25)
			w.later(75)
			w.run(75, "a", 29, 43, "b", 29, 43)
			w.come(88, "c", 45, 50)
			w.later(90)
			w.run(90, "a", 44, 58, "b", 44, 58, "c", 45, 50)
			w.leave(160, 40)
			w.later(165)
			w.run(165, "a", 59, 59, "b", 59, 59)
		}, "c/22", "lost new_partition"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kept := range []bool{false, true} {
				w := begun()
				c.play(w)
				w.kept, w.unreadable = kept, len(w.source)-1
				said, err := w.find()
				if err != nil {
					t.Fatal(err)
				}
				want := c.want
				if !kept {
					want = "undecidable undecidable"
				}
				if got := said[c.key]; !strings.HasPrefix(got, want+":") {
					t.Errorf("kept %t: %s is %q, want %q", kept, c.key, got, want)
				}
			}
		})
	}
}

// A manifest of before sequences could come, and one of after, neither of which lists them: they never came.
func TestUpstreamGap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play func(w *paper)
		want string
	}{
		"nothing has left": {func(*paper) {}, "nothing has left the source since"},
		"manifests before all that left": {func(w *paper) {
			w.leave(150, 30)
			w.later(150)
			w.run(151, "a", 60, 69, "b", 60, 69)
		}, "a manifest was kept before each commit"},
		"by the window": {func(w *paper) {
			w.leave(120, 25)
			w.come(121, "a", 81, 82)
			w.run(122, "a", 63, 69, "b", 50, 51)
			w.edit = func(q *Inquiry) { q.Kept = append(q.Kept[:5:5], q.Kept[6:]...) }
		}, "the source promises to keep rows for 2h"},
		"no promise, and not every version kept": {func(w *paper) {
			w.window = 0
			w.leave(150, 30)
			w.later(150)
			w.run(151, "a", 60, 69, "b", 60, 69)
			w.edit = func(q *Inquiry) { q.Kept = append(q.Kept[:5:5], q.Kept[6:]...) }
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := begun()
			w.kept = true
			w.come(75, "a", 63, 69)
			w.come(76, "b", 60, 74)
			w.come(100, "a", 70, 80)
			w.run(105, "a", 29, 59, "b", 29, 49)
			c.play(w)
			q := w.inquiry()
			for r := range q.Neither(Gap{Span: Span{Partition: "a", From: 60, To: 62}}) {
				switch {
				case c.want == "" && r.Cause == CauseUndecidable:
				case c.want != "" && r.Cause == CauseUpstreamGap && strings.Contains(r.Proof, c.want):
				default:
					t.Errorf("%+v, want %q", r, c.want)
				}
			}
		})
	}
}

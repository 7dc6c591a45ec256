package pipeline_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// scene is a pipeline in which a row's sequence is the minute of its event since 06:00, in partitions 0 and 1. A quarter
// of an hour brings fifteen rows of each, takes away what is older than two hours, and loads.
type scene struct {
	*bed
	job      int64
	contract contract.Contract
	evidence string
	// bumped rows have later event times, in minutes; withheld ones come when release is called.
	bumped   map[key]int
	withheld map[key]bool
	absent   map[string]bool // partitions without events
	silent   bool
	more     []string // further partitions
	loader   string   // of the loads to come; empty: as it should be
}

// The ways in which a scene is played. Without evidence no cause may be wrong; with it none may be open. Where old versions
// of the source cannot be read, manifests are all there is.
const (
	bare      = "without evidence"
	evident   = "with evidence"
	manifests = "with manifests alone"
)

func newScene(t *testing.T, mode string, clock coverage.Clock) *scene {
	t.Helper()
	properties := " TBLPROPERTIES ('watertight.rolling_window' = '2 hours'%s)"
	short := ""
	if mode == manifests {
		short = ", 'delta.deletedFileRetentionDuration' = 'interval 1 seconds', 'delta.logRetentionDuration' = 'interval 30 days'"
	}
	s := &scene{bed: open(t), contract: promise(clock), bumped: map[key]int{}, withheld: map[key]bool{}, absent: map[string]bool{}}
	s.tables("INT", fmt.Sprintf(properties, short))
	s.job = s.bed.job(s.contract, loaderSQL(clock))
	if mode != bare {
		s.evidence = filepath.Join(t.TempDir(), "evidence.jsonl")
	}
	return s
}

func (s *scene) minute() int { return int(s.Now().Sub(start) / time.Minute) }

func (s *scene) values(p string, from, to int) []string {
	var values []string
	for m := from; m < to; m++ {
		k := key{p, int64(m)}
		if !s.withheld[k] {
			values = append(values, fmt.Sprintf("(%s, %d, TIMESTAMP'%s')", p, m, start.Add(time.Duration(m+s.bumped[k])*time.Minute).Format("2006-01-02T15:04:05Z")))
		}
	}
	return values
}

// pass lets a quarter of an hour pass without a load.
func (s *scene) pass() {
	s.t.Helper()
	s.advance(start.Add(time.Duration(s.minute()/15*15+15) * time.Minute).Sub(s.Now()))
	now := s.minute()
	var values []string
	for _, p := range append([]string{"0", "1"}, s.more...) {
		if !s.silent && !s.absent[p] {
			values = append(values, s.values(p, now-15, now)...)
		}
	}
	if len(values) > 0 {
		s.exec("INSERT INTO main.events.src VALUES %s", strings.Join(values, ", "))
	}
	s.expire(2 * time.Hour)
	s.advance(5 * time.Second)
}

func (s *scene) expire(window time.Duration) {
	s.exec("DELETE FROM main.events.src WHERE u < TIMESTAMP'%s'", s.Now().Add(-window).Truncate(time.Minute).Format("2006-01-02T15:04:05Z"))
}

func (s *scene) release(k key) {
	delete(s.withheld, k)
	s.exec("INSERT INTO main.events.src VALUES %s", s.values(k.p, int(k.seq), int(k.seq)+1)[0])
}

// quarters pass, each with a load and a verification of it.
func (s *scene) quarters(n int) {
	s.t.Helper()
	for range n {
		s.pass()
		s.run()
	}
}

// run loads once.
func (s *scene) run() {
	s.t.Helper()
	sql := s.loader
	if sql == "" {
		sql = loaderSQL(s.contract.SettleClock)
	}
	if err := s.client.ImportFile(s.t.Context(), loaderFile, []byte(sql), true); err != nil {
		s.t.Fatal(err)
	}
	s.load(s.job)
	if s.evidence != "" {
		s.check()
	}
}

// pause lets quarters pass without a load; with evidence, manifests are kept.
func (s *scene) pause(n int) {
	s.t.Helper()
	for range n {
		s.pass()
		if s.evidence != "" {
			if _, _, err := pipeline.KeepManifest(s.t.Context(), s.client, s.contract, s.evidence); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

func (s *scene) check() reconcile.Verification {
	s.t.Helper()
	return s.verify(pipeline.VerifyRequest{Job: "load", Block: 16, EvidencePath: s.evidence})
}

// want is a range and what is to be said of it.
type want struct {
	p        string
	from, to int64
	state    reconcile.State
	cause    string
	proof    string // part of it
}

func (s *scene) expect(wants ...want) reconcile.Verification {
	s.t.Helper()
	v := s.check()
	type said struct {
		state        reconcile.State
		cause, proof string
	}
	got := map[key]said{}
	for r, err := range v.Missing.All() {
		if err != nil {
			s.t.Fatal(err)
		}
		for q := r.From; q <= r.To; q++ {
			got[key{r.Partition, q}] = said{r.State, r.Cause, r.Proof}
		}
	}
	bad := 0
	for _, w := range wants {
		for q := w.from; q <= w.to; q++ {
			g, ok := got[key{w.p, q}]
			if !ok || g.state != w.state || g.cause != w.cause || !strings.Contains(g.proof, w.proof) {
				s.t.Errorf("%s/%d: %+v, want %+v", w.p, q, g, w)
				bad++
			}
			if bad > 3 {
				return v
			}
			delete(got, key{w.p, q})
		}
	}
	for n, k := range slices.SortedFunc(maps.Keys(got), func(a, b key) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.seq, b.seq)) }) {
		if s.t.Errorf("%v is listed: %+v", k, got[k]); n == 2 {
			s.t.Errorf("and %d more", len(got)-3)
			break
		}
	}
	return v
}

// only is a loader that leaves out what a condition does not take.
func only(clock coverage.Clock, condition string) string {
	return loaderSQL(clock) + " AND (" + condition + ")"
}

// above is a loader with a position of its own.
func above(clock coverage.Clock, position int) string {
	return strings.Replace(loaderSQL(clock), "coalesce(t.last, -1)", fmt.Sprintf("greatest(coalesce(t.last, -1), %d)", position), 1)
}

func TestCauses(t *testing.T) {
	t.Parallel()
	const newest = coverage.SettleNewestEvent
	skipped, doomed, expired, late := reconcile.Skipped, reconcile.Doomed, reconcile.Expired, reconcile.Late
	for name, play := range map[string]func(s *scene, gone reconcile.State){
		"B kafka-connect-jdbc#27 a row later than its neighbours": func(s *scene, gone reconcile.State) {
			s.bumped[key{"0", 20}] = 30 // at 07:00 event times before 06:29 are due
			s.quarters(4)
			s.expect(want{"0", 20, 20, doomed, reconcile.CauseWatermarkPassed, "moved the partition to sequence 28"})
			s.quarters(3)
			s.expect(want{"0", 20, 20, skipped, reconcile.CauseWatermarkPassed, "took event times before 2026-03-02T06:29:00Z only"})
			s.quarters(5)
			s.expect(want{"0", 20, 20, gone, reconcile.CauseWatermarkPassed, "moved the partition to sequence 28"})
		},
		"B2 a row that came later than its event time says": func(s *scene, gone reconcile.State) {
			s.withheld[key{"1", 20}] = true
			s.quarters(4)
			s.advance(time.Minute)
			s.release(key{"1", 20})
			s.quarters(1)
			s.expect(want{"1", 20, 20, skipped, reconcile.CauseWatermarkPassed, "before these rows were in the source"})
			s.quarters(5)
			s.expect(want{"1", 20, 20, gone, reconcile.CauseWatermarkPassed, "before these rows were in the source"})
		},
		"C drt#1074 the position saved, the write lost": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.loader = "SELECT 1"
			s.quarters(1) // had to load 29 to 43
			s.loader = above(newest, 43)
			s.quarters(1)
			s.loader = ""
			s.expect(want{"0", 29, 43, skipped, reconcile.CauseBatchLost, "none of the 15 rows"}, want{"1", 29, 43, skipped, reconcile.CauseBatchLost, "ended well and wrote nothing"})
			s.quarters(6)
			s.expect(want{"0", 29, 43, gone, reconcile.CauseBatchLost, "none of the 15 rows"}, want{"1", 29, 43, gone, reconcile.CauseBatchLost, ""})
		},
		"J delta-io/delta#527 single rows taken out": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.loader = only(newest, "NOT (s.p = 0 AND s.seq IN (33, 35))")
			s.quarters(1)
			s.loader = ""
			s.expect(want{"0", 33, 33, skipped, reconcile.CauseIsolated, "sequence 43 without these rows"}, want{"0", 35, 35, skipped, reconcile.CauseIsolated, ""})
			s.quarters(6)
			s.expect(want{"0", 33, 33, gone, reconcile.CauseIsolated, ""}, want{"0", 35, 35, gone, reconcile.CauseIsolated, ""})
		},
		"D azure-event-hubs-spark#500 a partition begun at its latest": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.more = []string{"7"}
			s.loader = only(newest, "s.p < 7")
			s.quarters(3) // 60 to 73 are due by now
			s.expect(want{"7", 60, 73, late, reconcile.CauseNewPartition, "has never had a row of this one"})
			s.loader = only(newest, "s.p < 7 OR s.seq > 73")
			s.quarters(1)
			s.expect(want{"7", 60, 73, skipped, reconcile.CauseNewPartition, "the loader began it above these rows"})
			s.quarters(6)
			s.expect(want{"7", 60, 73, gone, reconcile.CauseNewPartition, ""})
		},
		"E dbt-core#5517 a partition whose watermark stands": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.loader = only(newest, "s.p = 0")
			s.quarters(3)
			s.expect(want{"1", 29, 73, late, reconcile.CauseIdlePartition, "stood at 28"})
			s.quarters(7)
			s.expect(want{"1", 29, 89, gone, reconcile.CauseIdlePartition, "at 28"}, want{"1", 90, 178, late, reconcile.CauseIdlePartition, "at 28"})
		},
		"Q dbt-core#10867 a limit": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.loader = only(newest, "s.p = 1 OR s.seq < 33")
			s.quarters(1)
			s.expect(want{"0", 33, 43, late, reconcile.CauseUnread, "stopped at sequence 32"})
		},
		"R32 flyteorg/flytekit#2819 a run that succeeds and writes nothing": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.loader = "SELECT 1"
			s.quarters(1)
			s.expect(want{"0", 29, 43, late, reconcile.CauseUnread, "wrote nothing in the partition"}, want{"1", 29, 43, late, reconcile.CauseUnread, ""})
		},
		"A azure-event-hubs-spark#378 a pause longer than the window": func(s *scene, gone reconcile.State) {
			s.quarters(4) // the last read at 07:00 took event times before 06:29
			s.pause(10)
			s.quarters(1) // 09:45: what is older than 07:45 is gone
			const proof = "took event times before 2026-03-02T06:29:00Z; they left the source"
			s.expect(want{"0", 29, 104, gone, reconcile.CauseExpiredUnread, proof}, want{"1", 29, 104, gone, reconcile.CauseExpiredUnread, "2h45m later"})
		},
		"newest_event: all partitions silent": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.silent = true
			s.quarters(12) // until 10:00; 29 to 59 were never due
			s.silent = false
			s.quarters(3)
			s.expect(want{"0", 29, 59, gone, reconcile.CauseSilence, "with the newest event at 2026-03-02T06:59:00Z"}, want{"1", 29, 59, gone, reconcile.CauseSilence, "no run could have read them"})
		},
		"P rows gone before the window": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.pass()
			s.expire(33 * time.Minute) // at 07:15, before the load: event times before 06:42
			s.run()
			young := gone
			if gone == reconcile.Lost { // the last manifest, of 07:00, does not tell which were due by 07:15
				young = doomed
			}
			s.expect(want{"0", 29, 29, gone, reconcile.CauseSourceShrank, "younger than the 2h promised"}, want{"0", 30, 41, young, reconcile.CauseSourceShrank, "would have found them there"},
				want{"1", 29, 29, gone, reconcile.CauseSourceShrank, ""}, want{"1", 30, 41, young, reconcile.CauseSourceShrank, ""})
		},
		"P rows gone before they were due": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.pass()
			s.exec("DELETE FROM main.events.src WHERE seq BETWEEN 50 AND 54")
			s.quarters(3)
			s.expect(want{"0", 50, 54, gone, reconcile.CauseSourceShrank, "younger than the 2h promised"}, want{"1", 50, 54, gone, reconcile.CauseSourceShrank, ""})
		},
		"R rows deleted from the target": func(s *scene, gone reconcile.State) {
			s.quarters(6)
			s.exec("DELETE FROM main.events.tgt WHERE p = 0 AND seq BETWEEN 3 AND 5 OR p = 1 AND seq > 55")
			s.expect(want{"0", 3, 5, skipped, reconcile.CauseDeleted, "until commit"}, want{"1", 56, 58, skipped, reconcile.CauseDeleted, "(DELETE at 2026-03-02T07:30"})
		},
		"R the target restored": func(s *scene, gone reconcile.State) {
			s.quarters(6)
			s.exec("RESTORE TABLE main.events.tgt TO VERSION AS OF 2")
			s.expect(want{"0", 29, 58, skipped, reconcile.CauseDeleted, "RESTORE"}, want{"1", 29, 58, skipped, reconcile.CauseDeleted, ""})
		},
		"R the target truncated": func(s *scene, gone reconcile.State) {
			s.quarters(4)
			s.exec("TRUNCATE TABLE main.events.tgt")
			s.expect(want{"0", 0, 28, skipped, reconcile.CauseDeleted, "TRUNCATE"}, want{"1", 0, 28, skipped, reconcile.CauseDeleted, ""})
		},
		"nothing wrong, with a gap from upstream and an idle partition": func(s *scene, gone reconcile.State) {
			for m := range int64(6) {
				s.withheld[key{"0", 40 + m}] = true
			}
			s.quarters(4)
			s.absent["1"] = true
			s.quarters(12)
			s.absent["1"] = false
			s.quarters(4)
			s.expect() // 60 to 239 of partition 1 never were
		},
	} {
		for _, mode := range []string{bare, evident, manifests} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				gone := expired
				if mode == manifests {
					gone = reconcile.Lost
				}
				play(newScene(t, mode, newest), gone)
			})
		}
	}
}

// F delta-io/delta#1141: what was written twice by one run, and what by two.
func TestDuplicateCauses(t *testing.T) {
	t.Parallel()
	s := newScene(t, bare, coverage.SettleNewestEvent)
	s.quarters(30)
	s.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 0 AND seq BETWEEN 3 AND 5 OR p = 1 AND seq = 300")
	whole := loaderSQL(coverage.SettleNewestEvent)
	s.loader = whole + " UNION ALL " + strings.TrimPrefix(whole, "INSERT INTO main.events.tgt ")
	s.quarters(1)
	s.loader = ""
	s.quarters(30)
	s.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq = 800")
	v := s.check()
	got := map[string]string{}
	for d, err := range v.Duplicates.All() {
		if err != nil {
			t.Fatal(err)
		}
		got[fmt.Sprintf("%s/%d-%d", d.Partition, d.From, d.To)] = d.Cause
		if !strings.Contains(d.Proof, "commit ") {
			t.Errorf("%+v", d)
		}
	}
	want := map[string]string{"0/3-5": reconcile.CauseTwoRuns, "1/300-300": reconcile.CauseTwoRuns, "0/419-433": reconcile.CauseSameRun, "1/419-433": reconcile.CauseSameRun, "1/800-800": reconcile.CauseTwoRuns}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s%v", d, v.Reasons)
	}
}

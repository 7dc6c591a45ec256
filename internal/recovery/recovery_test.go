package recovery_test

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
)

func found(all ...recovery.Found) iter.Seq2[recovery.Found, error] {
	return func(yield func(recovery.Found, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func TestTally(t *testing.T) {
	t.Parallel()
	span := func(p string, from, to int64) recovery.Range { return recovery.Range{Partition: p, From: from, To: to} }
	for name, c := range map[string]struct {
		wanted     []recovery.Range
		found      []recovery.Found
		all, fresh []uint64
	}{
		"nothing":                 {[]recovery.Range{span("0", 1, 5)}, nil, []uint64{0}, []uint64{0}},
		"all of it":               {[]recovery.Range{span("0", 1, 5)}, []recovery.Found{{"0", 1, 5, true}}, []uint64{5}, []uint64{5}},
		"in pieces":               {[]recovery.Range{span("0", 1, 9)}, []recovery.Found{{"0", 1, 2, true}, {"0", 4, 4, false}, {"0", 8, 9, true}}, []uint64{5}, []uint64{4}},
		"one piece over two":      {[]recovery.Range{span("0", 1, 3), span("0", 4, 6)}, []recovery.Found{{"0", 2, 5, true}}, []uint64{2, 2}, []uint64{2, 2}},
		"two pieces in the first": {[]recovery.Range{span("0", 1, 3), span("0", 4, 6)}, []recovery.Found{{"0", 1, 1, false}, {"0", 3, 4, true}}, []uint64{2, 1}, []uint64{1, 1}},
		"partitions as texts":     {[]recovery.Range{span("10", 1, 3), span("9", 1, 3)}, []recovery.Found{{"10", 3, 3, true}, {"9", 1, 1, true}}, []uint64{1, 1}, []uint64{1, 1}},
		"another partition":       {[]recovery.Range{span("1", 1, 3)}, []recovery.Found{{"0", 1, 3, true}, {"2", 1, 3, true}}, []uint64{0}, []uint64{0}},
		"the ends of 64 bits":     {[]recovery.Range{span("0", math.MinInt64, math.MinInt64+1), span("0", math.MaxInt64-1, math.MaxInt64)}, []recovery.Found{{"0", math.MinInt64, math.MinInt64, true}, {"0", math.MaxInt64, math.MaxInt64, true}}, []uint64{1, 1}, []uint64{1, 1}},
	} {
		all, fresh, err := recovery.Tally(c.wanted, found(c.found...))
		if err != nil || !slices.Equal(all, c.all) || !slices.Equal(fresh, c.fresh) {
			t.Errorf("%s: %v %v %v, want %v %v", name, all, fresh, err, c.all, c.fresh)
		}
	}
	broken := errors.New("broken")
	if _, _, err := recovery.Tally(nil, func(yield func(recovery.Found, error) bool) { yield(recovery.Found{}, broken) }); !errors.Is(err, broken) {
		t.Errorf("an error on the way: %v", err)
	}
}

// The deadlines are those of facts/verification.md §5: a version's own commit, and for the change feed that of the commit
// which deleted, each plus the retention; the broker's counts from the event.
func TestPlaces(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	removal := reconcile.Commit{Version: 8, At: at(9)}
	f := recovery.Facts{SQL: "`m`.`it's`.`s`", Name: "m.it's.s", Newest: reconcile.Commit{Version: 20, At: at(20)}, Retention: 7 * 24 * time.Hour, HasChangeFeed: true,
		Candidates: []reconcile.Candidate{{Version: 7, Committed: at(3), RemovedBy: removal}}, Backups: []recovery.Named{{Name: "m.b.s", SQL: "`m`.`b`.`s`"}}, Broker: 72 * time.Hour}
	type place struct {
		Kind  recovery.Kind
		From  string
		Until time.Time
	}
	list := func(r recovery.Range) []place {
		var out []place
		for _, p := range f.Places(r) {
			out = append(out, place{p.Kind, p.From, p.Until})
		}
		return out
	}
	week := 7 * 24 * time.Hour
	source := place{recovery.Source, "`m`.`it's`.`s` VERSION AS OF 20", at(20).Add(week)}
	backup := place{recovery.Backup, "`m`.`b`.`s`", time.Time{}}
	if diff := cmp.Diff([]place{source, {recovery.TimeTravel, "`m`.`it's`.`s` VERSION AS OF 7", at(3).Add(week)},
		{recovery.ChangeFeed, `table_changes('` + "`m`.`it\\'s`.`s`" + `', 8, 8)`, at(9).Add(week)}, backup, {recovery.Broker, "", at(2).Add(72 * time.Hour)}},
		list(recovery.Range{Version: 7, Earliest: at(2)})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]place{source, backup, {recovery.Broker, "", time.Time{}}}, list(recovery.Range{Version: -1})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]place{source, backup, {recovery.Broker, "", time.Time{}}}, list(recovery.Range{Version: 20})); diff != "" {
		t.Error(diff)
	}
}

// Every range is named, and nothing else: what somebody deleted on purpose beside it stays away.
func TestInsertNamesItsRanges(t *testing.T) {
	t.Parallel()
	target := recovery.Target{SQL: "t", Columns: []string{"p", "seq", "it`s"}, Key: reconcile.Columns{Partition: "`p`", Sequence: "`seq`", EventTime: "`u`", Textual: true}}
	got := target.Insert(recovery.Place{From: "s VERSION AS OF 3"}, []recovery.Range{{Partition: `a'b\`, From: 1, To: 5}, {Partition: "c", From: -9, To: -9}})
	for _, want := range []string{`(` + "`p` = 'a\\'b\\\\' AND `seq` BETWEEN 1 AND 5 OR `p` = 'c' AND `seq` = -9)", "LEFT ANTI JOIN t AS t ON s.`p` = t.`p` AND s.`seq` = t.`seq`", "INSERT INTO t (`p`, `seq`, `it``s`)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

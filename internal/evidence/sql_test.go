package evidence_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
)

const scope = `main.e.s > main.e.t (p, it's \"seq\")`

// both keeps the same records in the tables of a workspace and as lines of a file.
type both struct {
	t     *testing.T
	w     *local.Workspace
	place evidence.Place
	log   *evidence.Log
}

func open(t *testing.T) *both {
	t.Helper()
	w, err := local.Open(t.Context(), local.Options{Empty: true, Start: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	place, err := evidence.NewPlace("main.ops")
	if err != nil {
		t.Fatal(err)
	}
	b := &both{t, w, place, &evidence.Log{}}
	b.exec("CREATE SCHEMA IF NOT EXISTS main.ops")
	for range 2 { // the second finds them there
		for _, table := range evidence.Tables() {
			b.exec(place.Create(table))
		}
	}
	return b
}

func (b *both) exec(sql string) {
	b.t.Helper()
	b.rows(sql)
}

func (b *both) rows(sql string) [][]*string {
	b.t.Helper()
	r, err := b.w.Exec(b.t.Context(), sql)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, sql)
	}
	defer r.Close()
	var out [][]*string
	for r.Next() {
		var row []*string
		for _, v := range r.Row() {
			if v != nil {
				c := strings.Clone(*v)
				v = &c
			}
			row = append(row, v)
		}
		out = append(out, row)
	}
	if err := r.Err(); err != nil {
		b.t.Fatalf("%v\n%s", err, sql)
	}
	return out
}

func keep[R evidence.Record](b *both, scope string, records []R) {
	b.t.Helper()
	for sql, err := range evidence.Append(b.place, scope, all(records)) {
		if err != nil {
			b.t.Fatal(err)
		}
		b.exec(sql)
	}
	for _, r := range records {
		line, err := evidence.Line(scope, r)
		if err != nil {
			b.t.Fatal(err)
		}
		if err := b.log.Add(line); err != nil {
			b.t.Fatal(err)
		}
	}
}

func all[R any](records []R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func read[R any](b *both, sql string, decode func([]*string) (R, error)) []R {
	b.t.Helper()
	var out []R
	for _, row := range b.rows(sql) {
		r, err := decode(row)
		if err != nil {
			b.t.Fatalf("%v\n%s", err, sql)
		}
		out = append(out, r)
	}
	return out
}

func at(minute int) time.Time {
	return time.Date(2026, 3, 2, 0, minute, 0, 250_000_000, time.UTC)
}

// What is written comes back as it was, from the tables and from the file, and only within its scope.
func TestRecordsComeBack(t *testing.T) {
	t.Parallel()
	b := open(t)
	runs := []evidence.Run{
		{JobID: 7, RunID: 9007199254740993, VerifiedAt: at(20), ReadAt: at(15), Cutoff: at(-15), SourceVersion: 3, TargetVersion: 4, Watermarks: map[string]int64{"0": 1<<62 + 1, "it's": -2}, Added: -1, Verdict: "FAIL", Due: 10, Missing: 2},
		{VerifiedAt: at(10), ReadAt: at(5), Cutoff: at(-25), SourceVersion: 0, TargetVersion: 2, Added: 0, Verdict: "PASS",
			Definition: "it's", SourceID: "a", TargetID: "b", Outcome: &evidence.Outcome{InFlight: 1<<62 + 1, Days: []evidence.Day{{Day: "2026-03-01", Due: 5}}, Written: []evidence.Written{{Version: 2, Committed: at(1), After: 9}}, Notes: []evidence.Note{{Code: "c", Text: `"\'`}}}},
	}
	findings := []evidence.Finding{
		{Name: "a", RunID: 1, TargetVersion: 4, RecordedAt: at(5), Partition: "0", Low: 5, High: 9, Rows: 5, State: "late", Cause: `it's "late" \ here`, Confirmed: false, Earliest: at(1), Latest: at(2), RecoverableUntil: at(900)},
		{Name: "a", RunID: 2, RecordedAt: at(25), Partition: "0", Low: 5, High: 9, Rows: 5, State: "late", Proof: "again", Confirmed: true, RecoveredBy: "insert"},
		{Name: "b", RecordedAt: at(5), Partition: "-1", Low: -9223372036854775808, High: 9223372036854775807, Rows: 1, State: "accepted", Reason: "compaction"},
	}
	ledger := []evidence.Verified{
		{Definition: "d", Partition: "0", Low: 1, High: 50, TargetVersion: 3, TargetID: "x", VerifiedAt: at(5)},
		{Definition: "d", Partition: "0", Low: 1, High: 40, TargetVersion: 4, TargetID: "x", VerifiedAt: at(9)},
		{Definition: "d", Partition: "0", Low: 50, High: 60, TargetVersion: 4, TargetID: "x", VerifiedAt: at(9)},
		{Definition: "other", Partition: "0", Low: 1, High: 90, TargetVersion: 5, TargetID: "x", VerifiedAt: at(10)},
		{Definition: "d", Partition: "1", Low: 1, High: 50, TargetVersion: 3, TargetID: "x", VerifiedAt: at(5)},
	}
	keep(b, scope, runs)
	keep(b, scope, findings)
	keep(b, scope, ledger)
	keep(b, "another", findings)
	keep(b, "another", ledger)
	keep(b, "another", runs)
	wantRuns, wantFindings, wantLedger := []evidence.Run{runs[1], runs[0]}, []evidence.Finding{findings[2], findings[1]}, []evidence.Verified{ledger[1], ledger[2], ledger[4]}
	for name, got := range map[string][]any{
		"tables": {read(b, b.place.RunsSince(scope, at(5).UnixMicro()), evidence.ReadRun), read(b, b.place.Newest(scope), evidence.ReadFinding), read(b, b.place.VerifiedThrough(scope, "d"), evidence.ReadVerified)},
		"file":   {b.log.RunsSince(scope, at(5).UnixMicro()), b.log.Newest(scope), b.log.VerifiedThrough(scope, "d")},
	} {
		if diff := cmp.Diff([]any{wantRuns, wantFindings, wantLedger}, got); diff != "" {
			t.Errorf("%s\n%s", name, diff)
		}
	}
	for name, last := range map[string][]evidence.Run{"tables": read(b, b.place.Last(scope), evidence.ReadRun), "file": {*b.log.Last(scope)}} {
		if diff := cmp.Diff(runs[:1], last); diff != "" {
			t.Errorf("the last, %s\n%s", name, diff)
		}
	}
	if b.log.Last("none") != nil || len(read(b, b.place.Last("none"), evidence.ReadRun)) != 0 {
		t.Error("a record of no scope")
	}
	if got := b.rows(b.place.Versions(evidence.Runs)); got[0][0] == nil || *got[0][0] != "1" {
		t.Errorf("versions: %v", got)
	}
	if got := b.rows(b.place.Versions(evidence.Manifests)); got[0][0] != nil {
		t.Errorf("versions of an empty table: %v", *got[0][0])
	}
}

// A source is written, trimmed and holed at random. What its manifests listed, and what they showed to be absent, agrees
// with a set of keys held beside them, in the tables and in the file, whole and within bounds.
func TestManifestsAgreeWithTheKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA IF NOT EXISTS main.e")
	for seed := range uint64(8) {
		m := newModel(b, seed)
		for range 6 {
			m.step()
		}
		m.check(nil)
		r := m.random
		for range 4 {
			low := r.Int64N(60)
			m.check([]evidence.Bound{{Partition: "0", Low: low, High: low + r.Int64N(9)}, {Partition: "1", Low: low / 2, High: low/2 + 3}})
		}
	}
}

type model struct {
	*both
	random   *rand.Rand
	scope    string
	table    string
	version  int64
	listed   map[string]map[int64]bool
	unlisted map[string]map[int64]bool
}

func newModel(b *both, seed uint64) *model {
	m := &model{both: b, random: rand.New(rand.NewPCG(seed, 1)), scope: fmt.Sprintf("scope %d", seed), table: fmt.Sprintf("main.e.s%d", seed),
		listed: map[string]map[int64]bool{"0": {}, "1": {}}, unlisted: map[string]map[int64]bool{"0": {}, "1": {}}}
	b.exec("CREATE TABLE " + m.table + " (p INT, seq BIGINT, u TIMESTAMP)")
	return m
}

// step replaces the source's rows and keeps a manifest of them.
func (m *model) step() {
	keys := map[string][]int64{}
	var values []string
	for p := range 2 {
		for seq := range int64(64) {
			if m.random.IntN(4) > 0 {
				keys[fmt.Sprint(p)] = append(keys[fmt.Sprint(p)], seq)
				for range 1 + m.random.IntN(20)/19 {
					values = append(values, fmt.Sprintf("(%d, %d, TIMESTAMP'2026-03-02T00:%02d:00+00:00')", p, seq, m.random.IntN(60)))
				}
			}
		}
	}
	m.exec("INSERT OVERWRITE " + m.table + " VALUES " + strings.Join(values, ", "))
	m.version++
	s := evidence.Source{SQL: m.table, Partition: "p", Sequence: "seq", EventTime: "u", ID: "id", Version: m.version, Committed: at(int(m.version))}
	for range m.random.IntN(3) {
		cut := time.Date(2026, 3, 2, 0, m.random.IntN(60), 0, 0, time.UTC).UnixMicro()
		s.Cuts = append(s.Cuts, cut)
	}
	if m.random.IntN(2) == 0 {
		s.Behind = []int64{m.random.Int64N(int64(time.Hour / time.Microsecond))}
	}
	for range 1 + m.random.IntN(2) { // two verifiers may keep the same
		m.exec(m.place.Keep(m.scope, s))
	}
	for _, r := range read(m.both, s.Ranges(), evidence.ReadManifest) {
		cuts := s.Cuts
		for _, behind := range s.Behind {
			newest := m.rows(fmt.Sprintf("SELECT max(u) FROM (SELECT unix_micros(min(u)) AS u FROM %s VERSION AS OF %d GROUP BY p, seq)", m.table, m.version))[0][0]
			at, err := strconv.ParseInt(*newest, 10, 64)
			if err != nil {
				m.t.Fatal(err)
			}
			cuts = append(cuts, at-behind)
		}
		for _, cut := range cuts {
			if (r.Earliest.UnixMicro() < cut) != (r.Latest.UnixMicro() < cut) {
				m.t.Errorf("%s, version %d: %+v has keys on both sides of %s", m.scope, m.version, r, time.UnixMicro(cut).UTC())
			}
		}
		r.SourceID, r.SourceVersion, r.SeenAt = s.ID, s.Version, s.Committed
		line, err := evidence.Line(m.scope, r)
		if err != nil {
			m.t.Fatal(err)
		}
		if err := m.log.Add(line); err != nil {
			m.t.Fatal(err)
		}
	}
	for p, have := range keys {
		for seq := have[0]; seq <= have[len(have)-1]; seq++ {
			if slices.Contains(have, seq) {
				m.listed[p][seq] = true
			} else {
				m.unlisted[p][seq] = true
			}
		}
	}
}

func (m *model) check(bounds []evidence.Bound) {
	m.t.Helper()
	for _, c := range []struct {
		name string
		want map[string]map[int64]bool
		sql  string
		file []evidence.Range
	}{
		{"listed", m.listed, m.place.Listed(m.scope, "id", bounds), m.log.Listed(m.scope, "id", bounds)},
		{"unlisted", m.unlisted, m.place.Unlisted(m.scope, "id", bounds), m.log.Unlisted(m.scope, "id", bounds)},
	} {
		table := read(m.both, c.sql, evidence.ReadRange)
		if diff := cmp.Diff(c.file, table); diff != "" {
			m.t.Errorf("%s, %s: the file and the table differ\n%s", m.scope, c.name, diff)
		}
		for p, want := range c.want {
			for seq := range int64(64) {
				if !inBounds(p, seq, bounds) {
					continue
				}
				got := slices.ContainsFunc(table, func(r evidence.Range) bool { return r.Partition == p && r.Low <= seq && seq <= r.High })
				if got != want[seq] {
					m.t.Errorf("%s, %s: partition %s sequence %d: %v, want %v", m.scope, c.name, p, seq, got, want[seq])
				}
			}
		}
	}
	m.checkSeen(bounds)
	if got := m.log.Listed(m.scope, "another table of this name", bounds); len(got) > 0 {
		m.t.Errorf("%d ranges of another table", len(got))
	}
}

// checkSeen holds the manifests that were not joined to those that were.
func (m *model) checkSeen(bounds []evidence.Bound) {
	m.t.Helper()
	seen := read(m.both, m.place.Seen(m.scope, "id", bounds), evidence.ReadSeen)
	if diff := cmp.Diff(m.log.Seen(m.scope, "id", bounds), seen); diff != "" {
		m.t.Errorf("%s, seen: the file and the table differ\n%s", m.scope, diff)
	}
	for p, listed := range m.listed {
		for seq := range int64(64) {
			got := slices.ContainsFunc(seen, func(r evidence.Manifest) bool { return r.Partition == p && r.Low <= seq && seq <= r.High })
			if inBounds(p, seq, bounds) && got != listed[seq] {
				m.t.Errorf("%s, seen: partition %s sequence %d: %v, want %v", m.scope, p, seq, got, listed[seq])
			}
		}
	}
	beyond := read(m.both, m.place.Beyond(m.scope, "id", bounds), evidence.ReadRange)
	if diff := cmp.Diff(m.log.Beyond(m.scope, "id", bounds), beyond); diff != "" {
		m.t.Errorf("%s, beyond: the file and the table differ\n%s", m.scope, diff)
	}
	for p, listed := range m.listed {
		for seq := range int64(64) {
			got := slices.ContainsFunc(beyond, func(r evidence.Range) bool { return r.Partition == p && r.Low <= seq && seq <= r.High })
			if got && !listed[seq] || !got && listed[seq] && (bounds == nil || !inBounds(p, seq, bounds)) {
				m.t.Errorf("%s, beyond: partition %s sequence %d: %v", m.scope, p, seq, got)
			}
		}
	}
	kept := read(m.both, m.place.Kept(m.scope, "id"), evidence.ReadKept)
	if diff := cmp.Diff(m.log.Kept(m.scope, "id"), kept); diff != "" || len(kept) != int(m.version) || !kept[0].SeenAt.Equal(at(1)) {
		m.t.Errorf("%s, kept: %+v\n%s", m.scope, kept, diff)
	}
}

func inBounds(p string, seq int64, bounds []evidence.Bound) bool {
	return bounds == nil || slices.ContainsFunc(bounds, func(b evidence.Bound) bool { return b.Partition == p && b.Low <= seq && seq <= b.High })
}

// A version that two verifiers kept lists the lowest BIGINT twice, and then it follows itself.
func TestUnlistedAtTheEndsOf64Bits(t *testing.T) {
	t.Parallel()
	b := open(t)
	one := evidence.Manifest{SourceID: "id", SourceVersion: 3, SeenAt: at(1), Partition: "p", Low: math.MinInt64, High: math.MinInt64, Earliest: at(0), Latest: at(0)}
	other := one
	other.Low, other.High = math.MaxInt64, math.MaxInt64
	keep(b, scope, []evidence.Manifest{one, other, one, other})
	got := read(b, b.place.Unlisted(scope, "id", nil), evidence.ReadRange)
	if len(got) != 1 || got[0].Low != math.MinInt64+1 || got[0].High != math.MaxInt64-1 {
		t.Errorf("%+v", got)
	}
}

//go:build cgo

package duck

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// row of the model's table (p INT, s BIGINT).
type modelRow struct{ p, s int }

// rowsModel is a naive table with versions: every version keeps all its rows.
type rowsModel struct {
	versions []map[modelRow]int
	times    []time.Time
	// cutoffs are the moments up to which a VACUUM has deleted removed files.
	cutoffs   []time.Time
	retention time.Duration
}

func (m *rowsModel) current() map[modelRow]int { return m.versions[len(m.versions)-1] }

func (m *rowsModel) commit(rows map[modelRow]int, at time.Time) {
	m.versions = append(m.versions, rows)
	m.times = append(m.times, at)
}

// mustRead says whether nothing may stand in the way of a version.
func (m *rowsModel) mustRead(v int, now time.Time) bool {
	if v == len(m.versions)-1 {
		return true
	}
	if m.times[v].Before(now.Add(-m.retention)) {
		return false
	}
	for _, c := range m.cutoffs {
		if m.times[v+1].Before(c) {
			return false
		}
	}
	return true
}

func shownRows(rows map[modelRow]int) []string {
	out := []string{}
	for r, n := range rows {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %d %d", r.p, r.s, n))
		}
	}
	slices.Sort(out)
	return out
}

// steps of the sequence: each gives the statement and, given the rows before, the rows after.
type step struct {
	sql  string
	rows func(map[modelRow]int) map[modelRow]int
	// always says that it commits even when no row changes.
	always bool
	// twice says that it makes two commits.
	twice bool
}

func randomStep(r *rand.Rand, m *rowsModel) step {
	p, s := r.IntN(3), r.IntN(12)
	same := func(rows map[modelRow]int) map[modelRow]int { return maps.Clone(rows) }
	switch r.IntN(14) {
	case 0, 1, 2, 3:
		var values []string
		added := map[modelRow]int{}
		for range 1 + r.IntN(4) {
			x := modelRow{r.IntN(3), r.IntN(12)}
			added[x]++
			values = append(values, fmt.Sprintf("(%d, %d)", x.p, x.s))
		}
		return step{sql: "INSERT INTO t VALUES " + strings.Join(values, ", "), rows: func(rows map[modelRow]int) map[modelRow]int {
			out := maps.Clone(rows)
			for x, n := range added {
				out[x] += n
			}
			return out
		}}
	case 4, 5:
		return step{sql: fmt.Sprintf("DELETE FROM t WHERE p = %d AND s < %d", p, s), rows: func(rows map[modelRow]int) map[modelRow]int {
			out := maps.Clone(rows)
			maps.DeleteFunc(out, func(x modelRow, _ int) bool { return x.p == p && x.s < s })
			return out
		}}
	case 6:
		return step{sql: fmt.Sprintf("UPDATE t SET s = s + 1, p = (p + 1) %% 3 WHERE s = %d", s), rows: func(rows map[modelRow]int) map[modelRow]int {
			out := map[modelRow]int{}
			for x, n := range rows {
				if x.s == s {
					x = modelRow{(x.p + 1) % 3, x.s + 1}
				}
				out[x] += n
			}
			return out
		}}
	case 7, 8:
		return mergeStep(p, s)
	case 9:
		return step{sql: "OPTIMIZE t", rows: same}
	case 10:
		return step{sql: "VACUUM t", rows: same, always: true, twice: true}
	case 11:
		v := r.IntN(len(m.versions))
		return step{sql: fmt.Sprintf("RESTORE TABLE t TO VERSION AS OF %d", v), always: true,
			rows: func(map[modelRow]int) map[modelRow]int { return maps.Clone(m.versions[v]) }}
	case 12:
		hours := r.IntN(3) * 2
		return step{sql: fmt.Sprintf("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '%d hours')", hours), rows: same, always: true}
	default:
		return step{sql: fmt.Sprintf("INSERT INTO t REPLACE WHERE p = %d VALUES (%d, %d)", p, p, s), always: true, rows: func(rows map[modelRow]int) map[modelRow]int {
			out := maps.Clone(rows)
			maps.DeleteFunc(out, func(x modelRow, _ int) bool { return x.p == p })
			out[modelRow{p, s}]++
			return out
		}}
	}
}

func mergeStep(p, s int) step {
	sql := fmt.Sprintf(`MERGE INTO t USING (SELECT %d AS p, %d AS s) AS n ON t.p = n.p AND t.s = n.s
		WHEN MATCHED AND t.s > 6 THEN DELETE WHEN MATCHED THEN UPDATE SET s = t.s + 20 WHEN NOT MATCHED THEN INSERT *
		WHEN NOT MATCHED BY SOURCE AND t.s = 11 THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.s > 15 THEN UPDATE SET s = 0`, p, s)
	return step{sql: sql, rows: func(rows map[modelRow]int) map[modelRow]int {
		out := map[modelRow]int{}
		matched := false
		for x, n := range rows {
			if n == 0 {
				continue
			}
			switch {
			case x.p == p && x.s == s:
				matched = true
				if x.s > 6 {
					continue
				}
				x.s += 20
			case x.s == 11:
				continue
			case x.s > 15:
				x.s = 0
			}
			out[x] += n
		}
		if !matched {
			out[modelRow{p, s}]++
		}
		return out
	}}
}

// TestVersionsEqualTheModel runs random statements and reads every version after each: what may be read equals the
// naive model, and what is not read is refused with Delta's class and only where the model allows it.
func TestVersionsEqualTheModel(t *testing.T) {
	t.Parallel()
	// Seeds 404 and 505 found RESTORE forgetting what OPTIMIZE had packed.
	for i, c := range []struct {
		seed   uint64
		create string
	}{
		{7, "CREATE TABLE t (p INT, s BIGINT)"},
		{505, "CREATE TABLE t (p INT, s BIGINT) PARTITIONED BY (p)"},
		{404, "CREATE TABLE t (p INT, s BIGINT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"},
		{7, "CREATE TABLE t (p INT, s BIGINT) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			playModel(t, c.create, rand.New(rand.NewPCG(c.seed, uint64(i))))
		})
	}
}

func playModel(t *testing.T, create string, r *rand.Rand) {
	dir := t.TempDir()
	s := newSession(t, dir)
	m := &rowsModel{retention: 7 * 24 * time.Hour}
	s.rows(create)
	m.commit(map[modelRow]int{}, s.now)
	const steps, reopenAt = 80, 50
	for i := range steps {
		if i == reopenAt {
			s.reopen(dir)
		}
		st := randomStep(r, m)
		before := s.version()
		s.now = s.now.Add(time.Duration(r.IntN(90)) * time.Minute)
		_, err := s.try(st.sql)
		at := s.now
		if err != nil {
			var e *engine.Error
			if !strings.HasPrefix(st.sql, "RESTORE") || !errors.As(err, &e) || !refusesOldVersion(e.Class) {
				t.Fatalf("%s: %v", st.sql, err)
			}
			if got := s.version(); got != before {
				t.Fatalf("%s failed and committed: version %d, was %d", st.sql, got, before)
			}
			continue
		}
		after := st.rows(m.current())
		if s.version() > before {
			m.commit(after, at)
			if st.twice {
				m.commit(after, at)
				m.cutoffs = append(m.cutoffs, at.Add(-m.retention))
			}
		}
		m.readRetention(s)
		if got := s.version(); got != len(m.versions)-1 {
			t.Fatalf("%s: version %d, the model has %d", st.sql, got, len(m.versions)-1)
		}
		compareVersions(t, s, m, st.sql)
	}
	if strings.Contains(create, "ChangeDataFeed") {
		compareChanges(t, s, m)
	}
}

func (s *session) reopen(dir string) {
	s.t.Helper()
	if err := s.e.Close(); err != nil {
		s.t.Fatal(err)
	}
	e, err := Open(s.t.Context(), Options{Dir: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	s.e = e
}

func (m *rowsModel) readRetention(s *session) {
	shown := s.rows("SHOW TBLPROPERTIES t ('delta.deletedFileRetentionDuration')")[0]
	var hours int
	if n, _ := fmt.Sscanf(shown, "delta.deletedFileRetentionDuration %d hours", &hours); n == 1 {
		m.retention = time.Duration(hours) * time.Hour
	} else {
		m.retention = 7 * 24 * time.Hour
	}
}

func (s *session) version() int {
	var n int
	if _, err := fmt.Sscan(s.rows("DESCRIBE HISTORY t LIMIT 1")[0], &n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func refusesOldVersion(class string) bool {
	return class == "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION" || class == "FAILED_READ_FILE.FILE_NOT_EXIST"
}

func compareVersions(t *testing.T, s *session, m *rowsModel, after string) {
	t.Helper()
	for v, rows := range m.versions {
		got, err := s.try(fmt.Sprintf("SELECT p, s, count(*) FROM t VERSION AS OF %d GROUP BY p, s", v))
		if err != nil {
			var e *engine.Error
			if !errors.As(err, &e) || !refusesOldVersion(e.Class) || m.mustRead(v, s.now) {
				t.Fatalf("after %s: version %d of %d: %v", after, v, len(m.versions)-1, err)
			}
			continue
		}
		slices.Sort(got)
		if diff := cmp.Diff(shownRows(rows), append([]string{}, got...)); diff != "" {
			t.Fatalf("after %s: version %d of %d:\n%s", after, v, len(m.versions)-1, diff)
		}
	}
	total := 0
	for _, n := range m.current() {
		total += n
	}
	if got := s.text("SELECT count(*) FROM t"); got != fmt.Sprint(total) {
		t.Fatalf("after %s: count %s, the model has %d", after, got, total)
	}
	detail := s.e.snapshot().tables[tableKey(engine.Name{Catalog: "main", Schema: "default", Table: "t"})]
	if got := detail.rowsAt(detail.version()); got != int64(total) {
		t.Fatalf("after %s: the files count %d rows, the model has %d", after, got, total)
	}
}

// compareChanges replays the change feed: it gives the rows there are.
func compareChanges(t *testing.T, s *session, m *rowsModel) {
	t.Helper()
	s.rows("ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = '700 hours', 'delta.logRetentionDuration' = '700 hours')")
	got, err := s.try("SELECT p, s, sum(CASE WHEN _change_type IN ('insert', 'update_postimage') THEN 1 ELSE -1 END) AS n FROM table_changes('t', 0) GROUP BY p, s HAVING n <> 0")
	if err != nil {
		var e *engine.Error
		if errors.As(err, &e) && e.Class == "FAILED_READ_FILE.FILE_NOT_EXIST" && len(m.cutoffs) > 0 {
			return
		}
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff(shownRows(m.current()), append([]string{}, got...)); diff != "" {
		t.Fatal(diff)
	}
}

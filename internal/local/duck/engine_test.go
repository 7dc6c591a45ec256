//go:build cgo

package duck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func TestReopenedStateIsTheSame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSession(t, dir)
	for _, sql := range []string{
		"CREATE CATALOG other", "CREATE SCHEMA main.events", "CREATE SCHEMA other.x COMMENT 'kept'",
		"CREATE TABLE main.events.t (p INT, s BIGINT NOT NULL, u TIMESTAMP) PARTITIONED BY (p) TBLPROPERTIES ('delta.logRetentionDuration' = '40 days')",
		"INSERT INTO main.events.t VALUES (0, 1, TIMESTAMP'2026-01-01'), (1, 2, NULL)", "DELETE FROM main.events.t WHERE s = 1",
		"UPDATE main.events.t SET s = 5", "OPTIMIZE main.events.t", "CREATE VIEW main.events.v AS SELECT p, s FROM main.events.t",
		"CREATE OR REPLACE TABLE main.events.r AS SELECT 1 AS a", "CREATE OR REPLACE TABLE main.events.r AS SELECT 'x' AS b",
		"ALTER TABLE main.events.t SET TAGS ('a' = 'b')",
	} {
		s.rows(sql)
	}
	look := func() []string {
		var out []string
		for _, sql := range []string{
			"DESCRIBE HISTORY main.events.t", "DESCRIBE DETAIL main.events.t", "SHOW TBLPROPERTIES main.events.t", "DESCRIBE TABLE EXTENDED main.events.t",
			"SELECT * FROM main.events.t", "SELECT * FROM main.events.t VERSION AS OF 1 ORDER BY s", "SELECT * FROM main.events.v",
			"SELECT * FROM main.events.r VERSION AS OF 0", "SELECT * FROM main.events.r", "SHOW CATALOGS", "SHOW SCHEMAS IN other", "SHOW TABLES IN main.events", "DESCRIBE SCHEMA other.x",
		} {
			out = append(out, sql)
			out = append(out, s.rows(sql)...)
		}
		return out
	}
	before := look()
	if err := s.e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "spill")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the spill is still there: %v", err)
	}
	s.e = newSession(t, dir).e
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Error(diff)
	}
	s.rows("INSERT INTO main.events.t VALUES (1, 9, NULL)")
	if got, want := s.text("SELECT max(s) FROM main.events.t"), "9"; got != want {
		t.Errorf("max is %s, want %s", got, want)
	}
}

// TestSecondProcessIsRefused runs itself in a second process, which finds the folder in use.
func TestSecondProcessIsRefused(t *testing.T) {
	const variable = "WATERTIGHT_TEST_OPEN"
	if dir := os.Getenv(variable); dir != "" {
		if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Fatalf("a second process opened %s: %v", dir, err)
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	newSession(t, dir)
	second := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSecondProcessIsRefused$")
	second.Env = append(os.Environ(), variable+"="+dir)
	if out, err := second.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestCorruptStateIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, databaseFile), []byte(strings.Repeat("no database ", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("want an error that names the folder, got %v", err)
	}
}

func TestStateOfAnotherLayoutIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSession(t, dir)
	c, err := s.e.db.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.exec(t.Context(), `UPDATE wt.objects SET doc = replace(doc, '"Layout":"1"', '"Layout":"0"')`); err != nil {
		t.Fatal(err)
	}
	s.e.db.release(c)
	if err := s.e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "layout") {
		t.Errorf("want an error about the layout, got %v", err)
	}
}

// A statement that fails half-way, or whose context ends, leaves nothing, and the engine goes on.
func TestCancelledStatementCommitsNothing(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a BIGINT)")
	const long = "SELECT a.id * b.id FROM range(3000000) a CROSS JOIN range(3000000) b"
	for name, sql := range map[string]string{
		"write": "INSERT INTO t " + long,
		"query": "SELECT sum(x) FROM (" + strings.Replace(long, "a.id * b.id", "a.id % 7 + b.id % 3 AS x", 1) + ")",
		"ctas":  "CREATE TABLE u AS " + strings.Replace(long, "a.id * b.id", "a.id AS x", 1),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		from := time.Now()
		_, err := s.open(ctx, sql)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: want the context's error, got %v", name, err)
		}
		if took := time.Since(from); took > 10*time.Second {
			t.Errorf("%s: cancelled only after %s", name, took)
		}
	}
	if got := s.text("SELECT count(*) FROM t"); got != "0" {
		t.Errorf("%s rows after a cancelled INSERT", got)
	}
	if got := len(s.rows("DESCRIBE HISTORY t")); got != 1 {
		t.Errorf("%d commits, want 1", got)
	}
	if got := s.refused("SELECT * FROM u"); got != "TABLE_OR_VIEW_NOT_FOUND" {
		t.Errorf("a cancelled CTAS left a table: %s", got)
	}
	s.rows("INSERT INTO t VALUES (1)")
	if got := s.text("SELECT a FROM t"); got != "1" {
		t.Errorf("got %q", got)
	}
}

func TestFailedStatementCommitsNothing(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (a INT NOT NULL, b INT)")
	s.rows("INSERT INTO t VALUES (1, 1), (2, 2)")
	for sql, class := range map[string]string{
		"INSERT INTO t SELECT a, 1 DIV (b - 2) FROM t":                                            "DIVIDE_BY_ZERO",
		"UPDATE t SET b = 1 DIV (b - 2)":                                                          "DIVIDE_BY_ZERO",
		"UPDATE t SET a = NULL WHERE b = 2":                                                       "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
		"MERGE INTO t USING (SELECT 1 AS a) n ON t.a = n.a WHEN MATCHED THEN UPDATE SET a = NULL": "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
		"INSERT OVERWRITE t SELECT NULL, 1":                                                       "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
		"CREATE TABLE u AS SELECT 1 DIV (b - 2) AS x FROM t":                                      "DIVIDE_BY_ZERO",
		"INSERT INTO t VALUES ('x', 1)":                                                           "CAST_INVALID_INPUT",
	} {
		if got := s.refused(sql); got != class {
			t.Errorf("%s: class %s, want %s", sql, got, class)
		}
	}
	if got, want := s.text("SELECT * FROM t ORDER BY a"), "1 1; 2 2"; got != want {
		t.Errorf("rows %q, want %q", got, want)
	}
	if got := len(s.rows("DESCRIBE HISTORY t")); got != 2 {
		t.Errorf("%d commits, want 2", got)
	}
}

// Readers see whole commits: each INSERT adds 3 rows, so every count is a multiple of 3 and agrees with the version.
func TestConcurrentWritersAndReaders(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	s.rows("CREATE TABLE t (w INT, n INT)")
	const writers, each = 4, 8
	run := func(sql string, now time.Time) ([]string, error) {
		r, err := s.e.Run(t.Context(), engine.Statement{Text: sql, Now: now})
		if err != nil {
			return nil, err
		}
		var out []string
		for r.Next() {
			out = append(out, *r.Row()[0])
		}
		return out, errors.Join(r.Err(), r.Close())
	}
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range each {
				if _, err := run(fmt.Sprintf("INSERT INTO t VALUES (%d, %d), (%[1]d, %[2]d), (%[1]d, %[2]d)", w, n), start); err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range each {
				got, err := run("SELECT count(*) % 3 FROM t", start)
				if err != nil || got[0] != "0" {
					t.Errorf("a reader saw part of a commit: %v %v", got, err)
				}
			}
		})
	}
	group.Wait()
	history := s.rows("DESCRIBE HISTORY t")
	if len(history) != 1+writers*each {
		t.Errorf("%d commits, want %d", len(history), 1+writers*each)
	}
	for v := range 1 + writers*each {
		if got, want := s.text(fmt.Sprintf("SELECT count(*) FROM t VERSION AS OF %d", v)), fmt.Sprint(3*v); got != want {
			t.Errorf("version %d has %s rows, want %s", v, got, want)
		}
	}
}

// Commit times of one table increase even when the clock stands still, as Delta's do.
func TestCommitTimesIncrease(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	for _, sql := range []string{"CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"} {
		r, err := s.e.Run(t.Context(), engine.Statement{Text: sql, Now: start})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	table, err := s.e.Table(t.Context(), engine.Name{Catalog: "main", Schema: "default", Table: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if want := start.Add(2 * time.Millisecond); !table.Updated.Equal(want) {
		t.Errorf("the third commit is at %s, want %s", table.Updated, want)
	}
}

// A result larger than DuckDB's whole memory comes out row by row.
func TestLargeResultStreams(t *testing.T) {
	t.Parallel()
	e, err := Open(t.Context(), Options{MemoryMiB: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := e.Run(t.Context(), engine.Statement{Text: "SELECT id, concat('a string that is not inlined: ', id) AS s FROM range(5000000)", Now: start})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		n++
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil || n != 5_000_000 {
		t.Errorf("%d rows, %v", n, err)
	}
}

// A sort larger than DuckDB's memory spills into the state folder.
func TestLargeSortSpills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := Open(t.Context(), Options{Dir: dir, MemoryMiB: 128})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := e.Run(t.Context(), engine.Statement{Text: "SELECT id, sha2(CAST(id AS STRING), 256) AS h FROM range(3000000) ORDER BY h", Now: start})
	if err != nil {
		t.Fatal(err)
	}
	spilled, _ := filepath.Glob(filepath.Join(dir, "spill", "*"))
	last, n := "", 0
	for r.Next() {
		h := *r.Row()[1]
		if h < last {
			t.Fatalf("%s after %s", h, last)
		}
		last = h
		n++
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil || n != 3_000_000 {
		t.Errorf("%d rows, %v", n, err)
	}
	if len(spilled) == 0 {
		t.Log("nothing was spilled while the sort ran")
	}
}

// Closing a result half-way frees its connection and leaves the engine usable.
func TestResultClosedEarly(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	for range 20 {
		r, err := s.open(t.Context(), "SELECT id FROM range(10000000)")
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(r.Err())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if r.Next() {
			t.Error("a closed result went on")
		}
	}
	s.rows("CREATE TABLE t (a INT)")
}

package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// keyedBed has a source and a target with these columns and u, and a loader that copies whatever is due and not there yet.
func keyedBed(t testing.TB, ddl string, names ...string) (*bed, int64) {
	t.Helper()
	b := open(t)
	b.exec("CREATE SCHEMA main.events")
	for _, table := range []string{"src", "tgt"} {
		b.exec("CREATE TABLE main.events.%s (%s, u TIMESTAMP)", table, ddl)
	}
	var same []string
	for _, n := range names {
		same = append(same, "s."+n+" <=> t."+n)
	}
	c := keyedPromise(names...)
	return b, b.job(c, "INSERT INTO main.events.tgt SELECT s.* FROM main.events.src AS s LEFT ANTI JOIN main.events.tgt AS t ON "+strings.Join(same, " AND ")+
		" WHERE s.u < current_timestamp() - INTERVAL 30 MINUTES")
}

func keyedPromise(names ...string) contract.Contract {
	c := promise(coverage.SettleWall)
	c.Key = contract.Key{Columns: names}
	return c
}

// keyText writes a key for a comparison.
func keyText(values []reconcile.KeyValue) string {
	var parts []string
	for _, v := range values {
		if v.Null {
			parts = append(parts, "NULL")
		} else {
			parts = append(parts, fmt.Sprintf("%q", v.Text))
		}
	}
	return strings.Join(parts, ",")
}

// keysListed are the missing keys, with their states, and the doubled ones.
func keysListed(t testing.TB, v reconcile.Verification) string {
	t.Helper()
	var all []string
	for r, err := range v.Missing.All() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows != 1 || r.Cause == "" || r.Proof == "" {
			t.Errorf("%+v", r)
		}
		all = append(all, string(r.State)+" "+keyText(r.Key))
	}
	for d, err := range v.Duplicates.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("duplicate %s %d", keyText(d.Key), d.Surplus))
	}
	return strings.Join(all, "\n")
}

func wantKeys(t *testing.T, v reconcile.Verification, verdict reconcile.Verdict, keys ...string) {
	t.Helper()
	if got := keysListed(t, v); v.Verdict != verdict || got != strings.Join(keys, "\n") {
		t.Errorf("%s %+v\n%s\nwant %s\n%s\n%v", v.Verdict, v.Counts, got, verdict, strings.Join(keys, "\n"), v.Reasons)
	}
	if !has(v, reconcile.CodeNoSequences, "no sequence") {
		t.Error("nothing is said of sequences:", v.Reasons)
	}
}

const early = "TIMESTAMP'2026-03-02T01:00:00Z'"

// Every type that makes a key, nested fields, and instants to the microsecond in UTC.
func TestVerifyKeyTypes(t *testing.T) {
	t.Parallel()
	for ddl, c := range map[string]struct{ lost, kept, text string }{
		"k STRING": {`'a\\\'"b\u00e9'`, "'a'", `"a\\'\"bé"`},
		"k BIGINT": {"-9223372036854775808", "9223372036854775807", `"-9223372036854775808"`},
		"k INT":    {"-1", "0", `"-1"`}, "k SMALLINT": {"7S", "8S", `"7"`}, "k TINYINT": {"7Y", "8Y", `"7"`},
		"k DECIMAL(38,3)": {"12345678901234567890123456789012345.678", "-12345678901234567890123456789012345.678", `"12345678901234567890123456789012345.678"`},
		"k DECIMAL(10,2)": {"-0.50", "0.50", `"-0.50"`},
		"k BOOLEAN":       {"true", "false", `"true"`},
		"k DATE":          {"DATE'2026-03-29'", "DATE'1969-12-31'", `"2026-03-29"`},
		"k TIMESTAMP":     {"TIMESTAMP'2026-03-29T02:30:00.000001+02:00'", "TIMESTAMP'2026-03-29T02:30:00.000002+02:00'", `"2026-03-29T00:30:00.000001Z"`},
		"k TIMESTAMP_NTZ": {"TIMESTAMP_NTZ'2026-03-29 02:30:00.000001'", "TIMESTAMP_NTZ'2026-03-29 02:30:00'", `"2026-03-29 02:30:00.000001"`},
		"k BINARY":        {"X'00FF7C'", "X'00FF'", `"00FF7C"`},
	} {
		t.Run(ddl, func(t *testing.T) {
			t.Parallel()
			b, job := keyedBed(t, ddl, "k")
			b.exec("INSERT INTO main.events.src VALUES (%s, %s), (%s, %s)", c.lost, early, c.kept, early)
			b.load(job)
			v := b.verify(pipeline.VerifyRequest{})
			wantKeys(t, v, reconcile.Pass)
			if v.Counts.Due != 2 || v.Counts.Loaded != 2 {
				t.Errorf("%+v", v.Counts)
			}
			b.exec("DELETE FROM main.events.tgt WHERE k = %s", c.lost)
			v = b.verify(pipeline.VerifyRequest{})
			wantKeys(t, v, reconcile.Fail, "skipped "+c.text)
			if v.Counts.Due != 2 || v.Counts.Missing != 1 || v.Counts.Skipped != 1 || len(v.ByDay) != 1 || v.ByDay[0] != (reconcile.Day{Day: "2026-03-02", Due: 2, Loaded: 1, Missing: 1}) {
				t.Errorf("%+v %+v", v.Counts, v.ByDay)
			}
		})
	}
}

// datafold/data-diff#807: CONCAT without a separator takes 1|11 for 11|1. Separators in the values, and no values at all.
func TestVerifyKeysWithSeparators(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING, b STRING", "a", "b")
	b.exec("INSERT INTO main.events.src VALUES ('1', '11', %[1]s), ('11', '1', %[1]s), ('a', 'b|c', %[1]s), ('a|b', 'c', %[1]s), ('', 'x', %[1]s), ('x', '', %[1]s)", early)
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE a = '1' OR b = 'b|c' OR a = ''")
	// As many rows as were lost, under the keys that look alike without a separator.
	b.exec("INSERT INTO main.events.tgt VALUES ('11', '1', %[1]s), ('a|b', 'c', %[1]s), ('x', '', %[1]s)", early)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Fail, `skipped "","x"`, `skipped "1","11"`, `skipped "a","b|c"`,
		`duplicate "11","1" 1`, `duplicate "a|b","c" 1`, `duplicate "x","" 1`)
}

// datafold/data-diff#634: rows with a null in a composite key were left out of the comparison. Here they are counted apart, and
// one that the target has nothing like is missing.
func TestVerifyNullKeys(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING, b INT", "a", "b")
	b.exec("INSERT INTO main.events.src VALUES ('x', 1, %[1]s), ('x', NULL, %[1]s), (NULL, 2, %[1]s), (NULL, NULL, %[1]s)", early)
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Inconclusive)
	if v.Counts.Due != 1 || !has(v, reconcile.CodeNullKeys, "3 rows of the source") || !has(v, reconcile.CodeNullKeys, "3 rows of the target") {
		t.Errorf("%+v %v", v.Counts, v.Reasons)
	}
	b.exec("DELETE FROM main.events.tgt WHERE a IS NULL AND b = 2")
	v = b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Fail, `skipped NULL,"2"`)
	if v.Counts.Due != 2 || v.Counts.Loaded != 1 || v.Counts.Missing != 1 {
		t.Errorf("%+v", v.Counts)
	}
	b.exec("DELETE FROM main.events.src WHERE a IS NULL OR b IS NULL")
	b.exec("DELETE FROM main.events.tgt WHERE a IS NULL OR b IS NULL")
	b.load(job)
	b.load(job)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Pass)
}

// awslabs/deequ DataSynchronization compares 32 bits of hash: 40,000 keys, and the one that is lost is named; and with one
// block for all keys, where every hash of a block collides.
func TestVerifyKeysByValueNotByHash(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING, b BIGINT", "a", "b")
	b.exec("INSERT INTO main.events.src SELECT concat('k', CAST(id %% 7 AS STRING)), id, timestampadd(SECOND, CAST(id AS INT), TIMESTAMP'2026-03-01T12:00:00Z') FROM range(40000)")
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE b = 12345")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE b = 12346")
	for _, block := range []int64{0, 1} {
		v := b.verify(pipeline.VerifyRequest{Block: block})
		wantKeys(t, v, reconcile.Fail, `skipped "k4","12345"`, `duplicate "k5","12346" 1`)
		if v.Counts.Due != 40000 || v.Counts.Loaded != 39999 {
			t.Errorf("%+v", v.Counts)
		}
	}
}

// databrickslabs/lakebridge#2195: the order of the columns in the hash made all rows differ. The tables may have their columns in
// any order, and the contract may name them in another.
func TestVerifyKeysInAnyOrder(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA main.events")
	b.exec("CREATE TABLE main.events.src (a STRING, b INT, u TIMESTAMP)")
	b.exec("CREATE TABLE main.events.tgt (u TIMESTAMP, b BIGINT, payload STRING, a STRING)")
	job := b.job(keyedPromise("b", "a"), "INSERT INTO main.events.tgt SELECT u, b, 'p', a FROM main.events.src")
	b.exec("INSERT INTO main.events.src VALUES ('x', 1, %[1]s), ('y', 2, %[1]s)", early)
	b.load(job)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Pass)
	b.exec("DELETE FROM main.events.tgt WHERE a = 'y'")
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Fail, `skipped "2","y"`)
}

// databrickslabs/dqx#1487, TobikoData/sqlmesh#2810, datafold/data-diff#850: duplicates multiplied rows in joins, hid losses, and
// went unnoticed where both sides had them.
func TestVerifyDoubledKeys(t *testing.T) {
	t.Parallel()
	b, _ := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('both', %[1]s), ('both', %[1]s), ('source', %[1]s), ('source', TIMESTAMP'2026-03-01T01:00:00Z'), ('lost', %[1]s), ('lost', %[1]s)", early)
	b.exec("INSERT INTO main.events.tgt VALUES ('both', %[1]s), ('both', %[1]s), ('source', %[1]s), ('old', TIMESTAMP'2020-01-01T01:00:00Z'), ('old', TIMESTAMP'2021-01-01T01:00:00Z'), ('old', NULL)", early)
	v := b.verify(pipeline.VerifyRequest{Contract: keyedPromise("a"), Job: "", ReadAt: start.Add(time.Hour)})
	wantKeys(t, v, reconcile.Fail, `late "lost"`, `duplicate "both" 1`, `duplicate "old" 2`)
	if v.Counts.Due != 3 || v.Counts.Loaded != 2 || v.Counts.Duplicates != 3 {
		t.Errorf("%+v", v.Counts)
	}
}

// datafold/data-diff#136: timestamps of other precision are other keys; databrickslabs/lakebridge#2664: the session's zone moved
// them. The hour that clocks repeat is two.
func TestVerifyTimestampKeys(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "k TIMESTAMP", "k")
	b.exec("INSERT INTO main.events.src VALUES (TIMESTAMP'2025-10-26T02:30:00+02:00', %[1]s), (TIMESTAMP'2025-10-26T02:30:00+01:00', %[1]s), (TIMESTAMP'2026-01-01T00:00:00.123456Z', %[1]s)", early)
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE k = TIMESTAMP'2025-10-26T02:30:00+01:00' OR k = TIMESTAMP'2026-01-01T00:00:00.123456Z'")
	b.exec("INSERT INTO main.events.tgt VALUES (TIMESTAMP'2026-01-01T00:00:00.123Z', %[1]s)", early)
	wantKeys(t, b.verify(pipeline.VerifyRequest{}), reconcile.Fail, `skipped "2025-10-26T01:30:00.000000Z"`, `skipped "2026-01-01T00:00:00.123456Z"`)
}

// Counts that agree prove nothing: in one slice a key is lost and another is there that the source never had.
func TestVerifyKeysLossAndExtra(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('kept', %[1]s), ('lost', %[1]s)", early)
	b.load(job)
	b.exec("DELETE FROM main.events.tgt WHERE a = 'lost'")
	b.exec("INSERT INTO main.events.tgt VALUES ('extra', %[1]s)", early)
	wantKeys(t, b.verify(pipeline.VerifyRequest{Block: 1}), reconcile.Fail, `skipped "lost"`)
}

// A row of the target with another event time is the row all the same: its slice differs, and it is found by its key.
func TestVerifyKeysOfAnotherTime(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('x', %[1]s), ('y', %[1]s), ('z', %[1]s)", early)
	b.load(job)
	b.exec("UPDATE main.events.tgt SET u = TIMESTAMP'2020-01-01T00:00:00Z' WHERE a = 'x'")
	b.exec("UPDATE main.events.tgt SET u = TIMESTAMP'2030-01-01T00:00:00Z' WHERE a = 'y'")
	b.exec("UPDATE main.events.tgt SET u = NULL WHERE a = 'z'")
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Pass)
	if v.Counts.Due != 3 || v.Counts.Loaded != 3 {
		t.Errorf("%+v", v.Counts)
	}
}

// In flight: not due yet, each key once, and not at all when an earlier row of it is due.
func TestVerifyKeysInFlight(t *testing.T) {
	t.Parallel()
	b, job := keyedBed(t, "a STRING", "a")
	b.exec("INSERT INTO main.events.src VALUES ('due', %[1]s), ('due', TIMESTAMP'2026-03-02T05:50:00Z'), ('later', TIMESTAMP'2026-03-02T05:50:00Z'), ('later', TIMESTAMP'2026-03-02T05:51:00Z'), ('never', NULL)", early)
	b.load(job)
	v := b.verify(pipeline.VerifyRequest{})
	wantKeys(t, v, reconcile.Inconclusive)
	if v.Counts.Due != 1 || v.Counts.InFlight != 1 || !has(v, reconcile.CodeNullTimes, "1 row of the source") {
		t.Errorf("%+v %v", v.Counts, v.Reasons)
	}
}

// What makes no key, or not the same one in both tables, is refused with the column, both types and what to do.
func TestVerifyKeysRefused(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.exec("CREATE SCHEMA main.events")
	b.exec("CREATE TABLE main.events.src (a STRING, d DECIMAL(10,2), f DOUBLE, s STRUCT<x: INT, y: STRUCT<z: STRING>>, n TIMESTAMP, l ARRAY<INT>, u TIMESTAMP)")
	b.exec("CREATE TABLE main.events.tgt (a INT, d DECIMAL(12,2), f DOUBLE, s STRUCT<x: BIGINT, y: STRUCT<z: STRING>>, n TIMESTAMP_NTZ, l ARRAY<INT>, u TIMESTAMP)")
	b.exec("INSERT INTO main.events.src SELECT 'a', 1.5, 1.5, named_struct('x', 1, 'y', named_struct('z', 'q')), NULL, NULL, %s", early)
	for name, want := range map[string][]string{
		"a": {"key column a", "string in main.events.src", "int in main.events.tgt"},
		"d": {"decimal(10,2)", "decimal(12,2)"}, "n": {"timestamp in main.events.src", "timestamp_ntz in main.events.tgt"},
		"f": {"key column f is double"}, "l": {"key column l is array<int>"}, "s": {"key column s is struct"}, "s.q": {"no column s.q"}, "nothing": {"no column nothing"},
	} {
		_, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Contract: keyedPromise("u", name), ReadAt: start})
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", name, err, part)
			}
		}
	}
	v := b.verify(pipeline.VerifyRequest{Contract: keyedPromise("s.x", "s.y.z"), ReadAt: start.Add(time.Minute)})
	wantKeys(t, v, reconcile.Fail, `late "1","q"`)
}

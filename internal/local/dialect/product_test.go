//go:build cgo

package dialect

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

const (
	sourceTable = "CREATE TABLE stream_messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, payload STRING)"
	targetTable = "CREATE TABLE messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, payload STRING)"
	positions   = "CREATE TABLE last_seq_nums_per_partition (technical_partition INT, last_seq BIGINT)"
)

func cells(rows [][]*string) string {
	var lines []string
	for _, r := range rows {
		var parts []string
		for _, c := range r {
			if c == nil {
				parts = append(parts, "NULL")
				continue
			}
			parts = append(parts, *c)
		}
		lines = append(lines, strings.Join(parts, " | "))
	}
	return strings.Join(lines, "\n")
}

// incident is a bench with the incident's tables and four events, at 00:00, 00:10, 00:50 and 01:00.
func incident(t *testing.T) *bench {
	b := newBench(t)
	for _, s := range []string{sourceTable, targetTable, positions,
		`INSERT INTO stream_messages VALUES (0, 1, TIMESTAMP'2026-01-01T00:00:00Z', 'a'), (0, 2, '2026-01-01T01:10:00+01:00', 'b'),
			(1, 65536, timestamp_micros(1767228600000000), 'c'), (1, 65537, timestampadd(HOUR, 1, TIMESTAMP'2026-01-01'), NULL)`} {
		if _, _, err := b.run(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return b
}

// TestIncidentLoader runs the incident's loader: sequence above the last one, event time below newest − 30 min.
func TestIncidentLoader(t *testing.T) {
	t.Parallel()
	b := incident(t)
	loader := `INSERT INTO messages
		SELECT s.* FROM spark_catalog.wt.stream_messages s LEFT JOIN last_seq_nums_per_partition l
		  ON s.technical_partition = l.technical_partition
		WHERE s.technical_sequenceNumber > coalesce(l.last_seq, -1)
		  AND s.context_updatedAt < (SELECT max(context_updatedAt) - INTERVAL 30 MINUTES FROM stream_messages)`
	for _, s := range []string{loader, "INSERT INTO last_seq_nums_per_partition SELECT technical_partition, max(technical_sequenceNumber) FROM messages GROUP BY 1", loader} {
		if _, _, err := b.run(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	_, rows, err := b.run("SELECT technical_partition AS p, technical_sequenceNumber AS s, unix_micros(context_updatedAt), payload FROM messages ORDER BY ALL")
	if err != nil {
		t.Fatal(err)
	}
	want := "0 | 1 | 1767225600000000 | a\n0 | 2 | 1767226200000000 | b"
	if diff := cmp.Diff(want, cells(rows)); diff != "" {
		t.Error(diff)
	}
}

// TestProductForms holds that what the product sends is answered, with the numbers worked out by hand.
func TestProductForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, sql, want string }{
		{"block summary", `SELECT technical_partition AS p, technical_sequenceNumber DIV 65536 AS b, count(*) AS n,
			sum(technical_sequenceNumber % 65536) AS s1, sum((technical_sequenceNumber % 65536) * (technical_sequenceNumber % 65536)) AS s2,
			min(technical_sequenceNumber) AS lo, max(technical_sequenceNumber) AS hi, min(unix_micros(context_updatedAt)) AS t1, max(unix_micros(context_updatedAt)) AS t2
			FROM stream_messages WHERE context_updatedAt <= TIMESTAMP'2026-01-01T00:50:00.000000+00:00'
			GROUP BY technical_partition, technical_sequenceNumber DIV 65536 ORDER BY p, b`,
			"0 | 0 | 2 | 3 | 5 | 1 | 2 | 1767225600000000 | 1767226200000000\n1 | 1 | 1 | 0 | 0 | 65536 | 65536 | 1767228600000000 | 1767228600000000"},
		{"anti join of keys folded to islands", `WITH missing AS (
			  SELECT s.technical_partition AS p, s.technical_sequenceNumber AS q FROM stream_messages s
			  LEFT ANTI JOIN messages t ON s.technical_partition = t.technical_partition AND s.technical_sequenceNumber = t.technical_sequenceNumber
			  WHERE s.technical_partition IN (0, 1) AND s.technical_sequenceNumber BETWEEN 0 AND 131071)
			SELECT p, min(q) AS lo, max(q) AS hi, count(*) AS n FROM (SELECT p, q, q - row_number() OVER (PARTITION BY p ORDER BY q) AS g FROM missing)
			GROUP BY p, g ORDER BY p, lo`, "0 | 1 | 2 | 2\n1 | 65536 | 65537 | 2"},
		{"newest event", "SELECT unix_micros(max(context_updatedAt)) AS m, count(*) AS n, count_if(technical_partition IS NULL) AS nulls FROM stream_messages",
			"1767229200000000 | 4 | 0"},
		{"quoted three part name", "SELECT count(*) AS n FROM `spark_catalog`.`wt`.`stream_messages` AS x WHERE x.`technical_sequenceNumber` >= 2L", "3"},
		{"days", `SELECT CAST(date_trunc('DAY', context_updatedAt) AS DATE) AS d, count(*) AS n FROM stream_messages GROUP BY date_trunc('DAY', context_updatedAt)`,
			"2026-01-01 | 4"},
		{"typed values as a relation", "SELECT v.p, v.s FROM (VALUES (0, 1L), (1, 2L)) AS v(p, s) JOIN stream_messages m ON m.technical_partition = v.p AND m.technical_sequenceNumber = v.s",
			"0 | 1"},
		{"full join of counts", `SELECT coalesce(a.p, b.p) AS p, a.n AS an, b.n AS bn FROM (SELECT technical_partition p, count(*) n FROM stream_messages GROUP BY 1) a
			FULL OUTER JOIN (SELECT technical_partition p, count(*) n FROM messages GROUP BY 1) b ON a.p <=> b.p ORDER BY p`, "0 | 2 | NULL\n1 | 2 | NULL"},
		{"union", "SELECT 'a' AS k, 1 AS n UNION ALL SELECT 'b', 2L ORDER BY k DESC", "b | 2\na | 1"},
		{"exists", "SELECT count(*) AS n FROM stream_messages s WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.technical_sequenceNumber = s.technical_sequenceNumber)", "4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, rows, err := incident(t).run(c.sql)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, cells(rows)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSemantics holds the places where DuckDB alone would answer otherwise than Spark; the values are by hand.
func TestSemantics(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ sql, want string }{
		{"SELECT -7 DIV 2, 7 DIV -2, -7 % 3, 7 % -3, -1 DIV 65536", "-3 | -3 | -1 | 1 | 0"},
		{"SELECT 1 / 4, 7 / 7, CAST(1 AS DECIMAL(10,2)) / 3, 2.5 / -2", "0.25 | 1.0 | 0.333333 | -1.250000"},
		{"SELECT -0.05 / 1, 1.005 * 2, 1.5 + 1, 5.5 % 2", "-0.050000 | 2.010 | 2.5 | 1.5"},
		{"SELECT CAST(1.9 AS INT), CAST(-1.9 AS INT), CAST(2.5D AS BIGINT), CAST(' 7 ' AS INT), CAST('yes' AS BOOLEAN)", "1 | -1 | 2 | 7 | true"},
		{"SELECT try_cast('1.5' AS INT), try_cast('99999999999' AS INT), try_cast('x' AS DATE), try_cast('2026-1-5' AS DATE)", "NULL | NULL | NULL | 2026-01-05"},
		{"SELECT CAST(x AS STRING) FROM VALUES (1e300D), (12345678D), (0.00012D), (100D), (1D/3), (-1.5E-7) AS t(x)", "1.0E300\n1.2345678E7\n1.2E-4\n100.0\n0.3333333333333333\n-1.5E-7"},
		{"SELECT typeof(1Y + 1), typeof(1S + 1Y), typeof(1 + 1L), typeof(1.5 + 1), typeof(1 + 1.5D), typeof('1' + 1), typeof(NULL)", "int | smallint | bigint | decimal(3,1) | double | bigint | void"},
		{"SELECT max_by(x, y), min_by(x, y), count(DISTINCT x, y), sum(x) FROM VALUES ('1', 1), (NULL, 2), ('3', NULL) AS t(x, y)", "NULL | 1 | 1 | 4.0"},
		{"SELECT x FROM VALUES (1), (NULL), (3) AS t(x) ORDER BY x DESC LIMIT 2", "3\n1"},
		{"SELECT substring('hello', 0, 2), left('abc', 2), lpad('7', 3, '0'), concat_ws(',', 'a', NULL), instr('abc', 'c'), upper('é')", "he | ab | 007 | a | 3 | É"},
		{"SELECT timestampdiff(HOUR, TIMESTAMP'2026-01-01 00:30:00', TIMESTAMP'2026-01-01 02:00:00'), timestampdiff(DAY, TIMESTAMP'2026-01-02', TIMESTAMP'2026-01-01 01:00:00')", "1 | 0"},
		{"SELECT date_add(DATE'2026-02-28', 1), date_sub(DATE'2026-03-01', 1), datediff('2026-03-01', '2026-02-01'), last_day(DATE'2026-02-03')", "2026-03-01 | 2026-02-28 | 28 | 2026-02-28"},
		{"SELECT unix_seconds(TIMESTAMP'1969-12-31T23:59:59.5Z'), unix_millis(TIMESTAMP'1970-01-01T00:00:01.5Z')", "-1 | 1500"},
		{"SELECT a, b * 2 AS c FROM (SELECT 1 AS a, a + 1 AS b)", "1 | 4"},
		{"SELECT s.x, t.e FROM (SELECT 1 AS x, array(5, 6) AS l) s LATERAL VIEW explode(s.l) t AS e ORDER BY e", "1 | 5\n1 | 6"},
		{"SELECT p, count(*) AS n FROM VALUES (1), (1), (2) AS t(p) GROUP BY p HAVING n > 1 ORDER BY n + 1", "1 | 2"},
		{"SELECT if(1 > 2, 'a', 'b'), nvl2(NULL, 1, 2), CASE 3 WHEN 1 THEN 'x' ELSE 'y' END, 5 BETWEEN 1 AND 5, 'ab' LIKE 'a%', 'a' <=> NULL", "b | 2 | y | true | true | false"},
		{"SELECT sum(x) FILTER (WHERE x > 1) AS a, count(*) FILTER (WHERE x > 1) AS b FROM VALUES (1), (2), (3) AS t(x)", "5 | 2"},
		{"SELECT x, sum(x) OVER (ORDER BY x) AS r, lead(x) OVER w AS l FROM VALUES (1), (2) AS t(x) WINDOW w AS (ORDER BY x) ORDER BY x", "1 | 1 | 2\n2 | 3 | NULL"},
		{"SELECT `t`.`x` FROM VALUES (1) AS t(x) WHERE (t.x, 2) IN ((1, 2), (3, 4))", "1"},
		{"SELECT array(1, 2)[0], map('a', 1)['a'], named_struct('x', 5).x, size(array(1, 2)), X'0f' = X'0F'", "1 | 1 | 5 | 2 | true"},
		{"SELECT id FROM range(3) WHERE id NOT IN (SELECT 1) ORDER BY id", "0\n2"},
		{"SELECT r'a\\n', 'a' 'b', \"x\" || 'y', 'a\\%'", `a\n | ab | xy | a\%`},
		{"FROM VALUES (1), (2) AS t(x) SELECT x WHERE x > 1", "2"},
		{"SELECT count(*) FROM range(3) WHERE id = 1" + strings.Repeat(" OR id = 2 AND id < 5", 3000), "2"},
		{"SELECT 'k' AS k, 7 AS v, count(*) AS n FROM range(3) GROUP BY k, v ORDER BY 'x', n", "k | 7 | 3"},
		{"SELECT count(*) AS n FROM (SELECT 1 AS x" + strings.Repeat(" UNION ALL SELECT 2L", 1500) + ")", "1501"},
		{"SELECT typeof(named_struct('a', 1L).a), -2147483648L + 0, -9223372036854775808 + 0, - 5 - -5", "bigint | -2147483648 | -9223372036854775808 | 0"},
		{"SELECT 2147483647L + 1L, sum(1L) AS s, array(1L)[0] + 2147483647", "2147483648 | 1 | 2147483648"},
		{"SELECT DISTINCT x FROM VALUES (2), (1), (2) AS t(x) ORDER BY x", "1\n2"},
		{"(SELECT 1 AS x LIMIT 1) UNION ALL (SELECT 2) EXCEPT SELECT 2", "1"},
		{"SELECT * EXCEPT (b) FROM (SELECT 1 AS a, 2 AS b)", "1"},
		{"WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT a.x, b.x FROM a CROSS JOIN b", "1 | 2"},
		{"SELECT pmod(-7, 3), abs(-5), round(2.567, 2), ceil(1.2D), floor(-1.2D)", "2 | 5 | 2.57 | 2 | -2"},
	} {
		_, rows, err := b.run(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if diff := cmp.Diff(c.want, cells(rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
	}
}

// TestZones holds the wall clock of a session: Berlin's changes of 2026 are on 29 March and 25 October at 01:00 UTC.
func TestZones(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.session.Zone = "Europe/Berlin"
	for _, c := range []struct{ sql, want string }{
		{"SELECT unix_seconds(CAST(n AS TIMESTAMP)) - unix_seconds(TIMESTAMP'2026-10-25T00:00:00Z') FROM VALUES (TIMESTAMP_NTZ'2026-10-25 02:30:00') AS t(n)", "1800"},
		{"SELECT unix_seconds(CAST(n AS TIMESTAMP)) - unix_seconds(TIMESTAMP'2026-03-29T00:00:00Z') FROM VALUES (TIMESTAMP_NTZ'2026-03-29 02:30:00') AS t(n)", "5400"},
		{"SELECT CAST(TIMESTAMP'2026-03-29T12:00:00Z' - INTERVAL 24 HOURS AS STRING)", "2026-03-28 14:00:00"},
		{"SELECT CAST(timestampadd(HOUR, -24, TIMESTAMP'2026-03-29T12:00:00Z') AS STRING)", "2026-03-28 13:00:00"},
		{"SELECT CAST(date_trunc('DAY', TIMESTAMP'2026-06-30T22:30:00Z') AS STRING), CAST(CAST(DATE'2026-07-01' AS TIMESTAMP) AS STRING)", "2026-07-01 00:00:00 | 2026-07-01 00:00:00"},
		{"SELECT hour(TIMESTAMP'2026-07-01T00:00:00Z'), CAST(x AS TIMESTAMP) = TIMESTAMP'2026-07-01T00:00:00Z' FROM VALUES ('2026-07-01 02:00:00') AS t(x)", "2 | true"},
		{"SELECT CAST(x AS TIMESTAMP) = TIMESTAMP'2026-07-01T00:00:00Z' FROM VALUES ('2026-07-01T05:00:00+05:00') AS t(x)", "true"},
	} {
		_, rows, err := b.run(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got := cells(rows); got != c.want {
			t.Errorf("%s: got %s, want %s", c.sql, got, c.want)
		}
	}
}

// TestRuntimeErrors holds the class of what fails while rows are read.
func TestRuntimeErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ sql, class string }{
		{"SELECT 1 DIV x FROM VALUES (0) AS t(x)", "DIVIDE_BY_ZERO"},
		{"SELECT 1 % x FROM VALUES (0) AS t(x)", "REMAINDER_BY_ZERO"},
		{"SELECT 1 / x FROM VALUES (0) AS t(x)", "DIVIDE_BY_ZERO"},
		{"SELECT 2147483647 + x FROM VALUES (1) AS t(x)", "ARITHMETIC_OVERFLOW"},
		{"SELECT -x FROM VALUES (-9223372036854775808) AS t(x)", "ARITHMETIC_OVERFLOW"},
		{"SELECT abs(x) FROM VALUES (-2147483648) AS t(x)", "ARITHMETIC_OVERFLOW"},
		{"SELECT CAST(x AS INT) FROM VALUES (3000000000L) AS t(x)", "CAST_OVERFLOW"},
		{"SELECT CAST(x AS TINYINT) FROM VALUES (1e10D) AS t(x)", "CAST_OVERFLOW"},
		{"SELECT CAST(x AS INT) FROM VALUES ('1.5') AS t(x)", "CAST_INVALID_INPUT"},
		{"SELECT CAST(x AS INT) FROM VALUES ('99999999999') AS t(x)", "CAST_INVALID_INPUT"},
		{"SELECT CAST(x AS BOOLEAN) FROM VALUES ('maybe') AS t(x)", "CAST_INVALID_INPUT"},
		{"SELECT CAST(x AS DECIMAL(3,1)) FROM VALUES (100) AS t(x)", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{"SELECT CAST(x AS DECIMAL(3,1)) FROM VALUES (123.45) AS t(x)", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"},
		{"SELECT x, count(*) FROM VALUES (1) AS t(x)", "MISSING_AGGREGATION"},
		{"SELECT x FROM VALUES (1) AS t(x) WHERE sum(x) > 1", "INVALID_WHERE_CONDITION"},
		{"SELECT array(1)[x] FROM VALUES (3) AS t(x)", "INVALID_ARRAY_INDEX"},
		{"SELECT raise_error('no')", "USER_RAISED_EXCEPTION"},
	} {
		_, _, err := b.run(c.sql)
		var e *engine.Error
		if !errors.As(err, &e) || e.Class != c.class || e.SQLState == "" {
			t.Errorf("%s: got %v, want %s", c.sql, err, c.class)
		}
	}
}

package evidence_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
)

func TestBadLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, want string }{
		"cut short":      {`{"schema":1,"table":"watertight_runs","sc`, "not a line of JSON"},
		"a newer shape":  {`{"schema":2,"table":"watertight_runs","scope":"s","record":{}}`, "shape 2"},
		"another table":  {`{"schema":1,"table":"orders","scope":"s","record":{}}`, `"orders"`},
		"another record": {`{"schema":1,"table":"watertight_ledger","scope":"s","record":{"payload":"x"}}`, "payload"},
		"a wrong type":   {`{"schema":1,"table":"watertight_manifests","scope":"s","record":{"low":"5"}}`, "watertight_manifests"},
	} {
		var l evidence.Log
		if err := l.Add([]byte(c.line)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	var l evidence.Log
	if err := l.Add([]byte("\n")); err != nil {
		t.Errorf("an empty line: %v", err)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "ops", "main.", ".ops", "a.b.c"} {
		if _, err := evidence.NewPlace(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	p, err := evidence.NewPlace("ma`in.ops")
	if err != nil || p.SQL(evidence.Runs) != "`ma``in`.`ops`.`watertight_runs`" {
		t.Errorf("%s, %v", p.SQL(evidence.Runs), err)
	}
}

// Many records make several statements, each of which says the whole of what it adds; none makes none.
func TestAppendSplitsBySize(t *testing.T) {
	t.Parallel()
	p, err := evidence.NewPlace("main.ops")
	if err != nil {
		t.Fatal(err)
	}
	const records = 60_000
	statements, tuples := 0, 0
	for sql, err := range evidence.Append(p, "s", findings(records)) {
		if err != nil {
			t.Fatal(err)
		}
		statements++
		tuples += strings.Count(sql, "\n(")
		if !strings.HasPrefix(sql, "INSERT INTO `main`.`ops`.`watertight_findings` (schema_version, scope, finding,") || len(sql) > 5<<20 {
			t.Errorf("%d bytes: %.60s", len(sql), sql)
		}
	}
	if statements < 2 || tuples != records {
		t.Errorf("%d statements, %d records", statements, tuples)
	}
	for sql := range evidence.Append(p, "s", findings(0)) {
		t.Errorf("a statement for nothing: %s", sql)
	}
}

func findings(n int) iter.Seq2[evidence.Finding, error] {
	return func(yield func(evidence.Finding, error) bool) {
		for i := range n {
			if !yield(evidence.Finding{Name: "f", RecordedAt: at(i), Partition: "0", Low: int64(i), High: int64(i), Rows: 1, State: "late"}, nil) {
				return
			}
		}
	}
}

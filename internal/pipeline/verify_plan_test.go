package pipeline_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// sent are the statements that the workspace received since.
func (b *bed) sent() []string {
	b.t.Helper()
	var all []string
	for _, q := range b.Requests() {
		if q.Method != http.MethodPost || !strings.HasSuffix(strings.TrimSuffix(q.Route, "/"), "/sql/statements") {
			continue
		}
		var body struct{ Statement string }
		if err := json.Unmarshal([]byte(q.Body), &body); err != nil {
			b.t.Fatal(err)
		}
		all = append(all, body.Statement)
	}
	return all
}

// shapeOf takes from a statement what depends on answers: values, spans, marks, and how many versions there are.

func shapeOf(sql string) string {
	const relation = `SELECT [^()]*(?:\([^()]*\)[^()]*)*`
	for _, r := range [][2]string{
		{`TIMESTAMP'[^']*'`, "N"},
		{`'(?:[^'\\]|\\.)*'`, "N"},
		{`([(,]\s*)(?:NULL|true|false)\b`, "${1}N"},
		{`-?\b\d+\b`, "N"},
		{`CAST\(N AS TIMESTAMP\)`, "N"},
		{`CASE(?: WHEN p = N THEN seq > N)+ ELSE TRUE END`, "TRUE"},
		{`SELECT r\.\* FROM \((` + relation + `)\) AS r (?:LEFT SEMI JOIN \(SELECT \* FROM VALUES [N(), ]* AS v\(part, piece, low, high\)\) AS v ON [^W]* v\.high )?WHERE (?:r\.p IN \([N, ]*\) AND )?r\.seq BETWEEN N AND N(?: AND r\.seq DIV N IN \([N, ]*\))?`, "$1"},
		{"SELECT a\\.p AS p, a\\.seq AS seq FROM \\((SELECT [^()]*\\([^()]*\\)[^()]*?VERSION AS OF N)(?: UNION ALL SELECT [^()]*\\([^()]*\\)[^()]*?VERSION AS OF N)*\\) AS a(?: LEFT ANTI JOIN .*? ON a\\.p = f\\d+\\.p AND a\\.seq = f\\d+\\.seq)*", "$1"},
		{`\(N(?:, N)*\)(?:,\s*\(N(?:, N)*\))+`, "(N)"}, {`\(N(?:, N)+\)`, "(N)"},
		{`\(part = N AND low [<>]= N AND high [<>]= N(?: OR part = N AND low [<>]= N AND high [<>]= N)*\)`, "TRUE"},
		{` WHERE TRUE\b`, " WHERE T"},
		{`\(?p < N(?: OR p BETWEEN N AND N)* OR p > N\)?`, "(P)"},
		{`NOT \(part = N[^()]*\)`, "TRUE"},
		{"`seq` (?:BETWEEN N AND N|= N)", "`seq` = N"},
		{"(?:`p` = N AND `seq` = N)(?: OR `p` = N AND `seq` = N)+", "`p` = N AND `seq` = N"},
		{`( \+ CASE WHEN u < N THEN N ELSE N END)+`, "$1"},
	} {
		sql = regexp.MustCompile(r[0]).ReplaceAllString(sql, r[1])
	}
	return once(sql)
}

// once joins equal parts of a UNION ALL.
func once(sql string) string {
	parts := strings.Split(sql, "\nUNION ALL ")
	out := parts[0]
	for i, part := range parts[1:] {
		same := false
		if i+2 < len(parts) {
			same = strings.HasSuffix(out, part)
		}
		for n := strings.Index(part, "SELECT"); !same && n == 0; n = -1 {
			for end := len(part); end > 20 && !same; end-- {
				if strings.HasSuffix(out, part[:end]) {
					out, same = strings.TrimSuffix(out, part[:end])+part, true
				}
			}
		}
		if !same {
			out += "\nUNION ALL " + part
		}
	}
	return out
}

// Every statement of a verification has its counterpart in the list, so that the list cannot rot.
func TestDryRunListsEveryStatement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clock coverage.Clock
		file  bool
		spoil func(b *bed, job int64)
	}{
		"nothing wrong":      {},
		"the wall clock":     {clock: coverage.SettleWall},
		"evidence in a file": {file: true, spoil: func(b *bed, _ int64) { b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (7, 8)") }},
		"rows deleted": {spoil: func(b *bed, _ int64) {
			b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (7, 8) OR p = 2 AND seq = 900")
		}},
		"rows doubled": {spoil: func(b *bed, _ int64) {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE seq < 4")
		}},
		"rows expired unread": {spoil: expire},
		"a source with holes": {spoil: func(b *bed, job int64) { b.exec("DELETE FROM main.events.src WHERE seq %% 3 = 1"); b.load(job) }},
		"repeats in the source": {spoil: func(b *bed, job int64) {
			b.exec("INSERT INTO main.events.src SELECT * FROM main.events.src WHERE seq > 700")
			b.load(job)
		}},
		"sequences anew": {spoil: anew},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.tables("INT", "")
			b.exec("CREATE SCHEMA main.ops")
			if c.clock == "" {
				c.clock = coverage.SettleNewestEvent
			}
			p := promise(c.clock)
			p.Evidence = "main.ops"
			job := b.job(p, loaderSQL(c.clock))
			b.produce(0, 1000)
			b.advance(time.Minute)
			b.load(job)
			r := pipeline.VerifyRequest{Job: "load", Block: 64}
			if c.file {
				r.EvidencePath = filepath.Join(t.TempDir(), "evidence.jsonl")
			}
			for turn := range 2 {
				if turn == 1 {
					b.produce(1000, 1100)
					b.advance(time.Minute)
					b.load(job)
					if c.spoil != nil {
						c.spoil(b, job)
					}
				}
				b.compareWithPlan(r)
			}
		})
	}
}

// Keys that are columns are compared by other statements.
func TestDryRunListsEveryStatementOfKeys(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", "")
	b.exec("CREATE SCHEMA main.ops")
	p := promise(coverage.SettleNewestEvent)
	p.Key, p.Evidence = contract.Key{Columns: []string{"p", "seq"}}, "main.ops"
	job := b.job(p, loaderSQL(coverage.SettleNewestEvent))
	b.produce(0, 1000)
	b.advance(time.Minute)
	b.load(job)
	b.compareWithPlan(pipeline.VerifyRequest{Job: "load"})
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7")
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.tgt WHERE p = 2 AND seq = 8")
	expire(b, job)
	b.compareWithPlan(pipeline.VerifyRequest{Job: "load"})
	b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE p = 1 AND seq = 7")
	b.compareWithPlan(pipeline.VerifyRequest{Job: "load"})
}

// A dry run ends where a verification could not begin, and says why.
func TestDryRunOfNothing(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.tables("INT", "")
	b.job(promise(coverage.SettleWall), "SELECT 1")
	plan, err := pipeline.PlanVerification(t.Context(), b.client, pipeline.VerifyRequest{Job: "load"})
	if err != nil || len(plan.Statements) != 0 || len(plan.Reasons) != 1 || plan.Reasons[0].Code != reconcile.CodeNoRun {
		t.Errorf("%v %+v", err, plan)
	}
}

func expire(b *bed, job int64) {
	b.produce(1100, 1300)
	b.exec("DELETE FROM main.events.src WHERE seq BETWEEN 1100 AND 1150 OR seq < 400")
	b.advance(time.Minute)
	b.load(job)
}

func anew(b *bed, job int64) {
	b.exec("DELETE FROM main.events.src WHERE p = 1")
	b.exec("INSERT INTO main.events.src SELECT 1, id, timestampadd(MINUTE, CAST(id AS INT), TIMESTAMP'2026-03-20T06:00:00Z') FROM range(300)")
	b.load(job)
}

// compareWithPlan plans, then verifies.
func (b *bed) compareWithPlan(r pipeline.VerifyRequest) {
	b.t.Helper()
	b.ResetRequests()
	plan, err := pipeline.PlanVerification(b.t.Context(), b.client, r)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, sql := range b.sent() {
		if !strings.HasPrefix(sql, "DESCRIBE HISTORY") && !strings.HasPrefix(sql, "SELECT current_") {
			b.t.Errorf("the dry run sent\n%s", sql)
		}
	}
	listed := map[string]int{}
	for i, s := range plan.Statements {
		if s.Purpose == "" || s.When == "" || s.SQL == "" {
			b.t.Errorf("a statement without all it needs: %+v", s)
		}
		if shape := shapeOf(s.SQL); listed[shape] == 0 {
			listed[shape] = i + 1
		}
	}
	b.ResetRequests()
	v := b.verify(r)
	for _, sql := range b.sent() {
		if listed[shapeOf(sql)] == 0 {
			b.t.Errorf("%s %v: a verification sent what the dry run does not list:\n%s\nof the shape\n%s", v.Verdict, v.Counts, sql, shapeOf(sql))
		}
	}
	for i, s := range plan.Statements { // each is one that the engine takes
		if strings.HasPrefix(s.SQL, "SELECT") || strings.HasPrefix(s.SQL, "WITH") {
			rows, err := b.Exec(b.t.Context(), s.SQL)
			if err == nil {
				err = rows.Close()
			}
			if err != nil {
				b.t.Errorf("statement %d: %v\n%s", i, err, s.SQL)
			}
		}
	}
}

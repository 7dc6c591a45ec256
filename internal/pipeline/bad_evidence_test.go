//go:build cgo

package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// withSchema is loaded with a contract that names main.ops for evidence; nothing was verified yet.
func withSchema(t *testing.T, options ...func(*local.Options)) *bed {
	t.Helper()
	b := open(t, options...)
	b.tables("INT", "")
	b.exec("CREATE SCHEMA main.ops")
	c := promise(coverage.SettleNewestEvent)
	c.Evidence = "main.ops"
	job := b.job(c, loaderSQL(coverage.SettleNewestEvent))
	b.produce(0, 1000)
	b.load(job)
	return b
}

// records counts those of each table that is there.
func (b *bed) records() string {
	b.t.Helper()
	var out []string
	for _, row := range b.exec("SHOW TABLES IN main.ops") {
		out = append(out, row[1]+" "+b.exec("SELECT count(*) FROM main.ops.%s", row[1])[0][0])
	}
	return strings.Join(out, ", ")
}

// refusing is an engine that refuses the statements that hold one of the texts.
func refusing(t *testing.T, texts ...string) func(*local.Options) {
	return change(t, func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
		for _, text := range texts {
			if strings.Contains(s.Text, text) && strings.Contains(s.Text, "watertight_") {
				return nil, &engine.Error{Class: "INSUFFICIENT_PERMISSIONS", SQLState: "42501", Message: "Insufficient privileges: User does not have " + text + " on Schema 'main.ops'."}
			}
		}
		return inner.Run(ctx, s)
	})
}

// A verdict does not hang on evidence that is not ours, or that may not be written: it is given and the rest told, with
// exit code 3. Nothing is written then, not even beside it.
func TestEvidenceThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const runs = "CREATE TABLE main.ops.watertight_runs (schema_version INT, scope STRING, job_id BIGINT, run_id BIGINT, verified_at %s, read_at TIMESTAMP, cutoff TIMESTAMP, source_version BIGINT, target_version BIGINT, watermarks STRING, added BIGINT, verdict STRING, due BIGINT, missing BIGINT)"
	for name, c := range map[string]struct {
		refuse []string
		sql    string
		says   []string
	}{
		"another's table of that name":     {nil, "CREATE TABLE main.ops.watertight_runs (id BIGINT, finished TIMESTAMP)", []string{"main.ops.watertight_runs: it has no column schema_version", "rename that table"}},
		"a column of another type":         {nil, fmt.Sprintf(runs, "STRING"), []string{"main.ops.watertight_runs: its column verified_at is string and not timestamp"}},
		"another's table, not the first":   {nil, "CREATE TABLE main.ops.watertight_ledger (schema_version INT, scope STRING, low STRING)", []string{"main.ops.watertight_ledger"}},
		"a view of that name":              {nil, "CREATE VIEW main.ops.watertight_findings AS SELECT 1 AS schema_version", []string{"main.ops.watertight_findings"}},
		"no schema":                        {nil, "DROP SCHEMA main.ops", []string{"there is no schema main.ops", "Create it"}},
		"no right to make tables":          {[]string{"CREATE TABLE"}, "SELECT 1", []string{"main.ops can neither be read nor kept", "Insufficient privileges", "Grant USE SCHEMA"}},
		"no right to read them":            {[]string{"SELECT"}, "SELECT 1", []string{"main.ops can neither be read nor kept", "Grant USE SCHEMA"}},
		"no right to write into them":      {[]string{"INSERT"}, "SELECT 1", []string{"could not be kept", "Insufficient privileges", "INSERT INTO"}},
		"a newer shape of another loader":  {nil, fmt.Sprintf(runs, "TIMESTAMP") + "; INSERT INTO main.ops.watertight_runs (schema_version, scope) VALUES (10, 'x')", []string{"newer shape", "shape 10", "reads up to 1", "use the version that wrote it"}},
		"a manifest that cannot be stored": {[]string{"INSERT INTO `main`.`ops`.`watertight_manifests`"}, "SELECT 1", []string{"could not be kept"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withSchema(t, refusing(t, c.refuse...))
			for _, sql := range strings.Split(c.sql, "; ") {
				b.exec("%s", sql)
			}
			before := ""
			if !strings.Contains(c.sql, "DROP SCHEMA") {
				before = b.records()
			}
			r := pipeline.VerifyRequest{Block: 64}
			v := b.verify(r)
			if v.Verdict != reconcile.Pass || v.Counts.Due != 2907 || run.Verified(v) != run.Warning {
				t.Errorf("%s %+v exit %d %v", v.Verdict, v.Counts, run.Verified(v), v.Reasons)
			}
			for _, text := range c.says {
				if !has(v, reconcile.CodeNoEvidence, text) {
					t.Errorf("it does not say %q: %v", text, v.Reasons)
				}
			}
			if c.refuse == nil && before != "" && b.records() != before {
				t.Errorf("%s before, %s after", before, b.records())
			}
			b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq = 7")
			b.expect(b.verify(r), reconcile.Fail, map[key]reconcile.State{{"1", 7}: reconcile.Skipped})
			_, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", Accept: []pipeline.Accepted{{Partition: "1", From: 7, To: 7, Reason: "x"}}})
			if c.refuse == nil && (err == nil || !strings.Contains(saidOf(err).text, "no evidence to remember it by: ") || !strings.Contains(saidOf(err).text, c.says[0])) {
				t.Errorf("an accepted range: %v", err)
			}
			if got := b.ask(byWatch, ""); got.code == run.Pass {
				t.Errorf("watch kept nothing and says %+v", got)
			}
			b.lingers()
		})
	}
}

// What cannot be read of the evidence is not taken for nothing that was seen: without a reason to go on without it, or
// with ranges to accept in it, there is no verdict.
func TestEvidenceThatIsLost(t *testing.T) {
	t.Parallel()
	b, _, r := remembering(t)
	b.ResetRequests()
	b.verify(r)
	first := -1
	n := 0
	for _, q := range b.Requests() {
		if q.Method == http.MethodPost && q.Route == statementRoute {
			n++
			if strings.Contains(q.Body, "watertight_ledger") && strings.Contains(q.Body, "rank()") {
				first = n
			}
		}
	}
	for fault, want := range map[string]reconcile.Verdict{
		`{"statement_id":"x","status":{"state":"FAILED","error":{"error_code":"BAD_REQUEST","message":"[FAILED_READ_FILE.FILE_NOT_EXIST] gone SQLSTATE: KD001"}}}`: reconcile.Pass,
		`{"statement_id":"x","status":{"state":"CANCELED"}}`: "",
	} {
		b.AddFault(local.Fault{Route: statementRoute, Method: "POST", Call: first, Status: 200, Body: fault})
		v, err := pipeline.Verify(t.Context(), b.client, withJob(r))
		if (want == "") != (err != nil) || v.Verdict != want || want != "" && !(has(v, reconcile.CodeNoEvidence, "FAILED_READ_FILE") && v.Warning) {
			t.Errorf("%s: %s %v %v", fault, v.Verdict, v.Reasons, err)
		}
		b.ClearFaults()
	}
}

func withJob(r pipeline.VerifyRequest) pipeline.VerifyRequest {
	r.Job = "load"
	return r
}

// Several contracts share a schema, or a file: each has its own, and none is another's. Fault: a scope that leaves out the
// target.
func TestEvidenceOfSeveralContracts(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "file"} {
		b, _, r := remembering(t)
		if path != "" {
			r.EvidencePath = filepath.Join(t.TempDir(), path)
			b.verify(r)
		}
		b.exec("CREATE TABLE main.events.other AS SELECT * FROM main.events.tgt WHERE NOT (p = 1 AND seq = 7)")
		c := promise(coverage.SettleNewestEvent)
		c.Target, c.Evidence = "main.events.other", "main.ops"
		other := r
		other.Job, other.Contract, other.ReadAt = "", c, b.Now()
		v, err := pipeline.Verify(t.Context(), b.client, other)
		if err != nil {
			t.Fatal(err)
		}
		b.expect(v, reconcile.Fail, map[key]reconcile.State{{"1", 7}: reconcile.Skipped})
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if v := b.verify(r); v.Verdict != reconcile.Pass || v.Warning {
			t.Errorf("%q: %s %v", path, v.Verdict, v.Reasons)
		}
		if n := b.exec("SELECT count(DISTINCT scope) FROM main.ops.watertight_runs")[0][0]; path == "" && n != "2" {
			t.Errorf("%s scopes", n)
		}
	}
}

// Files that cannot be used are refused before anything is read; what cannot be written is told with the verdict.
func TestBadEvidenceFiles(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	dir := t.TempDir()
	good := filepath.Join(dir, "good.jsonl")
	if got := b.ask(byVerify, good); got.code != run.Pass {
		t.Fatalf("%+v", got)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := strings.Replace(lines[0], `"schema":1`, `"schema":2`, 1)
	for name, c := range map[string]struct {
		path          string
		verify, watch run.ExitCode
		says          string
	}{
		"a line cut in the middle": {write("middle.jsonl", lines[0][:len(lines[0])/2]+"\n"+lines[1]), run.Usage, run.Usage, "middle.jsonl, line 1: it cannot be read"},
		"a last line with its end": {write("end.jsonl", lines[0]+"{\"schema\":1,\n"), run.Usage, run.Usage, "end.jsonl, line 2: it cannot be read"},
		"no evidence at all":       {write("other.jsonl", "{\"a\":1}\n"+lines[0]), run.Usage, run.Usage, "other.jsonl, line 1: it cannot be read"},
		"a directory":              {dir, run.Usage, run.Usage, "is a directory"},
		"a folder that is not":     {filepath.Join(dir, "no", "e.jsonl"), run.Warning, run.Usage, "no such file or directory"},
		"a newer version":          {write("newer.jsonl", lines[0]+newer), run.Warning, run.Usage, "newer.jsonl is neither used nor added to"},
	} {
		before, _ := os.ReadFile(c.path)
		b.ResetRequests()
		for command, code := range map[string]run.ExitCode{byVerify: c.verify, byWatch: c.watch} {
			got := b.ask(command, c.path)
			if got.code != code || !strings.Contains(got.text, c.says) {
				t.Errorf("%s: %s %+v", name, command, got)
			}
			if isPass := strings.Contains(got.text, "PASS"); isPass != (code == run.Warning) {
				t.Errorf("%s: %s %+v", name, command, got)
			}
		}
		after, _ := os.ReadFile(c.path)
		if string(before) != string(after) {
			t.Errorf("%s: the file changed", name)
		}
		if n := b.Count("POST", statementRoute); c.verify == run.Usage && n != 0 {
			t.Errorf("%s: %d statements before it was refused", name, n)
		}
	}
}

// A verifier that is ended while it writes leaves a line without its end. It is left out and told, what follows it is
// written so that it can be read, and the manifest that it was of is not taken for the whole. Fault: Log.Cut drops nothing.
func TestEvidenceFileCutShort(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	b.exec("DELETE FROM main.events.src WHERE seq = 500") // three ranges in each partition, for its cutoff is one bound
	path := filepath.Join(t.TempDir(), "evidence.jsonl")
	if got := b.ask(byWatch, path); got.code != run.Pass {
		t.Fatalf("%+v", got)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), "\n"); n != 9 {
		t.Fatalf("%d lines:\n%s", n, whole)
	}
	for _, left := range []int{len(whole) - 1, len(whole) - 20, len(whole) / 2, 10} {
		if err := os.WriteFile(path, whole[:left], 0o600); err != nil {
			t.Fatal(err)
		}
		got := b.ask(byWatch, path)
		if kept := strings.Contains(got.text, "true"); kept != (left < len(whole)-1) || got.code != run.Pass {
			t.Errorf("%d bytes left: %+v", left, got)
		}
		for range 2 {
			if got := b.ask(byVerify, path); got.code != run.Pass || left < len(whole)-1 != strings.Contains(got.text, "was not written to its end") {
				t.Errorf("%d bytes left: %+v", left, got)
			}
		}
		if got := b.ask(byWatch, path); strings.Contains(got.text, "true") {
			t.Errorf("%d bytes left: kept twice", left)
		}
	}
}

// Several verifiers at once use a schema that nobody has used before: the tables are made once, and no record is lost.
func TestVerifiersOfANewSchema(t *testing.T) {
	t.Parallel()
	b := withSchema(t)
	const many = 4
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			v, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", Block: 64, Full: true})
			if err != nil || v.Verdict != reconcile.Pass || v.Warning {
				t.Errorf("%v %s %v", err, v.Verdict, v.Reasons)
			}
		})
	}
	all.Wait()
	if got := b.kept("runs"); got != fmt.Sprint(many) {
		t.Errorf("%s runs are kept: %s", got, b.records())
	}
}

// Several verifiers append to one file at once: every line is whole, and none is lost.
func TestTwoVerifiersAndOneFile(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	path := filepath.Join(t.TempDir(), "evidence.jsonl")
	const many = 4
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			v, err := pipeline.Verify(t.Context(), b.client, pipeline.VerifyRequest{Job: "load", Block: 64, EvidencePath: path, Full: true})
			if err != nil || v.Verdict != reconcile.Pass || v.Warning {
				t.Errorf("%v %s %v", err, v.Verdict, v.Reasons)
			}
		})
	}
	all.Wait()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for line := range strings.Lines(string(data)) {
		var record struct{ Table string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if record.Table == "watertight_runs" {
			runs++
		}
	}
	if runs != many {
		t.Errorf("%d runs are kept", runs)
	}
	if got := b.ask(byVerify, path); got.code != run.Pass {
		t.Errorf("%+v", got)
	}
}

//go:build cgo

package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// ended is the answer for a statement that is over without success.
func ended(state, class string) string {
	if class == "" {
		return fmt.Sprintf(`{"statement_id":"x","status":{"state":%q}}`, state)
	}
	return fmt.Sprintf(`{"statement_id":"x","status":{"state":%q,"error":{"error_code":"BAD_REQUEST","message":"[%s] because. SQLSTATE: XX000"}}}`, state, class)
}

// counted is an engine that counts the rows of each statement which the API is sent.
type counted struct {
	mu   sync.Mutex
	text []string
	rows []*atomic.Int64
}

type countedRows struct {
	engine.Result
	n *atomic.Int64
}

func (r countedRows) Next() bool {
	ok := r.Result.Next()
	if ok {
		r.n.Add(1)
	}
	return ok
}

func (c *counted) run(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
	result, err := inner.Run(ctx, s)
	if err != nil {
		return result, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &atomic.Int64{}
	c.text, c.rows = append(c.text, s.Text), append(c.rows, n)
	return countedRows{result, n}, nil
}

func (c *counted) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text, c.rows = nil, nil
}

// Any one statement of any command fails, is cancelled by somebody else, is cut short, or answers with fewer rows or
// columns than it promises: nothing passes, nothing is written, nothing goes on. Faults: unreadable is true of every
// error; or workspace.Rows counts neither rows nor columns; or settle takes CANCELED for an end like any other.
func TestBadStatements(t *testing.T) {
	t.Parallel()
	for _, command := range []string{byVerify, byRecover, byWatch, byPurge, byAudit} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			seen := &counted{}
			b, _ := loaded(t, change(t, seen.run))
			b.exec("DELETE FROM main.events.src WHERE seq BETWEEN 900 AND 905")
			path := filepath.Join(t.TempDir(), "evidence.jsonl")
			if command == byVerify || command == byPurge || command == byAudit {
				path = "" // what is kept is written once the verdict is there
			}
			if command == byRecover {
				b.exec("DELETE FROM main.events.tgt WHERE seq BETWEEN 895 AND 902")
				path = ""
			}
			before := b.left(path)
			// The statements up to the first that writes.
			seen.reset()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			texts, rows := b.statementsOf(ctx, command, path, seen)
			for n, first := range texts {
				for _, c := range []struct {
					name  string
					fault local.Fault
					codes []run.ExitCode
				}{
					{"failed", local.Fault{Status: 200, Body: ended("FAILED", "INTERNAL_ERROR")}, []run.ExitCode{run.CouldNotRun}},
					{"the version's log is gone", local.Fault{Status: 200, Body: ended("FAILED", "DELTA_TRUNCATED_TRANSACTION_LOG")}, []run.ExitCode{run.Inconclusive, run.CouldNotRun, run.Loss}},
					{"a file is gone", local.Fault{Status: 200, Body: ended("FAILED", "FAILED_READ_FILE.FILE_NOT_EXIST")}, []run.ExitCode{run.Inconclusive, run.CouldNotRun, run.Loss}},
					{"cancelled", local.Fault{Status: 200, Body: ended("CANCELED", "")}, []run.ExitCode{run.CouldNotRun}},
					{"closed", local.Fault{Status: 200, Body: ended("CLOSED", "")}, []run.ExitCode{run.CouldNotRun}},
					{"truncated", local.Fault{MarkTruncated: true}, []run.ExitCode{run.Inconclusive, run.CouldNotRun, run.Loss}},
					{"a row is lost", local.Fault{LoseRow: true}, []run.ExitCode{run.Inconclusive, run.CouldNotRun, run.Loss}},
					{"a column is lost", local.Fault{LoseValue: true}, []run.ExitCode{run.CouldNotRun}},
					{"no right", local.Fault{Status: 200, Body: ended("FAILED", "INSUFFICIENT_PERMISSIONS")}, []run.ExitCode{run.CouldNotRun}},
					{"forgotten", local.Fault{Status: 200, Body: `{"statement_id":"nobody","status":{"state":"PENDING"}}`}, []run.ExitCode{run.CouldNotRun}},
				} {
					// Histories are read as far as they are needed, the newest first; an answer without rows has no column to lose.
					if c.name == "a column is lost" && rows[n] == 0 || c.name == "a row is lost" && strings.HasPrefix(first, "DESCRIBE HISTORY") {
						continue
					}
					c.fault.Route, c.fault.Method, c.fault.Call = statementRoute, "POST", n+1
					b.AddFault(c.fault)
					b.ResetRequests()
					got := b.ask(command, path)
					b.ClearFaults()
					text := first
					if sent := b.sent(); n < len(sent) { // what came back before may have made commits, and so further statements
						text = sent[n]
					}
					// The rows around the run's commits decide nothing; what loads had and left decides causes only; of the places to recover from, another may
					// do, and what came back is counted.
					isHint := strings.Contains(text, "AS rows_before") || strings.Contains(text, "AS part, max(seq) AS high") || strings.Contains(text, "max(version) AS newest") || strings.Contains(text, "AS fresh")
					if command == byAudit { // it goes on without the source, and believes no gap then
						c.codes = append(c.codes, run.Inconclusive)
					}
					if !isHint && !slices.Contains(c.codes, got.code) {
						t.Errorf("statement %d %s: exit %d: %s\n%s", n+1, c.name, got.code, got.text, text)
					}
					if !isHint && strings.Contains(got.text, "PASS") {
						t.Errorf("statement %d %s: %s\n%s", n+1, c.name, got.text, text)
					}
					if after := b.left(path); after != before && command == byRecover && (isHint || got.code == run.Inconclusive) {
						b.exec("DELETE FROM main.events.tgt WHERE seq BETWEEN 895 AND 902") // what was listed came back, and that there may be more is said
					} else if after != before {
						t.Fatalf("statement %d %s: %s before, %s after\n%s", n+1, c.name, before, after, text)
					}
				}
			}
			b.lingers()
		})
	}
}

// statementsOf runs a command without its writing, and returns the statements that it sends with the rows each gives.
func (b *bed) statementsOf(ctx context.Context, command, path string, seen *counted) (texts []string, rows []int64) {
	b.t.Helper()
	r := pipeline.VerifyRequest{Job: "load", Block: 64, EvidencePath: path}
	var err error
	switch command {
	case byVerify:
		var v reconcile.Verification
		if v, err = pipeline.Verify(ctx, b.client, r); err == nil {
			err = v.Close()
		}
	case byRecover:
		var got pipeline.Recovery
		if got, err = pipeline.Recover(ctx, b.client, pipeline.RecoverRequest{VerifyRequest: r}); err == nil {
			err = got.Close()
		}
	case byAudit:
		var a reconcile.Audit
		if a, err = pipeline.Audit(ctx, b.client, pipeline.AuditRequest{Job: "load", Block: 64, EvidencePath: path}); err == nil {
			err = a.Close()
		}
	case byWatch:
		_, _, err = pipeline.KeepManifest(ctx, b.client, promise(coverage.SettleNewestEvent), filepath.Join(b.t.(*testing.T).TempDir(), "other.jsonl"))
	case byPurge:
		_, err = pipeline.Purge(ctx, b.client, pipeline.PurgeRequest{Job: "load", Window: 12 * time.Hour, DryRun: true})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for i, text := range seen.text {
		texts, rows = append(texts, text), append(rows, seen.rows[i].Load())
	}
	if len(texts) < 2 {
		b.t.Fatalf("%d statements", len(texts))
	}
	return texts, rows
}

// A statement that never ends is given up when the context does, cancelled on the warehouse, and the limit named. Fault:
// settle cancels nothing.
func TestStatementsThatNeverEnd(t *testing.T) {
	t.Parallel()
	for _, command := range []string{byVerify, byRecover, byWatch, byPurge, byAudit} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			hanging := make(chan struct{})
			var armed atomic.Bool
			b, _ := loaded(t, change(t, func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
				if armed.Load() && strings.Contains(s.Text, "FROM") && strings.Contains(s.Text, "VERSION AS OF") {
					close(hanging)
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return inner.Run(ctx, s)
			}))
			path := filepath.Join(t.TempDir(), "evidence.jsonl")
			before := b.left(path)
			armed.Store(true)
			limit := &pipeline.TimeoutError{After: time.Hour, Limit: "--timeout"}
			ctx, stop := context.WithCancelCause(t.Context())
			go func() {
				<-hanging
				armed.Store(false)
				stop(limit)
			}()
			b.t = withContext{t, ctx}
			got := b.ask(command, path)
			b.t = t
			if got.code != run.CouldNotRun || !strings.Contains(got.text, "gave up after 1h (--timeout)") || !strings.Contains(got.text, "cancelled") {
				t.Errorf("%+v", got)
			}
			b.lingers()
			if n := b.Count("POST", "/api/2.0/sql/statements/{id}/cancel"); n != 1 {
				t.Errorf("cancelled %d times", n)
			}
			if after := b.left(path); after != before {
				t.Errorf("%s before, %s after", before, after)
			}
		})
	}
}

// withContext is a test with another context.
type withContext struct {
	*testing.T
	ctx context.Context
}

func (w withContext) Context() context.Context { return w.ctx }

// A version is there when it is pinned, and its files are vacuumed before it is read. Fault: unreadable does not know
// FAILED_READ_FILE.
func TestVacuumedUnderUs(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"src", "tgt"} {
		var armed atomic.Bool
		b, job := loaded(t, change(t, func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
			if strings.Contains(s.Text, "VERSION AS OF") && strings.Contains(s.Text, table) && armed.CompareAndSwap(true, false) {
				result, err := inner.Run(ctx, engine.Statement{Text: "VACUUM main.events." + table, Now: s.Now.Add(8 * 24 * time.Hour)})
				if err := errors.Join(err, drained(result)); err != nil {
					return nil, err
				}
			}
			return inner.Run(ctx, s)
		}))
		id := b.load(job)
		b.exec("DELETE FROM main.events.%s WHERE seq %% 2 = 0", table)
		if table == "tgt" {
			b.exec("INSERT INTO main.events.tgt SELECT * FROM main.events.src WHERE seq %% 2 = 0 AND seq < 969")
		}
		path := filepath.Join(t.TempDir(), "evidence.jsonl")
		armed.Store(true)
		v := b.verify(pipeline.VerifyRequest{RunID: id, EvidencePath: path})
		if armed.Load() {
			t.Errorf("%s was not vacuumed", table)
		}
		if data, err := os.ReadFile(path); table == "src" && (err != nil || !strings.Contains(string(data), `"source_version":2`) || strings.Contains(string(data), `"source_version":1,`)) {
			t.Errorf("of the two versions of the source the newest is to be kept: %s %v", data, err)
		}
		if table == "src" && (v.Verdict != reconcile.Inconclusive || !has(v, reconcile.CodeUnreadable, "FAILED_READ_FILE")) {
			t.Errorf("%s: %s %v", table, v.Verdict, v.Reasons)
		}
		if table == "tgt" && v.Verdict != reconcile.Pass { // the newest version keeps its files
			t.Errorf("%s: %s %v", table, v.Verdict, v.Reasons)
		}
	}
}

func drained(r engine.Result) error {
	if r == nil {
		return nil
	}
	for r.Next() {
	}
	return errors.Join(r.Err(), r.Close())
}

// The token ends in the middle, the warehouse is deleted in the middle, or must start first.
func TestBadWarehouses(t *testing.T) {
	t.Parallel()
	b, _ := loaded(t)
	for _, c := range []struct {
		name  string
		fault local.Fault
		code  run.ExitCode
		says  []string
	}{
		{"the token expires", local.Fault{Status: 403, Body: `{"error_code":"403","message":"Invalid access token."}`}, run.CouldNotRun, []string{"Invalid access token", "Check the token"}},
		{"the warehouse is deleted", local.Fault{Status: 404, Body: `{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"The warehouse was deleted."}`}, run.Usage, []string{"warehouse " + b.WarehouseID(), "The warehouse was deleted", "DATABRICKS_WAREHOUSE_ID"}},
	} {
		for _, command := range []string{byVerify, byRecover, byWatch, byPurge, byAudit} {
			path := filepath.Join(t.TempDir(), "evidence.jsonl")
			before := b.left(path)
			c.fault.Route, c.fault.Method, c.fault.Call, c.fault.Times = statementRoute, "POST", 2, 1000
			b.AddFault(c.fault)
			got := b.ask(command, path)
			b.ClearFaults()
			if got.code != c.code {
				t.Errorf("%s, %s: %+v", c.name, command, got)
			}
			for _, text := range c.says {
				if !strings.Contains(got.text, text) {
					t.Errorf("%s, %s: it does not say %q: %+v", c.name, command, text, got)
				}
			}
			if after := b.left(path); after != before {
				t.Errorf("%s, %s: %s before, %s after", c.name, command, before, after)
			}
		}
	}
	b.SetBehaviour(local.Behaviour{ColdPolls: 4})
	if got := b.ask(byVerify, ""); got.code != run.Pass {
		t.Errorf("a warehouse that must start: %+v", got)
	}
	b.lingers()
}

// The session's zone changes nothing that any command says, keeps or deletes.
func TestSessionZoneOfCommands(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	for _, zone := range []string{"", "America/Los_Angeles", "Asia/Kolkata"} {
		b, job := loaded(t, func(o *local.Options) { o.Behaviour.SessionZone = zone })
		path := filepath.Join(t.TempDir(), "evidence.jsonl")
		b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (5, 900)")
		text := fmt.Sprintln(b.ask(byWatch, path), b.ask(byVerify, path))
		b.load(job)
		b.advance(start.Add(30 * time.Minute).Sub(b.Now()))
		text += fmt.Sprintln(b.ask(byPurge, path), b.ask(byRecover, path), b.ask(byVerify, path), b.left("nowhere"))
		if first, ok := said[""]; ok && text != first {
			t.Errorf("%s: %s\nUTC: %s", zone, text, first)
		}
		said[zone] = text
	}
}

// What was written stays written when what follows fails: that is said, and what cannot be kept of it takes nothing away.
func TestFaultsAfterWriting(t *testing.T) {
	t.Parallel()
	var refuse atomic.Value
	refuse.Store("nothing")
	b, _ := loaded(t, change(t, func(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
		result, err := inner.Run(ctx, s)
		if strings.HasPrefix(s.Text, "MERGE") && refuse.Load() == "MERGE" || strings.HasPrefix(s.Text, "INSERT INTO `main`.`events`.`tgt`") && refuse.Load() == "INSERT" {
			refuse.Store("DESCRIBE HISTORY")
		} else if text, _ := refuse.Load().(string); err == nil && strings.HasPrefix(s.Text, text) {
			refuse.Store("nothing")
			return nil, errors.Join(&engine.Error{Class: "INTERNAL_ERROR", SQLState: "XX000", Message: "because"}, result.Close())
		}
		return result, err
	}))
	const lost = "DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (5, 6)"
	b.exec(lost)
	refuse.Store("INSERT")
	if got := b.ask(byRecover, ""); got.code != run.CouldNotRun || !strings.Contains(got.text, "1 statements were run before, and what they brought back is in the target") {
		t.Errorf("recover: %+v", got)
	}
	if n := b.exec("SELECT count(*) FROM main.events.tgt")[0][0]; n != "2907" {
		t.Errorf("%s rows in the target", n)
	}
	refuse.Store("MERGE")
	if got := b.ask(byPurge, ""); got.code != run.CouldNotRun || !strings.Contains(got.text, "the statement was run, and what it deleted was not counted") {
		t.Errorf("purge: %+v", got)
	}
	b.lingers()
}

// Rows that were brought back are back, also when the evidence of it cannot be kept.
func TestRecoveryThatCannotBeKept(t *testing.T) {
	t.Parallel()
	b := withSchema(t, refusing(t, "watertight recover"))
	b.exec("DELETE FROM main.events.tgt WHERE p = 1 AND seq IN (5, 6)")
	got := b.recover(pipeline.RecoverRequest{VerifyRequest: pipeline.VerifyRequest{Job: "load", Block: 64}, Apply: true})
	if !got.IsWhole() || got.ExitCode() != run.Warning || !has(got.Verification, reconcile.CodeNoEvidence, "could not be kept as evidence") {
		t.Errorf("exit %d, %+v", got.ExitCode(), got)
	}
}

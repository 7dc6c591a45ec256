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
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// said is what a command came to: its exit code, and all that it says.
type said struct {
	code run.ExitCode
	text string
}

// codeOf is what the command line makes of an error.
func codeOf(err error) run.ExitCode {
	for _, target := range []error{pipeline.ErrConfiguration, workspace.ErrNotFound, workspace.ErrNoWarehouse, workspace.ErrAmbiguous} {
		if errors.Is(err, target) {
			return run.Usage
		}
	}
	return run.CouldNotRun
}

func saidOf(err error) said {
	text := err.Error() + " " + workspace.HintOf(err)
	var c *pipeline.ConfigurationError
	if errors.As(err, &c) {
		text += " " + c.Hint
	}
	return said{codeOf(err), text}
}

const (
	byVerify  = "verify"
	byRecover = "recover"
	byWatch   = "watch"
	byPurge   = "purge"
	byAudit   = "audit"
)

// ask runs a command on the job load, with a file for evidence.
func (b *bed) ask(command, evidence string) said {
	b.t.Helper()
	r := pipeline.VerifyRequest{Job: "load", Block: 64, EvidencePath: evidence}
	var out said
	switch command {
	case byVerify:
		v, err := pipeline.Verify(b.t.Context(), b.client, r)
		if err != nil {
			return saidOf(err)
		}
		out = said{run.Verified(v), fmt.Sprintf("%s %v", v.Verdict, v.Reasons)}
		err = v.Close()
		if err != nil {
			b.t.Error(err)
		}
	case byRecover:
		got, err := pipeline.Recover(b.t.Context(), b.client, pipeline.RecoverRequest{VerifyRequest: r, Apply: true})
		if err != nil {
			return saidOf(err)
		}
		out = said{got.ExitCode(), fmt.Sprintf("%s %v", got.Verification.Verdict, got.Verification.Reasons)}
		if err := got.Close(); err != nil {
			b.t.Error(err)
		}
	case byWatch:
		err := pipeline.Watch(b.t.Context(), b.client, virtual{b}, pipeline.WatchRequest{Job: "load", EvidencePath: evidence, Interval: time.Minute, Times: 1}, func(l pipeline.Look) {
			out = said{run.Pass, fmt.Sprintf("kept version %d: %t", l.Version, l.Kept)}
			if l.Err != nil {
				out = saidOf(l.Err)
			}
		})
		if err != nil {
			return saidOf(err)
		}
	case byAudit:
		a, err := pipeline.Audit(b.t.Context(), b.client, pipeline.AuditRequest{Job: "load", Block: 64, EvidencePath: evidence})
		if err != nil {
			return saidOf(err)
		}
		out = said{run.Audited(a), fmt.Sprintf("%s %v", a.Verdict, a.Reasons)}
		if err := a.Close(); err != nil {
			b.t.Error(err)
		}
	case byPurge:
		p, err := pipeline.Purge(b.t.Context(), b.client, pipeline.PurgeRequest{Job: "load", Window: 12 * time.Hour})
		if err != nil {
			return saidOf(err)
		}
		out = said{run.Pass, fmt.Sprintf("deleted %d of %d", p.Deleted, p.Old)}
	}
	return out
}

// left is what a command must leave as it is, in both tables and in the file for evidence.
func (b *bed) left(evidence string) string {
	b.t.Helper()
	text := ""
	for _, table := range []string{"src", "tgt"} {
		text += fmt.Sprint(b.exec("SELECT count(*) FROM main.events.%s", table))
	}
	data, err := os.ReadFile(evidence)
	if err == nil || !errors.Is(err, os.ErrNotExist) {
		text += fmt.Sprintf(" %d bytes, %v", len(data), err)
	}
	return text
}

// expected is what each command is to come to; one that is not named is not asked.
type expected map[string]run.ExitCode

// refused asks each command, wants its code and each of the texts in what it says, and nothing changed anywhere.
func (b *bed) refused(want expected, texts ...string) {
	b.t.Helper()
	path := filepath.Join(b.t.(*testing.T).TempDir(), "evidence.jsonl")
	before := b.left(path)
	for _, command := range []string{byVerify, byRecover, byWatch, byPurge, byAudit} {
		code, asked := want[command]
		if !asked {
			continue
		}
		got := b.ask(command, path)
		if got.code != code {
			b.t.Errorf("%s ends with %d, want %d: %s", command, got.code, code, got.text)
		}
		for _, text := range texts {
			if !strings.Contains(got.text, text) {
				b.t.Errorf("%s does not say %q: %s", command, text, got.text)
			}
		}
		if strings.Contains(got.text, "PASS") {
			b.t.Errorf("%s: %s", command, got.text)
		}
	}
	if after := b.left(path); after != before {
		b.t.Errorf("%s before, %s after", before, after)
	}
	b.lingers()
}

// lingers wants every statement to be at its end.
func (b *bed) lingers() {
	b.t.Helper()
	if n := b.RunningStatements(); n != 0 {
		b.t.Errorf("%d statements go on", n)
	}
}

// spoiled is a loaded workspace whose tables are made anew with other columns, and filled as loaded does.
func spoiled(t *testing.T, source, target, sourceRow, targetRow string) *bed {
	t.Helper()
	b := open(t)
	b.exec("CREATE SCHEMA IF NOT EXISTS main.events")
	b.exec("CREATE TABLE main.events.src (%s)", source)
	b.exec("CREATE TABLE main.events.tgt (%s)", target)
	for table, row := range map[string]string{"src": sourceRow, "tgt": targetRow} {
		b.exec("INSERT INTO main.events.%s SELECT %s FROM range(100)", table, row)
	}
	b.advance(time.Hour)
	b.load(b.job(promise(coverage.SettleNewestEvent), "SELECT 1"))
	return b
}

// shownAs shows a table as a kind that no statement here can make.
func (b *bed) shownAs(table string, r local.Relation) {
	behaviour := b.Behaviour()
	behaviour.Relations = map[string]local.Relation{table: r}
	b.SetBehaviour(behaviour)
}

// relabelled is a result with another text in place of one.
type relabelled struct {
	engine.Result
	from, to string
}

func (r relabelled) Row() []*string {
	row := slices.Clone(r.Result.Row())
	for i, v := range row {
		if v != nil && *v == r.from {
			row[i] = &r.to
		}
	}
	return row
}

// asClones shows what CREATE OR REPLACE TABLE … AS SELECT did as Delta shows a CLONE: this engine knows none.
func asClones(ctx context.Context, inner engine.Engine, s engine.Statement) (engine.Result, error) {
	result, err := inner.Run(ctx, s)
	if err == nil && strings.HasPrefix(s.Text, "DESCRIBE HISTORY") {
		result = relabelled{result, "CREATE OR REPLACE TABLE AS SELECT", "CLONE"}
	}
	return result, err
}

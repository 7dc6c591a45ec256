package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

type verifyOptions struct {
	connection
	output
	job      string
	contract *contract.Contract // nil: the job's own
	runID    int64              // 0: the last one that can have loaded
	strict   bool
	// evidence is a file; full ignores what it or the workspace says was verified.
	evidence string
	full     bool
	dryRun   bool
	timeout  time.Duration
	accept   []pipeline.Accepted
	readAt   time.Time // zero: the write to the target before its last one
}

const contractCategory = "Instead of a JOB:"

func verifyCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "compare the rows of a loader's source and target", ArgsUsage: "[JOB]",
		Description: "Both tables are read at one version each. Every row that was due and is not in the target is listed. Nothing is started.",
		Flags:       flags(subjectFlags(), dryRunFlags(), acceptFlags(), connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := in.verifyOptions()
			o.accept, o.dryRun = in.accepted(), c.Bool("dry-run")
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return verify(c.Context, o, env)
		}),
	}
}

func dryRunFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "print every statement that would be sent, and when; read no row and write nothing"}}
}

// subjectFlags say what is verified.
func subjectFlags() []cli.Flag {
	return flags([]cli.Flag{
		strictFlag(), evidenceFlag(), timeoutFlag(),
		&cli.BoolFlag{Name: "full", Usage: "scan all of the target, also what the evidence says was verified"},
		&cli.StringFlag{Name: "run", Usage: "`RUN_ID` of the run that is judged", DefaultText: "the last one that succeeded"},
		&cli.StringFlag{Name: "read-at", Usage: "`INSTANT` at which the loader read its source, at the earliest; RFC 3339", Category: contractCategory, DefaultText: "the write to the target before its last one"},
	}, contractFlags())
}

// contractFlags say what a job's tags would.
func contractFlags() []cli.Flag {
	flag := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Usage: usage, Category: contractCategory}
	}
	return []cli.Flag{
		flag("source", "`TABLE` with the rolling window"),
		flag("target", "permanent `TABLE`"),
		flag("key", "`PARTITION,SEQUENCE`: the two columns by which a row is known; columns:a,b,c where it has no sequence"),
		flag("event-time", "`COLUMN` with the time of the event"),
		flag("settle-delay", "`LENGTH`: age that a row must have before the loader may read it"),
		flag("settle-clock", "what that age is measured from: wall or newest_event (wall unless given)"),
		&cli.BoolFlag{Name: "strictly-older", Usage: "a row of exactly that age is not read yet", Category: contractCategory},
	}
}

func (r *reader) verifyOptions() verifyOptions {
	o := verifyOptions{connection: r.connection(), output: r.output(), strict: r.c.Bool("strict"), evidence: r.c.String("evidence"), full: r.c.Bool("full"), timeout: r.length("timeout", true)}
	o.job, o.contract = r.jobOrContract()
	if r.c.IsSet("run") {
		o.runID = r.parseID("--run", r.c.String("run"))
		if o.contract != nil {
			r.problem("--run says nothing without a JOB")
		}
	}
	if r.c.IsSet("read-at") {
		if o.readAt = r.instant("read-at"); o.contract == nil {
			r.problem("--read-at says nothing of a JOB: its run says when it read")
		}
	}
	return o
}

func (o verifyOptions) request(p *progress) pipeline.VerifyRequest {
	request := pipeline.VerifyRequest{Job: o.job, RunID: o.runID, Strict: o.strict, EvidencePath: o.evidence, Accept: o.accept, Full: o.full, ReadAt: o.readAt, Progress: p.next}
	if o.contract != nil {
		request.Contract = *o.contract
	}
	return request
}

// jobOrContract takes a job, or the flags that say what its tags would.
func (r *reader) jobOrContract() (string, *contract.Contract) {
	names := []string{"source", "target", "key", "event-time", "settle-delay", "settle-clock", "strictly-older"}
	var given []string
	for _, n := range names {
		if r.c.IsSet(n) {
			given = append(given, "--"+n)
		}
	}
	if len(given) == 0 {
		return r.argument("job"), nil
	}
	if job, ok := r.optionalArgument(); ok {
		r.problem("%s: the job %q has a contract of its own; give one or the other", strings.Join(given, ", "), job)
		return job, nil
	}
	for _, n := range names[:5] {
		if !r.c.IsSet(n) {
			r.problem("--%s is missing: without a JOB it takes --source, --target, --key, --event-time and --settle-delay", n)
		}
	}
	if len(r.problems) > 0 {
		return "", nil
	}
	promise := &contract.Contract{Source: r.c.String("source"), Target: r.c.String("target"), EventTime: r.c.String("event-time"), Key: keyOf(r.c.String("key")),
		SettleDelay: r.length("settle-delay", false), SettleClock: coverage.SettleWall, Strict: r.c.Bool("strictly-older"), Reads: coverage.ReadsSnapshot}
	if r.c.IsSet("settle-clock") {
		promise.SettleClock = coverage.Clock(r.oneOf("settle-clock", string(coverage.SettleWall), string(coverage.SettleNewestEvent)))
	}
	if len(r.problems) > 0 {
		return "", nil
	}
	for _, p := range promise.Validate() {
		field, _, _ := strings.Cut(p.Field, ".")
		r.problem("--%s: %v", strings.ReplaceAll(field, "_", "-"), p)
	}
	return "", promise
}

// keyOf reads what can be read of a key; Validate finds what is wrong with it.
func keyOf(text string) contract.Key {
	if strings.HasPrefix(text, "columns:") {
		key, _ := contract.ParseKey(text)
		return key
	}
	partition, sequence, _ := strings.Cut(text, ",")
	return contract.Key{Partition: strings.TrimSpace(partition), Sequence: strings.TrimSpace(sequence)}
}

func verify(ctx context.Context, o verifyOptions, env *Env) (code run.ExitCode, err error) {
	if o.dryRun {
		plan, err := asked(ctx, o.connection, o.output, o.timeout, env, func(ctx context.Context, w *workspace.Client, p *progress) (pipeline.VerificationPlan, error) {
			return pipeline.PlanVerification(ctx, w, o.request(p))
		})
		if err != nil {
			return 0, err
		}
		if len(plan.Reasons) > 0 {
			code = run.Inconclusive
		}
		return code, o.print(env, planDocument(plan))
	}
	v, err := asked(ctx, o.connection, o.output, o.timeout, env, func(ctx context.Context, w *workspace.Client, p *progress) (reconcile.Verification, error) {
		return pipeline.Verify(ctx, w, o.request(p))
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return run.Verified(v), o.print(env, report.Verification{Verification: v})
}

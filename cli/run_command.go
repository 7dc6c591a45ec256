package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type runOptions struct {
	connection
	output
	watch
	job        string
	parameters map[string]string
	token      string
}

// watch is how a run is waited for and what follows.
type watch struct {
	timeout  time.Duration
	noVerify bool
	strict   bool
}

func watchFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "timeout", Usage: "`LENGTH` after which to give up waiting (code 7; the run goes on)", DefaultText: "as long as it takes"},
		&cli.BoolFlag{Name: "no-verify", Usage: "do not look at the rows when the run has succeeded"},
		strictFlag(),
	}
}

func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Usage: "warnings end with 1, as losses do"}
}

func (r *reader) watch() watch {
	if r.c.Bool("no-verify") && r.c.Bool("strict") {
		r.problem("--strict is about what verification finds, and --no-verify leaves it out")
	}
	return watch{timeout: r.length("timeout", true), noVerify: r.c.Bool("no-verify"), strict: r.c.Bool("strict")}
}

func runCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "run a loader, wait for it, and verify that no row is missing", ArgsUsage: "JOB",
		Description: "JOB is a name, exactly as it is, or an id. One run is started, however often the request must be sent. When the run has succeeded, the\n" +
			"rows of its source that were due are looked for in its target, as the contract in the job's tags says. Ctrl-C leaves; the run goes on.",
		Flags: flags(watchFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "param", Usage: "job parameter as `NAME=VALUE`; can be repeated"},
			&cli.StringFlag{Name: "idempotency-token", Usage: "`TOKEN` that makes a second call return the first one's run", DefaultText: "a fresh one"},
		}, connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := runOptions{connection: in.connection(), output: in.output(), watch: in.watch(), job: in.argument("job"),
				parameters: in.pairs("param"), token: c.String("idempotency-token")}
			if len(o.token) > 64 {
				in.problem("--idempotency-token: has %d characters, Databricks takes 64", len(o.token))
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return runJob(c.Context, o, env)
		}),
	}
}

func flags(groups ...[]cli.Flag) []cli.Flag {
	var all []cli.Flag
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

func runJob(ctx context.Context, o runOptions, env *Env) (run.ExitCode, error) {
	w, err := o.open(env)
	if err != nil {
		return 0, err
	}
	p := newProgress(env, o.output)
	result, err := pipeline.Run(ctx, w, waiter{env}, pipeline.RunRequest{
		Job: o.job, Parameters: o.parameters, Token: o.token, NoVerify: o.noVerify, Strict: o.strict,
		Wait: pipeline.WaitOptions{Timeout: o.timeout}, Progress: p.next,
	}, p.show)
	p.clear()
	return o.conclude(ctx, env, o.output, result, err)
}

// conclude prints what became of a run, and says how to attach to it again where it goes on.
func (w watch) conclude(ctx context.Context, env *Env, o output, r pipeline.RunResult, err error) (run.ExitCode, error) {
	if r.Verification != nil {
		defer func() { _ = r.Verification.Close() }()
	}
	if err != nil && r.Run.ID == 0 {
		if ctx.Err() != nil {
			err = &hinted{err, "Whether a run was started is not known: watertight status tells."}
		}
		return 0, err
	}
	var gaveUp *pipeline.GaveUpError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.ExitCode, err = run.Interrupted, nil
		fmt.Fprintf(env.Stderr, "left; run %d goes on. To attach again: watertight wait %d\n", r.Run.ID, r.Run.ID)
	case errors.As(err, &gaveUp):
		r.ExitCode = run.GaveUp
		err = &hinted{err, fmt.Sprintf("Nothing was cancelled. To attach again: watertight wait %d", r.Run.ID)}
	default:
		r.ExitCode = run.CouldNotRun
		err = &hinted{err, strings.TrimSpace(fmt.Sprintf("%s To attach again: watertight wait %d", hintOf(err), r.Run.ID))}
	}
	if r.VerifyErr != nil && err == nil {
		err = r.VerifyErr
		if ctx.Err() != nil {
			r.ExitCode = run.Interrupted
		}
	}
	if printErr := o.print(env, runDocument(r)); printErr != nil {
		return run.CouldNotRun, errors.Join(err, printErr)
	}
	return r.ExitCode, err
}

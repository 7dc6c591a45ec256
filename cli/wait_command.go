package cli

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type waitOptions struct {
	connection
	output
	watch
	runID int64
}

func waitCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "wait", Usage: "wait for a run that was started before, and verify as run does", ArgsUsage: "RUN_ID",
		Flags: flags(watchFlags(), connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := waitOptions{connection: in.connection(), output: in.output(), watch: in.watch(), runID: in.id("run")}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return waitForRun(c.Context, o, env)
		}),
	}
}

// id takes an argument that is a number.
func (r *reader) id(what string) int64 {
	text := r.argument(what)
	if text == "" {
		return 0
	}
	return r.parseID(what, text)
}

func (r *reader) parseID(what, text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		r.problem("%s %q: is not an id, a whole number", what, text)
	}
	return id
}

func waitForRun(ctx context.Context, o waitOptions, env *Env) (run.ExitCode, error) {
	w, err := o.open(env)
	if err != nil {
		return 0, err
	}
	p := newProgress(env, o.output)
	defer p.clear()
	result := pipeline.RunResult{ExitCode: run.GaveUp}
	result.Run, err = pipeline.Wait(ctx, w, waiter{env}, o.runID, pipeline.WaitOptions{Timeout: o.timeout}, p.show)
	if err != nil {
		if result.Run.JobID == 0 {
			result.Run.ID = 0 // it was never seen
		}
		return o.conclude(ctx, env, o.output, result, err)
	}
	result.ExitCode = result.Run.Outcome().ExitCode()
	if !o.noVerify && result.ExitCode == run.Pass {
		v, err := pipeline.Verify(ctx, w, pipeline.VerifyRequest{Job: strconv.FormatInt(result.Run.JobID, 10), RunID: o.runID, Strict: o.strict, Progress: p.next})
		if err != nil {
			result.VerifyErr, result.ExitCode = err, exitCode(ctx, err)
		} else {
			result.Verification, result.ExitCode = &v, run.Verified(v)
		}
	}
	return o.conclude(ctx, env, o.output, result, nil)
}

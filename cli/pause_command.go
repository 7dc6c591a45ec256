package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type pauseOptions struct {
	connection
	output
	job    string
	paused bool
}

func pauseCommand(env *Env) *cli.Command {
	return pauseOrResume(env, "pause", "pause a job's schedule or trigger", true)
}

func resumeCommand(env *Env) *cli.Command {
	return pauseOrResume(env, "resume", "let a paused job start again", false)
}

func pauseOrResume(env *Env, name, usage string, paused bool) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "JOB",
		Flags: flags(connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := pauseOptions{connection: in.connection(), output: in.output(), job: in.argument("job"), paused: paused}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return setPause(c.Context, o, env)
		}),
	}
}

func setPause(ctx context.Context, o pauseOptions, env *Env) (run.ExitCode, error) {
	w, err := o.open(env)
	if err != nil {
		return 0, err
	}
	result, err := pipeline.SetPause(ctx, w, o.job, o.paused)
	if err != nil {
		return 0, err
	}
	return run.Pass, o.print(env, pauseDocument(result))
}

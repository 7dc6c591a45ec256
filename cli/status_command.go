package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type statusOptions struct {
	connection
	output
	job string // empty: every job with a contract
}

func statusCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show loader jobs: paused or not, last runs, coverage", ArgsUsage: "[JOB]",
		Flags: flags(connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := statusOptions{connection: in.connection(), output: in.output()}
			o.job, _ = in.optionalArgument()
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return status(c.Context, o, env)
		}),
	}
}

func status(ctx context.Context, o statusOptions, env *Env) (run.ExitCode, error) {
	w, err := o.open(env)
	if err != nil {
		return 0, err
	}
	jobs, err := pipeline.Status(ctx, w, o.job)
	if err != nil {
		return 0, err
	}
	return run.Pass, o.print(env, statusDocument(jobs))
}

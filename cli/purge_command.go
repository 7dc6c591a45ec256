package cli

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

type purgeOptions struct {
	connection
	output
	request pipeline.PurgeRequest
	strict  bool
	timeout time.Duration
}

func purgeCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "purge", Usage: "delete from a loader's source what is past its window and in the target", ArgsUsage: "JOB",
		Description: "One MERGE deletes the rows that were counted: older than the rolling window at this instant, and in the target at this version. A row that is not in the\n" +
			"target is never deleted, however old it is. Where there are such rows it ends with 3 (--strict: 1).",
		Flags: flags([]cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "count, print the statement, and delete nothing"},
			&cli.StringFlag{Name: "window", Usage: "`LENGTH` of the rolling window", DefaultText: "what the source declares"},
			strictFlag(), timeoutFlag(),
		}, connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := purgeOptions{connection: in.connection(), output: in.output(), strict: c.Bool("strict"), timeout: in.length("timeout", true)}
			o.request = pipeline.PurgeRequest{Job: in.argument("job"), Window: in.length("window", true), DryRun: c.Bool("dry-run")}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return purge(c.Context, o, env)
		}),
	}
}

func purge(ctx context.Context, o purgeOptions, env *Env) (run.ExitCode, error) {
	result, err := asked(ctx, o.connection, o.output, o.timeout, env, func(ctx context.Context, w *workspace.Client, p *progress) (pipeline.Purged, error) {
		o.request.Progress = p.next
		return pipeline.Purge(ctx, w, o.request)
	})
	if err != nil {
		return 0, err
	}
	code := run.Pass
	if result.Unread() > 0 {
		code = run.Warning
		if o.strict {
			code = run.Loss
		}
	}
	return code, o.print(env, report.Purge{ExitCode: code, Window: result.Window, Source: result.Source, Target: result.Target, Old: result.Old, Loaded: result.Loaded,
		Deleted: result.Deleted, Applied: result.Applied, Statement: result.Statement})
}

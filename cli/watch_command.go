package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type watchOptions struct {
	connection
	output
	request pipeline.WatchRequest
}

func watchCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "watch", Usage: "keep a manifest of a loader's source at every interval, with the countdown", ArgsUsage: "JOB",
		Description: "Rows that expire while the loader is paused leave a trace only if somebody looked at the source while they were there. A line is printed for each\n" +
			"look; it goes on until it is stopped, and starts nothing.",
		Flags: flags([]cli.Flag{
			&cli.StringFlag{Name: "interval", Usage: "`LENGTH` of time between two looks", Value: "15m"},
			&cli.IntFlag{Name: "times", Usage: "how many `LOOKS` there are", DefaultText: "until it is stopped"},
			evidenceFlag(),
			&cli.StringFlag{Name: "timeout", Usage: "`LENGTH` after which a look is given up and its statement cancelled", DefaultText: "the interval, and at least 15m"},
		}, connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := watchOptions{connection: in.connection(), output: in.output()}
			o.request = pipeline.WatchRequest{Job: in.argument("job"), EvidencePath: c.String("evidence"), Times: c.Int("times"), Timeout: in.length("timeout", true),
				Interval: in.parseLength("--interval", c.String("interval"), true)}
			if c.IsSet("times") && o.request.Times < 1 {
				in.problem("--times %d: want 1 or more", o.request.Times)
			}
			if o.request.Interval > 0 && o.request.Interval < time.Second {
				in.problem("--interval %s: want 1s or more", c.String("interval"))
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return watchSource(c.Context, o, env)
		}),
	}
}

func evidenceFlag() cli.Flag {
	return &cli.StringFlag{Name: "evidence", Usage: "`FILE` that keeps what was seen, in place of the schema that the contract names"}
}

func watchSource(ctx context.Context, o watchOptions, env *Env) (run.ExitCode, error) {
	w, err := o.open(env)
	if err != nil {
		return 0, err
	}
	var printed error
	err = pipeline.Watch(ctx, w, waiter{env}, o.request, func(l pipeline.Look) {
		if l.Err != nil {
			fmt.Fprintf(env.Stderr, "watch: %v; the next look is in %s\n", l.Err, o.request.Interval)
			return
		}
		printed = o.print(env, lookDocument(l))
	})
	if err == nil {
		err = printed
	}
	return run.Pass, err
}

func lookDocument(l pipeline.Look) report.Document {
	return report.Look{At: l.Status.At, JobID: l.Status.JobID, Name: l.Status.Name, Paused: l.Status.Paused, Deadline: l.Status.Deadline, Left: l.Status.Left,
		Table: l.Status.Source, Version: l.Version, Kept: l.Kept}
}

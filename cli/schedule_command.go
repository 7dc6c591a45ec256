package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

type scheduleOptions struct {
	connection
	output
	job     string
	trigger coverage.Trigger // of the flags; used when job is empty
	from    time.Time        // zero: now
	count   int
}

func scheduleCommand(env *Env) *cli.Command {
	const category = "Instead of a JOB:"
	return &cli.Command{
		Name: "schedule", Usage: "print the next starts of a job, and the longest gap between two", ArgsUsage: "[JOB]",
		Description: "Starts are those of real Quartz, in UTC, over clock changes and month ends. The longest gap is that of 400 days.",
		Flags: flags(cronFlags(category), []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "`INSTANT` after which to begin", DefaultText: "now"},
			&cli.IntFlag{Name: "count", Value: 10, Usage: "`NUMBER` of starts"},
		}, connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := scheduleOptions{connection: in.connection(), output: in.output(), from: in.instant("from"), count: c.Int("count")}
			var warnings []string
			o.trigger.Cron, o.trigger.Expression, o.trigger.ZoneID, warnings = in.cron("quartz", "zone")
			if job, ok := in.optionalArgument(); ok && c.IsSet("quartz") {
				in.problem("the job %q has a schedule of its own; give it or --quartz", job)
			} else if o.job = job; !ok && !c.IsSet("quartz") {
				in.problem("which schedule? Give a JOB or --quartz")
			}
			if o.count < 1 || o.count > 100_000 {
				in.problem("--count %d: must be between 1 and 100000", o.count)
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			for _, w := range warnings {
				o.say(env, "--quartz: %s", w)
			}
			return printSchedule(c.Context, o, env)
		}),
	}
}

func printSchedule(ctx context.Context, o scheduleOptions, env *Env) (run.ExitCode, error) {
	from := o.from
	if from.IsZero() {
		from = env.Now().UTC()
	}
	if o.job != "" {
		w, err := o.open(env)
		if err != nil {
			return 0, err
		}
		job, err := w.FindJob(ctx, o.job)
		if err != nil {
			return 0, err
		}
		loader, err := jobspec.Loader(job.Settings)
		if err != nil {
			return run.Usage, fmt.Errorf("read the schedule of job %d: %w", job.ID, err)
		}
		o.trigger = loader.Trigger
		if o.trigger.Cron == nil {
			return run.Usage, &hinted{fmt.Errorf("job %d has no schedule: it starts by %s", job.ID, o.trigger.Kind), "watertight check judges such a job too."}
		}
		if loader.Paused {
			o.say(env, "job %d is paused: none of these starts will happen until it is resumed", job.ID)
		}
		if o.from.IsZero() {
			if from, err = w.Now(ctx); err != nil {
				return 0, err
			}
		}
	}
	const year = 400 * 24 * time.Hour
	d := report.Schedule{Next: schedule.NextN(o.trigger.Cron, from, o.count)}
	d.Gap, d.HasGap = schedule.LongestGap(o.trigger.Cron, from, from.Add(year))
	return run.Pass, o.print(env, d)
}

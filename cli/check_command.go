package cli

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type checkOptions struct {
	connection
	output
	whatIf
	job    string // empty: the flags alone
	strict bool
}

func checkCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "check", Usage: "tell whether rows would expire unread, before they do", ArgsUsage: "[JOB]",
		Description: "Compares how long a row stays readable with how long it can wait to be read. A JOB is judged by its schedule, contract, source and the\n" +
			"maintenance linked to it; flags put something else in the place of what it says. Without a JOB, flags alone are judged and no workspace is asked.",
		Flags: flags(whatIfFlags(), []cli.Flag{strictFlag()}, connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := checkOptions{connection: in.connection(), output: in.output(), whatIf: in.whatIf(), strict: c.Bool("strict")}
			o.job, _ = in.optionalArgument()
			if o.job == "" && !c.IsSet("quartz") {
				in.problem("what is to be checked? Give a JOB or --quartz")
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			for _, w := range o.warnings {
				o.say(env, "--quartz: %s", w)
			}
			return check(c.Context, o, env)
		}),
	}
}

func check(ctx context.Context, o checkOptions, env *Env) (run.ExitCode, error) {
	var result pipeline.CheckResult
	if o.job == "" {
		result.Input = coverage.Input{At: env.Now().UTC()}
	} else {
		w, err := o.open(env)
		if err != nil {
			return 0, err
		}
		if result, err = pipeline.Check(ctx, w, o.job, pipeline.CheckOptions{At: o.at}); err != nil {
			return 0, err
		}
	}
	var err error
	result.Input = o.apply(result.Input)
	if result.Verdict, err = coverage.Check(result.Input); err != nil {
		return run.Usage, err
	}
	if !result.LastRead.IsZero() && result.Verdict.Limit > 0 {
		result.Deadline = result.LastRead.Add(result.Verdict.Limit - result.Input.SettleDelay)
	}
	code := result.ExitCode()
	if o.strict && code == run.Warning {
		code = run.Loss
	}
	return code, o.print(env, checkDocument(result))
}

package cli

import (
	"context"
	"errors"
	"iter"

	"github.com/urfave/cli/v2"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/recovery"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

type recoverOptions struct {
	verifyOptions
	backups []string
	apply   bool
}

func recoverCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "recover", Usage: "find where missing rows can still be read, and bring them back", ArgsUsage: "[JOB]",
		Description: "Verifies first. Each missing range is looked for in the source, by time travel, in the change feed and in the backups you name, by reading its keys\n" +
			"there. The statements insert what the target lacks of those ranges, and nothing a second time; without --apply they are printed and not run.\n" +
			"Rows that the loader can still read are left to it. No table is restored, and the loader's position is never moved.",
		Flags: flags([]cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: "run the statements, and count in the target what came back"},
			&cli.StringSliceFlag{Name: "backup", Usage: "`TABLE` with a copy of rows of the source (may be repeated)"},
		}, subjectFlags(), connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := recoverOptions{verifyOptions: in.verifyOptions(), backups: c.StringSlice("backup"), apply: c.Bool("apply")}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return bringBack(c.Context, o, env)
		}),
	}
}

func bringBack(ctx context.Context, o recoverOptions, env *Env) (code run.ExitCode, err error) {
	result, err := asked(ctx, o.connection, o.output, o.timeout, env, func(ctx context.Context, w *workspace.Client, p *progress) (pipeline.Recovery, error) {
		return pipeline.Recover(ctx, w, pipeline.RecoverRequest{VerifyRequest: o.request(p), Backups: o.backups, Apply: o.apply})
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	return result.ExitCode(), o.print(env, recoveryDocument(&result, o.job))
}

func recoveryDocument(r *pipeline.Recovery, job string) report.Document {
	return report.Recovery{
		Verdict: r.Verification.Verdict, ExitCode: r.ExitCode(), Reasons: r.Verification.Reasons, Wanted: r.Wanted, Found: r.Found, Returned: r.Returned, Later: r.Later,
		Ranges: mapped[pipeline.RecoveredRange, report.RecoveryRange]{r.Ranges, recoveryRange}, Steps: mapped[pipeline.Step, report.RecoveryStep]{r.Steps, recoveryStep},
		Lacking: r.Lacking, Applied: r.Applied, Target: r.Target, Job: job, IntegralPartition: r.Verification.IntegralPartition, KeyNames: r.Verification.KeyNames,
	}
}

func recoveryRange(r pipeline.RecoveredRange) report.RecoveryRange {
	out := report.RecoveryRange{Range: r.Range, Outcome: string(r.Outcome)}
	for _, o := range r.Options {
		keys := int64(o.Keys)
		if o.Kind == recovery.Broker {
			keys = -1
		}
		out.Options = append(out.Options, report.RecoveryOption{Kind: string(o.Kind), Name: o.Name, Problem: o.Problem, Keys: keys, Until: o.Until})
	}
	return out
}

func recoveryStep(s pipeline.Step) report.RecoveryStep {
	return report.RecoveryStep{Kind: string(s.Place.Kind), Name: s.Place.Name, Statement: s.Statement, Keys: s.Keys, Until: s.Place.Until, Applied: s.Applied}
}

// mapped is a list seen through a function.
type mapped[A, B any] struct {
	list reconcile.List[A]
	see  func(A) B
}

func (m mapped[A, B]) Len() int64 { return m.list.Len() }

func (m mapped[A, B]) All() iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range m.list.All() {
			if !yield(m.see(a), err) {
				return
			}
		}
	}
}

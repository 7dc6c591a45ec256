package cli

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v2"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/report"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

type auditOptions struct {
	connection
	output
	request pipeline.AuditRequest
	timeout time.Duration
}

func auditCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "audit", Usage: "look for gaps and duplicates in a loader's target alone", ArgsUsage: "[JOB]",
		Description: "The target is read at one version. Between the lowest and the highest sequence of each partition every sequence must be there, once. A gap counts where\n" +
			"the source shows that sequences are contiguous; what manifests list of it is lost, and what nobody knows of is undecidable. What the evidence says was\n" +
			"verified is not read again. Nothing is started.",
		Flags: flags([]cli.Flag{
			strictFlag(), evidenceFlag(), timeoutFlag(),
			&cli.BoolFlag{Name: "full", Usage: "scan all of the target, also what the evidence says was verified"},
		}, contractFlags(), acceptFlags(), connectionFlags(), outputFlags()),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := auditOptions{connection: in.connection(), output: in.output(), timeout: in.length("timeout", true)}
			o.request = pipeline.AuditRequest{Strict: c.Bool("strict"), EvidencePath: c.String("evidence"), Full: c.Bool("full"), Accept: in.accepted()}
			job, promise := in.jobOrContract()
			if o.request.Job = job; promise != nil {
				o.request.Contract = *promise
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return audit(c.Context, o, env)
		}),
	}
}

func audit(ctx context.Context, o auditOptions, env *Env) (code run.ExitCode, err error) {
	a, err := asked(ctx, o.connection, o.output, o.timeout, env, func(ctx context.Context, w *workspace.Client, p *progress) (reconcile.Audit, error) {
		o.request.Progress = p.next
		return pipeline.Audit(ctx, w, o.request)
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return run.Audited(a), o.print(env, report.Audit{Audit: a})
}

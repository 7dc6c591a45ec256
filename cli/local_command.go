package cli

import (
	"context"
	"errors"
	"net/http"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "local", Usage: "an embedded workspace on this machine: serve it, and try things on it",
		Subcommands: []*cli.Command{
			localServeCommand(env), localEnvCommand(env), localAdvanceCommand(env), localFeedCommand(env), localScriptCommand(env), localFaultsCommand(env), localRequestsCommand(env),
		},
	}
}

// steered is what commands on a running local workspace have in common.
type steered struct{ pid int }

func steeredFlags() []cli.Flag {
	return []cli.Flag{&cli.IntFlag{Name: "pid", Usage: "`PROCESS` that serves the workspace, where several do", DefaultText: "the only one"}}
}

func (r *reader) steered() steered { return steered{r.c.Int("pid")} }

func (s steered) control(ctx context.Context, env *Env) (*control, error) {
	a, err := theServer(ctx, env, s.pid)
	if err != nil {
		return nil, err
	}
	return newControl(a.Host, a.Token), nil
}

// onControl sends one request and hands the answer on; what the workspace refuses was asked wrongly.
func (s steered) onControl(ctx context.Context, env *Env, method, path string, in, out any) (run.ExitCode, error) {
	c, err := s.control(ctx, env)
	if err != nil {
		return 0, err
	}
	err = c.call(ctx, method, path, in, out)
	var r *refused
	if errors.As(err, &r) && r.status == http.StatusBadRequest {
		return run.Usage, err
	}
	return 0, err
}

package cli

import (
	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localEnvCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "env", Usage: "print the variables of the workspace that is being served, for eval",
		Description: "In a shell: eval \"$(watertight local env)\"",
		Flags:       steeredFlags(),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			s := in.steered()
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			a, err := theServer(c.Context, env, s.pid)
			if err != nil {
				return 0, err
			}
			return run.Pass, printExports(env, a)
		}),
	}
}

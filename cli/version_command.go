package cli

import (
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func versionCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version of this build",
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			_, err := fmt.Fprintf(env.Stdout, "watertight %s (%s, %s/%s)\n", env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return run.Pass, err
		}),
	}
}

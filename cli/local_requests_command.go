package cli

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localRequestsCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "requests", Usage: "show the requests made to the workspace so far, or forget them",
		Flags: append(steeredFlags(), &cli.BoolFlag{Name: "clear", Usage: "forget them"}),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			s := in.steered()
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			method := http.MethodGet
			if c.Bool("clear") {
				method = http.MethodDelete
			}
			var answer json.RawMessage
			code, err := s.onControl(c.Context, env, method, "/local/v1/requests", nil, &answer)
			if err != nil {
				return code, err
			}
			return code, errors.Join(err, writeIndented(env.Stdout, answer))
		}),
	}
}

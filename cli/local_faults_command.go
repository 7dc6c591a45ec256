package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localFaultsCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "faults", Usage: "show the faults in force, add some, or end them", ArgsUsage: "[FILE]",
		Description: "FILE holds one JSON object or a list of them. Its fields: method and route choose the requests; call is the first one it applies to\n" +
			"(from 1) and times how many; status, body, content_type and headers replace the answer; delay comes before it; reset, act_then_reset\n" +
			"and act_then_status cut or replace it before or after the request had its effect. Every second poll of a run fails with:\n\n" +
			"   {\"method\": \"GET\", \"route\": \"/api/2.2/jobs/runs/get\", \"call\": 2, \"status\": 503}",
		Flags: append(steeredFlags(), &cli.BoolFlag{Name: "clear", Usage: "end all faults"}),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			s := in.steered()
			path, given := in.optionalArgument()
			if given && c.Bool("clear") {
				in.problem("--clear and a file of faults contradict each other")
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			method, body := http.MethodGet, any(nil)
			switch {
			case c.Bool("clear"):
				method = http.MethodDelete
			case given:
				data, err := os.ReadFile(path)
				if err != nil {
					return run.Usage, fmt.Errorf("read faults: %w", err)
				}
				method, body = http.MethodPost, data
			}
			var answer json.RawMessage
			code, err := s.onControl(c.Context, env, method, "/local/v1/faults", body, &answer)
			if err != nil && given {
				return code, fmt.Errorf("%s: %w", path, err)
			}
			return code, errors.Join(err, writeIndented(env.Stdout, answer))
		}),
	}
}

package cli

import (
	"fmt"
	"net/http"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localAdvanceCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "advance", Usage: "move the workspace's clock, and play what falls due meanwhile", ArgsUsage: "LENGTH",
		Description: "Plays arrivals, expiry and the jobs' schedules in order of time, then prints where the clock is. LENGTH is such as 25h, 30m, 7d.",
		Flags:       steeredFlags(),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			s := in.steered()
			var length time.Duration
			if text := in.argument("length of time"); text != "" {
				length = in.parseLength("LENGTH", text, true)
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			var clock struct {
				Now time.Time `json:"now"`
			}
			code, err := s.onControl(c.Context, env, http.MethodPost, "/local/v1/advance", map[string]any{"seconds": length.Seconds()}, &clock)
			if err != nil {
				return code, err
			}
			_, err = fmt.Fprintln(env.Stdout, clock.Now.Format(time.RFC3339))
			return run.Pass, err
		}),
	}
}

package cli

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localScriptCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "script", Usage: "make the next run of a job walk through given states instead of doing its work", ArgsUsage: "JOB STATE...",
		Description: "A STATE is a life cycle, such as QUEUED or RUNNING, or one with a result, such as TERMINATED/FAILED. Each is seen at one poll; the last\n" +
			"one stays. Only a job's exact name or its id is taken, also of a job that does not exist yet.",
		Flags: append(steeredFlags(),
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`NUMBER` of runs that do so"},
			&cli.StringFlag{Name: "message", Usage: "`TEXT` of the last state"}),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			s := in.steered()
			script := map[string]any{"job": in.argument("job"), "runs": c.Int("runs"), "steps": in.steps()}
			if c.Int("runs") < 1 {
				in.problem("--runs %d: must be at least 1", c.Int("runs"))
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			code, err := s.onControl(c.Context, env, http.MethodPost, "/local/v1/scripts", script, nil)
			if err != nil {
				return code, err
			}
			_, err = fmt.Fprintf(env.Stdout, "the next %d run%s of %s: %s\n", c.Int("runs"), plural(c.Int("runs")), c.Args().First(), strings.Join(c.Args().Slice()[1:], ", "))
			return run.Pass, err
		}),
	}
}

func (r *reader) steps() []map[string]string {
	var steps []map[string]string
	for {
		text, ok := r.optionalArgument()
		if !ok {
			break
		}
		state, result, _ := strings.Cut(strings.ToUpper(text), "/")
		step := map[string]string{"life_cycle": state}
		if result != "" {
			step["result"] = result
		}
		steps = append(steps, step)
	}
	if len(steps) == 0 {
		r.problem("which states? Give them as %s", r.c.Command.ArgsUsage)
		return nil
	}
	if message := r.c.String("message"); message != "" {
		steps[len(steps)-1]["message"] = message
	}
	return steps
}

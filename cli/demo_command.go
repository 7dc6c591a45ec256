package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type demoOptions struct {
	terraform string
	verbose   bool
}

func demoCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "demo", Usage: "the whole job on a workspace of its own, in seven steps",
		Description: "Serves a workspace in this process, declares the jobs with terraform or tofu, loses rows and finds them. Nothing is left behind. The demo\n" +
			"itself ends with 1 when what it found differs in one row from what was lost.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "terraform", Usage: "`PATH` of terraform or tofu (else WATERTIGHT_TERRAFORM, else the PATH, else what `make tools` built)"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show all that the commands say"},
		},
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := demoOptions{terraform: c.String("terraform"), verbose: c.Bool("verbose")}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return runDemo(c.Context, o, env)
		}),
	}
}

// demo is what the steps share. What one step finds out for a later one is kept here too.
type demo struct {
	shell
	workspace  *local.Workspace
	terraform  string
	watertight string
}

// step is one of the seven.
type step struct {
	title string
	do    func(context.Context, *demo) error
}

func demoSteps() []step {
	return []step{
		{"A workspace with a day of events in eight partitions", showWorkspace},
		{"A plan that pauses the loader for 25 h while the target is optimized", planPaused},
		{"The same with the loader running through", applyRunning},
		{"A week passes; the loader runs by its schedule", passWeek},
		{"Somebody pauses the loader for 25 h, outside Terraform", pauseOutside},
		{"The loader runs again, and Watertight says what is gone", findLoss},
		{"A week later: what time travel still holds is brought back, what is gone is named, and accepted", bringRowsBack},
	}
}

// demoStart is a fixed Monday, so that each demo is like the last.
func demoStart() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }

// shortDirectory is where plugins can have their sockets, whose paths have 104 characters at most.
func shortDirectory(temporary string) string {
	const longest, usual = 55, "/tmp"
	if info, err := os.Stat(usual); len(temporary) > longest && err == nil && info.IsDir() {
		return usual
	}
	return temporary
}

func runDemo(ctx context.Context, o demoOptions, env *Env) (code run.ExitCode, err error) {
	started := env.Now()
	terraform, err := findTerraform(env, o.terraform)
	if err != nil {
		return 0, err
	}
	self, err := env.Executable()
	if err != nil {
		return 0, fmt.Errorf("find this executable: %w", err)
	}
	// Signals that come while the demo tidies up must not end it half-way.
	impatience := make(chan os.Signal, 1)
	signal.Notify(impatience, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(impatience)

	folder, err := os.MkdirTemp(shortDirectory(os.TempDir()), "watertight-demo-")
	if err != nil {
		return 0, fmt.Errorf("make a directory for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	w, err := local.Open(ctx, local.Options{Start: demoStart(), Log: env.Stderr})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }() //nolint:contextcheck // what is open is closed also when the context has ended
	d := &demo{shell: shell{env: env, verbose: o.verbose}, workspace: w, terraform: terraform, watertight: self}
	if err := d.furnish(folder); err != nil {
		return 0, err
	}
	for i, s := range demoSteps() {
		fmt.Fprintf(env.Stdout, "%d/%d  %s\n", i+1, len(demoSteps()), s.title)
		if err := s.do(ctx, d); err != nil {
			if ctx.Err() != nil {
				return run.Interrupted, errors.New("interrupted; nothing is left behind")
			}
			return run.Loss, fmt.Errorf("step %d: %w", i+1, err)
		}
		fmt.Fprintln(env.Stdout)
	}
	fmt.Fprintf(env.Stdout, "All seven steps answered as they should, in %.0f s", env.Now().Sub(started).Seconds())
	if own, child, ok := peakMemory(); ok {
		fmt.Fprintf(env.Stdout, "; peak memory %d MiB here, at most %d MiB in a child process", own>>20, child>>20)
	}
	fmt.Fprintln(env.Stdout, ".")
	return run.Pass, nil
}

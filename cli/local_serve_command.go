package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

type localServeOptions struct {
	listen, state, faults string
	latency               time.Duration
	start                 time.Time
	empty                 bool
}

func localServeCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "serve", Usage: "serve a workspace until interrupted",
		Description: "Serves the REST API of a workspace on loopback, behind a token, with the incident's tables and a day of events in it. Prints the\n" +
			"variables by which this command line, Terraform and the Databricks tools find it; in another shell:\n\n   eval \"$(watertight local env)\"",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "`ADDRESS` on loopback; port 0 takes a free one"},
			&cli.StringFlag{Name: "state", Usage: "`DIR` that keeps the workspace", DefaultText: "memory"},
			&cli.StringFlag{Name: "latency", Usage: "`LENGTH` added to every answer, such as 20ms"},
			&cli.StringFlag{Name: "faults", Usage: "`FILE` of faults in force from the first request (JSON: see watertight local faults)"},
			&cli.StringFlag{Name: "start", Usage: "`INSTANT` at which the clock of a new workspace begins", DefaultText: "now"},
			&cli.BoolFlag{Name: "empty", Usage: "a new workspace without tables, files and events"},
		},
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			o := localServeOptions{listen: c.String("listen"), state: c.String("state"), faults: c.String("faults"),
				latency: in.latency("latency"), start: in.instant("start"), empty: c.Bool("empty")}
			in.loopback("listen")
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return localServe(c.Context, o, env)
		}),
	}
}

// latency reads a flag that may be in milliseconds, which are no unit of Databricks.
func (r *reader) latency(name string) time.Duration {
	if !r.c.IsSet(name) {
		return 0
	}
	d, err := time.ParseDuration(r.c.String(name))
	if err != nil || d < 0 {
		r.problem("--%s %q: want a length such as 20ms or 1.5s", name, r.c.String(name))
	}
	return d
}

// loopback refuses an address that others can reach: the workspace runs SQL for whoever holds the token.
func (r *reader) loopback(name string) {
	address := r.c.String(name)
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		r.problem("--%s %q: want host:port, such as 127.0.0.1:0", name, address)
	} else if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		r.problem("--%s %q: is not loopback, and the workspace runs SQL for whoever reaches it: use 127.0.0.1", name, address)
	}
}

func localServe(ctx context.Context, o localServeOptions, env *Env) (code run.ExitCode, err error) {
	faults, err := readFaults(o.faults)
	if err != nil {
		return run.Usage, err
	}
	w, err := local.Open(ctx, local.Options{Listen: o.listen, Dir: o.state, Latency: o.latency, Faults: faults, Start: o.start, Empty: o.empty, Log: env.Stderr})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }() //nolint:contextcheck // what is open is closed also when the context has ended
	a := advertisement{Host: w.Host(), Token: w.Token(), WarehouseID: w.WarehouseID(), PID: os.Getpid()}
	if o.state != "" {
		if a.State, err = filepath.Abs(o.state); err != nil {
			return 0, err
		}
	}
	withdraw, err := advertise(env, a)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, withdraw()) }()
	if err := printExports(env, a); err != nil {
		return 0, err
	}
	fmt.Fprintf(env.Stderr, "serving at %s, clock at %s; in another shell: eval \"$(watertight local env)\"; Ctrl-C ends it\n", a.Host, w.Now().Format(time.RFC3339))
	<-ctx.Done()
	fmt.Fprintln(env.Stderr, "ending")
	return run.Pass, nil
}

func readFaults(path string) ([]local.Fault, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	defer func() { _ = f.Close() }()
	faults, err := local.ReadFaults(f)
	if err != nil {
		return nil, fmt.Errorf("read faults %s: %w", path, err)
	}
	return faults, nil
}

func printExports(env *Env, a advertisement) error {
	for _, v := range [][2]string{{"DATABRICKS_HOST", a.Host}, {"DATABRICKS_TOKEN", a.Token}, {"DATABRICKS_WAREHOUSE_ID", a.WarehouseID}} {
		if _, err := fmt.Fprintf(env.Stdout, "export %s=%s\n", v[0], quoteShell(v[1])); err != nil {
			return err
		}
	}
	return nil
}

func quoteShell(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

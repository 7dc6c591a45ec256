package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local"
	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// usageError is a command line that cannot be carried out, with everything that is wrong with it.
type usageError struct {
	command  string
	problems []string
}

func (e *usageError) Error() string { return strings.Join(e.problems, "\n") }

// ended carries the exit code of a command that did what it was asked to: there is nothing more to say.
type ended struct{ code run.ExitCode }

func (e *ended) Error() string { return e.code.Meaning() }

// coded is an error whose exit code is known where it happens.
type coded struct {
	err  error
	code run.ExitCode
}

func (c *coded) Error() string { return c.err.Error() }
func (c *coded) Unwrap() error { return c.err }

// hinted is an error with what to do about it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// exitCode is the one place where an error becomes a number.
func exitCode(ctx context.Context, err error) run.ExitCode {
	var end *ended
	var known *coded
	var usage *usageError
	switch {
	case err == nil:
		return run.Pass
	case errors.As(err, &end):
		return end.code
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &usage):
		return run.Usage
	case ctx.Err() != nil:
		return run.Interrupted
	case isConfiguration(err):
		return run.Usage
	default:
		return run.CouldNotRun
	}
}

// isConfiguration tells what the user must change from what may be different when it is tried again.
func isConfiguration(err error) bool {
	for _, target := range []error{
		pipeline.ErrConfiguration, workspace.ErrNoHost, workspace.ErrNoWarehouse, workspace.ErrAmbiguous, workspace.ErrNotFound,
		local.ErrInUse, local.ErrCorrupt, local.ErrNoEngine, errNoServer, errSeveralServers, errNoTerraform,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// hintOf is what the innermost place that knew a remedy said.
func hintOf(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	var c *pipeline.ConfigurationError
	if errors.As(err, &c) && c.Hint != "" {
		return c.Hint
	}
	return workspace.HintOf(err)
}

// explain writes an error for people: what happened, then what to do.
func explain(env *Env, name string, err error) {
	var end *ended
	if errors.As(err, &end) {
		return
	}
	var usage *usageError
	if errors.As(err, &usage) {
		for _, p := range usage.problems {
			fmt.Fprintf(env.Stderr, "%s: %s\n", usage.command, p)
		}
		fmt.Fprintf(env.Stderr, "See %s --help.\n", usage.command)
		return
	}
	fmt.Fprintf(env.Stderr, "%s: %v\n", name, err)
	if hint := hintOf(err); hint != "" {
		fmt.Fprintln(env.Stderr, hint)
	}
}

func exitTable() string {
	var b strings.Builder
	for _, c := range run.ExitCodes() {
		fmt.Fprintf(&b, "   %3d  %s\n", c, c.Meaning())
	}
	return b.String()
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Main carries out one command line, args[0] being the name of the program, and returns what the process is to end with.
func Main(ctx context.Context, args []string, env *Env) run.ExitCode {
	if len(args) == 2 && args[1] == "--version" {
		args = []string{args[0], "version"}
	}
	app := newApp(env)
	args, command := sortArguments(app, args)
	err := app.RunContext(ctx, args)
	if err == nil {
		return run.Pass
	}
	code := exitCode(ctx, err)
	if code == run.Interrupted && errors.Is(err, context.Canceled) {
		err = &hinted{errors.New("interrupted"), hintOf(err)}
	}
	explain(env, command, err)
	return code
}

// newApp is the tree of commands. urfave/cli keeps its help flag and help command in package variables that it writes to;
// ours are made anew each time.
func newApp(env *Env) *cli.App {
	app := &cli.App{
		Name: "watertight", HelpName: "watertight", Version: env.Version,
		Usage:     "plans, runs and verifies loads out of a rolling window, so that no row expires unread",
		UsageText: "watertight COMMAND [options] [JOB]",
		Commands: []*cli.Command{
			runCommand(env), waitCommand(env), verifyCommand(env), watchCommand(env), auditCommand(env), recoverCommand(env), purgeCommand(env), checkCommand(env), scheduleCommand(env), statusCommand(env),
			pauseCommand(env), resumeCommand(env), localCommand(env), demoCommand(env), completionCommand(env), versionCommand(env),
		},
		Flags:    []cli.Flag{helpFlag()},
		HideHelp: true, HideHelpCommand: true, HideVersion: true,
		Reader: env.Stdin, Writer: env.Stdout, ErrWriter: env.Stderr,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		CustomAppHelpTemplate:     cli.AppHelpTemplate + helpTail(),
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return badFlag("watertight", nil, err) },
	}
	app.Action = func(c *cli.Context) error { return noCommand(env, c, "watertight", app.Commands) }
	for _, command := range app.Commands {
		finish(env, command, "watertight")
		command.HelpName = "" // urfave/cli puts the program's name in front of it
	}
	return app
}

// finish gives a command what all of them have.
func finish(env *Env, c *cli.Command, parent string) {
	name := parent + " " + c.Name
	c.HelpName = name
	c.HideHelp, c.HideHelpCommand = true, true
	c.Flags = append(c.Flags, helpFlag())
	c.CustomHelpTemplate = cli.CommandHelpTemplate + helpTail()
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return badFlag(name, c.Flags, err) }
	for _, f := range c.Flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true
		}
	}
	if len(c.Subcommands) == 0 {
		return
	}
	c.CustomHelpTemplate = cli.SubcommandHelpTemplate + helpTail()
	c.Action = func(ctx *cli.Context) error { return noCommand(env, ctx, name, c.Subcommands) }
	for _, s := range c.Subcommands {
		finish(env, s, name)
	}
}

func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show this help", DisableDefaultText: true}
}

func helpTail() string { return "\nEXIT CODES:\n" + exitTable() }

// noCommand is reached when what follows a name is no command of it.
func noCommand(env *Env, c *cli.Context, name string, commands []*cli.Command) error {
	var names []string
	for _, command := range commands {
		names = append(names, command.Name)
	}
	asked := c.Args().First()
	if asked == "" {
		fmt.Fprintf(env.Stderr, "%s needs a command: %s\n", name, strings.Join(names, ", "))
		fmt.Fprintf(env.Stderr, "See %s --help.\n", name)
		return &ended{run.Usage}
	}
	problem := fmt.Sprintf("no command %q", asked)
	if near, ok := nearest(asked, names); ok {
		problem += fmt.Sprintf("; did you mean %q?", near)
	} else {
		problem += ": there are " + strings.Join(names, ", ")
	}
	return &usageError{name, []string{problem}}
}

// badFlag words an error of the flag parser.
func badFlag(command string, flags []cli.Flag, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		name = strings.TrimLeft(name, "-")
		text = fmt.Sprintf("no flag --%s", name)
		if near, ok := nearest(name, flagNames(flags)); ok {
			text += fmt.Sprintf("; did you mean --%s?", near)
		}
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = fmt.Sprintf("--%s needs a value", strings.TrimLeft(name, "-"))
	}
	return &usageError{command, []string{text}}
}

func flagNames(flags []cli.Flag) []string {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()...)
	}
	return names
}

// sortArguments puts flags in front of arguments, where the flag parser stops looking for them, and returns the full name
// of the command too.
func sortArguments(app *cli.App, args []string) ([]string, string) {
	commands, flags := app.Commands, app.Flags
	name, i := app.Name, 1
	for i < len(args) {
		at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[i]) })
		if at < 0 {
			break
		}
		name += " " + commands[at].Name
		commands, flags = commands[at].Subcommands, commands[at].Flags
		i++
	}
	sorted := slices.Clone(args[:min(i, len(args))])
	var positional []string
	for ; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			positional = append(positional, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' || strings.ContainsRune("0123456789", rune(arg[1])) {
			positional = append(positional, arg)
			continue
		}
		sorted = append(sorted, arg)
		if takesValue(flags, arg) {
			if i++; i == len(args) {
				return sorted, name // nothing may come behind it, or the parser takes that for its value
			}
			sorted = append(sorted, args[i])
		}
	}
	if len(positional) > 0 {
		sorted = append(append(sorted, "--"), positional...)
	}
	return sorted, name
}

func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			_, boolean := f.(*cli.BoolFlag)
			return !boolean
		}
	}
	return false
}

// perform adapts a command's own function to urfave/cli: the exit code travels as an error.
func perform(do func(c *cli.Context) (run.ExitCode, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		code, err := do(c)
		switch {
		case err != nil && code != run.Pass:
			return &coded{err, code}
		case err != nil:
			return err
		case code != run.Pass:
			return &ended{code}
		}
		return nil
	}
}

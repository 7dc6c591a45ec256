package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func completionCommand(env *Env) *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print a script that completes commands and flags in a shell", ArgsUsage: "bash|zsh",
		Description: "In ~/.bashrc or ~/.zshrc: eval \"$(watertight completion bash)\"",
		Action: perform(func(c *cli.Context) (run.ExitCode, error) {
			in := read(c)
			shell := in.argument("shell")
			if shell != "" && shell != "bash" && shell != "zsh" {
				in.problem("no completion for %q: there are bash and zsh", shell)
			}
			if err := in.problemsFound(); err != nil {
				return 0, err
			}
			return run.Pass, writeCompletion(env.Stdout, c.App, shell)
		}),
	}
}

// writeCompletion lists the words that may follow each command; zsh takes bash's way of asking.
func writeCompletion(w io.Writer, app *cli.App, shell string) error {
	var b strings.Builder
	if shell == "zsh" {
		b.WriteString("autoload -U +X bashcompinit && bashcompinit\n")
	}
	b.WriteString("_watertight() {\n  local words\n  case \"${COMP_WORDS[*]:0:COMP_CWORD}\" in\n")
	for _, c := range app.Commands {
		for _, s := range c.Subcommands {
			writeWords(&b, c.Name+" "+s.Name, s)
		}
		writeWords(&b, c.Name, c)
	}
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	fmt.Fprintf(&b, "  *) words=%q ;;\n  esac\n", strings.Join(names, " "))
	b.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _watertight watertight\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeWords(b *strings.Builder, path string, c *cli.Command) {
	var words []string
	for _, s := range c.Subcommands {
		words = append(words, s.Name)
	}
	for _, f := range c.Flags {
		words = append(words, "--"+f.Names()[0])
	}
	fmt.Fprintf(b, "  *watertight\\ %s*) words=%q ;;\n", strings.ReplaceAll(path, " ", "\\ "), strings.Join(words, " "))
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// answer is what a child process said and how it ended.
type answer struct {
	command        string
	stdout, stderr string
	code           int
}

// shell runs the demo's child processes and shows what was run.
type shell struct {
	env       *Env
	folder    string   // where they run
	variables []string // their environment
	verbose   bool     // what commands say is shown in full
}

// try shows and runs a command; name is what it is shown as. Only a process that cannot be started or is killed is an error.
func (s *shell) try(ctx context.Context, name, path string, args ...string) (answer, error) {
	a := answer{command: strings.ReplaceAll(name+" "+shown(args), " -no-color", "")}
	s.say("$ %s", a.command)
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, path, args...)
	group(c)
	c.WaitDelay = 5 * time.Second
	c.Dir, c.Env, c.Stdout, c.Stderr = s.folder, s.variables, &stdout, &stderr
	err := c.Run()
	if c.Process != nil {
		err = errors.Join(err, killGroup(c)) // a plugin may outlive the terraform that started it
	}
	a.stdout, a.stderr = stdout.String(), stderr.String()
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		a.code = exit.ExitCode()
		err = nil
	}
	if err != nil {
		return a, fmt.Errorf("run %s: %w", a.command, err)
	}
	if s.verbose {
		s.quote(a.stdout + a.stderr)
	}
	return a, nil
}

// shown are arguments as a shell takes them.
func shown(args []string) string {
	var texts []string
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = strconv.Quote(a)
		}
		texts = append(texts, a)
	}
	return strings.Join(texts, " ")
}

// say is a sentence of the demo's own.
func (s *shell) say(format string, args ...any) {
	fmt.Fprintf(s.env.Stdout, "   "+format+"\n", args...)
}

// show prints what matters of a command's answer, unless all of it was printed already.
func (s *shell) show(text string) {
	if !s.verbose {
		s.quote(text)
	}
}

func (s *shell) quote(text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	for line := range strings.Lines(text) {
		fmt.Fprintln(s.env.Stdout, strings.TrimRight("     "+line, " \n"))
	}
}

// ended says how a command ended.
func (s *shell) ended(a answer) { s.say("exit code %d", a.code) }

// tf runs terraform or tofu: its command, then its arguments.
func (d *demo) tf(ctx context.Context, command string, args ...string) (answer, error) {
	name := strings.TrimSuffix(filepath.Base(d.terraform), ".exe")
	return d.try(ctx, name, d.terraform, append([]string{command, "-no-color"}, args...)...)
}

// wt runs this program.
func (d *demo) wt(ctx context.Context, args ...string) (answer, error) {
	return d.try(ctx, "watertight", d.watertight, args...)
}

// expect fails with all that a command said unless it ended with code and said each of the texts.
func (a answer) expect(code int, texts ...string) error {
	said := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(a.stdout+"\n"+a.stderr)), " ")
	var problems []string
	if a.code != code {
		problems = append(problems, fmt.Sprintf("exit code %d, not %d", a.code, code))
	}
	for _, t := range texts {
		if !strings.Contains(said, t) {
			problems = append(problems, fmt.Sprintf("it does not say %q", t))
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s; it said:\n%s%s", a.command, strings.Join(problems, ", "), a.stdout, a.stderr)
}

// childVariables are those of this process without what would lead terraform or the client elsewhere.
func childVariables(environ []string, more ...string) []string {
	var kept []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if !hasAnyPrefix(strings.ToUpper(name), "TF_", "TERRAFORM_", "DATABRICKS_", "ARM_", "GOOGLE_", "WATERTIGHT_") {
			kept = append(kept, v)
		}
	}
	return append(kept, more...)
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func linesWith(text string, parts ...string) string {
	var kept []string
	for line := range strings.Lines(text) {
		for _, p := range parts {
			if strings.Contains(line, p) {
				kept = append(kept, line)
				break
			}
		}
	}
	return strings.Join(kept, "")
}

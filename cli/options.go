package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// reader turns flags and arguments into options and keeps every problem it meets.
type reader struct {
	c        *cli.Context
	taken    int
	problems []string
}

func read(c *cli.Context) *reader { return &reader{c: c} }

// problemsFound ends the reading: whatever argument nobody took is a problem too.
func (r *reader) problemsFound() error {
	if surplus := r.c.Args().Slice()[min(r.taken, r.c.NArg()):]; len(surplus) > 0 {
		quoted := make([]string, len(surplus))
		for i, s := range surplus {
			quoted[i] = fmt.Sprintf("%q", s)
		}
		r.problem("surplus argument%s %s: %s", plural(len(surplus)), strings.Join(quoted, ", "), r.takes())
	}
	if len(r.problems) == 0 {
		return nil
	}
	return &usageError{r.c.Command.HelpName, r.problems}
}

func (r *reader) takes() string {
	if r.c.Command.ArgsUsage == "" {
		return "the command takes none"
	}
	return "the command takes " + r.c.Command.ArgsUsage + " (quote a name that has blanks)"
}

func (r *reader) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// argument takes the next argument; what names it in the problem when there is none.
func (r *reader) argument(what string) string {
	value, ok := r.optionalArgument()
	if !ok || strings.TrimSpace(value) == "" {
		r.problem("which %s? Give it as %s", what, r.c.Command.ArgsUsage)
	}
	return value
}

func (r *reader) optionalArgument() (string, bool) {
	if r.taken >= r.c.NArg() {
		return "", false
	}
	value := r.c.Args().Get(r.taken)
	r.taken++
	return value, true
}

// length reads a flag such as 24h; absent is 0. Where zero has no meaning the flag must be positive.
func (r *reader) length(name string, positive bool) time.Duration {
	if !r.c.IsSet(name) {
		return 0
	}
	return r.parseLength("--"+name, r.c.String(name), positive)
}

func (r *reader) parseLength(place, text string, positive bool) time.Duration {
	d, err := interval.Parse(text)
	if err != nil {
		r.problem("%s: %v", place, err)
		return 0
	}
	if positive && d == 0 {
		r.problem("%s %q: must be longer than zero, such as 24h", place, text)
	}
	return d
}

func (r *reader) oneOf(name string, values ...string) string {
	value := r.c.String(name)
	if !slices.Contains(values, value) {
		text := fmt.Sprintf("--%s %q: is none of %s", name, value, strings.Join(values, ", "))
		if near, ok := nearest(value, values); ok {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		r.problem("%s", text)
	}
	return value
}

// instant reads RFC 3339; absent is the zero time.
func (r *reader) instant(name string) time.Time {
	if !r.c.IsSet(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, r.c.String(name))
	if err != nil {
		r.problem("--%s %q: want an instant such as 2026-03-29T01:00:00Z", name, r.c.String(name))
	}
	return t.UTC()
}

// pairs reads a repeated flag of key=value.
func (r *reader) pairs(name string) map[string]string {
	pairs := map[string]string{}
	for _, text := range r.c.StringSlice(name) {
		key, value, ok := strings.Cut(text, "=")
		switch _, twice := pairs[key]; {
		case !ok || key == "":
			r.problem("--%s %q: want NAME=VALUE", name, text)
		case twice:
			r.problem("--%s %q: %s was given already", name, text, key)
		}
		pairs[key] = value
	}
	return pairs
}

func (r *reader) needs(name, other string) {
	if r.c.IsSet(name) && !r.c.IsSet(other) {
		r.problem("--%s says nothing without --%s", name, other)
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

// output says how results and progress are written.
type output struct {
	json, quiet bool
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "text", Usage: "`FORMAT` of the result: text or json", Category: "Output:"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress on stderr", Category: "Output:"},
	}
}

func (r *reader) output() output {
	return output{json: r.oneOf("output", "text", "json") == "json", quiet: r.c.Bool("quiet")}
}

// talk is where a command says what it does meanwhile.
func (o output) talk(env *Env) io.Writer {
	if o.quiet {
		return io.Discard
	}
	return env.Stderr
}

func (o output) say(env *Env, format string, args ...any) {
	fmt.Fprintf(o.talk(env), format+"\n", args...)
}

// writeIndented lays a JSON document out for reading.
func writeIndented(w io.Writer, document json.RawMessage) error {
	if len(document) == 0 {
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, document, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(w)
	return err
}

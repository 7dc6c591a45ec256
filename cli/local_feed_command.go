package cli

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

func localFeedCommand(env *Env) *cli.Command {
	length := func(name, usage string) cli.Flag { return &cli.StringFlag{Name: name, Usage: usage} }
	return &cli.Command{
		Name: "feed", Usage: "show how events arrive in the source, or change it",
		Description: "Without a flag it only shows. What is not given stays as it is; the change begins at the workspace's now.",
		Flags: append(steeredFlags(),
			&cli.IntFlag{Name: "partitions", Usage: "`NUMBER` of partitions", DefaultText: "unchanged"},
			length("every", "`LENGTH` between two events of a partition, on average"),
			length("disorder", "`LENGTH` by which event times may lie behind those that arrived before"),
			&cli.Float64Flag{Name: "stragglers", Usage: "`SHARE` of events (0 to 1) that arrive late", DefaultText: "unchanged"},
			length("straggler-delay", "`LENGTH` by which they are late at most"),
			length("silence", "`LENGTH` from now in which nothing arrives"),
			length("tick", "`LENGTH` between two commits to the source"),
			length("window", "`LENGTH` for which a row stays, by event time"),
			length("expire-every", "`LENGTH` between two deletions of old rows"),
			&cli.StringFlag{Name: "expire-by", Usage: "delete, auto_ttl or none"},
			&cli.BoolFlag{Name: "stop", Usage: "end the arrivals; rows go on expiring"},
			&cli.BoolFlag{Name: "go-on", Usage: "begin them again"},
		),
		Action: perform(func(c *cli.Context) (run.ExitCode, error) { return localFeed(c, env) }),
	}
}

func localFeed(c *cli.Context, env *Env) (run.ExitCode, error) {
	in := read(c)
	s := in.steered()
	change, silence := in.feed()
	if err := in.problemsFound(); err != nil {
		return 0, err
	}
	method := http.MethodGet
	if silence > 0 {
		var clock struct {
			Now time.Time `json:"now"`
		}
		if code, err := s.onControl(c.Context, env, http.MethodGet, "/local/v1/clock", nil, &clock); err != nil {
			return code, err
		}
		change["silences"] = []map[string]time.Time{{"from": clock.Now, "to": clock.Now.Add(silence)}}
	}
	var body any
	if len(change) > 0 {
		method, body = http.MethodPost, change
	}
	var feed json.RawMessage
	if code, err := s.onControl(c.Context, env, method, "/local/v1/feed", body, &feed); err != nil {
		return code, err
	}
	return run.Pass, writeIndented(env.Stdout, feed)
}

// feed reads a change of the feed in the words of the control route.
func (r *reader) feed() (change map[string]any, silence time.Duration) {
	change = map[string]any{}
	lengths := []struct {
		flag, field string
		zero        bool
	}{{"every", "every", false}, {"disorder", "disorder", true}, {"straggler-delay", "straggler_delay", true},
		{"tick", "tick", false}, {"window", "window", false}, {"expire-every", "expire_every", false}}
	for _, l := range lengths {
		if !r.c.IsSet(l.flag) {
			continue
		}
		before := len(r.problems)
		d := r.latency(l.flag)
		if d == 0 && !l.zero && len(r.problems) == before {
			r.problem("--%s %s: it must be longer than zero, such as 10m", l.flag, r.c.String(l.flag))
		}
		change[l.field] = d.String()
	}
	if r.c.IsSet("partitions") {
		if r.c.Int("partitions") < 1 {
			r.problem("--partitions %d: there must be one at least", r.c.Int("partitions"))
		}
		change["partitions"] = r.c.Int("partitions")
	}
	if r.c.IsSet("stragglers") {
		change["stragglers"] = r.c.Float64("stragglers")
	}
	if r.c.IsSet("expire-by") {
		change["expire_by"] = r.oneOf("expire-by", "delete", "auto_ttl", "none")
	}
	switch {
	case r.c.Bool("stop") && r.c.Bool("go-on"):
		r.problem("--stop and --go-on contradict each other")
	case r.c.Bool("stop"):
		change["stopped"] = true
	case r.c.Bool("go-on"):
		change["stopped"] = false
	}
	return change, r.length("silence", true)
}

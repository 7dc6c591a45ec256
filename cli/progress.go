package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// progress shows how a run goes: in place on a terminal, in a pipe a line for each change of its state.
type progress struct {
	env     *Env
	output  output
	width   int
	shown   string // the last state that was shown
	last    run.Run
	started bool
}

func newProgress(env *Env, o output) *progress {
	p := &progress{env: env, output: o}
	if !o.quiet {
		p.width = env.Width()
	}
	return p
}

// show is called with each look at the run.
func (p *progress) show(r run.Run) {
	p.last = r
	if p.output.quiet {
		return
	}
	if !p.started {
		p.started = true
		p.clear()
		fmt.Fprintf(p.env.Stderr, "run %d of %s%s\n", r.ID, nameOf(r), at(r.URL))
	}
	state := stateOf(r)
	if p.width > 0 && !r.Outcome().Final() {
		p.draw(r, state)
		return
	}
	p.clear()
	if state != p.shown {
		fmt.Fprintf(p.env.Stderr, "run %d: %s\n", r.ID, state)
	}
	p.shown = state
}

// next is told what a verification does next.
func (p *progress) next(what string) {
	if p.output.quiet {
		return
	}
	p.clear()
	if p.width == 0 {
		fmt.Fprintf(p.env.Stderr, "verify: %s\n", what)
		return
	}
	p.shown = "verify: " + what
	if runes := []rune(p.shown); len(runes) >= p.width {
		p.shown = string(runes[:p.width-1])
	}
	fmt.Fprint(p.env.Stderr, p.shown)
}

// draw overwrites the line on a terminal.
func (p *progress) draw(r run.Run, state string) {
	text := fmt.Sprintf("run %d: %s", r.ID, state)
	if !r.Started.IsZero() {
		text += ", since " + r.Started.UTC().Format(time.RFC3339)
	}
	if done, all := tasksDone(r); all > 1 {
		const columns = 20
		filled := done * columns / all
		text += fmt.Sprintf(" [%s%s] %d of %d tasks", strings.Repeat("#", filled), strings.Repeat(".", columns-filled), done, all)
	}
	if runes := []rune(text); len(runes) >= p.width {
		text = string(runes[:p.width-1])
	}
	p.clear()
	fmt.Fprint(p.env.Stderr, text)
	p.shown = text
}

// clear empties the line on a terminal.
func (p *progress) clear() {
	if p.width > 0 && p.shown != "" {
		fmt.Fprint(p.env.Stderr, "\r\x1b[K")
		p.shown = ""
	}
}

func stateOf(r run.Run) string {
	state := r.State()
	if state == "" {
		state = "no state yet"
	}
	if r.Outcome().Final() {
		state = "ended: " + strings.ReplaceAll(string(r.Outcome()), "_", " ")
		if !r.Started.IsZero() && r.Ended.After(r.Started) {
			state += " after " + interval.Text(r.Ended.Sub(r.Started).Round(time.Second))
		}
	}
	if r.QueueReason != "" && !r.Outcome().Final() {
		state += " (" + r.QueueReason + ")"
	}
	return state
}

func nameOf(r run.Run) string {
	if r.JobName != "" {
		return r.JobName
	}
	return fmt.Sprintf("job %d", r.JobID)
}

func at(url string) string {
	if url == "" {
		return ""
	}
	return " at " + url
}

func tasksDone(r run.Run) (done, all int) {
	ended := map[string]bool{}
	for _, t := range r.Tasks {
		ended[t.Key] = t.Outcome().Final()
	}
	for _, e := range ended {
		if e {
			done++
		}
	}
	return done, len(ended)
}

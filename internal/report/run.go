package report

import (
	"io"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Run prints what became of a run.
type Run struct {
	run.Run
	ExitCode run.ExitCode
	// Existing says that the run is one that an earlier call started.
	Existing bool
	// Verification is nil when there was none; Problem then says why, where one was asked for.
	Verification *reconcile.Verification
	Problem      string
}

type task struct {
	Key     string  `json:"key"`
	Outcome string  `json:"outcome"`
	Message *string `json:"message"`
	URL     *string `json:"url"`
}

// JSON writes the document of design.md §7.
func (r Run) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		d.field("run_id", r.ID)
		d.field("job_id", r.JobID)
		d.field("outcome", string(r.Outcome()))
		d.field("exit_code", int(r.ExitCode))
		d.field("started", instant(r.Started))
		d.field("ended", instant(r.Ended))
		list(d, "tasks", each(r.Tasks), func(t run.Task) any {
			return task{t.Key, string(t.Outcome()), text(t.Message), text(t.URL)}
		})
		if r.Verification == nil {
			d.field("verification", nil)
		} else {
			d.nested("verification", func(d *document) {
				d.field("schema", Schema)
				Verification{*r.Verification}.fields(d)
			})
		}
		d.field("final", r.Outcome().Final())
		d.field("existing", r.Existing)
		d.field("problem", text(r.Problem))
	})
}

// Text writes the outcome, what failed, and what verification found.
func (r Run) Text(w io.Writer) error {
	l := &lines{w: w}
	l.line("run %d of job %d: %s%s", r.ID, r.JobID, r.Outcome(), lasted(r.Started, r.Ended))
	if r.Existing {
		l.line("  not a new run: an earlier call with the same token started it")
	}
	if r.Outcome() != run.Succeeded {
		if r.Message != "" {
			l.line("  %s", r.Message)
		}
		if r.QueueReason != "" {
			l.line("  %s", r.QueueReason)
		}
		for _, t := range r.Failures() {
			why := ""
			if t.Message != "" {
				why = ": " + t.Message
			}
			l.line("  task %s: %s%s", t.Key, t.Outcome(), why)
			if t.Trace != "" {
				l.line("    %s", excerpt(t.Trace))
			}
		}
		if r.URL != "" {
			l.line("  %s", r.URL)
		}
	}
	if r.Problem != "" {
		l.line("  not verified: %s", r.Problem)
	}
	if r.Verification != nil {
		Verification{*r.Verification}.lines(l)
	}
	return l.err
}

func lasted(from, to time.Time) string {
	if from.IsZero() || to.Before(from) {
		return ""
	}
	return " after " + interval.Text(to.Sub(from).Round(time.Second))
}

// excerpt is the end of a trace, which names what went wrong.
func excerpt(trace string) string {
	const longest = 500
	runes := []rune(trace)
	if len(runes) <= longest {
		return trace
	}
	return "…" + string(runes[len(runes)-longest:])
}

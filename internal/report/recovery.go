package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/run"
)

// Recovery prints where missing rows can be had and the statements that bring them back.
type Recovery struct {
	Verdict  reconcile.Verdict
	ExitCode run.ExitCode
	Reasons  []reconcile.Reason
	// Wanted keys are missing and not the loader's to read; Found were read somewhere; Returned counted in the target.
	Wanted, Found, Returned, Later uint64
	Ranges                         reconcile.List[RecoveryRange]
	Steps                          reconcile.List[RecoveryStep]
	// Lacking are columns of the target that stay null in returned rows.
	Lacking           []string
	Applied           bool
	Target            reconcile.Pinned
	Job               string
	IntegralPartition bool
	// KeyNames are the columns of the key, where keys are columns.
	KeyNames []string
}

// RecoveryRange is a missing range. Outcome is one of those that pipeline names.
type RecoveryRange struct {
	reconcile.Range
	Outcome string
	Options []RecoveryOption
}

// RecoveryOption is a place that was looked into. Keys is -1 for a broker, which is not asked.
type RecoveryOption struct {
	Kind, Name, Problem string
	Keys                int64
	Until               time.Time
}

// RecoveryStep is a statement.
type RecoveryStep struct {
	Kind, Name, Statement string
	Keys                  uint64
	Until                 time.Time
	Applied               bool
}

type recoveryOption struct {
	From    string  `json:"from"`
	Name    string  `json:"name"`
	Rows    *int64  `json:"rows"`
	Until   *string `json:"until"`
	Problem *string `json:"problem"`
}

type recoveryRange struct {
	sequences
	recoveryRows
}

type recoveryKey struct {
	atKey
	recoveryRows
}

type recoveryRows struct {
	Rows      int64            `json:"rows"`
	State     string           `json:"state"`
	Cause     *string          `json:"cause"`
	Outcome   string           `json:"outcome"`
	GoneSince *string          `json:"gone_since"`
	Places    []recoveryOption `json:"places"`
}

type recoveryStep struct {
	From      string  `json:"from"`
	Name      string  `json:"name"`
	Rows      uint64  `json:"rows"`
	Until     *string `json:"until"`
	Applied   bool    `json:"applied"`
	Statement string  `json:"statement"`
}

// JSON writes one document.
func (r Recovery) JSON(w io.Writer) error {
	return write(w, func(d *document) {
		d.field("verdict", string(r.Verdict))
		d.field("exit_code", int(r.ExitCode))
		d.field("applied", r.Applied)
		d.field("wanted", r.Wanted)
		d.field("found", r.Found)
		d.field("recovered", r.Returned)
		d.field("later", r.Later)
		d.field("target", tableOf(r.Target))
		list(d, "ranges", elements(r.Ranges), r.rangeFields)
		list(d, "statements", elements(r.Steps), func(s RecoveryStep) any {
			return recoveryStep{s.Kind, s.Name, s.Keys, instant(s.Until), s.Applied, s.Statement}
		})
		list(d, "null_columns", each(r.Lacking), func(c string) any { return c })
		list(d, "reasons", each(r.Reasons), func(x reconcile.Reason) any { return reason{x.Code, x.Text} })
	})
}

func (r Recovery) rangeFields(x RecoveryRange) any {
	places := []recoveryOption{}
	for _, o := range x.Options {
		p := recoveryOption{From: o.Kind, Name: o.Name, Until: instant(o.Until), Problem: text(o.Problem)}
		if o.Keys >= 0 && o.Problem == "" {
			p.Rows = &o.Keys
		}
		places = append(places, p)
	}
	m := recoveryRows{x.Rows, string(x.State), text(x.Cause), x.Outcome, instant(x.GoneSince), places}
	if x.Key != nil {
		return recoveryKey{atKey{keyed{r.KeyNames, x.Key}}, m}
	}
	return recoveryRange{sequences{partitionOf(x.Partition, r.IntegralPartition), x.From, x.To}, m}
}

// Text writes what can be had from where, then the statements.
func (r Recovery) Text(w io.Writer) error {
	l := &lines{w: w}
	l.line("%s", r.headline())
	for x, err := range elements(r.Ranges) {
		if l.err == nil {
			l.err = err
		}
		if l.err != nil {
			return l.err
		}
		r.rangeLines(l, x)
	}
	if len(r.Lacking) > 0 {
		l.line("  The source has no column %s: it is null in returned rows.", strings.Join(r.Lacking, ", "))
	}
	for s, err := range elements(r.Steps) {
		if l.err == nil {
			l.err = err
		}
		if l.err != nil {
			return l.err
		}
		r.stepLines(l, s)
	}
	if r.Steps != nil && r.Steps.Len() > 0 && !r.Applied {
		l.line("")
		l.line("Nothing was written. To run these statements: watertight recover %s--apply", r.command())
	}
	return l.err
}

func (r Recovery) command() string {
	if r.Job == "" {
		return ""
	}
	return r.Job + " "
}

func (r Recovery) headline() string {
	switch {
	case r.Wanted == 0 && r.Later == 0:
		return fmt.Sprintf("Nothing to bring back: %s", r.Verdict)
	case r.Applied:
		return fmt.Sprintf("%s of %s brought back and counted in %s%s", digits(int64(r.Returned)), count(int64(r.Wanted), "missing row", "missing rows"), pinned(r.Target), r.rest())
	}
	return fmt.Sprintf("%s of %s can be brought back%s", digits(int64(r.Found)), count(int64(r.Wanted), "missing row", "missing rows"), r.rest())
}

func (r Recovery) rest() string {
	if r.Later == 0 {
		return ""
	}
	return fmt.Sprintf("; %s left to the loader", digits(int64(r.Later)))
}

func (r Recovery) rangeLines(l *lines, x RecoveryRange) {
	place := fmt.Sprintf("partition %s, sequence %s (%s)", x.Partition, span(x.From, x.To), count(x.Rows, "row", "rows"))
	if x.Key != nil {
		place = keyed{r.KeyNames, x.Key}.text()
	}
	switch x.Outcome {
	case "for_loader":
		if x.Key != nil {
			l.line("  %s: %s; the source still has it, and the loader may read it", x.State, place)
			return
		}
		l.line("  %s: %s; the loader's next run can still read it", x.State, place)
		return
	case "held_back":
		l.line("  %s: %s; held back: the source still has rows below it that the loader may pass over once it is there. Run the loader, then recover again", x.State, place)
		return
	}
	l.line("  %s: %s; %s", x.State, place, outcomeText(x))
	for _, o := range x.Options {
		switch {
		case o.Problem != "":
			l.line("      %s cannot be read: %s", o.Name, o.Problem)
		case o.Keys < 0:
			l.line("      %s was not asked%s", o.Name, until(o.Until))
		case o.Keys > 0:
			l.line("      %s in %s%s", count(o.Keys, "row", "rows"), o.Name, until(o.Until))
		}
	}
	if x.Outcome == "ask_broker" && x.Key == nil {
		l.line("      read partition %s from sequence number %d to %d again, and load what is there", x.Partition, x.From, x.To)
	}
}

// outcomeText words an outcome. Whether undecidable keys ever were is not known, so that none can be called gone.
func outcomeText(x RecoveryRange) string {
	switch {
	case x.Outcome == "gone" && x.State == reconcile.Undecidable:
		return "in no place that was read"
	case x.Outcome == "gone" && !x.GoneSince.IsZero():
		return "gone since " + at(x.GoneSince)
	}
	return strings.ReplaceAll(x.Outcome, "_", " ")
}

func until(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return ", until " + at(t)
}

func (r Recovery) stepLines(l *lines, s RecoveryStep) {
	did := "To bring back"
	if s.Applied {
		did = "Ran, for"
	}
	l.line("")
	l.line("-- %s %s from %s%s", did, count(int64(s.Keys), "row", "rows"), s.Name, until(s.Until))
	l.line("%s;", s.Statement)
}

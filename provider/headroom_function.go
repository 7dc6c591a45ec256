package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// headroomFunction is arithmetic on its arguments alone: no clock, no workspace.
type headroomFunction struct{}

var _ function.Function = headroomFunction{}

func newHeadroomFunction() function.Function { return headroomFunction{} }

func (headroomFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "headroom"
}

func (headroomFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Rolling window − (settle delay + longest wait).",
		MarkdownDescription: "What is left of the rolling window, in seconds, when a row has waited as long as it can for its loader: rolling window − (settle delay + longest wait), over the 400 days from an instant. Negative: rows will expire unread. It needs no workspace and no resource, so it serves `validation` and `precondition` blocks, and `terraform console`.\n\n" +
			"The first argument is an object: `rolling_window` and `max_duration` (durations, required), `settle_delay` (default `0s`), how the loader starts (one of `quartz_cron_expression` with `timezone_id`, `period`, a duration, for a periodic trigger, and `continuous = true`), `on_overlap` (`skip`, the default, or `queue`), `pause` (a duration: a pause at no known time), and `window` (`{ quartz_cron_expression, timezone_id, duration }`: a maintenance window in which the loader is paused, and at whose end it is run).",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "question", MarkdownDescription: "What is asked: an object with the attributes above."},
			fromParameter("The 400 days begin here."),
		},
		Return: function.Int64Return{},
	}
}

func (headroomFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var asked types.Dynamic
	var from string
	if resp.Error = req.Arguments.Get(ctx, &asked, &from); resp.Error != nil {
		return
	}
	at, err := parseInstant(from)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(1, sentence(err.Error()))
		return
	}
	r, err := toRaw(asked)
	if err == nil && !r.known {
		resp.Error = resp.Result.Set(ctx, types.Int64Unknown())
		return
	}
	verdict, err := headroomOf(r.value, at, err)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, sentence(err.Error()))
		return
	}
	resp.Error = resp.Result.Set(ctx, int64(verdict.Headroom/time.Second))
}

func headroomOf(asked any, at time.Time, err error) (coverage.Verdict, error) {
	if err != nil {
		return coverage.Verdict{}, err
	}
	in, err := toQuestion(asked, at)
	if err != nil {
		return coverage.Verdict{}, err
	}
	v, err := coverage.Check(in)
	switch {
	case err != nil:
		return v, err
	case v.NeverReadsAgain, v.Answer == coverage.Unknown:
		return v, errors.New(v.Reasons[0].Text)
	}
	return v, nil
}

// question reads an object's attributes by name and keeps what is wrong with them.
type question struct {
	at     string
	values map[string]any
	errs   []error
}

func newQuestion(at string, v any, names ...string) *question {
	q := &question{at: at}
	values, ok := v.(map[string]any)
	if !ok {
		q.errs = append(q.errs, fmt.Errorf("%sthis is %s: write an object, { %s = ... }", at, kindName(v), names[0]))
	}
	q.values = values
	for name, value := range values {
		if value != nil && !slices.Contains(names, name) {
			q.errs = append(q.errs, fmt.Errorf("%s%s is not known here: write %s", at, name, strings.Join(names, ", ")))
		}
	}
	return q
}

func (q *question) text(name string) string {
	switch v := q.values[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		q.errs = append(q.errs, fmt.Errorf("%s%s is %s: write a text", q.at, name, kindName(v)))
		return ""
	}
}

func (q *question) length(name string, required bool) time.Duration {
	text := q.text(name)
	if text == "" {
		if required && q.values != nil && q.values[name] == nil {
			q.errs = append(q.errs, fmt.Errorf("%s%s is missing: write a duration such as \"24h\"", q.at, name))
		}
		return 0
	}
	d, err := interval.Parse(text)
	if err == nil && required && d <= 0 {
		err = fmt.Errorf("%q is no time: write a duration such as \"24h\"", text)
	}
	if err != nil {
		q.errs = append(q.errs, fmt.Errorf("%s%s: %w", q.at, name, err))
	}
	return d
}

// starts is nil where no expression is written.
func (q *question) starts(in *coverage.Trigger) {
	in.Expression, in.ZoneID = q.text("quartz_cron_expression"), q.text("timezone_id")
	if in.Expression == "" {
		return
	}
	var err error
	if in.Cron, err = sequence(in.Expression, in.ZoneID); err != nil {
		q.errs = append(q.errs, err)
	}
}

func toQuestion(v any, at time.Time) (coverage.Input, error) {
	q := newQuestion("", v, "rolling_window", "settle_delay", "max_duration", "quartz_cron_expression", "timezone_id", "period", "continuous", "on_overlap", "pause", "window")
	in := coverage.Input{At: at, RollingWindow: q.length("rolling_window", true), SettleDelay: q.length("settle_delay", false), Pause: q.length("pause", false)}
	in.Loader.MaxDuration, in.Loader.Overlap = q.length("max_duration", true), coverage.Overlap(q.text("on_overlap"))
	t := &in.Loader.Trigger
	q.starts(t)
	t.Periodic, t.Continuous = q.length("period", false), q.values["continuous"] == true
	if t.Cron == nil && t.Periodic == 0 && !t.Continuous && len(q.errs) == 0 {
		q.errs = append(q.errs, errors.New("nothing starts the loader: write quartz_cron_expression with timezone_id, period, or continuous = true"))
	}
	if v, ok := q.values["window"]; ok && v != nil {
		w := newQuestion("window.", v, "quartz_cron_expression", "timezone_id", "duration")
		var opens coverage.Trigger
		w.starts(&opens)
		in.Window = &coverage.Window{Cron: opens.Cron, Expression: opens.Expression, ZoneID: opens.ZoneID, Duration: w.length("duration", true), LoaderPaused: true, CatchUp: true}
		q.errs = append(q.errs, w.errs...)
	}
	return in, errors.Join(q.errs...)
}

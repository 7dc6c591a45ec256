package provider

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// setVerdict writes a verdict into attributes. What has no meaning is null: no headroom without a limit and a next read.
func (m *coverageSourceModel) setVerdict(v coverage.Verdict, in coverage.Input) {
	m.Verdict = types.StringValue(wordOf(v.Answer))
	m.Explanation = types.StringValue(explainVerdict(v))
	unbound := v.Answer == coverage.Unknown && slices.ContainsFunc(v.Reasons, func(r coverage.Reason) bool { return r.Code == coverage.CodeDurationUnbound })
	waits := !v.NeverReadsAgain && v.LongestWait > 0 && !unbound
	m.LongestWait, m.LongestWaitSeconds = lengthOf(v.LongestWait, waits)
	m.Limit, m.LimitSeconds = lengthOf(v.Limit, v.Limit > 0)
	m.Headroom, m.HeadroomSeconds = lengthOf(v.Headroom, waits && v.Limit > 0)
	m.FailedRunsTolerated = types.Int64Value(int64(v.FailedRunsTolerated))
	m.Deadline = types.StringNull()
	if !v.Worst.From.IsZero() {
		m.Worst = &spanModel{types.StringValue(instant(v.Worst.From)), types.StringValue(instant(v.Worst.To))}
		if paused := in.Pause > 0 || in.Window != nil && in.Window.LoaderPaused; paused && v.Limit > 0 {
			m.Deadline = types.StringValue(instant(v.Worst.From.Add(v.Limit - in.SettleDelay)))
		}
	}
	m.Reasons, m.Timeline, m.Changes, m.Assumptions = []reason{}, []moment{}, []change{}, []string{}
	for _, r := range v.Reasons {
		m.Reasons = append(m.Reasons, reason{r.Code, r.Text})
	}
	for _, t := range v.Timeline {
		m.Timeline = append(m.Timeline, moment{instant(t.At), t.What})
	}
	for _, c := range v.Changes {
		m.Changes = append(m.Changes, change{c.Input, c.From, c.To, c.Text})
	}
	m.Assumptions = append(m.Assumptions, v.Assumptions...)
}

func lengthOf(d time.Duration, isKnown bool) (types.String, types.Int64) {
	if !isKnown {
		return types.StringNull(), types.Int64Null()
	}
	return types.StringValue(interval.Short(d)), types.Int64Value(int64(d / time.Second))
}

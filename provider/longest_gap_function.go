package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// longestGapFunction is arithmetic on its arguments alone: no clock, no workspace.
type longestGapFunction struct{}

var _ function.Function = longestGapFunction{}

func newLongestGapFunction() function.Function { return longestGapFunction{} }

func (longestGapFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "longest_gap"
}

func (longestGapFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The longest time between two starts of a schedule.",
		MarkdownDescription: "The longest time between two consecutive starts of a Quartz schedule, in seconds, over the 400 days from an instant: both changes of daylight saving time, the ends of months and of the year are among them. " +
			"A schedule that ends, or never starts anything, is an error: its longest gap has no end.",
		Parameters: append(scheduleParameters(), fromParameter("The 400 days begin here.")),
		Return:     function.Int64Return{},
	}
}

func (longestGapFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var expression, zone, from string
	if resp.Error = req.Arguments.Get(ctx, &expression, &zone, &from); resp.Error != nil {
		return
	}
	starts, at, ferr := scheduleArguments(expression, zone, from)
	if resp.Error = ferr; ferr != nil {
		return
	}
	const year = 400 * day
	gap, ok := schedule.LongestGap(starts, at, at.Add(year))
	if _, more := starts.Next(at.Add(year)); !ok || !more {
		resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("%q starts nothing any more within 400 days from %s, or within 100 years after them: write a schedule without an end.", expression, instant(at)))
		return
	}
	resp.Error = resp.Result.Set(ctx, int64(gap.Length/time.Second))
}

// scheduleParameters are the first two parameters of every function of a schedule.
func scheduleParameters() []function.Parameter {
	return []function.Parameter{
		function.StringParameter{Name: "quartz_cron_expression", MarkdownDescription: "Quartz cron expression with six or seven fields, seconds first (`0 0/15 * * * ?`)."},
		function.StringParameter{Name: "timezone_id", MarkdownDescription: "Time zone id (`UTC`, `Europe/Berlin`)."},
	}
}

func fromParameter(description string) function.Parameter {
	return function.StringParameter{Name: "from", MarkdownDescription: description + " RFC 3339, as `2026-03-02T12:00:00Z` or `plantimestamp()`."}
}

// scheduleArguments reads the arguments expression, zone and from, and says at which of them something is wrong.
func scheduleArguments(expression, zoneID, from string) (schedule.Sequence, time.Time, *function.FuncError) {
	cron, err := schedule.Parse(expression)
	if err != nil {
		return nil, time.Time{}, function.NewArgumentFuncError(0, sentence(err.Error()))
	}
	zone, err := schedule.Zone(zoneID)
	if err != nil {
		return nil, time.Time{}, function.NewArgumentFuncError(1, sentence(err.Error()))
	}
	at, err := parseInstant(from)
	if err != nil {
		return nil, time.Time{}, function.NewArgumentFuncError(2, sentence(err.Error()))
	}
	return cron.In(zone), at, nil
}

func parseInstant(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not an instant: write it as 2026-03-02T12:00:00Z, or plantimestamp()", text)
	}
	return at.UTC(), nil
}

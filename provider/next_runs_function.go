package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// nextRunsFunction is arithmetic on its arguments alone: no clock, no workspace.
type nextRunsFunction struct{}

var _ function.Function = nextRunsFunction{}

func newNextRunsFunction() function.Function { return nextRunsFunction{} }

func (nextRunsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "next_runs"
}

func (nextRunsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The next starts of a schedule.",
		MarkdownDescription: "The next starts of a Quartz schedule after an instant, RFC 3339 in UTC, as Databricks would make them: a wall time that a change of daylight saving time skips starts nothing, one that it repeats starts one run. " +
			"The list is shorter where the schedule ends.",
		Parameters: append(scheduleParameters(), fromParameter("The starts come after this instant."),
			function.Int64Parameter{Name: "count", MarkdownDescription: "How many starts, 1 to 1,000."}),
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

func (nextRunsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var expression, zone, from string
	var count int64
	if resp.Error = req.Arguments.Get(ctx, &expression, &zone, &from, &count); resp.Error != nil {
		return
	}
	starts, at, ferr := scheduleArguments(expression, zone, from)
	if resp.Error = ferr; ferr != nil {
		return
	}
	const most = 1000
	if count < 1 || count > most {
		resp.Error = function.NewArgumentFuncError(3, fmt.Sprintf("%d starts: write a number from 1 to %d.", count, most))
		return
	}
	next := []string{}
	for _, t := range schedule.NextN(starts, at, int(count)) {
		next = append(next, instant(t))
	}
	resp.Error = resp.Result.Set(ctx, next)
}

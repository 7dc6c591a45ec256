package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// defaultTimeout bounds an operation whose timeout is not set.
const defaultTimeout = 20 * time.Minute

// operation is one of those that have a timeout.
type operation string

const (
	creating operation = "create"
	reading  operation = "read"
	updating operation = "update"
	deleting operation = "delete"
)

// timeoutsAttribute is timeouts = { create = "10m" }. Its value in a model is a timeouts.Value.
func timeoutsAttribute(ctx context.Context) schema.Attribute {
	length := func(what string) string {
		return what + " A number and a unit each, as in `90s`, `20m` or `1h30m`. Default: `20m`."
	}
	a, _ := timeouts.Attributes(ctx, timeouts.Opts{
		Create: true, Read: true, Update: true, Delete: true,
		CreateDescription: length("How long creating may take."),
		ReadDescription:   length("How long reading may take, in every plan and refresh."),
		UpdateDescription: length("How long changing may take."),
		DeleteDescription: length("How long destroying may take. It must be applied before the destroy, like any other change."),
	}).(schema.SingleNestedAttribute)
	a.MarkdownDescription = "How long Terraform waits for the workspace, one limit for each operation. No operation waits for a run to succeed."
	return a
}

// bounded limits ctx by the timeout of an operation. An error that the end of the limit causes names it, wherever in
// the workspace it comes from.
func bounded(ctx context.Context, limits timeouts.Value, op operation, diags *diag.Diagnostics) (context.Context, context.CancelFunc) {
	read := map[operation]func(context.Context, time.Duration) (time.Duration, diag.Diagnostics){
		creating: limits.Create, reading: limits.Read, updating: limits.Update, deleting: limits.Delete,
	}
	limit, d := read[op](ctx, defaultTimeout)
	diags.Append(d...)
	return context.WithTimeoutCause(ctx, limit, &outOfTime{op, limit})
}

// outOfTime is the end of an operation's timeout.
type outOfTime struct {
	op    operation
	limit time.Duration
}

func (o *outOfTime) Error() string {
	return fmt.Sprintf("timeouts.%s of %s ran out", o.op, interval.Text(o.limit))
}

// Is makes it a context's deadline to whoever asks for one.
func (o *outOfTime) Is(target error) bool { return target == context.DeadlineExceeded }

func (o *outOfTime) hint() string {
	return fmt.Sprintf("Raise timeouts.%s of the resource (timeouts = { %s = \"1h\" }), or find out why the workspace is slow. What had been done by then is in the state, or is found by the next plan.", o.op, o.op)
}

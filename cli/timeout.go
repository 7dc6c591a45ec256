package cli

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
)

func timeoutFlag() cli.Flag {
	return &cli.StringFlag{Name: "timeout", Usage: "`LENGTH` after which to give up and cancel the statement that runs (code 5)", DefaultText: "as long as it takes"}
}

// within bounds a command. 0: as long as it takes.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, &pipeline.TimeoutError{After: limit, Limit: "--timeout"})
}

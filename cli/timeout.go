package cli

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
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

// asked opens the workspace, asks within the limit, and shows how far that is.
func asked[T any](ctx context.Context, c connection, o output, limit time.Duration, env *Env, ask func(context.Context, *workspace.Client, *progress) (T, error)) (answer T, err error) {
	w, err := c.open(env)
	if err != nil {
		return answer, err
	}
	ctx, stop := within(ctx, limit)
	defer stop()
	p := newProgress(env, o)
	defer p.clear()
	return ask(ctx, w, p)
}

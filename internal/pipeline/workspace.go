package pipeline

import (
	"context"
	"iter"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/run"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// Waiter is time as this machine has it. Waiting is measured here; what happened when is the workspace's own clock.
type Waiter interface {
	// Sleep returns early, with the context's error, when the context ends.
	Sleep(ctx context.Context, d time.Duration) error
	Now() time.Time
}

// Jobs reads jobs. A missing job is workspace.ErrNotFound; a name that several jobs have is workspace.ErrAmbiguous.
type Jobs interface {
	FindJob(ctx context.Context, nameOrID string) (workspace.Job, error)
	Job(ctx context.Context, id int64) (workspace.Job, error)
	Jobs(ctx context.Context) iter.Seq2[workspace.Job, error]
}

// JobWriter changes jobs.
type JobWriter interface {
	UpdateJob(ctx context.Context, id int64, partial map[string]any) error
}

// Runs reads runs, the newest first.
type Runs interface {
	Run(ctx context.Context, runID int64) (run.Run, error)
	Runs(ctx context.Context, f workspace.RunFilter) iter.Seq2[run.Run, error]
	RunOutput(ctx context.Context, taskRunID int64) (workspace.Output, error)
}

// Runner starts runs. RunNow with the token of an earlier call returns the run of that call.
type Runner interface {
	RunNow(ctx context.Context, r workspace.RunNow) (int64, error)
}

// Tables describes tables, without a warehouse.
type Tables interface {
	Table(ctx context.Context, fullName string) (workspace.Table, error)
}

// Warehouse runs statements.
type Warehouse interface {
	Query(ctx context.Context, sql string, parameters ...workspace.Parameter) (*workspace.Rows, error)
}

// Clock is the workspace's own clock, to the second.
type Clock interface {
	Now(ctx context.Context) (time.Time, error)
}

// Verifiable is what a verification needs. It executes nothing but what keeps its evidence.
type Verifiable interface {
	Jobs
	Runs
	Tables
	Warehouse
	Executor
	Clock
}

// Checkable is what a check needs.
type Checkable interface {
	Jobs
	Runs
	Tables
	Clock
}

// Runnable is what a run needs.
type Runnable interface {
	Verifiable
	Runner
}

var _ interface {
	Runnable
	JobWriter
} = (*workspace.Client)(nil)

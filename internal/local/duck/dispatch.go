//go:build cgo

package duck

import (
	"context"
	"errors"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// bind closes a command over its statement.
func bind[S any](run func(context.Context, S) (*answer, error), st S) command {
	return func(ctx context.Context) (*answer, error) { return run(ctx, st) }
}

// reader is the command of a statement that only reads, nil for one that may commit.
func (w *work) reader(st dialect.Statement) command {
	switch st := st.(type) {
	case *dialect.DescribeHistory:
		return bind(w.describeHistory, st)
	case *dialect.DescribeDetail:
		return bind(w.describeDetail, st)
	case *dialect.DescribeTable:
		return bind(w.describeTable, st)
	case *dialect.DescribeSchema:
		return bind(w.describeSchema, st)
	case *dialect.ShowProperties:
		return bind(w.showProperties, st)
	case *dialect.ShowTables:
		return bind(w.showTables, st)
	case *dialect.ShowSchemas:
		return bind(w.showSchemas, st)
	case *dialect.ShowCatalogs:
		return bind(w.showCatalogs, st)
	case *dialect.ShowColumns:
		return bind(w.showColumns, st)
	case *dialect.ShowCreateTable:
		return bind(w.showCreate, st)
	case *dialect.Analyze:
		return bind(w.analyze, st)
	case *dialect.Use:
		return bind(w.use, st)
	case *dialect.SetConfig:
		return bind(w.setConfig, st)
	}
	return nil
}

// writer is the command of a statement that may commit.
func (w *work) writer(st dialect.Statement) command {
	switch st := st.(type) {
	case *dialect.CreateTable:
		return bind(w.createTable, st)
	case *dialect.CreateView:
		return bind(w.createView, st)
	case *dialect.CreateSchema:
		return bind(w.createSchema, st)
	case *dialect.CreateCatalog:
		return bind(w.createCatalog, st)
	case *dialect.DropTable:
		return bind(w.dropTable, st)
	case *dialect.DropView:
		return bind(w.dropView, st)
	case *dialect.DropSchema:
		return bind(w.dropSchema, st)
	case *dialect.AlterTable:
		return bind(w.alter, st)
	case *dialect.Insert:
		return bind(w.insert, st)
	case *dialect.Update:
		return bind(w.update, st)
	case *dialect.Delete:
		return bind(w.delete, st)
	case *dialect.Merge:
		return bind(w.merge, st)
	case *dialect.Truncate:
		return bind(w.truncate, st)
	case *dialect.Optimize:
		return bind(w.optimize, st)
	case *dialect.Reorg:
		return bind(w.reorg, st)
	case *dialect.Vacuum:
		return bind(w.vacuum, st)
	case *dialect.Restore:
		return bind(w.restore, st)
	}
	return func(context.Context) (*answer, error) { return nil, refuse("the statement %T", st) }
}

func isMissing(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Class == "TABLE_OR_VIEW_NOT_FOUND"
}

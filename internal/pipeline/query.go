package pipeline

import (
	"context"
	"errors"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// query runs a statement when it is ranged over, and streams its rows.
func query(ctx context.Context, w Warehouse, sql string) reconcile.Rows {
	return func(yield func([]*string, error) bool) {
		rows, err := w.Query(ctx, sql)
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if !yield(rows.Row(), nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// unreadable reports whether a statement failed since a version of a table could not be read, or was cut short: then
// nothing can be claimed, and asking again does not help. Refusals and lost connections are not of this kind.
func unreadable(err error) bool {
	if errors.Is(err, workspace.ErrTruncated) {
		return true
	}
	var failed *workspace.StatementError
	if !errors.As(err, &failed) || errors.Is(err, workspace.ErrDenied) || errors.Is(err, workspace.ErrNotFound) {
		return false
	}
	for _, class := range []string{"DELTA_", "FAILED_READ_FILE", "UNSUPPORTED_FEATURE.TIME_TRAVEL", "FILE_NOT_FOUND", "EXPECT_TABLE_NOT_VIEW", "INVALID_TIME_TRAVEL"} {
		if strings.HasPrefix(failed.Class, class) {
			return true
		}
	}
	return false
}

// codeOf names the reason for an unreadable version.
func codeOf(err error) string {
	if errors.Is(err, workspace.ErrTruncated) {
		return reconcile.CodeTruncated
	}
	return reconcile.CodeUnreadable
}

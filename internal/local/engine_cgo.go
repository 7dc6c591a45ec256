//go:build cgo

package local

import (
	"context"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/duck"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// openEngine opens the embedded DuckDB: in a folder, or in memory when there is none.
func openEngine(ctx context.Context, dir string) (engine.Engine, error) {
	e, err := duck.Open(ctx, duck.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	return e, nil
}

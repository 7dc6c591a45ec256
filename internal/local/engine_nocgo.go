//go:build !cgo

package local

import (
	"context"
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func openEngine(context.Context, string) (engine.Engine, error) {
	return nil, fmt.Errorf("%w: it was built without cgo, and the embedded DuckDB needs it: use the `watertight` release binary, or build with CGO_ENABLED=1 and a C compiler", ErrNoEngine)
}

//go:build cgo

package local

import (
	"context"
	"errors"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// TEMPORARY until internal/local/duck is there: an engine that refuses everything.
func openEngine(context.Context, string) (engine.Engine, error) { return pendingEngine{}, nil }

type pendingEngine struct{}

func (pendingEngine) Run(context.Context, engine.Statement) (engine.Result, error) {
	return nil, errors.New("the engine is not built yet")
}
func (pendingEngine) Table(context.Context, engine.Name) (engine.Table, error) {
	return engine.Table{}, engine.ErrNotFound
}
func (pendingEngine) Tables(context.Context, string, string) ([]engine.Table, error) { return nil, nil }
func (pendingEngine) Schemas(context.Context, string) ([]string, error)              { return nil, nil }
func (pendingEngine) Kind() string                                                   { return "none" }
func (pendingEngine) Close() error                                                   { return nil }

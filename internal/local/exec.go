package local

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

var alterTable = regexp.MustCompile(`(?is)^(?:\s|--[^\n]*\n|/\*.*?\*/)*ALTER\s+TABLE\s+(\S+)`)

// query runs a statement at a new instant of the virtual clock. The clock moves again when the statement is done, so that
// what begins later begins after its commit, also when the engine had to move that commit forward.
func (w *Workspace) query(ctx context.Context, s engine.Statement) (engine.Result, error) {
	s.Now = w.clock.Tick()
	if s.User == "" {
		s.User = ownerName
	}
	result, err := w.engine.Run(ctx, s)
	w.clock.Tick()
	if err == nil {
		w.noteAlter(s)
	}
	return result, err
}

// exec runs a statement to its end and drops its rows.
func (w *Workspace) exec(ctx context.Context, s engine.Statement) error {
	result, err := w.query(ctx, s)
	if err != nil {
		return err
	}
	for result.Next() {
	}
	return errors.Join(result.Err(), result.Close())
}

// Exec runs a statement straight on the engine: no request is recorded. The result must be closed.
func (w *Workspace) Exec(ctx context.Context, sql string, parameters ...engine.Parameter) (engine.Result, error) {
	return w.query(ctx, engine.Statement{Text: sql, Parameters: parameters})
}

// noteAlter counts the ALTERs of each table, for Behaviour.PlatformProperties.
func (w *Workspace) noteAlter(s engine.Statement) {
	m := alterTable.FindStringSubmatch(s.Text)
	if m == nil {
		return
	}
	parts := strings.Split(strings.ReplaceAll(m[1], "`", ""), ".")
	if len(parts) < 2 {
		parts = append([]string{cmp.Or(s.Schema, "default")}, parts...)
	}
	if len(parts) < 3 {
		parts = append([]string{cmp.Or(s.Catalog, "main")}, parts...)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.altered[strings.ToLower(strings.Join(parts, "."))]++
}

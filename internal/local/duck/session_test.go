//go:build cgo

package duck

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// session is an engine with a clock, for tests.
type session struct {
	t   testing.TB
	e   *Engine
	now time.Time
}

var start = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

func newSession(t testing.TB, dir string) *session {
	t.Helper()
	e, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, e: e, now: start}
	t.Cleanup(func() {
		if err := s.e.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *session) open(ctx context.Context, sql string) (engine.Result, error) {
	s.now = s.now.Add(time.Second)
	return s.e.Run(ctx, engine.Statement{Text: sql, Now: s.now})
}

// try runs a statement to its end.
func (s *session) try(sql string) ([]string, error) {
	r, err := s.open(s.t.Context(), sql)
	if err != nil {
		return nil, err
	}
	var out []string
	for r.Next() {
		var cells []string
		for _, v := range r.Row() {
			if v == nil {
				cells = append(cells, "NULL")
				continue
			}
			cells = append(cells, *v)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out, errors.Join(r.Err(), r.Close())
}

// rows runs a statement that must succeed.
func (s *session) rows(sql string) []string {
	s.t.Helper()
	out, err := s.try(sql)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func (s *session) text(sql string) string {
	s.t.Helper()
	return strings.Join(s.rows(sql), "; ")
}

// refused runs a statement that must fail, and gives its class.
func (s *session) refused(sql string) string {
	s.t.Helper()
	out, err := s.try(sql)
	if err == nil {
		s.t.Fatalf("%s: no error, but %v", sql, out)
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		s.t.Fatalf("%s: %v is no engine error", sql, err)
	}
	return e.Class
}

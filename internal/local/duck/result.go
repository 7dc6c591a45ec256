//go:build cgo

package duck

import (
	"sync"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// answer is a result that is at hand.
type answer struct {
	columns []engine.Column
	rows    [][]*string
	at      int
}

func (a *answer) Columns() []engine.Column { return a.columns }
func (a *answer) Next() bool               { a.at++; return a.at <= len(a.rows) }
func (a *answer) Row() []*string           { return a.rows[a.at-1] }
func (a *answer) Err() error               { return nil }
func (a *answer) Close() error             { return nil }

func (a *answer) add(values ...any) {
	row := make([]*string, len(values))
	for i, v := range values {
		row[i] = cell(v)
	}
	a.rows = append(a.rows, row)
}

// columnsOf pairs names with types: name, type, name, type, …
func columnsOf(pairs ...string) []engine.Column {
	var out []engine.Column
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, engine.Column{Name: pairs[i], Type: pairs[i+1], Nullable: true})
	}
	return out
}

// stream is a query's result. It holds its connection until it is closed.
type stream struct {
	rows    *rows
	columns []engine.Column
	format  *format
	end     func()
	once    sync.Once
	values  []*string
	err     error
	closed  bool
}

func (s *stream) Columns() []engine.Column { return s.columns }

func (s *stream) Next() bool {
	if s.err != nil || s.closed {
		return false
	}
	more, err := s.rows.next()
	if err != nil || !more {
		s.err = mapped(err)
		return false
	}
	if s.values == nil {
		s.values = make([]*string, len(s.columns))
	}
	for i := range s.values {
		s.values[i] = s.format.column(&s.rows.vectors[i], i, s.rows.at)
	}
	return true
}

func (s *stream) Row() []*string { return s.values }
func (s *stream) Err() error     { return s.err }

func (s *stream) Close() error {
	s.once.Do(func() {
		s.closed = true
		s.rows.close()
		s.end()
	})
	return nil
}
